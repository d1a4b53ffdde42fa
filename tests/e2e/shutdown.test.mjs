// The server ends: every request is answered, and clients' close() needs no signal.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';

import { Browser, serve } from './browser_support.mjs';
import { client as identity, Inbox, postStateless, start, startServer, temporaryDirectory, troupe, within } from './support.mjs';

const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const navigate = url => ({ name: 'browser_navigate', arguments: { url } });

// A page that never answers, and who came to see it.
async function waitingRoom(t) {
  const visits = new Inbox();
  const origin = await serve(t, { '/slow': request => visits.push(request.url), '/': '<title>here</title>' });
  return { origin, url: `${origin}/slow`, visited: () => visits.first('the visit') };
}

async function withClient(t, client, transport) {
  t.after(() => client.close().catch(() => {}));
  await client.connect(transport);
  return client;
}

async function openLegacy(server) {
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: hello });
  const response = await fetch(server.url('/mcp'), { method: 'POST', headers, body });
  await response.text();
  return { ...headers, 'Mcp-Session-Id': response.headers.get('mcp-session-id') };
}

async function errorOf(response) {
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type'), /application\/json/);
  return (await response.json()).error;
}

// Each gives a promise of what the client learns of a call that navigates to `url`.
const callers = {
  'SDK v1': async (t, server) => {
    const client = await withClient(t, new ClientV1(identity), new HttpV1(server.url('/mcp')));
    return url => client.callTool(navigate(url)).then(assert.fail, error => error);
  },
  'SDK v1, SSE': async (t, server) => {
    const client = await withClient(t, new ClientV1(identity), new SSEClientTransport(server.url('/sse')));
    return url => client.callTool(navigate(url)).then(assert.fail, error => error);
  },
  'SDK v1, WebSocket': async (t, server) => {
    const client = await withClient(t, new ClientV1(identity), new WebSocketClientTransport(server.url('/ws', 'ws')));
    return url => client.callTool(navigate(url)).then(assert.fail, error => error);
  },
  'SDK v2, legacy': async (t, server) => {
    const options = { versionNegotiation: { mode: 'legacy' } };
    const client = await withClient(t, new ClientV2(identity, options), new HttpV2(server.url('/mcp')));
    return url => client.callTool(navigate(url)).then(assert.fail, error => error);
  },
  'SDK v2, modern': async (t, server) => {
    const options = { versionNegotiation: { mode: { pin: '2026-07-28' } } };
    const client = await withClient(t, new ClientV2(identity, options), new HttpV2(server.url('/mcp')));
    return url => client.callTool(navigate(url)).then(assert.fail, error => error);
  },
  'plain HTTP, legacy': async (t, server) => {
    const named = await openLegacy(server);
    return async url => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: navigate(url) });
      return errorOf(await fetch(server.url('/mcp'), { method: 'POST', headers: named, body }));
    };
  },
  'plain HTTP, stateless': async (t, server) => async url => errorOf(await postStateless(server, 'tools/call', navigate(url))),
  'the JSON API': async (t, server) => async url => {
    const body = JSON.stringify({ session_id: 'api', tool: 'browser_navigate', params: { url } });
    const response = await fetch(server.url('/api/call'), { method: 'POST', headers, body });
    assert.equal(response.status, 503);
    return response.json();
  },
};

