// A browser that somebody else started, used through --cdp-endpoint.
import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { suite, test } from 'node:test';

import WebSocket from 'ws';

import { client as identity, start, temporaryDirectory, text, troupe } from './support.mjs';

const candidates = ['/usr/bin/chromium', '/usr/bin/google-chrome', '/usr/bin/chromium-headless-shell'];

async function firstThatExists(paths) {
  for (const path of paths) if (await access(path).then(() => true, () => false)) return path;
}

// A user's browser with a port of its own, and the user's way to look into it.
async function startBrowser(t, profile, port = 0) {
  const executable = await firstThatExists(candidates);
  const headless = executable.endsWith('shell') ? [] : ['--headless=new'];
  const child = start(t, executable, [...headless, '--no-sandbox', '--no-first-run', `--user-data-dir=${profile}`,
    `--remote-debugging-port=${port}`, 'about:blank']);
  const [, url, used] = await child.waitForLine(/DevTools listening on (ws:\/\/[^:]+:(\d+)\S+)/);
  const socket = new WebSocket(url);
  t.after(() => socket.close());
  await once(socket, 'open');
  let last = 0;
  const waiting = new Map();
  socket.on('message', data => {
    const { id, result } = JSON.parse(data);
    waiting.get(id)?.(result);
  });
  const send = (method, params = {}, sessionId) => {
    socket.send(JSON.stringify({ id: ++last, method, params, sessionId }));
    return new Promise(done => waiting.set(last, done));
  };
  const tabs = async () => (await send('Target.getTargets')).targetInfos.filter(({ type }) => type === 'page');
  return { child, send, tabs, port: used, endpoint: `http://127.0.0.1:${used}` };
}

// Each server has a state directory of its own, as those of different users and containers do.
async function startTroupe(t, args) {
  const home = await temporaryDirectory(t);
  const child = start(t, troupe, args, { env: { XDG_CACHE_HOME: home, XDG_STATE_HOME: home }, cwd: home });
  let last = 0;
  const request = (method, params) => {
    const id = ++last;
    child.send({ jsonrpc: '2.0', id, method, params });
    return child.stdout.first(`the answer to ${method}`, line => JSON.parse(line).id === id).then(line => JSON.parse(line).result);
  };
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity });
  child.call = (name, args = {}) => request('tools/call', { name, arguments: args });
  return child;
}

async function serve(t) {
  const site = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<title>${request.url}</title><button onclick="window.open('/popup')">Open</button>`);
  }).listen(0, '127.0.0.1');
  t.after(() => site.close());
  await once(site, 'listening');
  return `http://127.0.0.1:${site.address().port}`;
}

