// Runs in Node, started by the server: Playwright's objects for the pages of one session, and the code that
// uses them.
//
// Descriptors 3 and 4 lead to the server. Each message is JSON and ends with a NUL: unchanged DevTools
// messages in both directions, and our own under the key `troupe`: requests from the server, answers and
// events to it.
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
// In ms, for the requested page and for the others.
const timeout = 30_000;
const timeoutWithOthers = 2000;

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
    // npx was never used.
  }
  try {
    folders.push(execFileSync('npm', ['root', '-g'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: 5000 }).trim());
  } catch {
    // npm is not installed.
  }
  return folders;
}

// Paths of playwright-core or a package that contains it, in order of preference; the last ones cost a
// process to find.
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

// The first candidate that is new enough, as {folder, version}.
function findPlaywright(setup) {
  let unfit = '';
  for (const folder of new Set(candidates(setup))) {
    let version;
    try {
      ({ version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')));
    } catch {
      continue;
    }
    const [major, minor] = version.split('.').map(Number);
    if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return { folder, version };
    unfit ||= `${folder} has version ${version}`;
  }
  const reason = unfit || `Node.js ${process.version} is here, but playwright-core is not`;
  throw Object.assign(new Error(reason), { missing: true });
}

const loadPlaywright = setup => require(findPlaywright(setup).folder);

// ---- The browser, limited to this session

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
const arrivals = new Set(); // called when a page arrives

async function connect() {
  const playwright = loadPlaywright(setup);
  if (setup.testIdAttribute) playwright.selectors.setTestIdAttribute(setup.testIdAttribute);
  const connected = await playwright.chromium.connectOverCDP(transport, {
    noDefaults: true, // the server has already set up the context
    artifactsDir: setup.artifacts,
  });
  const context = connected.contexts()[0];
  // Without a listener Playwright would dismiss dialogs; the server handles them.
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

// Waits for the page of `target`; then for the others, if they come soon.
async function pageOf({ target, others }) {
  const begun = Date.now();
  for (;;) {
    let arrived;
    const arrival = new Promise(resolve => arrivals.add((arrived = resolve)));
    try {
      const found = await findPages();
      const page = found.get(target);
      if (page && others.every(other => found.has(other))) return page;
      const left = begun + (page ? timeoutWithOthers : timeout) - Date.now();
      if (left > 0) await Promise.race([arrival, new Promise(resolve => setTimeout(resolve, left))]);
      else if (page) return page;
      else throw new Error('the tab does not answer Playwright');
    } finally {
      arrivals.delete(arrived);
    }
  }
}

// ---- Requests from the server

const running = new Set(); // functions that reject running requests
const failRunning = reason => running.forEach(reject => reject(reason));
// Callbacks of the code, such as route handlers, fail on their own; the request waiting for them would never
// end.
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

const requests = { run, initialize, ping: async () => ({}), find: async () => findPlaywright(setup) };

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
    // One message at a time: Playwright must finish with an answer before it sees the event behind it.
    setImmediate(() => take(JSON.parse(text)));
  }
  if (data.length) pieces.push(data);
});
input.on('close', () => process.exit());
