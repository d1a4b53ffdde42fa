// Secrets and passwords behind another server: what it answers, says on the way, and writes for agents to read.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema, LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

import { serve } from './browser_support.mjs';
import { rules } from './policy_support.mjs';
import { agent, client as identity, startServer, temporaryDirectory, troupe } from './support.mjs';
import { behind, flags } from './upstream_support.mjs';
import { placesOf, recorded, written } from '../attack/written.mjs';

const plain = 'Xk9vQ2mLz7Rt4Wp8';
const security = { secretsCommand: ['printf', '%s\\n', `PLAIN=${plain}`] };

async function startBehind(t, env, args = []) {
  const { config } = await rules(t, security);
  const directory = await temporaryDirectory(t);
  const server = await startServer(t, troupe, ['--headless', '--mark-untrusted', '--config', config, '--caps=core,sessions,history', '--log-level=debug', '--log-file=server.log', ...args], {
    cwd: directory, env: { XDG_CACHE_HOME: directory, XDG_STATE_HOME: directory, ...env },
  });
  server.directory = directory;
  return server;
}

test('No secret and no typed text of a proxied browser is recorded or left in a linked file', async t => {
  const site = await serve(t, { '/': `<title>T</title><h1>x</h1><input id=pw type=password aria-label=Field><p>${plain}</p><script>console.error('${plain}'); setInterval(() => console.error('again ${plain}'), 50)</script>` });
  const server = await startBehind(t, behind, [...flags, '--session-param']);
  const ann = agent(server, 'ann');
  const calls = [
    ['browser_navigate', { url: site }],
    ['browser_snapshot', {}],
    ['browser_snapshot', { filename: 'named.yml' }],
    ['browser_type', { element: 'thing', target: '#pw', text: 'Typed-Pw-88q' }],
    ['browser_snapshot', {}],
    ['browser_type', { element: 'nothing', target: '#missing', text: 'Typed-Pw-99q' }],
    ['browser_click', { element: 'thing', target: '#pw' }],
    ...[...'Keyed-77q'].map(key => ['browser_press_key', { key }]),
    ['browser_evaluate', { function: '() => { const all = setInterval(() => {}, 1e6); for (let i = 0; i <= all; ++i) clearInterval(i); return document.querySelector("#pw").value; }' }],
    ['browser_console_messages', { level: 'error' }],
    ['browser_snapshot', {}],
  ];
  for (const [name, args] of calls) {
    const { text } = await ann(name, args);
    assert.ok(!text.includes(plain), `answer of ${name}: ${text}`);
  }
  server.process.kill('SIGTERM');
  await server.end();
  const files = await written(server.directory);
  const places = { ...recorded(join(server.directory, 'troupe', 'record.db')), ...files };
  assert.deepEqual(placesOf([plain, 'Typed-Pw-88q', 'Typed-Pw-99q', 'Keyed-77q'], places), []);
  const linked = Object.keys(files).filter(name => /(page-.*|named)\.yml$|console-.*\.log$/.test(name));
  assert.ok(linked.some(name => name.endsWith('.yml')), Object.keys(files).join());
  for (const name of linked) assert.match(files[name], /untrusted-/, name);
});

const chatty = `
import { createInterface } from 'node:readline';
const said = 'says ${plain}';
const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const waiting = new Map();
const ask = (id, method, params) => new Promise(resolve => { waiting.set(id, resolve); send({ id, method, params }); });
createInterface(process.stdin).on('line', async line => {
  const { id, method, params } = JSON.parse(line);
  if (!method) return waiting.get(id)?.();
  if (method === 'initialize') return send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo: { name: 'chatty', version: '1' } } });
  if (method === 'tools/list') return send({ id, result: { tools: [{ name: 'talk', inputSchema: { type: 'object', properties: {} } }] } });
  if (method !== 'tools/call') return id !== undefined && send({ id, result: {} });
  send({ method: 'notifications/message', params: { level: 'error', logger: said, data: { deep: [said] } } });
  send({ method: 'notifications/progress', params: { progressToken: params._meta.progressToken, progress: 1, message: said } });
  await ask('q1', 'elicitation/create', { message: said, requestedSchema: { type: 'object', properties: {} } });
  await ask('q2', 'sampling/createMessage', { messages: [{ role: 'user', content: { type: 'text', text: said } }], maxTokens: 5 });
  send({ id, result: { content: [{ type: 'text', text: said }] } });
});`;

test('What another server says during a call has no secrets', async t => {
  const directory = await temporaryDirectory(t);
  const script = join(directory, 'chatty.mjs');
  await writeFile(script, chatty);
  const server = await startBehind(t, { TROUPE_UPSTREAM_COMMAND: JSON.stringify([process.execPath, script]) }, ['--engine', 'upstream']);
  const client = new Client(identity, { capabilities: { elicitation: {}, sampling: {} } });
  const heard = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => (heard.push(['elicitation', params]), { action: 'accept', content: {} }));
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => (heard.push(['sampling', params]), { model: 'm', role: 'assistant', content: { type: 'text', text: 'ok' } }));
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => { heard.push(['message', params]); });
  await client.connect(new StreamableHTTPClientTransport(server.url('/mcp')));
  t.after(() => client.close());
  await client.setLoggingLevel('debug');
  const answer = await client.callTool({ name: 'talk', arguments: {} }, undefined, { onprogress: progress => heard.push(['progress', progress]) });
  heard.push(['answer', answer]);
  assert.deepEqual([...new Set(heard.map(([kind]) => kind))].sort(), ['answer', 'elicitation', 'message', 'progress', 'sampling']);
  for (const [kind, params] of heard) {
    assert.ok(!JSON.stringify(params).includes(plain), `${kind}: ${JSON.stringify(params)}`);
    assert.match(JSON.stringify(params), /<secret>PLAIN<\/secret>/, kind);
  }
});
