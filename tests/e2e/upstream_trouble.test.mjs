// Servers behind us that crash, flood, print nonsense or cannot run: clear errors, and nothing else is lost.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { Browser } from './browser_support.mjs';
import { startServer, temporaryDirectory, troupe } from './support.mjs';
import { behindFake } from './upstream_support.mjs';

const args = ['--engine', 'upstream', '--session-param'];

test('a crash costs its session one call, and its neighbours nothing', { timeout: 60_000 }, async t => {
  const browser = await Browser.open(t, { args, env: behindFake('--noisy') });
  const { text: neighbour } = await browser.call('pid', { sessionId: 'bob' });
  const crash = await browser.call('crash', { sessionId: 'ann' });
  assert.equal(crash.isError, true);
  assert.match(crash.text, /exited with status 3[^]*The call of crash was lost[^]*The next call starts the server again/);
  assert.equal((await browser.call('echo', { sessionId: 'ann', a: 1 })).text, '{"a":1}');
  assert.equal((await browser.call('pid', { sessionId: 'bob' })).text, neighbour);
});

test('a server that hangs is ended after three pings without an answer', { timeout: 60_000 }, async t => {
  const cwd = await temporaryDirectory(t);
  await writeFile(join(cwd, 'troupe.json'), JSON.stringify({ upstream: { pingInterval: 300 } }));
  const browser = await Browser.open(t, { cwd, args: [...args, '--config=troupe.json'], env: behindFake() });
  const { text: pid } = await browser.call('pid', { sessionId: 'ann' });
  process.kill(Number(pid), 'SIGSTOP');
  const hung = await browser.call('echo', { sessionId: 'ann', a: 1 });
  assert.match(hung.text, /hangs: 3 pings were not answered/);
  assert.equal((await browser.call('echo', { sessionId: 'ann', a: 1 })).text, '{"a":1}');
});

test('a result of 100 MB is refused, and the session goes on', { timeout: 60_000 }, async t => {
  const browser = await Browser.open(t, { args, env: behindFake() });
  const flood = await browser.call('flood', { sessionId: 'ann' }, 60_000);
  assert.equal(flood.isError, true);
  assert.match(flood.text, /sent a message of more than \d+ bytes/);
  assert.equal((await browser.call('echo', { sessionId: 'ann', a: 1 })).text, '{"a":1}');
});

test('nonsense on its output is left out', async t => {
  const browser = await Browser.open(t, { args, env: behindFake('--noisy') });
  assert.equal((await browser.call('garbage', { sessionId: 'ann' })).text, 'fine');
});

test('a server that keeps crashing is degraded: 503 with Retry-After, until its session is closed', { timeout: 60_000 }, async t => {
  const directory = await temporaryDirectory(t);
  const server = await startServer(t, troupe, ['--engine', 'upstream'], { env: { ...behindFake(), XDG_STATE_HOME: directory }, cwd: directory });
  const request = (method, path, body) =>
    fetch(server.url(path), { method, headers: { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) });
  const call = tool => request('POST', '/api/call', { session_id: 'ann', tool, params: {} });
  for (let i = 0; i < 4; ++i) assert.match((await (await call('crash')).json()).error, /exited with status 3/);

  const refused = await call('echo');
  assert.equal(refused.status, 503);
  const wait = Number(refused.headers.get('retry-after'));
  assert.ok(wait > 200 && wait <= 300, `Retry-After: ${wait}`);
  assert.equal((await refused.json()).error, 'DEGRADED');
  assert.equal((await (await request('GET', '/healthz')).json()).upstream, 'degraded');

  // A session that was closed is made again in so many words.
  assert.equal((await request('DELETE', '/api/sessions/ann')).status, 200);
  assert.equal((await request('POST', '/api/sessions', { session_id: 'ann' })).status, 201);
  assert.equal((await (await call('echo')).json()).status, 'success');
  assert.equal((await (await request('GET', '/healthz')).json()).upstream, 'ok');
});
