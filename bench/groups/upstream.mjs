// What the upstream engine costs: a call, of the same server spoken to directly and through us; and a session.
import { readdirSync, readFileSync } from 'node:fs';

import { Peer, troupe, troupeEcho } from '../peers.mjs';
import { percentile, summarize } from '../stats.mjs';

export const title = 'Upstream engine';

const [server] = troupeEcho.command;
// For these servers only: other groups measure without an upstream.
const command = ['/usr/bin/env', `TROUPE_UPSTREAM_COMMAND=${JSON.stringify([server])}`, ...troupe.command];
const through = new Peer('Troupe', command, { stdio: ['--engine', 'upstream'] });
const named = new Peer('Troupe', command, { stdio: ['--engine', 'upstream', '--session-param'] });
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

// The process and those below it that are ours, not the servers behind us: their shares of all pages, in KB.
function ownMemory(root) {
  const parents = new Map();
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      parents.set(Number(pid), Number(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /s, '').split(' ')[1]));
    } catch {} // it ended meanwhile
  }
  const reapers = [...parents].filter(([, parent]) => parent === root).map(([pid]) => pid);
  return [root, ...reapers]
    .map(pid => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]) * 1.024)
    .reduce((sum, each) => sum + each);
}

// What each of `count` sessions adds to our memory, in KB.
async function measureSessions(count) {
  const started = named.startOnStdio();
  try {
    await started.client.initialize();
    const call = i => started.client.callTool('echo', { text: 'Hello', sessionId: `session ${i}` });
    for (let i = 0; i < 5; ++i) await call(-i - 1);
    const before = ownMemory(started.pid);
    for (let i = 0; i < count; ++i) await call(i);
    return (ownMemory(started.pid) - before) / count;
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
  const sessions = quick ? 20 : 100;
  const calls = ['p50', 'p99'].map(part => ({
    measure: part === 'p50' ? 'added to a call by --engine upstream, p50' : '  p99',
    unit: 'µs',
    better: 'less',
    troupe: summarize(ours.map((round, i) => round[part] - theirs[i][part]), 'less'),
    ...(part === 'p50' && { limit: 1000 }),
    peers: [],
  }));
  const memory = {
    measure: `memory for each of ${sessions} sessions, without the server behind it`,
    unit: 'KB',
    better: 'less',
    troupe: summarize([await measureSessions(sessions)], 'less'),
    limit: 200,
    peers: [],
  };
  return [...calls, memory];
}
