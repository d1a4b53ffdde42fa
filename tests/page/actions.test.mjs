// Acting on elements: when they are ready, where to click, what is in the way, how fields are filled.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addScripts, comparablePages, launch, openPage, pageScript } from './support.mjs';

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

// Calls troupe[method](element, ...rest) in the page.
const call = (page, method, selector, ...rest) => page.evaluate(([name, css, args]) =>
  troupe[name](document.querySelector(css), ...args), [method, selector, rest]);

test('previews and states agree with upstream on every fixture page', async () => {
  const page = await browser.newPage();
  const differences = [];
  let count = 0;
  for (const file of comparablePages()) {
    await page.goto(`file://${file}`);
    await addScripts(page);
    const result = await page.evaluate(() => {
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
      const states = ['visible', 'hidden', 'enabled', 'disabled', 'editable', 'checked', 'unchecked', 'indeterminate'];
      const all = [...document.querySelectorAll('*')];
      return { count: all.length, differences: all.flatMap(element => [
        ['preview', attempt(() => upstream.script.previewNode(element)), attempt(() => troupe.preview(element))],
        ...states.map(state => [state, attempt(() => upstream.script.elementState(element, state, true).matches), attempt(() => ours(element, state))]),
      ].filter(([, wanted, found]) => wanted !== found).map(one => [troupe.preview(element), ...one])) };
    });
    count += result.count;
    differences.push(...result.differences.map(one => [file, ...one]));
  }
  await page.close();
  assert.deepEqual(differences, [], `${differences.length} of ${count} differ`);
});

test('what intercepts a click is described as upstream does', async () => {
  const page = await browser.newPage();
  const differences = [];
  for (const file of comparablePages()) {
    await page.goto(`file://${file}`);
    await addScripts(page);
    differences.push(...await page.evaluate(() => {
      const all = [...document.querySelectorAll('body, body *')];
      for (const element of [...all]) if (element.shadowRoot) all.push(...element.shadowRoot.querySelectorAll('*'));
      const points = Array.from({ length: 24 }, (_, i) => ({ x: 5 + (i % 6) * 110, y: 5 + Math.floor(i / 6) * 60 }));
      const targets = all.filter((_, index) => index % 3 === 0);
      return targets.flatMap(element => points.map(point => {
        const wanted = upstream.script.expectHitTarget(point, element);
        const found = troupe.hitTarget(element, point);
        return wanted === 'done' ? (found.ok ? null : [troupe.preview(element), point, 'ok', found.reason])
          : found.obstacle === wanted.hitTargetDescription ? null : [troupe.preview(element), point, wanted.hitTargetDescription, found.reason];
      }).filter(Boolean));
    }).then(list => list.map(one => [file, ...one])));
  }
  await page.close();
  assert.deepEqual(differences, []);
});

withPage('a covered button names what covers it', `<button style="position:absolute;left:10px;top:10px;width:80px;height:30px">Save</button>
  <div id="overlay" class="dim" style="position:fixed;inset:0"><section><p>Wait</p></section></div>`, async page => {
  const result = await call(page, 'prepareClick', 'button');
  assert.equal(result.retry, true);
  assert.equal(result.reason, '<p>Wait</p> from <div class="dim" id="overlay">…</div> subtree intercepts pointer events');
  const error = await page.locator('button').click({ timeout: 300 }).catch(thrown => thrown.message);
  assert.ok(error.includes(result.reason), error);
});

withPage('one call scrolls, waits, and finds the point to click', `<div style="height:3000px"></div><button onclick="window.clicked = (window.clicked ?? 0) + 1" style="margin:50px;width:100px;height:40px">Far</button>`, async page => {
  const result = await call(page, 'prepareClick', 'button');
  assert.equal(result.ok, true);
  assert.deepEqual(result.log, ['waiting for element to be visible, enabled and stable', 'element is visible, enabled and stable', 'scrolling into view if needed', 'done scrolling']);
  await page.mouse.click(result.point.x, result.point.y);
  assert.equal(await page.evaluate(() => window.clicked), 1);
  assert.deepEqual(await page.evaluate(() => troupe.releaseHit()), { ok: true });
});

