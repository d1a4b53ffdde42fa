// Clients whose first calls start together: every isolation mode x every browser x every entry. A new mode, browser or
// entry is a row of its table.
//
// By default each cell runs once, with one number of clients. TROUPE_FIRST_CALLS_ROUNDS=5 runs every cell that often with
// every number of clients; TROUPE_FIRST_CALLS_ONLY=<text> picks cells by name.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import WebSocket from 'ws';

import { Browser, serve } from './browser_support.mjs';
import { processes, untilGone } from './processes.mjs';
import { agent, atEnd, client as identity, lastMessage, start, startServer, temporaryDirectory, troupe, within } from './support.mjs';

const patience = 60_000; // ms for one call, on a machine that does much else
const counts = [2, 3, 10];
const rounds = Number(process.env.TROUPE_FIRST_CALLS_ROUNDS ?? 0);

// What a session has to itself. `sharesTabs`: every client sees every tab, so each begins with one of its own.
const modes = {
  default: { args: [] },
  context: { args: ['--isolation', 'context'] },
  browser: { args: ['--isolation', 'browser'], isHeavy: true },
  shared: { args: ['--isolation', 'shared'] },
  'shared context': { args: ['--shared-browser-context'], sharesTabs: true },
};

// Where the pages are: gives arguments.
const browsers = {
  own: async () => [],
  profile: async (t, directory) => [`--user-data-dir=${join(directory, 'profile')}`],
  attached: async (t, directory) => [`--cdp-endpoint=${await startChrome(t, join(directory, 'chrome'))}`],
};

async function startChrome(t, profile) {
  // The programs themselves: a wrapper script may outlive what it started, or end before it.
  const candidates = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome'];
  const exists = await Promise.all(candidates.map(path => access(path).then(() => true, () => false)));
  const executable = process.env.TROUPE_FIRST_CALLS_CHROME ?? candidates[exists.indexOf(true)];
  const headless = executable.endsWith('shell') ? [] : ['--headless=new'];
  const child = start(t, executable, [...headless, '--no-sandbox', '--no-first-run', `--user-data-dir=${profile}`,
    '--remote-debugging-port=0', 'about:blank']);
  const [, port] = await child.waitForLine(/DevTools listening on ws:\/\/[^:]+:(\d+)/);
  return `http://127.0.0.1:${port}`;
}

const textOf = result => ({ text: result.content.map(part => part.text ?? '').join('\n'), isError: result.isError ?? false });
const greeting = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity };
const numbers = count => [...Array(count).keys()];

// How clients get to the server: gives one `call(tool, args)` for each of them. `named`: each has a session by name, which
// never waits for the profile.
export const entries = {
  http: {
    open: async (t, args, options, count) => {
      const server = await startServer(t, troupe, args, options);
      return Promise.all(numbers(count).map(() => connectHttp(t, server)));
    },
  },
  daemon: {
    open: async (t, args, { cwd, env }, count) => {
      const home = join(cwd, 'home');
      await mkdir(home);
      atEnd(t, async () => {
        processes(`internal-daemon ${home}`)
          .filter(each => each.command.includes('internal-daemon'))
          .forEach(each => process.kill(each.pid, 'SIGTERM'));
        await untilGone(`internal-daemon ${home}`);
      });
      return Promise.all(
        numbers(count).map(async () => {
          const browser = await Browser.open(t, {
            args: ['--daemon', ...args],
            env: { ...env, XDG_RUNTIME_DIR: home },
            cwd,
            isolated: [],
          });
          return (name, given) => browser.call(name, given, patience);
        }),
      );
    },
  },
  'session id': {
    named: true,
    open: async (t, args, { cwd, env }, count) => {
      const browser = await Browser.open(t, { args: ['--session-param', ...args], env, cwd, isolated: [] });
      return numbers(count).map(i => (name, given) => browser.call(name, { ...given, sessionId: `agent-${i}` }, patience));
    },
  },
  websocket: {
    open: async (t, args, options, count) => {
      const server = await startServer(t, troupe, args, options);
      return Promise.all(numbers(count).map(() => connectWebSocket(t, server)));
    },
  },
  stateless: {
    named: true,
    open: async (t, args, options, count) => {
      const server = await startServer(t, troupe, args, options);
      return numbers(count).map(i => agent(server, `agent-${i}`));
    },
  },
  'json api': {
    named: true,
    open: async (t, args, options, count) => {
      const server = await startServer(t, troupe, args, options);
      return numbers(count).map(i => (name, given) => callApi(server, `agent-${i}`, name, given));
    },
  },
};

