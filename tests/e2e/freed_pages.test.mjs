// A page whose call timed out or was cancelled answers the next call at once.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { packages, temporaryDirectory, within } from './support.mjs';

const soon = 10_000; // ms for a call on a page that nothing blocks, on a machine that does much else

// Pages that never come: `reached(path)` waits until the browser has asked for one.
async function site(t) {
  const waiting = new Map();
  const reached = path => within(new Promise(resolve => waiting.set(path, resolve)), `asking for ${path}`);
  const note = answer => (request, response) => {
    answer(response, request);
    waiting.get(new URL(request.url, 'http://x').pathname)?.();
  };
  const head = { 'Content-Type': 'text/html' };
  let visits = 0;
  let answerSlow, answerHeld;
  const origin = await serve(t, {
    '/': `<title>Home</title><h1>home</h1><a href="/silent">leave</a><a id="slow" href="/slow">slowly</a>
      <button onclick="setTimeout(() => { for (;;); }, 30)">hang</button>`,
    '/other': '<title>Other</title><h1>other</h1>',
    // Comes once, and never again.
    '/once': note(response => ++visits === 1 && response.writeHead(200, head).end('<title>Once</title><h1>once</h1>')),
    '/silent': note(() => {}),
    '/headers': note(response => response.writeHead(200, head).flushHeaders()),
    '/drip': note(response => {
      response.writeHead(200, head).write('<title>Drip</title><h1>drop</h1>');
      const timer = setInterval(() => response.write('.'), 100);
      response.on('close', () => clearInterval(timer));
    }),
    '/began': note(response => response.end('ok')),
    '/hangs': '<title>Hangs</title><h1>hangs</h1><script>setTimeout(() => { for (;;); }, 30)</script>',
    '/slow': note(response => { answerSlow = () => response.writeHead(200, head).end('<title>Slow</title><h1>slow</h1>'); }),
    '/held': note(response => { answerHeld = () => response.end('now'); }),
  });
  return { origin, reached, answerSlow: () => answerSlow(), answerHeld: () => answerHeld() };
}

async function open(t, args = [], config = {}) {
  const cwd = await temporaryDirectory(t);
  const file = join(cwd, 'config.json');
  await writeFile(file, JSON.stringify(config));
  return Browser.open(t, {
    cwd,
    args: ['--caps=toolkit', `--playwright-module=${join(packages, 'playwright-core')}`, `--config=${file}`, ...args],
  });
}

// Every kind of call works at once.
async function expectFree(browser, title) {
  const ask = (tool, args = {}) => within(browser.call(tool, args), `${tool} afterwards`, soon);
  for (const [tool, args] of [
    ['browser_evaluate', { function: '() => document.title' }],
    ['browser_snapshot'],
    ['browser_click', { target: 'h1' }],
    ['browser_take_screenshot'],
    ['browser_tabs', { action: 'list' }],
    ['get_page_metadata'],
  ]) {
    const answer = await ask(tool, args);
    assert.equal(answer.isError, false, `${tool}: ${answer.text}`);
    if (tool === 'browser_evaluate') assert.ok(answer.text.includes(`"${title}"`), answer.text);
  }
}

// Begins a call, cancels it once `under way`.
async function cancel(browser, name, args, underWay) {
  const id = `cancelled-${Math.random()}`;
  browser.child.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });
  await underWay;
  browser.child.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
}

