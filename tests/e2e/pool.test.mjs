// Many sessions at once: nobody sees what is another's, nobody waits for another, and the limits hold.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { Browser, serve } from './browser_support.mjs';
import { client as identity, startServer, temporaryDirectory, text, troupe } from './support.mjs';

const large = Buffer.alloc(1 << 20, 'x');

// Knows its visitors by cookie, and has what holds up whoever visits it.
const site = {
  '/': '<title>Log in</title><form action=/enter><input id=name name=name aria-label=Name><button id=go>Log in</button></form>',
  '/enter': (request, response) => {
    const name = new URL(request.url, 'http://x').searchParams.get('name');
    response.writeHead(302, { 'Set-Cookie': `who=${name}`, Location: '/home' });
    response.end();
  },
  '/home': (request, response) => {
    const who = /who=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? 'nobody';
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end(`<title>${who}</title><h1>hello ${who}</h1><form><input id=first aria-label=First><input id=last aria-label=Last></form>`);
  },
  '/slow': (request, response) => {
    setTimeout(() => response.end('late'), 3000).unref();
  },
  '/download': (request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'attachment; filename=large.bin', 'Content-Length': 20 * large.length });
    let sent = 0;
    const more = setInterval(() => (++sent > 20 || response.destroyed ? (clearInterval(more), response.end()) : response.write(large)), 50);
  },
};

async function startHttp(t, args = []) {
  const directory = await temporaryDirectory(t);
  return startServer(t, troupe, ['--headless', '--isolated', ...args], { env: { XDG_CACHE_HOME: directory }, cwd: directory });
}

// A client with a session of its own: call() gives the answer's text, and whether it is an error.
async function connect(t, server) {
  const client = new Client(identity);
  await client.connect(new StreamableHTTPClientTransport(server.url('/mcp')));
  t.after(() => client.close());
  return async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: args }, undefined, { timeout: 120_000 });
    return { text: text(result), isError: result.isError ?? false };
  };
}

const median = values => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const slowOf = values => [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.9)];

