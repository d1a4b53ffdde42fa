// The product as a process: its command line, its manners on stdio, how it ends.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { client as identity, run, start, startServer, temporaryDirectory, troupe } from './support.mjs';

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity },
};
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };

const answerTo = (child, id) =>
  child.stdout.first(`the answer to ${id}`, line => JSON.parse(line).id === id).then(JSON.parse);

async function startStdio(t, args = []) {
  const child = start(t, troupe, args, { env: { HOME: await temporaryDirectory(t) } });
  child.send(initialize);
  await answerTo(child, 0);
  child.send(initialized);
  return child;
}

suite('The command line', () => {
  test('says its version', async t => {
    const { code, stdout } = await run(t, troupe, ['--version']);
    const cmake = await readFile(join(import.meta.dirname, '../../CMakeLists.txt'), 'utf8');
    const [, version] = /project\(troupe VERSION (\S+)/.exec(cmake);

    assert.equal(code, 0);
    assert.ok(stdout.includes(version), stdout);
  });

  test('explains itself', async t => {
    const { code, stdout, stderr } = await run(t, troupe, ['--help']);

    assert.equal(code, 0);
    assert.equal(stderr, '');
    for (const known of ['--port', '--host', '--socket', '--auth-token', '--browser', '--config', 'doctor']) {
      assert.ok(stdout.includes(known), `--help does not mention ${known}`);
    }
  });

  test('names the nearest flag to one that it does not know', async t => {
    const { code, stdout, stderr } = await run(t, troupe, ['--prot', '0']);

    assert.notEqual(code, 0);
    assert.equal(stdout, '');
    assert.match(stderr, /--prot\b[^]*--port\b/);
  });

  test('says which port is already taken', async t => {
    const server = await startServer(t, troupe);

    const { code, stderr } = await run(t, troupe, ['--port', String(server.port)]);

    assert.notEqual(code, 0);
    assert.match(stderr, new RegExp(`${server.port}`));
  });

  test('does not listen beyond loopback without a token', async t => {
    const { code, stderr } = await run(t, troupe, ['--host', '0.0.0.0', '--port', '0']);

    assert.notEqual(code, 0);
    assert.match(stderr, /--auth-token/);
  });

  for (const [why, args] of [['with a token', ['--auth-token', 'secret']], ['when told to', ['--insecure']]]) {
    test(`listens beyond loopback ${why}`, async t => {
      const child = start(t, troupe, ['--host', '0.0.0.0', '--port', '0', ...args]);

      await child.waitForLine(/Listening on http:\/\/\S+:\d+/);
    });
  }
});

suite('On stdio', () => {
  test('writes nothing but messages to stdout', async t => {
    const child = await startStdio(t, ['--log-level', 'debug']);
    child.process.stdin.write('this is not JSON\n');
    child.process.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n');
    child.send({ jsonrpc: '2.0', id: 'two', method: 'tools/list' });
    child.send({ jsonrpc: '2.0', id: 3, method: 'no/such/method' });
    child.process.stdin.end();

    assert.equal((await child.end()).code, 0);
    const messages = child.stdout.items.map(line => JSON.parse(line));
    assert.ok(messages.every(({ jsonrpc }) => jsonrpc === '2.0'));
    const answers = new Map(messages.map(message => [message.id, message]));
    assert.deepEqual(answers.get(1).result, {});
    assert.ok(Array.isArray(answers.get('two').result.tools));
    assert.equal(answers.get(3).error.code, -32601);
  });

  test('answers what it was sent before it ends with its input', async t => {
    const child = start(t, troupe);
    child.send(initialize);
    child.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    child.process.stdin.end();

    assert.equal((await child.end()).code, 0);
    assert.deepEqual(child.stdout.items.map(line => JSON.parse(line).id), [0, 1]);
  });

  test('serves a modern client in the same process as a legacy one', async t => {
    const child = await startStdio(t);
    const version = '2026-07-28';
    child.send({
      jsonrpc: '2.0',
      id: 'server-discover-probe-1',
      method: 'server/discover',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': version,
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    });

    const { result } = await answerTo(child, 'server-discover-probe-1');
    assert.ok(result.supportedVersions.includes(version));
    assert.ok(result.instructions);
  });

  for (const [how, end] of [
    ['its input', child => child.process.stdin.end()],
    ['SIGINT', child => child.process.kill('SIGINT')],
    ['SIGTERM', child => child.process.kill('SIGTERM')],
  ]) {
    test(`ends with ${how}, at once and in order`, async t => {
      const child = await startStdio(t);

      end(child);

      assert.deepEqual(await child.end(2_000), { code: 0, signal: null });
    });
  }
});

suite('On a port', () => {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    test(`ends with ${signal} while a stream is open`, async t => {
      const server = await startServer(t, troupe);
      const stream = await fetch(server.url('/sse'), { headers: { accept: 'text/event-stream' } });
      assert.equal(stream.status, 200);

      server.process.kill(signal);

      assert.deepEqual(await server.end(2_000), { code: 0, signal: null });
      await stream.text().catch(() => {});
    });
  }

  test('can be ended from the moment it says that it listens', async t => {
    for (let i = 0; i < 20; i++) {
      const server = await startServer(t, troupe);
      server.process.kill('SIGTERM');
      assert.deepEqual(await server.end(2_000), { code: 0, signal: null });
    }
  });

  test('writes nothing to stdout and does not need its input', async t => {
    const server = await startServer(t, troupe);
    server.process.stdin.end();

    assert.equal((await fetch(server.url('/healthz'))).status, 200);
    await server.stop();

    assert.deepEqual(server.stdout.items, []);
  });
});
