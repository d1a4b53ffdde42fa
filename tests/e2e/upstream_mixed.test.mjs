// Both engines in one server, what a server behind us asks the client, and servers that are no browser's.
import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema, ListRootsRequestSchema, LoggingMessageNotificationSchema, CreateMessageRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

import { Browser, serve } from './browser_support.mjs';
import { client as identity, Inbox, temporaryDirectory, text, troupe } from './support.mjs';
import { behind, behindFake, flags, pages, serversOf } from './upstream_support.mjs';

const visits = { ...pages, '/js': '<title>Script</title><script>console.error("oh no")</script><p>here</p>' };

test('a native server gives a session the other engine when it asks for it', { timeout: 90_000 }, async t => {
  const origin = await serve(t, visits);
  const browser = await Browser.open(t, { args: ['--session-param', '--executable-path', '/usr/bin/chromium', '--no-sandbox'], env: behind });
  assert.equal((await browser.call('browser_navigate', { url: origin, sessionId: 'ann' })).isError, false);
  assert.equal(serversOf(browser.child.process.pid).length, 0, 'nobody asked for one');

  const made = JSON.parse((await browser.call('create_session', { sessionId: 'bob', engine: 'upstream', url: origin }, 60_000)).text).data;
  assert.deepEqual(made, { sessionId: 'bob', created: true, engine: 'upstream', url: origin });
  await browser.child.stdout.first('the news of more tools', line => JSON.parse(line).method === 'notifications/tools/list_changed');
  const servers = serversOf(browser.child.process.pid).length;
  assert.ok(servers >= 1);

  const where = { function: '() => document.title' };
  const [ann, bob] = await Promise.all(['ann', 'bob'].map(sessionId => browser.call('browser_evaluate', { ...where, sessionId })));
  assert.match(ann.text, /Home/);
  assert.match(bob.text, /Home/);
  const listed = JSON.parse((await browser.call('list_sessions')).text).data.sessions;
  assert.deepEqual(listed.map(each => [each.sessionId, each.engine]), [['ann', 'native'], ['bob', 'upstream']]);
  assert.match((await browser.call('get_cookies', { sessionId: 'bob' })).text, /another server's/);
  assert.match((await browser.call('create_session', { sessionId: 'bob' })).text, /already/);
  assert.match((await browser.call('create_session', { engine: 'upstream', isolation: 'browser' })).text, /isolation cannot be given/);
  await browser.call('close_session', { sessionId: 'bob' });
  assert.match((await browser.call('browser_evaluate', { ...where, sessionId: 'ann' })).text, /Home/);

  await browser.call('create_session', { sessionId: 'eve', engine: 'upstream', url: origin, width: 500, height: 400, userAgent: 'Agent/7' }, 60_000);
  const seen = { function: '() => [innerWidth, innerHeight, navigator.userAgent].join()', sessionId: 'eve' };
  assert.match((await browser.call('browser_evaluate', seen)).text, /500,400,Agent\/7/);
});

test('a server of the other engine gives a session this one', { timeout: 90_000 }, async t => {
  const origin = await serve(t, visits);
  const browser = await Browser.open(t, { args: ['--session-param', '--executable-path', '/usr/bin/chromium', '--no-sandbox', '--engine', 'upstream'], env: behindFake() });
  await browser.call('create_session', { sessionId: 'ann', engine: 'native' });
  assert.match((await browser.call('browser_navigate', { url: origin, sessionId: 'ann' })).text, /Page Title: Home/);
  assert.match((await browser.call('browser_navigate', { url: origin, sessionId: 'bob' })).text, /^at \{"url"/);
  assert.match((await browser.call('echo', { sessionId: 'ann' })).text, /engine is native, which has no tool echo/);
});

test('an engine that is not there is told', async t => {
  const browser = await Browser.open(t, { args: ['--session-param'] });
  assert.match((await browser.call('create_session', { engine: 'upstream' })).text, /no upstream engine[^]*upstream\.command/);
  assert.match((await browser.call('create_session', { engine: 'other' })).text, /native or upstream/);
});

async function connect(t, env, capabilities, args = ['--engine', 'upstream']) {
  const directory = await temporaryDirectory(t);
  const client = new Client(identity, { capabilities });
  const transport = new StdioClientTransport({
    command: troupe,
    args: ['--headless', ...args],
    cwd: directory,
    env: { PATH: process.env.PATH, XDG_CACHE_HOME: directory, XDG_STATE_HOME: directory, ...env },
  });
  t.after(() => client.close());
  return { client, directory, connected: () => client.connect(transport) };
}

test('what the server asks reaches the client, and its answers the server', async t => {
  const { client, connected } = await connect(t, behindFake(), { elicitation: {}, sampling: {}, roots: {} });
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({ action: params.message === 'May I?' ? 'accept' : 'decline', content: {} }));
  client.setRequestHandler(CreateMessageRequestSchema, async () => ({ model: 'm', role: 'assistant', content: { type: 'text', text: 'sampled' } }));
  client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: [{ uri: 'file:///somewhere' }] }));
  const logged = new Inbox();
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => logged.push(params));
  const changed = new Inbox();
  client.setNotificationHandler(ToolListChangedNotificationSchema, changed.push);
  await connected();
  const ask = async (method, params = {}) => text(await client.callTool({ name: 'ask', arguments: { method, params } }));
  const schema = { type: 'object', properties: {} };
  assert.match(await ask('elicitation/create', { message: 'May I?', requestedSchema: schema }), /"accept"/);
  const message = { role: 'user', content: { type: 'text', text: 'Say it.' } };
  assert.match(await ask('sampling/createMessage', { messages: [message], maxTokens: 9 }), /sampled/);
  assert.match(await ask('roots/list'), /file:\/\/\/somewhere/);

  await client.callTool({ name: 'log' });
  assert.equal((await logged.first('the log message')).data, 'careful');
  await client.callTool({ name: 'grow' });
  await changed.first('the news of more tools');
  assert.ok((await client.listTools()).tools.some(tool => tool.name === 'grown'));

  const giveUp = new AbortController();
  const given = client.callTool({ name: 'forget' }, undefined, { signal: giveUp.signal });
  await client.callTool({ name: 'echo', arguments: {} }); // behind it, so it has arrived
  giveUp.abort();
  await assert.rejects(given);
  assert.equal(text(await client.callTool({ name: 'cancelled' })), '1');
});

