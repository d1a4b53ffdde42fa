// Three sessions on one connection, each with a real @playwright/mcp and a browser of its own.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { behind, flags, serversOf, until, untilGone } from './upstream_support.mjs';

const page = `<title>All</title>
<button onclick="this.textContent = 'clicked'">press</button>
<button onclick="console.log('said', alert('hi'))">ask</button>
<input type=file aria-label=File>
<label>Name <input></label>
<select aria-label=Pick><option>a<option>b</select>
<div id=from draggable=true ondragstart="event.dataTransfer.setData('text/plain', 'x')">from</div>
<div id=to ondragover="event.preventDefault()" ondrop="event.preventDefault(); this.textContent = 'dropped'">to</div>`;

// Says who asks, by cookie, and lets everybody say it once.
const routes = {
  '/': page,
  '/who': (request, response) => {
    const name = new URL(request.url, 'http://x').searchParams.get('as');
    response.writeHead(200, { 'Content-Type': 'text/html', ...(name && { 'Set-Cookie': `who=${name}` }) });
    response.end(`<title>Who</title><p>sent: ${request.headers.cookie ?? 'none'}</p>`);
  },
};

// Every tool of the default set, in an order that makes sense: [tool, arguments, what the answer says].
const calls = origin => [
  ['browser_navigate', { url: `${origin}/who` }, /Page Title: Who/],
  ['browser_navigate', { url: origin }, /Page Title: All/],
  ['browser_resize', { width: 700, height: 500 }, /setViewportSize/],
  ['browser_emulate_media', { colorScheme: 'dark' }, /dark/],
  ['browser_snapshot', {}, /button "press"/],
  ['browser_find', { text: 'press' }, /press/],
  ['browser_click', { element: 'press', target: 'text=press' }, /click/],
  ['browser_hover', { element: 'from', target: '#from' }, /hover/],
  ['browser_type', { element: 'Name', target: 'input:not([type])', text: 'Ann' }, /fill/],
  ['browser_press_key', { key: 'End' }, /press/],
  ['browser_fill_form', { fields: [{ name: 'Name', type: 'textbox', target: 'input:not([type])', value: 'Bob' }] }, /fill/],
  ['browser_select_option', { element: 'Pick', target: 'select', values: ['b'] }, /selectOption/],
  ['browser_drag', { startElement: 'from', startTarget: '#from', endElement: 'to', endTarget: '#to' }, /dragTo/],
  ['browser_drop', { element: 'to', target: '#to', data: { 'text/plain': 'hello' } }, /drop/],
  ['browser_evaluate', { function: '() => document.querySelector("#to").textContent' }, /dropped/],
  ['browser_run_code_unsafe', { code: 'async page => page.title()' }, /All/],
  ['browser_click', { element: 'File', target: 'input[type=file]' }, /File chooser/],
  ['browser_file_upload', { paths: ['note.txt'] }, /note\.txt/],
  ['browser_click', { element: 'ask', target: 'text=ask' }, /"alert" dialog/],
  ['browser_handle_dialog', { accept: true }, /### /],
  ['browser_console_messages', {}, /said/],
  ['browser_network_requests', { static: true }, /GET/],
  ['browser_network_request', { index: 1 }, /GET/],
  ['browser_wait_for', { text: 'dropped' }, /dropped/],
  ['browser_take_screenshot', {}, /### /],
  ['browser_tabs', { action: 'list' }, /All/],
  ['browser_navigate_back', {}, /Page Title: Who/],
  ['browser_close', {}, /### |No open tabs/],
];

const names = ['ann', 'bob', 'eve'];

async function open(t, more = []) {
  const browser = await Browser.open(t, { args: [...flags, '--session-param', ...more], env: behind });
  await writeFile(join(browser.directory, 'note.txt'), 'A note.');
  return browser;
}

test('every default tool works in three sessions at once', { timeout: 100_000 }, async t => {
  const origin = await serve(t, routes);
  const browser = await open(t);
  const { tools } = await browser.request('tools/list', {});
  const theirs = tools.filter(tool => tool.name.startsWith('browser_')).map(tool => tool.name);
  const planned = calls(origin);
  assert.deepEqual(theirs.filter(name => !planned.some(([tool]) => tool === name)), [], 'tools that nobody calls here');
  assert.ok(tools.some(tool => tool.name === 'session_list') && tools.some(tool => tool.name === 'get_content'));
  await Promise.all(
    names.map(async sessionId => {
      for (const [tool, args, said] of planned) {
        const answer = await browser.call(tool, { ...args, sessionId }, 60_000);
        assert.equal(answer.isError, false, `${tool} in ${sessionId}: ${answer.text}`);
        assert.match(answer.text, said, `${tool} in ${sessionId}`);
      }
    }),
  );
  assert.equal(serversOf(browser.child.process.pid).length, 3);
});

test('cookies and tabs never cross; sessions are listed, closed and come back after kill -9', { timeout: 100_000 }, async t => {
  const origin = await serve(t, routes);
  const browser = await open(t);
  const call = (sessionId, tool, args = {}) => browser.call(tool, { ...args, sessionId }, 60_000);
  await Promise.all(
    names.map(async (name, i) => {
      await call(name, 'browser_navigate', { url: `${origin}/who?as=${name}` });
      for (let tab = 0; tab < i; ++tab) await call(name, 'browser_tabs', { action: 'new', url: `${origin}/who?tab-of=${name}` });
    }),
  );
  const seen = await Promise.all(names.map(name => call(name, 'browser_navigate', { url: `${origin}/who` })));
  names.forEach((name, i) => assert.match(seen[i].snapshot, new RegExp(`sent: who=${name}"`)));
  for (const [i, name] of names.entries()) {
    const { text } = await call(name, 'browser_tabs', { action: 'list' });
    assert.equal(text.match(/^- \d+:/gm).length, i + 1, text);
    for (const other of names.filter(each => each !== name)) assert.ok(!text.includes(`tab-of=${other}`), text);
  }

  const list = async () => JSON.parse((await browser.call('session_list')).text).data.sessions;
  assert.deepEqual(
    (await list()).map(each => [each.sessionId, each.engine, each.state]),
    names.map(name => [name, 'upstream', 'active']),
  );

  const before = serversOf(browser.child.process.pid);
  assert.equal((await browser.call('session_close', { sessionId: 'ann' })).isError, false);
  assert.match((await browser.call('session_close', { sessionId: 'ann' })).text, /no session \\"ann/);
  await until('the closed session has no server', () => serversOf(browser.child.process.pid).length === 2);
  assert.deepEqual((await list()).map(each => each.sessionId), ['bob', 'eve']);

  const left = serversOf(browser.child.process.pid);
  assert.ok(left.every(each => before.some(other => other.pid === each.pid)));
  left.forEach(each => process.kill(each.pid, 'SIGKILL'));
  await untilGone(left);
  await call('bob', 'browser_navigate', { url: `${origin}/who` }); // may still meet the dying one
  const again = await call('bob', 'browser_navigate', { url: `${origin}/who` });
  assert.match(again.snapshot, /sent: none/, 'the browser of before is gone, and so is what it knew');
  assert.equal(serversOf(browser.child.process.pid).length, 1, 'the other is not started before it is needed');
});

// They name their files by the millisecond, and one of three who write at the same time would read another's.
test('no session’s file replaces another’s, wherever they are written', { timeout: 100_000 }, async t => {
  const origin = await serve(t, routes);
  for (const [more, base] of [[[], '.playwright-mcp'], [['--output-dir', 'files'], 'files']]) {
    const browser = await open(t, more);
    const answers = await Promise.all(
      names.map(name => browser.call('browser_navigate', { url: `${origin}/who?as=${name}`, sessionId: name }, 60_000)),
    );
    const folders = answers.map(({ sections }) => /\[Snapshot\]\((.+)\/page-[^/]+\)/.exec(sections.Snapshot)[1]);
    names.forEach((name, i) => assert.ok(folders[i].startsWith(`${base}/${name}-`), folders[i]));
    assert.equal(new Set(folders).size, names.length);
  }
});

test('a server that nobody uses is closed, and its next call makes another', { timeout: 90_000 }, async t => {
  const origin = await serve(t, routes);
  const browser = await open(t, ['--idle-timeout', '1500']);
  await browser.call('browser_navigate', { url: origin, sessionId: 'ann' });
  const used = serversOf(browser.child.process.pid);
  assert.equal(used.length, 1);
  await untilGone(used);
  assert.deepEqual(JSON.parse((await browser.call('session_list')).text).data.sessions, []);
  assert.match((await browser.call('browser_navigate', { url: origin, sessionId: 'ann' })).text, /Page Title: All/);
});
