import { firstCalls } from './first_calls.mjs';

firstCalls('session id');
