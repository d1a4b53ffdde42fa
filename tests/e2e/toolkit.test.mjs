import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { startBrowser, startSite } from './capabilities_support.mjs';

const page = `<!doctype html><html lang="en"><head><title>Shop</title>
<meta name="description" content="Things"><link rel="canonical" href="/shop">
<meta property="og:title" content="The Shop">
<script type="application/ld+json">{"@type": "Store"}</script></head>
<body style="height: 3000px">
<button id="buy" onclick="done.textContent = 'bought'" ondblclick="done.textContent = 'twice'">Buy</button>
<p id="done"></p>
<button id="hidden" style="display: none">Hidden</button>
<div style="display: none"><input id="hidden-name"><input id="hidden-agree" type="checkbox"><input id="hidden-agreed" type="checkbox" checked><select id="hidden-size"><option>x</select></div>
<button id="disabled" disabled>Off</button>
<input id="name" value="old"><input id="agree" type="checkbox">
<select id="size"><option value="s">Small</option><option value="l">Large</option></select>
<input id="file" type="file" style="display: none">
<a href="/next" class="link">Next</a> <a href="https://example.com/" class="link">Out</a>
<div id="from" draggable="true">drag</div>
<div id="to" ondragover="event.preventDefault()" ondrop="this.textContent = 'dropped'">drop here</div>
<table><thead><tr><th rowspan="2">Item</th><th colspan="2">Price</th></tr><tr><th>net</th><th>gross</th></tr></thead>
<tbody><tr><td rowspan="2">Pen</td><td>1</td><td>2</td></tr><tr><td colspan="2">free</td></tr></tbody></table>
</body></html>`;

const pages = { '/': page, '/next': '<title>Next</title><h1>Next</h1><a href="/">back</a>', '/api': 'real' };

// `ask(tool, arguments)` gives the structured answer.
async function startToolkit(t, args = []) {
  const site = await startSite(t, pages);
  const browser = await startBrowser(t, 'toolkit', args);
  const call = (name, given = {}) => browser.request('tools/call', { name, arguments: given });
  const ask = async (name, given) => {
    const { content, structuredContent, isError = false } = await call(name, given);
    assert.deepEqual(JSON.parse(content[0].text), structuredContent, name);
    assert.equal(isError, 'error' in structuredContent, name);
    return structuredContent;
  };
  const data = async (name, given) => {
    const answer = await ask(name, given);
    assert.ok(answer.success, `${name}: ${JSON.stringify(answer)}`);
    return answer.data;
  };
  const code = async (name, given) => (await ask(name, given)).error?.code;
  await data('navigate', { url: site.url });
  return { ...browser, site, call, ask, data, code };
}

test('the toolkit is off by default, and each tool says what it answers', async t => {
  const plain = await startBrowser(t, '');
  const { tools } = await plain.request('tools/list');
  assert.ok(!tools.some(({ name }) => name === 'navigate'));

  const browser = await startBrowser(t, 'toolkit');
  const own = (await browser.request('tools/list')).tools.filter(({ name }) => !name.startsWith('browser_'));
  assert.equal(own.length, 38);
  for (const { name, outputSchema } of own) {
    assert.equal(outputSchema.type, 'object', name);
    assert.ok(outputSchema.properties.error, name);
  }
});

test('navigation', async t => {
  const { site, data, ask, code } = await startToolkit(t);

  assert.deepEqual(await data('navigate', { url: `${site.url}/next`, waitUntil: 'networkidle' }),
    { url: `${site.url}/next`, title: 'Next', status: 200 });
  assert.equal((await data('go_back')).title, 'Shop');
  assert.equal((await data('go_forward', { waitUntil: 'domcontentloaded' })).title, 'Next');
  assert.equal(await code('go_forward'), 'NAVIGATION_FAILED');
  assert.equal((await data('reload', { ignoreCache: true })).title, 'Next');
  assert.equal((await data('wait_for_load', { state: 'networkidle' })).title, 'Next');
  assert.equal((await data('navigate', { url: `${site.url}/none`, waitUntil: 'domcontentloaded' })).status, 404);
  assert.equal(await code('navigate', { url: 'file:///etc/passwd' }), 'POLICY_DENIED');
  const { error } = await ask('navigate', { url: 'http://127.0.0.1:1/' });
  assert.equal(error.code, 'NAVIGATION_FAILED');
  assert.match(error.message, /ERR_/);
  assert.ok(error.suggestion);
});