async function connectHttp(t, server) {
  let session;
  let last = 0;
  const send = (method, params) =>
    fetch(server.url('/mcp'), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...(session && { 'Mcp-Session-Id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++last, method, params }),
      signal: AbortSignal.timeout(patience),
    });
  const greeted = await send('initialize', greeting);
  session = greeted.headers.get('mcp-session-id');
  await greeted.text();
  return async (name, args = {}) => textOf((await lastMessage(await send('tools/call', { name, arguments: args }))).result);
}

async function connectWebSocket(t, server) {
  const socket = new WebSocket(server.url('/ws', 'ws'), 'mcp');
  atEnd(t, () => socket.terminate());
  await within(once(socket, 'open'), 'the handshake');
  const waiting = new Map();
  socket.on('message', data => {
    const { id, result } = JSON.parse(data);
    waiting.get(id)?.(result);
  });
  let last = 0;
  const request = (method, params) => {
    const id = ++last;
    const answered = new Promise(resolve => waiting.set(id, resolve));
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return within(answered, method, patience);
  };
  await request('initialize', greeting);
  return async (name, args = {}) => textOf(await request('tools/call', { name, arguments: args }));
}

async function callApi(server, session, tool, params = {}) {
  const signal = AbortSignal.timeout(patience);
  const answer = await fetch(server.url('/api/call'), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ session_id: session, tool, params }),
    signal,
  });
  const { status, error, ref_id: ref } = await answer.json();
  if (status !== 'success') return { text: `${status}: ${error}`, isError: true };
  const content = await fetch(server.url(`/api/content/${ref}?reset_cursor=true`), { signal });
  return { text: (await content.json()).content, isError: false };
}

async function check(calls, origin, mode) {
  const own = i => `${origin}/?n=${i}n`;
  const answers = await Promise.all(
    calls.map((call, i) =>
      mode.sharesTabs ? call('browser_tabs', { action: 'new', url: own(i) }) : call('browser_navigate', { url: own(i) }),
    ),
  );
  answers.forEach((answer, i) => assert.ok(!answer.isError, `client ${i}: ${answer.text}`));
  // Whoever they share a browser with, each is where it went.
  await Promise.all(
    calls.map(async (call, i) => {
      const shown = await call('browser_evaluate', { function: '() => document.title + " at " + location.search' });
      assert.match(shown.text, new RegExp(`Page ${i}n at \\?n=${i}n`), `client ${i}`);
      const tabs = await call('browser_tabs', { action: 'list' });
      const seen = [...new Set(tabs.text.match(/\?n=\d+n/g))].sort();
      assert.deepEqual(seen, mode.sharesTabs ? calls.map((_, each) => `?n=${each}n`).sort() : [`?n=${i}n`], `client ${i}: ${tabs.text}`);
    }),
  );
  return answers;
}

async function runCell(t, cell, count) {
  const directory = await temporaryDirectory(t);
  const { mode, browser, entry } = cell;
  const origin = await serve(t, {
    '/': (request, response) => {
      const n = new URL(request.url, 'http://localhost').searchParams.get('n');
      response.writeHead(200, { 'Content-Type': 'text/html' });
      response.end(`<title>Page ${n}</title><h1>Page ${n}</h1>`);
    },
  });
  const args = ['--headless', ...modes[mode].args, ...(await browsers[browser](t, directory))];
  const env = { XDG_CACHE_HOME: join(directory, 'cache'), XDG_STATE_HOME: join(directory, 'state') };
  const calls = await entries[entry].open(t, args, { env, cwd: directory }, count);
  const answers = await check(calls, origin, modes[mode]);

  // The profile is the first one's. Each of the others is told, in one line with what to do.
  const isTold = answer => /^- The browser profile .* is in use by another session of this server: .*--isolated.*--isolation shared/m.test(answer.text);
  const sharesNothing = mode === 'default' && browser !== 'attached' && entry !== 'daemon' && !entries[entry].named;
  assert.equal(answers.filter(isTold).length, sharesNothing ? count - 1 : 0);
}

// Every cell of the matrix makes sense: `browser` in an attached Chrome gives contexts, a profile is left alone by those
// who have contexts or browsers, and a daemon decides by itself how its clients share.
const cells = entry =>
  Object.keys(modes).flatMap(mode => Object.keys(browsers).map(browser => ({ mode, browser, entry, name: `${mode}, ${browser}` })));

export function firstCalls(entry) {
  suite(`First calls together: ${entry}`, { concurrency: 3 }, () => {
    cells(entry).forEach((cell, index) => {
      const only = process.env.TROUPE_FIRST_CALLS_ONLY;
      if (only && !cell.name.includes(only)) return;
      const short = modes[cell.mode].isHeavy ? counts.slice(0, -1) : counts;
      const some = rounds ? counts : [short[(index + entry.length) % short.length]];
      for (const count of some) {
        for (const round of numbers(Math.max(rounds, 1)))
          test(`${cell.name}, ${count} clients${rounds ? `, round ${round + 1}` : ''}`, { timeout: 100_000 }, t => runCell(t, cell, count));
      }
    });
  });
}
