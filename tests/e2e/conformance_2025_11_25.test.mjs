// The fixture server against the official suite: what revision 2025-11-25 requires.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertAllPass, requirements, runSuite, suite } from './conformance_support.mjs';
import { fixture, startServer } from './support.mjs';

test('30 of 30, and the unscored scenarios', async t => {
  const { scored, unscored } = await requirements(t, '2025-11-25');
  assert.equal(scored.length, 30);
  assert.deepEqual(unscored, ['server-session-lifecycle', 'json-schema-2020-12', 'server-sse-polling']);
  const server = await startServer(t, fixture);

  const { code, scenarios } = await runSuite(t, suite.next, server.url('/mcp'), ['--requirements', '2025-11-25']);

  assertAllPass(scenarios, [...scored, ...unscored]);
  assert.equal(code, 0);
});
