// Many sessions on one server: by name, by connection, apart from each other or on shared logins.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { Browser, serve } from './browser_support.mjs';
import { client as identity, postStateless, startServer, temporaryDirectory, text, troupe } from './support.mjs';

// Remembers who asks by cookie.
const visits = {
  '/': (request, response) => {
    const seen = /who=(\w+)/.exec(request.headers.cookie ?? '')?.[1];
    const name = new URL(request.url, 'http://x').searchParams.get('as');
    response.writeHead(200, { 'Content-Type': 'text/html', ...(name && { 'Set-Cookie': `who=${name}` }) });
    response.end(`<title>${name ?? seen ?? 'nobody'}</title><h1>hello ${name ?? seen ?? 'nobody'}</h1><a href="/" target=_blank>open</a>`);
  },
};

async function connect(t, server) {
  const client = new Client(identity);
  await client.connect(new StreamableHTTPClientTransport(server.url('/mcp')));
  t.after(() => client.close());
  return async (name, args = {}) => text(await client.callTool({ name, arguments: args }));
}

async function startHttp(t, args = []) {
  const directory = await temporaryDirectory(t);
  return startServer(t, troupe, ['--headless', ...args], { env: { XDG_CACHE_HOME: directory }, cwd: directory });
}

const stateless = async (server, method, params, headers) => (await postStateless(server, method, params, { headers })).json();

suite('Named sessions', { concurrency: 2 }, () => {
  test('on one stdio connection have browser states of their own', async t => {
    const origin = await serve(t, visits);
    const browser = await Browser.open(t, { args: ['--session-param'] });
    for (const name of ['ann', 'bob', 'eve']) await browser.call('browser_navigate', { url: `${origin}/?as=${name}`, sessionId: name });
    const answers = await Promise.all(
      ['ann', 'bob', 'eve'].map(name => browser.call('browser_navigate', { url: origin, sessionId: name })),
    );
    assert.deepEqual(answers.map(({ snapshot }) => /hello (\w+)/.exec(snapshot)[1]), ['ann', 'bob', 'eve']);
    const plain = await browser.call('browser_navigate', { url: origin });
    assert.match(plain.snapshot, /hello nobody/);

    const listed = JSON.parse((await browser.call('list_sessions')).text).data;
    assert.deepEqual(listed.sessions.map(each => each.sessionId), ['default', 'ann', 'bob', 'eve']);
    for (const { sessionId, state, title, url, tabs, memory } of listed.sessions) {
      assert.deepEqual({ state, title, url, tabs }, { state: 'active', title: sessionId === 'default' ? 'nobody' : sessionId, url: `${origin}/`, tabs: 1 });
      assert.ok(memory > 100_000, `${memory} bytes`);
    }
    assert.deepEqual(JSON.parse((await browser.call('get_cookies', { sessionId: 'bob' })).text).data.cookies.map(each => each.value), ['bob']);
  });

  test('are made with settings, saved, restored and closed', async t => {
    const origin = await serve(t, visits);
    const browser = await Browser.open(t, { args: ['--session-param'] });
    const made = await browser.call('create_session', { url: `${origin}/?as=ann`, width: 500, height: 400, userAgent: 'Agent/7' });
    const { sessionId, lifetime } = JSON.parse(made.text).data;
    assert.deepEqual(lifetime, { endsWithConnection: false, hibernatesAfterMilliseconds: 300_000 });
    assert.match(sessionId, /^[0-9a-f-]{36}$/);
    const seen = await browser.call('browser_evaluate', { function: '() => [innerWidth, navigator.userAgent]', sessionId });
    assert.match(seen.text, /500[^]*Agent\/7/);
    const { state } = JSON.parse((await browser.call('save_state', { sessionId })).text).data;
    await browser.call('create_session', { sessionId: 'copy' });
    await browser.call('restore_state', { sessionId: 'copy', state });
    assert.match((await browser.call('browser_navigate', { url: origin, sessionId: 'copy' })).snapshot, /hello ann/);

    assert.equal((await browser.call('close_session', { sessionId })).isError, false);
    const gone = await browser.call('session_close', { sessionId });
    assert.equal(gone.isError, true);
    assert.match(gone.text, /no session/);
  });

  test('can be asked for', async t => {
    const browser = await Browser.open(t, { args: ['--require-session-id'] });
    const answer = await browser.call('browser_snapshot');
    assert.equal(answer.isError, true);
    assert.match(answer.text, /sessionId/);
  });

  test('belong to their connection where others than the user can connect', async t => {
    const origin = await serve(t, visits);
    const server = await startHttp(t, ['--session-param', '--isolated', '--host', '0.0.0.0', '--insecure']);
    const [ann, bob] = [await connect(t, server), await connect(t, server)];
    await ann('browser_navigate', { url: `${origin}/?as=ann`, sessionId: 'shop' });
    assert.match(await bob('browser_navigate', { url: origin, sessionId: 'shop' }), /Page Title: nobody/);
    assert.doesNotMatch(await bob('list_sessions'), /as=ann/);
    assert.match(await bob('close_session', { sessionId: 'cart' }), /no session/);
  });

  test('are the stateless protocol’s way to say who one is', async t => {
    const origin = await serve(t, visits);
    const server = await startHttp(t);
    const { result } = await stateless(server, 'tools/list');
    const navigate = result.tools.find(tool => tool.name === 'browser_navigate');
    assert.equal(navigate.inputSchema.properties.sessionId['x-mcp-header'], 'Session');
    assert.ok(result.tools.some(tool => tool.name === 'create_session'));
    const call = (session, args) =>
      stateless(server, 'tools/call', { name: 'browser_navigate', arguments: { ...args, sessionId: session } }, { 'Mcp-Param-Session': session });
    await call('ann', { url: `${origin}/?as=ann` });
    const [again, other] = await Promise.all([call('ann', { url: origin }), call('bob', { url: origin })]);
    assert.match(text(again.result), /Page Title: ann/);
    assert.match(text(other.result), /Page Title: nobody/);
    // Clients with a connection see what they know from upstream.
    const legacy = new Client(identity);
    await legacy.connect(new StreamableHTTPClientTransport(server.url('/mcp')));
    t.after(() => legacy.close());
    const { tools } = await legacy.listTools();
    assert.equal(tools.length, 25);
    assert.equal(tools.find(tool => tool.name === 'browser_navigate').inputSchema.properties.sessionId, undefined);
  });
});

