// Sessions that outlive their browser: asleep, after a crash, and more of them than browsers may have contexts.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { processes } from './processes.mjs';
import { agent, client as identity, startServer, temporaryDirectory, text, troupe } from './support.mjs';

const form = `<title>Form</title>
<body style="height: 5000px">
<form><input id=name aria-label=Name><textarea name=notes></textarea><input type=checkbox name=agree>
<select name=size><option>small<option>large</select><input type=password id=secret></form>
<div id=box style="height: 50px; width: 200px; overflow: auto"><div style="height: 900px">tall</div></div>
<div contenteditable id=rich>draft</div>
<script>document.title = 'Form of ' + (localStorage.who ?? 'nobody')</script>`;

const site = {
  '/': (request, response) => {
    const name = new URL(request.url, 'http://x').searchParams.get('as');
    response.writeHead(200, { 'Content-Type': 'text/html', ...(name && { 'Set-Cookie': [`who=${name}; HttpOnly`] }) });
    response.end(`<title>Start</title><p>cookie: ${request.headers.cookie ?? 'none'}</p>`);
  },
  '/form': form,
  '/who': (request, response) => response.end(request.headers.cookie ?? 'none'),
};

// Leaves something in every place that a session has.
const leave = `async name => {
  localStorage.who = name;
  sessionStorage.step = name + '-2';
  const db = await new Promise((resolve, reject) => {
    const open = indexedDB.open('cart', 3);
    open.onupgradeneeded = () => open.result.createObjectStore('items', { keyPath: 'id' }).createIndex('by', 'price');
    open.onsuccess = () => resolve(open.result);
    open.onerror = reject;
  });
  const change = db.transaction('items', 'readwrite');
  change.objectStore('items').put({ id: 1, price: 2.5, at: new Date(86400000), tags: new Set([name]), raw: new Uint8Array([1, 2, 255]) });
  await new Promise(resolve => (change.oncomplete = resolve));
  db.close();
  document.querySelector('#name').value = name;
  document.querySelector('[name=notes]').value = 'two\\nlines';
  document.querySelector('[name=agree]').checked = true;
  document.querySelector('select').value = 'large';
  document.querySelector('#secret').value = 'hunter2';
  document.querySelector('#rich').innerHTML = '<b>' + name + '</b>';
  document.querySelector('#box').scrollTop = 120;
  scrollTo(0, 700);
}`;

const found = `async () => {
  const db = await new Promise(resolve => { const open = indexedDB.open('cart'); open.onsuccess = () => resolve(open.result); });
  const item = await new Promise(resolve => { const get = db.transaction('items').objectStore('items').index('by').get(2.5); get.onsuccess = () => resolve(get.result); });
  const version = db.version;
  db.close();
  return JSON.stringify({
    url: location.pathname,
    local: localStorage.who,
    session: sessionStorage.step,
    database: [version, item.id, item.at.getTime(), [...item.tags][0], [...item.raw].join()],
    cookie: await (await fetch('/who')).text(),
    name: document.querySelector('#name').value,
    notes: document.querySelector('[name=notes]').value,
    agree: document.querySelector('[name=agree]').checked,
    size: document.querySelector('select').value,
    secret: document.querySelector('#secret').value,
    rich: document.querySelector('#rich').innerHTML,
    box: document.querySelector('#box').scrollTop,
    scroll: scrollY,
  });
}`;

const expected = name => ({
  url: '/form',
  local: name,
  session: `${name}-2`,
  database: [3, 1, 86400000, name, '1,2,255'],
  cookie: `who=${name}`,
  name,
  notes: 'two\nlines',
  agree: true,
  size: 'large',
  secret: '', // passwords are not kept
  rich: `<b>${name}</b>`,
  box: 120,
  scroll: 700,
});