withPage('the point is the one upstream clicks', `<style>body { margin: 0 } div { margin: 7.3px }</style><div style="width:33.5px;height:21px">a</div><p style="width:120px">
  long <a href="#">link over several lines of text in a narrow column</a></p><div id="r" style="transform:rotate(30deg);width:50px;height:20px">r</div>
  <div style="position:absolute;left:-40px;top:300px;width:100px;height:30px" id="out">o</div><span id="i">inline</span><svg width="40" height="40"><circle cx="20" cy="20" r="9"></circle></svg>`, async page => {
  await page.evaluate(() => addEventListener('mousemove', event => { window.at = { x: event.clientX, y: event.clientY }; }, true));
  for (const selector of ['div', 'a', '#r', '#out', '#i', 'circle']) {
    const { point } = await call(page, 'prepareHover', selector);
    await page.evaluate(() => troupe.releaseHit());
    await page.mouse.move(500, 500);
    await page.locator(selector).first().hover({ timeout: 5000 });
    const there = await page.evaluate(() => window.at);
    assert.ok(Math.abs(there.x - point.x) < 1 && Math.abs(there.y - point.y) < 1, `${selector}: ${JSON.stringify({ point, there })}`);
  }
});

withPage('an element that moves is not stable, and one that stops is', '<style>@keyframes go { to { margin-left: 500px } } button { animation: go 400ms linear }</style><button>Catch me</button>', async page => {
  assert.deepEqual(await call(page, 'checkStates', 'button', ['stable']), { retry: true, reason: 'element is not stable' });
  await page.waitForTimeout(600);
  assert.deepEqual(await call(page, 'checkStates', 'button', ['visible', 'enabled', 'stable']), { ok: true });
});

withPage('reasons to wait', '<button id="a" disabled>a</button><button id="b" hidden>b</button><input id="c" readonly><div id="d" style="position:fixed;left:-500px">d</div>', async page => {
  assert.equal((await call(page, 'prepareClick', '#a')).reason, 'element is not enabled');
  assert.equal((await call(page, 'prepareClick', '#b')).reason, 'element is not visible');
  assert.equal((await call(page, 'prepareClick', '#d')).reason, 'element is outside of the viewport');
  assert.equal((await call(page, 'fill', '#c', 'x')).reason, 'element is not editable');
  assert.equal((await call(page, 'checkNow', '#d', ['visible'], { frameVisible: false })).reason, 'element is not visible');
  assert.deepEqual((await call(page, 'prepareClick', '#b', { force: true })).error, { code: 'ELEMENT_NOT_INTERACTIVE', message: 'Element is not visible' });
  const gone = await page.evaluate(() => {
    const button = document.querySelector('#a');
    button.remove();
    return troupe.prepareClick(button);
  });
  assert.deepEqual(gone, { retry: true, detached: true, reason: 'element was detached from the DOM', log: [] });
});

withPage('later attempts scroll out from under sticky bars', `<style>header, footer { position: fixed; left: 0; right: 0; height: 45%; background: #ccc; z-index: 1 } header { top: 0 } footer { bottom: 0 }</style>
  <header>H</header><footer>F</footer><div style="height:2000px"></div><button>Middle</button><div style="height:2000px"></div>`, async page => {
  const outcomes = [];
  for (let attempt = 0; attempt < 4; attempt++) outcomes.push((await call(page, 'prepareClick', 'button', { attempt })).reason ?? 'ok');
  assert.equal(outcomes[1], '<footer>F</footer> intercepts pointer events');
  assert.equal(outcomes[2], 'ok');
  assert.equal(outcomes[3], '<header>H</header> intercepts pointer events');
});

withPage('scrolling is instant where the page scrolls smoothly', '<style>html, div { scroll-behavior: smooth }</style><div style="height:200px;overflow:auto"><p style="height:3000px"></p><button>x</button></div>', async page => {
  assert.equal((await call(page, 'prepareClick', 'button')).ok, true);
});

withPage('events that would hit something else never reach the page', '<button style="position:absolute;left:10px;top:10px;width:80px;height:30px" onclick="window.clicked = true">x</button>', async page => {
  const { point } = await call(page, 'prepareClick', 'button');
  await page.evaluate(() => {
    document.body.insertAdjacentHTML('beforeend', '<div id="late" style="position:fixed;inset:0" onclick="window.wrong = true"></div>');
  });
  await page.mouse.click(point.x, point.y);
  const result = await page.evaluate(() => troupe.releaseHit());
  assert.equal(result.reason, '<div id="late" onclick="window.wrong = true"></div> intercepts pointer events');
  assert.deepEqual(await page.evaluate(() => [window.clicked, window.wrong]), [undefined, undefined]);
  await page.mouse.click(point.x, point.y);
  assert.equal(await page.evaluate(() => window.wrong), true);
});

