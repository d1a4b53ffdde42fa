// Browsers, renderers and the server itself are killed at random while an agent works. Nothing hangs, nothing lies,
// nothing is left. TROUPE_SEED repeats a run, TROUPE_CALLS makes it longer.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { processes, untilGone } from './processes.mjs';
import { temporaryDirectory, within } from './support.mjs';

const calls = Number(process.env.TROUPE_CALLS ?? 500);
const seed = Number(process.env.TROUPE_SEED ?? (Date.now() & 0xffff));

// A small generator of our own, so that a seed means the same everywhere.
let state = seed || 1;
const random = below => {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
  return Math.floor((state / 0x80000000) * below);
};

const kill = each => {
  try {
    process.kill(each.pid, 'SIGKILL');
  } catch {
    // it was faster
  }
};

// Not even what the server could not remove itself any more.
async function nothingLeft(directory) {
  const profiles = await readdir(join(directory, 'troupe/profiles')).catch(() => []);
  assert.deepEqual(profiles.filter(name => name.startsWith('tmp-')), [], 'a temporary profile was left');
}

test(`${calls} calls among random deaths (TROUPE_SEED=${seed})`, { timeout: 600_000 }, async t => {
  const directory = await temporaryDirectory(t);
  const origin = await serve(t, {
    '/': (request, response) => {
      const number = new URL(request.url, 'http://localhost').searchParams.get('n');
      response.writeHead(200, { 'Content-Type': 'text/html' });
      response.end(`<title>Page ${number}</title><button onclick="this.textContent = 'clicked ${number}'">number ${number}</button>`);
    },
  });
  let browser = await Browser.open(t, { cwd: directory });
  const faults = { browser: 0, renderer: 0, server: 0 };
  let page; // number of the page that was last opened for sure
  let ref; // of its button
  let failed = 0;

  const fault = () => {
    const all = processes(directory);
    const renderers = all.filter(each => each.command.includes('--type=renderer'));
    const mains = all.filter(each => each.command.includes('--remote-debugging-pipe') && !each.command.includes('--type='));
    const kind = ['browser', 'renderer', 'renderer', 'server'][random(4)];
    ++faults[kind];
    if (kind === 'renderer') renderers.forEach(kill);
    if (kind === 'browser') mains.forEach(kill);
    if (kind === 'server') browser.child.process.kill('SIGKILL');
  };

  for (let i = 0; i < calls; ++i) {
    const hit = random(25) === 0;
    const delay = random(30);
    const timer = hit ? setTimeout(fault, delay) : undefined;
    let answer;
    const step = page === undefined ? 0 : random(4);
    try {
      const call = [
        () => browser.call('browser_navigate', { url: `${origin}/?n=${i}` }),
        () => browser.call('browser_snapshot'),
        () => browser.call('browser_click', { element: 'button', target: ref }),
        () => browser.call('browser_evaluate', { function: '() => document.title' }),
      ][step];
      const died = browser.child.exited.then(() => 'died');
      // Its output ends a moment before itself.
      const answered = call().catch(error => (browser.child.stdout.ended ? died : Promise.reject(error)));
      answer = await within(Promise.race([answered, died]), `call ${i}`, 40_000);
    } finally {
      clearTimeout(timer);
    }
    if (answer === 'died') {
      await untilGone(directory);
      await nothingLeft(directory);
      browser = await Browser.open(t, { cwd: directory });
      page = undefined;
      continue;
    }
    ref = answer.snapshot?.match(/\[ref=((?:f\d+)?e\d+)\]/)?.[1] ?? ref;
    if (answer.isError) {
      ++failed;
      // Clear to an agent: what happened, in words.
      assert.match(answer.text, /### Error\n\S+/, answer.text);
      page = undefined;
      continue;
    }
    if (step === 0) {
      page = i;
      assert.match(answer.snapshot, new RegExp(`number ${i}"`), answer.text);
    } else if (/about:blank|### Result\n""/.test(answer.text) || /^\s*$/.test(answer.snapshot ?? 'x')) {
      page = undefined; // the tab or the browser was new: said, not hidden
    } else {
      // Never another page's content.
      const seen = answer.text + (answer.snapshot ?? '');
      for (const [, number] of seen.matchAll(/(?:number|clicked|Page) (\d+)/g)) assert.equal(Number(number), page, seen);
    }
    if (hit) await new Promise(resolve => setImmediate(resolve));
  }

  t.diagnostic(`faults: ${JSON.stringify(faults)}, calls that failed: ${failed}`);
  // A death costs the call that it hits, and at most the one that finds the tab gone.
  assert.ok(failed <= 2 * (faults.browser + faults.renderer), `${failed} calls failed`);
  await browser.child.stop();
  await untilGone(directory);
  await nothingLeft(directory);
});
