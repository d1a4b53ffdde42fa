// Options that @playwright/mcp documents have the effect that is documented, and wrong ones are told of at the start.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { run, start, startServer, temporaryDirectory, troupe } from './support.mjs';

// A proxy that answers by itself: with its name and whom it let in. Asks for credentials when it has `users`.
async function startProxy(t, name, users) {
  const asked = [];
  const server = createServer((request, response) => {
    const given = Buffer.from((request.headers['proxy-authorization'] ?? '').replace('Basic ', ''), 'base64').toString();
    asked.push(`${given} ${request.url}`);
    if (users && !users.includes(given)) {
      response.writeHead(407, { 'Proxy-Authenticate': 'Basic realm="proxy"' });
      return response.end('407');
    }
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end(`<title>by ${name} for ${given || 'anybody'}</title>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server: `http://127.0.0.1:${server.address().port}`, asked };
}

// A session of a server with this configuration file.
async function open(t, config, { args = [], env, isolated, capabilities } = {}) {
  const cwd = await temporaryDirectory(t);
  await writeFile(join(cwd, 'troupe.json'), JSON.stringify(config));
  return Browser.open(t, { cwd, args: ['--config', 'troupe.json', ...args], env, isolated, capabilities });
}
const open_with = (t, contextOptions, options) => open(t, { browser: { contextOptions } }, options);
const title = async (browser, url) => /Page Title: (.*)/.exec((await browser.call('browser_navigate', { url })).text)?.[1];

const modes = { 'a context': ['--isolated'], 'a profile': [], 'a browser': ['--isolation=browser'] };

suite('proxies', { concurrency: 2 }, () => {
  for (const [mode, isolated] of Object.entries(modes)) {
    test(`of the browser and of its contexts are used by ${mode}, with their credentials`, async t => {
      const [browsers, contexts] = [await startProxy(t, 'browsers', ['ann:1']), await startProxy(t, 'contexts', ['bob:2'])];
      const launch = { server: browsers.server, username: 'ann', password: '1' };
      const first = await open(t, { browser: { launchOptions: { proxy: launch } } }, { isolated });
      assert.equal(await title(first, 'http://shop.test/'), 'by browsers for ann:1');

      const proxy = { server: contexts.server, username: 'bob', password: '2' };
      const second = await open(t, { browser: { launchOptions: { proxy: launch }, contextOptions: { proxy } } }, { isolated });
      assert.equal(await title(second, 'http://shop.test/'), 'by contexts for bob:2');
      // This machine's own names go there, too.
      assert.equal(await title(second, 'http://localhost:45678/'), 'by contexts for bob:2');
      assert.deepEqual(browsers.asked.filter(each => each.startsWith('bob')), []);
    });
  }

  test('are not told what sites are, nor the other way round', async t => {
    const proxy = await startProxy(t, 'proxy', ['ann:1']);
    const browser = await open_with(t, { proxy: { server: proxy.server }, httpCredentials: { username: 'site', password: 'secret' } });
    await browser.call('browser_navigate', { url: 'http://shop.test/' });
    assert.deepEqual(proxy.asked.filter(each => each.startsWith('site')), []);
    // Wrong ones are tried once.
    const wrong = await open_with(t, { proxy: { server: proxy.server, username: 'ann', password: 'wrong' } });
    await wrong.call('browser_navigate', { url: 'http://shop.test/' });
    assert.equal(proxy.asked.filter(each => each === 'ann:wrong http://shop.test/').length, 1);
  });
});

suite('options of contexts', { concurrency: 2 }, () => {
  test('acceptDownloads refuses files', async t => {
    const origin = await serve(t, {
      '/': '<a href="/file">File</a>',
      '/file': (request, response) => {
        response.writeHead(200, { 'Content-Disposition': 'attachment; filename=file.txt' });
        response.end('content');
      },
    });
    for (const [acceptDownloads, event] of [[false, /Refused file file\.txt: .*acceptDownloads is false/], [true, /Downloaded file file\.txt/]]) {
      const browser = await open_with(t, { acceptDownloads });
      await browser.call('browser_navigate', { url: origin });
      let said = (await browser.call('browser_click', { target: 'a' })).text;
      for (let i = 0; i < 20 && !event.test(said); ++i) said += (await browser.call('browser_snapshot')).text;
      assert.match(said, event);
    }
  });

  test('baseURL is where relative addresses start', async t => {
    const page = (request, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<title>${request.url}</title>`);
    const origin = await serve(t, { '/shop/cart': page, '/shop/': page, '/help/me': page });
    const browser = await open_with(t, { baseURL: `${origin}/shop/` }, { args: ['--caps=toolkit'] });
    assert.equal(await title(browser, 'cart'), '/shop/cart');
    assert.equal(await title(browser, '?page=2'), '/shop/?page=2');
    assert.equal(await title(browser, '/help/me'), '/help/me');
    assert.equal(await title(browser, './'), '/shop/');
    assert.match((await browser.call('browser_tabs', { action: 'new', url: 'cart' })).text, /shop\/cart/);
    assert.match((await browser.call('navigate', { url: 'cart' })).text, /shop\/cart/);
    // Hosts are still hosts.
    assert.equal(await title(browser, origin.slice('http://'.length) + '/help/me'), '/help/me');
  });

  test('recordHar writes the network of every page, with bodies', async t => {
    const origin = await serve(t, {
      '/': `<title>Shop</title><script>fetch('/api/items?q=a%20b', { method: 'POST', body: 'ask' })</script><img src="/dot.png">`,
      '/api/items': (request, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('[1]'),
      '/gone': (request, response) => response.writeHead(302, { Location: '/' }).end(),
      '/dot.png': (request, response) => response.writeHead(200, { 'Content-Type': 'image/png' }).end(Buffer.from([137, 80, 78, 71])),
    });
    const browser = await open_with(t, { recordHar: { path: 'made/network.har' } });
    await browser.call('browser_navigate', { url: `${origin}/gone` });
    await browser.call('browser_tabs', { action: 'new', url: origin });
    await browser.call('browser_close');
    const { log } = JSON.parse(await readFile(join(browser.directory, 'made/network.har'), 'utf8'));
    assert.equal(log.version, '1.2');
    const found = path => log.entries.filter(each => each.request.url === `${origin}${path}`);
    assert.equal(found('/').length, 2);
    assert.match(found('/')[0].response.content.text, /<title>Shop/);
    assert.equal(found('/gone')[0].response.redirectURL, '/');
    const [items] = found('/api/items?q=a%20b');
    assert.deepEqual(items.request.queryString, [{ name: 'q', value: 'a b' }]);
    assert.equal(items.request.postData.text, 'ask');
    assert.deepEqual([items.response.status, items.response.content.text], [200, '[1]']);
    assert.equal(found('/dot.png')[0].response.content.encoding, 'base64');
  });

  test('recordHar takes only addresses that are asked for, and puts bodies beside the file', async t => {
    const origin = await serve(t, { '/': '<script src="/code.js"></script>', '/code.js': (_, response) => response.writeHead(200, { 'Content-Type': 'text/javascript' }).end('let a') });
    const browser = await open_with(t, { recordHar: { path: 'network.har', content: 'attach', urlFilter: '**/*.js' } });
    await browser.call('browser_navigate', { url: origin });
    await browser.call('browser_close');
    const { log } = JSON.parse(await readFile(join(browser.directory, 'network.har'), 'utf8'));
    assert.deepEqual(log.entries.map(each => each.request.url), [`${origin}/code.js`]);
    assert.equal(await readFile(join(browser.directory, log.entries[0].response.content._file), 'utf8'), 'let a');
  });

  test('downloadsPath keeps what is downloaded', async t => {
    const origin = await serve(t, { '/': '<a href="/file" download>File</a>', '/file': 'content' });
    const browser = await open(t, { browser: { downloadPath: 'kept' } });
    await browser.call('browser_navigate', { url: origin });
    await browser.call('browser_click', { target: 'a' });
    await readdir(join(browser.directory, 'kept'));
  });
});

suite('answers', { concurrency: 2 }, () => {
  test('do not show parameters that are to be redacted', async t => {
    const origin = await serve(t, { '/': '<title>Back</title><a href="/next?page=2&code=alpha#access_token=beta&x=1">Next</a><script>console.log(location.href)</script>' });
    const browser = await Browser.open(t, { args: ['--redact-url-params=access_token,code'] });
    const { text, snapshot } = await browser.call('browser_navigate', { url: `${origin}/?code=gamma&state=open` });
    const said = text + snapshot + (await browser.call('browser_console_messages')).text;
    assert.doesNotMatch(said, /alpha|beta|gamma/);
    assert.match(said, /\?code=<redacted>&state=open/);
    assert.match(said, /page=2&code=<redacted>#access_token=<redacted>&x=1/);
  });

  test('name the flag when a call names a tab and tab ids are off', async t => {
    const browser = await Browser.open(t);
    for (const name of ['tabId', 'targetId', 'tab_id', 'target_id', 'tab']) {
      const answer = await browser.call('browser_snapshot', { [name]: 'A1' });
      assert.equal(answer.isError, true);
      assert.match(answer.text, new RegExp(`--tab-ids[^]*${name}`));
    }
  });

  test('name the flag when a call names a session and session ids are off', async t => {
    const browser = await Browser.open(t, { args: ['--caps=toolkit'] });
    for (const name of ['sessionId', 'session_id', 'session', 'sessionID', 'sesionId', 'sessionName', 'session-id']) {
      for (const [tool, given] of [['browser_snapshot', {}], ['get_text', { selector: 'body' }]]) {
        const answer = await browser.call(tool, { ...given, [name]: 'x' });
        assert.equal(answer.isError, true);
        assert.match(answer.text, /--session-param/, `${tool} ${name}`);
      }
    }
  });

  test('name sessionId when a call names a session by another word', async t => {
    const browser = await Browser.open(t, { args: ['--session-param', '--caps=toolkit'] });
    for (const name of ['session', 'sessionID', 'sesionId', 'sessionName', 'session-id']) {
      for (const [tool, given] of [['browser_snapshot', {}], ['get_text', { selector: 'body' }]]) {
        const answer = await browser.call(tool, { ...given, [name]: 'x' });
        assert.match(answer.text, /named by .{0,2}sessionId/, `${tool} ${name}`);
      }
    }
  });

  test('ignore misspelt arguments as upstream does, and say so', async t => {
    const browser = await Browser.open(t, { args: ['--caps=toolkit,network'] });
    const origin = await serve(t, { '/': '<title>Here</title><button>Buy</button>' });
    await browser.call('browser_navigate', { url: origin });
    for (const [tool, given, meant] of [
      ['browser_wait_for', { time: 0.01, textGon: 'x' }, 'textGone'], ['browser_press_key', { key: 'a', keys: 'b' }, 'key'],
      ['browser_take_screenshot', { full_page: true }, 'fullPage'], ['browser_click', { target: 'text=Buy', doubleclick: true }, 'doubleClick'],
    ]) {
      const answer = await browser.call(tool, given);
      assert.ok(!answer.isError, answer.text);
      assert.match(answer.text, new RegExp(`was ignored\\. Did you mean "${meant}"`), tool);
    }
    const mocked = await browser.call('mock_response', { url: '**/api', reponse: { status: 404 } });
    assert.match(mocked.text, /Did you mean .{0,2}response/);
  });

  test('are about the working directory when roots are ignored', async t => {
    const browser = await Browser.open(t, { args: ['--ignore-roots'], capabilities: { roots: {} } });
    const origin = await serve(t, { '/': '<title>Here</title>' });
    // The client has declared roots, and would never answer.
    assert.match((await browser.call('browser_navigate', { url: origin })).text, /Page Title: Here/);
    assert.deepEqual(browser.child.stdout.items.filter(line => JSON.parse(line).method === 'roots/list'), []);
  });
});

// Seed 004, 7.2.
const example = {
  name: 'playwright-mcp-server',
  version: '1.0.0',
  transport: 'stdio',
  browser: { type: 'chromium', headless: true, args: ['--no-sandbox', '--disable-dev-shm-usage'] },
  pool: { minBrowsers: 2, maxBrowsers: 10, idleTimeout: 300000 },
  session: { defaultTimeout: 30000, maxSessions: 50, persistentSessions: false },
  security: { allowedDomains: ['*.example.com'], maxScreenshotSize: 10485760, enableFileUpload: true, enableScriptEvaluation: false },
  logging: { level: 'info', format: 'json', destination: 'stdout' },
};

// How a start ends that must not succeed, or the first lines of one that does.
async function begin(t, { config = {}, args = [], env = {}, dotenv } = {}) {
  const cwd = await temporaryDirectory(t);
  await writeFile(join(cwd, 'troupe.json'), JSON.stringify(config));
  if (dotenv) await writeFile(join(cwd, '.env'), dotenv);
  return run(t, troupe, ['--headless', '--config', 'troupe.json', ...args], { cwd, env: { XDG_CACHE_HOME: cwd, ...env } });
}

suite('the start', { concurrency: 2 }, () => {
  test('takes the example configuration, and it takes effect', async t => {
    const cwd = await temporaryDirectory(t);
    await writeFile(join(cwd, 'troupe.json'), JSON.stringify(example));
    const child = start(t, troupe, ['--config', 'troupe.json'], { cwd, env: { XDG_CACHE_HOME: cwd } });
    child.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } } });
    child.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    child.send({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} });
    const lines = await Promise.all([1, 2].map(id => child.stdout.first(`answer ${id}`, line => JSON.parse(line).id === id)));
    const [hello, list] = lines.map(line => JSON.parse(line).result);
    assert.deepEqual([hello.serverInfo.name, hello.serverInfo.version], ['playwright-mcp-server', '1.0.0']);
    assert.equal(list.tools.some(tool => tool.name === 'browser_evaluate'), false);
  });

  test('stops at names of tools that there are not', async t => {
    const wrong = [
      { blockedTools: ['browser_evalute'] },
      { confirm: ['browser_evalute'] },
      { rules: [{ tools: ['browser_evalute'] }] },
      { rules: [{ deny: ['browser_evalute'] }] },
    ];
    for (const security of wrong) {
      const { code, stderr } = await begin(t, { config: { security } });
      assert.equal(code, 1, JSON.stringify(security));
      assert.match(stderr, /there is no such tool[^]*Did you mean browser_evaluate\?/);
    }
    // Whether they are offered or not.
    assert.equal((await begin(t, { config: { security: { blockedTools: ['browser_pdf_save', 'prompts/*', 'webmcp_*'] } } })).code, 0);
  });

  test('says which device, browser or state is wrong', async t => {
    const device = await begin(t, { args: ['--device', 'iPhone 155'] });
    assert.equal(device.code, 1);
    assert.match(device.stderr, /iPhone 15/);
    assert.match((await begin(t, { args: ['--executable-path', '/no/browser'] })).stderr, /--executable-path: .*\/no\/browser/);
    assert.match((await begin(t, { args: ['--isolated', '--storage-state', '/no/state.json'] })).stderr, /\/no\/state\.json/);
  });

  test('says that a file of a storage state has none', async t => {
    const file = join(await temporaryDirectory(t), 'state.json');
    for (const [state, problem] of [['{}', 'it has neither cookies nor origins'], ['{"cookies": 5}', 'cookies: expected array'], ['[]', 'expected object']]) {
      await writeFile(file, state);
      const { code, stderr } = await begin(t, { args: ['--isolated', '--storage-state', file] });
      assert.equal(code, 1, state);
      assert.ok(stderr.includes(file) && stderr.includes(problem), stderr);
    }
  });

  test('offers every capability for --caps all', async t => {
    const browser = await Browser.open(t, { args: ['--caps', 'all'] });
    const names = (await browser.request('tools/list', {})).tools.map(tool => tool.name);
    for (const name of ['browser_pdf_save', 'browser_cookie_list', 'browser_verify_value', 'browser_mouse_click_xy', 'navigate', 'history_list'])
      assert.ok(names.includes(name), name);
  });

  test('reads .env, but never over real variables', async t => {
    const cwd = await temporaryDirectory(t);
    await writeFile(join(cwd, '.env'), 'PLAYWRIGHT_BROWSER=chromium\nTROUPE_PORT=0\nTROUPE_LOG_FORMAT=json\nTROUPE_INSECURE=true\n');
    const child = start(t, troupe, ['--headless'], { cwd, env: { XDG_CACHE_HOME: cwd, TROUPE_LOG_FORMAT: 'text' } });
    await child.waitForLine(/TROUPE_INSECURE in \.env is ignored/);
    await child.waitForLine(/Listening on http:\/\/localhost:(\d+)/);
  });
});