withPage('points inside of frames', '<iframe style="margin:20px;border:5px solid;padding:3px;width:200px;height:100px" srcdoc="<body style=margin:0><button style=\'width:50px;height:20px\'>in</button>"></iframe><iframe id="t" style="transform:scale(.5)" srcdoc=""></iframe>', async page => {
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
  assert.equal((await call(page, 'framePoint', '#t', outer)).transformed, true);
});

const fields = `<input id="text"><input id="number" type="number"><input id="date" type="date"><input id="color" type="color"><input id="range" type="range" min="0" max="10">
  <input id="time" type="time"><input id="check" type="checkbox"><textarea id="area">old</textarea><div id="edit" contenteditable>old</div><p id="p">p</p><label id="label">L <input id="inner"></label><div id="box" role="textbox">t</div>`;

withPage('fields are filled, each in its way', fields, async page => {
  await page.evaluate(() => {
    window.events = [];
    for (const type of ['input', 'change']) addEventListener(type, event => window.events.push(`${event.target.id} ${type}`), true);
  });
  for (const [id, value, result] of [['date', '2024-02-29', '2024-02-29'], ['color', '#FF00aa', '#ff00aa'], ['range', '7', '7'], ['time', ' 13:45 ', '13:45']]) {
    assert.deepEqual(await call(page, 'fill', `#${id}`, value), { ok: true, needsInput: false });
    assert.equal(await page.locator(`#${id}`).inputValue(), result);
  }
  assert.deepEqual(await page.evaluate(() => window.events), ['date', 'color', 'range', 'time'].flatMap(id => [`${id} input`, `${id} change`]));
  for (const id of ['text', 'number', 'area', 'edit', 'label']) {
    assert.deepEqual(await call(page, 'fill', `#${id}`, '42'), { ok: true, needsInput: true }, id);
    await page.keyboard.insertText('42');
  }
  assert.deepEqual(await page.evaluate(() => ['text', 'number', 'area', 'inner'].map(id => document.getElementById(id).value)), ['42', '42', '42', '42']);
  assert.equal(await page.locator('#edit').textContent(), '42');
});

withPage('what cannot be filled says so in the words of upstream', fields, async page => {
  for (const [id, value] of [['number', 'abc'], ['date', 'yesterday'], ['color', 'red'], ['check', 'x'], ['p', 'x'], ['box', 'x']]) {
    const error = await page.locator(`#${id}`).fill(value, { timeout: 500 }).catch(thrown => thrown.message);
    const { error: ours } = await call(page, 'fill', `#${id}`, value);
    assert.equal(ours.code, 'ELEMENT_NOT_INTERACTIVE');
    assert.ok(error.startsWith(`locator.fill: Error: ${ours.message}`), `${id}: ${error} / ${ours.message}`);
  }
  assert.deepEqual(await call(page, 'fillKind', '#range'), { ok: true, kind: 'value' });
  assert.deepEqual(await call(page, 'fillKind', '#area'), { ok: true, kind: 'type' });
});

withPage('options are chosen by value or label', `<select id="one"><option value="a">Apple</option><option value="b">Big
  pear</option><option value="Apple">c</option><option value="d" disabled>D</option></select><select id="many" multiple><option>x</option><option>y</option><option selected>z</option></select><p>no</p>`, async page => {
  await page.evaluate(() => { window.events = []; for (const type of ['input', 'change']) addEventListener(type, event => window.events.push(type)); });
  assert.deepEqual(await call(page, 'selectOptions', '#one', ['Big pear']), { ok: true, values: ['b'] });
  assert.deepEqual(await call(page, 'selectOptions', '#one', ['Apple']), { ok: true, values: ['a'] });
  assert.deepEqual(await call(page, 'selectOptions', '#one', [{ value: 'Apple' }]), { ok: true, values: ['Apple'] });
  assert.deepEqual(await page.evaluate(() => window.events.splice(0)), ['input', 'change', 'input', 'change', 'input', 'change']);
  assert.deepEqual(await call(page, 'selectOptions', '#many', ['y', 'x']), { ok: true, values: ['x', 'y'] });
  assert.deepEqual(await page.evaluate(() => [...document.querySelector('#many').selectedOptions].map(option => option.value)), ['x', 'y']);
  assert.equal((await call(page, 'selectOptions', '#many', ['x', 'q'])).reason, 'did not find some options');
  assert.equal((await call(page, 'selectOptions', '#one', ['D'])).reason, 'option being selected is not enabled');
  assert.equal((await call(page, 'selectOptions', 'p', ['D'])).error.message, 'Element is not a <select> element');
});

