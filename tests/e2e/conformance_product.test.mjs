// The product against the official suites. It lacks the tools, resources and prompts that most scenarios call,
// so those are expected to fail, by name: expected-failures-*.yml.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { runSuite, suite } from './conformance_support.mjs';
import { startServer, temporaryDirectory, troupe } from './support.mjs';

const runs = {
  stable: [suite.stable, ['--suite', 'all']],
  '2025-11-25': [suite.next, ['--requirements', '2025-11-25']],
  '2026-07-28': [suite.next, ['--requirements', '2026-07-28']],
};

for (const [name, [program, args]] of Object.entries(runs)) {
  test(`${name}: only what needs the fixture fails`, async t => {
    const server = await startServer(t, troupe, ['--caps', 'config'], { env: { HOME: await temporaryDirectory(t) } });
    const expected = join(import.meta.dirname, `expected-failures-${name}.yml`);

    const { code, stdout } = await runSuite(t, program, server.url('/mcp'), [...args, '--expected-failures', expected]);

    const verdict = stdout.slice(stdout.indexOf('Expected failures (in baseline)'));
    assert.equal(code, 0, verdict);
  });
}
