// The MCP TypeScript SDK v1 as a client, over every transport it has.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ErrorCode,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  McpError,
  PromptListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

import { client as identity, fixture, Inbox, startServer, text } from './support.mjs';

const capabilities = { elicitation: {}, sampling: {}, roots: {} };

// `fetch` for a streamable HTTP transport that shows what was sent and what came back.
function watchedFetch() {
  const seen = new Inbox();
  const watched = async (url, init) => {
    const response = await fetch(url, init);
    seen.push({ method: init?.method ?? 'GET', headers: new Headers(init?.headers), status: response.status });
    return response;
  };
  return { seen, fetch: watched };
}

const transports = {
  async stdio() {
    return new StdioClientTransport({ command: fixture, args: ['--stdio'], stderr: 'ignore' });
  },
  async 'streamable HTTP'(t) {
    const server = await startServer(t, fixture);
    const { seen, fetch } = watchedFetch();
    const transport = new StreamableHTTPClientTransport(server.url('/mcp'), { fetch });
    // What belongs to no request comes on this stream, so a client is ready once it is open.
    transport.ready = () => seen.first('opening the GET stream', it => it.method === 'GET' && it.status === 200);
    transport.seen = seen;
    transport.server = server;
    return transport;
  },
  async 'HTTP+SSE'(t) {
    const server = await startServer(t, fixture);
    return new SSEClientTransport(server.url('/sse'));
  },
  async WebSocket(t) {
    const server = await startServer(t, fixture);
    return new WebSocketClientTransport(server.url('/ws', 'ws'));
  },
};

async function connect(t, open, options = { capabilities }) {
  const transport = await open(t);
  const client = new Client(identity, options);
  t.after(() => client.close());
  await client.connect(transport);
  await transport.ready?.();
  return client;
}

const names = list => list.map(item => item.name);