withPage('checking takes a click or nothing', '<input id="a" type="checkbox"><input id="b" type="checkbox" checked><input id="r" type="radio" checked><label id="l">L<input type="checkbox"></label><div id="s" role="switch" aria-checked="true"></div><p>no</p>', async page => {
  assert.deepEqual(await call(page, 'setChecked', '#a', true), { ok: true, click: true });
  assert.deepEqual(await call(page, 'setChecked', '#b', true), { ok: true, click: false });
  assert.deepEqual(await call(page, 'setChecked', '#l', true), { ok: true, click: true });
  assert.deepEqual(await call(page, 'setChecked', '#s', true), { ok: true, click: false });
  assert.match((await call(page, 'setChecked', '#r', false)).error.message, /^Cannot uncheck radio button/);
  assert.equal((await call(page, 'setChecked', 'p', true)).error.message, 'Not a checkbox or radio button');
  assert.equal((await call(page, 'setChecked', '#a', true, { clicked: true })).error.message, 'Clicking the checkbox did not change its state');
});

withPage('files and data are dropped', '<div id="yes" style="width:100px;height:50px"></div><div id="no" style="width:100px;height:50px"></div>', async page => {
  await page.evaluate(() => {
    window.seen = [];
    for (const type of ['dragenter', 'dragover', 'dragleave', 'drop']) addEventListener(type, event => window.seen.push(`${event.target.id} ${type}`));
    const yes = document.querySelector('#yes');
    yes.addEventListener('dragover', event => event.preventDefault());
    yes.addEventListener('drop', async event => { window.dropped = [event.dataTransfer.getData('text/plain'), event.clientX, ...[...event.dataTransfer.files].map(file => `${file.name} ${file.type} ${file.size}`)]; });
  });
  const content = { files: [{ name: 'a.txt', mimeType: 'text/plain', base64: 'aGVsbG8=' }], data: [{ mimeType: 'text/plain', value: 'hi' }] };
  assert.deepEqual(await call(page, 'dispatchDrop', '#yes', content, { x: 7, y: 8 }), { ok: true });
  assert.deepEqual(await page.evaluate(() => window.dropped), ['hi', 7, 'a.txt text/plain 5']);
  assert.match((await call(page, 'dispatchDrop', '#no', content, { x: 7, y: 90 })).error.message, /^Drop target did not accept the drop — /);
  assert.deepEqual(await page.evaluate(() => window.seen), ['yes dragenter', 'yes dragover', 'yes drop', 'no dragenter', 'no dragover', 'no dragleave']);
});

withPage('focus and text selection', '<input id="a" value="abc"><textarea id="t">xyz</textarea><p id="p">para</p>', async page => {
  await call(page, 'focus', '#a', { caretToStart: true });
  assert.deepEqual(await page.evaluate(() => [document.activeElement.id, document.activeElement.selectionStart]), ['a', 0]);
  await call(page, 'selectText', '#t');
  assert.deepEqual(await page.evaluate(() => [document.activeElement.id, document.activeElement.selectionStart, document.activeElement.selectionEnd]), ['t', 0, 3]);
  await call(page, 'selectText', '#p');
  assert.equal(await page.evaluate(() => String(getSelection())), 'para');
});

test('everything works in an isolated world, whatever the page did to its own', async () => {
  const page = await browser.newPage();
  await page.setContent(`<script>Array.prototype.map = () => 'broken'; Element.prototype.getAttribute = () => 'broken'; window.troupe = 'mine'; document.querySelector = null;</script>
    <p id="troupe"></p><form><input name="querySelectorAll"><input name="matches" placeholder="Name"></form><img name="querySelectorAll"><button data-testid="go" onclick="document.title = 'clicked'">Go</button>`);
  const client = await page.context().newCDPSession(page);
  const { frameTree } = await client.send('Page.getFrameTree');
  const { executionContextId } = await client.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'troupe' });
  const evaluate = async expression => {
    const { result, exceptionDetails } = await client.send('Runtime.evaluate', { expression, contextId: executionContextId, returnByValue: true, awaitPromise: true });
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
