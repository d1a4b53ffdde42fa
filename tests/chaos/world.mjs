// One server, its browsers, the site and the agents of a run, and what goes wrong with them.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { processes, renderers, untilGone } from '../e2e/processes.mjs';
import { within } from '../e2e/support.mjs';
import { Agent } from './agent.mjs';
import { entries } from './clients.mjs';
import { generator } from './random.mjs';
import { smallDisk, startChrome } from './servers.mjs';
import { startSite } from './site.mjs';

// Low limits, so that sessions have to make room for each other all the time.
const settings = [
  '--headless', '--session-param', '--timeout-action', '15000', '--timeout-navigation', '15000', '--call-timeout', '30000',
];
// Those of a shared context cannot, nor those of a Chrome that is not ours: they are never put to sleep.
const limits = ({ isolation, browser }, agents) => ({
  TROUPE_SESSION_MAX_SESSIONS: String(isolation === 'shared' || browser === 'attached' ? agents : agents - 1),
  TROUPE_SESSION_IDLE_TIMEOUT: '2000',
  TROUPE_SESSION_SWEEP_INTERVAL: '500',
});

export class World {
  faults = 0; // that happened so far: a call that saw the number change may have met one
  lastFault = -Infinity; // when
  counts = {};
  clients = new Map(); // promises, by agent

  static async create({ seed, isolation, entry, browser = 'own', disk = 'large', agents }) {
    const world = new World();
    world.random = generator(seed);
    world.entry = entries[entry];
    world.isolation = isolation;
    world.site = await startSite();
    world.origin = world.site.origin;
    world.directory = await mkdtemp(join(tmpdir(), 'troupe-chaos-'));
    world.agents = Array.from({ length: agents }, (_, index) => new Agent(`agent${index}`, world));
    const state = join(world.directory, 'state');
    world.args = [...settings, ...(isolation === 'default' ? [] : ['--isolation', isolation])];
    if (browser === 'profile') world.args.push(`--user-data-dir=${join(world.directory, 'profile')}`);
    if (browser === 'attached') {
      world.chrome = await startChrome(join(world.directory, 'chrome'));
      world.args.push(`--cdp-endpoint=http://127.0.0.1:${world.chrome.port}`);
    }
    if (disk === 'small') {
      world.disk = await smallDisk(world.directory, state);
      world.args.push('--no-sandbox'); // as whoever may mount there
    }
    const env = { ...limits({ isolation, browser }, agents), XDG_CACHE_HOME: world.directory, XDG_STATE_HOME: state };
    world.options = { cwd: world.directory, env, command: world.disk?.command };
    await world.startServer();
    return world;
  }

  count(what) {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  async startServer() {
    this.server = await this.entry.start(this.args, this.options, this.server?.port);
    if (!this.entry.keepsClients) this.clients.clear();
    this.isFull = false;
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

  // The browsers' processes, of a kind.
  browsers(kind) {
    if (kind === 'renderer') return renderers(this.directory);
    const isMain = each => /--remote-debugging-(pipe|port)/.test(each.command) && !each.command.includes('--type=');
    return processes(this.directory).filter(isMain).map(each => each.pid);
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
    const kinds = ['renderer', 'renderer', 'browser', 'freeze', 'server', 'terminate'];
    const kind = this.random.pick(this.disk ? [...kinds, 'disk', 'disk', 'disk'] : kinds);
    this.count(kind);
    // No call shows it.
    if (kind === 'disk') return this.fillOrFree();
    this.noteFault();
    if (kind === 'server' || kind === 'terminate') return this.restart(kind === 'server' ? 'SIGKILL' : 'SIGTERM');
    const found = this.browsers(kind === 'freeze' ? 'renderer' : kind);
    if (found.length === 0) return;
    const victim = this.random.pick(found);
    try {
      process.kill(victim, kind === 'freeze' ? 'SIGSTOP' : 'SIGKILL');
      if (kind === 'freeze') {
        await new Promise(resolve => setTimeout(resolve, 300)); // how long it stands still
        process.kill(victim, 'SIGCONT');
      }
    } catch {
      // it ended meanwhile
    }
    if (kind === 'browser' && this.chrome) await this.reviveChrome();
    // Calls that began before the fault was over may have met it, too.
    this.noteFault();
  }

  async fillOrFree() {
    this.isFull = !this.isFull;
    await (this.isFull ? this.disk.fill(this.server) : this.disk.free(this.server));
  }

  // Whose Chrome it is starts it again.
  async reviveChrome() {
    const again = async () => {
      await within(this.chrome.closed, 'the end of Chrome');
      this.chrome = await startChrome(join(this.directory, 'chrome'), this.chrome.port);
    };
    await this.whileNobodyCalls(again());
  }

  async restart(signal) {
    const again = async () => {
      this.server.kill(signal);
      await within(this.server.closed, `the end of the server after ${signal}`);
      this.check();
      await this.startServer();
    };
    await this.whileNobodyCalls(again());
    this.noteFault();
  }

  // New calls wait until `change` is done.
  async whileNobodyCalls(change) {
    this.restarting = change;
    await change;
    this.restarting = undefined;
    for (const agent of this.agents) agent.model.doubt();
  }

  // What the server itself noticed.
  check() {
    const overdue = this.server.errors.filter(line => /overdue/.test(line));
    assert.deepEqual(overdue, [], 'a call had no answer in time');
  }

  // Nothing is left of it: no process, no profile.
  async close() {
    await this.end();
    this.check();
    await untilGone(this.directory);
    const profiles = await readdir(join(this.directory, 'troupe/profiles')).catch(() => []);
    assert.deepEqual(profiles.filter(name => name.startsWith('tmp-')), [], 'a temporary profile was left');
  }

  async end() {
    for (const client of this.clients.values()) await client.then(each => each.end(), () => {});
    if (!this.entry.shared) this.server.kill('SIGTERM');
    await within(this.server.closed, 'the end of the server');
    this.chrome?.kill('SIGTERM');
    await this.chrome?.closed;
  }

  async destroy() {
    this.site.close();
    for (const client of this.clients.values()) await client.then(each => each.end(), () => {});
    this.server.kill('SIGKILL');
    this.chrome?.kill('SIGKILL');
    await this.server.closed;
    await untilGone(this.directory);
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}
