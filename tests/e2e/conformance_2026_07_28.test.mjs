// The fixture server against the official suite: what revision 2026-07-28 requires.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertAllPass, requirements, runSuite, suite } from './conformance_support.mjs';
import { fixture, startServer } from './support.mjs';

test('37 of 37, and the unscored scenarios that need no extension', async t => {
  const { scored, unscored } = await requirements(t, '2026-07-28');
  assert.equal(scored.length, 37);
  assert.deepEqual(unscored, [
    'json-schema-2020-12',
    'http-header-validation',
    'http-custom-header-server-validation',
  ]);
  const server = await startServer(t, fixture);

  const { code, scenarios } = await runSuite(t, suite.next, server.url('/mcp'), ['--requirements', '2026-07-28']);

  assertAllPass(scenarios, [...scored, ...unscored]);
  assert.equal(code, 0);
});
