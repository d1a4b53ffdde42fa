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
      const [all, allBeside, ratios] = [[], [], []];
      await rounds(quick ? 2 : 7, quick ? 15 : 60, async round => {
        const beside = [];
        const stuck = await Agent.connect(server, numbered(1, `${round}`)[0]);
        await stuck.call('browser_navigate', { url: `${origin}/home` });
        await sleep(500);
        const alone = await timesOf(calm, 200);
        let done = false;
        const being = stick(stuck, origin).then(() => (done = true));
        await sleep(100);
        while (!done && beside.length < 200) beside.push(await calm.time('browser_snapshot'));
        await being;
        ratios.push(percentile(beside, 0.99) / percentile(alone, 0.99));
        all.push(...alone);
        allBeside.push(...beside);
        await stuck.call('browser_close').catch(() => {});
        stuck.close();
      });
      rows.push({
        measure: `p99 of a call beside ${name}, of p99 alone`,
        unit: '×',
        better: 'less',
        limit: 1.2,
        troupe: summarize(ratios, 'less'),
        peers: [],
      });
      const show = fraction => [all, allBeside].map(times => percentile(times, fraction).toFixed(1)).join(' and ');
      console.error(`${name}: alone and beside it, ms: p50 ${show(0.5)}, p99 ${show(0.99)}`);
    }
  } finally {
    await server.stop();
    close();
  }
  return rows;
}
