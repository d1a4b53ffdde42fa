// Files that pages download, also in tabs that open for nothing else, and as Playwright code sees them.
import assert from 'node:assert/strict';
import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { agent, packages, start, startServer, temporaryDirectory, troupe, within } from './support.mjs';

const attachment = (content, delay = 0) => (request, response) =>
  setTimeout(() => {
    const name = new URL(request.url, 'http://localhost').searchParams.get('name') ?? 'file.txt';
    response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Disposition': `attachment; filename=${name}` });
    response.end(content);
  }, delay);

const routes = {
  '/': `<title>Files</title>
    <a id=same href="/file?name=same.txt">Same</a>
    <a id=link href="/file?name=link.txt" target=_blank>Link</a>
    <button id=open onclick="window.open('/file?name=open.txt')">Open</button>
    <button id=noopener onclick="window.open('/file?name=noopener.txt', '', 'noopener')">Without opener</button>
    <button id=later onclick="const tab = window.open(); tab.location = '/file?name=later.txt'">Later</button>
    <button id=slow onclick="window.open('/slow?name=slow.txt')">Slow</button>
    <button id=popup onclick="window.open('/popup')">Popup</button>
    <iframe src="/inner"></iframe>`,
  '/inner': `<button id=framed onclick="window.open('/file?name=framed.txt')">Framed</button>`,
  '/popup': '<title>Popup</title>Hello',
  '/file': attachment('content'),
  '/slow': attachment('content', 800),
};

// A browser of the user's, with a directory for downloads of its own.
async function startChromium(t) {
  const home = await temporaryDirectory(t);
  const child = start(t, '/usr/bin/chromium', ['--headless=new', '--no-sandbox', '--no-first-run',
    `--user-data-dir=${join(home, 'profile')}`, '--remote-debugging-port=0', 'about:blank'], { env: { HOME: home } });
  const [, port] = await child.waitForLine(/DevTools listening on ws:\/\/[^:]+:(\d+)/);
  return { home, endpoint: `http://127.0.0.1:${port}` };
}

// How a session gets its browser.
const modes = {
  'a context': { isolated: ['--isolated'] },
  'a browser': { isolated: ['--isolation=browser'] },
  'a shared context': { isolated: ['--isolation=shared'] },
  'a profile': { isolated: [] },
  'a browser of the user': { attached: true, isolated: [] },
  'a context in a browser of the user': { attached: true, isolated: ['--isolated'] },
};

async function open(t, mode) {
  const { attached, isolated } = modes[mode];
  const chromium = attached && (await startChromium(t));
  const args = [...(attached ? [`--cdp-endpoint=${chromium.endpoint}`] : []), `--playwright-module=${join(packages, 'playwright-core')}`];
  const browser = await Browser.open(t, { isolated, args });
  return { browser, chromium };
}

// What the answers say from here on, until one says that the file is there; gives its content.
async function downloaded(browser, name, { text }) {
  const pattern = new RegExp(`Downloaded file ${name} to "(.+)"`);
  const ask = async () => {
    for (let said = text; ; ({ text: said } = await browser.call('browser_snapshot'))) {
      const file = pattern.exec(said)?.[1];
      if (file) return readFile(join(browser.directory, file), 'utf8');
    }
  };
  return within(ask(), `downloading ${name}`);
}

suite('Files that pages download', { concurrency: 2 }, () => {
  for (const mode of Object.keys(modes)) {
    test(`in ${mode}: belong to the page that opened a tab for them, and the tab goes`, async t => {
      const origin = await serve(t, routes);
      const { browser, chromium } = await open(t, mode);
      await browser.call('browser_navigate', { url: origin });
      const listed = async () => (await browser.call('browser_tabs', { action: 'list' })).sections.Result;
      const before = await listed();
      for (const way of ['same', 'link', 'open', 'noopener', 'slow', 'framed', 'later']) {
        const target = way === 'framed' ? `iframe >> internal:control=enter-frame >> #${way}` : `#${way}`;
        const clicked = await browser.call('browser_click', { element: way, target });
        assert.ok(!clicked.isError, clicked.text);
        // A tab that opened with about:blank may have been written to: it stays, and may be shown first.
        if (way !== 'later') assert.match(clicked.text, new RegExp(`Download(ing|ed) file ${way}\\.txt`), `${way}: ${clicked.text}`);
        assert.equal(await downloaded(browser, `${way}.txt`, clicked), 'content', way);
        if (way !== 'later') assert.equal(await listed(), before, way);
      }
      // The user has the file where it was expected, too.
      if (mode === 'a browser of the user') await access(join(chromium.home, 'Downloads/open.txt'));
      const popup = await browser.call('browser_click', { element: 'Popup', target: '#popup' });
      assert.match(popup.text, /\/popup\)/);
    });

    test(`in ${mode}: are seen by Playwright code`, async t => {
      const origin = await serve(t, routes);
      const { browser } = await open(t, mode);
      await browser.call('browser_navigate', { url: origin });
      for (const way of ['same', 'link', 'open']) {
        const code = `async page => {
          const [download] = await Promise.all([page.waitForEvent('download', { timeout: 20000 }), page.locator('#${way}').click()]);
          const stream = await download.createReadStream();
          let content = '';
          for await (const piece of stream) content += piece;
          return [download.suggestedFilename(), await download.failure(), content, download.url()].join(' ');
        }`;
        const { text, isError } = await browser.call('browser_run_code_unsafe', { code });
        assert.ok(!isError, text);
        assert.match(text, new RegExp(`${way}\\.txt  content ${origin}/file`), text);
        assert.equal(await downloaded(browser, `${way}.txt`, { text }), 'content', way);
      }
    });
  }

  for (const key of ['browser.downloadPath', 'browser.launchOptions.downloadsPath']) {
    test(`are in ${key}, too`, async t => {
      const origin = await serve(t, routes);
      const directory = await temporaryDirectory(t);
      await writeFile(join(directory, 'troupe.conf'), `${key} = ${join(directory, 'mine')}\n`);
      const browser = await Browser.open(t, { args: [`--config=${join(directory, 'troupe.conf')}`] });
      await browser.call('browser_navigate', { url: origin });
      const clicked = await browser.call('browser_click', { element: 'same', target: '#same' });
      assert.equal(await downloaded(browser, 'same.txt', clicked), 'content');
      assert.deepEqual(await readdir(join(directory, 'mine')), ['same.txt']);
    });
  }

  test('belong to one session only, when several share a context', async t => {
    const origin = await serve(t, routes);
    const server = await startServer(t, troupe, ['--headless', '--isolation=shared', '--session-param'], { env: { XDG_CACHE_HOME: await temporaryDirectory(t) } });
    const [ann, bob] = [agent(server, 'ann'), agent(server, 'bob')];
    await Promise.all([ann, bob].map(call => call('browser_navigate', { url: origin })));
    const clicks = await Promise.all([
      ann('browser_click', { element: 'Open', target: '#open' }),
      bob('browser_click', { element: 'Link', target: '#link' }),
    ]);
    assert.match(clicks[0].text, /file open\.txt/);
    assert.match(clicks[1].text, /file link\.txt/);
    assert.doesNotMatch(clicks[0].text, /file link\.txt/);
    assert.doesNotMatch(clicks[1].text, /file open\.txt/);
  });
});
