import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
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
<input id="old" value="old"><input id="number" type="number" value="12"><textarea id="lines">old
line</textarea><div id="rich" contenteditable>old</div>
<input id="name" value="old"><input id="agree" type="checkbox">
<select id="size"><option value="s">Small</option><option value="l">Large</option></select>
<input id="file" type="file" style="display: none"><input id="tree" type="file" webkitdirectory>
<a href="/next" class="link">Next</a> <a href="https://example.com/" class="link">Out</a>
<div id="from" draggable="true">drag</div>
<div id="to" ondragover="event.preventDefault()" ondrop="this.textContent = 'dropped'">drop here</div>
<table><thead><tr><th rowspan="2">Item</th><th colspan="2">Price</th></tr><tr><th>net</th><th>gross</th></tr></thead>
<tbody><tr><td rowspan="2">Pen</td><td>1</td><td>2</td></tr><tr><td colspan="2">free</td></tr></tbody></table>
</body></html>`;

// Leaves the first request without an answer.
const slowAtFirst = (type, body) => {
  let asked = 0;
  return (request, response) => ++asked > 1 && response.writeHead(200, { 'content-type': type }).end(body);
};
const pages = { '/': page, '/next': '<title>Next</title><h1>Next</h1><a href="/">back</a>', '/api': 'real' };

// The address of a port that nobody listens on.
async function closedPort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise(done => server.close(done));
  return `http://127.0.0.1:${port}/`;
}

// `ask(tool, arguments)` gives the structured answer.
async function startToolkit(t, args = [], capabilities = 'toolkit') {
  const slow = { '/slow': slowAtFirst('text/html', 'late'), '/picture': slowAtFirst('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>') };
  const site = await startSite(t, { ...pages, ...slow, '/slow-picture': '<img src="/picture">' });
  const browser = await startBrowser(t, capabilities, args);
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

  const { timing, ...place } = await data('navigate', { url: `${site.url}/next`, waitUntil: 'networkidle' });
  assert.deepEqual(place, { url: `${site.url}/next`, title: 'Next', status: 200 });
  assert.ok(timing.load >= timing.responseStart, JSON.stringify(timing));
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

test('an address that is none is told before the page is left', async t => {
  const { site, ask, data, call } = await startToolkit(t, [], 'toolkit,sessions');
  const here = async () => (await data('get_page_metadata')).url;
  for (const url of ['', 'no url at all', 'http://', 'http://a:99999/']) {
    for (const tool of ['navigate', 'create_session']) {
      const { error } = await ask(tool, { url });
      assert.equal(error?.code, 'INVALID_URL', `${tool} ${url}`);
      assert.equal(error.details.url, url);
    }
    assert.match((await call('browser_navigate', { url })).content[0].text, /Cannot navigate to invalid URL/, url);
    assert.equal(await here(), `${site.url}/`, url);
  }
  const { sessions } = await data('list_sessions');
  assert.equal(sessions.length, 1, 'nothing was made');
});

test('a host that cannot be reached is a network error, and worth another try', async t => {
  const { ask, data } = await startToolkit(t, [], 'toolkit,sessions');
  for (const url of ['http://no-such-host.invalid/', await closedPort()]) {
    const { error } = await ask('navigate', { url });
    assert.equal(error.code, 'NETWORK_ERROR', url);
    assert.equal(error.retryable, true);
    assert.equal(error.details.url, url);
    // The session that was to begin there is not left behind.
    assert.equal((await ask('create_session', { sessionId: 'ann', url })).error.code, 'NETWORK_ERROR');
  }
  assert.deepEqual((await data('list_sessions')).sessions.map(({ sessionId }) => sessionId), ['default']);
  assert.equal((await data('create_session', { sessionId: 'ann' })).created, true, 'the name is free');
});

test('a reload or a step through the history that fails is a network error, as a navigation is', async t => {
  let down = false;
  const server = createHttpServer((request, response) => {
    if (down) return request.socket.destroy();
    response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'no-store' });
    response.end(`<title>${request.url}</title>`);
  }).listen(0, 'localhost');
  await once(server, 'listening');
  t.after(() => (server.closeAllConnections(), server.close()));
  const origin = `http://localhost:${server.address().port}`;
  const { ask, data, call } = await startToolkit(t);
  for (const path of ['/1', '/2', '/3']) await data('navigate', { url: origin + path });
  await data('go_back');
  down = true;
  const fails = async (tool, given, url) => {
    const { error } = await ask(tool, given);
    assert.equal(error?.code, 'NETWORK_ERROR', tool);
    assert.equal(error.retryable, true, tool);
    assert.match(error.message, /^page\.(reload|goBack|goForward): net::ERR_EMPTY_RESPONSE/, tool);
    assert.ok(error.message.includes(url), error.message);
    const place = await data('wait_for_load');
    assert.equal(place.url, 'chrome-error://chromewebdata/', tool);
    assert.equal(place.status, null, tool);
  };
  await fails('reload', {}, `${origin}/2`);
  await fails('reload', { ignoreCache: true }, `${origin}/2`);
  await fails('go_back', {}, `${origin}/1`);
  await fails('go_forward', {}, `${origin}/2`);
  const back = await call('browser_navigate_back');
  assert.equal(back.isError, true);
  assert.match(back.content[0].text, /net::ERR_EMPTY_RESPONSE[^]*waiting for navigation until "commit"/);
  down = false;
  assert.deepEqual(await data('reload'), { url: `${origin}/1`, title: '/1', status: 200 });
  assert.equal((await data('go_forward')).status, 200);
});

