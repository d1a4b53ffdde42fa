// A page that dies while a call is under way: the call ends with it, and the next one works.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { began, isCrash, modes, open, site, soon } from './crash_support.mjs';
import { pageProcesses } from './processes.mjs';
import { within } from './support.mjs';

function killRenderers(browser) {
  const found = pageProcesses(browser.child.process.pid);
  assert.ok(found.length > 0);
  for (const { pid } of found) process.kill(pid, 'SIGKILL');
}

// What is called, and what the page asks for once the call is under way.
const calls = [
  ['browser_evaluate', { function: `async () => { ${began} }` }, '/began'],
  ['evaluate', { script: `async () => { ${began} }` }, '/began'],
  ['browser_click', { target: 'button' }, '/hold'],
  ['click', { selector: 'button' }, '/hold'],
  ['browser_navigate', { url: '/hold' }, '/hold'],
  ['navigate', { url: '/hold' }, '/hold'],
  ['browser_run_code_unsafe', { code: `async page => { await page.evaluate(async () => { ${began} }); }` }, '/began'],
];
// These need a page that is kept busy already.
const onBusyPage = [
  ['browser_snapshot', {}],
  ['browser_take_screenshot', {}],
  ['screenshot', {}],
  ['browser_wait_for', { text: 'never there' }],
  ['browser_wait_for', { time: 25 }],
];

async function expectNewPage(browser, origin) {
  const next = await within(browser.call('browser_snapshot'), 'the call after a crash', soon);
  assert.equal(next.isError, false, next.text);
  assert.match(next.sections.Session ?? '', /page crashed\. This tab is a new one/i, next.text);
  assert.match((await browser.call('browser_navigate', { url: origin })).snapshot, /home/);
}

suite('a renderer that dies', { concurrency: 2 }, () => {
  for (const [mode, isolated] of Object.entries(modes)) {
    test(`ends the call that it meets, and the next one has a new page: ${mode}`, async t => {
      const { origin, reached, makeBusy } = await site(t);
      const browser = await open(t, isolated);
      await browser.call('browser_navigate', { url: origin });
      for (const [tool, args, path] of calls) {
        const given = args.url ? { ...args, url: origin + args.url } : args;
        const asked = reached(path);
        const calling = browser.call(tool, given);
        await asked;
        killRenderers(browser);
        const answer = await within(calling, `${tool} on a page that died`, soon);
        assert.equal(answer.isError, true, `${tool}: ${answer.text}`);
        assert.ok(isCrash(answer.text), `${tool}: ${answer.text}`);
        if (!tool.startsWith('browser_')) assert.equal(JSON.parse(answer.text).error.code, 'BROWSER_CRASHED', answer.text);
        await expectNewPage(browser, origin);
      }
      if (mode !== 'isolated') return;
      for (const [tool, args] of onBusyPage) {
        await browser.call('browser_navigate', { url: `${origin}/busy` });
        await makeBusy();
        const calling = browser.call(tool, args);
        // Answered in the order of what came in: the call before it has begun.
        await browser.request('ping', {});
        killRenderers(browser);
        const answer = await within(calling, `${tool} on a page that died`, soon);
        assert.equal(answer.isError, true, `${tool}: ${answer.text}`);
        assert.ok(isCrash(answer.text), `${tool}: ${answer.text}`);
        await expectNewPage(browser, origin);
      }
    });
  }
});