test('interaction', async t => {
  const { data, directory } = await startToolkit(t);
  const textOf = async selector => (await data('get_text', { selector })).text;
  const valueOf = async selector => (await data('get_value', { selector })).value;

  await data('click', { selector: '#buy' });
  assert.equal(await textOf('#done'), 'bought');
  await data('click', { selector: '#buy', clickCount: 2 });
  assert.equal(await textOf('#done'), 'twice');
  await data('fill', { selector: '#name', value: 'Ann' });
  assert.equal(await valueOf('#name'), 'Ann');
  await data('fill', { selector: '#name', value: '' });
  await data('type', { selector: '#name', text: 'Bob', delay: 5 });
  assert.equal(await valueOf('#name'), 'Bob');
  await data('press', { selector: '#name', key: 'a', modifiers: ['Control'] });
  await data('press', { key: 'Delete' });
  assert.equal(await valueOf('#name'), '');
  assert.deepEqual((await data('select', { selector: '#size', values: ['Large'] })).values, ['l']);
  await data('check', { selector: '#agree' });
  assert.equal(await data('evaluate', { script: 'agree.checked' }), true);
  await data('uncheck', { selector: '#agree' });
  assert.equal(await data('evaluate', { script: 'agree.checked' }), false);
  await data('hover', { selector: '#buy' });
  assert.equal(await data('evaluate', { script: "document.querySelector('#buy').matches(':hover')" }), true);
  await data('drag_and_drop', { source: '#from', target: '#to' });
  assert.equal(await textOf('#to'), 'dropped');
  const scrolled = await data('scroll', { y: 400 });
  assert.equal(scrolled.y, 400);
  assert.ok(scrolled.maxY > 400);
  await writeFile(join(directory, 'note.txt'), 'hello');
  await data('upload_file', { selector: '#file', files: ['note.txt'] });
  assert.equal(await data('evaluate', { script: 'file.files[0].text()' }), 'hello');
});

test('extraction', async t => {
  const { site, data, call } = await startToolkit(t);

  assert.deepEqual(await data('get_all_text', { selector: '.link' }), { texts: ['Next', 'Out'] });
  assert.deepEqual(await data('get_attribute', { selector: '.link', name: 'href' }), { value: '/next' });
  assert.deepEqual(await data('get_attribute', { selector: '.link', name: 'none' }), { value: null });
  assert.deepEqual(await data('extract_table', { selector: 'table' }), {
    caption: '',
    headers: ['Item', 'Price net', 'Price gross'],
    rows: [
      { 'Item': 'Pen', 'Price net': '1', 'Price gross': '2' },
      { 'Item': 'Pen', 'Price net': 'free', 'Price gross': 'free' },
    ],
  });
  const { total, links } = await data('extract_links');
  assert.equal(total, 2);
  assert.deepEqual(links.map(({ url, external }) => [url, external]),
    [[`${site.url}/next`, false], ['https://example.com/', true]]);
  const metadata = await data('get_page_metadata');
  assert.equal(metadata.title, 'Shop');
  assert.equal(metadata.description, 'Things');
  assert.equal(metadata.canonical, `${site.url}/shop`);
  assert.equal(metadata.language, 'en');
  assert.deepEqual(metadata.openGraph, { title: 'The Shop' });
  assert.deepEqual(metadata.jsonLd, [{ '@type': 'Store' }]);
  assert.ok(metadata.timing.load >= 0);
  assert.equal(await data('evaluate', { script: '(a, b) => a + b', args: [1, 2] }), 3);
  assert.equal(await data('evaluate', { script: 'return args[0] + document.title', args: ['My '] }), 'My Shop');
  const { content, structuredContent } = await call('screenshot', { fullPage: true, type: 'jpeg', quality: 40 });
  assert.equal(structuredContent.data.height, 3016);
  assert.equal(content[1].mimeType, 'image/jpeg');
  assert.match((await data('screenshot_element', { selector: '#buy' })).file, /element-.*\.png$/);
});

