// What a person does in a page, as steps.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, pageScript, recorderScript } from './support.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const start = async page => {
  await page.evaluate(recorderScript());
  await page.evaluate(() => {
    window.steps = [];
    troupe.startRecording({ language: 'javascript', testIdAttribute: 'data-testid' }, step => steps.push(step));
  });
};
// "click getByText('Go')", with what else there is to say, in the order in which it was done.
const stepsOf = page => page.evaluate(() => steps.map(({ name, selector, code, ...more }) => [name, code, more]));

const recording = (name, html, work) => test(name, async () => {
  const page = await openPage(browser, html, { upstream: false });
  try {
    await start(page);
    await work(page);
  } finally {
    await page.close();
  }
});

const clicked = { button: 'left', count: 1, modifiers: [] };

recording('clicks tell button, count and modifiers', '<button><b>Save</b></button><a href="#x">More</a>', async page => {
  await page.click('b');
  await page.click('b', { clickCount: 2 });
  await page.click('a', { modifiers: ['Shift'], button: 'middle' });
  await page.click('b', { button: 'right' });

  const button = "getByRole('button', { name: 'Save' })";
  assert.deepEqual(await stepsOf(page), [
    ['click', button, clicked],
    ['click', button, clicked],
    ['click', button, { ...clicked, count: 2 }],
    ['click', "getByRole('link', { name: 'More' })", { ...clicked, button: 'middle', modifiers: ['Shift'] }],
    ['click', button, { ...clicked, button: 'right' }],
  ]);
});

recording('where a canvas was clicked matters', '<canvas width="100" height="50"></canvas>', async page => {
  await page.click('canvas', { position: { x: 30, y: 20 } });
  assert.deepEqual(await stepsOf(page), [['click', "locator('canvas')", { ...clicked, position: { x: 30, y: 20 } }]]);
});

recording('typing tells what the field holds, under one locator', '<label>Name <input></label>', async page => {
  await page.focus('input');
  await page.keyboard.type('Ann');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Enter');

  const field = "getByRole('textbox', { name: 'Name' })";
  assert.deepEqual(await stepsOf(page), [
    ...['A', 'An', 'Ann', 'An'].map(text => ['fill', field, { text }]),
    ['press', field, { key: 'Enter', modifiers: [] }],
  ]);
});

recording('what is typed into an editable element is no part of its locator', '<div contenteditable>old</div>', async page => {
  await page.focus('div');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('new');

  const steps = await stepsOf(page);
  assert.deepEqual(steps.at(-1), ['fill', "locator('div')", { text: 'new' }]);
  assert.deepEqual(steps[0], ['press', "locator('div')", { key: 'a', modifiers: ['Control'] }]);
});

recording('passwords, codes and card numbers are never told', `<input type="password" placeholder="Password">
  <input autocomplete="one-time-code" placeholder="Code"><input autocomplete="cc-number" placeholder="Card">`, async page => {
  for (const kind of ['Password', 'Code', 'Card']) {
    await page.focus(`[placeholder=${kind}]`);
    await page.keyboard.type('s3');
  }
  await page.evaluate(() => { document.querySelector('input').type = 'text'; });
  await page.focus('input');
  await page.keyboard.type('x');

  const steps = await stepsOf(page);
  assert.ok(!JSON.stringify(steps).includes('s3'), JSON.stringify(steps));
  assert.deepEqual([...new Set(steps.map(([name, , { secret }]) => `${name} ${secret}`))],
    ['fill PASSWORD', 'fill ONE_TIME_CODE', 'fill CC_NUMBER']);
});

recording('what is typed out of sight is not told key by key', '<x-login></x-login><div id="d" tabindex="0">d</div>', async page => {
  await page.evaluate(() => {
    const root = document.querySelector('x-login').attachShadow({ mode: 'closed' });
    root.innerHTML = '<input type="password">';
    root.firstChild.focus();
  });
  await page.keyboard.type('pw');
  await page.focus('#d');
  await page.keyboard.type('j');

  assert.deepEqual((await stepsOf(page)).map(([name, , { key }]) => [name, key]),
    [['lost', undefined], ['lost', undefined], ['press', 'j']]);
});

