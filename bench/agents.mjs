// Many agents on one server over HTTP, and what each of them does on a site that knows them by cookie.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

import { memoryOf } from './groups/memory.mjs';
import { Peer, playwright, troupe } from './peers.mjs';

export const executable = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync);

const http = ['--host', '127.0.0.1', '--port', '0', '--headless', '--isolated', '--no-sandbox', `--executable-path=${executable}`];
export const ours = new Peer(troupe.name, troupe.command, { http });
export const theirs = new Peer(playwright.name, playwright.command, { http: [...http, '--browser=chromium'] });

export async function serveSite() {
  const site = new Worker(new URL('site.mjs', import.meta.url));
  const [port] = await once(site, 'message');
  return { origin: `http://127.0.0.1:${port}`, close: () => void site.terminate() };
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