suite('a navigation that does not come to its end', { concurrency: 2 }, () => {
  const limit = ['--timeout-navigation', '3000'];

  test('leaves the page free when its time is up', async t => {
    const { origin } = await site(t);
    const browser = await open(t, limit);
    for (const [path, title] of [['/silent', 'Home'], ['/headers', ''], ['/drip', 'Drip']]) {
      for (const tool of ['browser_navigate', 'navigate']) {
        await browser.call('browser_navigate', { url: origin });
        const late = await within(browser.call(tool, { url: origin + path }), tool, soon);
        assert.equal(late.isError, true, `${tool} ${path}: ${late.text}`);
        assert.match(late.text, /Timeout|TIMEOUT/);
        if (path !== '/headers') await expectFree(browser, title);
        else assert.equal((await within(browser.call('browser_snapshot'), 'the next call', soon)).isError, false);
      }
    }
  });

  test('leaves the page free when it is cancelled', async t => {
    const { origin, reached } = await site(t);
    const browser = await open(t);
    await browser.call('browser_navigate', { url: origin });
    for (const tool of ['browser_navigate', 'navigate']) {
      await cancel(browser, tool, { url: `${origin}/silent` }, reached('/silent'));
      await expectFree(browser, 'Home');
    }
  });

  test('leaves the page free when it was back, forward or a reload', async t => {
    const { origin } = await site(t);
    const browser = await open(t, limit);
    await browser.call('browser_navigate', { url: `${origin}/once` });
    const again = await within(browser.call('reload'), 'reload', soon);
    assert.match(again.text, /TIMEOUT/);
    await expectFree(browser, 'Once');
    await browser.call('browser_navigate', { url: origin });
    const back = await within(browser.call('browser_navigate_back'), 'browser_navigate_back', soon);
    assert.match(back.text, /Timeout/);
    await expectFree(browser, 'Home');
  });
});

suite('an action that leads nowhere', { concurrency: 2 }, () => {
  const settling = 15_000; // ms: a navigation that an action began is waited for 10 s

  test('is answered when the next page does not come, and the page is free', async t => {
    const { origin } = await site(t);
    const browser = await open(t);
    await browser.call('browser_navigate', { url: origin });
    const clicked = await within(browser.call('browser_click', { target: 'text=leave' }), 'browser_click', settling);
    assert.equal(clicked.isError, false, clicked.text);
    assert.match(clicked.sections.Events, /No snapshot: the page still waits for an answer from \S+\/silent/);
    assert.equal(clicked.sections.Snapshot, undefined);
    await expectFree(browser, 'Home');
  });

  test('leaves a page its time while browser_wait_for waits', async t => {
    const { origin, answerSlow } = await site(t);
    const browser = await open(t);
    await browser.call('browser_navigate', { url: origin });
    await within(browser.call('browser_click', { target: '#slow' }), 'browser_click', settling);
    const waiting = await within(browser.call('browser_wait_for', { time: 1 }), 'browser_wait_for', soon);
    assert.match(waiting.text, /still waits for an answer from \S+\/slow/);
    answerSlow();
    const came = await within(browser.call('browser_wait_for', { text: 'slow' }), 'browser_wait_for', soon);
    assert.match(came.text, /Page Title: Slow/);
  });

  test('is answered when a script of the page hangs', async t => {
    const { origin } = await site(t);
    const browser = await open(t);
    await browser.call('browser_navigate', { url: origin });
    for (const [tool, args] of [['browser_click', { target: 'button' }], ['browser_navigate', { url: `${origin}/hangs` }]]) {
      const answer = await within(browser.call(tool, args), tool, settling);
      assert.equal(answer.isError, false, answer.text);
      assert.match(answer.sections.Events, /No snapshot: a script of the page is busy/);
      await within(browser.call('browser_navigate', { url: origin }), 'leaving the page', soon);
    }
    await expectFree(browser, 'Home');
  });
});

