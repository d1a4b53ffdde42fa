// What a server that nobody uses keeps in memory, all of its processes together.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { playwright, playwrightOnSystemNode, troupe } from '../peers.mjs';
import { summarize } from '../stats.mjs';

export const title = 'Memory';

function processTree(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return [pid, ...children.flatMap(processTree)];
}

// Rss counts every page in use, Pss its share of those that other processes use too; in MB.
export function memoryOf(pid) {
  const total = { rss: 0, pss: 0 };
  for (const each of processTree(pid)) {
    const text = readFileSync(`/proc/${each}/smaps_rollup`, 'utf8');
    const field = name => (Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(text)[1]) * 1024) / 1e6;
    total.rss += field('Rss');
    total.pss += field('Pss');
  }
  return total;
}

// Resident memory of one process, without its children, in MB.
export const memoryOfProcess = pid => (Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024) / 1e6;

// What a start needs for a moment is given back by then.
const kIdle = 2500; // ms

async function idle(server, client) {
  await client.initialize();
  await client.ask('tools/list');
  await sleep(kIdle);
  return memoryOf(server.pid);
}

async function onStdio(peer) {
  const server = peer.startOnStdio();
  try {
    return await idle(server, server.client);
  } finally {
    await server.stop();
  }
}

async function onHttp(peer) {
  const server = await peer.startOnHttp();
  try {
    const client = await server.connect();
    const used = await idle(server, client);
    client.close();
    return used;
  } finally {
    await server.stop();
  }
}

export async function measure({ quick, rounds }) {
  const peers = [playwright, quick ? undefined : playwrightOnSystemNode].filter(Boolean);
  const ways = [['stdio', onStdio], ['HTTP', onHttp]].map(([name, run]) => ({
    name,
    run,
    used: new Map([troupe, ...peers].map(peer => [peer, []])),
  }));
  await rounds(quick ? 1 : 3, quick ? 4 : 30, async () => {
    for (const { run, used } of ways) for (const [peer, samples] of used) samples.push(await run(peer));
  });
  return ways.flatMap(({ name, used }) =>
    ['rss', 'pss'].map(kind => {
      const summary = peer => summarize(used.get(peer).map(sample => sample[kind]), 'less');
      return {
        measure: `idle memory on ${name}, ${kind === 'rss' ? 'resident' : 'its own share (PSS)'}`,
        unit: 'MB',
        better: 'less',
        limit: kind === 'rss' ? 12 : undefined,
        troupe: summary(troupe),
        peers: peers.map(peer => ({ name: peer.name, theirs: summary(peer) })),
      };
    }),
  );
}
