// Runs in Node, started by the server: Playwright's objects for the pages of one session, and code that uses them.
//
// Descriptors 3 and 4 lead to the server. Each message is JSON and ends with a NUL: DevTools messages as they
// are, in both directions, and our own under the key `troupe`: requests from the server, answers and news to it.
'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const { createRequire } = require('node:module');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const vm = require('node:vm');

// The first version whose connectOverCDP() takes a transport.
const oldest = [1, 61];
// In ms, for the page that is asked for, and for the others.
const patience = 30_000;
const patienceWithOthers = 2000;

const output = new net.Socket({ fd: 4, readable: false, writable: true });
const send = message => output.write(JSON.stringify(message) + '\0');
output.on('error', () => process.exit());

// ---- Finding playwright-core

function globalFolders() {
  const folders = [path.resolve(path.dirname(process.execPath), '../lib/node_modules')];
  try {
    const npx = path.join(os.homedir(), '.npm/_npx');
    folders.push(...fs.readdirSync(npx).map(name => path.join(npx, name, 'node_modules')));
  } catch {
    // Nothing was ever run with npx.
  }
  try {
    folders.push(execFileSync('npm', ['root', '-g'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: 5000 }).trim());
  } catch {
    // There is no npm.
  }
  return folders;
}

// Paths of playwright-core or a package that has it, most wanted first; the last ones cost a process to find.
function* candidates({ module, folders }) {
  if (module) {
    yield path.resolve(module);
    return;
  }
  for (const folder of folders) yield* packagesFrom(path.join(folder, 'anything.js'));
  for (const folder of globalFolders()) {
    yield* packagesFrom(path.join(folder, 'anything.js'), folder);
    for (const name of ['@playwright/mcp', 'playwright', '@playwright/test'])
      yield* packagesFrom(path.join(folder, name, 'package.json'));
  }
}

function* packagesFrom(file, folder) {
  for (const name of ['playwright-core', 'playwright']) {
    if (folder) yield path.join(folder, name);
    try {
      yield path.dirname(createRequire(file).resolve(name + '/package.json'));
    } catch {
      // Not here.
    }
  }
}

function loadPlaywright(setup) {
  let unfit = '';
  for (const folder of new Set(candidates(setup))) {
    let version;
    try {
      ({ version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')));
    } catch {
      continue;
    }
    const [major, minor] = version.split('.').map(Number);
    if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return require(folder);
    unfit ||= `${folder} has version ${version}`;
  }
  const reason = unfit || `Node.js ${process.version} is here, but playwright-core is not`;
  throw Object.assign(new Error(reason), { missing: true });
}

// ---- The browser, as far as this session goes

const transport = {
  send,
  close() {
    send({ troupe: { event: 'disconnected' } });
    browser = undefined;
    transport.onclose?.();
  },
};

let setup;
let browser; // a promise
const targetOf = new WeakMap(); // promises, by page
const arrivals = new Set(); // called when a page comes

async function connect() {
  const playwright = loadPlaywright(setup);
  if (setup.testIdAttribute) playwright.selectors.setTestIdAttribute(setup.testIdAttribute);
  const connected = await playwright.chromium.connectOverCDP(transport, {
    noDefaults: true, // the server has set up what it wants
    artifactsDir: setup.artifacts,
  });
  const context = connected.contexts()[0];
  // Dialogs without a listener would be dismissed here; the server has its own way with them.
  context.on('dialog', () => {});
  context.on('page', () => arrivals.forEach(tell => tell()));
  send({ troupe: { event: 'connected' } });
  return connected;
}

async function readTarget(page) {
  const session = await page.context().newCDPSession(page);
  const { targetInfo } = await session.send('Target.getTargetInfo');
  session.detach().catch(() => {});
  return targetInfo.targetId;
}

async function findPages() {
  const found = new Map();
  browser ??= connect();
  browser.catch(() => (browser = undefined));
  for (const page of (await browser).contexts()[0].pages()) {
    if (!targetOf.has(page)) targetOf.set(page, readTarget(page).catch(() => undefined));
    found.set(await targetOf.get(page), page);
  }
  return found;
}

// The page of `target`, once it is there; then the others, if they come soon.
async function pageOf({ target, others }) {
  const begun = Date.now();
  for (;;) {
    let arrived;
    const arrival = new Promise(resolve => arrivals.add((arrived = resolve)));
    try {
      const found = await findPages();
      const page = found.get(target);
      if (page && others.every(other => found.has(other))) return page;
      const left = begun + (page ? patienceWithOthers : patience) - Date.now();
      if (left > 0) await Promise.race([arrival, new Promise(resolve => setTimeout(resolve, left))]);
      else if (page) return page;
      else throw new Error('the tab does not answer Playwright');
    } finally {
      arrivals.delete(arrived);
    }
  }
}

// ---- What the server asks for

const running = new Set(); // rejects what runs
const failRunning = reason => running.forEach(reject => reject(reason));
// Callbacks of the code, such as handlers of routes, fail on their own; what waits for them would wait for ever.
process.on('unhandledRejection', failRunning);
process.on('uncaughtException', failRunning);

function guarded(work) {
  let reject;
  const failed = new Promise((_, refuse) => running.add((reject = refuse)));
  return Promise.race([work(), failed]).finally(() => running.delete(reject));
}

async function run({ code, ...which }) {
  const page = await pageOf(which);
  return guarded(async () => {
    const sandbox = vm.createContext({ page });
    const call = vm.runInContext(`(${code})`, sandbox);
    if (typeof call !== 'function') throw new TypeError('The code is not a function');
    return { value: JSON.stringify(await call(page)) };
  });
}

async function load(file) {
  try {
    return require(file);
  } catch (error) {
    if (!['ERR_REQUIRE_ESM', 'ERR_REQUIRE_ASYNC_MODULE', 'ERR_UNKNOWN_FILE_EXTENSION'].includes(error.code)) throw error;
    return import(pathToFileURL(file).href);
  }
}

async function initialize({ module, ...which }) {
  const page = await pageOf(which);
  return guarded(async () => {
    const exported = await load(module);
    const initializer = exported.default?.default ?? exported.default;
    await initializer({ page });
    const methods = Object.getPrototypeOf(page);
    const isReplaced = name => typeof page[name] === 'function' && typeof methods[name] === 'function';
    return { replaced: Object.keys(page).filter(isReplaced) };
  });
}

const requests = { run, initialize, ping: async () => ({}) };

async function answer({ id, ask, ...rest }) {
  try {
    send({ troupe: { id, ...(await requests[ask](rest)) } });
  } catch (error) {
    let text;
    try {
      const bare = error?.missing || (ask === 'initialize' && error instanceof Error);
      text = bare ? error.message : String(error);
    } catch {
      text = 'Error: the code threw something that cannot be shown';
    }
    send({ troupe: { id, error: text, missing: error?.missing } });
  }
}

function take(message) {
  if (!message.troupe) transport.onmessage?.(message);
  else if (message.troupe.setup) ({ setup } = message.troupe);
  else answer(message.troupe);
}

const input = new net.Socket({ fd: 3, readable: true, writable: false });
let pieces = [];
input.on('data', data => {
  for (let end; (end = data.indexOf(0)) >= 0; data = data.subarray(end + 1)) {
    pieces.push(data.subarray(0, end));
    const text = Buffer.concat(pieces).toString();
    pieces = [];
    // One at a time: Playwright has to be done with an answer before it sees the event behind it.
    setImmediate(() => take(JSON.parse(text)));
  }
  if (data.length) pieces.push(data);
});
input.on('close', () => process.exit());