suite('a script that does not end', { concurrency: 2 }, () => {
  // The page answers nobody from its request on.
  const loop = `() => { const began = new XMLHttpRequest(); began.open('GET', '/began', false); began.send(); for (;;); }`;

  test('is stopped when its time is up', async t => {
    const { origin } = await site(t);
    const browser = await open(t, ['--call-timeout', '8000']);
    await browser.call('browser_navigate', { url: origin });
    for (const [tool, args] of [
      ['evaluate', { script: loop, timeout: 500 }],
      ['browser_evaluate', { function: loop }],
      ['browser_evaluate', { function: `() => { for (;;); }` }],
      ['browser_run_code_unsafe', { code: `async page => page.evaluate(${loop})` }],
    ]) {
      const late = await within(browser.call(tool, args), tool, soon);
      assert.equal(late.isError, true, late.text);
      await expectFree(browser, 'Home');
    }
  });

  test('is stopped when its call is cancelled', async t => {
    const { origin, reached } = await site(t);
    const browser = await open(t);
    await browser.call('browser_navigate', { url: origin });
    for (const [tool, args] of [
      ['evaluate', { script: loop }],
      ['browser_evaluate', { function: loop }],
      ['browser_run_code_unsafe', { code: `async page => page.evaluate(${loop})` }],
    ]) {
      const underWay = reached('/began').then(() => browser.request('ping', {}));
      await cancel(browser, tool, args, underWay);
      await expectFree(browser, 'Home');
    }
  });

  test('keeps nobody from leaving the page at once', async t => {
    const { origin, reached } = await site(t);
    const browser = await open(t);
    for (const [tool, args] of [
      ['browser_navigate', { url: `${origin}/other` }],
      ['navigate', { url: `${origin}/other` }],
      ['reload', {}],
      ['browser_navigate_back', {}],
    ]) {
      await browser.call('browser_navigate', { url: `${origin}/other` });
      await browser.call('browser_navigate', { url: origin });
      await cancel(browser, 'browser_evaluate', { function: loop }, reached('/began').then(() => browser.request('ping', {})));
      const gone = await within(browser.call(tool, args), tool, soon);
      assert.equal(gone.isError, false, `${tool}: ${gone.text}`);
      await expectFree(browser, tool === 'reload' ? 'Home' : 'Other');
    }
  });

  test('costs the page when it does not let the next document in', async t => {
    const { origin, reached, answerSlow, answerHeld } = await site(t);
    const browser = await open(t, ['--timeout-navigation', '3000'], { session: { maxScriptTime: 1500 } });
    await browser.call('browser_navigate', { url: origin });
    await browser.call('browser_evaluate', { function: `() => { fetch('/held').then(${loop}); }` });
    const left = reached('/slow'), began = reached('/began');
    const leaving = browser.call('browser_navigate', { url: `${origin}/slow` });
    await left;
    answerHeld();
    await began;
    answerSlow();
    assert.match((await within(leaving, 'browser_navigate', soon)).text, /Timeout 3000ms exceeded/);
    // Nothing reaches such a page: its tab is closed once it had its time.
    const tried = await within(browser.call('browser_evaluate', { function: '() => 1' }), 'browser_evaluate', 3 * soon);
    assert.match(tried.text, /did not answer any more and was ended/);
    const gone = await within(browser.call('browser_navigate', { url: origin }), 'browser_navigate', soon);
    assert.equal(gone.isError, false, gone.text);
    await expectFree(browser, 'Home');
  });

  test('is stopped when it only waited as its call was cancelled', async t => {
    const { origin, reached } = await site(t);
    const browser = await open(t);
    await browser.call('browser_navigate', { url: origin });
    const later = `async () => { await fetch('/began'); await new Promise(done => setTimeout(done, 1500)); await fetch('/began'); for (;;); }`;
    for (const [tool, args] of [['evaluate', { script: later }], ['browser_evaluate', { function: later }]]) {
      await cancel(browser, tool, args, reached('/began'));
      await reached('/began');
      await expectFree(browser, 'Home');
    }
  });

  test('is stopped after maxScriptTime', async t => {
    const { origin } = await site(t);
    const browser = await open(t, [], { session: { maxScriptTime: 1500 } });
    await browser.call('browser_navigate', { url: origin });
    const begun = performance.now();
    const stopped = await browser.call('browser_evaluate', { function: `() => { for (;;); }` });
    const took = performance.now() - begun;
    assert.match(stopped.text, /did not end[^]*stopped/);
    assert.ok(took >= 1500 && took < 3500, `stopped after ${took} ms`);
    await expectFree(browser, 'Home');
  });
});
