// The short form of `make chaos`: one seed in each mode.
import { test } from 'node:test';

import { modes, runSeed } from '../chaos/run.mjs';

const seed = Number(process.env.TROUPE_SEED ?? 1);
for (const mode of modes) {
  test(`agents keep their state among random deaths: ${mode.isolation} over ${mode.entry} (TROUPE_SEED=${seed})`, { timeout: 100_000 }, () =>
    runSeed({ seed, ...mode, agents: 3, steps: 8 }),
  );
}
