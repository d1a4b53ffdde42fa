// One server, its browsers, the site and the agents of a run, and what goes wrong with them.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { processes, untilGone } from '../e2e/processes.mjs';
import { troupe, within } from '../e2e/support.mjs';
import { Agent } from './agent.mjs';
import { entries } from './clients.mjs';
import { generator } from './random.mjs';
import { startSite } from './site.mjs';

// Low limits, so that sessions have to make room for each other all the time.
const settings = isolation => [
  '--headless', '--isolation', isolation, '--session-param', '--timeout-action', '5000', '--timeout-navigation', '5000',
  '--call-timeout', '30000',
];
// Those of a shared context cannot: they are never put to sleep.
const limits = (isolation, agents) => ({
  TROUPE_SESSION_MAX_SESSIONS: String(isolation === 'shared' ? agents : agents - 1),
  TROUPE_SESSION_IDLE_TIMEOUT: '2000',
  TROUPE_SESSION_SWEEP_INTERVAL: '500',
});

export class World {
  faults = 0; // that happened so far: a call that saw the number change may have met one
  lastFault = -Infinity; // when
  counts = {};

  static async create({ seed, isolation, entry, agents }) {
    const world = new World();
    world.random = generator(seed);
    world.entry = entries[entry];
    world.isolation = isolation;
    world.site = await startSite();
    world.origin = world.site.origin;
    world.directory = await mkdtemp(join(tmpdir(), 'troupe-chaos-'));
    world.agents = Array.from({ length: agents }, (_, index) => new Agent(`agent${index}`, world));
    await world.startServer();
    return world;
  }

  count(what) {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  async startServer() {
    const args = [...settings(this.isolation), ...(this.entry.port ? ['--port', String(this.port ?? 0)] : [])];
    const child = spawn(troupe, args, {
      cwd: this.directory,
      stdio: 'pipe',
      env: { ...process.env, ...limits(this.isolation, this.agents.length), XDG_CACHE_HOME: this.directory, XDG_STATE_HOME: join(this.directory, 'state') },
    });
    const server = { process: child, errors: [], lines: createInterface(child.stdout), stdout: {} };
    server.closed = once(child, 'close');
    child.stdin.on('error', () => {});
    const listening = new Promise(resolve => {
      createInterface(child.stderr).on('line', line => {
        server.errors.push(line);
        const port = /Listening on http:\/\/localhost:(\d+)/.exec(line)?.[1];
        if (port) resolve(Number(port));
      });
    });
    if (this.entry.port) {
      const ended = server.closed.then(() => Promise.reject(new Error(`the server ended:\n${server.errors.join('\n')}`)));
      this.port = await within(Promise.race([listening, ended]), 'the start of the server');
      ended.catch(() => {});
      server.url = (path, scheme = 'http') => new URL(path, `${scheme}://localhost:${this.port}`);
    }
    this.server = server;
    this.clients = new Map();
  }

  // The agent's connection, opened when there is none.
  async client(agent) {
    if (this.restarting) await this.restarting;
    const key = this.entry.shared ? 'all' : agent.name;
    if (!this.clients.has(key)) {
      const opening = this.entry.open(this.server);
      this.clients.set(key, opening);
      opening.catch(() => this.clients.delete(key));
    }
    const client = await this.clients.get(key);
    if (!client.gone) return client;
    this.clients.delete(key);
    return this.client(agent);
  }

  async disconnect(agent) {
    if (this.entry.shared) return;
    const client = await this.clients.get(agent.name)?.catch(() => undefined);
    this.clients.delete(agent.name);
    client?.end();
    // A session that belongs to its connection ends with it.
    agent.model.doubt();
  }

  // Our browsers' processes, of a kind.
  browsers(kind) {
    const all = processes(this.directory).filter(each => each.command.includes('--remote-debugging-pipe') || each.command.includes('--type='));
    const isMain = each => !each.command.includes('--type=');
    return all.filter(kind === 'renderer' ? each => each.command.includes('--type=renderer') : isMain);
  }

  noteFault() {
    ++this.faults;
    this.lastFault = performance.now();
  }

  // Whether a call that began then may have met a fault: the death of a process shows a while after it was killed.
  wasDisturbed(begun, faults) {
    return faults !== this.faults || begun < this.lastFault + 2_000;
  }

  async fault() {
    const kind = this.random.pick(['renderer', 'renderer', 'browser', 'freeze', 'server', 'terminate']);
    this.count(kind);
    this.noteFault();
    if (kind === 'server' || kind === 'terminate') return this.restart(kind === 'server' ? 'SIGKILL' : 'SIGTERM');
    const found = this.browsers(kind === 'freeze' ? 'renderer' : kind);
    if (found.length === 0) return;
    const victim = this.random.pick(found);
    try {
      process.kill(victim.pid, kind === 'freeze' ? 'SIGSTOP' : 'SIGKILL');
      if (kind === 'freeze') {
        await new Promise(resolve => setTimeout(resolve, 300)); // how long it stands still
        process.kill(victim.pid, 'SIGCONT');
      }
    } catch {
      // it ended meanwhile
    }
    // Calls that began before the fault was over may have met it, too.
    this.noteFault();
  }

  async restart(signal) {
    const again = async () => {
      this.server.process.kill(signal);
      await within(this.server.closed, `the end of the server after ${signal}`);
      this.check();
      await this.startServer();
    };
    this.restarting = again();
    await this.restarting;
    this.restarting = undefined;
    for (const agent of this.agents) agent.model.doubt();
    this.noteFault();
  }

  // What the server itself noticed.
  check() {
    const overdue = this.server.errors.filter(line => /overdue/.test(line));
    assert.deepEqual(overdue, [], 'a call had no answer in time');
  }

  // Nothing is left of it: no process, no profile.
  async close() {
    if (this.entry.shared) this.server.process.stdin.end();
    else this.server.process.kill('SIGTERM');
    await within(this.server.closed, 'the end of the server');
    this.check();
    await untilGone(this.directory);
    const profiles = await readdir(join(this.directory, 'troupe/profiles')).catch(() => []);
    assert.deepEqual(profiles.filter(name => name.startsWith('tmp-')), [], 'a temporary profile was left');
  }

  async destroy() {
    this.site.close();
    this.server.process.kill('SIGKILL');
    await this.server.closed;
    await untilGone(this.directory);
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}