test('text is typed only into what is visible, enabled and editable', async t => {
  const { data, ask } = await startToolkit(t);
  await data('evaluate', { script: `document.body.insertAdjacentHTML('beforeend', '<input id=off disabled value=old><input id=fixed readonly value=old><input id=gone style="display: none" value=old><p id=words>old</p>')` });
  for (const [selector, why] of [['#off', 'enabled'], ['#fixed', 'editable'], ['#gone', 'visible']]) {
    for (const given of [{ text: 'X' }, { text: 'XY', delay: 1 }]) {
      const { error } = await ask('type', { selector, timeout: 300, ...given });
      assert.equal(error?.code, 'ELEMENT_NOT_INTERACTIVE', selector);
      assert.match(error.details.log, new RegExp(`element is not ${why}`), selector);
    }
    assert.equal(await data('evaluate', { script: `document.querySelector('${selector}').value` }), 'old', selector);
  }
  assert.equal((await ask('type', { selector: '#words', text: 'X' })).error?.code, 'ELEMENT_NOT_INTERACTIVE');
  // It may become ready meanwhile.
  await data('evaluate', { script: 'setTimeout(() => { off.disabled = false }, 200); 0' });
  await data('type', { selector: '#off', text: 'X' });
  assert.equal(await data('evaluate', { script: 'off.value' }), 'oldX');
});

test('a size or an address that cannot be is refused and changes nothing', async t => {
  const { ask, call, data } = await startToolkit(t, [], 'toolkit,sessions');
  const resized = await call('browser_resize', { width: 1e9, height: 10 });
  assert.ok(resized.isError);
  assert.match(resized.content[0].text, /page\.setViewportSize: Protocol error \(Emulation\.setDeviceMetricsOverride\): .*not greater than 10000000/);
  assert.equal(await data('evaluate', { script: 'innerWidth' }), 1280);
  assert.ok((await data('screenshot', {})).width <= 1280);
  assert.equal((await ask('create_session', { width: 9e6, height: 9e6 })).error.code, 'INVALID_ARGUMENT');
  const { error } = await ask('set_cookies', { cookies: [{ name: 'a', value: '1', url: 'not a url' }] });
  assert.equal(error.code, 'INVALID_URL');
  assert.equal(error.details.url, 'not a url');
});

