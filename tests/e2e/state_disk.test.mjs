// Sessions that sleep while the disk is full: memory keeps what the disk does not take, until it does.
import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { serve } from './browser_support.mjs';
import { canMount, fillRecord, metric, startLimited } from './record_support.mjs';
import { agent, temporaryDirectory } from './support.mjs';

suite('A full disk', () => {
  test('keeps no session from sleeping or waking up', { skip: !canMount && 'nothing can be mounted here' }, async t => {
    const origin = await serve(t, { '/': '<title>Here</title><input id=name aria-label=Name>' });
    const directory = await temporaryDirectory(t);
    const disk = join(directory, 'troupe'), config = join(directory, 'config.json');
    await mkdir(disk);
    await writeFile(config, JSON.stringify({ session: { maxSessions: 2 } }));
    const mount = `mount -t tmpfs -o size=4m tmpfs "${disk}" && head -c 2000000 /dev/zero > "${disk}/other"`;
    const server = await startLimited(t, directory, mount, { shell: 'unshare -rm sh', args: ['--config', config] });
    const names = ['ann', 'bob', 'eve', 'joe'];
    await fillRecord(server);

    for (const name of names) {
      await agent(server, name)('browser_navigate', { url: origin });
      await agent(server, name)('browser_evaluate', { function: `() => { document.querySelector('#name').value = '${name}'; }` });
    }
    const value = { function: `() => 'value ' + document.querySelector('#name').value` };
    for (const name of names) assert.match((await agent(server, name)('browser_evaluate', value)).text, new RegExp(`value ${name}`));
    assert.ok((await metric(server, 'troupe_session_states_in_memory')) >= 2);
    assert.equal(server.stderr.items.filter(line => /state of sessions is kept in memory/.test(line)).length, 1);

    // Its disk is seen by nobody else.
    await rm(`/proc/${server.process.pid}/root${disk}/other`);
    await server.waitForLine(/state of sessions is on disk again/);
    assert.equal(await metric(server, 'troupe_session_states_in_memory'), 0);
    for (const name of names) assert.match((await agent(server, name)('browser_evaluate', value)).text, new RegExp(`value ${name}`));
  });
});
