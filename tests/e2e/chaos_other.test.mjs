// The short form of `make chaos` with a daemon, a profile, an attached Chrome and a full disk.
import { otherModes, testSeed } from '../chaos/run.mjs';

testSeed(otherModes);