test('after a timeout the advice works', async t => {
  const { site, ask, data } = await startToolkit(t);
  for (const path of ['/slow', '/slow-picture']) {
    const first = await ask('navigate', { url: site.url + path, timeout: 300 });
    assert.equal(first.error?.code, 'TIMEOUT', path);
    assert.equal(first.error.details.timeout, 300);
    assert.match(first.error.suggestion, /larger timeout/);
    assert.equal((await data('navigate', { url: site.url + path, timeout: 20_000 })).status, 200, path);
  }
});

test('sessions answer as the other tools do', async t => {
  const { site, ask, data } = await startToolkit(t, [], 'toolkit,sessions');
  for (const tool of ['close_session', 'get_cookies', 'save_state', 'session_resume']) {
    const { error } = await ask(tool, { sessionId: 'nobody' });
    assert.equal(error?.code, 'SESSION_NOT_FOUND', tool);
    assert.equal(error.details.sessionId, 'nobody');
  }
  assert.equal((await ask('close_session', {})).error.code, 'MISSING_PARAMETER');
  assert.match((await ask('create_session', { viewport: '800x600' })).error.suggestion, /"viewport" is an object that may have width or height/);
  assert.ok((await ask('create_session', { viewport: null })).success);
  for (const size of [{ width: -5, height: 5 }, { width: 0, height: 0 }, { width: 1.5, height: 5 }, { width: 1e9, height: 5 }])
    assert.equal((await ask('create_session', size)).error?.code, 'INVALID_ARGUMENT', JSON.stringify(size));

  await data('set_cookies', { cookies: [{ name: 'login', value: 'yes', url: site.url }] });
  const saved = await ask('save_state', {});
  for (const state of [{}, { bogus: 1 }, { cookies: 'none' }, { cookies: [{ name: 'a' }] }, { cookies: [{ name: 'a', value: '1' }] }]) {
    const { error } = await ask('restore_state', { state });
    assert.equal(error?.code, 'INVALID_ARGUMENT', JSON.stringify(state));
    // The first line says what is wrong, also where the browser says it in several.
    assert.match(error.message, /^[^:\n]+: [^\n]*\w$/m, JSON.stringify(state));
    assert.equal((await data('get_cookies')).cookies[0]?.name, 'login', 'nothing was deleted');
  }
  const { error: protocol } = await ask('set_cookies', { cookies: [{ name: 'a', value: '1', url: 'http://[::1' }] });
  assert.equal(protocol.details.code, undefined, JSON.stringify(protocol));
  // Its state, and the whole answer.
  for (const state of [saved.data.state, saved.data, saved]) {
    await data('create_session', { sessionId: 'copy' });
    assert.equal((await data('restore_state', { sessionId: 'copy', state })).restored, true);
    assert.equal((await data('get_cookies', { sessionId: 'copy' })).cookies[0]?.name, 'login');
    await data('close_session', { sessionId: 'copy' });
  }
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
  await data('type', { selector: '#name', text: 'by' });
  assert.equal(await valueOf('#name'), 'Bobby');
  // Behind what it holds, where nobody has set the caret yet.
  for (const [selector, text, whole] of [['#old', 'X', 'oldX'], ['#number', '3', '123'], ['#lines', 'X', 'old\nlineX'], ['#rich', 'X', 'oldX']]) {
    await data('type', { selector, text });
    assert.equal(await data('evaluate', { script: 's => { const e = document.querySelector(s); return e.value ?? e.textContent; }', args: [selector] }), whole, selector);
  }
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
  await data('upload_file', { selector: '#file', files: [] });
  assert.equal(await data('evaluate', { script: 'file.files.length' }), 0);
});

