// Shared by the parity scripts: a browser, our page script in isolated worlds, and upstream's answer.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRequire } from 'node:module';

const here = path.dirname(fileURLToPath(import.meta.url));
export const repository = path.resolve(here, '../..');
export const fixtureDirectory = path.join(repository, 'tests/fixtures/snapshot');
const pageDirectory = path.join(repository, 'src/page');

const { chromium } = createRequire(path.join(repository, 'tests/e2e/package.json'))('playwright-core');

// The snapshot's files in the order in which they are embedded; those of selectors and actions follow.
export const snapshotFiles = (() => {
  const files = fs.readFileSync(path.join(pageDirectory, 'order.txt'), 'utf8').split('\n')
    .filter(line => line && !line.startsWith('#'));
  return files.slice(0, files.indexOf('snapshot.js') + 1);
})();

export const pageScript = () =>
  snapshotFiles.map(file => fs.readFileSync(path.join(pageDirectory, file), 'utf8')).join('\n');

export const launch = () => {
  const known = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium'];
  const executablePath = process.env.TROUPE_TEST_BROWSER ?? known.find(file => fs.existsSync(file));
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
};

// Serves the fixtures; the same server as 127.0.0.1 is another origin, so that frames can cross one.
export const serveFixtures = async () => {
  const server = http.createServer((request, response) => {
    const name = path.basename(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
    const file = path.join(fixtureDirectory, name);
    if (!name || !fs.existsSync(file)) return void response.writeHead(404).end();
    const types = { '.html': 'text/html; charset=utf-8', '.xhtml': 'application/xhtml+xml', '.css': 'text/css', '.svg': 'image/svg+xml' };
    response.writeHead(200, { 'content-type': types[path.extname(name)] ?? 'application/octet-stream' });
    response.end(fs.readFileSync(file));
  });
  await new Promise(done => server.listen(0, done));
  return { origin: `http://localhost:${server.address().port}`, close: () => server.close() };
};

// Our page script, driven as the engine drives it: one isolated world per frame, one evaluate per
// snapshot and frame, children spliced in by the contract in src/page/snapshot.js.
export class Ours {
  static async attach(page, source = pageScript()) {
    const ours = new Ours();
    ours.page = page;
    ours.source = source;
    ours.main = await page.context().newCDPSession(page);
    ours.worlds = new Map();   // frame id -> { session, contextId }
    ours.sessions = new Map(); // frame id -> session, of frames with a process of their own
    ours.numbers = new Map();
    await ours.main.send('DOM.enable');
    return ours;
  }

  async findSessions() {
    for (const frame of this.page.frames()) {
      if (frame === this.page.mainFrame()) continue;
      const session = await this.page.context().newCDPSession(frame).catch(() => null);
      if (!session) continue;
      await session.send('DOM.enable');
      const { frameTree } = await session.send('Page.getFrameTree');
      this.sessions.set(frameTree.frame.id, session);
    }
  }

  async world(session, frameId) {
    if (!this.worlds.has(frameId)) {
      const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId, worldName: 'troupe' });
      await session.send('Runtime.evaluate', { expression: this.source, contextId: executionContextId });
      this.worlds.set(frameId, { session, contextId: executionContextId });
    }
    return this.worlds.get(frameId);
  }

  async evaluate(world, expression, returnByValue = true) {
    const { result, exceptionDetails } = await world.session.send('Runtime.evaluate',
      { expression, contextId: world.contextId, returnByValue });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return returnByValue ? result.value : result;
  }

  async mainWorld() {
    const { frameTree } = await this.main.send('Page.getFrameTree');
    return { world: await this.world(this.main, frameTree.frame.id), frameId: frameTree.frame.id };
  }

  // `target` is a CSS selector in the main frame.
  async snapshot({ target, depth = 0, boxes = false } = {}) {
    const { frameId } = await this.mainWorld();
    this.hasLookedForSessions = false;
    return this.frame(this.main, frameId, { target, depth, boxes });
  }

  async frame(session, frameId, { target, depth, boxes }) {
    const world = await this.world(session, frameId);
    if (!this.numbers.has(frameId)) this.numbers.set(frameId, this.numbers.size);
    const root = target ? `document.querySelector(${JSON.stringify(target)})` : 'undefined';
    await this.evaluate(world, `troupe.claimNumber(${this.numbers.get(frameId)})`);
    const answer = await this.evaluate(world, `troupe.snapshot({
      rootElement: ${root}, depth: ${depth}, boxes: ${boxes} })`);
    const lines = answer.text === '' ? [] : answer.text.split('\n');
    const children = [];
    for (const child of answer.frames) {
      const element = await this.evaluate(world, `troupe.elementForRef(${JSON.stringify(child.ref)})`, false);
      const { node } = await session.send('DOM.describeNode', { objectId: element.objectId });
      const isLocal = !!node.contentDocument;
      if (!isLocal && !this.hasLookedForSessions) {
        this.hasLookedForSessions = true;
        await this.findSessions();
      }
      const childSession = isLocal ? session : this.sessions.get(node.frameId);
      const inner = childSession
        ? await this.frame(childSession, node.frameId, { depth: child.depth, boxes }).catch(() => '') : '';
      children.push({ ...child, inner, frameId: node.frameId });
    }
    for (const { line, indent, inner } of children.reverse()) {
      if (!inner) continue;
      if (!lines[line].endsWith(':')) lines[line] += ':';
      lines.splice(line + 1, 0, ...inner.split('\n').map(text => ' '.repeat(indent + 2) + text));
    }
    return lines.join('\n');
  }
}

