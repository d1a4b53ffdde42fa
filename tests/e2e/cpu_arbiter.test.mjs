// What pages take of the processors while others work: the priorities that their processes have, as /proc tells.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { pageProcesses } from './processes.mjs';
import { temporaryDirectory } from './support.mjs';

const timeout = 30_000;
const page = { '/': '<title>Home</title><h1>hello</h1>' };

const ours = () => /^Cpus_allowed_list:\s+(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1];
const hasAll = ({ processors, policies }) => processors.join() === ours() && policies.every(policy => policy === 0);

// Has the session work until its browser's pages are as they should be.
async function workUntil(browser, sessionId, what, isSo) {
  const deadline = performance.now() + timeout;
  for (;;) {
    const { isError, text } = await browser.call('browser_snapshot', { sessionId });
    assert.equal(isError, false, text);
    const pages = pageProcesses(browser.child.process.pid);
    if (isSo(pages)) return pages;
    assert.ok(performance.now() < deadline, `${what}: ${JSON.stringify(pages)}`);
  }
}

async function open(t, config = {}) {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'config.json');
  await writeFile(file, JSON.stringify(config));
  return Browser.open(t, { cwd: directory, args: ['--session-param', `--config=${file}`] });
}

test('a page that does nothing but compute leaves a processor to others until it stops', async t => {
  const origin = await serve(t, page);
  const browser = await open(t, { session: { maxScriptTime: 6000 } });
  await browser.call('browser_navigate', { url: origin, sessionId: 'calm' });
  const calm = pageProcesses(browser.child.process.pid).map(({ pid }) => pid);
  await browser.call('browser_navigate', { url: origin, sessionId: 'wild' });
  await workUntil(browser, 'calm', 'all have all processors', all => all.length > calm.length && all.every(hasAll));
  const running = browser.call('browser_evaluate', { function: '() => { while (true); }', sessionId: 'wild' });
  const isConfined = each => !calm.includes(each.pid) && each.processors.length === 1 && !hasAll(each);
  if (availableParallelism() > 1) await workUntil(browser, 'calm', 'the page is confined', all => all.some(isConfined));
  assert.match((await running).text, /did not end[^]*stopped/);
  await workUntil(browser, 'calm', 'all have all processors', all => all.length >= 2 && all.every(hasAll));
});

test('pages that were opened beside others have all that others have', async t => {
  const origin = await serve(t, page);
  const browser = await open(t);
  await browser.call('browser_navigate', { url: origin, sessionId: 'calm' });
  const names = Array.from({ length: 5 }, (_, i) => `new-${i}`);
  const opening = Promise.all(names.map(sessionId => browser.call('browser_navigate', { url: origin, sessionId })));
  for (const { isError, text } of await opening) assert.equal(isError, false, text);
  await workUntil(browser, 'calm', 'all have all processors', all => all.length >= 6 && all.every(hasAll));
});

test('pool.spareProcessor: false leaves all as it is', async t => {
  const origin = await serve(t, page);
  const browser = await open(t, { pool: { spareProcessor: false }, session: { maxScriptTime: 1000 } });
  for (const sessionId of ['wild', 'calm']) await browser.call('browser_navigate', { url: origin, sessionId });
  let over = false;
  const running = browser.call('browser_evaluate', { function: '() => { while (true); }', sessionId: 'wild' }).finally(() => (over = true));
  await workUntil(browser, 'calm', 'until it is over', all => (assert.ok(all.every(hasAll), JSON.stringify(all)), over));
  await running;
});