for (const [name, open] of Object.entries(transports)) {
  suite(`SDK v1 over ${name}`, () => {
    test('learns who the server is and what it can do', async t => {
      const client = await connect(t, open);

      const { name, version } = client.getServerVersion();
      assert.ok(name && version);
      const { tools, resources, prompts, logging, completions } = client.getServerCapabilities();
      assert.deepEqual(
        { tools, resources, prompts, logging, completions },
        {
          tools: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
          prompts: { listChanged: true },
          logging: {},
          completions: {},
        },
      );
      assert.deepEqual(await client.ping(), {});
    });

    test('lists tools, resources, templates and prompts', async t => {
      const client = await connect(t, open);

      const { tools } = await client.listTools();
      assert.equal(tools[0].name, 'test_simple_text');
      const echo = tools.find(tool => tool.name === 'echo');
      assert.equal(echo.title, 'Echo');
      assert.equal(echo.annotations.readOnlyHint, true);
      assert.deepEqual(echo.inputSchema.required, ['text']);
      assert.equal(echo.inputSchema.properties.text.type, 'string');

      assert.deepEqual(names((await client.listResources()).resources), [
        'static-text',
        'static-binary',
        'watched-resource',
      ]);
      const { resourceTemplates } = await client.listResourceTemplates();
      assert.deepEqual(resourceTemplates.map(it => it.uriTemplate), ['test://template/{id}/data']);
      assert.ok(names((await client.listPrompts()).prompts).includes('test_prompt_with_arguments'));
    });

    test('calls tools and gets every kind of content', async t => {
      const client = await connect(t, open);

      const said = 'Grüße, 世界 \u{1F3AD}\n"quoted" \\ \t \u2028';
      assert.equal(text(await client.callTool({ name: 'echo', arguments: { text: said } })), said);
      const mixed = await client.callTool({ name: 'test_multiple_content_types' });
      assert.deepEqual(mixed.content.map(block => block.type), ['text', 'image', 'resource']);
      const audio = await client.callTool({ name: 'test_audio_content' });
      assert.equal(audio.content[0].mimeType, 'audio/wav');
    });

    test('gets structured content that fits its schema', async t => {
      const client = await connect(t, open);
      await client.listTools(); // from here on the SDK checks results against the output schemas

      const result = await client.callTool({ name: 'test_structured_content' });

      assert.deepEqual(result.structuredContent, { color: 'red', width: 1 });
      assert.deepEqual(JSON.parse(text(result)), result.structuredContent);
    });

    test('sees failures where they belong', async t => {
      const client = await connect(t, open);

      const failed = await client.callTool({ name: 'test_error_handling' });
      assert.equal(failed.isError, true);
      assert.match(text(failed), /This tool intentionally returns an error for testing/);

      const misfit = await client.callTool({ name: 'echo', arguments: { text: 7 } });
      assert.equal(misfit.isError, true);
      assert.match(text(misfit), /expected string, received number[^]*text/);

      await assert.rejects(client.callTool({ name: 'no_such_tool' }), { code: ErrorCode.InvalidParams });
      await assert.rejects(client.getPrompt({ name: 'no_such_prompt' }), { code: ErrorCode.InvalidParams });
      await assert.rejects(
        client.getPrompt({ name: 'test_prompt_with_arguments', arguments: { arg1: 'only' } }),
        { code: ErrorCode.InvalidParams },
      );
      await assert.rejects(client.readResource({ uri: 'test://nowhere' }), error => {
        assert.equal(error.code, -32002);
        assert.equal(error.data.uri, 'test://nowhere');
        return true;
      });
      await assert.rejects(client.listTools({ cursor: 'made up' }), { code: ErrorCode.InvalidParams });
      await assert.rejects(client.request({ method: 'no/such/method' }, CallToolResultSchema), {
        code: ErrorCode.MethodNotFound,
      });
    });

    test('answers many calls at once, each with its own result', async t => {
      const client = await connect(t, open);

      const texts = Array.from({ length: 50 }, (_, i) => `call ${i}`);
      const results = await Promise.all(texts.map(said => client.callTool({ name: 'echo', arguments: { text: said } })));

      assert.deepEqual(results.map(text), texts);
    });

    test('carries a large message both ways', async t => {
      const client = await connect(t, open);

      const large = 'x'.repeat(1024 * 1024);
      const result = await client.callTool({ name: 'echo', arguments: { text: large } });

      assert.ok(text(result) === large);
    });

    test('reads resources', async t => {
      const client = await connect(t, open);

      const { contents: [plain] } = await client.readResource({ uri: 'test://static-text' });
      assert.deepEqual(plain, {
        uri: 'test://static-text',
        mimeType: 'text/plain',
        text: 'This is the content of the static text resource.',
      });
      const { contents: [image] } = await client.readResource({ uri: 'test://static-binary' });
      assert.match(Buffer.from(image.blob, 'base64').toString('latin1'), /^\x89PNG/);
      const { contents: [made] } = await client.readResource({ uri: 'test://template/42/data' });
      assert.equal(JSON.parse(made.text).id, '42');
    });

    test('gets prompts and completions for their arguments', async t => {
      const client = await connect(t, open);

      const prompt = await client.getPrompt({
        name: 'test_prompt_with_arguments',
        arguments: { arg1: 'hello', arg2: 'world' },
      });
      assert.equal(prompt.messages[0].content.text, "Prompt with arguments: arg1='hello', arg2='world'");

      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
        argument: { name: 'arg1', value: 'par' },
      });
      assert.deepEqual(completion.values, ['paris', 'park', 'party']);
      const { completion: ids } = await client.complete({
        ref: { type: 'ref/resource', uri: 'test://template/{id}/data' },
        argument: { name: 'id', value: '12' },
      });
      assert.deepEqual(ids.values, ['123', '124']);
    });

    test('hears of progress while a call runs', async t => {
      const client = await connect(t, open);

      const heard = [];
      await client.callTool({ name: 'test_tool_with_progress' }, undefined, {
        onprogress: ({ progress, total }) => heard.push([progress, total]),
      });

      // The SDK drops the last one when it arrives in one piece with the answer.
      assert.deepEqual(heard.slice(0, 2), [[0, 100], [50, 100]]);
    });

    test('hears log messages from the level it set', async t => {
      const client = await connect(t, open);
      const logged = new Inbox();
      client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => logged.push(params));
      await client.setLoggingLevel('info');

      await client.callTool({ name: 'test_logging_tool' });

      await logged.first('the error message', ({ level }) => level === 'error');
      assert.deepEqual(logged.items.map(({ level }) => level), ['info', 'error']);
      assert.equal(logged.items[0].data, 'An info message');
    });

    test('answers questions that the server asks during a call', async t => {
      const client = await connect(t, open);
      client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
        params.requestedSchema.properties.username
          ? { action: 'accept', content: { username: 'Ada', email: 'ada@example.com' } }
          : { action: 'decline' },
      );
      client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
        model: 'none',
        role: 'assistant',
        content: { type: 'text', text: `You said: ${params.messages[0].content.text}` },
      }));
      client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///home/ada' }] }));

      const asked = await client.callTool({ name: 'test_elicitation', arguments: { message: 'Who are you?' } });
      assert.match(text(asked), /action=accept, content=.*ada@example\.com/);
      const declined = await client.callTool({ name: 'test_elicitation_sep1330_enums' });
      assert.match(text(declined), /action=decline/);
      const sampled = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'Hi' } });
      assert.equal(text(sampled), 'LLM response: You said: Hi');
      const roots = await client.callTool({ name: 'test_input_required_result_list_roots' });
      assert.match(text(roots), /file:\/\/\/home\/ada/);
    });

    test('is told when it cannot answer what a tool asks', async t => {
      const client = await connect(t, open, {});

      const result = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'Hi' } });

      assert.equal(result.isError, true);
      assert.match(text(result), /sampling/);
    });

    test('hears of a resource from subscribe to unsubscribe', async t => {
      const client = await connect(t, open);
      const heard = new Inbox();
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => heard.push(params.uri));
      client.setNotificationHandler(PromptListChangedNotificationSchema, () => heard.push('prompts'));
      const uri = 'test://watched-resource';

      await client.subscribeResource({ uri });
      await client.callTool({ name: 'test_trigger_resource_change' });
      await heard.first('the update', it => it === uri);
      await client.unsubscribeResource({ uri });
      await client.callTool({ name: 'test_trigger_resource_change' });
      // What follows on the same stream shows that nothing came in between.
      await client.callTool({ name: 'test_trigger_prompt_change' });
      await heard.first('the change of the prompts', it => it === 'prompts');

      assert.deepEqual(heard.items, [uri, 'prompts']);
      const { contents: [watched] } = await client.readResource({ uri });
      assert.match(watched.text, /revision 2/);
    });

    test('hears that the tools have changed', async t => {
      const client = await connect(t, open);
      const heard = new Inbox();
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => heard.push('tools'));

      await client.callTool({ name: 'test_trigger_tool_change' });
      await heard.first('the change of the tools');

      assert.ok(names((await client.listTools()).tools).includes('test_dynamic_tool'));
    });

    test('stops a call that it cancels', async t => {
      const client = await connect(t, open);
      const cancel = new AbortController();

      const call = client.callTool({ name: 'test_wait_until_cancelled', arguments: { key: name } }, undefined, {
        signal: cancel.signal,
        onprogress: () => cancel.abort('enough'),
      });

      await assert.rejects(call, /enough/);
      const watched = await client.callTool({ name: 'test_await_cancellation', arguments: { key: name } });
      assert.equal(text(watched), 'Cancelled.');
    });
  });
}