// What upstream's browser_snapshot shows; its server replaces lone surrogates last.
export const upstreamSnapshot = async (page, { target, depth, boxes } = {}) => {
  const from = target ? page.locator(target) : page;
  const options = { mode: 'ai', depth: depth || undefined, boxes: boxes || undefined, timeout: 15000 };
  return (await from.ariaSnapshot(options)).toWellFormed();
};

// Frame prefixes by order of appearance; with `all` the numbers as well.
export const renumber = (text, all = false) => {
  const frames = new Map([['', '']]);
  const refs = new Map();
  return text.replace(/\[ref=((?:f\d+)?)e(\d+)\]/g, (_, prefix, number) => {
    if (!frames.has(prefix)) frames.set(prefix, 'f' + frames.size);
    if (!all) return `[ref=${frames.get(prefix)}e${number}]`;
    const ref = prefix + 'e' + number;
    if (!refs.has(ref)) refs.set(ref, 'e' + (refs.size + 1));
    return `[ref=${refs.get(ref)}]`;
  });
};

// A unified diff with three lines around each change; upstream is "-", ours "+".
export const unifiedDiff = (upstream, ours) => {
  const a = upstream.split('\n');
  const b = ours.split('\n');
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; --i)
    for (let j = b.length - 1; j >= 0; --j)
      lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const rows = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) rows.push(' ' + a[i++]), ++j;
    else if (i < a.length && (j === b.length || lengths[i + 1][j] >= lengths[i][j + 1])) rows.push('-' + a[i++]);
    else rows.push('+' + b[j++]);
  }
  const near = rows.map((_, at) => rows.slice(Math.max(0, at - 3), at + 4).some(row => row[0] !== ' '));
  return rows.filter((row, at) => near[at]).join('\n');
};

// Pages where we differ on purpose, and why ours is right.
export const OURS_IS_RIGHT = {
  'clobbered_hard.html': 'a form whose controls are named like DOM properties is lost with all its content upstream',
  'frames_element_children.html': 'elements inside of an <iframe> element are never rendered; upstream lists some',
  'page.xhtml': 'tags are lower case in XHTML; upstream then sees no iframes and no options',
};

// What a fixture asks for: <!-- snapshot: {"depth": 2, "boxes": true, "target": "#id"} -->.
export const optionsOf = file => {
  const found = /<!-- snapshot: (\{.*?\}) -->/.exec(fs.readFileSync(path.join(fixtureDirectory, file), 'utf8'));
  return found ? JSON.parse(found[1]) : {};
};
