// browser_run_code_unsafe and --init-page: real Playwright code in a Node process of the session's own.
import assert from 'node:assert/strict';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { client as identity, packages, start, startServer, temporaryDirectory, troupe, within } from './support.mjs';

const playwright = join(packages, 'playwright-core');

async function serve(t, html) {
  const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(html)).listen(0, 'localhost');
  await new Promise(resolve => server.once('listening', resolve));
  t.after(() => server.closeAllConnections() ?? server.close());
  return `http://localhost:${server.address().port}/`;
}

// A session on stdio; `call` gives the answer's text.
async function startSession(t, args = [], { env = {}, module = playwright } = {}) {
  const home = await temporaryDirectory(t);
  const options = ['--headless', '--isolated', ...(module ? [`--playwright-module=${module}`] : []), ...args];
  const child = start(t, troupe, options, { cwd: home, env: { XDG_CACHE_HOME: join(home, 'cache'), ...env } });
  let last = 0;
  const request = async (method, params) => {
    const id = ++last;
    child.send({ jsonrpc: '2.0', id, method, params });
    const line = await child.stdout.first(method, text => JSON.parse(text).id === id);
    return JSON.parse(line).result;
  };
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity });
  const call = async (name, args = {}) => (await request('tools/call', { name, arguments: args })).content[0].text;
  const run = code => call('browser_run_code_unsafe', { code });
  return { child, home, request, call, run };
}

// The Node processes that a server has started.
async function helpersOf(pid) {
  const found = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const [status, command] = await Promise.all([
      readFile(`/proc/${name}/stat`, 'utf8').catch(() => ''),
      readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => ''),
    ]);
    const [state, parent] = status.slice(status.lastIndexOf(')') + 2).split(' ');
    if (Number(parent) === pid && state !== 'Z' && command.startsWith('node\0')) found.push(Number(name));
  }
  return found;
}

const isAlive = async pid => {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return status !== '' && !status.slice(status.lastIndexOf(')')).startsWith(') Z');
};

async function ends(pid) {
  const gone = async () => {
    while (await isAlive(pid)) await new Promise(resolve => setTimeout(resolve, 20));
  };
  await within(gone(), `the end of process ${pid}`);
}

