// How clients get to a server: each entry starts one, and connects clients to it whose first calls can begin together.
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import WebSocket from 'ws';

import { Browser } from './browser_support.mjs';
import { processes, untilGone } from './processes.mjs';
import { agent, atEnd, client as identity, lastMessage, startServer, troupe, within } from './support.mjs';

export const timeout = 60_000; // ms for one call, on a machine that does much else
export const numbers = count => [...Array(count).keys()];

const textOf = result => ({ text: result.content.map(part => part.text ?? '').join('\n'), isError: result.isError ?? false });
const greeting = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity };

// `start(t, args, options)` gives {connect(count, label), kill(), stop()}; `connect` gives a `call(tool, args)` for each
// client, with `leave()` where it has a connection to end. `kill` ends the server as a crash does. `named`: each client has
// a session by name, which never waits for the profile; the same label means the same names.
export const entries = {
  http: { start: listening((t, server) => connectHttp(server)) },
  daemon: { start: startDaemon },
  'session id': { named: true, start: startOnStdio },
  websocket: { start: listening(connectWebSocket) },
  stateless: { named: true, start: listening((t, server, name) => agent(server, name)) },
  'json api': { named: true, start: listening((t, server, name) => (tool, params) => callApi(server, name, tool, params)) },
};

function listening(connect) {
  return async (t, args, options) => {
    const server = await startServer(t, troupe, args, options);
    return {
      ...endings(server),
      connect: (count, label) => Promise.all(numbers(count).map(i => connect(t, server, `agent-${label}-${i}`))),
    };
  };
}

const endings = child => ({
  closed: child.closed,
  stop: () => child.stop(),
  kill: async () => {
    child.process.kill('SIGKILL');
    await child.end();
  },
});

async function startOnStdio(t, args, { cwd, env }) {
  const browser = await Browser.open(t, { args: ['--session-param', ...args], env, cwd, isolated: [] });
  return {
    ...endings(browser.child),
    connect: async (count, label) =>
      numbers(count).map(i => (name, given) => browser.call(name, { ...given, sessionId: `agent-${label}-${i}` }, timeout)),
  };
}

async function startDaemon(t, args, { cwd, env }) {
  const home = join(cwd, 'home');
  await mkdir(home, { recursive: true });
  const end = async signal => {
    processes(`internal-daemon ${home}`)
      .filter(each => each.command.includes('internal-daemon'))
      .forEach(each => process.kill(each.pid, signal));
    await untilGone(`internal-daemon ${home}`);
  };
  atEnd(t, () => end('SIGTERM'));
  const open = async () => {
    const browser = await Browser.open(t, { args: ['--daemon', ...args], env: { ...env, XDG_RUNTIME_DIR: home }, cwd, isolated: [] });
    const call = (name, given) => browser.call(name, given, timeout);
    return Object.assign(call, {
      leave: () => {
        browser.child.process.stdin.end();
        return browser.child.end();
      },
    });
  };
  return {
    closed: new Promise(() => {}), // its clients' processes answer for it
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    connect: count => Promise.all(numbers(count).map(open)),
  };
}

async function connectHttp(server) {
  let session;
  let last = 0;
  const request = (method, body) =>
    fetch(server.url('/mcp'), {
      method,
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...(session && { 'Mcp-Session-Id': session }),
      },
      body: body && JSON.stringify({ jsonrpc: '2.0', id: ++last, ...body }),
      signal: AbortSignal.timeout(timeout),
    });
  const greeted = await request('POST', { method: 'initialize', params: greeting });
  session = greeted.headers.get('mcp-session-id');
  await greeted.text();
  const call = async (name, args = {}) =>
    textOf((await lastMessage(await request('POST', { method: 'tools/call', params: { name, arguments: args } }))).result);
  return Object.assign(call, { leave: async () => (await request('DELETE')).text() });
}

async function connectWebSocket(t, server) {
  const socket = new WebSocket(server.url('/ws', 'ws'), 'mcp');
  socket.on('error', () => {});
  const leave = async () => socket.terminate();
  atEnd(t, leave);
  await within(once(socket, 'open'), 'the handshake');
  const waiting = new Map();
  const closed = new Promise((_, reject) => socket.on('close', () => reject(new Error('the connection was closed'))));
  closed.catch(() => {});
  socket.on('message', data => {
    const { id, result } = JSON.parse(data);
    waiting.get(id)?.(result);
  });
  let last = 0;
  const request = (method, params) => {
    const id = ++last;
    const answered = new Promise(resolve => waiting.set(id, resolve));
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return within(Promise.race([answered, closed]), method, timeout);
  };
  await request('initialize', greeting);
  const call = async (name, args = {}) => textOf(await request('tools/call', { name, arguments: args }));
  return Object.assign(call, { leave });
}

async function callApi(server, session, tool, params = {}) {
  const signal = AbortSignal.timeout(timeout);
  const answer = await fetch(server.url('/api/call'), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ session_id: session, tool, params }),
    signal,
  });
  const { status, error, ref_id: ref } = await answer.json();
  if (status !== 'success') return { text: `${status}: ${error}`, isError: true };
  const content = await fetch(server.url(`/api/content/${ref}?reset_cursor=true`), { signal });
  return { text: (await content.json()).content, isError: false };
}
