// The MCP TypeScript SDK v2 as a client: both eras of the protocol, over stdio and HTTP.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { Client, LOG_LEVEL_META_KEY, SERVER_INFO_META_KEY, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { client as identity, fixture, Inbox, startServer, text, within } from './support.mjs';

const modern = '2026-07-28';
const legacy = '2025-11-25';

const transports = {
  async stdio() {
    return new StdioClientTransport({ command: fixture, args: ['--stdio'], stderr: 'ignore' });
  },
  async HTTP(t) {
    const server = await startServer(t, fixture);
    const seen = new Inbox();
    const watched = async (url, init) => {
      const response = await fetch(url, init);
      seen.push({ method: init.method, headers: new Headers(init.headers), status: response.status });
      return response;
    };
    const transport = new StreamableHTTPClientTransport(server.url('/mcp'), { fetch: watched });
    return Object.assign(transport, { server, seen });
  },
};

const modes = {
  legacy: { mode: 'legacy', era: 'legacy', version: legacy },
  auto: { mode: 'auto', era: 'modern', version: modern },
  pinned: { mode: { pin: modern }, era: 'modern', version: modern },
};

const capabilities = { elicitation: {}, sampling: {}, roots: {} };

async function connect(t, open, { mode, ...options }) {
  const transport = await open(t);
  const client = new Client(identity, { capabilities, versionNegotiation: { mode }, ...options });
  t.after(() => client.close());
  await client.connect(transport);
  return client;
}

// A user, a model and a workspace that answer everything.
function answerQuestions(client) {
  const asked = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message);
    const [property] = Object.keys(params.requestedSchema.properties);
    return { action: 'accept', content: { [property]: property === 'ok' ? true : `my ${property}` } };
  });
  client.setRequestHandler('sampling/createMessage', ({ params }) => {
    asked.push(params.messages[0].content.text);
    return { model: 'none', role: 'assistant', content: { type: 'text', text: 'Paris' } };
  });
  client.setRequestHandler('roots/list', () => {
    asked.push('roots');
    return { roots: [{ uri: 'file:///home/ada', name: 'home' }] };
  });
  return asked;
}

