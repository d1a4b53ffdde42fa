// `troupe doctor --isolation`: the adversarial matrix with real browsers, and that each of its rows can fail.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { run, temporaryDirectory, troupe } from './support.mjs';

const ofContext = [
  'cookies', 'localStorage', 'IndexedDB', 'Cache Storage', 'service workers', 'BroadcastChannel', 'SharedWorker', 'HTTP cache',
  'HTTP auth', 'permissions', 'geolocation', 'clipboard',
];
const ofSession = ['sessionStorage', 'downloads', 'dialogs', 'refs', 'console', 'network log', 'resources', 'handles'];

// The report as {name: sign}.
async function examine(t, args, env = {}) {
  const directory = await temporaryDirectory(t);
  const { code, stdout, stderr } = await run(t, troupe, ['doctor', '--isolation', ...args, '--headless'], {
    env: { XDG_CACHE_HOME: directory, TMPDIR: directory, ...env },
    cwd: directory,
  });
  const rows = Object.fromEntries([...stdout.matchAll(/^([✓·!✗]) (\S+(?: \S+)*)  +/gm)].map(([, sign, name]) => [name, sign]));
  return { code, rows, report: stdout + stderr };
}

const only = (rows, names, sign, report) =>
  assert.deepEqual(Object.fromEntries(names.map(name => [name, rows[name]])), Object.fromEntries(names.map(name => [name, sign])), report);

suite('doctor --isolation', { concurrency: 2 }, () => {
  test('finds nothing that leaks from one context to another', async t => {
    const { code, rows, report } = await examine(t, []);
    only(rows, [...ofContext, ...ofSession], '✓', report);
    assert.equal(code, 0);
  });

  test('finds nothing with a browser each', async t => {
    const { code, rows, report } = await examine(t, ['browser']);
    only(rows, [...ofContext, ...ofSession], '✓', report);
    assert.equal(code, 0);
  });

  test('shared: logins are everybody’s, tabs are not', async t => {
    const { code, rows, report } = await examine(t, ['shared']);
    only(rows, ofContext, '·', report);
    only(rows, ofSession, '✓', report);
    assert.equal(code, 0);
  });

  test('every row fails when there is no isolation', async t => {
    const { code, rows, report } = await examine(t, [], { TROUPETEST_BREAK_ISOLATION: '1' });
    only(rows, [...ofContext, ...ofSession], '✗', report);
    assert.equal(code, 1);
  });
});
