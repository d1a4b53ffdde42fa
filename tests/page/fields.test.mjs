// Filling, choosing, checking and dropping.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, launch, openPage } from './support.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const withPage = (name, html, work) => test(name, async () => {
  const page = await openPage(browser, html, { upstream: false });
  await page.evaluate(() => {
    window.events = [];
    for (const type of ['input', 'change']) addEventListener(type, event => window.events.push(`${event.target.id} ${type}`), true);
  });
  try {
    await work(page);
  } finally {
    await page.close();
  }
});

const fields = `<input id="text"><input id="number" type="number"><input id="date" type="date">
  <input id="color" type="color"><input id="range" type="range" min="0" max="10"><input id="time" type="time">
  <input id="check" type="checkbox"><textarea id="area">old</textarea><div id="edit" contenteditable>old</div>
  <p id="p">p</p><label id="label">L <input id="inner"></label><div id="box" role="textbox">t</div>`;

withPage('values that cannot be typed are set', fields, async page => {
  const values = { date: '2024-02-29', color: '#FF00aa', range: '7', time: ' 13:45 ' };
  for (const [id, value] of Object.entries(values)) {
    assert.deepEqual(await call(page, 'fill', `#${id}`, value), { ok: true, needsInput: false });
    assert.equal(await page.locator(`#${id}`).inputValue(), value.trim().toLowerCase());
  }
  const events = Object.keys(values).flatMap(id => [`${id} input`, `${id} change`]);
  assert.deepEqual(await page.evaluate(() => window.events), events);
});

withPage('what is typed goes over a selection of everything', fields, async page => {
  for (const id of ['text', 'number', 'area', 'edit', 'label']) {
    assert.deepEqual(await call(page, 'fill', `#${id}`, '42'), { ok: true, needsInput: true }, id);
    await page.keyboard.insertText('42');
  }
  const values = await page.evaluate(() => ['text', 'number', 'area', 'inner'].map(id => document.getElementById(id).value));
  assert.deepEqual(values, ['42', '42', '42', '42']);
  assert.equal(await page.locator('#edit').textContent(), '42');
});

withPage('what cannot be filled says so in the words of upstream', fields, async page => {
  const attempts = { number: 'abc', date: 'yesterday', color: 'red', check: 'x', p: 'x', box: 'x' };
  for (const [id, value] of Object.entries(attempts)) {
    const theirs = await page.locator(`#${id}`).fill(value, { timeout: 5000 }).catch(thrown => thrown.message);
    const { error } = await call(page, 'fill', `#${id}`, value);
    assert.equal(error.code, 'ELEMENT_NOT_INTERACTIVE');
    assert.ok(theirs.startsWith(`locator.fill: Error: ${error.message}`), `${id}: ${theirs} / ${error.message}`);
  }
  assert.deepEqual(await call(page, 'fillKind', '#range'), { ok: true, kind: 'value' });
  assert.deepEqual(await call(page, 'fillKind', '#area'), { ok: true, kind: 'type' });
});

withPage('options are chosen by value or label', `<select id="one"><option value="a">Apple</option>
  <option value="b">Big
  pear</option><option value="Apple">c</option><option value="d" disabled>D</option></select>
  <select id="many" multiple><option>x</option><option>y</option><option selected>z</option></select><p>no</p>`, async page => {
  assert.deepEqual(await call(page, 'selectOptions', '#one', ['Big pear']), { ok: true, values: ['b'] });
  assert.deepEqual(await call(page, 'selectOptions', '#one', ['Apple']), { ok: true, values: ['a'] });
  assert.deepEqual(await call(page, 'selectOptions', '#one', [{ value: 'Apple' }]), { ok: true, values: ['Apple'] });
  assert.deepEqual(await page.evaluate(() => window.events), Array(3).fill(['one input', 'one change']).flat());
  assert.deepEqual(await call(page, 'selectOptions', '#many', ['y', 'x']), { ok: true, values: ['x', 'y'] });
  const chosen = await page.evaluate(() => [...document.querySelector('#many').selectedOptions].map(option => option.value));
  assert.deepEqual(chosen, ['x', 'y']);
  assert.equal((await call(page, 'selectOptions', '#many', ['x', 'q'])).reason, 'did not find some options');
  assert.equal((await call(page, 'selectOptions', '#one', ['D'])).reason, 'option being selected is not enabled');
  assert.equal((await call(page, 'selectOptions', 'p', ['D'])).error.message, 'Element is not a <select> element');
});

