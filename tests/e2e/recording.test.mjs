// What a person does in the browser, recorded as code that does the same again.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { launch } from '../page/support.mjs';
import { evaluate, refOf, startBrowser, startSite } from './capabilities_support.mjs';

const codeOf = ({ text }) => /Recorded actions:\n\n```js\n([^]*?)\n```/.exec(text)?.[1] ?? assert.fail(text);

// What pages of the site have reported, and forgets it.
const takeReports = site => site.requests.splice(0).map(({ url }) => url).filter(url => url.startsWith('/did/'));

// Reports before the event is over, so that reports come in the order of what was done.
const did = `<script>const did = what => {
  const request = new XMLHttpRequest();
  request.open('GET', '/did/' + what, false);
  request.send();
};</script>`;
const pages = {
  '/': `${did}<label>Name <input id="name"></label><label><input type="checkbox" id="agree">Agree</label>
    <select id="color" onchange="did('choose/' + this.value)"><option>red</option><option>blue</option></select>
    <button onclick="did('save/' + document.querySelector('#name').value + agree.checked)">Save</button>
    <iframe src="/frame"></iframe> <a href="/second">Second</a>`,
  '/frame': `${did}<button onclick="did('frame')">Inner</button>`,
  '/second': `${did}<a href="/popup" target="_blank">Open</a><button onclick="did(confirm('Sure?'))">Ask</button>`,
  '/popup': `${did}<button onclick="did('popup')">Pop</button>`,
};

test('what was done is code that does the same again', async t => {
  const site = await startSite(t, pages);
  const browser = await startBrowser(t, 'devtools,vision');
  // Once the page, or what was opened, shows it.
  const press = async name => {
    while (!(await browser.call('snapshot')).text.includes(`"${name}"`));
    await browser.call('click', { target: await refOf(browser, `"${name}"`) });
  };

  assert.match((await browser.call('start_recording')).text, /Recording started\. Call browser_stop_recording/);
  await browser.call('navigate', { url: site.url });
  await browser.call('type', { target: '#name', text: 'Ann', slowly: true });
  await press('Agree');
  await browser.call('press_key', { key: 'Tab' });
  await browser.call('press_key', { key: 'ArrowDown' });
  const { x, y } = await evaluate(browser, 'document.querySelector("button").getBoundingClientRect().toJSON()');
  await browser.call('mouse_click_xy', { x: x + 5, y: y + 5 });
  await press('Inner');
  await press('Second');
  await press('Ask');
  await browser.call('handle_dialog', { accept: true });
  await press('Open');
  while ((await browser.call('tabs', { action: 'select', index: 1 })).isError); // until it has opened
  await press('Pop');
  const stopped = await browser.call('stop_recording');
  const reported = takeReports(site);

  assert.deepEqual(reported, ['/did/choose/blue', '/did/save/Anntrue', '/did/frame', '/did/true', '/did/popup']);
  assert.match(stopped.text, /### Snapshot/);
  const code = codeOf(stopped);
  assert.deepEqual(code.split('\n'), [
    `await page.goto('${site.url}/');`,
    `await page.getByRole('textbox', { name: 'Name' }).fill('Ann');`,
    `await page.getByRole('checkbox', { name: 'Agree' }).check();`,
    `await page.getByRole('checkbox', { name: 'Agree' }).press('Tab');`,
    `await page.locator('#color').selectOption('blue');`,
    `await page.getByRole('button', { name: 'Save' }).click();`,
    `await page.locator('iframe').contentFrame().getByRole('button', { name: 'Inner' }).click();`,
    `await page.getByRole('link', { name: 'Second' }).click();`,
    `page.once('dialog', dialog => dialog.accept());`,
    `await page.getByRole('button', { name: 'Ask' }).click();`,
    `const page1Promise = page.waitForEvent('popup');`,
    `await page.getByRole('link', { name: 'Open' }).click();`,
    `const page1 = await page1Promise;`,
    `await page1.getByRole('button', { name: 'Pop' }).click();`,
  ]);

  const other = await launch();
  t.after(() => other.close());
  const page = await other.newPage();
  const AsyncFunction = (async () => {}).constructor;
  await new AsyncFunction('page', code)(page);
  assert.deepEqual(takeReports(site), reported);
});

test('a password is not part of the recording, nor what a page does by itself', async t => {
  const site = await startSite(t, {
    '/': `<input type="password" placeholder="Password"><button>Go</button><script>
      setInterval(() => document.querySelector('button').click(), 10);</script>`,
  });
  const browser = await startBrowser(t, 'devtools', ['--codegen=python']);
  await browser.call('navigate', { url: site.url });

  await browser.call('start_recording');
  await browser.call('type', { target: 'input', text: 'hunter2', slowly: true, submit: true });
  const { text } = await browser.call('stop_recording');

  assert.match(text, /```python\npage\.get_by_role\("textbox", name="Password"\)\.fill\(os\.environ\["PASSWORD"\]\)\n/);
  assert.match(text, /from the environment: PASSWORD\./);
  assert.doesNotMatch(text, /hunter2|"Go"\)\.click/);
});

test('a recording has a beginning and an end', async t => {
  const site = await startSite(t, { '/': '<button>Go</button>', '/next': '<button>There</button>' });
  const browser = await startBrowser(t, 'devtools');
  await browser.call('navigate', { url: site.url });

  assert.match((await browser.call('stop_recording')).text, /No recording in progress, use browser_start_recording/);
  await browser.call('start_recording');
  assert.match((await browser.call('start_recording')).text, /Recording is already in progress\./);
  assert.match((await browser.call('stop_recording')).text, /No actions were recorded\./);
  await browser.call('navigate', { url: `${site.url}/next` });
  await browser.call('click', { target: 'button' });
  await browser.call('start_recording');
  await browser.call('click', { target: 'button' });
  assert.equal(codeOf(await browser.call('stop_recording')), `await page.getByRole('button', { name: 'There' }).click();`);
});
