// make chaos: seeds in every mode until the time is over. SEEDS=50, FIRST=1, MINUTES=0 (no limit), ISOLATION and ENTRY
// choose modes, and so does MODE=<part of its name>.
import { modes, nameOf, runSeed } from './run.mjs';

const { SEEDS, FIRST, MINUTES, ISOLATION, ENTRY, MODE } = process.env;
const first = Number(FIRST || 1);
const last = first + Number(SEEDS || 50) - 1;
const chosen = modes.filter(
  mode => (!ISOLATION || mode.isolation === ISOLATION) && (!ENTRY || mode.entry === ENTRY) && nameOf(mode).includes(MODE ?? ''),
);
const end = Number(MINUTES || 0) > 0 ? performance.now() + Number(MINUTES) * 60_000 : Infinity;
const table = Object.fromEntries(chosen.map(mode => [nameOf(mode), { seeds: 0, green: 0, faults: 0 }]));
let failed = 0;
for (let seed = first; seed <= last && performance.now() < end; ++seed) {
  for (const mode of chosen) {
    const begun = performance.now();
    const row = table[nameOf(mode)];
    ++row.seeds;
    try {
      const counts = await runSeed({ seed, ...mode });
      ++row.green;
      row.faults += Object.entries(counts).reduce((sum, [kind, count]) => sum + (kind === 'retry' ? 0 : count), 0);
      console.log(`seed ${seed} ${nameOf(mode)}: ok ${Math.round((performance.now() - begun) / 1_000)} s ${JSON.stringify(counts)}`);
    } catch (error) {
      ++failed;
      console.log(`FAILED ${error.message}\n${error.stack?.split('\n').slice(-6).join('\n')}`);
    }
  }
}
console.table(table);
process.exitCode = failed > 0 ? 1 : 0;
