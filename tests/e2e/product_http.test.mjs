// The product on the network: who is let in, what it says about itself, the printed client configurations.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { suite, test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { client as identity, Inbox, run, start, startServer, temporaryDirectory, troupe, within } from './support.mjs';

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity },
};

// Sends one request with any headers at all, Host included. A stream is let go once its status is known.
async function send(where, { method = 'GET', path, headers = {}, body } = {}) {
  const sent = request({ ...where, method, path, headers, agent: false });
  sent.end(body && JSON.stringify(body));
  const answered = once(sent, 'response').then(async ([response]) => {
    const status = response.statusCode;
    if (response.headers['content-type']?.startsWith('text/event-stream')) {
      response.destroy();
      return { status, headers: response.headers };
    }
    response.setEncoding('utf8');
    let text = '';
    for await (const chunk of response) text += chunk;
    return { status, headers: response.headers, body: text };
  });
  const upgraded = once(sent, 'upgrade').then(([response, socket]) => {
    socket.destroy();
    return { status: response.statusCode, headers: response.headers };
  });
  upgraded.catch(() => {});
  answered.catch(() => {});
  return within(Promise.race([answered, upgraded]), `${method} ${path}`);
}

// One request on each way in.
const doors = {
  'POST /mcp': {
    method: 'POST',
    path: '/mcp',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: initialize,
  },
  'GET /mcp': { path: '/mcp', headers: { accept: 'text/event-stream' } },
  'DELETE /mcp': { method: 'DELETE', path: '/mcp' },
  'GET /sse': { path: '/sse', headers: { accept: 'text/event-stream' } },
  'WebSocket /ws': {
    path: '/ws',
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.from('0123456789abcdef').toString('base64'),
      'sec-websocket-protocol': 'mcp',
    },
  },
};

// What they answer to a client that is welcome. Without a session there is no GET stream and nothing to delete.
const welcome = {
  'POST /mcp': [200],
  'GET /mcp': [400, 405],
  'DELETE /mcp': [400, 405],
  'GET /sse': [200],
  'WebSocket /ws': [101],
};

// The tools of this capability need no browser.
const withTools = ['--caps', 'config'];

const knock = (server, door, headers = {}) =>
  send({ host: 'localhost', port: server.port }, { ...door, headers: { ...door.headers, ...headers } });