suite('The pool', { concurrency: 1 }, () => {
  test('16 sessions at once log in, look and fill a form, each for itself', async t => {
    const origin = await serve(t, site);
    const server = await startHttp(t);
    const names = Array.from({ length: 16 }, (_, i) => `agent-${i}`);
    const calls = await Promise.all(names.map(() => connect(t, server)));
    const seen = await Promise.all(
      names.map(async (name, i) => {
        const ask = async (...args) => {
          const answer = await calls[i](...args);
          assert.equal(answer.isError, false, answer.text);
          return answer.text;
        };
        await ask('browser_navigate', { url: origin });
        await ask('browser_type', { element: 'Name', target: '#name', text: name });
        await ask('browser_click', { element: 'Log in', target: '#go' });
        await ask('browser_navigate', { url: `${origin}/home` });
        const snapshot = await ask('browser_snapshot');
        assert.match(snapshot, new RegExp(`hello ${name}\\b`));
        const field = id => ({ name: id, element: id, target: `#${id}`, type: 'textbox', value: `${name} ${id}` });
        await ask('browser_fill_form', { fields: [field('first'), field('last')] });
        return /### Result\n"(.*)"/.exec(await ask('browser_evaluate', { function: `() => [document.title, document.cookie, first.value, last.value].join('|')` }))[1];
      }),
    );
    assert.deepEqual(seen, names.map(name => [name, `who=${name}`, `${name} first`, `${name} last`].join('|')));
  });

  test('a session that finds no place waits for one, and is told the numbers when its time is up', async t => {
    const origin = await serve(t, site);
    const directory = await temporaryDirectory(t);
    const config = join(directory, 'config.json');
    await writeFile(config, JSON.stringify({ session: { maxSessions: 2 }, pool: { queueTimeout: 700 } }));
    const browser = await Browser.open(t, { cwd: directory, args: ['--session-param', `--config=${config}`] });
    for (const sessionId of ['ann', 'bob']) {
      await browser.call('browser_navigate', { url: origin, sessionId });
      // A session with an open dialog cannot sleep to make room.
      await browser.call('browser_evaluate', { function: "() => { setTimeout(() => alert('wait')); }", sessionId });
    }
    const refused = await browser.call('browser_navigate', { url: origin, sessionId: 'eve' });
    assert.equal(refused.isError, true);
    assert.match(refused.text, /2 of 2 browser contexts are in use/);

    const [opened] = await Promise.all([
      browser.call('browser_navigate', { url: origin, sessionId: 'eve' }),
      browser.call('close_session', { sessionId: 'ann' }),
    ]);
    assert.equal(opened.isError, false, opened.text);
  });

  test('a session whose page is stuck costs its neighbour nothing', async t => {
    const origin = await serve(t, site);
    const server = await startHttp(t);
    const calm = await connect(t, server);
    await calm('browser_navigate', { url: `${origin}/home` });
    const timed = async () => {
      const begun = performance.now();
      await calm('browser_snapshot');
      return performance.now() - begun;
    };
    for (let i = 0; i < 20; ++i) await timed();
    const ways = {
      'a slow page': (call, over) => Promise.race([call('browser_navigate', { url: `${origin}/slow` }), over]),
      'an endless script': (call, over) => Promise.race([call('browser_evaluate', { function: '() => { const end = Date.now() + 2000; while (Date.now() < end); }' }), over]),
      'an open dialog': async (call, over) => {
        await call('browser_evaluate', { function: `() => { setTimeout(() => alert('hello'), 0); }` });
        await over;
      },
      'a download': async (call, over) => {
        await call('browser_evaluate', { function: `() => { setTimeout(() => { location.href = '${origin}/download'; }, 0); }` });
        await over;
      },
    };
    for (const [name, stick] of Object.entries(ways)) {
      const ratios = [];
      // Rounds with and without, so that whatever else the machine does meets both.
      for (let round = 0; round < 3; ++round) {
        const stuck = await connect(t, server);
        await stuck('browser_navigate', { url: `${origin}/home` });
        const [alone, beside] = [[], []];
        for (let i = 0; i < 25; ++i) alone.push(await timed());
        let done;
        const over = new Promise(resolve => (done = resolve));
        const being = stick(stuck, over);
        for (let i = 0; i < 25; ++i) beside.push(await timed());
        done();
        await being;
        ratios.push(slowOf(beside) / slowOf(alone));
      }
      // A neighbour that had to wait would take seconds, a hundred times what it takes alone.
      assert.ok(median(ratios) < 4, `beside ${name}: ${ratios.map(ratio => ratio.toFixed(2))}`);
    }
  });

  test('a script that does not end is stopped and reported, and its page goes on', async t => {
    const origin = await serve(t, site);
    const directory = await temporaryDirectory(t);
    const config = join(directory, 'config.json');
    await writeFile(config, JSON.stringify({ session: { maxScriptTime: 500 } }));
    const browser = await Browser.open(t, { cwd: directory, args: ['--session-param', `--config=${config}`] });
    for (const sessionId of ['wild', 'calm']) await browser.call('browser_navigate', { url: `${origin}/home`, sessionId });
    const running = browser.call('browser_evaluate', { function: '() => { while (true); }', sessionId: 'wild' });
    for (let i = 0; i < 5; ++i) assert.equal((await browser.call('browser_snapshot', { sessionId: 'calm' })).isError, false);
    const stopped = await running;
    assert.equal(stopped.isError, true);
    assert.match(stopped.text, /did not end[^]*stopped/);
    assert.match((await browser.call('browser_snapshot', { sessionId: 'wild' })).snapshot, /hello nobody/);
  });

  test('a session’s budget limits its tabs, the time of its calls and the memory of its scripts', async t => {
    const browser = await Browser.open(t, { args: ['--session-param'] });
    await browser.call('create_session', { sessionId: 'small', budget: { tabs: 2, callTime: 3000 } });
    await browser.call('create_session', { sessionId: 'light', budget: { heap: 100 } });
    const ask = (name, args) => browser.call(name, { sessionId: 'small', ...args });
    await ask('browser_tabs', { action: 'new' });
    await ask('browser_tabs', { action: 'new' });
    assert.match((await ask('browser_tabs', { action: 'new' })).text, /2 tabs open, as many as it may/);

    const late = await ask('browser_evaluate', { function: '() => new Promise(() => {})' });
    assert.equal(late.isError, true);
    assert.match(late.text, /took too long/);

    const large = await ask('browser_evaluate', { sessionId: 'light', function: '() => { window.kept = Array.from({ length: 3e7 }, (_, i) => i + 0.5); return new Promise(() => {}); }' });
    assert.equal(large.isError, true);
    assert.match(large.text, /Scripts of the page used \d+ MiB; this session may use 100 MiB/);
    assert.equal((await ask('browser_evaluate', { sessionId: 'light', function: '() => 1' })).isError, false);

    const wrong = await browser.call('create_session', { budget: { wheels: 4 } });
    assert.match(wrong.text, /no budget\.wheels/);
  });

  test('a session on a warm pool begins with one blank tab, whatever it asks first', async t => {
    const server = await startHttp(t);
    const first = await connect(t, server);
    await first('browser_snapshot');
    // The pool makes contexts ready as soon as nobody opens one; these may or may not be.
    for (let i = 0; i < 3; ++i) {
      const next = await connect(t, server);
      const { text: tabs } = await next('browser_tabs', { action: i === 0 ? 'list' : 'new' });
      assert.equal([...tabs.matchAll(/^- \d+:/gm)].length, 1, tabs);
    }
  });
});