test('elements', async t => {
  const { data, code } = await startToolkit(t);

  const found = await data('find_element', { selector: '#buy' });
  assert.equal(found.tag, 'button');
  assert.equal(found.text, 'Buy');
  assert.ok(found.visible && found.enabled && found.box.width > 0);
  assert.equal((await data('find_elements', { selector: 'button', limit: 2 })).elements.length, 2);
  assert.deepEqual(await data('element_exists', { selector: '#hidden' }), { exists: true });
  assert.deepEqual(await data('element_exists', { selector: '#none' }), { exists: false });
  assert.deepEqual(await data('is_visible', { selector: '#hidden' }), { exists: true, visible: false });
  assert.deepEqual(await data('is_visible', { selector: '#none' }), { exists: false, visible: false });
  assert.deepEqual(await data('is_enabled', { selector: '#disabled' }), { enabled: false });
  assert.equal(await code('is_enabled', { selector: '#none' }), 'ELEMENT_NOT_FOUND');
  await data('evaluate', { script: "() => void setTimeout(() => document.querySelector('#hidden').style.display = '', 900)" });
  assert.deepEqual(await data('wait_for_selector', { selector: '#hidden' }), { state: 'visible', exists: true, visible: true });
  await data('wait_for_selector', { selector: '#none', state: 'detached' });
  assert.equal(await code('wait_for_selector', { selector: '#none', timeout: 100 }), 'TIMEOUT');
});

// What a tool needs besides its element.
const elementTools = {
  click: {}, type: { text: 'x' }, fill: { value: 'x' }, select: { values: ['x'] }, check: {}, uncheck: {}, hover: {},
  press: { key: 'a' }, scroll: { y: 1 }, drag_and_drop: { target: '#to' }, upload_file: { files: [] }, get_text: {},
  get_attribute: { name: 'id' }, get_value: {}, extract_table: {}, find_element: {}, screenshot_element: {},
  compare_screenshots: { baseline: 'baseline.png', update: true }, is_enabled: {}, wait_for_selector: {}, get_all_text: {},
  find_elements: {}, element_exists: {}, is_visible: {}, extract_links: {},
};
// What these say of an element that is not there.
const saysOfNone = {
  get_all_text: { texts: [] },
  find_elements: { total: 0, elements: [] },
  element_exists: { exists: false },
  is_visible: { exists: false, visible: false },
  extract_links: { total: 0, links: [] },
};
// Those that need to see it, with one that is hidden. What type and press send goes where the focus is.
const hidden = {
  click: '#hidden', hover: '#hidden', drag_and_drop: '#hidden', screenshot_element: '#hidden', compare_screenshots: '#hidden',
  fill: '#hidden-name', select: '#hidden-size', check: '#hidden-agree', uncheck: '#hidden-agreed',
};
const named = (tool, selector) => ({ [tool === 'drag_and_drop' ? 'source' : 'selector']: selector });

test('every tool that is given an element tells what is missing or no selector', async t => {
  const { ask, data, request } = await startToolkit(t, ['--timeout-action=250']);
  const { tools } = await request('tools/list');
  const takesOne = ({ name, inputSchema: { properties } }) => !name.startsWith('browser_') && (properties.selector || properties.source);
  assert.deepEqual(tools.filter(takesOne).map(({ name }) => name).toSorted(), Object.keys(elementTools).toSorted());

  for (const [tool, given] of Object.entries(elementTools)) {
    const bad = await ask(tool, { ...given, ...named(tool, 'button[') });
    assert.equal(bad.error?.code, 'INVALID_SELECTOR', `${tool}: ${JSON.stringify(bad)}`);
    const none = { ...given, ...named(tool, '#none') };
    if (saysOfNone[tool]) {
      assert.deepEqual(await data(tool, none), saysOfNone[tool], tool);
      continue;
    }
    const { error } = await ask(tool, none);
    assert.equal(error?.code, tool === 'wait_for_selector' ? 'TIMEOUT' : 'ELEMENT_NOT_FOUND', tool);
    assert.ok(error.suggestion && error.message.includes('#none'), tool);
  }
});

