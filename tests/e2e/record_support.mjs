// What the tests of the record share: a server with a state directory of its own, and callers with named sessions.
import { join } from 'node:path';

import { client as identity, run, startServer, temporaryDirectory, troupe } from './support.mjs';

// A form that says what it was told; `/` counts as one page, whatever is done to it.
export const form = `<title>Form</title><h1>Order</h1>
  <form onsubmit="return false">${Array.from({ length: 12 }, (_, i) => `<label>Field ${i} <input name=f${i}></label>`).join('')}
  <button onclick="document.querySelector('output').textContent = 'Thanks ' + (++count)">Send</button></form>
  <output>nothing yet</output><script>var count = 0; console.log('ready'); console.error('bad start')</script>`;

export async function startRecording(t, args = [], { env = {}, directory } = {}) {
  directory ??= await temporaryDirectory(t);
  const server = await startServer(t, troupe, ['--headless', '--isolated', ...args], {
    env: { XDG_CACHE_HOME: directory, XDG_STATE_HOME: directory, ...env },
    cwd: directory,
  });
  server.directory = directory;
  server.database = join(directory, 'troupe', 'record.db');
  server.agent = (session, headers) => agent(server, session, headers);
  server.api = (method, path, body, headers) => api(server, method, path, body, headers);
  server.history = (...words) =>
    run(t, troupe, ['history', ...words], { env: { XDG_STATE_HOME: directory }, cwd: directory });
  return server;
}

// Calls tools of the stateless protocol in one session: gives {text, isError, ref}.
function agent(server, session, headers = {}) {
  return async (name, args = {}, more = {}) => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': identity,
      'io.modelcontextprotocol/clientCapabilities': {},
      ...more,
    };
    const response = await fetch(server.url('/mcp'), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': name,
        ...(session && { 'Mcp-Param-Session': session }),
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: { ...args, ...(session && { sessionId: session }) }, _meta: meta },
      }),
    });
    const body = await response.text();
    const line = body.startsWith('{') ? body : body.split('\n').findLast(each => each.startsWith('data: ')).slice(6);
    const { result, error } = JSON.parse(line);
    if (error) throw new Error(error.message);
    return {
      result,
      text: result.content.map(part => part.text ?? '').join('\n'),
      isError: result.isError ?? false,
      ref: result._meta?.['troupe/refId'],
    };
  };
}

async function api(server, method, path, body, headers = {}) {
  const response = await fetch(server.url(path), {
    method,
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
