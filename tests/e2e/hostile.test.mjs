// Clients that are broken or mean harm, against the real binaries: the server goes on answering everybody else, and
// neither its memory nor its connections grow.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { suite, test } from 'node:test';

import WebSocket from 'ws';

import { garbage, garbledRequests } from './hostile_messages.mjs';
import { client as identity, fixture, isSanitized, start, startServer, temporaryDirectory, troupe, within } from './support.mjs';

const megabyte = 1 << 20;
const ping = id => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });

// What the server says about itself at /metrics.
async function metrics(server) {
  const text = await (await fetch(server.url('/metrics'), { headers: { connection: 'close' } })).text();
  return name => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

// What it has for itself: pages of the program's file come and go. A sanitizer keeps what was freed, so that there is nothing to measure.
async function ownBytes({ process: { pid } }) {
  if (isSanitized) return 0;
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/RssAnon:\s+(\d+) kB/.exec(status)[1]) * 1024;
}

// Looks again and again, as often as the server answers, until it holds.
async function until(what, holds) {
  let enough = false;
  const look = async () => {
    while (!enough && !(await holds())) await new Promise(setImmediate);
  };
  try {
    await within(look(), what);
  } finally {
    enough = true;
  }
}

const untilGauge = (server, name, value) =>
  until(`${name} ${value}`, async () => (await metrics(server))(name) === value);

// A raw connection that never fails the test by being cut; `gone` settles when it is.
function dial(t, where) {
  const socket = connect(where);
  socket.on('error', () => {});
  socket.gone = new Promise(resolve => socket.on('close', resolve));
  t.after(() => socket.destroy());
  return socket;
}

const dialServer = (t, server) => dial(t, { host: 'localhost', port: server.port });

async function startEverywhere(t, args = []) {
  const path = join(await temporaryDirectory(t), 'troupe.sock');
  const server = await startServer(t, troupe, ['--socket', path, '--caps', 'config', '--log-level', 'error', ...args]);
  server.path = path;
  return server;
}

// Lines to somebody who answers in lines. `answered(id)` settles once that id was answered.
class Lines {
  #waiting = new Map();
  #count = 0;

  constructor(input, output) {
    this.input = input;
    // Not readline, which also takes U+2028 for the end of a line.
    let rest = '';
    output.setEncoding('utf8').on('data', text => {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      lines.forEach(this.#take);
    });
  }

  #take = line => {
    const { id } = JSON.parse(line);
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  };

