// A profile on disk is one browser's, whoever asks for it: sessions of one server, servers of one folder, other browsers.
import assert from 'node:assert/strict';
import { mkdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { processes } from './processes.mjs';
import { client as identity, lastMessage, start, startServer, temporaryDirectory, text, troupe } from './support.mjs';

const inUse = /^- The browser profile \S+ is in use by (.*): this session has a browser context of its own, in memory\. .*$/m;
const site = t =>
  serve(t, {
    '/': '<title>Page</title>',
    '/keep': (request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': 'kept=yes; Max-Age=3600' });
      response.end('<title>Kept</title>');
    },
  });
const cookies = async browser => (await browser.call('browser_evaluate', { function: '() => document.cookie' })).text;
// Browsers that were started on a profile below the directory.
const browsersOn = directory =>
  processes(`--user-data-dir=${directory}`).filter(
    ({ command }) => command.includes('--remote-debugging-pipe') && !command.includes('--type=') && command.includes('/mcp-'),
  );

// The README's ["--headless"] in another window of the same folder.
const openWindow = (t, cwd, args = []) => Browser.open(t, { args, cwd, isolated: [] });
async function close(browser) {
  browser.child.process.stdin.end();
  await browser.child.end();
}

suite('A profile on disk', () => {
  test('is one server\'s: the second works in memory, says so, and the next after it has it again', async t => {
    const [origin, directory] = [await site(t), await temporaryDirectory(t)];
    const first = await openWindow(t, directory);
    assert.doesNotMatch((await first.call('browser_navigate', { url: `${origin}/keep` })).text, inUse);
    const second = await openWindow(t, directory);
    const answer = await second.call('browser_navigate', { url: origin });
    assert.equal(answer.isError, false, answer.text);
    const [line, holder] = inUse.exec(answer.text);
    assert.equal(holder, `another server, process ${first.child.process.pid}`);
    assert.match(line, /--isolated/);
    assert.equal(browsersOn(directory).length, 1);
    assert.doesNotMatch(await cookies(second), /kept=yes/);
    // Once is enough.
    assert.doesNotMatch((await second.call('browser_snapshot')).text, inUse);

    await close(first);
    // What is in memory stays there.
    await second.call('browser_close');
    await second.call('browser_navigate', { url: origin });
    assert.doesNotMatch(await cookies(second), /kept=yes/);
    const third = await openWindow(t, directory);
    assert.doesNotMatch((await third.call('browser_navigate', { url: origin })).text, inUse);
    assert.match(await cookies(third), /kept=yes/);
  });

  test('is never two browsers\', also when many servers begin together', async t => {
    const [origin, directory] = [await site(t), await temporaryDirectory(t)];
    const windows = await Promise.all(Array.from({ length: 4 }, () => openWindow(t, directory)));
    const answers = await Promise.all(windows.map(each => each.call('browser_navigate', { url: origin })));
    answers.forEach(each => assert.equal(each.isError, false, each.text));
    assert.equal(answers.filter(each => inUse.test(each.text)).length, 3);
    assert.equal(browsersOn(directory).length, 1);
  });

  test('is waited for when its server was killed a moment ago', async t => {
    const [origin, directory] = [await site(t), await temporaryDirectory(t)];
    for (let round = 0; round < 3; ++round) {
      const killed = await openWindow(t, directory);
      const answer = await killed.call('browser_navigate', { url: origin });
      assert.doesNotMatch(answer.text, inUse, `round ${round}`);
      assert.equal(browsersOn(directory).length, 1, `round ${round}`);
      killed.child.process.kill('SIGKILL');
    }
  });

  test('with full Chromium, too, and refused when a browser of somebody else\'s has it', async t => {
    const [origin, directory] = [await site(t), await temporaryDirectory(t)];
    const profile = join(directory, 'profile');
    const chromium = ['--executable-path=/usr/bin/chromium', `--user-data-dir=${profile}`];
    const first = await openWindow(t, directory, chromium);
    assert.doesNotMatch((await first.call('browser_navigate', { url: origin })).text, inUse);
    const second = await openWindow(t, directory, chromium);
    assert.match((await second.call('browser_navigate', { url: origin })).text, inUse);
    await close(first);

    const foreign = start(t, '/usr/bin/chromium', ['--headless=new', '--no-sandbox', '--no-first-run',
      `--user-data-dir=${profile}`, '--remote-debugging-port=0', 'about:blank']);
    await foreign.waitForLine(/DevTools listening/);
    assert.ok(await readlink(join(profile, 'SingletonLock')));
    const third = await openWindow(t, directory, chromium);
    const refused = await third.call('browser_navigate', { url: origin });
    assert.equal(refused.isError, true);
    assert.match(refused.text, /Browser is already in use for .*, use --isolated/);
    await foreign.stop();
    assert.equal((await third.call('browser_navigate', { url: origin })).isError, false);
  });

  test('is the first client\'s; each further one has a context and is told what to do', async t => {
    const [origin, directory] = [await site(t), await temporaryDirectory(t)];
    await mkdir(join(directory, 'cache'));
    const server = await startServer(t, troupe, ['--headless'], {
      env: { XDG_CACHE_HOME: join(directory, 'cache') },
      cwd: directory,
    });
    const connect = async () => {
      let session;
      const send = async (method, params) => {
        const response = await fetch(server.url('/mcp'), {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...(session && { 'Mcp-Session-Id': session }) },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        });
        session ??= response.headers.get('mcp-session-id');
        return (await lastMessage(response)).result;
      };
      await send('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity });
      return {
        call: async (name, args = {}) => text(await send('tools/call', { name, arguments: args })),
        leave: () => fetch(server.url('/mcp'), { method: 'DELETE', headers: { 'Mcp-Session-Id': session } }),
      };
    };
    const [ann, bob] = [await connect(), await connect()];
    assert.doesNotMatch(await ann.call('browser_navigate', { url: `${origin}/keep` }), inUse);
    const [line, holder] = inUse.exec(await bob.call('browser_navigate', { url: origin }));
    assert.equal(holder, 'another session of this server');
    assert.match(line, /--isolated/);
    assert.match(line, /--isolation shared/);
    const read = { function: '() => document.cookie' };
    assert.doesNotMatch(await bob.call('browser_evaluate', read), /kept=yes/);

    await ann.leave();
    const cid = await connect();
    assert.doesNotMatch(await cid.call('browser_navigate', { url: origin }), inUse);
    assert.match(await cid.call('browser_evaluate', read), /kept=yes/);
  });
});
