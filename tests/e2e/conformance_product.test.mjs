// The product against the official suites. It lacks the tools, resources and prompts that most scenarios call,
// so those are expected to fail, by name: expected-failures-*.yml.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';

import { assertAllPass, explain, runSuite, suite } from './conformance_support.mjs';
import { startServer, temporaryDirectory, troupe } from './support.mjs';

const runs = {
  stable: { program: suite.stable, args: ['--suite', 'all'], unscored: [] },
  '2025-11-25': {
    program: suite.next,
    args: ['--requirements', '2025-11-25'],
    unscored: ['server-session-lifecycle'],
  },
  '2026-07-28': {
    program: suite.next,
    args: ['--requirements', '2026-07-28'],
    unscored: ['http-header-validation'],
  },
};

// Where the suite and the list of expected failures disagree.
function verdict(stdout, scenarios) {
  const [said] = /(Stale|Unexpected)[^]*/.exec(stripVTControlCharacters(stdout)) ?? [stdout];
  const unexpected = new Set([...said.matchAll(/✗ ([^\s:]+)/g)].map(([, name]) => name));
  return [said, ...[...unexpected].map(name => explain(scenarios, name))].join('\n');
}

for (const [name, { program, args, unscored }] of Object.entries(runs)) {
  test(`${name}: only what needs the fixture fails`, async t => {
    const server = await startServer(t, troupe, ['--caps', 'config'], { env: { HOME: await temporaryDirectory(t) } });
    const expected = join(import.meta.dirname, `expected-failures-${name}.yml`);

    const outcome = await runSuite(t, program, server.url('/mcp'), [...args, '--expected-failures', expected]);

    assert.equal(outcome.code, 0, verdict(outcome.stdout, outcome.scenarios));
    assertAllPass(outcome.scenarios, unscored);
  });
}
