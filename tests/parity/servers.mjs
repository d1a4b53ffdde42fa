// Every fixture page through both servers, as an agent uses them: browser_navigate, browser_snapshot, and a locator for
// every element of the snapshot (browser_generate_locator). `make parity` runs this.
//
//   node servers.mjs [part of a fixture's name …]
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { fixtureDirectory, optionsOf, OURS_IS_RIGHT, renumber, serveFixtures, unifiedDiff } from './support.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const repository = path.resolve(here, '../..');
const troupe = process.env.TROUPE_BIN ?? path.join(repository, 'build/release/troupe');
const playwright = path.join(repository, 'tests/e2e/node_modules/@playwright/mcp/cli.js');
const executable = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(file => fs.existsSync(file));
const mostLocators = Number(process.env.LOCATORS ?? 40); // a page; 0 is none

class Server {
  #id = 0;
  #waiting = new Map();

  constructor(command, args) {
    this.directory = fs.mkdtempSync(path.join(os.tmpdir(), 'troupe-parity-'));
    this.process = spawn(command, [...args, '--headless', '--isolated', '--no-sandbox', '--caps=testing', `--executable-path=${executable}`],
      { cwd: this.directory, env: { ...process.env, XDG_STATE_HOME: this.directory }, stdio: ['pipe', 'pipe', 'ignore'] });
    createInterface(this.process.stdout).on('line', line => {
      const message = JSON.parse(line);
      this.#waiting.get(message.id)?.(message);
    });
  }
  ask(method, params) {
    return new Promise(answer => {
      this.#waiting.set(++this.#id, answer);
      this.process.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: this.#id, method, params }) + '\n');
    });
  }
  async start() {
    await this.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'parity', version: '1' } });
    this.process.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    return this;
  }
  async call(name, args = {}) {
    const { result, error } = await this.ask('tools/call', { name, arguments: args });
    return error ? `refused: ${error.message}` : result.content.map(part => part.text ?? '').join('\n');
  }
  async snapshot(options) {
    const text = await this.call('browser_snapshot', options);
    return /### Snapshot\n```yaml\n([^]*?)\n?```/.exec(text)?.[1] ?? text;
  }
  async locator(ref) {
    const text = await this.call('browser_generate_locator', { element: 'element', target: ref });
    return /### Result\n([^]*?)(?=\n###|$)/.exec(text)?.[1].trim() ?? text;
  }
  async stop() {
    const ended = new Promise(done => this.process.on('exit', done));
    this.process.stdin.end();
    await ended;
    fs.rmSync(this.directory, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(2);
const fixtures = fs.readdirSync(fixtureDirectory).filter(file => /\.x?html$/.test(file))
  .filter(file => !wanted.length || wanted.some(part => file.includes(part)));
const site = await serveFixtures();
const [ours, theirs] = await Promise.all([
  new Server(troupe, []).start(),
  new Server(process.execPath, [playwright, '--browser=chromium']).start(),
]);

const refsOf = text => [...text.matchAll(/\[ref=((?:f\d+)?e\d+)\]/g)].map(([, ref]) => ref);
const count = { pages: 0, same: 0, right: 0, locators: 0, sameLocators: 0, upstreamFails: 0 };
const differences = [];
for (const file of fixtures) {
  const url = `${site.origin}/${file}`;
  const options = optionsOf(file);
  const both = [];
  for (const server of [ours, theirs]) {
    await server.call('browser_navigate', { url });
    both.push(await server.snapshot(options));
  }
  ++count.pages;
  const [own, upstream] = both;
  if (renumber(own, true) === renumber(upstream, true)) {
    ++count.same;
  } else if (OURS_IS_RIGHT[file]) {
    ++count.right;
    continue;
  } else {
    differences.push(`${file}\n${unifiedDiff(renumber(upstream, true), renumber(own, true))}`);
    continue;
  }
  const ownRefs = refsOf(own);
  const upstreamRefs = refsOf(upstream);
  const step = Math.max(1, Math.ceil(ownRefs.length / Math.max(1, mostLocators)));
  for (let i = 0; mostLocators > 0 && i < ownRefs.length; i += step) {
    const [mine, other] = [await ours.locator(ownRefs[i]), await theirs.locator(upstreamRefs[i])];
    ++count.locators;
    if (mine === other) ++count.sameLocators;
    else if (other.startsWith('### Error')) ++count.upstreamFails;
    else differences.push(`${file}: locator of ${ownRefs[i]}\n  upstream ${other}\n  ours     ${mine}`);
  }
}
await Promise.all([ours.stop(), theirs.stop()]);
site.close();

for (const difference of differences) console.log(difference + '\n');
for (const [file, why] of Object.entries(OURS_IS_RIGHT)) if (fixtures.includes(file)) console.log(`${file}: ours is right: ${why}`);
console.log(`snapshots: ${count.same} of ${count.pages} identical, ${count.right} where ours is right`);
console.log(`locators: ${count.sameLocators} of ${count.locators} identical, ${count.upstreamFails} where upstream fails`);
process.exitCode = differences.length === 0 ? 0 : 1;
