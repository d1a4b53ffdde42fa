import { firstCallsWithKills } from './first_calls.mjs';

firstCallsWithKills();