test('what the server reports of a call reaches the client', async t => {
  const browser = await Browser.open(t, { args: ['--engine', 'upstream'], env: behindFake() });
  await browser.request('tools/call', { name: 'progress', _meta: { progressToken: 'mine' } });
  const reported = browser.child.stdout.items.map(line => JSON.parse(line)).filter(each => each.method === 'notifications/progress');
  assert.deepEqual(
    reported.map(({ params }) => params),
    [1, 2].map(progress => ({ progressToken: 'mine', progress, total: 2, message: 'step' })),
  );
});

test('@playwright/mcp writes where the client works, and the record finds it', { timeout: 90_000 }, async t => {
  const origin = await serve(t, visits);
  const { client, directory, connected } = await connect(t, behind, { roots: {} }, [...flags, '--caps=history']);
  const root = join(directory, 'work');
  await mkdir(root);
  client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: [{ uri: pathToFileURL(root).href, name: 'work' }] }));
  await connected();
  const answer = text(await client.callTool({ name: 'browser_navigate', arguments: { url: `${origin}/js` } }));
  const [, file] = /\[Snapshot\]\((.+)\)/.exec(answer);
  assert.match(await readFile(join(root, file), 'utf8'), /here/);

  const [{ ref_id: ref }] = JSON.parse(text(await client.callTool({ name: 'history_list', arguments: {} }))).calls;
  assert.match(text(await client.callTool({ name: 'get_content', arguments: { ref_id: ref } })), /here/);
  assert.match(text(await client.callTool({ name: 'get_console_content', arguments: { ref_id: ref } })), /oh no/);
});
