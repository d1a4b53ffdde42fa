// What agents do all day, on the same browser: Troupe, @playwright/mcp and nothing but the browser's own protocol.
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';

import { memoryOfProcess } from './memory.mjs';
import { Peer, playwright, troupe } from '../peers.mjs';
import { RawBrowser } from '../raw_cdp.mjs';
import { summarize } from '../stats.mjs';

export const title = 'Browser';

const executable = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync);

const cell = i => `<li><a href="#${i}">Item ${i}</a> <span>costs ${i}</span></li>`;
const pages = {
  '/small': `<title>Small</title><h1>Hello</h1><button>Go</button><p id=out>text that is there</p>
    <input id=a aria-label=A><input id=b aria-label=B><input id=c aria-label=C><input id=d aria-label=D><input id=e aria-label=E>
    <button id=fetch onclick="fetch('/data').then(r => r.text()).then(t => { out.textContent = t; })">Fetch</button>`,
  '/large': `<title>Large</title><ul>${Array.from({ length: 1250 }, (_, i) => cell(i)).join('')}</ul>`,
  '/frames': '<title>Frames</title><iframe src=/frame1 width=900 height=500></iframe>',
  '/frame1': '<h2>One</h2><iframe src=/frame2 width=800 height=400></iframe>',
  '/frame2': '<h2>Two</h2><iframe src=/frame3 width=700 height=300></iframe>',
  '/frame3': '<h2>Three</h2><button>Deep</button>',
};

async function servePages() {
  const server = createServer((request, response) => {
    if (request.url === '/data') return setTimeout(() => response.end('fetched'), 50);
    response.writeHead(pages[request.url] ? 200 : 404, { 'Content-Type': 'text/html' });
    response.end(pages[request.url] ?? '');
  });
  await new Promise(ready => server.listen(0, '127.0.0.1', ready));
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => (server.closeAllConnections(), server.close()) };
}

const common = ['--headless', '--isolated', '--no-sandbox', `--executable-path=${executable}`];
const ours = new Peer(troupe.name, troupe.command, { stdio: common });
const theirs = new Peer(playwright.name, playwright.command, { stdio: [...common, '--browser=chromium'] });

const walk = `(() => { let text = ''; const visit = node => { for (const child of node.childNodes) { if (child.nodeType === 1) { text += child.tagName; visit(child); } else text += child.nodeValue; } }; visit(document.body); return text.length; })()`;
const twoFrames = 'new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))';

