// Many agents on one server over HTTP: a site that knows them by cookie, and what each of them does on it.
import { createServer } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { memoryOf } from './groups/memory.mjs';
import { Peer, playwright, troupe } from './peers.mjs';

export const executable = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync);

const http = ['--host', '127.0.0.1', '--port', '0', '--headless', '--isolated', '--no-sandbox', `--executable-path=${executable}`];
export const ours = new Peer(troupe.name, troupe.command, { http });
export const theirs = new Peer(playwright.name, playwright.command, { http: [...http, '--browser=chromium'] });

const login = `<title>Log in</title><h1>Log in</h1>
  <form action=/enter method=get><label>Name <input id=name name=name></label><button id=go>Log in</button></form>`;
const home = who => `<title>${who}</title><h1>hello ${who}</h1><ul>${Array.from({ length: 20 }, (_, i) => `<li><a href="#${i}">Item ${i}</a></li>`).join('')}</ul>
  <form><label>First <input id=first></label><label>Last <input id=last></label><button type=button id=save onclick="out.textContent = first.value + ' ' + last.value">Save</button><p id=out></p></form>`;

// Pages that take long, never end, or are large are for whoever is in everybody's way.
export async function serveSite() {
  const large = Buffer.alloc(1 << 20, 'x');
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, 'http://localhost');
    const who = /who=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? 'nobody';
    const page = html => {
      response.writeHead(200, { 'Content-Type': 'text/html' });
      response.end(html);
    };
    if (url.pathname === '/enter') {
      response.writeHead(302, { 'Set-Cookie': `who=${url.searchParams.get('name')}`, Location: '/home' });
      return response.end();
    }
    if (url.pathname === '/slow') return setTimeout(() => page('<title>Slow</title>'), 3000);
    if (url.pathname === '/download') {
      response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'attachment; filename=large.bin', 'Content-Length': 20 * large.length });
      for (let i = 0; i < 20 && !response.destroyed; ++i) {
        response.write(large);
        await sleep(100);
      }
      return response.end();
    }
    page(url.pathname === '/home' ? home(who) : login);
  });
  await new Promise(ready => server.listen(0, '127.0.0.1', ready));
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => (server.closeAllConnections(), server.close()) };
}

const textOf = result => result.content.map(part => part.text ?? '').join('\n');

// One client with a session of its own.
export class Agent {
  static async connect(server, name) {
    const agent = new Agent();
    agent.name = name;
    agent.client = await server.connect();
    await agent.client.initialize();
    return agent;
  }
  async call(tool, args = {}) {
    const result = await this.client.callTool(tool, args);
    const text = textOf(result);
    if (result.isError) throw new Error(`${tool}: ${text}`);
    return text;
  }
  // Milliseconds that a call takes.
  async time(tool, args) {
    const begun = performance.now();
    await this.call(tool, args);
    return performance.now() - begun;
  }
  open(origin) {
    return this.call('browser_navigate', { url: `${origin}/login` });
  }
  // Logs in, looks, fills a form, and checks that all of it is its own.
  async work(origin) {
    await this.call('browser_type', { element: 'Name', target: '#name', text: this.name });
    await this.call('browser_click', { element: 'Log in', target: '#go' });
    await this.call('browser_navigate', { url: `${origin}/home` });
    await this.call('browser_snapshot');
    const field = (name, value) => ({ name, element: name, target: `#${name}`, type: 'textbox', value });
    await this.call('browser_fill_form', { fields: [field('first', this.name), field('last', 'Smith')] });
    await this.call('browser_click', { element: 'Save', target: '#save' });
    const seen = await this.call('browser_evaluate', { function: `() => [document.title, document.cookie, out.textContent].join('|')` });
    if (!seen.includes(`${this.name}|who=${this.name}|${this.name} Smith`)) throw new Error(`${this.name} sees what is another's: ${seen}`);
  }
  close() {
    this.client.close();
  }
}

// One step of what agents do all day; the same for all servers.
export const steps = [
  origin => ['browser_navigate', { url: `${origin}/home` }],
  () => ['browser_snapshot', {}],
  () => ['browser_type', { element: 'First', target: '#first', text: 'Ann' }],
  () => ['browser_click', { element: 'Save', target: '#save' }],
];

export const all = (items, body) => Promise.all(items.map(body));
export const numbered = (count, prefix = 'agent') => Array.from({ length: count }, (_, i) => `${prefix}-${i}`);

// MiB of the server and everything that it started, pages that several share counted once.
export const mebibytes = pid => (memoryOf(pid).pss * 1e6) / (1 << 20);
export const residentMegabytes = pid => (Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024) / 1e6;
