// Pointing at elements: when they are ready, where to click, what is in the way.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addScripts, call, comparablePages, launch, openPage, pageScript } from './support.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const withPage = (name, html, work) => test(name, async () => {
  const page = await openPage(browser, html);
  try {
    await work(page);
  } finally {
    await page.close();
  }
});

// Both scripts on one page: [what, upstream's answer, ours] wherever they differ.
const comparePreviewsAndStates = () => {
  const attempt = work => {
    try {
      return work();
    } catch (error) {
      return error.message;
    }
  };
  const ours = (element, state) => {
    const answer = troupe.checkNow(element, [state]);
    return answer.error?.message ?? !!answer.ok;
  };
  const theirs = (element, state) => upstream.script.elementState(element, state, true).matches;
  const states = ['visible', 'hidden', 'enabled', 'disabled', 'editable', 'checked', 'unchecked', 'indeterminate'];
  return [...document.querySelectorAll('*')].flatMap(element => [
    ['preview', upstream.script.previewNode(element), troupe.preview(element)],
    ...states.map(state => [state, attempt(() => theirs(element, state)), attempt(() => ours(element, state))]),
  ].filter(([, wanted, found]) => wanted !== found).map(one => [troupe.preview(element), ...one]));
};

const compareHits = () => {
  const all = [...document.querySelectorAll('body, body *')];
  for (const element of [...all]) if (element.shadowRoot) all.push(...element.shadowRoot.querySelectorAll('*'));
  const points = Array.from({ length: 24 }, (_, i) => ({ x: 5 + (i % 6) * 110, y: 5 + Math.floor(i / 6) * 60 }));
  return all.filter((_, index) => index % 3 === 0).flatMap(element => points.map(point => {
    const result = upstream.script.expectHitTarget(point, element);
    return [troupe.preview(element), result.hitTargetDescription, troupe.hitTarget(element, point).obstacle];
  }).filter(([, wanted, found]) => wanted !== found));
};

test('previews, states and what intercepts a click agree with upstream on every fixture page', async () => {
  const page = await browser.newPage();
  const differences = [];
  for (const file of comparablePages()) {
    await page.goto(`file://${file}`);
    await addScripts(page);
    for (const compare of [comparePreviewsAndStates, compareHits]) {
      differences.push(...(await page.evaluate(compare)).map(one => [file, ...one]));
    }
  }
  await page.close();
  assert.deepEqual(differences, []);
});

const at = (left, top) => `position:absolute;left:${left}px;top:${top}px;width:80px;height:30px`;

withPage('a covered button names what covers it', `<button style="${at(10, 10)}">Save</button>
  <div id="overlay" class="dim" style="position:fixed;inset:0"><section><p>Wait</p></section></div>`, async page => {
  const result = await call(page, 'prepareClick', 'button');
  assert.equal(result.retry, true);
  assert.equal(result.reason, '<p>Wait</p> from <div class="dim" id="overlay">…</div> subtree intercepts pointer events');
  const error = await page.locator('button').click({ timeout: 3000 }).catch(thrown => thrown.message);
  assert.ok(error.includes(result.reason), error);
});

withPage('one call scrolls, waits, and finds the point to click', `<div style="height:3000px"></div>
  <button onclick="window.clicked = (window.clicked ?? 0) + 1" style="margin:50px">Far</button>`, async page => {
  const result = await call(page, 'prepareClick', 'button');
  assert.equal(result.ok, true);
  assert.deepEqual(result.log, [
    'waiting for element to be visible, enabled and stable', 'element is visible, enabled and stable',
    'scrolling into view if needed', 'done scrolling',
  ]);
  await page.mouse.click(result.point.x, result.point.y);
  assert.equal(await page.evaluate(() => window.clicked), 1);
  assert.deepEqual(await page.evaluate(() => troupe.releaseHit()), { ok: true });
});

withPage('the point is the one upstream points at', `<style>body { margin: 0 } div { margin: 7.3px }</style>
  <div style="width:33.5px;height:21px">a</div>
  <p style="width:120px">long <a href="#">link over several lines of text in a narrow column</a></p>
  <div id="turned" style="transform:rotate(30deg);width:50px;height:20px">r</div>
  <div id="outside" style="${at(-40, 300)}">o</div><span>inline</span>
  <svg width="40" height="40"><circle cx="20" cy="20" r="9"></circle></svg>`, async page => {
  await page.evaluate(() => addEventListener('mousemove', event => {
    window.at = { x: event.clientX, y: event.clientY };
  }, true));
  for (const selector of ['div', 'a', '#turned', '#outside', 'span', 'circle']) {
    const { point } = await call(page, 'prepareHover', selector);
    await page.evaluate(() => troupe.releaseHit());
    await page.mouse.move(500, 500);
    await page.locator(selector).first().hover({ timeout: 5000 });
    const there = await page.evaluate(() => window.at);
    const isNear = Math.abs(there.x - point.x) < 1 && Math.abs(there.y - point.y) < 1;
    assert.ok(isNear, `${selector}: ${JSON.stringify({ point, there })}`);
  }
});

withPage('an element that moves is not stable, and one that stops is', `<button>Catch me</button>
  <style>@keyframes go { to { margin-left: 500px } } button { animation: go 60s linear }</style>`, async page => {
  assert.deepEqual(await call(page, 'checkStates', 'button', ['stable']), { retry: true, reason: 'element is not stable' });
  await page.evaluate(() => { document.querySelector('button').style.animation = 'none'; });
  assert.deepEqual(await call(page, 'checkStates', 'button', ['visible', 'enabled', 'stable']), { ok: true });
});

