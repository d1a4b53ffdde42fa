// A call that nothing ends is given up by the watchdog, 5 seconds after what it waits for should have been over.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { agent, startServer, temporaryDirectory, troupe, within } from './support.mjs';

const ownWork = 15_000; // ms that a tool has which waits for nothing: CallProgress::kOwnWork
const grace = 5_000; // Watchdog::kOverdue
const late = 20_000; // on a machine that does much else

suite('a tool that never ends', () => {
  test('is answered with what it waited for, counted and logged, and its session goes on', async t => {
    const directory = await temporaryDirectory(t);
    // Not the file that would make every test fail.
    const overdue = join(directory, 'overdue-calls');
    const server = await startServer(t, troupe, ['--headless', '--isolated'], {
      env: { TROUPETEST_OVERDUE_FILE: overdue, TROUPETEST_STUCK_TOOL: 'browser_console_messages' },
      cwd: directory,
    });
    const metrics = async () => (await fetch(server.url('/metrics'))).text();
    const ann = agent(server, 'ann');
    const opened = await ann('browser_navigate', { url: 'data:text/html,<title>Home</title>' });
    assert.equal(opened.isError, false, opened.text);

    const begun = performance.now();
    const stuck = ann('browser_console_messages');
    // It waits for the one before it, which is no fault of its own.
    const next = ann('browser_evaluate', { function: '() => document.title' });
    await assert.rejects(
      within(stuck, 'the stuck call', ownWork + grace + late),
      /browser_console_messages" had no answer 5 seconds after its deadline[^]*It was waiting for: its tool/,
    );
    assert.ok(performance.now() - begun >= ownWork + grace - 1_000);
    const answer = await within(next, 'the next call', late);
    assert.equal(answer.isError, false, answer.text);
    assert.match(answer.text, /"Home"/);

    assert.match(await metrics(), /^troupe_calls_overdue_total 1$/m);
    await server.waitForLine(/call overdue.*browser_console_messages.*session=\S*ann.*its tool/);
    assert.match(await readFile(overdue, 'utf8'), /^[^\n]*browser_console_messages[^\n]*"ann": its tool\n$/);
  });
});
