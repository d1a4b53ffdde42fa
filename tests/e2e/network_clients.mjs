// Clients of a server with tokens, by every way over the network. Each answers roots/list with `roots`, if it is asked, and
// counts that in `asked`; `call(name, args)` gives { text, isError }.
import { once } from 'node:events';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import WebSocket from 'ws';

import { atEnd, client as identity, lastMessage, postStateless, within } from './support.mjs';

const textOf = result => ({ text: (result.content ?? []).map(part => part.text ?? '').join('\n'), isError: result.isError ?? false });
const rootsOf = uris => uris.map(uri => ({ uri }));
const bearer = token => ({ Authorization: `Bearer ${token}` });

async function connectHttp(t, server, token, uris) {
  const client = new Client(identity, { capabilities: { roots: {} } });
  const made = { asked: 0 };
  client.setRequestHandler(ListRootsRequestSchema, () => {
    made.asked++;
    return { roots: rootsOf(uris) };
  });
  await client.connect(new StreamableHTTPClientTransport(server.url('/mcp'), { requestInit: { headers: bearer(token) } }));
  atEnd(t, () => client.close());
  made.call = async (name, args = {}) => textOf(await client.callTool({ name, arguments: args }));
  made.read = uri => client.readResource({ uri });
  made.tools = async () => (await client.listTools()).tools;
  return made;
}

async function connectWebSocket(t, server, token, uris) {
  const socket = new WebSocket(server.url('/ws', 'ws'), 'mcp', { headers: bearer(token) });
  atEnd(t, () => socket.terminate());
  await within(once(socket, 'open'), 'the handshake');
  const made = { asked: 0 };
  const waiting = new Map();
  socket.on('message', data => {
    const { id, method, result, error } = JSON.parse(data);
    if (method === 'roots/list') {
      made.asked++;
      return socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: { roots: rootsOf(uris) } }));
    }
    waiting.get(id)?.(result ?? { isError: true, content: [{ text: error?.message }] });
  });
  let last = 0;
  const request = (method, params) => {
    const id = ++last;
    const answered = new Promise(resolve => waiting.set(id, resolve));
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return within(answered, method);
  };
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo: identity });
  socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  made.call = async (name, args = {}) => textOf(await request('tools/call', { name, arguments: args }));
  return made;
}

// The stateless protocol asks by ending the call; whoever is not asked gets an answer at once.
async function connectStateless(t, server, token, uris, session) {
  const made = { asked: 0 };
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { roots: {} } };
  made.call = async (name, args = {}) => {
    const params = { name, arguments: { ...args, sessionId: session } };
    const { result, error } = await lastMessage(await postStateless(server, 'tools/call', params, { headers: { ...bearer(token), 'Mcp-Param-Session': session }, meta }));
    if (error) return { text: error.message, isError: true };
    if (!result.content) made.asked++;
    return textOf(result);
  };
  return made;
}

async function connectApi(t, server, token, uris, session) {
  const headers = { 'Content-Type': 'application/json', ...bearer(token) };
  const call = async (tool, params = {}) => {
    const body = JSON.stringify({ session_id: session, tool, params });
    const { status, error, ref_id: ref } = await (await fetch(server.url('/api/call'), { method: 'POST', headers, body })).json();
    if (status !== 'success') return { text: `${status}: ${error}`, isError: true };
    const content = await fetch(server.url(`/api/content/${ref}?reset_cursor=true`), { headers });
    return { text: (await content.json()).content, isError: false };
  };
  return { asked: 0, call };
}

export const entries = { http: connectHttp, websocket: connectWebSocket, stateless: connectStateless, 'json api': connectApi };
