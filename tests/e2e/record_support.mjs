// What the tests of the record share: a server with a state directory of its own, and callers with named sessions.
import { join } from 'node:path';

import { agent, run, startServer, temporaryDirectory, troupe } from './support.mjs';

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

async function api(server, method, path, body, headers = {}) {
  const response = await fetch(server.url(path), {
    method,
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
