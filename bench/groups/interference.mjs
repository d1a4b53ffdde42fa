// What a session notices of another one that is stuck.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Agent, numbered, ours, serveSite } from '../agents.mjs';
import { scratch } from '../peers.mjs';
import { percentile, summarize } from '../stats.mjs';

export const title = 'Interference';

// What a neighbour is stuck in, until it is over.
const ways = {
  'a page that takes 3 s': async (agent, origin) => agent.call('browser_navigate', { url: `${origin}/slow` }).catch(() => {}),
  'an endless script': async agent => agent.call('browser_evaluate', { function: '() => { while (true); }' }).catch(() => {}),
  'an open dialog': async agent => {
    await agent.call('browser_evaluate', { function: `() => { setTimeout(() => alert('hello'), 0); }` });
    await sleep(1500);
    await agent.call('browser_handle_dialog', { accept: true });
  },
  'a download of 20 MB': async (agent, origin) => {
    await agent.call('browser_evaluate', { function: `() => { location.href = '${origin}/download'; }` }).catch(() => {});
    await sleep(2000);
  },
};

async function timesOf(agent, count) {
  const times = [];
  for (let i = 0; i < count; ++i) times.push(await agent.time('browser_snapshot'));
  return times;
}

export async function measure({ quick, rounds }) {
  const { origin, close } = await serveSite();
  const rows = [];
  const config = join(scratch, 'interference.json');
  writeFileSync(config, JSON.stringify({ session: { maxScriptTime: 3000 } }));
  const server = await ours.startOnHttp({ args: [`--config=${config}`] });
  try {
    const calm = await Agent.connect(server, 'calm');
    await calm.call('browser_navigate', { url: `${origin}/home` });
    await timesOf(calm, 50);
    for (const [name, stick] of Object.entries(ways)) {
      const [alone, beside] = [[], []];
      await rounds(quick ? 2 : 5, quick ? 15 : 60, async round => {
        const stuck = await Agent.connect(server, numbered(1, `${round}`)[0]);
        await stuck.call('browser_navigate', { url: `${origin}/home` });
        await sleep(500);
        alone.push(...(await timesOf(calm, 100)));
        let done = false;
        const being = stick(stuck, origin).then(() => (done = true));
        await sleep(100);
        while (!done && beside.length < (round + 1) * 100) beside.push(await calm.time('browser_snapshot'));
        await being;
        await stuck.call('browser_close').catch(() => {});
        stuck.close();
      });
      rows.push({
        measure: `p99 of a call beside ${name}, of p99 alone`,
        unit: '×',
        better: 'less',
        limit: 1.2,
        troupe: summarize([percentile(beside, 0.99) / percentile(alone, 0.99)], 'less'),
        peers: [],
      });
      const [one, other] = [alone, beside].map(times => percentile(times, 0.99).toFixed(1));
      console.error(`${name}: p99 ${one} ms alone, ${other} ms beside it; medians ${percentile(alone, 0.5).toFixed(1)} and ${percentile(beside, 0.5).toFixed(1)}`);
    }
  } finally {
    await server.stop();
    close();
  }
  return rows;
}
