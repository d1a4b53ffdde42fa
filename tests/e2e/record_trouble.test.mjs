// A record that is in use, cannot be written, is damaged, or whose server is killed: calls go on, and what was
// answered is there.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { killRound } from './record_kill.mjs';
import { startRecording } from './record_support.mjs';
import { agent, run, startServer, temporaryDirectory, troupe, within } from './support.mjs';

const page = { '/': '<title>Here</title><p>words' };

async function metric(server, name) {
  const text = await (await fetch(server.url('/metrics'))).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)[1]);
}

// A server whose record has little room: `limits` are commands of a shell that becomes it.
async function startLimited(t, directory, limits, shell = 'sh') {
  const limited = join(directory, 'limited');
  await writeFile(limited, `#!/bin/sh\nexec ${shell} -c '${limits} || exit 1; exec "${troupe}" "$@"' sh "$@"\n`);
  await chmod(limited, 0o755);
  return startServer(t, limited, ['--headless', '--isolated', '--log-level', 'info', '--no-sandbox'], { env: { XDG_STATE_HOME: directory, XDG_CACHE_HOME: directory }, cwd: directory });
}

// Calls with large answers until they are not recorded any more.
async function fill(server) {
  const large = `() => Array.from({ length: 9000 }, () => Math.random().toString(36)).join('')`;
  for (let i = 0; i < 60; ++i) {
    const response = await fetch(server.url('/api/call'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ session_id: 'ann', tool: 'browser_evaluate', params: { function: large } }),
    });
    if ((await response.json()).error === 'DEGRADED') return assert.equal(await metric(server, 'troupe_store_degraded'), 1);
  }
  assert.fail('it never filled up');
}

// A container may not let its programs have disks of their own.
const mounts = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0;

suite('Trouble with the record', { concurrency: 2 }, () => {
  test('ten servers of one user all start, each with a database of its own', async t => {
    const directory = await temporaryDirectory(t);
    const servers = await Promise.all(Array.from({ length: 10 }, () =>
      startServer(t, troupe, ['--log-level', 'info'], { env: { XDG_STATE_HOME: directory, XDG_CACHE_HOME: directory } })));
    const files = (await readdir(join(directory, 'troupe'))).filter(name => name.endsWith('.db')).sort();
    assert.equal(files.length, 10, files.join());
    assert.ok(files.includes('record.db') && files.includes('record-10.db'));
    const said = servers.flatMap(server => server.stderr.items).filter(line => /recording to .*record-\d+\.db/.test(line));
    assert.equal(said.length, 9);
  });

  test('a named database that another server has is an error at once', async t => {
    const directory = await temporaryDirectory(t);
    const path = join(directory, 'proxy.db');
    await startServer(t, troupe, ['--record-path', path]);
    const second = await run(t, troupe, ['--record-path', path]);
    assert.equal(second.code, 1);
    assert.match(second.stderr, /The record is in use by process \d+\./);
  });

  test('a directory that cannot be written costs nobody a call', async t => {
    const origin = await serve(t, page);
    const directory = await temporaryDirectory(t);
    // A file in its place: also root cannot make a directory there.
    await writeFile(join(directory, 'troupe'), '');
    const server = await startRecording(t, ['--log-level', 'warn'], { directory, env: { XDG_CACHE_HOME: await temporaryDirectory(t) } });
    const { text } = await server.agent('ann')('browser_navigate', { url: origin });
    assert.match(text, /Page Title: Here/);
    await server.waitForLine(/calls are not recorded/);
    assert.equal((await (await fetch(server.url('/healthz'))).json()).store, 'degraded');
    assert.equal(await metric(server, 'troupe_store_degraded'), 1);
    const answer = await server.api('POST', '/api/call', { session_id: 'ann', tool: 'browser_snapshot' });
    assert.deepEqual([answer.status, answer.body.error], [503, 'DEGRADED']);
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
    assert.equal((await server.api('GET', '/api/health')).status, 503);
  });

  test('a damaged file is set aside, and a new one begun', async t => {
    const origin = await serve(t, page);
    const directory = await temporaryDirectory(t);
    await mkdir(join(directory, 'troupe'));
    await writeFile(join(directory, 'troupe', 'record.db'), 'SQLite format 3\0'.padEnd(20_000, 'damage'));
    const server = await startRecording(t, [], { directory });
    const { ref } = await server.agent('ann')('browser_navigate', { url: origin });
    assert.match((await server.agent('ann')('get_content', { ref_id: ref })).text, /words/);
    const files = await readdir(join(directory, 'troupe'));
    assert.ok(files.some(name => /^record\.db.+/.test(name) && !/-(wal|shm)$|\.(lock|key)$/.test(name)), files.join());
  });

  test('a file that may not grow costs nobody a call, and is said', async t => {
    // A browser would not start under this limit; what it says is recorded as well as a page.
    const server = await startLimited(t, await temporaryDirectory(t), `trap "" XFSZ; ulimit -f 400`);
    await fill(server);
    assert.match((await agent(server)('list_sessions')).text, /"sessionId": "ann"/);
  });

  test('a full disk costs nobody a call, is said, and is written to again when there is room', { skip: !mounts && 'nothing can be mounted here' }, async t => {
    const origin = await serve(t, page);
    const directory = await temporaryDirectory(t);
    const disk = join(directory, 'troupe');
    await mkdir(disk);
    const server = await startLimited(t, directory, `mount -t tmpfs -o size=4m tmpfs "${disk}" && head -c 2000000 /dev/zero > "${disk}/other"`, 'unshare -rm sh');
    await fill(server);
    const ann = agent(server, 'ann');
    assert.match((await ann('browser_navigate', { url: origin })).text, /Page Title: Here/);

    // Its disk is seen by nobody else.
    await rm(`/proc/${server.process.pid}/root${disk}/other`);
    await server.waitForLine(/recording again/);
    assert.equal(await metric(server, 'troupe_store_degraded'), 0);
    const { ref } = await ann('browser_snapshot');
    assert.match((await ann('get_content', { ref_id: ref })).text, /words/);
  });

  test('a killed server loses no answer that had the time to be written', async t => {
    const origin = await serve(t, { '/': '<title>Here</title><p id=p>words</p>' });
    const directory = await temporaryDirectory(t);
    for (let round = 0; round < 3; ++round) {
      const { answered, missing, checked } = await within(
        killRound({ directory, origin, sessions: 8, calls: 1_000, killAfter: 1_500 + 1_000 * Math.random(), age: 1_000 }), 'a round', 60_000);
      assert.deepEqual(missing, [], `${answered} answered, ${checked} checked`);
      assert.ok(checked > 0, `${answered} answered`);
    }
  });
});
