// Pages that open tabs, start workers, download and answer without end. Each is held by a limit whose key is named.
import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { serve } from '../e2e/browser_support.mjs';
import { agent, startServer, temporaryDirectory, troupe, within } from '../e2e/support.mjs';

const limits = { maxTabs: 4, maxWorkers: 3, maxDownloadBytes: 1_000_000, maxConsoleBytes: 50_000, maxResultBytes: 100_000 };

async function open(t, args) {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'config.json');
  writeFileSync(file, JSON.stringify({ session: limits }));
  const server = await startServer(t, troupe, ['--headless', `--config=${file}`, ...args], {
    cwd: directory,
    env: { XDG_CACHE_HOME: directory, XDG_STATE_HOME: directory },
  });
  return { directory, server };
}

const endless = (request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'attachment; filename=endless.bin' });
  const block = Buffer.alloc(64 * 1024);
  const more = () => {
    while (!response.destroyed && response.write(block));
  };
  response.on('drain', more).on('error', () => {});
  more();
};
const file = (name, bytes) => (request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Disposition': `attachment; filename=${name}` });
  response.end(Buffer.alloc(bytes));
};

const routes = {
  '/': '<title>Caps</title><button onclick="for (let i = 0; i < 12; i++) window.open(\'/popup\')">Many</button>',
  '/popup': '<title>Popup</title><script>open("/popup")</script>',
  '/links': '<a target=_blank rel=noopener href=/>Link</a>',
  '/endless': endless,
  '/large': file('large.bin', 3_000_000),
  '/small': file('small.bin', 300_000),
  '/work.js': (request, response) => response.writeHead(200, { 'Content-Type': 'text/javascript' }).end('onmessage = () => postMessage(1)'),
  '/shared.js': (request, response) =>
    response.writeHead(200, { 'Content-Type': 'text/javascript' }).end('onconnect = event => event.ports[0].postMessage(1)'),
};

// What was told of it, in this answer or in a later one.
async function told(call, pattern, { text }) {
  for (let i = 0; i < 100; i++) {
    const match = text.match(pattern);
    if (match) return match;
    ({ text } = await call('browser_wait_for', { time: 0.1 }));
  }
  throw new Error(`nothing like ${pattern} was told`);
}

const tabsOf = async call => (await call('browser_tabs', { action: 'list' })).text.split('\n').filter(line => /^- \d+:/.test(line));

for (const [mode, args] of Object.entries({ context: ['--isolated'], shared: ['--isolation=shared'], profile: [] })) {
  test(`A page opens no more tabs than its session may have (${mode})`, async t => {
    const site = await serve(t, routes);
    const { server } = await open(t, args);
    const call = agent(server, 'ann');
    const other = agent(server, 'bob');
    await call('browser_navigate', { url: `${site}/` });
    const clicked = await call('browser_click', { target: 'button' });
    // Popups open popups, so more are refused than the page asked for.
    const [, refused] = await told(call, /(\d+) tabs? that pages opened (?:was|were) closed: this session may have 4 open \(session\.maxTabs\)/, clicked);
    assert.ok(Number(refused) >= 1, refused);
    assert.equal((await tabsOf(call)).length, 4);

    const another = await call('browser_tabs', { action: 'new' });
    assert.ok(another.isError);
    assert.match(another.text, /4 tabs open.*session\.maxTabs/s);
    const greedy = await agent(server, 'greedy')('create_session', { budget: { tabs: 100 } });
    assert.ok(greedy.isError);
    assert.match(greedy.text, /session\.maxTabs/);
    // Its own tab goes on, and a neighbour has all of its own.
    await call('browser_tabs', { action: 'select', index: 0 });
    assert.match((await call('browser_evaluate', { function: '() => document.title' })).text, /Caps/);
    await other('browser_navigate', { url: `${site}/links` });
    for (let i = 0; i < 2; i++) assert.ok(!(await other('browser_tabs', { action: 'new' })).isError);
    assert.equal((await tabsOf(other)).length, 3);
    await other('browser_tabs', { action: 'select', index: 0 });
    await other('browser_click', { target: 'a' });
    assert.equal((await tabsOf(other)).length, 4);
    await other('browser_tabs', { action: 'select', index: 0 });
    await told(other, /1 tab that pages opened was closed/, await other('browser_click', { target: 'a' }));
  });
}

