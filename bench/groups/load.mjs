// Many clients at once over HTTP that is kept alive: the server on one core, wrk on another.
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { legacyVersion, modernRequest, request } from '../clients.mjs';
import { playwright, sdkEcho, troupeEcho } from '../peers.mjs';
import { summarize } from '../stats.mjs';

export const title = 'Load';

const connections = 64;
const steadyRate = 20_000; // calls a second, for latency below the limit of what the server can do
const echo = { name: 'echo', arguments: { text: 'Hello from the other side.' } };
const script = join(import.meta.dirname, '../call.lua');

// The cores this process may use, first those that will be pinned.
function cores() {
  const list = /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1];
  return list.split(',').flatMap(range => {
    const [first, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

// Seconds of processor time that a process has used.
function processorTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function openSessions(server, count) {
  const sessions = [];
  for (let i = 0; i < count; ++i) {
    const client = await server.connect();
    await client.initialize();
    sessions.push(client.headers['Mcp-Session-Id']);
    client.close();
  }
  return sessions;
}

// The calls that a load is made of, once they were seen to be answered well.
async function prepare(server, { message, headers, sessions: count }) {
  const client = await server.connect();
  const sessions = count ? await openSessions(server, count) : [];
  const answer = await client.post(message, { ...headers, ...(count && { 'Mcp-Session-Id': sessions[0] }) });
  client.close();
  if (answer.status !== 200 || !answer.body.includes('"result"')) throw new Error(`${server.peer.name}: ${answer.status} ${answer.body}`);
  const all = { Host: client.host, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers };
  return {
    ...process.env,
    BENCH_HEADERS: Object.entries(all).map(([name, value]) => `${name}: ${value}`).join('\n'),
    BENCH_BODY: JSON.stringify(message).replace('"@ID@"', '@ID@'),
    BENCH_SESSIONS: sessions.join(','),
  };
}

async function wrk(server, env, core, seconds, pause) {
  const before = processorTime(server.pid);
  const args = ['-c', String(core), 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, `http://127.0.0.1:${server.port}`];
  const { stdout } = await promisify(execFile)('taskset', args, { env: { ...env, ...(pause && { BENCH_PAUSE: String(pause) }) } });
  const result = JSON.parse(/^RESULT (.*)$/m.exec(stdout)[1]);
  if (result.errors > 0 || result.requests === 0) throw new Error(`${server.peer.name}: ${result.errors} of ${result.requests} calls failed`);
  return {
    rate: result.requests / result.seconds,
    p50: result.p50,
    p99: result.p99,
    perCall: ((processorTime(server.pid) - before) / result.requests) * 1e6,
  };
}

const modern = modernRequest('@ID@', 'tools/call', echo);
const session = { headers: { 'MCP-Protocol-Version': legacyVersion }, sessions: connections };
const loads = {
  stateless: { peer: troupeEcho, message: modern.message, headers: modern.headers },
  session: { peer: troupeEcho, message: request('@ID@', 'tools/call', echo), ...session },
  sdk: { peer: sdkEcho, message: request('@ID@', 'tools/call', echo), ...session },
  playwright: { peer: playwright, message: request('@ID@', 'ping'), ...session },
};

async function measureOne({ peer, ...calls }, seconds, withSteady) {
  const [serverCore, clientCore = serverCore] = cores();
  const server = await peer.startOnHttp({ pin: serverCore });
  try {
    const env = await prepare(server, calls);
    await wrk(server, env, clientCore, 1); // warms up: allocators here, compilers there
    const full = await wrk(server, env, clientCore, seconds);
    const steady = withSteady && (await wrk(server, env, clientCore, seconds, Math.round((connections / steadyRate) * 1000)));
    return { full, steady };
  } finally {
    await server.stop();
  }
}

export async function measure({ quick, rounds }) {
  if (spawnSync('wrk', ['-v']).error) {
    console.error('wrk is missing. Run: scripts/install-packages.sh bench');
    return [];
  }
  const results = Object.fromEntries(Object.keys(loads).map(name => [name, []]));
  await rounds(quick ? 1 : 4, quick ? 4 : 75, async () => {
    for (const [name, one] of Object.entries(loads)) {
      results[name].push(await measureOne(one, quick ? 1 : 2, one.peer === troupeEcho));
    }
  });
  const pick = (name, value, better) => summarize(results[name].map(value), better);
  const peersOf = (value, better) => [
    { name: 'echo on the MCP SDK v1', theirs: pick('sdk', value, better) },
    { name: 'ping on @playwright/mcp', theirs: pick('playwright', value, better) },
  ];
  const rowsOf = (name, what, others) => {
    const row = (measure, unit, better, value, limit, compared = others) => ({
      measure,
      unit,
      better,
      limit,
      troupe: pick(name, value, better),
      peers: compared ? peersOf(value, better) : [],
    });
    return [
      row(`echo calls ${what}, ${connections} connections`, '/s', 'more', it => it.full.rate, 20_000, true),
      row('  p99 at that rate', 'µs', 'less', it => it.full.p99, 2000),
      row(`  p99 at about ${steadyRate.toLocaleString('en-US')}/s`, 'µs', 'less', it => it.steady.p99, 2000, false),
      // The same target, whoever else uses the core meanwhile.
      row('  processor time a call', 'µs', 'less', it => it.full.perCall, 50),
    ];
  };
  return [...rowsOf('session', 'in sessions', true), ...rowsOf('stateless', 'stateless', false)];
}
