// What the end-to-end tests share: our binaries as child processes that always end with their test.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const here = import.meta.dirname;
const build = resolve(here, '../../build/release');

// Whether the binaries were built with a sanitizer: they take more memory and time.
export const isSanitized = Boolean(process.env.TROUPE_E2E_SANITIZED);
export const troupe = process.env.TROUPE_BIN ?? join(build, 'troupe');
export const fixture = process.env.TROUPE_CONFORMANCE_BIN ?? join(build, 'troupe_conformance');
export const packages = join(here, 'node_modules');

export const client = { name: 'troupe-e2e', version: '1.0.0' };

const timeout = 30_000; // ms for one event that must come, on a machine that does much else

// A promise that also rejects when what it waits for takes too long.
export async function within(promise, what, milliseconds = timeout) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

// Things that arrive one by one, to be awaited in order.
export class Inbox {
  items = [];
  #waiting = [];
  #ended = false;

  push = item => {
    this.items.push(item);
    this.#waiting.splice(0).forEach(wake => wake());
  };

  // Nothing comes any more, and nobody has to wait for it.
  end = () => {
    this.#ended = true;
    this.#waiting.splice(0).forEach(wake => wake());
  };

  get ended() {
    return this.#ended;
  }

  // The first item that `matches`; waits for it.
  async first(what, matches = () => true, milliseconds = timeout) {
    return within(this.#find(matches), what, milliseconds);
  }

  async #find(matches) {
    for (;;) {
      const found = this.items.find(matches);
      if (found !== undefined) return found;
      if (this.#ended) throw new Error('there is no more to come: the process ended');
      await new Promise(wake => this.#waiting.push(wake));
    }
  }
}

// Nothing of the developer's own configuration reaches the programs we test, and nothing of theirs the developer's
// record. Each has a record of its own, or names would lead from one test to another.
const state = mkdtempSync(join(tmpdir(), 'troupe-e2e-state-'));
// Servers write here about calls that their watchdog gave up, at once and by whatever way they were started.
const overdueFile = join(state, 'overdue-calls');
process.env.TROUPETEST_OVERDUE_FILE = overdueFile;
// The browser that every server uses unless its test says otherwise (`make test BROWSER=chromium`, or a path);
// without it, the one that the server finds.
// TROUPE_E2E_ISOLATION gives sessions another isolation wherever a test asks for --isolated.
const { TROUPE_E2E_BROWSER: named, TROUPE_E2E_ISOLATION: isolation } = process.env;
const inIsolation = arg => (arg === '--isolated' && isolation ? `--isolation=${isolation}` : arg);
const browser = { chromium: '/usr/bin/chromium' }[named] ?? named;
export const environment = () => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(TROUPE|PLAYWRIGHT_MCP)_/.test(name))),
  XDG_STATE_HOME: mkdtempSync(join(state, 'of-one-program-')),
  ...(browser && { TROUPE_EXECUTABLE_PATH: browser }),
});

