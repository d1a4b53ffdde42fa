// Clients that leave without a word, as every SDK's close() does: what was theirs ends.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';

import { serve } from './browser_support.mjs';
import { pageProcesses } from './processes.mjs';
import { client as identity, Inbox, startServer, temporaryDirectory, text, troupe, within } from './support.mjs';

const pages = { '/': '<title>here</title><input aria-label=name>' };
const deleted = /delete http session/;

async function startWith(t, session, args = [], env = {}) {
  const directory = await temporaryDirectory(t);
  const config = join(directory, 'config.json');
  // No browser is kept at hand, so that whose pages run is seen in the processes.
  await writeFile(config, JSON.stringify({ session, pool: { warmContexts: 0 } }));
  const options = ['--headless', '--isolated', '--config', config, ...args];
  return startServer(t, troupe, options, { env: { DEBUG: 'pw:mcp:test', ...env } });
}

// A client with its stream open, and a page in its browser.
async function visit(t, client, makeTransport, url) {
  const streams = new Inbox();
  const watched = async (where, init) => {
    const response = await fetch(where, init);
    if ((init?.method ?? 'GET') === 'GET') streams.push(response.status);
    return response;
  };
  const transport = makeTransport(watched);
  t.after(() => client.close().catch(() => {}));
  await client.connect(transport);
  const result = await client.callTool({ name: 'browser_navigate', arguments: { url } });
  assert.ok(!result.isError, text(result));
  return { client, transport, streams };
}

const http = {
  'SDK v1': server => [new ClientV1(identity), fetch => new HttpV1(server.url('/mcp'), { fetch })],
  'SDK v2': server => [
    new ClientV2(identity, { versionNegotiation: { mode: 'legacy' } }),
    fetch => new HttpV2(server.url('/mcp'), { fetch }),
  ],
};

// Until no page runs any more.
async function untilNoPage(server) {
  await within(
    (async () => {
      while (pageProcesses(server.process.pid).length > 0) await new Promise(resolve => setImmediate(resolve));
    })(),
    'the end of the pages',
  );
}

suite('A client that closes without DELETE', () => {
  for (const [name, make] of Object.entries(http)) {
    for (const [what, session, args, env] of [
      ['session.grace', { grace: 300 }, [], {}],
      ['--ping-timeout', {}, ['--ping-timeout', '300'], {}],
      ['PLAYWRIGHT_MCP_PING_TIMEOUT_MS', {}, [], { PLAYWRIGHT_MCP_PING_TIMEOUT_MS: '300' }],
    ]) {
      test(`${name}: its session ends after ${what}`, async t => {
        const origin = await serve(t, pages);
        const server = await startWith(t, session, args, env);
        const { client, streams } = await visit(t, ...make(server), origin);
        await streams.first('the stream', status => status === 200);
        assert.ok(pageProcesses(server.process.pid).length > 0);

        await client.close();

        await server.waitForLine(deleted);
        await untilNoPage(server);
      });
    }
  }

  test('finds everything as it was when it listens again in time', async t => {
    const origin = await serve(t, pages);
    const server = await startWith(t, { grace: 60_000 });
    const [first, make] = http['SDK v1'](server);
    const { client, transport, streams } = await visit(t, first, make, origin);
    await streams.first('the stream', status => status === 200);
    await client.callTool({ name: 'browser_evaluate', arguments: { function: '() => { window.mark = 41; }' } });
    const { sessionId } = transport;
    await client.close();

    const again = new ClientV1(identity);
    t.after(() => again.close());
    await again.connect(new HttpV1(server.url('/mcp'), { sessionId }));
    const seen = await again.callTool({ name: 'browser_evaluate', arguments: { function: '() => window.mark + 1' } });

    assert.match(text(seen), /42/);
    assert.ok(!server.stderr.items.some(line => deleted.test(line)));
  });

  test('stays when it never listened, or has a call under way', async t => {
    const held = new Inbox();
    const origin = await serve(t, { ...pages, '/slow': (_, response) => held.push(response) });
    const server = await startWith(t, { grace: 300 });
    const post = async (body, session) => {
      const response = await fetch(server.url('/mcp'), {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...(session && { 'Mcp-Session-Id': session }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      });
      return { status: response.status, session: response.headers.get('mcp-session-id'), body: await response.text() };
    };
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: identity };
    const silent = await post({ id: 0, method: 'initialize', params: hello });
    const { client: busy, streams } = await visit(t, ...http['SDK v1'](server), origin);
    await streams.first('the stream', status => status === 200);
    const navigating = busy.callTool({ name: 'browser_navigate', arguments: { url: `${origin}/slow` } });
    navigating.catch(() => {});
    const answer = await held.first('the visit');
    await busy.close();
    // Whoever leaves now is gone in the time that the busy one has, too.
    const { client: leaving, streams: theirs } = await visit(t, ...http['SDK v1'](server), origin);
    await theirs.first('the stream', status => status === 200);
    await leaving.close();
    await server.waitForLine(deleted);

    const ended = () => server.stderr.items.filter(line => deleted.test(line)).length;
    assert.equal(ended(), 1);
    assert.equal((await post({ id: 1, method: 'ping' }, silent.session)).status, 200);

    answer.end('<title>late</title>');
    await server.stderr.first('the end of the busy one', () => ended() === 2);
  });
});

suite('A client whose only stream ends', () => {
  for (const [name, make] of Object.entries({
    WebSocket: server => new WebSocketClientTransport(server.url('/ws', 'ws')),
    SSE: server => new SSEClientTransport(server.url('/sse')),
  })) {
    test(`${name}: its session ends with it`, async t => {
      const origin = await serve(t, pages);
      const server = await startWith(t, { grace: 300 });
      const { client } = await visit(t, new ClientV1(identity), () => make(server), origin);
      assert.ok(pageProcesses(server.process.pid).length > 0);

      await client.close();

      await untilNoPage(server);
    });
  }
});

suite('What a client has that is away', () => {
  test('another client of the user resumes at once', async t => {
    const origin = await serve(t, pages);
    const server = await startWith(t, { grace: 3_600_000 }, ['--session-param']);
    const { client, streams } = await visit(t, ...http['SDK v1'](server), origin);
    await streams.first('the stream', status => status === 200);
    await client.callTool({ name: 'browser_type', arguments: { element: 'name', target: 'input', text: 'ann was here' } });
    const [{ resumeId }] = JSON.parse(text(await client.callTool({ name: 'list_sessions', arguments: {} }))).data.sessions;
    const other = new ClientV1(identity);
    t.after(() => other.close());
    await other.connect(new HttpV1(server.url('/mcp')));
    const resume = () => other.callTool({ name: 'session_resume', arguments: { sessionId: resumeId } });
    assert.match(text(await resume()), /no session/, 'its client is there');

    await client.close();

    const resumed = async () => {
      for (;;) {
        const answer = await resume();
        if (!answer.isError) return;
      }
    };
    await within(resumed(), 'resuming it', 10_000);
    const snapshot = await other.callTool({ name: 'browser_snapshot', arguments: { sessionId: resumeId } });
    assert.match(text(snapshot), /ann was here/);
  });
});
