// What is Playwright's own is left to Playwright without being asked: its endpoints, and browsers that only it drives.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { run, troupe } from './support.mjs';
import { behind, pages, serversOf } from './upstream_support.mjs';

const { chromium } = createRequire(import.meta.url)('playwright-core');

test('a Playwright server is reached through Playwright', { timeout: 90_000 }, async t => {
  const origin = await serve(t, pages);
  const there = await chromium.launchServer({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  t.after(() => there.close());
  const browser = await Browser.open(t, { args: ['--endpoint', there.wsEndpoint()], env: behind, isolated: [] });

  const answer = await browser.call('browser_navigate', { url: origin }, 60_000);

  assert.match(answer.text, /Page Title: Home/);
  assert.equal(serversOf(browser.child.process.pid).length, 1);
});

test('a browser that only Playwright drives says what is missing for it', async t => {
  const { code, stderr } = await run(t, troupe, ['--browser=firefox'], { env: { TROUPE_UPSTREAM_COMMAND: 'no-such-program-here' } });
  assert.equal(code, 1);
  assert.match(stderr, /no-such-program-here/);
});

test('nobody else drives it on request', async t => {
  const browser = await Browser.open(t, { args: ['--browser=firefox', '--engine=native'] });
  const answer = await browser.call('browser_navigate', { url: 'about:blank' });
  assert.equal(answer.isError, true);
  assert.match(answer.text, /The engine native drives Chromium-based browsers only.*--engine upstream/);
});
