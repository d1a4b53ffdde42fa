// What the upstream engine costs a call: the same server, spoken to directly and through us.
import { Peer, troupe, troupeEcho } from '../peers.mjs';
import { percentile, summarize } from '../stats.mjs';

export const title = 'Upstream engine';

const [server] = troupeEcho.command;
process.env.TROUPE_UPSTREAM_COMMAND = JSON.stringify([server]);
const through = new Peer('Troupe', troupe.command, { stdio: ['--engine', 'upstream'] });
const direct = new Peer('the server behind it', [server]);

// Times of `count` calls in µs.
async function timeCalls(peer, count) {
  const started = peer.startOnStdio();
  try {
    await started.client.initialize();
    const call = () => started.client.callTool('echo', { text: 'Hello from the other side.' });
    for (let i = 0; i < 200; ++i) await call();
    const times = [];
    for (let i = 0; i < count; ++i) {
      const begun = performance.now();
      await call();
      times.push((performance.now() - begun) * 1000);
    }
    return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
  } finally {
    await started.stop();
  }
}

export async function measure({ quick, rounds }) {
  const count = quick ? 500 : 2000;
  const ours = [];
  const theirs = [];
  await rounds(quick ? 1 : 5, quick ? 5 : 20, async () => {
    ours.push(await timeCalls(through, count));
    theirs.push(await timeCalls(direct, count));
  });
  return ['p50', 'p99'].map(part => ({
    measure: part === 'p50' ? 'added to a call by --engine upstream, p50' : '  p99',
    unit: 'µs',
    better: 'less',
    troupe: summarize(ours.map((round, i) => round[part] - theirs[i][part]), 'less'),
    ...(part === 'p50' && { limit: 1000 }),
    peers: [],
  }));
}
