// A browser that dies while a call is under way: the call ends with it, and the next one works.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { began, isCrash, modes, open, site, soon } from './crash_support.mjs';
import { processes } from './processes.mjs';
import { within } from './support.mjs';

const mainProcesses = directory =>
  processes(directory).filter(each => each.command.includes('--remote-debugging-pipe') && !each.command.includes('--type='));

suite('a browser that dies', { concurrency: 2 }, () => {
  for (const [mode, isolated] of Object.entries(modes)) {
    test(`is an error of the call that it meets: ${mode}`, async t => {
      const { origin, reached } = await site(t);
      const browser = await open(t, isolated);
      const duringCalls = [
        ['browser_wait_for', { time: 25 }, null],
        ['browser_wait_for', { text: 'never there' }, null],
        ['browser_evaluate', { function: `async () => { ${began} }` }, '/began'],
        ['click', { selector: 'button' }, '/hold'],
        ['browser_tabs', { action: 'new', url: `${origin}/hold` }, '/hold'],
      ];
      await browser.call('browser_navigate', { url: origin });
      // Every start of a browser takes its time: what closes in good order meets every call in one mode only.
      const duringClosing = mode === 'isolated' ? duringCalls : duringCalls.slice(-2);
      for (const [signal, calls] of [['SIGKILL', duringCalls], ['SIGTERM', duringClosing]]) {
        for (const [tool, args, path] of calls) {
          const busy = path && reached(path);
          const calling = browser.call(tool, args);
          await (busy ?? browser.request('ping', {}));
          for (const { pid } of mainProcesses(browser.directory)) process.kill(pid, signal);
          const answer = await within(calling, `${tool} in a browser that died`, soon);
          // A click that was done before its tab was closed in good order has done what was asked for.
          const mayBeDone = tool === 'click' && signal === 'SIGTERM';
          assert.ok(answer.isError || mayBeDone, `${tool}, ${signal}: ${answer.text}`);
          assert.doesNotMatch(answer.text, /No open tabs/, `${tool}, ${signal}`);
          const goOn = () => within(browser.call('browser_navigate', { url: origin }), 'the next call', 20_000);
          let next = await goOn();
          // One that was asked to close closes its tabs one by one, then itself: a call meets each at most once.
          const ends = signal === 'SIGTERM' ? tool === 'browser_tabs' ? 2 : 1 : 0;
          for (let met = 0; met < ends && next.isError; ++met) {
            assert.ok(isCrash(next.text), `after ${tool}: ${next.text}`);
            next = await goOn();
          }
          assert.match(next.snapshot ?? '', /home/, `after ${tool}, ${signal}: ${next.text}`);
        }
      }
    });
  }
});