recording('checkboxes tell their state, however it came', `<input type="checkbox" id="a"><label for="a">Agree</label>
  <label><input type="radio" name="r">Red</label>`, async page => {
  const box = "getByRole('checkbox', { name: 'Agree' })";
  await page.click('#a');
  await page.click('[for=a]');
  await page.focus('#a');
  await page.keyboard.press('Space');
  await page.getByText('Red').click();

  assert.deepEqual((await stepsOf(page)).map(([name, code]) => [name, code]), [
    ['check', box], ['uncheck', box], ['check', box], ['check', "getByRole('radio', { name: 'Red' })"],
  ]);
});

recording('a link inside a label is a link', '<label><input type="checkbox">I have read <a href="#t">the terms</a></label>',
  async page => {
    await page.click('a');
    assert.deepEqual(await stepsOf(page), [['click', "getByRole('link', { name: 'the terms' })", clicked]]);
  });

recording('choosing tells the values', `<select><option value="r">Red</option><option value="g">Green</option></select>
  <input type="range" min="0" max="10" value="5">`, async page => {
  await page.focus('select');
  await page.keyboard.press('ArrowDown');
  await page.focus('input');
  await page.keyboard.press('ArrowRight');

  assert.deepEqual(await stepsOf(page), [
    ['select', "getByRole('combobox')", { values: ['g'] }],
    ['fill', "getByRole('slider')", { text: '6' }],
  ]);
});

recording('keys that a page listens to are told', `<textarea placeholder="Say"></textarea><script>
  document.querySelector('textarea').onkeydown = event => {
    if (event.key === 'Enter' && !event.shiftKey) event.preventDefault();
  };</script>`, async page => {
  await page.keyboard.press('j');
  await page.focus('textarea');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => steps.some(({ name, key }) => name === 'press' && key === 'Enter'));

  const field = "getByRole('textbox', { name: 'Say' })";
  assert.deepEqual(await stepsOf(page), [
    ['press', "locator('body')", { key: 'j', modifiers: [] }],
    ['fill', field, { text: '\n' }],
    ['press', field, { key: 'Enter', modifiers: [] }],
  ]);
});

recording('a page cannot write steps', `<button>Go</button><input id="t"><input type="checkbox" id="c"><label for="c">L</label>`,
  async page => {
    await page.evaluate(() => {
      const event = (type, name, options) => new window[type](name, { bubbles: true, detail: 1, ...options });
      document.querySelector('button').click();
      document.querySelector('button').dispatchEvent(event('MouseEvent', 'click'));
      document.querySelector('label').click();
      document.querySelector('#c').click();
      document.body.dispatchEvent(event('KeyboardEvent', 'keydown', { key: 'x' }));
      document.querySelector('#t').value = 'forged';
      document.querySelector('#t').dispatchEvent(event('InputEvent', 'input'));
    });
    await page.click('button');
    assert.deepEqual((await stepsOf(page)).map(([name]) => name), ['click']);
  });

recording('nothing is told once it has ended, nor twice when it began twice', '<button>Go</button>', async page => {
  await page.evaluate(recorderScript());
  await page.evaluate(() => troupe.startRecording({ language: 'python', testIdAttribute: 'data-testid' }, step => steps.push(step)));
  await page.click('button');
  await page.evaluate(() => troupe.stopRecording());
  await page.click('button');

  assert.deepEqual(await stepsOf(page), [['click', 'get_by_role("button", name="Go")', clicked]]);
});

test('a step in a frame says how the frame is found from outside', async () => {
  const page = await openPage(browser, '<iframe name="inner" srcdoc="<button>In</button>"></iframe>', { upstream: false });
  try {
    const frame = page.frame('inner');
    await frame.waitForSelector('button');
    await frame.evaluate(pageScript());
    await start(frame);
    await frame.click('button');
    assert.deepEqual(await stepsOf(frame),
      [['click', `locator('iframe[name="inner"]').contentFrame().getByRole('button', { name: 'In' })`, clicked]]);
  } finally {
    await page.close();
  }
});