suite('Isolation', { concurrency: 2 }, () => {
  test('shared: one login for all, tabs of one’s own', async t => {
    const origin = await serve(t, visits);
    const server = await startHttp(t, ['--isolation=shared']);
    const [ann, bob] = [await connect(t, server), await connect(t, server)];
    await ann('browser_navigate', { url: `${origin}/?as=ann` });
    assert.match(await bob('browser_navigate', { url: origin }), /Page Title: ann/);

    const tabs = { ann: await ann('browser_tabs', { action: 'list' }), bob: await bob('browser_tabs', { action: 'list' }) };
    const ids = Object.fromEntries(Object.entries(tabs).map(([name, list]) => [name, [...list.matchAll(/targetId=(\w+)/g)].map(([, id]) => id)]));
    assert.equal(ids.ann.length, 1);
    assert.equal(ids.bob.length, 1);
    assert.notEqual(ids.ann[0], ids.bob[0]);
    // Another's tab is named, not touched.
    const foreign = await bob('browser_evaluate', { function: '() => document.title', targetId: ids.ann[0] });
    assert.match(foreign, new RegExp(`is not one of this session's tabs[^]*${ids.bob[0]}`));

    // What a page opens is its opener's.
    await ann('browser_click', { element: 'open', target: 'text=open' });
    const count = async who => [...(await who('browser_tabs', { action: 'list' })).matchAll(/targetId=/g)].length;
    // A tab that a link opens may come a little after the answer.
    for (let tries = 0; tries < 100 && (await count(ann)) < 2; ++tries);
    assert.equal(await count(ann), 2);
    assert.equal(await count(bob), 1);
  });

  test('browser: a process each', async t => {
    const origin = await serve(t, visits);
    const server = await startHttp(t, ['--isolation=browser']);
    const [ann, bob] = [await connect(t, server), await connect(t, server)];
    await ann('browser_navigate', { url: `${origin}/?as=ann` });
    assert.match(await bob('browser_navigate', { url: origin }), /Page Title: nobody/);
    assert.match(await ann('browser_navigate', { url: origin }), /Page Title: ann/);
  });

  test('a stuck session costs its neighbours nothing', async t => {
    const origin = await serve(t, { ...visits, '/slow': () => {} });
    const server = await startHttp(t, ['--isolated', '--timeout-navigation=4000']);
    const [stuck, busy] = [await connect(t, server), await connect(t, server)];
    await busy('browser_navigate', { url: origin });
    const hanging = stuck('browser_navigate', { url: `${origin}/slow` });
    let done = false;
    hanging.then(() => (done = true));
    for (let i = 0; i < 20; ++i) await busy('browser_snapshot');
    assert.equal(done, false, 'the neighbour waited for the stuck session');
    assert.match(await hanging, /Timeout 4000ms exceeded/);
  });

  test('--require-tab-id refuses calls that leave it open', async t => {
    const browser = await Browser.open(t, { args: ['--require-tab-id'] });
    const { text: list } = await browser.call('browser_tabs', { action: 'new' });
    const [, id] = /\(current\).*targetId=(\w+)/.exec(list);
    assert.match((await browser.call('browser_snapshot')).text, /targetId/);
    assert.equal((await browser.call('browser_snapshot', { targetId: id })).isError, false);
  });
});