suite('SDK v1 over streamable HTTP, sessions', () => {
  const open = transports['streamable HTTP'];

  test('is unknown to the server once it has ended its session', async t => {
    const client = await connect(t, open);
    const { sessionId, server } = client.transport;
    assert.match(sessionId, /^[\x21-\x7e]+$/);

    await client.transport.terminateSession();

    const response = await fetch(server.url('/mcp'), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': sessionId,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    assert.equal(response.status, 404);
    assert.equal((await response.json()).error.code, -32001);
  });

  test('keeps sessions apart', async t => {
    const first = await connect(t, open);
    const heard = new Inbox();
    const second = new Client(identity);
    t.after(() => second.close());
    const { seen, fetch } = watchedFetch();
    await second.connect(new StreamableHTTPClientTransport(first.transport.server.url('/mcp'), { fetch }));
    await seen.first('opening the GET stream', it => it.method === 'GET' && it.status === 200);
    second.setNotificationHandler(ResourceUpdatedNotificationSchema, () => heard.push('resource'));
    second.setNotificationHandler(ToolListChangedNotificationSchema, () => heard.push('tools'));

    assert.notEqual(first.transport.sessionId, second.transport.sessionId);
    await first.subscribeResource({ uri: 'test://watched-resource' });
    await first.callTool({ name: 'test_trigger_resource_change' });
    await first.callTool({ name: 'test_trigger_tool_change' });
    await heard.first('the change of the tools');

    assert.deepEqual(heard.items, ['tools']);
  });

  test('comes back for the answer when the server ends the stream first', async t => {
    const client = await connect(t, open);

    const result = await client.callTool({ name: 'test_reconnection' });

    assert.match(text(result), /Reconnection test completed successfully/);
    const resumed = client.transport.seen.items.filter(({ headers }) => headers.has('last-event-id'));
    assert.equal(resumed.length, 1);
    assert.equal(resumed[0].status, 200);
  });

  test('is done with a call that it cancels while it streams', async t => {
    const client = await connect(t, open);
    const errors = [];
    client.onerror = error => errors.push(error);
    const cancel = new AbortController();

    await assert.rejects(client.callTool({ name: 'test_wait_until_cancelled', arguments: { key: 'done' } }, undefined, {
      signal: cancel.signal,
      onprogress: () => cancel.abort('enough'),
    }));

    // The stream has ended without an answer, so the SDK comes back for one, and learns that there is none.
    await client.transport.seen.first('the end', ({ headers, status }) => headers.has('last-event-id') && status === 204);
    await client.ping();
    assert.deepEqual(errors, []);
  });

  test('gets the rest of a call after it lost its connection', async t => {
    const lost = await connect(t, open);
    const { sessionId, protocolVersion, server } = lost.transport;
    const token = new Inbox();
    const call = { method: 'tools/call', params: { name: 'test_tool_with_progress' } };
    const started = new Inbox();
    const unanswered = lost.request(call, CallToolResultSchema, {
      onresumptiontoken: token.push,
      onprogress: started.push,
    });
    unanswered.catch(() => {});
    await started.first('the first progress');
    await lost.close();

    const back = new Client(identity, { capabilities });
    t.after(() => back.close());
    const transport = new StreamableHTTPClientTransport(server.url('/mcp'), { sessionId });
    transport.setProtocolVersion(protocolVersion);
    await back.connect(transport);
    const result = await back.request(call, CallToolResultSchema, { resumptionToken: token.items.at(-1) });

    assert.match(text(result), /executed successfully/);
    await assert.rejects(unanswered, McpError);
  });
});
