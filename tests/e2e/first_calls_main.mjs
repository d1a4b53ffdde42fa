// make first-calls: the whole matrix of first_calls.mjs, again and again. ROUNDS=5, RUNS=20, MINUTES=0 (no limit: what has
// begun is finished), ONLY=<text> picks cells by name, AT_ONCE=1 files that run beside each other.
import { join } from 'node:path';
import { run } from 'node:test';

import { entries } from './first_calls_entries.mjs';

const { ROUNDS, RUNS, MINUTES, ONLY, AT_ONCE } = process.env;
process.env.TROUPE_FIRST_CALLS_ROUNDS = ROUNDS || '5';
process.env.TROUPE_FIRST_CALLS_ONLY = ONLY ?? '';
const runs = Number(RUNS || 20);
const end = Number(MINUTES || 0) > 0 ? performance.now() + Number(MINUTES) * 60_000 : Infinity;
const names = [...Object.keys(entries).map(each => each.replace(' ', '_')), 'kills'];
const file = name => join(import.meta.dirname, `first_calls_${name}.test.mjs`);

// Of cells whose names begin alike: how many were run and passed, and how long they took.
const table = new Map();
function note(name, passed, milliseconds) {
  const row = name.slice(0, name.indexOf(':'));
  const known = table.get(row) ?? { 'cells run': 0, green: 0, seconds: 0, longest: 0 };
  ++known['cells run'];
  known.green += passed ? 1 : 0;
  known.seconds += milliseconds / 1_000;
  known.longest = Math.max(known.longest, milliseconds / 1_000);
  table.set(row, known);
}

let failed = 0;
async function runFiles(files) {
  for await (const { type, data } of run({ files, concurrency: Number(AT_ONCE || 1) })) {
    const isCell = data?.nesting === 1 && data.details?.type !== 'suite';
    if (!isCell || (type !== 'test:pass' && type !== 'test:fail')) continue;
    note(data.name, type === 'test:pass', data.details.duration_ms);
    if (type === 'test:pass') continue;
    ++failed;
    console.log(`FAILED ${data.name}\n${data.details.error.cause?.stack ?? data.details.error}`);
  }
}

function print(done) {
  console.log(`\nafter ${done}, ${process.env.TROUPE_FIRST_CALLS_ROUNDS} rounds in each cell without a kill:`);
  const rounded = ([name, { seconds, longest, ...rest }]) => [
    name, { ...rest, 'seconds a cell': (seconds / rest['cells run']).toFixed(1), longest: longest.toFixed(1) },
  ];
  console.table(Object.fromEntries([...table].map(rounded)));
}

for (let number = 1; number <= runs && performance.now() < end; ++number) {
  const begun = performance.now();
  await runFiles(names.map(file));
  print(`run ${number} (${Math.round((performance.now() - begun) / 1_000)} s)`);
}
process.exitCode = failed > 0 ? 1 : 0;
