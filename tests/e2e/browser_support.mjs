// What tests with a real browser share: pages to visit, and a client whose answers are taken apart.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { client as identity, start, temporaryDirectory, troupe, within } from './support.mjs';

// Serves `routes`: a path's HTML, or (request, response) => …; gives the origin. Held answers end with the test.
export async function serve(t, routes) {
  const server = createServer((request, response) => {
    const route = routes[new URL(request.url, 'http://localhost').pathname];
    if (typeof route === 'function') return route(request, response);
    response.writeHead(route === undefined ? 404 : 200, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end(route ?? 'Nothing here');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${server.address().port}`;
}

// One session of the real server over stdio, with a real browser.
export class Browser {
  #id = 0;

  static async open(t, { args = [], env = {}, capabilities = {}, cwd, isolated = ['--isolated'], binary = troupe } = {}) {
    const browser = new Browser();
    browser.directory = cwd ?? (await temporaryDirectory(t));
    browser.child = start(t, binary, ['--headless', ...isolated, ...args], {
      env: { XDG_CACHE_HOME: browser.directory, ...env },
      cwd: browser.directory,
    });
    await browser.request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo: identity });
    browser.child.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return browser;
  }

  async request(method, params, milliseconds = 30_000) {
    const id = ++this.#id;
    this.child.send({ jsonrpc: '2.0', id, method, params });
    const line = await within(
      this.child.stdout.first(`the answer to ${method}`, text => JSON.parse(text).id === id, milliseconds),
      method,
      milliseconds,
    );
    const { result, error } = JSON.parse(line);
    if (error) throw Object.assign(new Error(error.message), error);
    return result;
  }

  // The answer as {text, isError, sections, snapshot}; the snapshot is read from its file when it is in one.
  async call(name, args = {}, milliseconds) {
    const result = await this.request('tools/call', { name, arguments: args }, milliseconds);
    const text = result.content.map(part => part.text ?? '').join('\n');
    const sections = Object.fromEntries(
      text
        .split(/^### /m)
        .slice(1)
        .map(section => [section.slice(0, section.indexOf('\n')), section.slice(section.indexOf('\n') + 1).trim()]),
    );
    let snapshot = sections.Snapshot;
    const file = snapshot?.match(/\[Snapshot\]\((.+)\)/)?.[1];
    if (file) snapshot = await readFile(join(this.directory, file), 'utf8');
    return { text, isError: result.isError ?? false, sections, snapshot, content: result.content };
  }
}
