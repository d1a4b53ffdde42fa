// A record that is in use, cannot be written, is damaged, or whose server is killed: calls go on, and what was
// answered is there.
import assert from 'node:assert/strict';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { killRound } from './record_kill.mjs';
import { canMount, fillRecord, metric, startLimited, startRecording } from './record_support.mjs';
import { agent, run, startServer, temporaryDirectory, troupe, within } from './support.mjs';

const page = { '/': '<title>Here</title><p>words' };

suite('Trouble with the record', { concurrency: 2 }, () => {
  test('ten servers of one user all start, and write one record', async t => {
    const origin = await serve(t, page);
    const directory = await temporaryDirectory(t);
    const servers = await Promise.all(Array.from({ length: 10 }, () =>
      startServer(t, troupe, ['--headless', '--isolated', '--log-level', 'info'], { env: { XDG_STATE_HOME: directory, XDG_CACHE_HOME: directory }, cwd: directory })));
    // Two of them work, the others are only there.
    const refs = await Promise.all([0, 1].map(async i => (await agent(servers[i], `agent${i}`)('browser_navigate', { url: origin })).ref));
    const files = (await readdir(join(directory, 'troupe'))).filter(name => name.endsWith('.db'));
    assert.deepEqual(files, ['record.db']);
    for (const ref of refs) {
      const answer = await agent(servers[9], 'reader')('get_content', { ref_id: ref });
      assert.equal(answer.isError, false, answer.text);
    }
    assert.deepEqual(servers.flatMap(server => server.stderr.items).filter(line => /not recorded|without a record/.test(line)), []);
  });

  test('a named database can be several servers’, too', async t => {
    const origin = await serve(t, page);
    const directory = await temporaryDirectory(t);
    const args = ['--headless', '--isolated', '--record-path', join(directory, 'proxy.db')];
    const [first, second] = [await startServer(t, troupe, args), await startServer(t, troupe, args)];
    const { ref } = await agent(first, 'ann')('browser_navigate', { url: origin });
    assert.equal((await agent(second, 'bob')('get_content', { ref_id: ref })).isError, false);
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
    await fillRecord(server);
    assert.equal((await agent(server)('list_sessions')).isError, false);
  });

  test('a full disk costs nobody a call, is said, and is written to again when there is room', { skip: !canMount && 'nothing can be mounted here' }, async t => {
    const origin = await serve(t, page);
    const directory = await temporaryDirectory(t);
    const disk = join(directory, 'troupe');
    await mkdir(disk);
    const server = await startLimited(t, directory, `mount -t tmpfs -o size=4m tmpfs "${disk}" && head -c 2000000 /dev/zero > "${disk}/other"`, { shell: 'unshare -rm sh' });
    await fillRecord(server);
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