// Each: where it happens, the call of an agent, the same on the bare protocol, and how many times better we want to be.
const steps = [
  { name: 'click on a static button', page: '/small', call: ['browser_click', { element: 'Go', target: 'text=Go' }], raw: async raw => { await raw.click('button'); await raw.evaluate(twoFrames); }, times: 12 },
  { name: 'click that fetches for 50 ms', page: '/small', call: ['browser_click', { element: 'Fetch', target: '#fetch' }], raw: async raw => { const done = raw.event('Network.loadingFinished'); await raw.click('#fetch'); await done; }, times: 8 },
  { name: 'evaluate', page: '/small', call: ['browser_evaluate', { function: '() => document.title' }], raw: raw => raw.evaluate('document.title'), times: 40 },
  { name: 'hover', page: '/small', call: ['browser_hover', { element: 'Go', target: 'text=Go' }], raw: raw => raw.page('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 40, y: 90 }), times: 2 },
  { name: 'type', page: '/small', call: ['browser_type', { element: 'A', target: '#a', text: 'hello' }], raw: raw => raw.evaluate(`a.focus(), a.value = 'hello'`), times: 3 },
  { name: 'fill_form of 5', page: '/small', call: ['browser_fill_form', { fields: ['a', 'b', 'c', 'd', 'e'].map(id => ({ name: id, element: id, target: `#${id}`, type: 'textbox', value: 'text' })) }], raw: async raw => { for (const id of 'abcde') await raw.evaluate(`${id}.focus(), ${id}.value = 'text'`); }, times: 3 },
  { name: 'press_key', page: '/small', call: ['browser_press_key', { key: 'ArrowDown' }], raw: async raw => { for (const type of ['keyDown', 'keyUp']) await raw.page('Input.dispatchKeyEvent', { type, key: 'ArrowDown' }); }, times: 1.5 },
  { name: 'wait_for of present text', page: '/small', call: ['browser_wait_for', { text: 'text that is there' }], raw: raw => raw.evaluate(`document.body.innerText.includes('text that is there')`), times: 4 },
  { name: 'navigate, small page', call: origin => ['browser_navigate', { url: `${origin}/small` }], raw: (raw, origin) => raw.navigate(`${origin}/small`), times: 2 },
  { name: 'navigate, large page', call: origin => ['browser_navigate', { url: `${origin}/large` }], raw: (raw, origin) => raw.navigate(`${origin}/large`), times: 2 },
  { name: 'snapshot, small page', page: '/small', call: ['browser_snapshot', {}], raw: raw => raw.evaluate(walk), times: 3 },
  { name: 'snapshot of 5,000 elements', page: '/large', call: ['browser_snapshot', {}], raw: raw => raw.evaluate(walk), times: 4 },
  { name: 'snapshot of three nested iframes', page: '/frames', call: ['browser_snapshot', {}], raw: raw => raw.evaluate(walk), times: 5 },
  { name: 'list tabs', page: '/small', call: ['browser_tabs', { action: 'list' }], raw: raw => raw.send('Target.getTargets'), times: 5 },
  { name: 'screenshot', page: '/small', call: ['browser_take_screenshot', {}], raw: raw => raw.page('Page.captureScreenshot'), times: 4 / 3 },
];

const timed = async body => {
  const begun = performance.now();
  const result = await body();
  if (result?.isError) throw new Error(result.content[0].text);
  return performance.now() - begun;
};

// A server with its browser running, on a page.
class Agent {
  static async start(peer) {
    const agent = new Agent();
    agent.server = peer.startOnStdio();
    agent.client = agent.server.client;
    await agent.client.initialize();
    return agent;
  }
  async call([name, args]) {
    const result = await this.client.callTool(name, args);
    if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
  }
  stop() {
    return this.server.stop();
  }
}

async function firstNavigate(origin, quick, rounds) {
  const found = { ours: [], theirs: [], raw: [] };
  await rounds(quick ? 2 : 7, quick ? 6 : 40, async () => {
    for (const [name, peer] of Object.entries({ ours, theirs })) {
      const agent = await Agent.start(peer);
      found[name].push(await timed(() => agent.call(['browser_navigate', { url: `${origin}/small` }])));
      await agent.stop();
    }
    let raw;
    found.raw.push(
      await timed(async () => {
        raw = await RawBrowser.launch(executable);
        await raw.navigate(`${origin}/small`);
      }),
    );
    raw.close();
  });
  return row('first navigate, browser launch included', found, 4 / 3);
}

const row = (measure, found, times) => ({
  measure,
  unit: 'ms',
  better: 'less',
  troupe: summarize(found.ours, 'less'),
  peers: [
    { name: theirs.name, theirs: summarize(found.theirs, 'less'), times },
    { name: 'raw CDP', theirs: summarize(found.raw, 'less') },
  ],
});

export async function measure({ quick, rounds }) {
  const { origin, close } = await servePages();
  const first = await firstNavigate(origin, quick, rounds);
  const [us, them, raw] = await Promise.all([Agent.start(ours), Agent.start(theirs), RawBrowser.launch(executable)]);
  const rows = [];
  let calls = 0;
  try {
    for (const step of steps) {
      const found = { ours: [], theirs: [], raw: [] };
      const call = typeof step.call === 'function' ? step.call(origin) : step.call;
      if (step.page) {
        for (const agent of [us, them]) await agent.call(['browser_navigate', { url: origin + step.page }]);
        await raw.navigate(origin + step.page);
      }
      await us.call(call), await them.call(call), await step.raw(raw, origin);
      await rounds(quick ? 5 : 15, quick ? 3 : 20, async () => {
        found.ours.push(await timed(() => us.call(call)));
        found.theirs.push(await timed(() => them.call(call)));
        found.raw.push(await timed(() => step.raw(raw, origin)));
        ++calls;
      });
      rows.push(row(step.name, found, step.times));
    }
    for (; calls < 200; ++calls) await us.call(['browser_evaluate', { function: '() => 1' }]);
    rows.push({
      measure: `memory of the server process after ${calls} calls`,
      unit: 'MB',
      better: 'less',
      limit: 25,
      troupe: summarize([memoryOfProcess(us.server.pid)], 'less'),
      peers: [{ name: theirs.name, theirs: summarize([memoryOfProcess(them.server.pid)], 'less') }],
    });
  } finally {
    await us.stop();
    await them.stop();
    raw.close();
    close();
  }
  return [...rows, first];
}
