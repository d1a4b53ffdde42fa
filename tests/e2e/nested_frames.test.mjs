// Frames of other sites inside frames of other sites, and workers in them: each runs in a process of its own.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { temporaryDirectory } from './support.mjs';

// Sites of their own, all on this machine.
const sites = { A: 'localhost', B: '127.0.0.1', C: 'c.localhost', D: 'd.localhost' };

// A page for `/?tree=ABA`: a button and a field, and below it a frame of the next site, if there is one.
const page = port => `<title>Frame</title><body style="margin: 0">
  <script>
    const tree = new URL(location).searchParams.get('tree');
    const sites = ${JSON.stringify(sites)};
    const depth = +(new URL(location).searchParams.get('depth') ?? 0);
    const name = tree[depth] + depth;
    document.title = name;
    document.body.insertAdjacentHTML('beforeend', '<button>Press ' + name + '</button><input aria-label="Field ' + name + '">');
    document.querySelector('button').onclick = () => {
      console.log('pressed ' + name + ' of ' + location.hostname);
      document.querySelector('button').textContent = 'Pressed ' + name;
    };
    addEventListener('message', ({ data }) => { if (data === 'ask') alert('from ' + name); });
    window.show = next => {
      document.querySelector('iframe')?.remove();
      const frame = document.createElement('iframe');
      frame.style = 'width: 90%; height: 400px';
      frame.src = 'http://' + sites[next[depth + 1]] + ':${port}/?tree=' + next + '&depth=' + (depth + 1);
      document.body.append(frame);
    };
    if (tree.length > depth + 1) show(tree);
  </script>`;

