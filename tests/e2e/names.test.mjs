// Sessions by name: they come back to a new client, after a restart and beside another server of the same user.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { Browser, serve } from './browser_support.mjs';
import { agent, client as identity, overSocket, run, startServer, temporaryDirectory, text, troupe } from './support.mjs';

// Remembers who asks by cookie.
const visits = {
  '/': (request, response) => {
    const seen = /who=(\w+)/.exec(request.headers.cookie ?? '')?.[1];
    const name = new URL(request.url, 'http://x').searchParams.get('as');
    response.writeHead(200, { 'Content-Type': 'text/html', ...(name && { 'Set-Cookie': `who=${name}` }) });
    response.end(`<title>${name ?? seen ?? 'nobody'}</title>`);
  },
};

async function startHttp(t, args = [], directory) {
  directory ??= await temporaryDirectory(t);
  const env = { XDG_CACHE_HOME: directory, XDG_STATE_HOME: directory };
  return Object.assign(await startServer(t, troupe, ['--headless', ...args], { env, cwd: directory }), { directory, env });
}

async function connect(t, server, path = '/mcp', headers = {}) {
  const client = new Client(identity);
  await client.connect(new StreamableHTTPClientTransport(server.url(path), { requestInit: { headers } }));
  t.after(() => client.close().catch(() => {}));
  const call = async (name, args = {}) => text(await client.callTool({ name, arguments: args }));
  return Object.assign(call, { close: () => client.close() });
}

const openStdio = (t, directory, args = ['--session-param']) =>
  Browser.open(t, { cwd: directory, args, env: { XDG_STATE_HOME: directory } });
const sessionsIn = answer => JSON.parse(answer.text ?? answer).data.sessions;