suite('In a browser that somebody else started', () => {
  test('works in one tab, and leaves all of them when it ends', async t => {
    const browser = await startBrowser(t, await temporaryDirectory(t));
    const site = await serve(t);
    await browser.send('Target.createTarget', { url: `${site}/mine`, background: true });
    const before = (await browser.tabs()).length;
    const server = await startTroupe(t, [`--cdp-endpoint=${browser.endpoint}`]);

    const shown = await server.call('browser_navigate', { url: `${site}/agent` });
    assert.match(text(shown), /Page Title: \/agent/);
    assert.equal((await browser.tabs()).filter(({ attached }) => attached).length, 1);
    const popup = await server.call('browser_click', { element: 'Open', target: 'button' });
    assert.match(text(popup), /popup/);
    assert.ok(!text(popup).includes('/mine'), text(popup));

    await server.call('browser_close');
    assert.equal((await browser.tabs()).filter(({ attached }) => attached).length, 0);
    assert.equal((await browser.tabs()).length, before + 1);
    assert.ok(!(await server.call('browser_snapshot')).isError);
    server.process.stdin.end();
    assert.equal((await server.end()).code, 0);
    assert.equal((await browser.tabs()).length, before + 1);
  });

  test('keeps an isolated session apart, and takes it away at the end', async t => {
    const browser = await startBrowser(t, await temporaryDirectory(t));
    const site = await serve(t);
    const before = (await browser.tabs()).map(({ targetId }) => targetId).sort();
    const server = await startTroupe(t, ['--isolated', `--cdp-endpoint=${browser.endpoint}`]);
    assert.match(text(await server.call('browser_navigate', { url: `${site}/agent` })), /Page Title: \/agent/);
    assert.equal((await browser.tabs()).length, before.length + 1);
    server.process.stdin.end();
    await server.end();
    while ((await browser.tabs()).length > before.length); // until it has noticed
    assert.deepEqual((await browser.tabs()).map(({ targetId }) => targetId).sort(), before);
  });

  test('refuses the middle button once it could paste what another session has selected', async t => {
    const browser = await startBrowser(t, await temporaryDirectory(t));
    const site = await serve(t);
    const server = await startTroupe(t, ['--isolated', '--session-param', `--cdp-endpoint=${browser.endpoint}`]);
    const click = sessionId => server.call('browser_click', { element: 'Open', target: 'button', button: 'middle', sessionId });
    await server.call('browser_navigate', { url: site, sessionId: 'one' });
    assert.ok(!(await click('one')).isError);
    await server.call('browser_navigate', { url: site, sessionId: 'two' });
    for (const sessionId of ['one', 'two']) {
      const refused = await click(sessionId);
      assert.ok(refused.isError);
      assert.match(text(refused), /The middle button is off in an attached browser with several sessions.*ControlOrMeta/s);
    }
  });

  // The command line of a team that shares one Chrome, each agent with a process of its own.
  const agentArgs = (browser, name) => [`--cdp-endpoint=${browser.endpoint}`, '--require-tab-id', '--agent-id', name];
  const idsIn = answer => [...text(answer).matchAll(/\[targetId=([^\]]+)\]/g)].map(([, id]) => id);

  test('is shared by processes that never have each other\'s tabs', async t => {
    const browser = await startBrowser(t, await temporaryDirectory(t));
    const site = await serve(t);
    const [{ targetId: used }] = await browser.tabs();
    const ann = await startTroupe(t, agentArgs(browser, 'ann'));
    // The first one on an unused Chrome begins with the tab used last.
    assert.deepEqual(idsIn(await ann.call('browser_tabs', { action: 'list' })), [used]);
    const opened = idsIn(await ann.call('browser_tabs', { action: 'new' })).find(id => id !== used);
    await ann.call('browser_navigate', { url: `${site}/ann`, targetId: opened });

    const bob = await startTroupe(t, agentArgs(browser, 'bob'));
    const shown = await bob.call('browser_tabs', { action: 'new' });
    const theirs = idsIn(await bob.call('browser_tabs', { action: 'list' }));
    assert.ok(theirs.length > 0, text(shown));
    assert.ok(!theirs.includes(used) && !theirs.includes(opened), text(shown));
    assert.ok((await bob.call('browser_navigate', { url: `${site}/bob`, targetId: opened })).isError);
    await bob.call('browser_navigate', { url: `${site}/bob`, targetId: theirs[0] });
    for (const index of theirs.keys()) await bob.call('browser_tabs', { action: 'close', index: theirs.length - 1 - index });
    assert.match(text(await ann.call('browser_snapshot', { targetId: opened })), /\/ann/);
  });

  test('is shared by processes and clients that begin together', async t => {
    const browser = await startBrowser(t, await temporaryDirectory(t));
    const site = await serve(t);
    for (let round = 0; round < 3; ++round) {
      const agents = await Promise.all([0, 1, 2].map(i => startTroupe(t, [`--cdp-endpoint=${browser.endpoint}`, '--tab-ids', '--auto-assign-tab', '--agent-id', `${i}`])));
      await Promise.all(
        agents.map(async (agent, i) => {
          const shown = await agent.call('browser_navigate', { url: `${site}/agent-${round}-${i}` });
          assert.ok(!shown.isError, text(shown));
          assert.match(text(shown), new RegExp(`Page Title: /agent-${round}-${i}`));
        }),
      );
      const tabs = (await Promise.all(agents.map(agent => agent.call('browser_tabs', { action: 'list' })))).map(idsIn);
      assert.equal(new Set(tabs.flat()).size, tabs.flat().length, JSON.stringify(tabs));
      await Promise.all(agents.map((agent, i) => (i === 0 ? agent.process.kill('SIGKILL') : agent.process.stdin.end())));
      await Promise.all(agents.map(agent => agent.end()));
    }
  });

  // Sessions with tabs of their own have closed them however the server ends; those of its user stay.
  for (const [end, args, call] of [
    ['its input ends', ['--isolation=shared'], {}],
    ['SIGTERM', ['--isolation=shared'], {}],
    ['its input ends', ['--isolation=shared', '--session-param'], { sessionId: 'q' }],
    ['SIGTERM', ['--isolation=shared', '--session-param'], { sessionId: 'q' }],
  ]) {
    test(`keeps no tab of ${args.join(' ')} when ${end}`, async t => {
      const browser = await startBrowser(t, await temporaryDirectory(t));
      const site = await serve(t);
      const before = (await browser.tabs()).map(({ targetId }) => targetId).sort();
      const server = await startTroupe(t, [`--cdp-endpoint=${browser.endpoint}`, ...args]);
      assert.match(text(await server.call('browser_navigate', { url: `${site}/agent`, ...call })), /Page Title: \/agent/);
      for (let i = 0; i < 5; ++i) await server.call('browser_tabs', { action: 'new', url: `${site}/${i}`, ...call });
      assert.equal((await browser.tabs()).length, before.length + 6);
      if (end === 'SIGTERM') server.process.kill('SIGTERM');
      else server.process.stdin.end();
      await server.end();
      assert.deepEqual((await browser.tabs()).map(({ targetId }) => targetId).sort(), before);
    });
  }

  test('says when nobody is there, and comes back with the browser', async t => {
    const profile = await temporaryDirectory(t);
    const first = await startBrowser(t, profile);
    const site = await serve(t);
    const server = await startTroupe(t, [`--cdp-endpoint=${first.endpoint}`]);
    assert.ok(!(await server.call('browser_navigate', { url: `${site}/one` })).isError);

    const pending = server.call('browser_evaluate', { function: '() => new Promise(() => {})' });
    first.child.process.kill('SIGKILL');
    assert.ok((await pending).isError);
    await first.child.end(); // its port is free only then
    const refused = await server.call('browser_snapshot');
    assert.ok(refused.isError);
    assert.match(text(refused), /connect ECONNREFUSED/);

    await startBrowser(t, await temporaryDirectory(t), first.port);
    const shown = await server.call('browser_navigate', { url: `${site}/two` });
    assert.match(text(shown), /Page Title: \/two/);
  });
});
