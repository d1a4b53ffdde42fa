// A page's own scripts find nothing of ours: their world reads as in a browser that nobody drives.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { temporaryDirectory, within } from './support.mjs';

// The program itself: Debian's script of that name stays between us and the browser, and would end alone.
const executable = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync);

// Runs in the page: everything that it can see of the functions around it, as lines of text.
async function look() {
  const lines = [];
  const plain = text => text.replace(/:\d+:\d+/g, '');
  const seen = new Set();
  const visit = (owner, path, depth) => {
    if (!owner || seen.has(owner) || depth > 2) return;
    seen.add(owner);
    for (const name of Reflect.ownKeys(owner)) {
      const { value, writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(owner, name) ?? {};
      lines.push([path, String(name), typeof value, writable, enumerable, configurable].join(' '));
      if (typeof value !== 'function' || path.endsWith(' look')) continue;
      lines.push([path, Function.prototype.toString.call(value), value.name, value.length, Reflect.ownKeys(value).map(String)].join(' '));
      visit(value, `${path} ${String(name)}`, depth + 1);
      visit(value.prototype, `${path} ${String(name)} prototype`, depth + 1);
    }
  };
  visit(window, 'window', 0);
  visit(performance, 'performance', 0);
  visit(document, 'document', 0);

  const frame = document.createElement('iframe');
  document.body.append(frame);
  const other = frame.contentWindow;
  for (const [theirs, own] of [[other, window], [window, other]]) {
    const print = each => theirs.Function.prototype.toString.call(each);
    lines.push(print(own.setTimeout), print(own.Function.prototype.toString), print(own.AbortSignal.timeout));
  }
  frame.remove();

  const failures = [() => setTimeout(), () => setInterval(), () => requestAnimationFrame(1), () => new setTimeout(), () => setTimeout.call({}, look), () => AbortSignal.timeout(-1)];
  for (const call of failures) {
    try {
      call();
    } catch (error) {
      lines.push(plain(error.stack));
    }
  }
  const stackOf = begin =>
    new Promise(done => {
      begin(function callback(...args) {
        lines.push(plain(new Error('here').stack), this === window, args.map(each => typeof each).join());
        done();
      });
    });
  await stackOf(callback => setTimeout(callback, 1, 'argument'));
  await stackOf(callback => requestAnimationFrame(callback));
  await stackOf(callback => requestIdleCallback(callback));
  await stackOf(callback => scheduler.postTask(callback));
  let conversions = 0;
  setTimeout(() => {}, { valueOf: () => ++conversions });
  lines.push(`conversions ${conversions}`, `step of timer ids ${-setTimeout(() => {}) + setTimeout(() => {})}`);
  await fetch('/seen', { method: 'POST', body: lines.join('\n') });
}

// The page posts what it sees; gives its address and the next such post.
async function lookout(t) {
  let taken;
  const origin = await serve(t, {
    '/': `<title>Look</title><body><script>${look} addEventListener('load', look);</script>`,
    '/seen': async (request, response) => {
      const pieces = await request.toArray();
      taken?.(Buffer.concat(pieces).toString());
      response.end();
    },
  });
  return { origin, next: () => within(new Promise(done => (taken = done)), 'what the page sees', 60_000) };
}

test('A page sees the same functions, properties and stacks as in a plain browser', async t => {
  const { origin, next } = await lookout(t);
  let seen = next();
  const directory = await temporaryDirectory(t);
  const args = ['--headless', '--no-sandbox', '--remote-debugging-port=0', `--user-data-dir=${directory}`, origin];
  const alone = spawn(executable, args, { stdio: 'ignore' });
  const ended = once(alone, 'exit');
  t.after(() => alone.kill('SIGKILL'));
  const plain = await seen;
  alone.kill('SIGKILL');
  await ended;

  const browser = await Browser.open(t);
  seen = next();
  await browser.call('browser_navigate', { url: origin });
  const driven = await seen;

  const missing = new Set(plain.split('\n'));
  assert.deepEqual(driven.split('\n').filter(line => !missing.has(line)), []);
  assert.equal(driven, plain);
});
