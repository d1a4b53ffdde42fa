// Tabs of one browser context that several agents work in: each keeps to its own, unless one is handed over or lent.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { Browser, serve } from './browser_support.mjs';
import { client as identity, startServer, temporaryDirectory, text, troupe } from './support.mjs';

const pages = {
  '/': '<title>first</title><button onclick="document.title = \'clicked\'">Press</button>',
  '/other': '<title>other</title>',
  '/answer': (request, response) => response.end('from the server'),
};

async function agents(t, count, args = []) {
  const directory = await temporaryDirectory(t);
  const server = await startServer(t, troupe, ['--headless', '--isolation=shared', ...args], {
    env: { XDG_CACHE_HOME: directory },
    cwd: directory,
  });
  return Promise.all(
    Array.from({ length: count }, async () => {
      const client = new Client(identity);
      t.after(() => client.close());
      await client.connect(new StreamableHTTPClientTransport(server.url('/mcp')));
      const agent = async (name, given = {}) => {
        const result = await client.callTool({ name, arguments: given });
        return { text: text(result), isError: result.isError ?? false };
      };
      agent.client = client;
      return agent;
    }),
  );
}

const idsIn = list => [...list.matchAll(/targetId=([\w.]+)/g)].map(([, id]) => id);
const tabsOf = async agent => idsIn((await agent('browser_tabs', { action: 'list' })).text);
const title = async (agent, targetId) =>
  /"(.*)"/.exec((await agent('browser_evaluate', { function: '() => document.title', targetId })).text)?.[1];

