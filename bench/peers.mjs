// The servers that are compared, as processes that always end with this one.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { HttpClient, LineClient } from './clients.mjs';

export const root = resolve(import.meta.dirname, '..');
export const build = resolve(root, process.env.TROUPE_BUILD ?? 'build/release');
const packages = join(root, 'tests/e2e/node_modules');
const playwrightCli = join(packages, '@playwright/mcp/cli.js');
const echoServer = join(import.meta.dirname, 'echo_server.mjs');

const timeout = 30_000; // ms for a server to start

// A fresh directory for sockets and for servers that write into theirs.
export const scratch = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
// Nobody's own record is written to.
process.env.XDG_STATE_HOME = join(scratch, 'state');

const running = new Set();
process.on('exit', () => {
  for (const server of running) server.kill();
  rmSync(scratch, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

// One started server. `client` is a LineClient on stdio; with a port, connect() gives an HttpClient.
class Server {
  #ended;

  constructor(peer, args, pin, stderr) {
    const command = [...peer.command, ...args];
    if (pin !== undefined) command.unshift('taskset', '-c', String(pin));
    this.peer = peer;
    this.process = spawn(command[0], command.slice(1), { cwd: scratch, stdio: ['pipe', 'pipe', stderr] });
    running.add(this);
    this.process.stdin.on('error', () => {});
    this.#ended = new Promise(done => this.process.on('close', done)).then(() => running.delete(this));
    this.failed = new Promise((_, reject) => {
      this.process.on('error', reject);
      this.process.on('exit', () => reject(new Error(`${peer.name} ended early`)));
    });
    this.failed.catch(() => {});
  }

  get pid() {
    return this.process.pid;
  }

  async connect() {
    return HttpClient.connect(this.address);
  }

  kill() {
    this.process.kill('SIGKILL');
  }

  async stop() {
    this.client?.close();
    this.process.stdin.end();
    this.process.kill('SIGTERM');
    const timer = setTimeout(() => this.kill(), 3000);
    await this.#ended;
    clearTimeout(timer);
  }
}

async function within(promise, server) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${server.peer.name} did not start in ${timeout / 1000} s`)), timeout);
  });
  try {
    return await Promise.race([promise, server.failed, late]);
  } finally {
    clearTimeout(timer);
  }
}

// A way to run one server. Its name is what the tables show.
export class Peer {
  constructor(name, command, { stdio = [], http = ['--host', '127.0.0.1', '--port', '0'] } = {}) {
    this.name = name;
    this.command = command;
    this.args = { stdio, http };
  }

  startOnStdio({ pin } = {}) {
    const server = new Server(this, this.args.stdio, pin, 'ignore');
    server.client = new LineClient(server.process.stdout, server.process.stdin);
    server.failed.catch(error => server.client.fail(error));
    return server;
  }

  // Resolves when the server has printed its port.
  async startOnHttp({ pin, args = [] } = {}) {
    const server = new Server(this, [...this.args.http, ...args], pin, 'pipe');
    const printed = new Promise(found => {
      let text = '';
      server.process.stderr.setEncoding('utf8').on('data', piece => {
        text += piece;
        const match = /Listening on http:\/\/[^/\s]+:(\d+)/.exec(text);
        if (match) found(Number(match[1]));
      });
    });
    try {
      server.port = await within(printed, server);
    } catch (error) {
      server.kill();
      throw error;
    }
    server.address = { host: '127.0.0.1', port: server.port };
    return server;
  }
}

const versionOf = file => JSON.parse(readFileSync(join(packages, file, 'package.json'), 'utf8')).version;
const nodeVersion = node => execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1);
const major = version => version.split('.')[0];

// The Node on PATH, when it is another one than that which runs this.
function systemNode() {
  const found = (process.env.PATH ?? '').split(':').map(folder => join(folder, 'node')).find(existsSync);
  return found && realpathSync(found) !== realpathSync(process.execPath) ? found : undefined;
}

function playwrightOn(node) {
  return new Peer(`@playwright/mcp, Node ${major(nodeVersion(node))}`, [node, playwrightCli]);
}

export const troupe = new Peer('Troupe', [join(build, 'troupe')]);
export const troupeEcho = new Peer('Troupe', [join(build, 'troupe_echo')], { http: ['--port', '0'] });
export const sdkEcho = new Peer('MCP SDK v1', [process.execPath, echoServer], { http: ['--port', '0'] });
export const playwright = playwrightOn(process.execPath);
export const playwrightOnSystemNode = systemNode() && playwrightOn(systemNode());

export const versions = {
  troupe: execFileSync(join(build, 'troupe'), ['--version'], { encoding: 'utf8' }).trim().replace('Version ', ''),
  '@playwright/mcp': versionOf('@playwright/mcp'),
  '@modelcontextprotocol/sdk': versionOf('@modelcontextprotocol/sdk'),
  node: process.versions.node,
  ...(systemNode() && { 'system node': nodeVersion(systemNode()) }),
};
