// What the tests of the record share: a server with a state directory of its own, and callers with named sessions.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { agent, run, startServer, temporaryDirectory, troupe } from './support.mjs';

// A form that says what it was told; `/` counts as one page, whatever is done to it.
export const form = `<title>Form</title><h1>Order</h1>
  <form onsubmit="return false">${Array.from({ length: 12 }, (_, i) => `<label>Field ${i} <input name=f${i}></label>`).join('')}
  <button onclick="document.querySelector('output').textContent = 'Thanks ' + (++count)">Send</button></form>
  <output>nothing yet</output><script>var count = 0; console.log('ready'); console.error('bad start')</script>`;

// A server whose answers show pages to clients over HTTP: what is recorded of a page is compared with what was answered.
export async function startRecording(t, args = [], { env = {}, directory } = {}) {
  directory ??= await temporaryDirectory(t);
  const server = await startServer(t, troupe, ['--headless', '--isolated', '--snapshot-delivery', 'auto', ...args], {
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

export async function metric(server, name) {
  const text = await (await fetch(server.url('/metrics'))).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)[1]);
}

// A server whose record has little room: `limits` are commands of a shell that becomes it.
export async function startLimited(t, directory, limits, { shell = 'sh', args = [] } = {}) {
  const limited = join(directory, 'limited');
  await writeFile(limited, `#!/bin/sh\nexec ${shell} -c '${limits} || exit 1; exec "${troupe}" "$@"' sh "$@"\n`);
  await chmod(limited, 0o755);
  return startServer(t, limited, ['--headless', '--isolated', '--log-level', 'info', '--no-sandbox', ...args], { env: { XDG_STATE_HOME: directory, XDG_CACHE_HOME: directory }, cwd: directory });
}

// Calls with large answers until they are not recorded any more.
export async function fillRecord(server) {
  const large = `() => Array.from({ length: 9000 }, () => Math.random().toString(36)).join('')`;
  for (let i = 0; i < 60; ++i) {
    const response = await fetch(server.url('/api/call'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ session_id: 'ann', tool: 'browser_evaluate', params: { function: large } }),
    });
    if ((await response.json()).error === 'DEGRADED') return assert.equal(await metric(server, 'troupe_store_degraded'), 1);
  }
  assert.fail('it never filled up');
}

// A container may not let its programs have disks of their own.
export const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0;