suite('Sharing tabs', { concurrency: 2 }, () => {
  test('a tab is handed over by a token, and late calls of its former owner fail', async t => {
    const origin = await serve(t, pages);
    const [ann, bob] = await agents(t, 2);
    await ann('browser_navigate', { url: origin });
    const [id] = await tabsOf(ann);
    const [own] = await tabsOf(bob);
    const [, token] = /Token: ([\w-]+)/.exec((await ann('browser_tabs', { action: 'share', targetId: id })).text);

    const taken = await bob('browser_tabs', { action: 'share', token });
    assert.equal(taken.isError, false, taken.text);
    const given = idsIn(taken.text).find(each => each !== own);
    assert.equal(await title(bob, given), 'first');
    // It is not what the new owner works in unless it says so.
    assert.match(taken.text, new RegExp(`\\(current\\).*targetId=${own}`));

    const late = await ann('browser_click', { element: 'Press', target: 'text=Press', targetId: id });
    assert.equal(late.isError, true);
    assert.match(late.text, /is not one of this session's tabs/);
    const again = await bob('browser_tabs', { action: 'share', token });
    assert.match(again.text, /no tab to be had/);

    // Back again it has another id: a call by the first one is still a late one.
    await bob('browser_tabs', { action: 'release', targetId: given });
    const [back] = (await tabsOf(ann)).filter(each => each.startsWith(id));
    assert.notEqual(back, id);
    const stale = await ann('browser_snapshot', { targetId: id });
    assert.match(stale.text, new RegExp(`has changed hands[^]*${back}`));
    const foreign = await bob('browser_snapshot', { targetId: given });
    assert.match(foreign.text, new RegExp(`not one of this session's tabs[^]*${own}`));
    assert.equal(await title(ann, back), 'first');
  });

  test('a lent tab can be read and not changed', async t => {
    const origin = await serve(t, pages);
    const [ann, bob] = await agents(t, 2);
    await ann('browser_navigate', { url: origin });
    await ann('browser_evaluate', { function: '() => console.log("said by the page")' });
    const [id] = await tabsOf(ann);
    const [, token] = /Token: ([\w-]+)/.exec((await ann('browser_tabs', { action: 'share', access: 'read-only', targetId: id })).text);
    const taken = await bob('browser_tabs', { action: 'share', token });
    assert.match(taken.text, /\[read-only\]/);
    const lent = idsIn(taken.text).find(each => each.startsWith(id));

    assert.match((await bob('browser_snapshot', { targetId: lent })).text, /button "Press"/);
    assert.match((await bob('browser_console_messages', { targetId: lent })).text, /said by the page/);
    assert.equal((await bob('browser_take_screenshot', { targetId: lent })).isError, false);
    for (const [tool, args] of [
      ['browser_click', { element: 'Press', target: 'text=Press' }],
      ['browser_navigate', { url: `${origin}/other` }],
      ['browser_evaluate', { function: '() => 1' }],
      ['browser_resize', { width: 300, height: 300 }],
      ['browser_tabs', { action: 'close' }],
      ['browser_tabs', { action: 'share' }],
    ]) {
      const refused = await bob(tool, { ...args, targetId: lent });
      assert.equal(refused.isError, true, tool);
      assert.match(refused.text, /lent to this session/, tool);
    }
    // The owner works on, and takes it back.
    await ann('browser_click', { element: 'Press', target: 'text=Press', targetId: id });
    assert.equal(await title(ann, id), 'clicked');
    await ann('browser_tabs', { action: 'release', targetId: id });
    assert.match((await bob('browser_snapshot', { targetId: lent })).text, /not one of this session's tabs/);
  });

  test('ends with its owner’s session', async t => {
    const origin = await serve(t, pages);
    const [ann, bob] = await agents(t, 2);
    await ann('browser_navigate', { url: origin });
    const [id] = await tabsOf(ann);
    const [, token] = /Token: ([\w-]+)/.exec((await ann('browser_tabs', { action: 'share', access: 'read-only', targetId: id })).text);
    await bob('browser_tabs', { action: 'share', token });
    await ann('browser_close');
    assert.deepEqual((await tabsOf(bob)).filter(each => each.startsWith(id)), []);
  });

  test('between named sessions of one client, without a token', async t => {
    const origin = await serve(t, pages);
    const browser = await Browser.open(t, { args: ['--isolation=shared', '--session-param'], isolated: [] });
    await browser.call('browser_navigate', { url: origin, sessionId: 'ann' });
    const early = await browser.call('browser_tabs', { action: 'share', to: 'bob', sessionId: 'ann' });
    assert.match(early.text, /There is no session "bob"/);
    await browser.call('browser_navigate', { url: `${origin}/other`, sessionId: 'bob' });
    const shared = await browser.call('browser_tabs', { action: 'share', to: 'bob', sessionId: 'ann' });
    const [, id] = /there it is ([\w.]+)\./.exec(shared.text);
    assert.match((await browser.call('browser_snapshot', { sessionId: 'bob', targetId: id })).text, /button "Press"/);
  });

  test('is for sessions of one context', async t => {
    const browser = await Browser.open(t, { args: ['--tab-ids'] });
    await browser.call('browser_tabs', { action: 'new' });
    const { isError, text } = await browser.call('browser_tabs', { action: 'share' });
    assert.equal(isError, true);
    assert.match(text, /--isolation shared/);
  });
});

suite('Agents in one context', { concurrency: 2 }, () => {
  test('do not change each other’s current tab, viewport, focus, dialogs or emulation', async t => {
    const origin = await serve(t, pages);
    const [ann, bob] = await agents(t, 2);
    await bob('browser_navigate', { url: `${origin}/other` });
    const state = async () => {
      const seen = await bob('browser_evaluate', {
        function: '() => [location.pathname, innerWidth, innerHeight, document.hasFocus(), document.visibilityState]',
      });
      return seen.text.split('### Ran')[0];
    };
    const before = await state();

    await ann('browser_navigate', { url: origin });
    await ann('browser_resize', { width: 400, height: 300 });
    await ann('browser_tabs', { action: 'new', url: `${origin}/other` });
    await ann('browser_tabs', { action: 'select', index: 0 });
    assert.equal(await state(), before);

    await ann('browser_evaluate', { function: '() => { setTimeout(() => alert("stop")) }' });
    for (let shown = ''; !shown.includes('Modal state'); ) shown = (await ann('browser_snapshot')).text;
    assert.equal(await state(), before);
    assert.match((await bob('browser_handle_dialog', { accept: true })).text, /related modal state/);
    assert.equal((await ann('browser_handle_dialog', { accept: true })).isError, false);

    await ann('browser_close');
    assert.equal(await state(), before);
    assert.equal((await tabsOf(bob)).length, 1);
  });

  test('have routes and network states of their own', async t => {
    const origin = await serve(t, pages);
    const [ann, bob] = await agents(t, 2, ['--caps=network']);
    for (const agent of [ann, bob]) await agent('browser_navigate', { url: origin });
    const fetched = async agent =>
      (await agent('browser_evaluate', { function: '() => fetch("/answer").then(answer => answer.text(), String)' })).text;
    await ann('browser_route', { pattern: '**/answer', body: 'from ann' });
    assert.match(await fetched(ann), /from ann/);
    assert.match(await fetched(bob), /from the server/);
    assert.match((await bob('browser_route_list')).text, /No active routes/);
    await ann('browser_unroute');
    assert.match(await fetched(ann), /from the server/);

    await ann('browser_network_state_set', { state: 'offline' });
    assert.match(await fetched(ann), /Failed to fetch/);
    assert.match(await fetched(bob), /from the server/);
    // What an agent opens later is under its own rules, and under nobody else's.
    await ann('browser_tabs', { action: 'new' });
    assert.match((await ann('browser_navigate', { url: origin })).text, /ERR_INTERNET_DISCONNECTED/);
    await bob('browser_tabs', { action: 'new', url: origin });
    assert.match(await fetched(bob), /from the server/);
  });
});

suite('--auto-assign-tab', () => {
  test('gives each connection a tab and says which', async t => {
    const [ann, bob] = await agents(t, 2, ['--auto-assign-tab', '--require-tab-id']);
    const [first] = await tabsOf(ann);
    const [second] = await tabsOf(bob);
    assert.ok(first && second);
    assert.notEqual(first, second);
    assert.match((await ann('browser_evaluate', { function: '() => 1 + 1', targetId: first })).text, /2/);
  });

  test('tells of it with the first answer', async t => {
    const browser = await Browser.open(t, { args: ['--auto-assign-tab'] });
    const { text: answer } = await browser.call('browser_evaluate', { function: '() => 1' });
    assert.match(answer, /### Open tabs\n- 0: \(current\).*targetId=/);
    assert.doesNotMatch((await browser.call('browser_evaluate', { function: '() => 1' })).text, /### Open tabs/);
  });
});

test('--agent-id labels log lines; else the client’s own name does', async t => {
  const named = await Browser.open(t, { args: ['--agent-id=scout', '--log-level=debug'] });
  await named.call('browser_snapshot');
  await named.child.waitForLine(/call.*scout.*browser_snapshot/);
  const unnamed = await Browser.open(t, { args: ['--log-level=debug'] });
  await unnamed.call('browser_snapshot');
  await unnamed.child.waitForLine(new RegExp(`call.*${identity.name}.*browser_snapshot`));
});

suite('Calls that name different tabs', { concurrency: 1 }, () => {
  async function twoTabs(t, args = ['--tab-ids']) {
    const origin = await serve(t, {
      '/a': '<title>A</title><p>of a</p><button onclick="console.log(\'said by a\')">Press</button>',
      '/b': '<title>B</title><p>of b</p><button onclick="console.log(\'said by b\'); setTimeout(() => alert(\'asked by b\'), 0)">Press</button>',
    });
    const browser = await Browser.open(t, { args });
    await browser.call('browser_navigate', { url: `${origin}/a` });
    await browser.call('browser_tabs', { action: 'new', url: `${origin}/b` });
    const [a, b] = idsIn((await browser.call('browser_tabs', { action: 'list' })).text);
    return { origin, browser, a, b };
  }

  for (const named of ['ids', 'indexes']) test(`run beside each other by their ${named}, and the others wait for them`, async t => {
    const { browser, a: firstId, b: secondId } = await twoTabs(t);
    const [a, b] = named === 'ids' ? [firstId, secondId] : [0, '1'];
    const ended = {};
    const begun = Date.now();
    const call = async (label, name, args) => {
      const answer = await browser.call(name, args);
      ended[label] = Date.now() - begun;
      return answer;
    };
    const waiting = call('wait', 'browser_wait_for', { time: 3, targetId: a });
    const beside = call('beside', 'browser_evaluate', { function: '() => document.title', targetId: b }).then(answer => ({ answer, after: Date.now() - begun }));
    const list = call('list', 'browser_tabs', { action: 'list' });
    const after = call('after', 'browser_snapshot', { targetId: b });
    const { answer, after: milliseconds } = await beside;
    assert.match(answer.text, /"B"/);
    assert.ok(milliseconds < 2500, `waited ${milliseconds} ms for a call in another tab`);
    t.diagnostic(`answered after ${milliseconds} ms beside a wait of 3000 ms`);
    const waited = await waiting;
    assert.match(waited.text, /Waited for 3 seconds/);
    // Each answer is about its own page.
    assert.match(waited.text, /Page Title: A/);
    assert.match(waited.text, new RegExp(`\\(current\\) \\[A\\].*targetId=${firstId}`));
    // As if they had run in their order: the last one that named a tab has made it the current one.
    assert.match((await list).text, new RegExp(`\\(current\\).*targetId=${secondId}`));
    await after;
    assert.ok(ended.list >= 2900 && ended.after >= 2900, JSON.stringify(ended));
  });

  test('have a dialog, a console and a record of their own', async t => {
    const { browser, a, b } = await twoTabs(t, ['--tab-ids', '--caps=history']);
    const [first, second] = await Promise.all([
      browser.call('browser_click', { element: 'Press', target: 'text=Press', targetId: a }),
      browser.call('browser_click', { element: 'Press', target: 'text=Press', targetId: b }),
    ]);
    assert.doesNotMatch(first.text, /Modal state|asked by b/);
    const dialog = second.sections['Modal state'] ?? (await browser.call('browser_snapshot', { targetId: b })).sections['Modal state'];
    assert.match(dialog, /asked by b/);
    assert.equal((await browser.call('browser_snapshot', { targetId: a })).isError, false, 'a dialog stops its own tab only');
    assert.equal((await browser.call('browser_handle_dialog', { accept: true, targetId: b })).isError, false);
    const { calls } = JSON.parse((await browser.call('history_list', { tool: 'browser_click' })).text);
    const said = await Promise.all(calls.map(async ({ ref_id }) => (await browser.call('get_console_content', { ref_id })).text));
    for (const each of said) assert.ok(!(/said by a/.test(each) && /said by b/.test(each)), each);
  });

  test('run in order within a tab, many at once', async t => {
    const { browser, a, b } = await twoTabs(t);
    await Promise.all([a, b].flatMap(targetId => Array.from({ length: 8 }, (_, i) =>
      browser.call('browser_evaluate', { function: `() => (window.order = [...(window.order ?? []), ${i}]).join()`, targetId }))));
    for (const targetId of [a, b])
      assert.match((await browser.call('browser_evaluate', { function: '() => window.order.join()', targetId })).text, /"0,1,2,3,4,5,6,7"/);
  });

  test('leave nothing behind when one is cancelled or its tab closes', async t => {
    const { browser, a, b } = await twoTabs(t);
    browser.child.send({ jsonrpc: '2.0', id: 'long', method: 'tools/call', params: { name: 'browser_wait_for', arguments: { time: 30, targetId: a } } });
    await browser.call('browser_snapshot', { targetId: b });
    browser.child.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'long' } });
    assert.equal((await browser.call('browser_tabs', { action: 'close', index: 0 })).isError, false);
    assert.match((await browser.call('browser_snapshot', { targetId: a })).text, /is not one of this session's tabs/);
    assert.match((await browser.call('browser_snapshot', { targetId: b })).text, /of b/);
  });
});