async function open(t, { args = [], routes = {} } = {}) {
  const directory = await temporaryDirectory(t);
  const config = join(directory, 'isolate.json');
  await writeFile(config, JSON.stringify({ browser: { launchOptions: { args: ['--site-per-process'] } } }));
  let port;
  const origin = await serve(t, {
    '/': (_, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(page(port)),
    '/data': (_, response) => response.writeHead(200, { 'Access-Control-Allow-Origin': '*' }).end('data'),
    '/worker.js': (_, response) =>
      response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(
        `if (self.name === 'inner') { console.log('inner worker of ' + location.hostname); postMessage('inner'); }
         else { const inner = new Worker('/worker.js', { name: 'inner' }); inner.onmessage = ({ data }) => postMessage('outer ' + data); }`),
    ...routes,
  });
  port = new URL(origin).port;
  const browser = await Browser.open(t, { args: [`--config=${config}`, '--caps=devtools,network', ...args] });
  const visit = tree => browser.call('browser_navigate', { url: `http://${sites[tree[0]]}:${port}/?tree=${tree}` });
  // Until the snapshot shows it.
  const shows = async pattern => {
    for (const end = Date.now() + 30_000; ; ) {
      const { snapshot } = await browser.call('browser_snapshot');
      if (pattern.test(snapshot)) return snapshot;
      if (Date.now() > end) assert.match(snapshot, pattern);
    }
  };
  return { browser, visit, shows, port, config };
}

const refOf = (snapshot, name) => new RegExp(`"${name}" \\[ref=(\\w+)\\]`).exec(snapshot)?.[1];

suite('Frames of other sites inside frames of other sites', { concurrency: 2 }, () => {
  for (const tree of ['ABA', 'ABC', 'ABAB', 'ABCD', 'AAB', 'ABB']) {
    test(`${tree}: every frame loads, and can be read, clicked and typed into`, async t => {
      const { browser, visit, shows } = await open(t);
      const { isError, text } = await visit(tree);
      assert.ok(!isError, text);
      const names = [...tree].map((site, depth) => site + depth);
      await shows(new RegExp(`Press ${names.at(-1)}"`));
      for (const name of names) {
        const before = await shows(new RegExp(`Press ${name}"`));
        const clicked = await browser.call('browser_click', { element: name, target: refOf(before, `Press ${name}`) });
        assert.ok(!clicked.isError, clicked.text);
        const typed = await browser.call('browser_type', { element: name, target: refOf(before, `Field ${name}`), text: `text ${name}` });
        assert.ok(!typed.isError, typed.text);
        const value = await browser.call('browser_evaluate', { element: name, target: refOf(before, `Field ${name}`), function: 'field => field.value + " " + location.hostname' });
        assert.match(value.text, new RegExp(`text ${name} ${sites[name[0]]}`));
        await shows(new RegExp(`Pressed ${name}"`));
      }
      const log = await browser.call('browser_console_messages', { level: 'info' });
      for (const name of names) assert.match(log.text, new RegExp(`pressed ${name} of ${sites[name[0]]}`));
    });
  }

  test('take a click as soon as they are there, or it fails', async t => {
    const { browser, visit, shows } = await open(t);
    await visit('A');
    const button = { element: 'B1', target: `page.locator('iframe').contentFrame().getByRole('button')` };
    const add = `() => new Promise(done => { window.show('AB'); document.querySelector('iframe').onload = () => done(true); })`;
    for (let round = 0; round < 5; ++round) {
      const added = await browser.call('browser_evaluate', { function: add });
      assert.ok(!added.isError, added.text);
      const clicked = await browser.call('browser_click', button);
      assert.ok(!clicked.isError, clicked.text);
      await shows(/Pressed B1"/);
    }
    // What lies over the frame gets none of the clicks that are not for it.
    const cover = `() => { document.body.insertAdjacentHTML('beforeend', '<div id="cover" style="position: fixed; inset: 0"></div>');
      window.show('AB'); window.covered = 0; document.querySelector('#cover').onclick = () => ++window.covered; }`;
    await browser.call('browser_evaluate', { function: cover });
    await shows(/Press B1"/);
    const missed = await browser.call('browser_click', button);
    assert.ok(missed.isError, missed.text);
    assert.match(missed.text, /the pointer does not reach the element's frame/);
    assert.match((await browser.call('browser_evaluate', { function: '() => window.covered' })).text, /Result\n0/);
  });

  test('are in the log of requests, and their dialogs are answered', async t => {
    const { browser, visit, shows, port } = await open(t);
    await visit('ABC');
    const snapshot = await shows(/Press C2"/);
    const inner = refOf(snapshot, 'Press C2');
    await browser.call('browser_evaluate', { element: 'C2', target: inner, function: `() => fetch('http://c.localhost:${port}/data?inner').then(answer => answer.text())` });
    assert.match((await browser.call('browser_network_requests', { static: true })).text, /\/data\?inner.*200/);
    const asked = await browser.call('browser_evaluate', { element: 'C2', target: inner, function: '() => { setTimeout(() => alert("from C2")); }' });
    assert.match(asked.text, /from C2/);
    assert.ok(!(await browser.call('browser_handle_dialog', { accept: true })).isError);
    assert.ok(!(await browser.call('browser_snapshot')).isError);
  });

  test('run their workers, and the workers of these', async t => {
    const { browser, visit, shows } = await open(t);
    await visit('ABC');
    const inner = refOf(await shows(/Press C2"/), 'Press C2');
    const answer = await browser.call('browser_evaluate', { element: 'C2', target: inner, function: `() => new Promise(done => { new Worker('/worker.js').onmessage = ({ data }) => done(data); })` });
    assert.match(answer.text, /outer inner/);
    assert.match((await browser.call('browser_console_messages', { level: 'info' })).text, /inner worker of c\.localhost/);
  });

  test('move between processes, and leave nothing behind when they go', async t => {
    const { browser, visit, shows } = await open(t);
    await visit('AB');
    const trees = ['ABC', 'AAC', 'ABA', 'AA', 'ABC', 'A', 'ACB'];
    const show = async tree => {
      // The first time below a frame that is there already, which then changes its site.
      const script = `() => { const frame = document.querySelector('iframe'); const next = ${JSON.stringify(tree)};
        if (next.length < 2) return frame?.remove();
        if (!frame) return window.show(next);
        const url = new URL(frame.src); url.hostname = ${JSON.stringify(sites)}[next[1]]; url.searchParams.set('tree', next); frame.src = url.href; }`;
      const done = await browser.call('browser_evaluate', { function: script });
      assert.ok(!done.isError, done.text);
    };
    for (const tree of trees) {
      await show(tree);
      const names = [...tree].map((site, depth) => site + depth);
      const snapshot = await shows(new RegExp(`Press ${names.at(-1)}"`));
      const found = [...snapshot.matchAll(/Press(?:ed)? (\w\d)"/g)].map(([, name]) => name);
      assert.deepEqual(found, names, snapshot);
      const last = names.at(-1);
      const button = { element: last, target: refOf(snapshot, `Press ${last}`) };
      // The browser leads input to a frame of another process only once that has been drawn: the click waits for it.
      const clicked = await browser.call('browser_click', button);
      assert.ok(!clicked.isError, `${tree}: ${clicked.text}`);
      await shows(new RegExp(`Pressed ${last}"`));
    }
  });
});
