// From starting the process to having its list of tools.
import { playwright, playwrightOnSystemNode, troupe } from '../peers.mjs';
import { summarize } from '../stats.mjs';

export const title = 'Start';

async function onStdio(peer) {
  const begun = performance.now();
  const server = peer.startOnStdio();
  try {
    await server.client.initialize();
    await server.client.ask('tools/list');
    return performance.now() - begun;
  } finally {
    await server.stop();
  }
}

async function onHttp(peer) {
  const begun = performance.now();
  const server = await peer.startOnHttp();
  try {
    const client = await server.connect();
    await client.initialize();
    await client.ask('tools/list');
    const took = performance.now() - begun;
    client.close();
    return took;
  } finally {
    await server.stop();
  }
}

export async function measure({ quick, rounds }) {
  const peers = [playwright, quick ? undefined : playwrightOnSystemNode].filter(Boolean);
  const ways = [
    { measure: 'start to tools/list on stdio', run: onStdio, limit: 15 },
    { measure: 'start to tools/list on HTTP', run: onHttp },
  ].map(way => ({ ...way, times: new Map([troupe, ...peers].map(peer => [peer, []])) }));
  await rounds(quick ? 2 : 9, quick ? 6 : 60, async () => {
    for (const { run, times } of ways) {
      for (const [peer, taken] of times) {
        taken.push(await run(peer));
        // Ours is over so soon that it may be looked at more often.
        if (peer === troupe) for (let i = 0; i < 3; ++i) taken.push(await run(peer));
      }
    }
  });
  return ways.map(({ measure, limit, times }) => ({
    measure,
    unit: 'ms',
    better: 'less',
    limit,
    troupe: summarize(times.get(troupe), 'less'),
    peers: peers.map(peer => ({ name: peer.name, theirs: summarize(times.get(peer), 'less'), times: 20 })),
  }));
}