test('extraction', async t => {
  const { site, data, ask, call } = await startToolkit(t);

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
  for (const [script, value] of [
    ['document.title;', 'Shop'], ['const x = 5; return x * 2;', 10], ['// first\nreturn 5', 5], ['await Promise.resolve(7)', 7],
    ['if (document.title) { return 1; } return 2', 1], ['({ a: 1 })', { a: 1 }], ['function f() { return 3 }', 3], ['let y = 1;', null],
  ]) assert.deepEqual(await data('evaluate', { script }), value, script);
  assert.equal((await ask('evaluate', { script: 'return (' })).error.code, 'INVALID_ARGUMENT');
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
  const { ask, request } = await startToolkit(t, ['--timeout-action=500']);
  // What is answered without waiting has all the time that a busy machine takes for it.
  const { ask: askAtOnce, data } = await startToolkit(t);
  const { tools } = await request('tools/list');
  const takesOne = ({ name, inputSchema: { properties } }) => !name.startsWith('browser_') && (properties.selector || properties.source);
  assert.deepEqual(tools.filter(takesOne).map(({ name }) => name).toSorted(), Object.keys(elementTools).toSorted());

  for (const [tool, given] of Object.entries(elementTools)) {
    const bad = await askAtOnce(tool, { ...given, ...named(tool, 'button[') });
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
    assert.match(error.details.log, /not visible/, tool);
    assert.equal(error.details.timeout, 300);
  }
  for (const tool of Object.keys(elementTools).filter(each => !hidden[each] && !saysOfNone[each] && each !== 'is_enabled')) {
    const { error } = await ask(tool, { ...elementTools[tool], ...named(tool, '#none'), timeout: 300 });
    assert.match(error?.code, /TIMEOUT|ELEMENT_NOT_FOUND/, tool);
  }
});

test('what is disabled, of another kind or too slow is told apart', async t => {
  const { ask, code } = await startToolkit(t);
  assert.match((await ask('click', { selector: '#disabled', timeout: 300 })).error.details.log, /not enabled/);
  assert.equal(await code('extract_table', { selector: '#buy' }), 'ELEMENT_NOT_INTERACTIVE');
  assert.equal(await code('upload_file', { selector: '#buy', files: [] }), 'ELEMENT_NOT_INTERACTIVE');
  assert.equal(await code('upload_file', { selector: '#tree', files: ['note.txt'] }), 'NOT_FOUND');
  assert.equal(await code('evaluate', { script: 'nothing.here' }), 'INVALID_ARGUMENT');
  assert.equal(await code('evaluate', { script: 'new Promise(() => {})', timeout: 200 }), 'TIMEOUT');
  assert.equal(await code('click', {}), 'MISSING_PARAMETER');
});

test('a list without the option says which ones it has, and a wait how the element is', async t => {
  const { ask } = await startToolkit(t);
  const { error } = await ask('select', { selector: '#size', values: ['xl'], timeout: 300 });
  assert.equal(error.code, 'ELEMENT_NOT_FOUND');
  assert.equal(error.message, 'The list has no option "xl"');
  assert.match(error.suggestion, /Its options are: .*"l" \(Large\)/);
  const waited = await ask('wait_for_selector', { selector: '#none', timeout: 300 });
  assert.match(waited.error.message, /Waited 300 ms for "#none" to be visible; it is not there/);
});

test('statements give what the last one gives', async t => {
  const { data, ask } = await startToolkit(t);
  for (const [script, value] of [
    ['var a = 1; a + 1', 2], ['document.title; 7', 7], ['x = 5; x', 5], ['const y = () => 5; y()', 5],
    ["'use strict'; const a = 2; return a", 2], ['const b = 3\nb * 2', 6], ['const s = "a;b"; s + ";"', 'a;b;'],
    ['let n = 0; for (let i = 0; i < 3; i++) n += i; n;', 3], ['const r = await fetch("/next"); r.status', 200],
    ['[1, 2].map(i => { return i + 1 }); "end" // done; really', 'end'], ['const t = `;\n`; t.length', 2],
    ['const f = i => i\n;[1, 2].map(f).length', 2], ['if (location.href) return 1; document.title', 1],
    ['if (!location.href) return 1; 5', null], ['{ const q = 1; q }', null],
  ]) assert.deepEqual(await data('evaluate', { script }), value, script);
  assert.match((await ask('evaluate', { script: 'const a = ; a' })).error.message, /SyntaxError/);
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