suite('Playwright code', () => {
  test('drives the tab of its session and gives its value', async t => {
    const session = await startSession(t);
    await session.call('browser_navigate', { url: await serve(t, '<title>Shop</title><button onclick="document.title = \'Sold\'">Buy</button>') });

    const answer = await session.run("async page => { await page.getByRole('button', { name: 'Buy' }).click(); return { title: await page.title() }; }");

    assert.match(answer, /^### Result\n\{"title":"Sold"\}\n### Ran Playwright code\n/);
    assert.match(answer, /- Page Title: Sold/);
  });

  test('says what it threw', async t => {
    const session = await startSession(t);

    assert.equal(await session.run("page => { require('fs'); }"), '### Error\nReferenceError: require is not defined');
    assert.match(await session.run("async page => { await page.click('#none', { timeout: 50 }); }"), /^### Error\nTimeoutError: page\.click: Timeout 50ms exceeded/);
    assert.equal(await session.run('42'), '### Error\nTypeError: The code is not a function');
    assert.match(await session.run('page => {'), /^### Error\nSyntaxError: /);
    assert.match(await session.run("async page => { Promise.reject(new Error('left behind')); await page.waitForTimeout(60_000); }"), /left behind/);
  });

  test('sets up popups before they run', async t => {
    const session = await startSession(t);
    await session.call('browser_navigate', { url: await serve(t, '<script>early = window.early ?? "late"</script>') });

    const answer = await session.run(`async page => {
      await page.context().addInitScript(() => { window.early = 'early'; });
      const [popup] = await Promise.all([page.waitForEvent('popup'), page.evaluate(() => { open('/'); })]);
      await popup.waitForLoadState();
      return popup.evaluate(() => early);
    }`);

    assert.match(answer, /^### Result\n"early"\n/);
    assert.match(answer, /### Open tabs\n- 0: \(current\)[^]*\n- 1: /);
  });

  test('keeps what it set up for later calls', async t => {
    const session = await startSession(t);
    const url = await serve(t, 'real');
    await session.run("page => page.route('**/*', route => route.fulfill({ body: 'made up' }))");

    await session.call('browser_navigate', { url });

    assert.match(await session.call('browser_snapshot'), /made up/);
  });

  test('leaves dialogs to the agent', async t => {
    const session = await startSession(t);

    const answer = await session.run("async page => { await page.evaluate(() => { answer = confirm('Sure?'); }); }");
    assert.match(answer, /### Modal state\n- \["confirm" dialog with message "Sure\?"\]/);
    await session.call('browser_handle_dialog', { accept: true });

    assert.match(await session.run('page => page.evaluate(() => answer)'), /^### Result\ntrue\n/);
  });

  test('follows the current tab', async t => {
    const session = await startSession(t);
    await session.call('browser_snapshot');
    await session.call('browser_tabs', { action: 'new', url: 'data:text/html,<title>Second</title>' });
    assert.match(await session.run('page => page.title()'), /^### Result\n"Second"\n/);

    await session.call('browser_tabs', { action: 'select', index: 0 });

    assert.match(await session.run('page => page.url()'), /^### Result\n"about:blank"\n/);
    assert.match(await session.run('page => page.context().pages().length'), /^### Result\n2\n/);
  });
});

suite('Two sessions in one browser', () => {
  test('see only their own tabs, cookies and sessions', async t => {
    const home = await temporaryDirectory(t);
    const server = await startServer(t, troupe, ['--headless', '--isolated', `--playwright-module=${playwright}`], { cwd: home, env: { XDG_CACHE_HOME: home } });
    const connect = async () => {
      let session;
      const post = async message => {
        const response = await fetch(server.url('/mcp'), {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...(session && { 'Mcp-Session-Id': session }) },
          body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        });
        session ??= response.headers.get('mcp-session-id');
        const text = await response.text();
        const data = text.startsWith('{') ? text : text.split('\n').filter(line => line.startsWith('data: {')).at(-1)?.slice(6);
        return data && JSON.parse(data).result;
      };
      await post({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity } });
      await post({ method: 'notifications/initialized' });
      return async code =>
        (await post({ id: 1, method: 'tools/call', params: { name: 'browser_run_code_unsafe', arguments: { code } } })).content[0].text;
    };
    const [one, two] = await Promise.all([connect(), connect()]);
    const name = title => `async page => { await page.goto('data:text/html,<title>${title}</title>'); await page.context().addCookies([{ name: '${title}', value: '1', url: 'http://localhost/' }]); await page.context().newPage(); }`;
    await Promise.all([one(name('one')), two(name('two'))]);
    const look = `async page => {
      const root = await page.context().browser().newBrowserCDPSession();
      const { targetInfos } = await root.send('Target.getTargets');
      return {
        pages: page.context().pages().map(each => each.url()),
        targets: targetInfos.map(info => info.url),
        cookies: (await page.context().cookies()).map(cookie => cookie.name),
        contexts: page.context().browser().contexts().length,
        ids: targetInfos.map(info => info.targetId),
      };
    }`;
    const seen = async run => JSON.parse((await run(look)).split('\n')[1]);

    const [first, second] = await Promise.all([seen(one), seen(two)]);

    for (const [title, { pages, targets, cookies, contexts }] of [['one', first], ['two', second]]) {
      const own = [`data:text/html,<title>${title}</title>`, 'about:blank'].sort();
      assert.deepEqual(pages.sort(), own);
      assert.deepEqual(targets.sort(), own);
      assert.deepEqual(cookies, [title]);
      assert.equal(contexts, 1);
    }
    // Even by its name, what belongs to the other is out of reach.
    for (const method of ['attachToTarget', 'closeTarget', 'getTargetInfo', 'activateTarget']) {
      const answer = await one(`async page => {
        const root = await page.context().browser().newBrowserCDPSession();
        await root.send('Target.${method}', { targetId: '${second.ids[0]}', flatten: true });
      }`);
      assert.match(answer, new RegExp(`Target\\.${method} is refused: no such target in this session`));
    }
    await one('page => page.context().browser().close()');
    assert.equal((await seen(two)).pages.length, 2);
  });
});

suite('Code that goes wrong', () => {
  test('is ended at its deadline, even in an endless loop, and the next call works', async t => {
    const session = await startSession(t, ['--call-timeout=8000']);
    await session.run('page => 1');
    const [helper] = await helpersOf(session.child.process.pid);

    assert.match(await session.run('page => { for (;;); }'), /^### Error\n/);

    await ends(helper);
    assert.match(await session.run('page => 2'), /^### Result\n2\n/);
  });

  test('does not take the session with it when its process dies', async t => {
    const session = await startSession(t);
    const dying = session.run("page => page.constructor.constructor('return process')().abort()");

    assert.match(await dying, /^### Error\nError: The process that ran the code has ended/);

    assert.match(await session.run('page => 3'), /^### Result\n3\n/);
  });

  test('may crash its tab without holding up the answer', async t => {
    const session = await startSession(t);
    await session.call('browser_navigate', { url: 'data:text/html,<title>Before</title>' });

    await session.run("page => Promise.all([page.waitForEvent('crash'), page.goto('chrome://crash').catch(() => {})]).then(() => {})");

    assert.match(await session.call('browser_tabs', { action: 'list' }), /^### Result\n- 0: \(current\) \[\]\(about:blank\)/);
  });

  test('leaves no process behind, however the server ends', async t => {
    const session = await startSession(t);
    await session.run('page => 1');
    const [helper] = await helpersOf(session.child.process.pid);
    assert.ok(helper);

    session.child.process.kill('SIGKILL');

    await ends(helper);
  });

  test('goes with its browser', async t => {
    const session = await startSession(t);
    await session.run('page => 1');
    const [helper] = await helpersOf(session.child.process.pid);

    await session.call('browser_close');

    await ends(helper);
    assert.match(await session.run('page => 4'), /^### Result\n4\n/);
  });
});

suite('Without Playwright', () => {
  test('only the tool that needs it says what to install', async t => {
    const nothing = await temporaryDirectory(t);
    const session = await startSession(t, [], { module: '', env: { PATH: nothing } });

    assert.match(await session.call('browser_navigate', { url: 'data:text/html,<title>Here</title>' }), /Page Title: Here/);
    const answer = await session.run('page => 1');

    assert.match(answer, /^### Error\nError: Playwright code needs Node\.js/);
    assert.match(answer, /Cannot start `node`[^]*npm install -g playwright-core/);
  });

  test('an old version is named', async t => {
    const old = await temporaryDirectory(t);
    await writeFile(join(old, 'package.json'), '{"name": "playwright-core", "version": "1.50.1"}');
    const session = await startSession(t, [], { module: old });

    assert.match(await session.run('page => 1'), /1\.61 or newer[^]*has version 1\.50\.1/);
  });
});

suite('--init-page', () => {
  const hello = "module.exports = { default: async ({ page }) => { await page.setContent('<h1>Hello</h1>'); } };";

  test('is given every new page first', async t => {
    const folder = await temporaryDirectory(t);
    await writeFile(join(folder, 'init.js'), hello);
    const session = await startSession(t, [`--init-page=${join(folder, 'init.js')}`]);

    assert.match(await session.call('browser_snapshot'), /heading "Hello"/);
    await session.call('browser_tabs', { action: 'new' });
    assert.match(await session.call('browser_snapshot'), /heading "Hello"/);
  });

  test('fails every call on the page that it failed on', async t => {
    const folder = await temporaryDirectory(t);
    const file = join(folder, 'init.js');
    await writeFile(file, "module.exports = { default: async () => { throw new Error('boom'); } };");
    const session = await startSession(t, [`--init-page=${file}`]);

    for (const tool of ['browser_snapshot', 'browser_snapshot'])
      assert.equal(await session.call(tool), `### Error\nError: Failed to load init page "${file}": boom`);
  });

  test('may put its own in the place of page.screenshot', async t => {
    const folder = await temporaryDirectory(t);
    const file = join(folder, 'init.js');
    await writeFile(file, "module.exports = { default: async ({ page }) => { page.screenshot = async ({ type }) => Buffer.from(`my ${type}`); } };");
    const session = await startSession(t, [`--init-page=${file}`]);

    await session.call('browser_take_screenshot', { filename: 'shot.png' });

    assert.equal(await readFile(join(session.home, 'shot.png'), 'utf8'), 'my png');
  });
});