  async ask() {
    const id = `ask-${this.#count++}`;
    const answered = new Promise(done => this.#waiting.set(id, done));
    this.input.write(ping(id) + '\n');
    await within(answered, 'an answer');
  }

  // Sends them all, and sees now and then that the other side is still there.
  async flood(messages) {
    let since = 0;
    for (const { bytes } of messages) {
      this.input.write(bytes);
      this.input.write('\n');
      if (++since % 100 === 0) await this.ask();
    }
    await this.ask();
  }
}

// The same over a WebSocket, which some messages close.
async function floodWebSocket(server, messages) {
  let socket;
  for (const { bytes, closesWebSocket } of [...messages, { bytes: Buffer.from(ping('end')) }]) {
    if (socket?.readyState !== WebSocket.OPEN) {
      socket = new WebSocket(server.url('/ws', 'ws'), 'mcp');
      socket.on('error', () => {});
      await within(once(socket, 'open'), 'the handshake');
    }
    const next = closesWebSocket ? once(socket, 'close') : once(socket, 'message');
    socket.send(bytes, { binary: false });
    // A ping behind each message makes sure that something comes back.
    if (!closesWebSocket) socket.send(ping('next'));
    await within(next, 'what follows a message');
  }
  socket.close();
  await within(once(socket, 'close'), 'the end');
}

async function floodHttp(server, messages) {
  for (const { bytes } of messages) {
    const response = await fetch(server.url('/mcp'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: bytes,
    });
    await response.arrayBuffer();
    assert.ok(response.status >= 200 && response.status < 500, `${response.status}`);
  }
}

// Requests that are no HTTP or hardly any, each on a connection of its own.
async function floodRawHttp(t, server, requests) {
  for (const bytes of requests) {
    const socket = dialServer(t, server);
    let answer = '';
    socket.on('data', data => (answer += data));
    socket.end(bytes);
    await within(socket.gone, 'the end of a connection');
    assert.ok(answer === '' || answer.startsWith('HTTP/1.1 '), answer);
  }
}

suite('10,000 malformed messages leave it answering and its memory flat', () => {
  const limit = ['--max-message-bytes', String(megabyte)];

  test('2,500 on stdio', async t => {
    const child = start(t, troupe, ['--caps', 'config', '--log-level', 'error', ...limit]);
    const lines = new Lines(child.process.stdin, child.process.stdout);
    await lines.flood(garbage(1, 1_000, megabyte));
    const before = await ownBytes(child);

    await lines.flood(garbage(2, 2_500, megabyte));

    const after = await ownBytes(child);
    assert.ok(after - before < 4 * megabyte, `${before} grew to ${after}`);
  });

  test('7,500 on HTTP, WebSocket and a Unix socket', async t => {
    const server = await startEverywhere(t, limit);
    const socket = dial(t, server.path);
    const lines = new Lines(socket, socket);
    await lines.ask(); // a brace as the first byte tells the server that no HTTP will come
    const flood = async (seed, count) => {
      await lines.flood(garbage(seed, count, megabyte));
      await floodWebSocket(server, garbage(seed + 1, count, megabyte));
      await floodHttp(server, garbage(seed + 2, count / 2, megabyte));
      await floodRawHttp(t, server, garbledRequests(seed + 3, count / 2, server.port));
    };
    await flood(10, 1_000);
    const before = await ownBytes(server);

    await flood(20, 2_500);

    const after = await ownBytes(server);
    assert.ok(after - before < 4 * megabyte, `${before} grew to ${after}`);
    await untilGauge(server, 'troupe_http_connections', 1);
    await untilGauge(server, 'troupe_websocket_clients', 0);
  });
});

suite('Many connections', () => {
  test('500 idle ones and 1,000 half a request long hold nobody up, and cost nothing once closed', async t => {
    const server = await startEverywhere(t);
    const header = `POST /mcp HTTP/1.1\r\nHost: localhost:${server.port}\r\nContent-Type: appl`;
    const body = `POST /mcp HTTP/1.1\r\nHost: localhost:${server.port}\r\nContent-Length: 1000\r\n\r\n{"jsonrpc`;
    const usualTime = async () => {
      const times = [];
      for (let i = 0; i < 21; i++) {
        const begun = performance.now();
        assert.equal((await fetch(server.url('/healthz'))).status, 200);
        times.push(performance.now() - begun);
      }
      return times.sort((a, b) => a - b)[10];
    };
    // They come, stay while others are answered, and go.
    const crowd = async () => {
      const sockets = Array.from({ length: 1_500 }, (_, i) => {
        const socket = dialServer(t, server);
        if (i >= 500) socket.write(i % 2 ? header : body);
        return socket;
      });
      await until('all connections', async () => (await metrics(server))('troupe_http_connections') > 1_500);
      assert.ok((await usualTime()) < 100, 'answers take long');
      sockets.forEach(socket => socket.destroy());
      await until('the connections to go', async () => (await metrics(server))('troupe_http_connections') <= 2);
      return ownBytes(server);
    };

    await usualTime();
    const alone = await ownBytes(server);
    const first = await crowd();
    const second = await crowd();

    assert.ok(first - alone < 12 * megabyte, `the first crowd left ${first - alone} bytes`);
    assert.ok(second - first < 4 * megabyte, `${first} grew to ${second}`);
  });

  test('beyond the limit are turned away until others go', async t => {
    const server = await startEverywhere(t, ['--max-connections', '10']);
    const sockets = Array.from({ length: 10 }, () => dialServer(t, server));
    await Promise.all(sockets.map(socket => once(socket, 'connect')));

    const [answer] = await within(once(dialServer(t, server), 'data'), 'the refusal');
    assert.match(String(answer), /^HTTP\/1\.1 503 /);

    sockets.forEach(socket => socket.destroy());
    await until('room', async () => (await fetch(server.url('/healthz'), { headers: { connection: 'close' } })).status === 200);
  });
});

suite('A slow client is dropped', () => {
  test('that sends its header byte by byte', async t => {
    const server = await startServer(t, troupe, ['--header-timeout', '300']);
    const socket = dialServer(t, server);
    socket.write('GET /healthz HTTP/1.1\r\nX: ');
    const drip = setInterval(() => socket.write('x'), 20);
    t.after(() => clearInterval(drip));

    await within(socket.gone, 'being dropped');

    assert.equal((await fetch(server.url('/healthz'))).status, 200);
  });

  test('that sends nothing, before its first request or after', async t => {
    const server = await startServer(t, troupe, ['--header-timeout', '300', '--keep-alive-timeout', '300']);
    const silent = dialServer(t, server);
    const idle = dialServer(t, server);
    idle.write(`GET /healthz HTTP/1.1\r\nHost: localhost:${server.port}\r\n\r\n`);
    const [answer] = await once(idle, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 200 /);

    await within(Promise.all([silent.gone, idle.gone]), 'being dropped');
  });
});

suite('A client that vanishes leaves nothing behind', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity },
  };
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

  test('while it listens to /sse', async t => {
    const server = await startServer(t, troupe);
    const socket = dialServer(t, server);
    socket.write(`GET /sse HTTP/1.1\r\nHost: localhost:${server.port}\r\n\r\n`);
    await once(socket, 'data');
    assert.equal((await metrics(server))('troupe_sse_clients'), 1);

    socket.destroy();

    await untilGauge(server, 'troupe_sse_clients', 0);
    await untilGauge(server, 'troupe_http_connections', 1);
  });

  test('while it listens to its session', async t => {
    const server = await startServer(t, troupe, ['--session-timeout', '300']);
    const opened = await fetch(server.url('/mcp'), { method: 'POST', headers, body: JSON.stringify(initialize) });
    await opened.text();
    const id = opened.headers.get('mcp-session-id');
    const socket = dialServer(t, server);
    socket.write(
      `GET /mcp HTTP/1.1\r\nHost: localhost:${server.port}\r\nMcp-Session-Id: ${id}\r\nAccept: text/event-stream\r\n\r\n`,
    );
    await once(socket, 'data');
    assert.equal((await metrics(server))('troupe_http_sessions'), 1);

    socket.destroy();

    await untilGauge(server, 'troupe_http_sessions', 0);
  });

  test('during a call', async t => {
    const server = await startServer(t, fixture);
    const version = '2026-07-28';
    const call = (name, key) => ({
      method: 'POST',
      headers: {
        ...headers,
        connection: 'close',
        'mcp-protocol-version': version,
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: key,
        method: 'tools/call',
        params: {
          name,
          arguments: { key },
          _meta: {
            progressToken: key,
            'io.modelcontextprotocol/protocolVersion': version,
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
    const leave = new AbortController();
    const calls = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        fetch(server.url('/mcp'), { ...call('test_wait_until_cancelled', `k${i}`), signal: leave.signal }),
      ),
    );
    assert.ok(calls.every(({ status }) => status === 200));

    leave.abort();

    for (let i = 0; i < 50; i++) {
      const ended = await within(fetch(server.url('/mcp'), call('test_await_cancellation', `k${i}`)), 'the end of a call');
      assert.match(await ended.text(), /Cancelled/);
    }
    await until('the connections to go', async () => (await metrics(server))('troupe_http_connections') <= 2);
  });

  test('in the middle of a WebSocket message', async t => {
    const server = await startServer(t, troupe);
    const socket = new WebSocket(server.url('/ws', 'ws'), 'mcp');
    await once(socket, 'open');
    socket.send('{"jsonrpc":', { fin: false });
    await untilGauge(server, 'troupe_websocket_clients', 1);

    socket.terminate();

    await untilGauge(server, 'troupe_websocket_clients', 0);
  });
});

suite('A message over the limit is refused, and everybody lives on', () => {
  const args = ['--max-message-bytes', '100000'];
  const long = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { text: 'a'.repeat(200_000) } });

  test('on HTTP, announced or not', async t => {
    const server = await startEverywhere(t, args);
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost:${server.port}\r\nContent-Type: application/json\r\n`;
    for (const request of [
      `${head}Content-Length: ${long.length}\r\n\r\n${long}`,
      `${head}Transfer-Encoding: chunked\r\n\r\n${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`,
    ]) {
      const socket = dialServer(t, server);
      socket.write(request);
      const [answer] = await within(once(socket, 'data'), 'the refusal');
      assert.match(String(answer), /^HTTP\/1\.1 413 /);
    }
    assert.equal((await fetch(server.url('/healthz'))).status, 200);
  });

  test('on a WebSocket, which closes', async t => {
    const server = await startEverywhere(t, args);
    const [good, bad] = [0, 1].map(() => new WebSocket(server.url('/ws', 'ws'), 'mcp'));
    t.after(() => good.terminate());
    await Promise.all([once(good, 'open'), once(bad, 'open')]);

    bad.send(long);

    assert.equal((await within(once(bad, 'close'), 'the refusal'))[0], 1009);
    good.send(ping(1));
    await within(once(good, 'message'), 'the answer');
  });

  for (const [where, open] of [
    ['a Unix socket', async t => dial(t, (await startEverywhere(t, args)).path)],
    ['stdio', async t => start(t, troupe, args).process],
  ]) {
    test(`on ${where}, which goes on`, async t => {
      const peer = await open(t);
      const [input, output] = peer.stdin ? [peer.stdin, peer.stdout] : [peer, peer];
      const answers = createInterface(output)[Symbol.asyncIterator]();

      input.write(`${long}\n${ping(2)}\n`);

      const { value: refusal } = await within(answers.next(), 'the refusal');
      assert.equal(JSON.parse(refusal).error.code, -32600);
      const { value: answer } = await within(answers.next(), 'the answer');
      assert.deepEqual(JSON.parse(answer), { jsonrpc: '2.0', id: 2, result: {} });
    });
  }
});

suite('A client that does not read its answers harms nobody', () => {
  test('on HTTP and a Unix socket', async t => {
    const server = await startEverywhere(t);
    const http = dialServer(t, server);
    const lines = dial(t, server.path);
    http.pause();
    lines.pause();
    http.write(`GET /metrics HTTP/1.1\r\nHost: localhost:${server.port}\r\n\r\n`.repeat(100_000));
    lines.write(`${ping(1)}\n`.repeat(1_000_000));
    await untilGauge(server, 'troupe_line_clients', 1);

    const begun = performance.now();
    assert.equal((await fetch(server.url('/healthz'))).status, 200);
    assert.ok(performance.now() - begun < 1_000, 'answers take long');
    assert.ok((await ownBytes(server)) < 200 * megabyte);
    http.destroy();
    lines.destroy();
    await untilGauge(server, 'troupe_line_clients', 0);
    await until('the connections to go', async () => (await metrics(server))('troupe_http_connections') <= 2);
  });

  test('even when it asks faster than it can be answered', async t => {
    const server = await startEverywhere(t);
    const request = `GET /healthz HTTP/1.1\r\nHost: localhost:${server.port}\r\nX: ${'x'.repeat(1_000)}\r\n\r\n`;
    const socket = dialServer(t, server);
    let received = 0;
    socket.on('data', data => (received += data.length));
    socket.write(request);
    await once(socket, 'data');
    const answer = received;
    const before = await ownBytes(server);

    for (let i = 0; i < 300; i++) socket.write(request.repeat(100));
    let highest = 0;
    await until('all answers', async () => {
      highest = Math.max(highest, await ownBytes(server));
      return received === 30_001 * answer;
    });

    assert.ok(highest - before < 8 * megabyte, `${before} grew to ${highest}`);
  });
});

suite('On stdio', () => {
  test('it ends when nobody reads its output any more', async t => {
    const child = start(t, troupe);
    child.process.stdout.destroy();

    child.process.stdin.write(`${ping(1)}\n`);

    assert.deepEqual(await child.end(), { code: 0, signal: null });
  });

  test('it ends in order although a client on its socket does not read, and still writes', async t => {
    const server = await startEverywhere(t);
    const socket = dial(t, server.path);
    await once(socket, 'connect');
    socket.pause();
    socket.write(`${ping(1)}\n`.repeat(20_000));
    await untilGauge(server, 'troupe_line_clients', 1);
    const drip = setInterval(() => socket.write(`${ping(2)}\n`), 1);
    t.after(() => clearInterval(drip));

    server.process.kill('SIGTERM');

    assert.deepEqual(await server.end(), { code: 0, signal: null });
  });
});