withPage('reasons to wait', `<button id="a" disabled>a</button><button id="b" hidden>b</button>
  <input id="c" readonly><div id="d" style="position:fixed;left:-500px">d</div>`, async page => {
  assert.equal((await call(page, 'prepareClick', '#a')).reason, 'element is not enabled');
  assert.equal((await call(page, 'prepareClick', '#b')).reason, 'element is not visible');
  assert.equal((await call(page, 'prepareClick', '#d')).reason, 'element is outside of the viewport');
  assert.equal((await call(page, 'fill', '#c', 'x')).reason, 'element is not editable');
  assert.equal((await call(page, 'checkNow', '#d', ['visible'], { frameVisible: false })).reason, 'element is not visible');
  const { error } = await call(page, 'prepareClick', '#b', { force: true });
  assert.deepEqual(error, { code: 'ELEMENT_NOT_INTERACTIVE', message: 'Element is not visible' });
  const gone = await page.evaluate(() => {
    const button = document.querySelector('#a');
    button.remove();
    return troupe.prepareClick(button);
  });
  assert.deepEqual(gone, { retry: true, detached: true, reason: 'element was detached from the DOM', log: [] });
});

withPage('later attempts scroll out from under sticky bars', `<style>
  header, footer { position: fixed; left: 0; right: 0; height: 45%; z-index: 1 } header { top: 0 } footer { bottom: 0 }
  </style><header>H</header><footer>F</footer>
  <div style="height:2000px"></div><button>Middle</button><div style="height:2000px"></div>`, async page => {
  const outcomes = [];
  for (let attempt = 0; attempt < 4; attempt++) {
    outcomes.push((await call(page, 'prepareClick', 'button', { attempt })).reason ?? 'ok');
  }
  assert.deepEqual(outcomes.slice(1), [
    '<footer>F</footer> intercepts pointer events', 'ok', '<header>H</header> intercepts pointer events',
  ]);
});

withPage('scrolling is instant where the page scrolls smoothly', `<style>html, div { scroll-behavior: smooth }</style>
  <div style="height:200px;overflow:auto"><p style="height:3000px"></p><button>x</button></div>`, async page => {
  assert.equal((await call(page, 'prepareClick', 'button')).ok, true);
});

withPage('events that would hit something else never reach the page',
  `<button style="${at(10, 10)}" onclick="window.clicked = true">x</button>`, async page => {
    const { point } = await call(page, 'prepareClick', 'button');
    await page.evaluate(() => {
      document.body.insertAdjacentHTML('beforeend', '<div style="position:fixed;inset:0" onclick="window.wrong = true"></div>');
    });
    await page.mouse.click(point.x, point.y);
    const result = await page.evaluate(() => troupe.releaseHit());
    assert.equal(result.reason, '<div onclick="window.wrong = true"></div> intercepts pointer events');
    assert.deepEqual(await page.evaluate(() => [window.clicked, window.wrong]), [undefined, undefined]);
    await page.mouse.click(point.x, point.y);
    assert.equal(await page.evaluate(() => window.wrong), true);
  });

withPage('points inside of frames', `<iframe style="margin:20px;border:5px solid;padding:3px;width:200px;height:100px"
  srcdoc="<body style=margin:0><button style='width:50px;height:20px'>in</button>"></iframe>
  <iframe id="scaled" style="transform:scale(.5)" srcdoc=""></iframe>`, async page => {
  const frame = page.frames()[1];
  await frame.waitForSelector('button');
  await addScripts(frame, { upstream: false });
  const inner = await frame.evaluate(() => troupe.prepareClick(document.querySelector('button'), { scrollFirst: true }));
  assert.deepEqual(inner.point, { x: 25, y: 10 });
  const origin = await call(page, 'frameOrigin', 'iframe');
  const box = await page.locator('iframe').first().boundingBox();
  assert.deepEqual(origin, { ok: true, x: box.x + 8, y: box.y + 8, transformed: false });
  const outer = { x: origin.x + inner.point.x, y: origin.y + inner.point.y };
  assert.deepEqual(await call(page, 'framePoint', 'iframe', outer), { ok: true, point: inner.point });
  assert.equal((await call(page, 'framePoint', 'iframe', { x: 1, y: 1 })).retry, true);
  assert.equal((await call(page, 'framePoint', '#scaled', outer)).transformed, true);
});

test('everything works in an isolated world, whatever the page did to its own', async () => {
  const page = await browser.newPage();
  await page.setContent(`<script>
      Array.prototype.map = () => 'broken';
      Element.prototype.getAttribute = () => 'broken';
      window.troupe = 'mine';
      document.querySelector = null;
    </script>
    <p id="troupe"></p><form><input name="querySelectorAll"><input name="matches" placeholder="Name"></form>
    <img name="querySelectorAll"><button data-testid="go" onclick="document.title = 'clicked'">Go</button>`);
  const client = await page.context().newCDPSession(page);
  const { frameTree } = await client.send('Page.getFrameTree');
  const world = await client.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'troupe' });
  const evaluate = async expression => {
    const { result, exceptionDetails } = await client.send('Runtime.evaluate',
      { expression, contextId: world.executionContextId, returnByValue: true, awaitPromise: true });
    assert.equal(exceptionDetails, undefined, exceptionDetails?.exception?.description);
    return result.value;
  };
  await evaluate(pageScript());
  assert.equal(await evaluate(`troupe.generateLocator(troupe.query('text=Go'))`), `getByTestId('go')`);
  assert.equal(await evaluate(`troupe.generateLocator(troupe.query('[placeholder]'))`), `getByRole('textbox', { name: 'Name' })`);
  const { point } = await evaluate(`troupe.prepareClick(troupe.query('button'))`);
  await page.mouse.click(point.x, point.y);
  assert.equal(await page.title(), 'clicked');
  await page.close();
});