suite('Host and Origin', () => {
  for (const [name, door] of Object.entries(doors)) {
    test(`${name} refuses what a foreign page could send`, async t => {
      const server = await startServer(t, troupe);
      const own = `localhost:${server.port}`;

      for (const headers of [
        { host: 'evil.example.com' },
        { host: `evil.example.com:${server.port}` },
        { host: `localhost.evil.example.com:${server.port}` },
        { host: own, origin: 'http://evil.example.com' },
        { host: own, origin: `http://evil.example.com:${server.port}` },
        { host: own, origin: 'null' },
        { host: own, origin: `http://localhost.evil.example.com:${server.port}` },
      ]) {
        assert.equal((await knock(server, door, headers)).status, 403, JSON.stringify(headers));
      }
    });

    test(`${name} answers what comes from this machine`, async t => {
      const server = await startServer(t, troupe);
      const { port } = server;

      for (const headers of [
        {},
        { host: `localhost:${port}` },
        { host: `127.0.0.1:${port}` },
        { host: `[::1]:${port}` },
        { host: `localhost:${port}`, origin: `http://localhost:${port}` },
        { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` },
      ]) {
        const { status } = await knock(server, door, headers);
        assert.ok(welcome[name].includes(status), `${status} for ${JSON.stringify(headers)}`);
      }
    });
  }

  test('names that are configured are answered', async t => {
    const server = await startServer(t, troupe, [
      '--allowed-hosts',
      'troupe.test',
      '--allowed-http-origins',
      'https://app.test',
    ]);
    const door = doors['POST /mcp'];

    assert.equal((await knock(server, door, { host: 'troupe.test' })).status, 200);
    assert.equal((await knock(server, door, { host: 'troupe.test', origin: 'https://app.test' })).status, 200);
    assert.equal((await knock(server, door, { host: 'troupe.test', origin: 'https://other.test' })).status, 403);
    assert.equal((await knock(server, door, { host: 'other.test' })).status, 403);
  });
});

suite('A token', () => {
  const token = 'correct-horse-battery-staple';

  for (const [name, door] of Object.entries(doors)) {
    test(`${name} wants it`, async t => {
      const server = await startServer(t, troupe, ['--auth-token', token]);

      const refusals = [];
      for (const authorization of [undefined, 'Bearer wrong', `Bearer ${token}x`, `Bearer ${token.slice(0, -1)}`,
        `Bearer ${token.replace('c', 'C')}`, `Basic ${token}`, token]) {
        const { status, headers, body } = await knock(server, door, authorization && { authorization });
        assert.equal(status, 401, authorization);
        refusals.push([headers['www-authenticate'], body]);
      }
      assert.match(refusals[0][0], /^Bearer\b/);
      refusals.forEach(refusal => assert.deepEqual(refusal[1], refusals[0][1]));

      const { status } = await knock(server, door, { authorization: `Bearer ${token}` });
      assert.ok(welcome[name].includes(status), `${status} with the token`);
      assert.ok(!server.stderr.items.join('\n').includes(token), 'the token was printed');
    });
  }

  test('may come from the environment', async t => {
    const server = await startServer(t, troupe, [], { env: { TROUPE_AUTH_TOKEN: token } });

    assert.equal((await knock(server, doors['POST /mcp'])).status, 401);
    assert.equal((await knock(server, doors['POST /mcp'], { authorization: `Bearer ${token}` })).status, 200);
  });

  test('is asked for after the Host is checked', async t => {
    const server = await startServer(t, troupe, ['--auth-token', token]);

    assert.equal((await knock(server, doors['POST /mcp'], { host: 'evil.example.com' })).status, 403);
  });

  test('comes with the SDK', async t => {
    const server = await startServer(t, troupe, [...withTools, '--auth-token', token]);
    const client = new Client(identity);
    t.after(() => client.close());
    const requestInit = { headers: { authorization: `Bearer ${token}` } };

    await client.connect(new StreamableHTTPClientTransport(server.url('/mcp'), { requestInit }));

    assert.ok((await client.listTools()).tools.length > 0);
  });
});

suite('A page in a browser', () => {
  const lookalikes = ['127.evil.test', '127.0.0.1.nip.io', '127.', '127.1', 'localhost.evil', 'app.localhost', '127.0.0.1.'];

  for (const [name, door] of Object.entries(doors)) {
    test(`cannot pass for loopback by its name at ${name}`, async t => {
      const server = await startServer(t, troupe);
      for (const host of lookalikes) {
        assert.equal((await knock(server, door, { host: `${host}:${server.port}` })).status, 403, host);
        assert.equal((await knock(server, door, { origin: `http://${host}:${server.port}` })).status, 403, host);
      }
    });
  }

  test('can neither frame, open nor script what the server answers', async t => {
    const server = await startServer(t, troupe);
    const where = { host: 'localhost', port: server.port };
    const html = { accept: 'text/html' };
    const asked = [
      ...['/', '/metrics', '/healthz', '/api', '/api/openapi.json', '/mcp', '/nothing'].map(path => ({ path, headers: html })),
      { path: '/metrics', headers: { host: `127.evil.test:${server.port}` } },
      { path: `/${'a'.repeat(40_000)}` },
    ];
    for (const one of asked) {
      const { status, headers } = await send(where, one);
      const what = `${one.path.slice(0, 20)}: ${status}`;
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin', what);
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin', what);
      assert.equal(headers['x-frame-options'], 'DENY', what);
      assert.match(headers['content-security-policy'], /^default-src 'none';.*frame-ancestors 'none'/, what);
    }
  });
});

suite('What it says about itself', () => {
  test('it is well', async t => {
    const server = await startServer(t, troupe);

    assert.equal((await fetch(server.url('/healthz'))).status, 200);
  });

  test('its metrics are Prometheus text', async t => {
    const server = await startServer(t, troupe);
    await knock(server, doors['POST /mcp']);

    const response = await fetch(server.url('/metrics'));

    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type'), /^text\/plain;.*version=0\.0\.4/);
    const lines = (await response.text()).split('\n').filter(line => line);
    const types = new Map();
    const samples = new Map();
    for (const line of lines) {
      const type = /^# TYPE (\w+) (counter|gauge|histogram|summary|untyped)$/.exec(line);
      if (type) {
        assert.ok(!types.has(type[1]), `${type[1]} has two types`);
        types.set(type[1], type[2]);
        continue;
      }
      if (/^# HELP \w+ .+$/.test(line)) continue;
      const sample =
        /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*\})? (-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\+Inf|NaN)$/.exec(line);
      assert.ok(sample, `not a metric: ${line}`);
      const family = sample[1].replace(/_(bucket|sum|count)$/, '');
      assert.ok(types.has(sample[1]) || types.has(family), `${sample[1]} has no type`);
      samples.set(sample[1] + (sample[2] ?? ''), Number(sample[3]));
    }
    assert.ok([...samples.keys()].some(name => /requests/.test(name) && samples.get(name) > 0), lines.join('\n'));
    assert.ok([...samples.keys()].some(name => /memory|resident/.test(name) && samples.get(name) > 0));
  });

  test('there is nothing where nothing is', async t => {
    const server = await startServer(t, troupe);

    for (const path of ['/nothing', '/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server']) {
      assert.equal((await fetch(server.url(path))).status, 404, path);
    }
  });
});

suite('The printed configurations', () => {
  // The JSON objects that stand in a text, each from a line that begins with a brace.
  function jsonObjects(lines) {
    const found = [];
    for (let from = 0; from < lines.length; from++) {
      if (!/^\s*\{/.test(lines[from])) continue;
      for (let to = from + 1; to <= lines.length; to++) {
        try {
          found.push(JSON.parse(lines.slice(from, to).join('\n')));
          from = to - 1;
          break;
        } catch {
          // It goes on in the next line.
        }
      }
    }
    return found;
  }

  async function printed(server) {
    await server.stderr.first('printing the configurations', () => jsonObjects(server.stderr.items).length >= 2);
    const [, claude] = await server.waitForLine(/claude mcp add --transport http troupe (\S+)/);
    const objects = jsonObjects(server.stderr.items);
    return {
      'Claude Code': claude,
      'VS Code': objects.find(it => it.servers).servers.troupe,
      'any client': objects.find(it => it.mcpServers).mcpServers.troupe,
    };
  }

  test('name the port that was picked', async t => {
    const server = await startServer(t, troupe);
    const url = server.url('/mcp').href;

    assert.deepEqual(await printed(server), {
      'Claude Code': url,
      'VS Code': { type: 'http', url },
      'any client': { url },
    });
  });

  test('work as printed', async t => {
    const server = await startServer(t, troupe, withTools);

    for (const [name, entry] of Object.entries(await printed(server))) {
      const client = new Client(identity);
      t.after(() => client.close());
      await client.connect(new StreamableHTTPClientTransport(new URL(entry.url ?? entry)));
      assert.ok((await client.listTools()).tools.length > 0, name);
    }
  });
});

suite('A Unix socket', () => {
  async function startOnSocket(t) {
    const path = join(await temporaryDirectory(t), 'troupe.sock');
    const server = start(t, troupe, ['--socket', path, ...withTools]);
    await server.waitForLine(/Listening on .*troupe\.sock/);
    return { server, path };
  }

  async function speakLines(path) {
    const socket = connectSocket(path);
    const lines = new Inbox();
    createInterface(socket).on('line', line => lines.push(JSON.parse(line)));
    const ask = message => {
      socket.write(JSON.stringify(message) + '\n');
      return lines.first(`the answer to ${message.id}`, ({ id }) => id === message.id);
    };
    await once(socket, 'connect');
    return { socket, ask };
  }

  test('carries one message a line', async t => {
    const { path } = await startOnSocket(t);
    const { socket, ask } = await speakLines(path);
    t.after(() => socket.destroy());

    assert.equal((await ask(initialize)).result.protocolVersion, '2025-11-25');
    const { result } = await ask({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    assert.ok(result.tools.length > 0);
  });

  test('serves several clients at once, and goes on when one leaves', async t => {
    const { path } = await startOnSocket(t);
    const [leaving, staying] = await Promise.all([speakLines(path), speakLines(path)]);
    t.after(() => staying.socket.destroy());
    await Promise.all([leaving.ask(initialize), staying.ask(initialize)]);

    leaving.socket.destroy();

    assert.deepEqual((await staying.ask({ jsonrpc: '2.0', id: 2, method: 'ping' })).result, {});
  });

  test('carries HTTP as well', async t => {
    const { path } = await startOnSocket(t);
    const where = { socketPath: path };

    assert.equal((await send(where, { path: '/healthz', headers: { host: 'localhost' } })).status, 200);
    const { status, body } = await send(where, {
      ...doors['POST /mcp'],
      headers: { ...doors['POST /mcp'].headers, host: 'localhost' },
    });
    assert.equal(status, 200);
    assert.match(body, /"protocolVersion":"2025-11-25"/);
  });

  test('belongs to its user alone, and goes with the server', async t => {
    const { server, path } = await startOnSocket(t);

    assert.equal((await stat(path)).mode & 0o777, 0o600);
    await server.stop();

    await assert.rejects(access(path), { code: 'ENOENT' });
  });

  test('left behind by a killed server is taken over', async t => {
    const { server, path } = await startOnSocket(t);
    server.process.kill('SIGKILL');
    await server.end();
    await access(path);

    const next = start(t, troupe, ['--socket', path]);

    await next.waitForLine(/Listening on .*troupe\.sock/);
  });

  test('of a server that lives is left alone', async t => {
    const { path } = await startOnSocket(t);

    const { code, stderr } = await run(t, troupe, ['--socket', path]);

    assert.notEqual(code, 0);
    assert.ok(stderr.includes(path), stderr);
    const { socket, ask } = await speakLines(path);
    t.after(() => socket.destroy());
    assert.ok((await ask(initialize)).result);
  });

  test('and a port are served by one process', async t => {
    const path = join(await temporaryDirectory(t), 'troupe.sock');
    const server = await startServer(t, troupe, ['--socket', path]);

    assert.equal((await fetch(server.url('/healthz'))).status, 200);
    assert.equal((await send({ socketPath: path }, { path: '/healthz', headers: { host: 'localhost' } })).status, 200);
  });
});
