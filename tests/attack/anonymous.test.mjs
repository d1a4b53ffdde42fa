// Clients that nobody can tell apart, on one listener without tokens: each sees the sessions whose ids it holds.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import { serve } from '../e2e/browser_support.mjs';
import { connect } from '../e2e/policy_support.mjs';
import { agent, lastMessage, overSocket, postStateless, startServer, temporaryDirectory, troupe } from '../e2e/support.mjs';

const id = 'id-of-ann', title = 'Title of Ann';

suite('Without a principal, on a network', { concurrency: false }, () => {
  const text = answer => answer.text ?? JSON.stringify(answer);
  const open = async t => {
    const directory = await temporaryDirectory(t);
    const server = await startServer(t, troupe, ['--headless', '--isolated', '--insecure', '--allowed-hosts', '*', '--caps=sessions,history'],
      { cwd: directory, env: { XDG_CACHE_HOME: directory, XDG_STATE_HOME: directory } });
    return { server, site: await serve(t, { '/': `<title>${title}</title>` }) };
  };

  test('callers that name no session have none together', async t => {
    const { server, site } = await open(t);
    const two = agent(server, '');
    for (const named of ['', 'default']) {
      const refused = await agent(server, named)('browser_navigate', { url: `${site}/?private` });
      assert.match(text(refused), /names no session.*\n?.*sessionId/s);
    }
    assert.doesNotMatch(text(await two('browser_snapshot')), new RegExp(title));
    assert.doesNotMatch(text(await two('history_list', {})), /private/);
    assert.deepEqual((await lastMessage(await postStateless(server, 'resources/list'))).result.resources, []);
    assert.doesNotMatch(await (await fetch(server.url('/api/history'))).text(), /private/);
    // With a name they have one each, and a connection is enough of a name.
    assert.match((await agent(server, id)('browser_navigate', { url: site })).text, new RegExp(title));
    assert.doesNotMatch((await agent(server, 'other')('browser_snapshot')).text, new RegExp(title));
    const path = await lastMessage(await postStateless({ url: () => server.url(`/mcp/${id}`) }, 'tools/call', { name: 'browser_snapshot', arguments: {} }));
    assert.match(JSON.stringify(path), new RegExp(title));
    const connected = await connect(t, server);
    assert.match((await connected.call('browser_navigate', { url: site })).text, new RegExp(title));
    assert.match((await connected.call('browser_snapshot')).text, new RegExp(title));
  });
});

suite('Without a principal', { concurrency: false }, () => {
  const ending = [];
  const t = { after: undo => ending.push(undo) };
  let server, ref, socket;
  const get = async path => (await fetch(server.url(path))).text();
  const mcp = async (method, params = {}) => JSON.stringify(await lastMessage(await postStateless(server, method, params)));
  const call = (name, args = {}) => mcp('tools/call', { name, arguments: args });
  const completing = (uri, name) => mcp('completion/complete', { ref: { type: 'ref/resource', uri }, argument: { name, value: '' } });
  const shows = (text, what) => assert.doesNotMatch(text, new RegExp(`${id}|${title}|${ref}`), what);

  before(async () => {
    const directory = await temporaryDirectory(t);
    socket = join(directory, 'socket');
    server = await startServer(t, troupe, ['--headless', '--isolated', '--session-param', '--socket', socket, '--caps=sessions,history'],
      { cwd: directory, env: { XDG_CACHE_HOME: directory, XDG_STATE_HOME: directory } });
    const origin = await serve(t, { '/': `<title>${title}</title>
      <script>navigator.modelContext = { getTools: async () => [{ name: 'of_ann', description: '${title}', inputSchema: { type: 'object' } }] }</script>` });
    ({ ref } = await agent(server, id)('browser_navigate', { url: origin }));
    assert.ok(ref);
  });
  after(async () => {
    for (const undo of ending.reverse()) await undo();
  });

  test('a stateless client sees no session of another', async () => {
    shows(await call('list_sessions'), 'list_sessions');
    shows(await call('history_list'), 'history_list');
    shows(await call('history_list', { text: title, limit: 1000 }), 'history_list by text');
    shows(await get('/api/sessions'), 'GET /api/sessions');
    shows(await get('/api/history'), 'GET /api/history');
    shows(await completing('playwright:///session/{session}', 'session'), 'completion of sessions');
    shows(await completing('playwright:///content/{ref_id}', 'ref_id'), 'completion of refs');
    shows(await mcp('resources/list'), 'resources/list');
    shows(await mcp('tools/list'), 'tools/list');
  });

  test('nor does one with a connection', async () => {
    const eve = await connect(t, server);
    shows((await eve.call('list_sessions')).text, 'list_sessions');
    shows((await eve.call('history_list')).text, 'history_list');
    shows(JSON.stringify(await eve.listResources()), 'resources/list');
    shows(JSON.stringify(await eve.listTools()), 'tools/list');
  });

  test('who names the id does, and so does the connection that has named it', async () => {
    assert.match(await call('history_list', { session: id }), new RegExp(ref));
    assert.match((await agent(server, id)('history_list')).text, new RegExp(ref));
    assert.match(await get(`/api/history?session=${id}`), new RegExp(ref));
    assert.match(await get(`/api/sessions?session_id=${id}`), new RegExp(`"session_id":"${id}"`));
    const ann = await connect(t, server);
    assert.match((await ann.call('browser_snapshot', { sessionId: id })).text, new RegExp(title));
    assert.match((await ann.call('list_sessions')).text, new RegExp(id));
    assert.match((await ann.call('history_list')).text, new RegExp(ref));
  });

  test('this user’s own programs on the Unix socket see all', async () => {
    const answer = await overSocket(socket, '/api/sessions');
    assert.match(answer, new RegExp(id));
  });
});
