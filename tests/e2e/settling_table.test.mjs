// Every kind of late change is shown in the answer, however the page was reached; pages that never rest are answered.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { answers, beforeClick, lateChanges, onClick, onLoad, restlessPages } from './settling_kinds.mjs';

// The bound is far away: a busy machine may be slow, and what costs the bound is seen by the time it takes.
const farBound = ['--timeout-settle=20000'];
const farTime = 12_000;

const goTo = (browser, url) => browser.call('browser_navigate', { url });
const clickButton = browser => browser.call('browser_click', { element: 'Go', target: 'button' });
const redirect = to => (_, response) => response.writeHead(302, { Location: to }).end();

// Each: the pages between the first one and the one that changes late, and how the agent gets there.
const roads = [
  ['after a redirect', () => ({ '/': redirect('/target') }), goTo],
  ['after a script that goes on at load', () => ({ '/': `<script>onload = () => { location.href = '/target'; };</script>` }), goTo],
  ['after a page that refreshes itself', () => ({ '/': '<meta http-equiv=refresh content="0;url=/target">' }), goTo],
  ['after a script that goes on a moment later', () => ({ '/': `<script>setTimeout(() => { location.replace('/target'); }, 30);</script>` }), goTo],
  ['after a link', () => ({ '/': '<a href="/target">Go</a>' }), async (browser, url) => (await goTo(browser, url), browser.call('browser_click', { element: 'Go', target: 'a' }))],
  ['after a form', () => ({ '/': '<form action="/target"><button>Go</button></form>' }), async (browser, url) => (await goTo(browser, url), clickButton(browser))],
  ['after a form and a redirect', () => ({ '/': '<form method=post action="/done"><button>Go</button></form>', '/done': redirect('/target') }), async (browser, url) => (await goTo(browser, url), clickButton(browser))],
  ['after Back', () => ({ '/': '<p>other</p>' }), async (browser, url) => (await goTo(browser, `${url}/target`), await goTo(browser, url), browser.call('browser_navigate_back'))],
];

async function open(t, routes) {
  return { origin: await serve(t, { ...answers, ...routes }), browser: await Browser.open(t, { args: farBound }) };
}
const pagesOf = (rows, make) => Object.fromEntries(rows.map(([, script], row) => [`/${row}`, make(script)]));

suite('An answer shows a change that waits for', () => {
  test('anything of the table, after navigation', async t => {
    const { origin, browser } = await open(t, pagesOf(lateChanges, onLoad));
    const missed = [];
    for (const [row, [name]] of lateChanges.entries()) {
      const { snapshot } = await goTo(browser, `${origin}/${row}`);
      if (!/shown/.test(snapshot)) missed.push(name);
    }
    assert.deepEqual(missed, []);
  });

  test('anything of the table, after a click', async t => {
    const { origin, browser } = await open(t, pagesOf(lateChanges, onClick));
    const missed = [];
    for (const [row, [name]] of lateChanges.entries()) {
      await goTo(browser, `${origin}/${row}`);
      const { snapshot } = await clickButton(browser);
      if (!/shown/.test(snapshot)) missed.push(name);
    }
    assert.deepEqual(missed, []);
  });

  for (const kind of ['a timer of 50 ms', 'a fetch', '12 animation frames']) {
    test(`${kind}, by every road to its page`, async t => {
      const script = lateChanges.find(([name]) => name === kind)[1];
      const missed = [];
      const browser = await Browser.open(t, { args: farBound });
      for (const [name, pages, go] of roads) {
        const origin = await serve(t, { ...answers, ...pages(), '/target': onLoad(script) });
        const { snapshot } = await go(browser, origin);
        if (!/shown/.test(snapshot ?? '')) missed.push(name);
      }
      assert.deepEqual(missed, []);
    });
  }
});

suite('A page that never rests because of', { concurrency: 2 }, () => {
  const timed = async (late, name, body) => {
    const begun = performance.now();
    const answer = await body();
    const milliseconds = Math.round(performance.now() - begun);
    if (milliseconds > farTime) late.push(`${name}: ${milliseconds} ms`);
    return answer;
  };

  test('anything of the table is answered long before the bound', async t => {
    const { origin, browser } = await open(t, pagesOf(restlessPages, beforeClick));
    const late = [];
    for (const [row, [name]] of restlessPages.entries()) {
      await timed(late, `navigation, ${name}`, () => goTo(browser, `${origin}/${row}`));
      const { text } = await timed(late, `click, ${name}`, () => clickButton(browser));
      assert.match(text, /Page Title: clicked 1/, name);
    }
    assert.deepEqual(late, []);
  });

  test('a click is answered long before the bound, too', async t => {
    const { origin, browser } = await open(t, pagesOf(restlessPages, onClick));
    const late = [];
    for (const [row, [name]] of restlessPages.entries()) {
      await goTo(browser, `${origin}/${row}`);
      await timed(late, name, () => clickButton(browser));
    }
    assert.deepEqual(late, []);
  });

  test('its reloading is answered', async t => {
    const { origin, browser } = await open(t, { '/': `<p>again</p><script>setTimeout(() => location.reload(), 50);</script>` });
    const { snapshot, isError } = await goTo(browser, origin);
    assert.equal(isError, false);
    assert.match(snapshot, /again/);
  });
});
