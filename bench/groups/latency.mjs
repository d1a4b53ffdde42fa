// One client, one call after the other, over every transport.
import { join } from 'node:path';

import { HttpClient, LineClient, WebSocketClient } from '../clients.mjs';
import { playwright, scratch, sdkEcho, troupeEcho } from '../peers.mjs';
import { percentile, summarize } from '../stats.mjs';

export const title = 'Latency';

const echo = client => client.callTool('echo', { text: 'Hello from the other side.' });
const ping = client => client.ask('ping');

// Times of `count` calls in µs.
async function timeCalls(client, call, count) {
  await client.initialize();
  for (let i = 0; i < 200; ++i) await call(client);
  const times = [];
  for (let i = 0; i < count; ++i) {
    const begun = performance.now();
    await call(client);
    times.push((performance.now() - begun) * 1000);
  }
  client.close();
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

async function onStdio(peer, call, count) {
  const server = peer.startOnStdio();
  try {
    return await timeCalls(server.client, call, count);
  } finally {
    await server.stop();
  }
}

async function onListener(peer, call, count, connect, args) {
  const server = await peer.startOnHttp({ args });
  try {
    return await timeCalls(await connect(server.address), call, count);
  } finally {
    await server.stop();
  }
}

const socket = join(scratch, 'echo.socket');
const onHttp = (...given) => onListener(...given, address => HttpClient.connect(address));
const onWebSocket = (...given) => onListener(...given, address => WebSocketClient.connect(address));
const onUnixSocket = (...given) => onListener(...given, () => LineClient.connect({ path: socket }), ['--socket', socket]);

const sdk = { name: 'echo on the MCP SDK v1', peer: sdkEcho, call: echo };
const pinged = { name: 'ping on @playwright/mcp', peer: playwright, call: ping };
const ways = [
  { name: 'stdio', run: onStdio, others: [sdk, pinged] },
  { name: 'HTTP', run: onHttp, others: [sdk, pinged] },
  { name: 'WebSocket', run: onWebSocket, others: [] },
  { name: 'Unix socket', run: onUnixSocket, others: [] },
];

export async function measure({ quick, rounds }) {
  const count = quick ? 500 : 2000;
  const found = ways.map(({ others }) => ({ ours: [], theirs: others.map(() => []) }));
  await rounds(quick ? 1 : 5, quick ? 5 : 30, async () => {
    for (const [i, { run, others }] of ways.entries()) {
      found[i].ours.push(await run(troupeEcho, echo, count));
      for (const [j, { peer, call }] of others.entries()) found[i].theirs[j].push(await run(peer, call, count));
    }
  });
  return ways.flatMap(({ name, others }, i) =>
    ['p50', 'p99'].map(part => ({
      measure: part === 'p50' ? `one echo call on ${name}, p50` : '  p99',
      unit: 'µs',
      better: 'less',
      troupe: summarize(found[i].ours.map(round => round[part]), 'less'),
      peers: others.map((other, j) => ({ name: other.name, theirs: summarize(found[i].theirs[j].map(round => round[part]), 'less') })),
    })),
  );
}
