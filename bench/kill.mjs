// Kills the server at random points of a run of calls from 8 sessions, again and again, and looks for what is missing:
//   bench/kill.mjs [ROUNDS] [CALLS]
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { killRound } from '../tests/e2e/record_kill.mjs';

const rounds = Number(process.argv[2] ?? 50), calls = Number(process.argv[3] ?? 2_000);
const directory = mkdtempSync(join(tmpdir(), 'troupe-kill-'));
const server = createServer((_, response) => {
  response.writeHead(200, { 'Content-Type': 'text/html' });
  response.end('<title>Here</title><p>words</p>');
});
await new Promise(ready => server.listen(0, '127.0.0.1', ready));
const origin = `http://127.0.0.1:${server.address().port}/`;
let missed = 0, answered = 0, checked = 0;
// The first round runs to its end and tells how long that takes; the others are killed somewhere within.
let whole;
for (let round = 0; round < rounds; ++round) {
  const begun = performance.now();
  const killAfter = whole === undefined ? 600_000 : whole * Math.random();
  const found = await killRound({ directory, origin, calls, killAfter });
  whole ??= performance.now() - begun;
  answered += found.answered;
  checked += found.checked;
  missed += found.missing.length;
  console.log(`round ${round + 1}: killed after ${found.answered} answers, ${found.checked} older than 100 ms, ${found.missing.length} missing, integrity ${found.integrity}`);
  for (const each of found.missing) console.log(`  missing: ${each}`);
}
console.log(`${rounds} rounds, ${answered} answers, ${checked} checked, ${missed} missing`);
rmSync(directory, { recursive: true, force: true });
process.exit(missed ? 1 : 0);