suite('SIGTERM during calls', () => {
  for (const [name, open] of Object.entries(callers)) {
    test(`is an answer to ${name}, and the end`, async t => {
      const room = await waitingRoom(t);
      const server = await startServer(t, troupe, ['--headless', '--isolated']);
      const call = await open(t, server);
      const learnt = call(room.url);
      await Promise.race([room.visited(), learnt]);

      server.process.kill('SIGTERM');

      const error = await within(learnt, 'the answer', 10_000);
      assert.match(String(error.message), /shutting down/);
      assert.deepEqual(await server.end(), { code: 0, signal: null });
    });
  }

  test('is what a terminal that closes means, too', async t => {
    const room = await waitingRoom(t);
    const server = await startServer(t, troupe, ['--headless', '--isolated']);
    const call = await callers['plain HTTP, stateless'](t, server);
    const learnt = call(room.url);
    await room.visited();

    server.process.kill('SIGHUP');

    assert.match((await within(learnt, 'the answer', 10_000)).message, /shutting down/);
    assert.deepEqual(await server.end(), { code: 0, signal: null });
  });

  test('is not meant by a hang-up that was ignored at the start', async t => {
    const server = start(t, 'nohup', [troupe, '--port', '0', '--headless', '--isolated']);
    const [, port] = await server.waitForLine(/Listening on http:\/\/localhost:(\d+)/);
    server.process.kill('SIGHUP');
    assert.equal((await fetch(`http://localhost:${port}/healthz`)).status, 200);
    server.process.kill('SIGTERM');
    assert.deepEqual(await server.end(), { code: 0, signal: null });
  });

  test('never answers a request with 202', async t => {
    const room = await waitingRoom(t);
    const server = await startServer(t, troupe, ['--headless', '--isolated']);
    const named = await openLegacy(server);
    const body = id => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: navigate(room.url) });
    const legacy = [1, 2, 3].map(id => fetch(server.url('/mcp'), { method: 'POST', headers: named, body: body(id) }));
    const modern = [1, 2, 3].map(() => postStateless(server, 'tools/call', navigate(room.url)));
    await room.visited();

    server.process.kill('SIGTERM');

    for (const outcome of await Promise.allSettled([...legacy, ...modern])) {
      // A connection that was closed is an answer, too.
      if (outcome.status === 'fulfilled') assert.match(await outcome.value.text(), /shutting down/);
    }
    assert.deepEqual(await server.end(), { code: 0, signal: null });
  });
});

// What a client on standard input and output sends its server when it closes.
async function close(client, child) {
  const signals = [];
  const kill = child.kill.bind(child);
  child.kill = signal => {
    signals.push(signal);
    return kill(signal);
  };
  const exited = once(child, 'exit');
  const begun = performance.now();
  await client.close();
  const [code, signal] = await exited;
  return { code, signal, signals, milliseconds: performance.now() - begun };
}

suite('The end of input', () => {
  test('is an answer to a call under way', async t => {
    const room = await waitingRoom(t);
    const browser = await Browser.open(t);
    const call = browser.request('tools/call', navigate(room.url));
    await room.visited();

    browser.child.process.stdin.end();

    await assert.rejects(call, { code: -32000, message: /The session ended: this request was not finished/ });
    assert.deepEqual(await browser.child.end(), { code: 0, signal: null });
  });

  const sdks = {
    v1: [StdioV1, () => new ClientV1(identity)],
    v2: [StdioV2, () => new ClientV2(identity)],
  };
  const uses = {
    'before anything was asked': async () => {},
    'with a directory of prompts': async (client, { prompts }) => {
      assert.ok(prompts);
      await client.listPrompts();
    },
    'after a browser was used': async (client, { origin }) => {
      assert.ok(!(await client.callTool(navigate(origin))).isError);
    },
  };
  for (const [version, [Transport, make]] of Object.entries(sdks)) {
    for (const [when, use] of Object.entries(uses)) {
      test(`is all that SDK ${version} needs to close, ${when}`, async t => {
        const directory = await temporaryDirectory(t);
        const prompts = join(directory, 'prompts');
        await mkdir(prompts);
        const { origin } = await waitingRoom(t);
        const args = ['--headless', '--isolated', ...(when.includes('prompts') ? ['--prompts-dir', prompts] : [])];
        const env = { ...process.env, XDG_STATE_HOME: directory, XDG_CACHE_HOME: directory };
        const transport = new Transport({ command: troupe, args, env, cwd: directory, stderr: 'ignore' });
        const client = make();
        await client.connect(transport);
        const child = transport._process;
        await use(client, { origin, prompts });

        const { milliseconds, ...end } = await close(client, child);

        t.diagnostic(`${Math.round(milliseconds)} ms`);
        assert.deepEqual(end, { code: 0, signal: null, signals: [] });
      });
    }
  }
});