const resultOf = answer => JSON.parse(JSON.parse(/### Result\n(".*")/.exec(answer)[1]));

async function configFile(t, session) {
  const file = join(await temporaryDirectory(t), 'config.json');
  await writeFile(file, JSON.stringify({ session }));
  return file;
}

async function visit(call, origin, name, more = {}) {
  await call('browser_navigate', { url: `${origin}/?as=${name}`, ...more });
  await call('browser_navigate', { url: `${origin}/form`, ...more });
  await call('browser_evaluate', { function: `() => (${leave})(${JSON.stringify(name)})`, ...more });
}

suite('A session', { concurrency: 2 }, () => {
  test('hibernates when nobody uses it, and comes back as it was', async t => {
    const origin = await serve(t, site);
    const config = await configFile(t, { idleTimeout: 3000, sweepInterval: 50 });
    const browser = await Browser.open(t, { args: ['--config', config, '--session-param', '--log-level=info'] });
    await visit((...call) => browser.call(...call), origin, 'ann');
    await browser.call('browser_tabs', { action: 'new', url: `${origin}/?second` });
    await browser.call('browser_tabs', { action: 'select', index: 0 });
    await browser.child.waitForLine(/a session hibernated/);
    const [listed] = JSON.parse((await browser.call('list_sessions')).text).data.sessions;
    assert.equal(listed.state, 'hibernated');
    assert.equal(listed.tabs, 2);
    assert.equal(listed.url, `${origin}/form`);

    const answer = await browser.call('browser_evaluate', { function: found });
    assert.match(answer.sections.Session, /^- This session was asleep/);
    assert.match(answer.sections.Session, /passwords have to be given again/);
    assert.deepEqual(resultOf(answer.text), expected('ann'));
    const tabs = await browser.call('browser_tabs', { action: 'list' });
    assert.match(tabs.text, /0: \(current\) \[Form of ann\].*\n- 1: \[Start\]\(.*second\)/);
    assert.equal(tabs.sections.Session, undefined, 'said twice');
    // The way back is there as well.
    assert.match((await browser.call('browser_navigate_back')).text, /Page URL: .*\?as=ann/);
  });

  test('has what was filled in inside of frames', async t => {
    const origin = await serve(t, {
      '/': '<title>Outside</title><iframe src=/middle></iframe><iframe src=/empty></iframe>',
      '/middle': '<iframe src=/inside></iframe>',
      '/inside': '<input aria-label=City><input type=checkbox aria-label=Agree>',
      '/empty': 'nothing',
    });
    const config = await configFile(t, { maxSessions: 1 });
    const browser = await Browser.open(t, { args: ['--config', config, '--session-param'] });
    const go = (name, args) => browser.call(name, { ...args, sessionId: 'ann' });
    const { snapshot } = await go('browser_navigate', { url: origin });
    const refOf = role => new RegExp(`${role} .*\\[ref=(\\w+)\\]`).exec(snapshot)[1];
    await go('browser_type', { element: 'City', target: refOf('textbox'), text: 'Oslo' });
    await go('browser_click', { element: 'Agree', target: refOf('checkbox') });
    await browser.call('browser_navigate', { url: 'about:blank', sessionId: 'bob' });

    const answer = await go('browser_snapshot');
    assert.match(answer.sections.Session, /^- This session was asleep/);
    assert.doesNotMatch(answer.sections.Session, /could not|not there/);
    assert.match(answer.snapshot, /textbox "City".*: Oslo/);
    assert.match(answer.snapshot, /checkbox "Agree" \[checked\]/);
  });

  test('finds its way back and forth, and within a page', async t => {
    const origin = await serve(t, site);
    const config = await configFile(t, { maxSessions: 1 });
    const browser = await Browser.open(t, { args: ['--config', config, '--session-param'] });
    const go = (name, args) => browser.call(name, { ...args, sessionId: 'ann' });
    for (const path of ['/?one', '/?two', '/form', '/form#part']) await go('browser_navigate', { url: origin + path });
    for (let i = 0; i < 2; ++i) await go('browser_navigate_back');
    await go('browser_resize', { width: 500, height: 400 });
    await browser.call('browser_navigate', { url: origin, sessionId: 'bob' });
    const sleeping = JSON.parse((await browser.call('list_sessions')).text).data.sessions.find(each => each.sessionId === 'ann');
    assert.equal(sleeping.state, 'hibernated');

    const here = await go('browser_evaluate', { function: '() => `${location.href} ${history.length} ${innerWidth}`' });
    assert.match(here.text, /\/\?two 5 500/);
    assert.match((await go('browser_navigate_back')).text, /Page URL: .*\/\?one\n/);
    await go('browser_evaluate', { function: '() => history.go(3)' });
    await go('browser_wait_for', { text: 'draft' });
    assert.match((await go('browser_snapshot')).text, /Page URL: .*\/form#part\n- Page Title: Form of nobody/);
  });

  test('is restored from its last checkpoint when the browser dies', async t => {
    const origin = await serve(t, site);
    const directory = await temporaryDirectory(t);
    const browser = await Browser.open(t, { cwd: directory, args: ['--log-level=debug'] });
    await visit((...call) => browser.call(...call), origin, 'bob');
    // One that was under way may have missed the last call; the next one has not.
    for (const extra of ['one', 'two']) {
      const seen = browser.child.stderr.items.length;
      await browser.call('browser_evaluate', { function: `() => (localStorage.extra = '${extra}')` });
      await browser.child.stderr.first('a checkpoint', line => /checkpoint/.test(line) && browser.child.stderr.items.indexOf(line, seen) >= 0);
    }
    const mains = processes(directory).filter(each => each.command.includes('--remote-debugging-pipe') && !each.command.includes('--type='));
    for (const { pid } of mains) process.kill(pid, 'SIGKILL');
    // The call that meets the death may fail; none after it does.
    let answer;
    for (let tries = 0; tries < 50 && !answer?.sections.Session; ++tries) answer = await browser.call('browser_evaluate', { function: found });
    assert.match(answer.sections.Session, /^- The browser crashed\. This session was restored/);
    assert.deepEqual(resultOf(answer.text), expected('bob'));
  });

  test('of a name is one of more than there may be contexts', async t => {
    const origin = await serve(t, site);
    const directory = await temporaryDirectory(t);
    const config = await configFile(t, { maxSessions: 3 });
    const server = await startServer(t, troupe, ['--headless', '--config', config], { env: { XDG_CACHE_HOME: directory }, cwd: directory });
    const names = Array.from({ length: 12 }, (_, i) => `agent${i}`);
    for (const name of names) {
      const call = agent(server, name);
      await visit(async (tool, args) => (await call(tool, args)).text, origin, name, { sessionId: name });
    }
    for (const name of names) {
      const { text: answer } = await agent(server, name)('browser_evaluate', { function: found });
      assert.match(answer, /### Session\n- This session was asleep/);
      assert.deepEqual(resultOf(answer), expected(name));
    }
  });
});

suite('session_resume', { concurrency: 2 }, () => {
  test('finds one’s own, asleep or not, and nobody else’s', async t => {
    const origin = await serve(t, site);
    const browser = await Browser.open(t, { args: ['--session-param'] });
    await browser.call('browser_navigate', { url: `${origin}/?as=ann`, sessionId: 'ann' });
    const resumed = JSON.parse((await browser.call('session_resume', { sessionId: 'ann' })).text).data;
    assert.equal(resumed.state, 'active');
    assert.equal(resumed.restored, false);
    assert.equal(resumed.url, `${origin}/?as=ann`);
    assert.equal(resumed.tabs.length, 1);
    const foreign = await browser.call('session_resume', { sessionId: 'bob' });
    assert.equal(foreign.isError, true);
    assert.match(foreign.text, /There is no session \\"bob/);
  });
});

suite('A lost connection', () => {
  test('leaves its sessions to who has their ids', async t => {
    const origin = await serve(t, site);
    const directory = await temporaryDirectory(t);
    // Where all clients are one user, each may have what another left.
    const args = ['--headless', '--isolated', '--session-param', '--host', '0.0.0.0', '--insecure'];
    const server = await startServer(t, troupe, args, { env: { XDG_CACHE_HOME: directory }, cwd: directory });
    const first = await connect(t, server);
    await first.call('browser_navigate', { url: `${origin}/?as=ann` });
    const [{ resumeId }] = JSON.parse(await first.call('list_sessions')).data.sessions;
    const second = await connect(t, server);
    assert.match(await second.call('session_resume', { sessionId: resumeId }), /There is no session/);
    first.socket.close();
    await new Promise(resolve => (first.socket.onclose = resolve));

    const resumed = JSON.parse(await second.call('session_resume', { sessionId: resumeId })).data;
    assert.equal(resumed.url, `${origin}/?as=ann`);
    assert.match(await second.call('browser_navigate', { url: origin, sessionId: resumeId }), /Page Title: Start/);
    const third = await connect(t, server);
    assert.match(await third.call('session_resume', { sessionId: resumeId }), /There is no session/);
  });
});

// A client over WebSocket.
async function connect(t, server) {
  const socket = new WebSocket(server.url('/ws', 'ws'), 'mcp');
  t.after(() => socket.close());
  await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }));
  const waiting = new Map();
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    waiting.get(message.id)?.(message);
  };
  const request = (id, method, params) => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return new Promise(resolve => waiting.set(id, resolve));
  };
  await request(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity });
  let id = 0;
  const call = async (name, args = {}) => text((await request(++id, 'tools/call', { name, arguments: args })).result);
  return { socket, call };
}
