// Every argument of the tools in the designs that this server follows, under the name that each design gives it.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { startBrowser, startSite } from './capabilities_support.mjs';

const page = `<!doctype html><title>Shop</title><body style="height: 3000px">
<button id="buy">Buy</button><button id="from">from</button><button id="to">to</button>
<input id="name" value="old"><input id="agree" type="checkbox"><input id="file" type="file">
<select id="size"><option value="s">Small<option value="l">Large</select>
<p class="text">words</p><a href="/next">Next</a><table><tr><th>A<tr><td>1</table></body>`;

// [tool, arguments, check of its data]; `$` is the site.
const toolkit = [
  ['navigate', { url: '$', waitUntil: 'networkidle', timeout: 20_000 }, ({ url, status, timing }) => url.startsWith('http') && status === 200 && timing],
  ['navigate', { url: '$/next' }],
  ['go_back', {}, ({ title }) => title === 'Shop'],
  ['go_forward', {}, ({ title }) => title === 'Next'],
  ['go_back', {}],
  ['reload', { ignoreCache: true }],
  ['wait_for_load', { state: 'domcontentloaded' }],
  ['click', { selector: '#buy', button: 'right', clickCount: 2 }],
  ['type', { selector: '#name', text: 'er', delay: 1 }],
  ['get_value', { selector: '#name' }, ({ value }) => value === 'older'],
  ['fill', { selector: '#name', value: 'new' }],
  ['select', { selector: '#size', value: 'l' }, ({ values }) => values[0] === 'l'],
  ['check', { selector: '#agree' }],
  ['uncheck', { selector: '#agree' }],
  ['hover', { selector: '#buy' }],
  ['scroll', { x: 0, y: 100 }, ({ y }) => y === 100],
  ['drag_and_drop', { source: '#from', target: '#to' }],
  ['upload_file', { selector: '#file', files: ['note.txt'] }],
  ['press', { key: 'a', modifiers: ['Shift'] }],
  ['get_text', { selector: '.text' }, ({ text }) => text === 'words'],
  ['get_all_text', { selector: '.text' }],
  ['get_attribute', { selector: 'a', attribute: 'href' }, ({ value }) => value === '/next'],
  ['screenshot', { fullPage: true, type: 'jpeg', quality: 50 }, ({ fullPage, capturedAt }) => fullPage && capturedAt > 0],
  ['screenshot_element', { selector: '#buy', type: 'png' }],
  ['extract_table', { selector: 'table' }],
  ['extract_links', { selector: 'body' }],
  ['get_page_metadata', {}],
  ['evaluate', { script: '(a, b) => a + b', args: [1, 2] }, value => value === 3],
  ['block_resource', { resourceType: 'image' }, ({ activeBlocks }) => activeBlocks === 1],
  ['mock_response', { url: '**/api', response: { status: 201, headers: { 'x-a': 'yes' }, contentType: 'application/json', body: { a: 1 } } }],
  ['evaluate', { script: "const r = await fetch('/api'); return [r.status, r.headers.get('x-a'), await r.text()]" },
    value => JSON.stringify(value) === '[201,"yes","{\\"a\\":1}"]'],
  ['set_offline', { offline: false }],
  ['set_throttling', { downloadSpeed: 1e7, uploadSpeed: 1e7, latency: 0 }],
  ['get_request_log', { filter: 'api' }, ({ requests: [{ timing }] }) => timing.startTime > 1e12],
  ['find_element', { selector: '#buy', timeout: 1000 }],
  ['find_elements', { selector: 'button' }],
  ['element_exists', { selector: '#buy' }],
  ['is_visible', { selector: '#buy' }],
  ['is_enabled', { selector: '#buy' }],
  ['wait_for_selector', { selector: '#buy', state: 'visible', timeout: 1000 }],
  ['set_cookies', { cookies: [{ name: 'a', value: '1', url: '$' }] }],
  ['get_cookies', {}, ({ cookies }) => cookies[0].name === 'a'],
  ['create_session', { sessionId: 'ann', userAgent: 'Mine/1', viewport: { width: 400, height: 300 } }],
  ['evaluate', { sessionId: 'ann', script: '[innerWidth, innerHeight, navigator.userAgent].join()' }, value => value === '400,300,Mine/1'],
  ['list_sessions', {}, ({ sessions }) => sessions.length === 2],
  ['set_cookies', { sessionId: 'ann', cookies: [{ name: 'b', value: '2', url: '$' }] }],
  ['get_cookies', { sessionId: 'ann' }, ({ cookies }) => cookies[0].name === 'b'],
  ['save_state', { sessionId: 'ann' }, ({ state }) => state.cookies.length === 1],
  ['restore_state', { sessionId: 'ann', state: { cookies: [], origins: [] } }, ({ restored }) => restored],
  ['close_session', { sessionId: 'ann' }],
];

