import { firstCalls } from './first_calls.mjs';

firstCalls('json api');
