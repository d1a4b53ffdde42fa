// One round of the kill test: calls from several sessions, SIGKILL in the middle of them, and a look at what is there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { client as identity, environment, troupe } from './support.mjs';

async function startServer(directory) {
  const child = spawn(troupe, ['--port', '0', '--headless', '--isolated', '--response', 'full'], {
    env: { ...environment(), XDG_STATE_HOME: directory, XDG_CACHE_HOME: directory },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  const port = await new Promise((resolve, reject) => {
    ended.then(([code]) => reject(new Error(`ended with ${code}`)), reject);
    createInterface(child.stderr).on('line', line => {
      const found = /Listening on http:\/\/localhost:(\d+)/.exec(line);
      if (found) resolve(Number(found[1]));
    });
  });
  return { child, ended, url: `http://localhost:${port}` };
}

async function call(url, session, name, args) {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name, 'Mcp-Param-Session': session,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: {
      name, arguments: { ...args, sessionId: session },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': identity,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    } }),
  });
  const body = await response.text();
  return body.startsWith('{') ? body : body.split('\n').findLast(line => line.startsWith('data: ')).slice(6);
}

// Gives what was answered, and what of it that was older than `age` milliseconds at the kill is not in the record as it
// was sent. The promise is 100; on a machine where threads wait longer than that for a processor nobody can keep it.
export async function killRound({ directory, origin, sessions = 8, calls = 2_000, killAfter, age = 100 }) {
  const server = await startServer(directory);
  const answers = [];
  let killed = 0;
  const cursors = [];
  const agent = async number => {
    const session = `agent-${number}`;
    for (let i = 0; i < calls / sessions && !killed; ++i) {
      const [name, args] = i % 20 === 0
        ? ['browser_navigate', { url: origin }]
        : ['browser_evaluate', { function: `() => { document.querySelector('p').textContent = 'words ${number} ${i}'; return ${i}; }` }];
      const message = await call(server.url, session, name, args);
      const { result } = JSON.parse(message);
      const ref = result._meta['troupe/refId'];
      answers.push({ ref, bytes: JSON.stringify(result), at: performance.now() });
      if (i % 20 === 0) {
        await call(server.url, session, 'get_content', { ref_id: ref });
        cursors.push({ session, ref, at: performance.now() });
      }
    }
  };
  const agents = Promise.allSettled(Array.from({ length: sessions }, (_, i) => agent(i)));
  // The run begins with the first answer: browsers take their time.
  while (answers.length === 0) await pause(5);
  await Promise.race([pause(killAfter), agents]);
  killed = performance.now();
  server.child.kill('SIGKILL');
  await server.ended;
  await agents;

  const { DatabaseSync } = await import('node:sqlite').catch(() => ({}));
  let integrity = 'not asked';
  if (DatabaseSync) {
    const database = new DatabaseSync(join(directory, 'troupe', 'record.db'));
    integrity = Object.values(database.prepare('PRAGMA integrity_check').get())[0];
    database.close();
  }
  const old = answers.filter(({ at }) => killed - at > age);
  const missing = integrity === 'ok' || integrity === 'not asked' ? [] : [integrity];
  // The next server reads what the last one wrote.
  const next = await startServer(directory);
  try {
    const seen = cursors.filter(({ at }) => killed - at > age);
    for (const { session, ref } of seen.slice(-sessions)) {
      const { result } = JSON.parse(await call(next.url, session, 'get_content', { ref_id: ref }));
      if (result.content[0].text !== '') missing.push(`cursor of ${session} at ${ref}`);
    }
  } finally {
    next.child.kill('SIGTERM');
    await next.ended;
  }
  const shown = await readResults(directory, old.map(({ ref }) => ref));
  for (const { ref, bytes } of old) if (shown.get(ref) !== bytes) missing.push(ref);
  return { answered: answers.length, checked: old.length, missing, integrity };
}

// Results by ref, as the command line prints them. It prints nothing when one is missing, so those are looked for apart.
async function readResults(directory, refs, results = new Map()) {
  if (refs.length === 0) return results;
  const batch = refs.slice(0, 500);
  const child = spawn(troupe, ['history', 'show', ...batch, '--json'], {
    env: { ...environment(), XDG_STATE_HOME: directory }, stdio: ['ignore', 'pipe', 'ignore'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', chunk => (out += chunk));
  await once(child, 'close');
  for (const call of out ? [JSON.parse(out)].flat() : []) results.set(call.ref_id, JSON.stringify(call.result));
  if (!out && batch.length > 1) {
    await readResults(directory, batch.slice(0, batch.length / 2), results);
    await readResults(directory, batch.slice(batch.length / 2), results);
  }
  return readResults(directory, refs.slice(500), results);
}
