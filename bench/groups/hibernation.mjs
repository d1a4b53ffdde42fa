// Many more sessions than contexts: each is put to sleep to make room, and comes back as it was.
// SESSIONS and LIVE say how many; with 1,000 and 40 it takes longer than all other groups (BENCH_MINUTES=15).
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { modernRequest } from '../clients.mjs';
import { Peer, scratch, troupe } from '../peers.mjs';
import { percentile, summarize } from '../stats.mjs';

export const title = 'Hibernation';

const page = `<title>Form</title><body style="height: 3000px"><form><input id=name><textarea id=notes></textarea></form>
<script>document.title = 'Form of ' + (localStorage.who ?? 'nobody')</script>`;

async function startSite() {
  const server = createServer((request, response) => {
    const name = new URL(request.url, 'http://x').searchParams.get('as');
    if (request.url === '/who') return response.end(request.headers.cookie ?? 'none');
    response.writeHead(200, { 'Content-Type': 'text/html', ...(name && { 'Set-Cookie': `who=${name}` }) });
    response.end(page);
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  return { origin: `http://localhost:${server.address().port}`, close: () => server.close() };
}

const leave = name => `() => {
  localStorage.who = ${JSON.stringify(name)};
  sessionStorage.step = ${JSON.stringify(name)} + '-2';
  document.querySelector('#name').value = ${JSON.stringify(name)};
  document.querySelector('#notes').value = 'notes of ' + ${JSON.stringify(name)};
  scrollTo(0, 400);
}`;
const found = `async () => [location.search, localStorage.who, sessionStorage.step, document.querySelector('#name').value,
  document.querySelector('#notes').value, scrollY, await (await fetch('/who')).text()].join('|')`;
const expected = name => [`?as=${name}`, name, `${name}-2`, name, `notes of ${name}`, 400, `who=${name}`].join('|');

async function call(client, sessionId, name, args) {
  const { headers, message } = modernRequest(1, 'tools/call', { name, arguments: { ...args, sessionId } });
  const answer = await client.post(message, { ...headers, 'Mcp-Param-Session': sessionId });
  // A slow answer comes as an event.
  const body = answer.body.startsWith('{') ? answer.body : [...answer.body.matchAll(/^data: (\{.*)$/gm)].at(-1)[1];
  return JSON.parse(body).result.content[0].text;
}

async function run(sessions, live) {
  const config = join(scratch, 'hibernation.json');
  writeFileSync(config, JSON.stringify({ session: { maxSessions: live } }));
  const peer = new Peer('Troupe', troupe.command, { http: ['--host', '127.0.0.1', '--port', '0', '--headless', '--config', config] });
  const server = await peer.startOnHttp();
  const site = await startSite();
  const client = await server.connect();
  try {
    const names = Array.from({ length: sessions }, (_, i) => `agent${i}`);
    const openings = [];
    for (const name of names) {
      const begun = performance.now();
      await call(client, name, 'browser_navigate', { url: `${site.origin}/?as=${name}` });
      openings.push(performance.now() - begun);
      await call(client, name, 'browser_evaluate', { function: leave(name) });
    }
    const times = [];
    let wrong = 0;
    for (const name of names) {
      const begun = performance.now();
      const answer = await call(client, name, 'browser_evaluate', { function: found });
      times.push(performance.now() - begun);
      if (answer.includes(expected(name)) && answer.includes('was asleep')) continue;
      ++wrong;
      console.error(`${name}: ${answer}`);
    }
    return { times, openings, wrong };
  } finally {
    client.close();
    await server.stop();
    site.close();
  }
}

export async function measure({ quick }) {
  const sessions = Number(process.env.SESSIONS ?? (quick ? 40 : 200));
  const live = Number(process.env.LIVE ?? (quick ? 10 : 40));
  const { times, openings, wrong } = await run(sessions, live);
  const row = (measure, value, unit, limit) => ({ measure, unit, better: 'less', troupe: summarize([value], 'less'), limit, peers: [] });
  return [
    row(`waking one of ${sessions} sessions, ${live} live: first answer, p50`, percentile(times, 0.5), 'ms', 400),
    row('  p95', percentile(times, 0.95), 'ms'),
    row('  against a new session and its first page, p50', percentile(openings, 0.5), 'ms'),
    row('  not as it was left', wrong, 'sessions', 0),
  ];
}