test('Downloads end at the limit, and leave nothing of what was too much', async t => {
  const site = await serve(t, routes);
  const { server, directory } = await open(t, ['--isolated']);
  const files = () => readdirSync(directory, { recursive: true }).filter(name => /\.(bin|crdownload)$|[0-9a-f-]{36}$/.test(name));
  const call = agent(server, 'ann');
  await call('browser_navigate', { url: `${site}/` });
  const get = path => call('browser_evaluate', { function: `() => { location.href = '${path}' }` });
  for (const [path, name] of [['/endless', 'endless'], ['/large', 'large']]) {
    const pattern = new RegExp(`download of "${name}\\.bin" was cancelled: .* 1000000 bytes .*\\(session\\.maxDownloadBytes\\)`);
    await told(call, pattern, await get(path));
  }
  // What fits is kept, and counts.
  for (let i = 0; i < 3; i++) {
    await told(call, /Downloaded file small\.bin/, await get('/small'));
  }
  await told(call, /download of "small\.bin" was cancelled/, await get('/small'));
  assert.equal(files().filter(name => /\.(bin|crdownload)$/.test(name)).length, 1, files().join());
});

test('A page starts no more workers than its session may have', async t => {
  const site = await serve(t, routes);
  const { server } = await open(t, ['--isolated']);
  const call = agent(server, 'ann');
  await call('browser_navigate', { url: `${site}/` });
  // Starts so many and follows them until each has answered or was refused.
  const start = async (count, kind) => {
    let { text } = await call('browser_evaluate', { function: `() => { self.answered = 0; for (let i = 0; i < ${count}; i++) (${kind})(() => ++self.answered); }` });
    let answered = 0, refused = 0, ended = false;
    const follow = async () => {
      while (!ended && answered + refused < count) {
        const told = /(\d+) workers? that pages started (?:was|were) ended: this session may have 3 at once \(session\.maxWorkers\)/.exec(text);
        refused += Number(told?.[1] ?? 0);
        ({ text } = await call('browser_evaluate', { function: '() => self.answered' }));
        answered = Number(/^\d+$/m.exec(text)[0]);
      }
    };
    await within(follow(), `${count} workers`).finally(() => (ended = true));
    return { answered, refused };
  };
  const dedicated = `answer => { const worker = new Worker('/work.js'); (self.kept ??= []).push(worker); worker.onmessage = answer; worker.postMessage(1); }`;
  assert.deepEqual(await start(8, dedicated), { answered: 3, refused: 5 });
  // Those that end make room, once the browser has told of it.
  await call('browser_evaluate', { function: '() => { for (const worker of self.kept) worker.terminate(); }' });
  let room = 0;
  const fill = async () => {
    while (room < 3) room += (await start(1, dedicated)).answered;
  };
  await within(fill(), 'three workers in the place of those that ended').finally(() => (room = 3));
  assert.deepEqual(await start(1, dedicated), { answered: 0, refused: 1 });
  await call('browser_navigate', { url: `${site}/?shared` });
  const shared = `answer => { const worker = new SharedWorker('/shared.js', String(Math.random())); (self.kept ??= []).push(worker); worker.port.onmessage = answer; }`;
  assert.deepEqual(await start(8, shared), { answered: 3, refused: 5 });
});

