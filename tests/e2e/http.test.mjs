// The rules of both eras on the wire of streamable HTTP: which status, which error code.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { suite, test } from 'node:test';

import { client as identity, fixture, startServer, text, within } from './support.mjs';

const accept = 'application/json, text/event-stream';

// Posts `body` (JSON unless it is a string) and gives the status and what was answered.
async function post(server, body, headers = {}, options = {}) {
  const response = await fetch(server.url('/mcp'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...options,
  });
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const events = options.signal ? undefined : parseEvents(await response.text());
    return { response, status: response.status, events, message: events?.at(-1)?.message };
  }
  const answered = await response.text();
  return { response, status: response.status, message: answered ? JSON.parse(answered) : undefined };
}

function parseEvents(stream) {
  return stream.split('\n\n').filter(block => /^(data|id):/m.test(block)).map(block => {
    const field = name => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1];
    const data = field('data');
    return { id: field('id'), data, message: data ? JSON.parse(data) : undefined };
  });
}

const request = (method, params, id = 1) => ({ jsonrpc: '2.0', id, method, params });
const hello = protocolVersion => request('initialize', { protocolVersion, capabilities: {}, clientInfo: identity });

function assertRefused({ status, message }, expectedStatus, code, id) {
  assert.deepEqual({ status, code: message?.error?.code }, { status: expectedStatus, code });
  if (id !== undefined) assert.equal(message.id, id);
}