suite('A name on a loopback listener without tokens', { concurrency: 2 }, () => {
  test('of the path is the same session for the next client, and after a restart', async t => {
    const origin = await serve(t, visits);
    let server = await startHttp(t);
    const first = await connect(t, server, '/mcp/ann');
    await first('browser_navigate', { url: `${origin}/?as=ann` });
    const second = await connect(t, server, '/mcp/ann');
    assert.match(await second('browser_navigate', { url: origin }), /Page Title: ann/);
    await first.close();
    assert.match(await (await connect(t, server, '/mcp/ann'))('browser_navigate', { url: origin }), /Page Title: ann/);
    assert.match(await (await connect(t, server, '/mcp/bob'))('browser_navigate', { url: origin }), /Page Title: nobody/);
    // One without a name has what nobody else has.
    assert.match(await (await connect(t, server))('browser_navigate', { url: origin }), /Page Title: nobody/);

    await server.stop();
    server = await startHttp(t, [], server.directory);
    const later = await connect(t, server, '/mcp/ann');
    const answer = await later('browser_navigate', { url: origin });
    assert.match(answer, /Page Title: ann/);
    assert.match(answer, /### Session\n- This session was restored as an earlier connection or run/);
  });

  test('of the argument is the same session for every client of the user', async t => {
    const origin = await serve(t, visits);
    const server = await startHttp(t, ['--session-param', '--isolated']);
    const [ann, again] = [await connect(t, server), await connect(t, server)];
    await ann('browser_navigate', { url: `${origin}/?as=ann`, sessionId: 'shop' });
    assert.match(await again('browser_navigate', { url: origin, sessionId: 'shop' }), /Page Title: ann/);
    assert.deepEqual(sessionsIn(await again('list_sessions')).map(each => each.sessionId), ['shop']);
    // The stateless protocol and the path mean the same one.
    assert.match((await agent(server, 'shop')('browser_navigate', { url: origin })).text, /Page Title: ann/);
    assert.match(await (await connect(t, server, '/mcp/shop'))('browser_navigate', { url: origin }), /Page Title: ann/);
  });

  test('is whose token it came with, where there are tokens', async t => {
    const origin = await serve(t, visits);
    const server = await startHttp(t, ['--session-param', '--isolated', '--auth-token', 'secret']);
    const bearer = { Authorization: 'Bearer secret' };
    const ann = await connect(t, server, '/mcp', bearer);
    await ann('browser_navigate', { url: `${origin}/?as=ann`, sessionId: 'shop' });
    await assert.rejects(connect(t, server, '/mcp'));
    assert.match(await (await connect(t, server, '/mcp', bearer))('browser_navigate', { url: origin, sessionId: 'shop' }), /Page Title: ann/);
  });
});

test('A name on a listener for a whole network is its connection’s', async t => {
  const origin = await serve(t, visits);
  for (const args of [['--host', '0.0.0.0', '--insecure'], ['--allowed-hosts', 'localhost,proxied.example.com']]) {
    const directory = await temporaryDirectory(t);
    const own = await openStdio(t, directory);
    await own.call('browser_navigate', { url: `${origin}/?as=user`, sessionId: 'shop' });
    await own.child.stop();
    const server = await startServer(t, troupe, ['--headless', '--session-param', '--isolated', ...args], {
      env: { XDG_CACHE_HOME: directory, XDG_STATE_HOME: directory }, cwd: directory });
    const [ann, eve] = [await connect(t, server), await connect(t, server)];
    await ann('browser_navigate', { url: `${origin}/?as=ann`, sessionId: 'shop' });
    assert.match(await eve('browser_navigate', { url: origin, sessionId: 'shop' }), /Page Title: nobody/);
    assert.deepEqual(sessionsIn(await (await connect(t, server))('list_sessions')), []);
    assert.match(await eve('session_resume', { sessionId: 'card' }), /There is no session \\"card[^]*not names/);
    const stateless = agent(server, 'shop');
    assert.match((await stateless('browser_navigate', { url: origin })).text, /Page Title: nobody/);
    assert.deepEqual(sessionsIn(await agent(server)('list_sessions')), [], 'names are told');
    await server.stop();
  }
});

test('Over stdio, names of earlier runs are listed and come back', async t => {
  const origin = await serve(t, visits);
  const directory = await temporaryDirectory(t);
  const first = await openStdio(t, directory);
  for (const name of ['ann', 'bob'])
    assert.match((await first.call('browser_navigate', { url: `${origin}/?as=${name}`, sessionId: name })).text, new RegExp(`Page Title: ${name}`));
  await first.child.stop();

  const second = await openStdio(t, directory);
  assert.deepEqual(sessionsIn(await second.call('session_list')).map(({ sessionId, state }) => `${sessionId} ${state}`).sort(),
    ['ann hibernated', 'bob hibernated']);
  const resumed = JSON.parse((await second.call('session_resume', { sessionId: 'ann' })).text).data;
  assert.equal(resumed.restored, true);
  assert.equal(resumed.url, `${origin}/?as=ann`, JSON.stringify(resumed));
  assert.match((await second.call('browser_navigate', { url: origin, sessionId: 'bob' })).text, /Page Title: bob/);

  const missing = await second.call('session_resume', { sessionId: 'eve' });
  assert.match(missing.text, /There is no session \\"eve\\" to resume/);
  await second.child.stop();
  const shared = await Browser.open(t, { cwd: directory, isolated: ['--isolation=shared'], args: ['--session-param'], env: { XDG_STATE_HOME: directory } });
  assert.match((await shared.call('session_resume', { sessionId: 'ann' })).text, /Sessions end with the server here/);
  const unrecorded = await openStdio(t, directory, ['--session-param', '--no-record']);
  assert.match((await unrecorded.call('session_resume', { sessionId: 'ann' })).text, /runs without a record/);
});

suite('Servers of one user', { concurrency: 2 }, () => {
  test('have one record, and each finds its names again whatever the others do', async t => {
    const origin = await serve(t, visits);
    let first = await startHttp(t);
    await agent(first, 'ann')('browser_navigate', { url: `${origin}/?as=ann` });
    const second = await openStdio(t, first.directory);
    await second.call('browser_navigate', { url: `${origin}/?as=bob`, sessionId: 'bob' });
    await first.stop();
    first = await startHttp(t, [], first.directory);
    assert.match((await agent(first, 'ann')('browser_navigate', { url: origin })).text, /Page Title: ann/);
    assert.match((await second.call('browser_navigate', { url: origin, sessionId: 'bob' })).text, /Page Title: bob/);
    const files = (await readdir(join(first.directory, 'troupe'))).filter(name => name.endsWith('.db'));
    assert.deepEqual(files, ['record.db']);

    const history = (...words) => run(t, troupe, ['history', ...words], { env: first.env, cwd: first.directory });
    assert.equal((await history('list', '--session', 'ann')).stdout.match(/ browser_navigate /g).length, 2);
    assert.match((await history('export', '--session', 'bob')).stdout, /as=bob/);
  });

  test('do not have one session at the same time', async t => {
    const origin = await serve(t, visits);
    const directory = await temporaryDirectory(t);
    const first = await openStdio(t, directory);
    await first.call('browser_navigate', { url: `${origin}/?as=first`, sessionId: 'ann' });
    const second = await openStdio(t, directory);
    const pid = first.child.process.pid;
    const listed = sessionsIn(await second.call('session_list'));
    assert.deepEqual(listed.filter(each => each.sessionId === 'ann' && each.state !== 'elsewhere'), []);
    const taken = await second.call('session_resume', { sessionId: 'ann' });
    assert.equal(taken.isError, true);
    assert.match(taken.text, new RegExp(`in use by another Troupe server \\(process ${pid}\\)`));
    // Used all the same, it is another session, and says so once.
    const own = await second.call('browser_navigate', { url: `${origin}/?as=second`, sessionId: 'ann' });
    assert.match(own.sections.Session, new RegExp(`process ${pid}\\) has session "ann"`));
    const again = await second.call('browser_navigate', { url: origin, sessionId: 'ann' });
    assert.match(again.text, /Page Title: second/);
    assert.equal(again.sections.Session, undefined);
    assert.match((await first.call('browser_navigate', { url: origin, sessionId: 'ann' })).text, /Page Title: first/);

    await second.child.stop();
    await first.child.stop();
    const third = await openStdio(t, directory);
    assert.match((await third.call('browser_navigate', { url: origin, sessionId: 'ann' })).text, /Page Title: first/);
    const env = { XDG_STATE_HOME: directory };
    const both = await run(t, troupe, ['history', 'list', '--session', 'ann'], { env, cwd: directory });
    assert.match(both.stdout, /2 sessions match ann:\n {2}ann.*\n {2}ann@/);
    const which = await run(t, troupe, ['history', 'export', '--session', 'ann'], { env, cwd: directory });
    assert.equal(which.code, 1);
    assert.match(which.stderr, /2 sessions match ann/);
    // Each of them can be named.
    for (const [, id] of which.stderr.matchAll(/^ {2}(ann@\w*) /gm)) {
      const one = await run(t, troupe, ['history', 'list', '--session', id], { env, cwd: directory });
      assert.doesNotMatch(one.stdout, /sessions match/);
      const exported = await run(t, troupe, ['history', 'export', '--session', id], { env, cwd: directory });
      assert.equal(exported.code, 0, exported.stderr);
    }
  });

  test('that was killed leaves its sessions to the next', async t => {
    const origin = await serve(t, visits);
    const directory = await temporaryDirectory(t);
    const first = await openStdio(t, directory, ['--session-param', '--log-level=debug']);
    await first.call('browser_navigate', { url: `${origin}/?as=ann`, sessionId: 'ann' });
    await first.child.waitForLine(/checkpoint/);
    first.child.process.kill('SIGKILL');
    await first.child.end();
    const second = await openStdio(t, directory);
    const resumed = JSON.parse((await second.call('session_resume', { sessionId: 'ann' })).text).data;
    assert.equal(resumed.url, `${origin}/?as=ann`);
  });

  test('that was killed has no active session, whoever asks', async t => {
    const origin = await serve(t, visits);
    const directory = await temporaryDirectory(t);
    const killed = await openStdio(t, directory, ['--session-param', '--log-level=debug']);
    await killed.call('browser_navigate', { url: `${origin}/?as=ann`, sessionId: 'ann' });
    await killed.child.waitForLine(/checkpoint.*name ann/);
    const beside = await startHttp(t, [], directory);
    killed.child.process.kill('SIGKILL');
    await killed.child.end();
    for (const server of [beside, await startHttp(t, [], directory)]) {
      const { sessions } = await (await fetch(server.url('/api/sessions?session_id=ann'))).json();
      assert.deepEqual(sessions.map(({ session_id, state }) => `${session_id} ${state}`), ['ann hibernated']);
    }
    const listed = sessionsIn(await (await openStdio(t, directory)).call('session_list'));
    assert.deepEqual(listed.map(({ sessionId, state }) => `${sessionId} ${state}`), ['ann hibernated']);
  });
});

suite('An id of a session', { concurrency: 2 }, () => {
  for (const args of [['--caps=sessions'], ['--caps=history'], ['--response=ref'], ['--session-param'], ['--caps=history,toolkit,storage']]) {
    test(`is taken by every tool with ${args}`, async t => {
      const origin = await serve(t, visits);
      const browser = await Browser.open(t, { args });
      const { tools } = await browser.request('tools/list');
      const create = tools.find(({ name }) => /^create_(new_)?session$/.test(name));
      assert.ok(create);
      const acting = tools.filter(({ name }) => /^browser_/.test(name) && name !== 'browser_get_config');
      assert.ok(acting.length >= 25);
      for (const { name, inputSchema } of acting) assert.ok(inputSchema.properties.sessionId, `${name} takes no sessionId`);
      const made = JSON.parse((await browser.call(create.name, { url: `${origin}/?as=ann` })).text);
      const { sessionId } = made.data ?? made;
      const answer = await browser.call('browser_evaluate', { function: '() => document.title', sessionId, _response: 'full' });
      assert.match(answer.text, /"ann"/);
    });
  }

  test('of one’s own is default, everywhere', async t => {
    const origin = await serve(t, visits);
    const browser = await Browser.open(t, { args: ['--session-param', '--caps=history'] });
    await browser.call('browser_navigate', { url: `${origin}/?as=own` });
    assert.match((await browser.call('browser_navigate', { url: origin, sessionId: 'default' })).text, /Page Title: own/);
    assert.deepEqual(sessionsIn(await browser.call('list_sessions')).map(each => each.sessionId), ['default']);
    for (const args of [{}, { sessionId: 'default' }]) {
      const { sessionId, cookies } = JSON.parse((await browser.call('get_cookies', args)).text).data;
      assert.equal(sessionId, 'default');
      assert.deepEqual(cookies.map(each => each.value), ['own']);
    }
    assert.equal(JSON.parse((await browser.call('session_resume', { sessionId: 'default' })).text).data.url, `${origin}/`);
    const { calls } = JSON.parse((await browser.call('history_list', { session: 'default', tool: 'browser_navigate' })).text);
    assert.deepEqual(calls.map(each => each.session_id), ['default', 'default']);
    assert.equal((await browser.call('session_close', { sessionId: 'default' })).isError, false);
    assert.match((await browser.call('browser_navigate', { url: origin })).text, /Page Title: nobody/);
  });

  test('that was closed is an error until a session is made of it', async t => {
    const origin = await serve(t, visits);
    const browser = await Browser.open(t, { args: ['--session-param'] });
    await browser.call('browser_navigate', { url: `${origin}/?as=ann`, sessionId: 'ann' });
    await browser.call('session_close', { sessionId: 'ann' });
    for (const tool of ['browser_snapshot', 'get_cookies', 'session_resume']) {
      const answer = await browser.call(tool, { sessionId: 'ann' });
      assert.equal(answer.isError, true, tool);
      assert.match(answer.text, /Session \\?"ann\\?" was closed[^]*create_session/, tool);
    }
    await browser.call('create_session', { sessionId: 'ann' });
    assert.match((await browser.call('browser_navigate', { url: origin, sessionId: 'ann' })).text, /Page Title: nobody/);
  });
});