test('What pages log fills no more of the disk than the session may have', async t => {
  const site = await serve(t, { ...routes, '/log': `<title>Log</title><script>for (let i = 0; i < 30; i++) console.error('x'.repeat(1_000))</script>` });
  const { server, directory } = await open(t, ['--isolated']);
  const call = agent(server, 'ann');
  const bytes = () => readdirSync(directory, { recursive: true }).filter(name => /console-.*\.log$/.test(name))
    .reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
  // Each document has a file of its own, so a page could begin as many as it likes.
  let answer;
  for (let i = 0; i < 5; i++) answer = await call('browser_navigate', { url: `${site}/log?${i}` });
  await told(call, /\d+ console messages are in no file: .*50000 bytes together \(session\.maxConsoleBytes\)/, answer);
  assert.ok(bytes() > 20_000 && bytes() <= 50_000, `${bytes()} bytes`);
  // They are there to be read, and a neighbour has files of its own.
  assert.match((await call('browser_console_messages', { level: 'error' })).text, /x{1000}/);
  const other = agent(server, 'bob');
  assert.match((await other('browser_navigate', { url: `${site}/log` })).text, /New console entries/);
});

test('Answers are bounded, whatever a page makes of them', async t => {
  const site = await serve(t, routes);
  const { server, directory } = await open(t, ['--isolated']);
  const call = agent(server, 'ann');
  await call('browser_navigate', { url: `${site}/` });
  const long = 3_000_000;
  const bounded = async (name, args) => {
    const answer = await call(name, args);
    assert.ok(JSON.stringify(answer.result).length < 120_000, `${name} answered ${JSON.stringify(answer.result).length} bytes`);
    return answer;
  };
  const script = text => bounded('browser_evaluate', { function: `() => { ${text} }` });

  const value = await script(`return 'x'.repeat(${long})`);
  assert.match(value.text, /an answer may have 100000 \(session\.maxResultBytes\)/);
  const [, name] = value.text.match(/\[Result\]\((.+?)\)/);
  assert.equal(statSync(join(directory, name)).size, long + 2);
  assert.ok(value.result.content.some(({ type }) => type === 'resource_link'));
  const named = await bounded('browser_evaluate', { function: `() => 'x'.repeat(${long})`, filename: 'value.json' });
  assert.ok(!named.isError, named.text);
  const file = readdirSync(directory, { recursive: true }).find(each => each.endsWith('value.json'));
  assert.equal(statSync(join(directory, file)).size, long + 2);
  const most = await script(`return 'x'.repeat(100_000_000)`);
  assert.ok(most.isError);
  assert.match(most.text, /100000002 characters as JSON/);

  await script(`console.log('x'.repeat(${long})); console.error(new Error('y'.repeat(${long})))`);
  await bounded('browser_console_messages', {});
  await script(`document.title = 'x'.repeat(${long})`);
  await bounded('browser_tabs', { action: 'list' });
  await script(`document.body.innerHTML = '<form name=title></form><p>Shown</p>'`);
  assert.match((await bounded('browser_snapshot', {})).text, /Shown/);
  await bounded('browser_tabs', { action: 'list' });
  await script(`document.title = ''; history.replaceState(0, '', '#' + 'x'.repeat(${long / 2}))`);
  await bounded('browser_tabs', { action: 'list' });
  await script(`history.replaceState(0, '', '#'); document.body.innerHTML = '<button>' + 'x'.repeat(${long}) + '</button>'`);
  await bounded('browser_snapshot', {});
  await script(`document.body.innerHTML = ('<button>' + 'x'.repeat(500) + '</button>').repeat(${long / 500})`);
  const snapshot = await bounded('browser_snapshot', {});
  assert.match(snapshot.text, /session\.maxResultBytes/);
  await script(`document.body.innerHTML = ''; fetch('data:,' + 'x'.repeat(${long}))`);
  await bounded('browser_network_requests', { static: true });
  await script(`alert('x'.repeat(${long}))`);
  assert.match((await bounded('browser_snapshot', {})).text, /alert/);
  await bounded('browser_handle_dialog', { accept: true });
  assert.match((await bounded('browser_evaluate', { function: '() => 1 + 1' })).text, /^2$/m);
});
