// What something that a server does with every call costs: clicks of many sessions, with it and without it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';

import { modernRequest } from './clients.mjs';
import { Peer, troupe } from './peers.mjs';
import { median } from './stats.mjs';

const executable = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync);
export const common = ['--headless', '--isolated', '--no-sandbox', `--executable-path=${executable}`];
export const ours = (name, flags) => new Peer(name, troupe.command, { stdio: [...common, ...flags], http: [...common, '--host', '127.0.0.1', '--port', '0', ...flags] });

// An application form: 60 fields in ten groups, and a summary that follows what is typed.
export const fields = Array.from({ length: 60 }, (_, i) => i);
const field = i =>
  i % 6 === 4 ? `<label>Option ${i} <select id=f${i}><option>None</option><option>First</option><option>Second</option></select></label>`
  : i % 6 === 5 ? `<label><input type=checkbox id=f${i}> I agree to condition ${i}</label>`
  : `<label>Field ${i} <input id=f${i} placeholder="Value of field ${i}"></label>`;
const group = g => `<fieldset><legend>Part ${g} of the application</legend>${fields.slice(g * 6, g * 6 + 6).map(field).join('')}<p>Everything in part ${g} is needed.</p></fieldset>`;
const form = `<title>Application</title><h1>Application</h1><form onsubmit="out.textContent = 'Sent'; return false">${Array.from({ length: 10 }, (_, g) => group(g)).join('')}
  <button id=send>Send</button></form><p id=out role=status>Not sent</p>`;

export async function servePage() {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end(form);
  });
  await new Promise(ready => server.listen(0, '127.0.0.1', ready));
  return { origin: `http://127.0.0.1:${server.address().port}/`, close: () => (server.closeAllConnections(), server.close()) };
}

export const sessions = 50;

// Calls of all sessions at once, one at a time in each: how many a second.
async function throughput(clients, calls) {
  let left = calls;
  const begun = performance.now();
  await Promise.all(clients.map(async call => {
    while (left-- > 0) await call('browser_click', { element: 'Go', target: '#f0' });
  }));
  return calls / ((performance.now() - begun) / 1000);
}

async function open(peer, origin) {
  const server = await peer.startOnHttp();
  const clients = Array.from({ length: sessions }, (_, i) => async (name, args) => {
    const { headers, message } = modernRequest(1, 'tools/call', { name, arguments: { ...args, sessionId: `agent-${i}` } });
    const response = await fetch(`http://127.0.0.1:${server.port}/mcp`, {
      method: 'POST',
      headers: { ...headers, 'Mcp-Param-Session': `agent-${i}`, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify(message),
    });
    const text = await response.text();
    if (!response.ok || text.includes('"isError":true')) throw new Error(text);
  });
  for (let i = 0; i < sessions; i += 10) await Promise.all(clients.slice(i, i + 10).map(call => call('browser_navigate', { url: origin })));
  return { server, clients };
}

// Processor time of a process and of all that it started, in milliseconds.
function processorTime(root) {
  const all = readdirSync('/proc').filter(name => /^\d+$/.test(name)).flatMap(pid => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /s, '').split(' ');
      return [{ pid: Number(pid), parent: Number(fields[1]), time: 10 * (Number(fields[11]) + Number(fields[12])) }];
    } catch {
      return []; // it ended meanwhile
    }
  });
  const below = pid => all.filter(each => each.parent === pid).flatMap(each => [each, ...below(each.pid)]);
  return { own: all.find(each => each.pid === root).time, browsers: below(root).reduce((sum, each) => sum + each.time, 0) };
}

// What a server needs for `calls` calls, which says more than their number a second while others use the machine.
async function needs({ server, clients }, calls) {
  const before = processorTime(server.pid);
  const speed = await throughput(clients, calls);
  const after = processorTime(server.pid);
  return { speed, own: (after.own - before.own) / calls, browsers: (after.browsers - before.browsers) / calls };
}

// Clicks on two servers in turn. `extra` is the server's own processor time for what only the first one does, as a share of all that a
// click takes, browsers included.
export async function compareClicks(one, other, quick, rounds) {
  const { origin, close } = await servePage();
  const on = await open(one, origin), off = await open(other, origin);
  const found = { on: [], off: [] };
  const calls = quick ? 300 : 1000;
  try {
    await throughput(on.clients, 100), await throughput(off.clients, 100);
    await rounds(quick ? 3 : 8, quick ? 30 : 180, async round => {
      const order = round % 2 ? ['off', 'on'] : ['on', 'off'];
      for (const which of order) found[which].push(await needs(which === 'on' ? on : off, calls));
    });
  } finally {
    await on.server.stop();
    await off.server.stop();
    close();
  }
  const all = (which, key) => found[which].map(each => each[key]);
  const more = median(all('on', 'own')) - median(all('off', 'own'));
  const whole = median(all('off', 'own')) + median([...all('on', 'browsers'), ...all('off', 'browsers')]);
  return { speed: all('on', 'speed'), speedWithout: all('off', 'speed'), extra: (100 * more) / whole };
}