test('every tool that needs to see an element waits for that, no longer than it is told', async t => {
  // Whoever did not go by the call's own limit would wait for ten minutes.
  const { ask } = await startToolkit(t, ['--timeout-action=600000']);
  for (const [tool, selector] of Object.entries(hidden)) {
    const { error } = await ask(tool, { ...elementTools[tool], ...named(tool, selector), timeout: 300 });
    assert.equal(error?.code, 'ELEMENT_NOT_INTERACTIVE', tool);
    assert.match(error.details, /not visible/, tool);
  }
  for (const tool of Object.keys(elementTools).filter(each => !hidden[each] && !saysOfNone[each] && each !== 'is_enabled')) {
    const { error } = await ask(tool, { ...elementTools[tool], ...named(tool, '#none'), timeout: 300 });
    assert.match(error?.code, /TIMEOUT|ELEMENT_NOT_FOUND/, tool);
  }
});

test('what is disabled, of another kind or too slow is told apart', async t => {
  const { ask, code } = await startToolkit(t);
  assert.match((await ask('click', { selector: '#disabled', timeout: 300 })).error.details, /not enabled/);
  assert.equal(await code('extract_table', { selector: '#buy' }), 'ELEMENT_NOT_INTERACTIVE');
  assert.equal(await code('upload_file', { selector: '#buy', files: [] }), 'ELEMENT_NOT_INTERACTIVE');
  assert.equal(await code('evaluate', { script: 'nothing.here' }), 'INVALID_ARGUMENT');
  assert.equal(await code('evaluate', { script: 'new Promise(() => {})', timeout: 200 }), 'TIMEOUT');
  assert.equal(await code('click', {}), 'MISSING_PARAMETER');
});

test('selectors lead into frames', async t => {
  const { data } = await startToolkit(t);
  await data('evaluate', { script: "() => new Promise(done => { const frame = document.createElement('iframe'); "
    + "frame.onload = done; frame.src = '/next'; document.body.prepend(frame); })" });

  const selector = 'iframe >> internal:control=enter-frame >> h1';
  assert.deepEqual(await data('get_text', { selector }), { text: 'Next' });
  assert.deepEqual(await data('get_text', { selector: "frameLocator('iframe').getByRole('heading')" }), { text: 'Next' });
});

test('network', async t => {
  const { site, data, code } = await startToolkit(t);
  const fetched = url => data('evaluate', {
    script: "url => fetch(url).then(async answer => `${answer.status} ${answer.headers.get('x-a')} ${await answer.text()}`, () => 'failed')",
    args: [url],
  });

  await data('mock_response', { pattern: '**/api', status: 201, body: '{"a":1}', headers: { 'X-A': 'yes' } });
  assert.equal(await fetched('/api'), '201 yes {"a":1}');
  await data('block_resource', { pattern: '**/next', resourceTypes: ['fetch'] });
  assert.equal(await fetched('/next'), 'failed');
  assert.equal((await data('navigate', { url: `${site.url}/next` })).status, 200, 'a document is no fetch');
  await data('block_resource', { pattern: '**/next', resourceTypes: ['fetch'], blocked: false });
  assert.match(await fetched('/next'), /^200/);
  await data('set_offline', { offline: true });
  assert.equal(await fetched('/'), 'failed');
  await data('set_offline', { offline: false });
  await data('set_throttling', { latency: 300 });
  const before = Date.now();
  assert.match(await fetched('/'), /^200/);
  assert.ok(Date.now() - before >= 250);
  assert.deepEqual(await data('set_throttling'), { throttled: false });
  const { requests } = await data('get_request_log', { filter: '/next$' });
  assert.equal(requests[0].method, 'GET');
  assert.equal(requests[0].status, 200);
  assert.equal(await code('get_request_log', { filter: '(' }), 'INVALID_ARGUMENT');
  assert.equal(await code('mock_response', { pattern: '{a' }), 'INVALID_ARGUMENT');
});
