// What the tests of the opt-in capabilities share: a site, and a client of a server with those capabilities.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { client as identity, start, troupe } from './support.mjs';

// A site whose pages are the `pages` by path, texts or handlers of their own; `requests` keeps what was asked for.
export async function startSite(t, pages) {
  const site = { requests: [] };
  const server = createServer((request, response) => {
    site.requests.push(request);
    const page = pages[request.url];
    if (typeof page === 'function') return page(request, response);
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' });
    response.end(page ?? 'nothing here');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  site.url = `http://127.0.0.1:${server.address().port}`;
  return site;
}

// A server over stdio in a directory of its own; `call(name, arguments)` gives { text, isError }.
export async function startBrowser(t, capabilities, args = [], env = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'troupe-e2e-'));
  const options = ['--headless', '--isolated', '--no-sandbox', ...args];
  if (capabilities) options.push(`--caps=${capabilities}`);
  const child = start(t, troupe, options, { cwd: directory, env: { XDG_CACHE_HOME: directory, ...env } });
  t.after(() => rm(directory, { recursive: true, force: true })); // after the server has ended
  let last = 0;
  const request = async (method, params) => {
    const id = ++last;
    child.send({ jsonrpc: '2.0', id, method, params });
    const line = await child.stdout.first(`the answer to ${method}`, text => JSON.parse(text).id === id);
    const { result, error } = JSON.parse(line);
    if (error) throw new Error(error.message);
    return result;
  };
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity });
  child.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const call = async (name, given = {}) => {
    const { content, isError = false } = await request('tools/call', { name: `browser_${name}`, arguments: given });
    return { text: content.map(part => part.text ?? '').join('\n'), isError };
  };
  // A notification of that method, also one that has come already.
  const changed = method => child.stdout.first(method, text => JSON.parse(text).method === method);
  return { call, request, changed, directory };
}

// The value of an expression in the page.
export async function evaluate({ call }, expression) {
  const { text } = await call('evaluate', { function: expression });
  return JSON.parse(/### Result\n([^]*?)\n### /.exec(text)[1]);
}

// The ref of the line of the snapshot that has this text.
export async function refOf({ call }, text) {
  const snapshot = (await call('snapshot')).text;
  const line = snapshot.split('\n').find(each => each.includes(text));
  return /\[ref=(\w+)\]/.exec(line)[1];
}
