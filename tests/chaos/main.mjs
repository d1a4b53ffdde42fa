// make chaos: seeds in every mode until the time is over. SEEDS=50, FIRST=1, MINUTES=0 (no limit), ISOLATION and ENTRY choose.
import { modes, runSeed } from './run.mjs';

const { SEEDS, FIRST, MINUTES, ISOLATION, ENTRY } = process.env;
const first = Number(FIRST || 1);
const last = first + Number(SEEDS || 50) - 1;
const chosen = modes.filter(mode => (!ISOLATION || mode.isolation === ISOLATION) && (!ENTRY || mode.entry === ENTRY));
const end = Number(MINUTES || 0) > 0 ? performance.now() + Number(MINUTES) * 60_000 : Infinity;
let passed = 0;
let failed = 0;
for (let seed = first; seed <= last && performance.now() < end; ++seed) {
  for (const mode of chosen) {
    try {
      const counts = await runSeed({ seed, ...mode });
      ++passed;
      console.log(`seed ${seed} ${mode.isolation} ${mode.entry}: ok ${JSON.stringify(counts)}`);
    } catch (error) {
      ++failed;
      console.log(`FAILED ${error.message}\n${error.stack?.split('\n').slice(-6).join('\n')}`);
    }
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
