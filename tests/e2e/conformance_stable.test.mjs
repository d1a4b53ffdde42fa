// The fixture server against the suite's stable release, 0.1.16.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertAllPass, runSuite, suite } from './conformance_support.mjs';
import { fixture, startServer } from './support.mjs';

test('32 of 32', async t => {
  const server = await startServer(t, fixture);

  const { code, scenarios } = await runSuite(t, suite.stable, server.url('/mcp'), ['--suite', 'all']);

  assert.equal(scenarios.size, 32);
  assertAllPass(scenarios, [...scenarios.keys()]);
  assert.equal(code, 0);
});