suite('Legacy HTTP', () => {
  // Starts a session and gives its headers.
  async function session(server, version = '2025-11-25') {
    const { response, status, message } = await post(server, hello(version));
    assert.equal(status, 200);
    assert.equal(message.result.protocolVersion, version);
    const headers = { 'mcp-session-id': response.headers.get('mcp-session-id'), 'mcp-protocol-version': version };
    const { status: noted } = await post(server, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    assert.equal(noted, 202);
    return headers;
  }

  test('settles on the version that was asked for, or on the newest with a handshake', async t => {
    const server = await startServer(t, fixture);
    for (const [asked, given] of [
      ['2024-11-05', '2024-11-05'],
      ['2025-03-26', '2025-03-26'],
      ['2025-06-18', '2025-06-18'],
      ['2025-11-25', '2025-11-25'],
      ['2026-07-28', '2025-11-25'],
      ['1999-01-01', '2025-11-25'],
    ]) {
      const { message } = await post(server, hello(asked));
      assert.equal(message.result.protocolVersion, given, asked);
    }
  });

  test('refuses what is no message', async t => {
    const server = await startServer(t, fixture);
    const headers = await session(server);

    assertRefused(await post(server, '{"jsonrpc":', headers), 400, -32700, null);
    assertRefused(await post(server, 'nonsense', headers), 400, -32700, null);
    assertRefused(await post(server, '"text"', headers), 400, -32600, null);
    assertRefused(await post(server, { id: 1, method: 'ping' }, headers), 400, -32600);
    assertRefused(await post(server, { jsonrpc: '2.0', id: null, method: 'ping' }, headers), 400, -32600, null);
    assertRefused(await post(server, { jsonrpc: '2.0', id: 1.5, method: 'ping' }, headers), 400, -32600, null);
  });

  test('refuses what it cannot read or the client cannot', async t => {
    const server = await startServer(t, fixture);
    const headers = await session(server);

    const ping = request('ping');
    assertRefused(await post(server, ping, { ...headers, 'content-type': 'text/plain' }), 415, -32000);
    assertRefused(await post(server, ping, { ...headers, accept: 'text/html' }), 406, -32000);
    const { status } = await post(server, ping, { ...headers, 'content-type': 'application/json; charset=utf-8' });
    assert.equal(status, 200);
  });

  test('refuses a body over the limit before it is sent', async t => {
    const server = await startServer(t, fixture);
    const socket = connectSocket(server.port, 'localhost');
    t.after(() => socket.destroy());
    socket.setEncoding('utf8');
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: localhost:${server.port}\r\nContent-Type: application/json\r\n` +
        `Accept: ${accept}\r\nContent-Length: 1000000000\r\n\r\n{`,
    );

    const [answer] = await within(once(socket, 'data'), 'the refusal');

    assert.match(answer, /^HTTP\/1\.1 413 /);
  });

  test('knows sessions', async t => {
    const server = await startServer(t, fixture);
    const headers = await session(server);
    const list = request('tools/list');

    assertRefused(await post(server, list), 400, -32000);
    assertRefused(await post(server, list, { 'mcp-session-id': 'made-up' }), 404, -32001);
    assertRefused(await post(server, hello('2025-11-25'), headers), 400, -32600);
    assertRefused(await post(server, list, { ...headers, 'mcp-protocol-version': '1999-01-01' }), 400, -32000);
    assert.equal((await post(server, list, { 'mcp-session-id': headers['mcp-session-id'] })).status, 200);

    const ended = await fetch(server.url('/mcp'), { method: 'DELETE', headers });
    assert.ok([200, 204].includes(ended.status));
    assertRefused(await post(server, list, headers), 404, -32001);
    assert.equal((await fetch(server.url('/mcp'), { method: 'DELETE', headers })).status, 404);
    const reopened = await fetch(server.url('/mcp'), { headers: { ...headers, accept: 'text/event-stream' } });
    assert.equal(reopened.status, 404);
  });

  test('offers one stream of its own to a session', async t => {
    const server = await startServer(t, fixture);
    const headers = await session(server);
    const url = server.url('/mcp');
    const leave = new AbortController();
    t.after(() => leave.abort());

    assert.equal((await fetch(url, { headers: { ...headers, accept: 'application/json' } })).status, 406);
    const stream = await fetch(url, { headers: { ...headers, accept: 'text/event-stream' }, signal: leave.signal });
    assert.equal(stream.status, 200);
    assert.match(stream.headers.get('cache-control'), /no-cache/);
    const second = await fetch(url, { headers: { ...headers, accept: 'text/event-stream' } });
    assert.equal(second.status, 409);
    const unknown = { ...headers, accept: 'text/event-stream', 'last-event-id': 'made-up' };
    assert.equal((await fetch(url, { headers: unknown })).status, 400);
  });

  test('takes addresses with a slash behind them, and whole ones', async t => {
    const server = await startServer(t, fixture);
    const body = JSON.stringify(hello('2025-11-25'));
    const ask = async (target, host = `localhost:${server.port}`) => {
      const socket = connectSocket(server.port, 'localhost');
      t.after(() => socket.destroy());
      socket.setEncoding('utf8');
      socket.write(
        `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nAccept: ${accept}\r\n` +
          `Content-Length: ${body.length}\r\n\r\n${body}`,
      );
      const [answer] = await within(once(socket, 'data'), target);
      return Number(/^HTTP\/1\.1 (\d+) /.exec(answer)[1]);
    };
    const own = `http://localhost:${server.port}`;

    for (const target of ['/mcp/', `${own}/mcp`, `${own}/mcp/?x=1`, `HTTP://localhost:${server.port}/`, own])
      assert.equal(await ask(target), 200, target);
    // That host is meant, whatever the header says.
    assert.equal(await ask(`${own}/mcp`, 'evil.test'), 200);
    for (const target of ['http://evil.test/mcp', `http://user@localhost:${server.port}/mcp`, `http://localhost:1/mcp`])
      assert.equal(await ask(target), 403, target);
    assert.equal(await ask(`${own}/nothing`), 404);
  });

  test('names the methods it has', async t => {
    const server = await startServer(t, fixture);

    const response = await fetch(server.url('/mcp'), { method: 'PUT', body: '{}' });

    assert.equal(response.status, 405);
    assert.match(response.headers.get('allow'), /POST/);
  });

  test('answers failures of the request itself with 200', async t => {
    const server = await startServer(t, fixture);
    const headers = await session(server);

    assertRefused(await post(server, request('no/such/method', {}, 'abc'), headers), 200, -32601, 'abc');
    assertRefused(await post(server, request('tools/call', { name: 'no_such_tool' }, 0), headers), 200, -32602, 0);
    assertRefused(await post(server, request('tools/call', { arguments: {} }), headers), 200, -32602);
    assertRefused(await post(server, request('tools/call', { name: 'echo', arguments: [] }), headers), 200, -32602);
    assertRefused(await post(server, request('logging/setLevel', { level: 'loud' }), headers), 200, -32602);
  });

  test('takes a batch in the one revision that has them', async t => {
    const server = await startServer(t, fixture);
    const batch = [request('ping', {}, 1), request('tools/list', {}, 2), { jsonrpc: '2.0', method: 'notifications/x' }];

    const old = await session(server, '2025-03-26');
    const { status, message, events } = await post(server, batch, old);
    assert.equal(status, 200);
    const answers = events ? events.flatMap(event => event.message ?? []) : message;
    assert.deepEqual(answers.map(({ id }) => id).sort(), [1, 2]);
    assertRefused(await post(server, [request('ping'), hello('2025-03-26')], old), 400, -32600);
    assertRefused(await post(server, [], old), 400, -32600);

    assertRefused(await post(server, batch, await session(server)), 400, -32600);
  });

  test('primes its streams only for clients that know what that is', async t => {
    const server = await startServer(t, fixture);
    const call = request('tools/call', { name: 'test_tool_with_progress', _meta: { progressToken: 'p' } });

    const { events: before } = await post(server, call, await session(server, '2025-06-18'));
    assert.ok(before.every(({ data }) => data), 'an event without data');
    assert.deepEqual(before.map(({ message }) => message.params?.progress), [0, 50, 100, undefined]);

    const { events: since } = await post(server, call, await session(server));
    assert.equal(since[0].data, '');
    assert.ok(since.every(({ id }) => id));
    assert.equal(new Set(since.map(({ id }) => id)).size, since.length);
    assert.match(text(since.at(-1).message.result), /executed successfully/);
  });
});

suite('Modern HTTP', () => {
  const version = '2026-07-28';
  const keys = {
    version: 'io.modelcontextprotocol/protocolVersion',
    capabilities: 'io.modelcontextprotocol/clientCapabilities',
  };
  const envelope = { [keys.version]: version, [keys.capabilities]: {} };

  // A request with its envelope and headers as they should be; `change` spoils them.
  function well(method, params = {}, id = 1) {
    const name = params.name ?? params.uri;
    return {
      body: request(method, { ...params, _meta: { ...envelope, ...params._meta } }, id),
      headers: { 'mcp-protocol-version': version, 'mcp-method': method, ...(name && { 'mcp-name': name }) },
    };
  }

  const ask = (server, { body, headers }, options) => post(server, body, headers, options);

  async function refused(server, sent, change, status, code) {
    const spoiled = structuredClone(sent);
    change(spoiled);
    assertRefused(await ask(server, spoiled), status, code);
  }

  test('answers without a session, in plain JSON', async t => {
    const server = await startServer(t, fixture);

    const { status, response, message } = await ask(server, well('server/discover'));

    assert.equal(status, 200);
    assert.match(response.headers.get('content-type'), /^application\/json/);
    assert.equal(response.headers.get('mcp-session-id'), null);
    assert.equal(message.result.resultType, 'complete');
    const { message: called } = await ask(server, well('tools/call', { name: 'echo', arguments: { text: 'hi' } }));
    assert.equal(text(called.result), 'hi');
  });

  test('checks the envelope', async t => {
    const server = await startServer(t, fixture);
    const list = well('tools/list');

    await refused(server, list, it => delete it.body.params._meta, 400, -32602);
    await refused(server, list, it => delete it.body.params._meta[keys.version], 400, -32602);
    await refused(server, list, it => delete it.body.params._meta[keys.capabilities], 400, -32602);
    await refused(server, list, it => (it.body.params._meta[keys.capabilities] = []), 400, -32602);
    await refused(server, list, it => (it.body = [it.body]), 400, -32600);
  });

  test('checks the headers against the body', async t => {
    const server = await startServer(t, fixture);
    const list = well('tools/list');
    const call = well('tools/call', { name: 'test_simple_text' });
    const read = well('resources/read', { uri: 'test://static-text' });

    await refused(server, list, it => delete it.headers['mcp-protocol-version'], 400, -32020);
    await refused(server, list, it => (it.headers['mcp-protocol-version'] = '2025-11-25'), 400, -32020);
    await refused(server, list, it => (it.body.params._meta[keys.version] = 'v999'), 400, -32020);
    await refused(server, list, it => delete it.headers['mcp-method'], 400, -32020);
    await refused(server, list, it => (it.headers['mcp-method'] = 'Tools/List'), 400, -32020);
    await refused(server, call, it => delete it.headers['mcp-name'], 400, -32020);
    await refused(server, call, it => (it.headers['mcp-name'] = 'echo'), 400, -32020);
    await refused(server, read, it => (it.headers['mcp-name'] = 'test://other'), 400, -32020);
    await refused(server, call, it => (it.headers['mcp-name'] = '=?base64?%%%?='), 400, -32020);

    const encoded = structuredClone(call);
    encoded.headers['mcp-name'] = `=?base64?${Buffer.from('test_simple_text').toString('base64')}?=`;
    assert.equal((await ask(server, encoded)).status, 200);
  });

  test('says which versions it knows', async t => {
    const server = await startServer(t, fixture);
    const sent = well('server/discover');
    sent.headers['mcp-protocol-version'] = sent.body.params._meta[keys.version] = '2099-01-01';

    const outcome = await ask(server, sent);

    assertRefused(outcome, 400, -32022);
    assert.equal(outcome.message.error.data.requested, '2099-01-01');
    assert.ok(outcome.message.error.data.supported.includes(version));
  });

  test('has no methods of the handshake era', async t => {
    const server = await startServer(t, fixture);

    for (const method of ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'tasks/list', 'no/such']) {
      assertRefused(await ask(server, well(method, {}, `id of ${method}`)), 404, -32601, `id of ${method}`);
    }
  });

  test('answers failures of the request itself with 200', async t => {
    const server = await startServer(t, fixture);

    assertRefused(await ask(server, well('tools/call', { name: 'no_such_tool' })), 200, -32602);
    assertRefused(await ask(server, well('prompts/get', { name: 'no_such_prompt' })), 200, -32602);
    assertRefused(await ask(server, well('resources/read', { uri: 'test://nowhere' })), 200, -32602);
    assertRefused(await ask(server, well('tools/list', { cursor: 'made up' })), 200, -32602);
  });

  test('takes a notification without its headers', async t => {
    const server = await startServer(t, fixture);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9, _meta: envelope } };

    const { status, message } = await post(server, cancelled, { 'mcp-protocol-version': version });

    assert.equal(status, 202);
    assert.equal(message, undefined);
  });

  test('streams only what has to come before the answer, without event ids', async t => {
    const server = await startServer(t, fixture);
    const call = well('tools/call', { name: 'test_tool_with_progress', _meta: { progressToken: 7 } });

    const { events } = await ask(server, call);

    assert.deepEqual(events.map(({ message }) => message.params?.progress), [0, 50, 100, undefined]);
    assert.ok(events.every(({ id }) => id === undefined));
    assert.ok(events.slice(0, 3).every(({ message }) => message.params.progressToken === 7));
  });

  test('shows a client that waits for long that somebody is there', async t => {
    const server = await startServer(t, fixture);
    const leave = new AbortController();
    t.after(() => leave.abort());
    const wait = well('tools/call', { name: 'test_wait_until_cancelled', arguments: { key: 'long' } });

    const { response } = await within(ask(server, wait, { signal: leave.signal }), 'the head of the answer');

    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type'), /text\/event-stream/);
  });

  test('takes a closed stream for a cancelled call', async t => {
    const server = await startServer(t, fixture);
    const leave = new AbortController();
    const wait = { name: 'test_wait_until_cancelled', arguments: { key: 'k' }, _meta: { progressToken: 1 } };
    const { response } = await ask(server, well('tools/call', wait), { signal: leave.signal });
    await response.body.getReader().read();

    leave.abort();

    const watch = well('tools/call', { name: 'test_await_cancellation', arguments: { key: 'k' } }, 2);
    const { message } = await within(ask(server, watch), 'the cancellation');
    assert.equal(text(message.result), 'Cancelled.');
  });
});