async function start(t, capabilities, args = []) {
  const site = await startSite(t, { '/': page, '/next': '<title>Next</title>' });
  const browser = await startBrowser(t, capabilities, args);
  await writeFile(join(browser.directory, 'note.txt'), 'hello');
  const filled = value => JSON.parse(JSON.stringify(value).replaceAll('"$', `"${site.url}`));
  const ask = (name, given) => browser.request('tools/call', { name, arguments: filled(given) });
  return { ...browser, site, ask };
}

test('the toolkit takes the arguments of its design', async t => {
  const { ask, request } = await start(t, 'toolkit,sessions');
  const { tools } = await request('tools/list');
  for (const [name, given, check = () => true] of toolkit) {
    const { structuredContent: answer } = await ask(name, given);
    assert.ok(answer.success, `${name} ${JSON.stringify(given)}: ${JSON.stringify(answer)}`);
    assert.ok(check(answer.data), `${name} ${JSON.stringify(given)}: ${JSON.stringify(answer.data)}`);
    assert.ok(tools.some(tool => tool.name === name), name);
  }
  // Names that are not listed cost nobody a word.
  const listed = name => Object.keys(tools.find(tool => tool.name === name).inputSchema.properties);
  assert.ok(!listed('select').includes('value') && !listed('mock_response').includes('response'));
  assert.ok(!listed('create_session').includes('viewport') && !listed('navigate').includes('session_id'));
});

test('sessions are named by session_id, too', async t => {
  const { ask } = await start(t, 'toolkit,sessions,history,storage', ['--session-param']);
  const text = result => result.content[0].text;
  const made = (await ask('create_new_session', {})).structuredContent;
  assert.match(made.session_id, /^[0-9a-f-]{36}$/);
  assert.equal(made.sessionId, made.session_id);
  const session_id = made.session_id;
  assert.match(text(await ask('browser_navigate', { url: '$', session_id })), /Page Title: Shop/);
  assert.equal((await ask('get_page_metadata', { session_id })).structuredContent.data.title, 'Shop');
  assert.equal((await ask('get_page_metadata', {})).structuredContent.data.title, '', 'the own session is another one');
  for (const tool of ['get_cookies', 'save_state', 'session_resume'])
    assert.equal((await ask(tool, { session_id })).structuredContent.data.sessionId, session_id, tool);
  assert.ok((await ask('set_cookies', { session_id, cookies: [{ name: 'a', value: '1', url: '$' }] })).structuredContent.success);
  assert.ok((await ask('restore_state', { session_id, state: { cookies: [] } })).structuredContent.success);
  assert.ok((await ask('close_session', { session_id })).structuredContent.data.closed);
  assert.match(text(await ask('browser_snapshot', { session_id: '' })), /at session_id/);

  const { ref_id } = JSON.parse(text(await ask('browser_navigate', { url: '$', _response: 'ref' })));
  assert.match(text(await ask('get_content', { ref_id, search_for: 'Buy' })), /Buy/);
  assert.doesNotMatch(text(await ask('get_content', { ref_id, reset_cursor: true })), /Invalid/);
  assert.ok(!(await ask('get_console_content', { ref_id, level: '' })).isError);
});

test('tabs are named by targetId, tabId or index, and elements by ref', async t => {
  const { ask } = await start(t, 'storage', ['--tab-ids']);
  const text = async (name, given) => (await ask(name, given)).content[0].text;
  const listed = await text('browser_tabs', { action: 'list' });
  const targetId = /targetId=(\w+)/.exec(listed)[1];
  const snapshot = await text('browser_navigate', { url: '$', targetId });
  assert.match(snapshot, /Page Title: Shop/);
  const ref = /button "Buy" \[ref=(\w+)\]/.exec(await text('browser_snapshot', { tabId: targetId }))[1];
  for (const [name, given] of [
    ['browser_click', { element: 'Buy', ref, tabId: 0 }], ['browser_hover', { element: 'Buy', ref }],
    ['browser_type', { element: 'name', ref, text: 'x', submit: false, slowly: false }],
    ['browser_select_option', { element: 'size', ref, values: ['l'] }],
    ['browser_drag', { startElement: 'a', startRef: ref, endElement: 'b', endRef: ref }],
    ['browser_press_key', { key: 'a', targetId }], ['browser_evaluate', { function: '() => 1', targetId }],
    ['browser_tabs', { action: 'select', index: 0 }], ['browser_take_screenshot', { tabId: targetId, fullPage: false }],
    ['browser_console_messages', { targetId }], ['browser_network_requests', { targetId }],
    ['browser_wait_for', { time: 0.01, targetId }],
  ]) assert.doesNotMatch(await text(name, given), /Invalid arguments|Unrecognized/, name);

  await ask('browser_cookie_set', { name: 'seen', value: '1' });
  assert.match(await text('browser_cookies', {}), /seen=1/);
});
