// The short form of `make chaos`: one seed in each mode.
import { ownModes, testSeed } from '../chaos/run.mjs';

testSeed(ownModes);