for (const [where, open] of Object.entries(transports)) {
  for (const [how, { mode, era, version }] of Object.entries(modes)) {
    suite(`SDK v2 over ${where}, ${how}`, () => {
      test('settles on the era and learns who the server is', async t => {
        const client = await connect(t, open, { mode });

        assert.equal(client.getProtocolEra(), era);
        assert.equal(client.getNegotiatedProtocolVersion(), version);
        assert.ok(client.getServerVersion().name);
        assert.ok(client.getServerVersion().version);
        assert.equal(client.getServerCapabilities().tools.listChanged, true);
      });

      test('lists what there is', async t => {
        const client = await connect(t, open, { mode });

        const { tools } = await client.listTools();
        assert.equal(tools[0].name, 'test_simple_text');
        assert.equal((await client.listResources()).resources.length, 3);
        assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
        assert.ok((await client.listPrompts()).prompts.some(({ name }) => name === 'test_simple_prompt'));
      });

      test('calls tools, reads resources, gets prompts and completions', async t => {
        const client = await connect(t, open, { mode });
        await client.listTools();

        assert.equal(text(await client.callTool({ name: 'echo', arguments: { text: 'Grüße' } })), 'Grüße');
        const structured = await client.callTool({ name: 'test_structured_content' });
        assert.deepEqual(structured.structuredContent, { color: 'red', width: 1 });
        const { contents } = await client.readResource({ uri: 'test://template/7/data' });
        assert.equal(JSON.parse(contents[0].text).id, '7');
        const prompt = await client.getPrompt({ name: 'test_simple_prompt' });
        assert.equal(prompt.messages[0].content.text, 'This is a simple prompt for testing.');
        const { completion } = await client.complete({
          ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
          argument: { name: 'arg1', value: 'part' },
        });
        assert.deepEqual(completion.values, ['party']);
      });

      test('repeats an argument in a header where the schema asks for it', async t => {
        const client = await connect(t, open, { mode });
        await client.listTools();

        const said = 'Köln ';
        const result = await client.callTool({ name: 'test_custom_header', arguments: { region: said } });

        assert.equal(text(result), `Region: ${said}`);
      });

      test('sees failures where they belong', async t => {
        const client = await connect(t, open, { mode });

        assert.equal((await client.callTool({ name: 'test_error_handling' })).isError, true);
        assert.equal((await client.callTool({ name: 'echo', arguments: {} })).isError, true);
        await assert.rejects(client.callTool({ name: 'no_such_tool' }), { code: -32602 });
        await assert.rejects(client.readResource({ uri: 'test://nowhere' }), error => {
          assert.equal(error.code, -32602); // the SDK's own code for it, in both eras
          assert.deepEqual(error.data, { uri: 'test://nowhere' });
          return true;
        });
      });

      test('hears of progress while a call runs', async t => {
        const client = await connect(t, open, { mode });

        const heard = [];
        await client.callTool(
          { name: 'test_tool_with_progress' },
          { onprogress: ({ progress, total }) => heard.push([progress, total]) },
        );

        // The SDK drops the last one when it arrives in one piece with the answer.
        assert.deepEqual(heard.slice(0, 2), [[0, 100], [50, 100]]);
      });

      test('answers the questions of tools', async t => {
        const client = await connect(t, open, { mode });
        const asked = answerQuestions(client);
        const call = async name => text(await client.callTool({ name: `test_input_required_result_${name}` }));

        assert.equal(await call('elicitation'), 'Hello, my name!');
        assert.equal(await call('sampling'), 'LLM response: Paris');
        assert.match(await call('list_roots'), /file:\/\/\/home\/ada/);
        assert.match(await call('request_state'), /state-ok/);
        assert.match(await call('multiple_inputs'), /Paris my name .*home/);
        assert.equal(await call('multi_round'), 'my name likes my color.');
        assert.deepEqual(asked.slice(-2), ['Step 1: What is your name?', 'Step 2: What is your favorite color?']);
      });

      test('answers the question of a prompt', async t => {
        const client = await connect(t, open, { mode });
        answerQuestions(client);

        const prompt = await client.getPrompt({ name: 'test_input_required_result_prompt' });

        assert.equal(prompt.messages[0].content.text, 'Use this context: my context');
      });

      test('stops a call that it cancels', async t => {
        const client = await connect(t, open, { mode });
        const cancel = new AbortController();
        const key = { key: 'mine' };

        const call = client.callTool(
          { name: 'test_wait_until_cancelled', arguments: key },
          { signal: cancel.signal, onprogress: () => cancel.abort('enough') },
        );

        await assert.rejects(call);
        assert.equal(text(await client.callTool({ name: 'test_await_cancellation', arguments: key })), 'Cancelled.');
      });
    });
  }

  if (where === 'HTTP')
    test('SDK v2 is done with a legacy call that it cancels while it streams', async t => {
      const client = await connect(t, open, { mode: 'legacy' });
      const errors = [];
      client.onerror = error => errors.push(error);
      const cancel = new AbortController();

      await assert.rejects(client.callTool(
        { name: 'test_wait_until_cancelled', arguments: { key: 'done' } },
        { signal: cancel.signal, onprogress: () => cancel.abort('enough') },
      ));

      await client.transport.seen.first('the end', ({ headers, status }) => headers.has('last-event-id') && status === 204);
      await client.ping();
      assert.deepEqual(errors, []);
    });

  suite(`SDK v2 over ${where}, only in the modern era`, () => {
    const { mode } = modes.pinned;

    test('discovers the server', async t => {
      const client = await connect(t, open, { mode });

      const discovered = await client.discover();

      assert.ok(discovered.supportedVersions.includes(modern));
      assert.ok(Number.isInteger(discovered.ttlMs) && discovered.ttlMs >= 0);
      assert.ok(['public', 'private'].includes(discovered.cacheScope));
      assert.ok(discovered._meta[SERVER_INFO_META_KEY].name);
    });

    test('gets log messages only for the request that asks for them', async t => {
      const client = await connect(t, open, { mode });
      const logged = new Inbox();
      client.setNotificationHandler('notifications/message', ({ params }) => logged.push(params.level));

      await client.callTool({ name: 'test_logging_tool' });
      assert.deepEqual(logged.items, []);
      await client.callTool({ name: 'test_logging_tool', _meta: { [LOG_LEVEL_META_KEY]: 'info' } });
      await logged.first('the error message', level => level === 'error');

      assert.deepEqual(logged.items, ['info', 'error']);
    });

    test('is told which capability it lacks', async t => {
      const client = await connect(t, open, { mode, capabilities: { elicitation: {} } });

      await assert.rejects(client.callTool({ name: 'test_missing_capability' }), error => {
        assert.equal(error.code, -32021);
        assert.deepEqual(error.data.requiredCapabilities, { sampling: {} });
        return true;
      });
    });

    test('cannot change the state between two rounds', async t => {
      const client = await connect(t, open, { mode });
      const call = { name: 'test_input_required_result_multi_round', arguments: {} };
      const byHand = { allowInputRequired: true };
      const accept = content => ({ action: 'accept', content });
      const retry = (requestState, inputResponses, other = {}) =>
        client.callTool({ ...call, ...other, requestState, inputResponses }, byHand);

      const first = await client.callTool(call, byHand);
      assert.deepEqual(Object.keys(first.inputRequests), ['step1']);
      const second = await retry(first.requestState, { step1: accept({ name: 'Ada' }) });
      assert.deepEqual(Object.keys(second.inputRequests), ['step2']);
      assert.notEqual(second.requestState, first.requestState);
      const answer = { step2: accept({ color: 'blue' }) };

      const flipped = second.requestState.replace(/^./, it => (it === 'A' ? 'B' : 'A'));
      await assert.rejects(retry(flipped, answer), { code: -32602 });
      await assert.rejects(retry(`${second.requestState}x`, answer), { code: -32602 });
      await assert.rejects(retry(second.requestState, answer, { name: 'test_input_required_result_request_state' }), {
        code: -32602,
      });
      await assert.rejects(retry(second.requestState, answer, { arguments: { other: 1 } }), { code: -32602 });
      assert.equal(text(await retry(second.requestState, answer)), 'Ada likes blue.');
    });

    test('listens for what it asked for, and for nothing else', async t => {
      const client = await connect(t, open, { mode });
      const heard = new Inbox();
      const uri = 'test://watched-resource';
      client.setNotificationHandler('notifications/tools/list_changed', () => heard.push('tools'));
      client.setNotificationHandler('notifications/prompts/list_changed', () => heard.push('prompts'));
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => heard.push(params.uri));

      const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
      assert.deepEqual(subscription.honoredFilter, { toolsListChanged: true, resourceSubscriptions: [uri] });
      await client.callTool({ name: 'test_trigger_prompt_change' });
      await client.callTool({ name: 'test_trigger_resource_change' });
      await client.callTool({ name: 'test_trigger_tool_change' });
      await heard.first('the change of the tools', it => it === 'tools');

      assert.deepEqual(heard.items, [uri, 'tools']);
      const { tools } = await client.listTools();
      assert.ok(tools.some(({ name }) => name === 'test_dynamic_tool'));
      await subscription.close();
      assert.equal(await subscription.closed, 'local');
      await client.callTool({ name: 'test_trigger_tool_change' });
      assert.deepEqual(heard.items, [uri, 'tools']);
    });

    test('keeps its lists fresh when it is configured to', async t => {
      const lists = new Inbox();
      const client = await connect(t, open, {
        mode,
        listChanged: { tools: { onChanged: (error, tools) => lists.push(error ?? tools.map(({ name }) => name)) } },
      });

      await client.callTool({ name: 'test_trigger_tool_change' });

      const names = await lists.first('the new list');
      assert.ok(names.includes('test_dynamic_tool'));
    });
  });
}

test('a server that stops ends its subscriptions in an orderly way', async t => {
  const client = await connect(t, transports.HTTP, { mode: modes.pinned.mode });
  const subscription = await client.listen({ toolsListChanged: true });

  await client.transport.server.stop();

  assert.equal(await within(subscription.closed, 'the end of the subscription'), 'graceful');
});

test('one HTTP server serves both eras at the same time', async t => {
  const server = await startServer(t, fixture);
  const open = async () => new StreamableHTTPClientTransport(server.url('/mcp'));

  const [old, current] = await Promise.all([
    connect(t, open, { mode: modes.legacy.mode }),
    connect(t, open, { mode: modes.auto.mode }),
  ]);

  assert.deepEqual([old.getProtocolEra(), current.getProtocolEra()], ['legacy', 'modern']);
  const said = await Promise.all([old, current].map(it => it.callTool({ name: 'echo', arguments: { text: 'hi' } })));
  assert.deepEqual(said.map(text), ['hi', 'hi']);
});