withPage('checking takes a click or nothing', `<input id="a" type="checkbox"><input id="b" type="checkbox" checked>
  <input id="r" type="radio" checked><label id="l">L<input type="checkbox"></label>
  <div id="s" role="switch" aria-checked="true"></div><p>no</p>`, async page => {
  assert.deepEqual(await call(page, 'setChecked', '#a', true), { ok: true, click: true });
  assert.deepEqual(await call(page, 'setChecked', '#b', true), { ok: true, click: false });
  assert.deepEqual(await call(page, 'setChecked', '#l', true), { ok: true, click: true });
  assert.deepEqual(await call(page, 'setChecked', '#s', true), { ok: true, click: false });
  assert.match((await call(page, 'setChecked', '#r', false)).error.message, /^Cannot uncheck radio button/);
  assert.equal((await call(page, 'setChecked', 'p', true)).error.message, 'Not a checkbox or radio button');
  const { error } = await call(page, 'setChecked', '#a', true, { clicked: true });
  assert.equal(error.message, 'Clicking the checkbox did not change its state');
});

withPage('files and data are dropped', '<div id="yes"></div><div id="no"></div>', async page => {
  await page.evaluate(() => {
    window.seen = [];
    for (const type of ['dragenter', 'dragover', 'dragleave', 'drop']) {
      addEventListener(type, event => window.seen.push(`${event.target.id} ${type}`));
    }
    const yes = document.querySelector('#yes');
    yes.addEventListener('dragover', event => event.preventDefault());
    yes.addEventListener('drop', ({ dataTransfer, clientX }) => {
      const files = [...dataTransfer.files].map(file => `${file.name} ${file.type} ${file.size}`);
      window.dropped = [dataTransfer.getData('text/plain'), clientX, ...files];
    });
  });
  const content = {
    files: [{ name: 'a.txt', mimeType: 'text/plain', base64: 'aGVsbG8=' }],
    data: [{ mimeType: 'text/plain', value: 'hi' }],
  };
  assert.deepEqual(await call(page, 'dispatchDrop', '#yes', content, { x: 7, y: 8 }), { ok: true });
  assert.deepEqual(await page.evaluate(() => window.dropped), ['hi', 7, 'a.txt text/plain 5']);
  const { error } = await call(page, 'dispatchDrop', '#no', content, { x: 7, y: 90 });
  assert.match(error.message, /^Drop target did not accept the drop — /);
  assert.deepEqual(await page.evaluate(() => window.seen), [
    'yes dragenter', 'yes dragover', 'yes drop', 'no dragenter', 'no dragover', 'no dragleave',
  ]);
});

withPage('focus and text selection', '<input id="a" value="abc"><textarea id="t">xyz</textarea><p id="p">para</p>', async page => {
  const focused = () => page.evaluate(() => {
    const { id, selectionStart, selectionEnd } = document.activeElement;
    return [id, selectionStart, selectionEnd];
  });
  await call(page, 'focus', '#a', { caretToStart: true });
  assert.deepEqual(await focused(), ['a', 0, 0]);
  await call(page, 'selectText', '#t');
  assert.deepEqual(await focused(), ['t', 0, 3]);
  await call(page, 'selectText', '#p');
  assert.equal(await page.evaluate(() => String(getSelection())), 'para');
});
