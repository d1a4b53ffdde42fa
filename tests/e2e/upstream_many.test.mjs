// A hundred sessions with a server each: what they cost us, and that nothing of them stays.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { agent, isSanitized, startServer, temporaryDirectory, troupe } from './support.mjs';
import { behindFake, descendants, fake, serversOf, until } from './upstream_support.mjs';

const count = 100;
const isFake = new RegExp(fake.replaceAll('.', '\\.'));

// What a process has for itself, in KiB. Pages of its program's file come and go.
const share = pid => Number(/^Pss_Anon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]);

// Ours: the server and those that keep the servers behind it.
function memory(root) {
  const kept = new Set(serversOf(root, isFake).map(each => each.pid));
  return [root, ...descendants(root).filter(each => !each.dead && !kept.has(each.pid)).map(each => each.pid)]
    .map(share)
    .reduce((sum, each) => sum + each);
}

for (const transport of ['stdio', 'http']) {
  test(`${count} sessions over HTTP, servers over ${transport}`, { timeout: 90_000 }, async t => {
    const directory = await temporaryDirectory(t);
    const env = { ...behindFake(), TROUPE_UPSTREAM_TRANSPORT: transport, XDG_CACHE_HOME: directory };
    const service = await startServer(t, troupe, ['--engine', 'upstream', '--idle-timeout', '20000'], { env, cwd: directory });
    const root = service.process.pid;
    const pid = async name => Number((await agent(service, name)('pid')).text);
    await Promise.all(Array.from({ length: 5 }, (_, i) => pid(`before ${i}`)));
    const before = memory(root);

    const pids = await Promise.all(Array.from({ length: count }, (_, i) => pid(`session ${i}`)));
    assert.equal(new Set(pids).size, count, 'a server each');
    const each = (memory(root) - before) / count;
    t.diagnostic(`a session costs ${each.toFixed(0)} KiB`);
    if (!isSanitized) assert.ok(each <= 200, `a session costs ${each.toFixed(0)} KiB`);
    if (transport === 'http') {
      const ports = serversOf(root, isFake).map(({ command }) => /--port (\d+)/.exec(command)[1]);
      assert.ok(ports.length >= count);
      assert.equal(new Set(ports).size, ports.length, 'a port each');
    }
    await until('all are closed', () => descendants(root).filter(each => !each.dead).length === 0, 60_000);
  });
}