// No call of any test may be overdue: see src/mcp/watchdog.h.
function assertNoneOverdue() {
  if (!existsSync(overdueFile)) return;
  const calls = readFileSync(overdueFile, 'utf8');
  rmSync(overdueFile);
  throw new Error(`calls had no answer after their deadline:\n${calls}`);
}
// Those of servers that no test waits for, such as daemons.
process.on('exit', () => {
  try {
    assertNoneOverdue();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
  rmSync(state, { recursive: true, force: true });
});

const undoing = new WeakMap();

// Undone at the end of the test, the latest first: a browser ends before its directory goes.
export function atEnd(t, undo) {
  if (!undoing.has(t)) {
    undoing.set(t, []);
    t.after(async () => {
      const failed = [];
      for (const each of undoing.get(t).reverse()) await each().catch(error => failed.push(error));
      if (failed.length) throw failed[0];
    });
  }
  undoing.get(t).push(async () => undo());
}

// A child process whose lines can be awaited.
export class Child {
  stdout = new Inbox();
  stderr = new Inbox();

  constructor(command, args, { env = {}, cwd } = {}) {
    this.process = spawn(command, args.map(inIsolation), { env: { ...environment(), ...env }, cwd, stdio: 'pipe' });
    this.exited = once(this.process, 'exit').then(([code, signal]) => ({ code, signal }));
    this.closed = once(this.process, 'close').then(() => this.exited);
    this.exited.catch(() => {});
    this.closed.catch(() => {});
    this.process.stdin.on('error', () => {}); // it ended before it read everything
    createInterface(this.process.stdout).on('line', this.stdout.push).on('close', this.stdout.end);
    createInterface(this.process.stderr).on('line', this.stderr.push).on('close', this.stderr.end);
  }

  send(message) {
    this.process.stdin.write(JSON.stringify(message) + '\n');
  }

  // The next line on stderr, past or future, that `pattern` matches.
  async waitForLine(pattern) {
    const ended = this.closed.then(({ code, signal }) => {
      throw new Error(`ended with ${signal ?? code} before it printed ${pattern}:\n${this.stderr.items.join('\n')}`);
    });
    const line = this.stderr.first(`printing ${pattern}`, text => pattern.test(text));
    ended.catch(() => {});
    // Its output ends a moment before itself.
    const printed = line.catch(error => (this.stderr.ended ? ended : Promise.reject(error)));
    return pattern.exec(await Promise.race([printed, ended]));
  }

  async end(milliseconds = timeout) {
    return within(this.closed, 'the end of the process', milliseconds);
  }

  async stop() {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill('SIGTERM');
    try {
      await this.end();
    } catch (error) {
      this.process.kill('SIGKILL');
      throw error;
    }
  }
}

export function start(t, command, args = [], options = {}) {
  const child = new Child(command, args, options);
  atEnd(t, async () => {
    await child.stop();
    assertNoneOverdue();
  });
  return child;
}

// A server on a port of its own; `url('/mcp')` leads to it.
export async function startServer(t, command, args = [], options = {}) {
  const server = start(t, command, ['--port', '0', ...args], options);
  const [, port] = await server.waitForLine(/Listening on http:\/\/localhost:(\d+)/);
  server.port = Number(port);
  server.url = (path, scheme = 'http') => new URL(path, `${scheme}://localhost:${port}`);
  return server;
}

// Runs a program to its end.
export async function run(t, command, args, options = {}) {
  const child = start(t, command, args, options);
  child.process.stdin.end();
  const { code, signal } = await child.end(options.timeout ?? 100_000);
  return { code, signal, stdout: child.stdout.items.join('\n'), stderr: child.stderr.items.join('\n') };
}

export async function temporaryDirectory(t) {
  const path = await mkdtemp(join(tmpdir(), 'troupe-e2e-'));
  atEnd(t, () => rm(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

export const text = result => result.content.find(block => block.type === 'text')?.text;

// The answer to a request, whether it came alone or at the end of a stream.
export async function lastMessage(response) {
  const body = await response.text();
  return JSON.parse(body.startsWith('{') ? body : body.split('\n').findLast(each => each.startsWith('data: ')).slice(6));
}

// Sends a request of the stateless protocol.
export function postStateless(server, method, params = {}, { headers = {}, meta = {}, signal } = {}) {
  const subject = params.name ?? params.uri;
  const described = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': client,
    'io.modelcontextprotocol/clientCapabilities': {},
    ...meta,
  };
  return fetch(server.url('/mcp'), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...(subject && { 'Mcp-Name': subject }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: described } }),
    signal,
  });
}

// The body of an answer over a Unix socket, whose clients are the server's user.
export function overSocket(socketPath, path) {
  return new Promise((resolve, reject) => {
    http.get({ socketPath, path, headers: { Host: 'localhost' } }, response => {
      let body = '';
      response.on('data', piece => (body += piece)).on('end', () => resolve(body));
    }).on('error', reject);
  });
}

// Calls tools of the stateless protocol in one session: gives {result, text, isError, ref}.
export function agent(server, session, headers = {}) {
  return async (name, args = {}, meta = {}) => {
    const params = { name, arguments: { ...args, ...(session && { sessionId: session }) } };
    const named = { ...(session && { 'Mcp-Param-Session': session }), ...headers };
    const response = await postStateless(server, 'tools/call', params, { headers: named, meta });
    const { result, error } = await lastMessage(response);
    if (error) throw new Error(error.message);
    return {
      result,
      text: result.content.map(part => part.text ?? '').join('\n'),
      isError: result.isError ?? false,
      ref: result._meta?.['troupe/refId'],
    };
  };
}
