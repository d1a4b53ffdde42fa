// Runs the groups of measurements and shows what they found. A new group is a file in groups/ and a line here.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';

import * as browser from './groups/browser.mjs';
import * as hibernation from './groups/hibernation.mjs';
import * as inside from './groups/inside.mjs';
import * as interference from './groups/interference.mjs';
import * as latency from './groups/latency.mjs';
import * as load from './groups/load.mjs';
import * as memory from './groups/memory.mjs';
import * as policy from './groups/policy.mjs';
import * as record from './groups/record.mjs';
import * as sessions from './groups/sessions.mjs';
import * as start from './groups/start.mjs';
import * as upstream from './groups/upstream.mjs';
import { root, versions } from './peers.mjs';
import { tally, toMarkdown, toText } from './table.mjs';

const groups = { inside, start, memory, load, latency, browser, record, policy, upstream, interference, sessions, hibernation };
const quick = Boolean(process.env.BENCH_QUICK);

// Calls `body` for each round; fewer rounds when they take longer than the group's share of the time.
async function rounds(count, seconds, body) {
  const end = Date.now() + seconds * 1000;
  for (let round = 0; round < count && (round === 0 || Date.now() < end); ++round) await body(round);
}

const busyness = () => loadavg().map(load => load.toFixed(1)).join(' ');

// Milliseconds in which somebody who wanted a processor had to wait for one; nothing where the kernel does not say.
function waited() {
  try {
    return Number(/total=(\d+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8'))[1]) / 1000;
  } catch {
    return undefined;
  }
}

// The rows of each group; a group that fails costs only its own.
async function measure(names) {
  const found = {};
  for (const name of names) {
    const begun = Date.now();
    const waitedBefore = waited();
    try {
      const rows = await groups[name].measure({ quick, rounds });
      const took = Date.now() - begun;
      const crowded = waitedBefore === undefined ? 0 : (waited() - waitedBefore) / took;
      found[name] = rows.map(row => ({ ...row, crowded }));
      console.error(`${groups[name].title}: ${(took / 1000).toFixed(0)} s, ${Math.round(crowded * 100)} % of it crowded`);
    } catch (error) {
      console.error(`${groups[name].title}: ${error.stack}`);
      process.exitCode = 1;
    }
  }
  return found;
}

function report(found, machine) {
  const comparison = Object.entries(found).flatMap(([name, rows]) => (name === 'inside' ? [] : rows));
  const sections = [
    [inside.title, found.inside ?? []],
    ['Side by side, medians of interleaved rounds', comparison],
  ].filter(([, rows]) => rows.length > 0);
  const { ok, busy, miss } = tally(comparison);
  const about = [
    Object.entries(versions).map(([name, version]) => `${name} ${version}`).join(', '),
    `${machine.cpus} × ${machine.model}, load average ${machine.before} before and ${machine.after} after`,
  ];
  const closing =
    `Targets: ${ok} met, ${miss} missed` +
    (busy > 0 ? `, ${busy} that a busy machine leaves open: measure again when it is quiet.` : '.');
  return {
    text: [...sections.map(([title, rows]) => `\n${title}\n\n${toText(rows)}`), '', ...about, closing].join('\n'),
    markdown: ['# Benchmarks', ...sections.map(([title, rows]) => `## ${title}\n\n${toMarkdown(rows)}`), ...about, closing].join('\n\n') + '\n',
  };
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(groups);
const unknown = names.find(name => !groups[name]);
if (unknown) {
  console.error(`No group "${unknown}". There are: ${Object.keys(groups).join(' ')}`);
  process.exit(2);
}

// Twice what it takes at most; whoever hangs is ended with us.
const limit = Number(process.env.BENCH_MINUTES ?? (quick ? 4 : 20)) * 60_000;
setTimeout(() => {
  console.error('A server did not answer: given up.');
  process.exit(1);
}, limit).unref();

const before = busyness();
console.error(`Load average ${before} on ${cpus().length} processors${quick ? ', quick' : ''}`);
const found = await measure(names);
const machine = { cpus: cpus().length, model: cpus()[0].model, before, after: busyness() };
const { text, markdown } = report(found, machine);
console.log(text);

const folder = join(root, 'build/bench');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'results.json'), JSON.stringify({ time: new Date().toISOString(), quick, machine, versions, groups: found }, null, 2) + '\n');
writeFileSync(join(folder, 'results.md'), markdown);
console.log('Written to build/bench/results.json and results.md');
process.exit();
