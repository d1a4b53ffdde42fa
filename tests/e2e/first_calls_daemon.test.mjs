import { firstCalls } from './first_calls.mjs';

firstCalls('daemon');
