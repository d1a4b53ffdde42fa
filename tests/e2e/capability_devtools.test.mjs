import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';

import { launch } from '../page/support.mjs';
import { serve } from './browser_support.mjs';
import { evaluate, refOf, startBrowser, startSite } from './capabilities_support.mjs';
import { packages, run, start, temporaryDirectory } from './support.mjs';

test('an element is highlighted until that is hidden', async t => {
  const site = await startSite(t, { '/': '<button>Go</button>' });
  const browser = await startBrowser(t, 'devtools');
  await browser.call('navigate', { url: site.url });
  const target = await refOf(browser, 'Go');
  const overlays = () => evaluate(browser, 'document.querySelectorAll("troupe-overlay").length');

  assert.match((await browser.call('highlight', { element: 'Go button', target })).text, /Highlighted Go button/);
  assert.equal(await overlays(), 1);
  assert.match((await browser.call('hide_highlight')).text, /Hid page highlight/);
  assert.equal(await overlays(), 0);
  const missing = await browser.call('highlight', { target: '#none' });
  assert.ok(missing.isError);
  assert.match(missing.text, /"#none" does not match any elements/);
});

test('a trace opens in Playwright\'s own viewer', async t => {
  const site = await startSite(t, { '/': '<title>T</title><button>Go</button>' });
  const browser = await startBrowser(t, 'devtools');

  assert.match((await browser.call('start_tracing')).text, /Trace recording started/);
  await browser.call('navigate', { url: site.url });
  await browser.call('click', { target: await refOf(browser, 'Go') });
  const { text } = await browser.call('stop_tracing');

  const [, file] = /\[Trace\]\((.*)\)/.exec(text);
  const viewer = (...args) => run(t, process.execPath,
    [join(packages, 'playwright-core/cli.js'), 'trace', ...args], { cwd: browser.directory });
  const opened = await viewer('open', file);
  assert.match(opened.stdout, /Actions: +4/);
  assert.match(opened.stdout, /Pages: +1/);
  assert.match((await viewer('actions')).stdout, /browser_navigate[^]*browser_click/);
  assert.match((await viewer('requests')).stdout, /GET +200/);
  assert.ok((await browser.call('stop_tracing')).isError);
});

test('a trace has what the page\'s scripts sent and got, without what was typed into password fields', async t => {
  const url = await serve(t, {
    '/': `<title>T</title><input type=password aria-label=Password><button>Send</button><script>
      document.querySelector('button').onclick = async () => {
        const password = document.querySelector('input').value;
        const body = JSON.stringify({ amount: 42, password });
        const answer = await fetch('/api', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
        document.title = (await answer.json()).state;
      };</script>`,
    '/api': (request, response) => {
      let sent = '';
      request.on('data', piece => (sent += piece)).on('end', () => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify({ state: 'accepted', echo: JSON.parse(sent).password }));
      });
    },
  });
  const browser = await startBrowser(t, 'devtools');
  await browser.call('start_tracing');
  await browser.call('navigate', { url });
  await browser.call('type', { element: 'Password', target: await refOf(browser, 'Password'), text: 'correct horse' });
  await browser.call('click', { target: await refOf(browser, 'Send') });
  const [, file] = /\[Trace\]\((.*)\)/.exec((await browser.call('stop_tracing')).text);
  const network = await readFile(resolve(browser.directory, file.replace(/\.trace$/, '.network')), 'utf8');
  const entry = network.trim().split('\n').map(line => JSON.parse(line).snapshot).find(each => each.request.url.endsWith('/api'));
  assert.deepEqual(JSON.parse(entry.request.postData.text), { amount: 42, password: '<secret>password</secret>' });
  assert.equal(entry.request.postData.mimeType, 'application/json');
  const body = await readFile(resolve(dirname(resolve(browser.directory, file)), entry.response.content._file), 'utf8');
  assert.deepEqual(JSON.parse(body), { state: 'accepted', echo: '<secret>password</secret>' });
  assert.equal(entry.response.bodySize, Buffer.byteLength(body));
});

test('a trace shows what is in frames', async t => {
  const site = await startSite(t, { '/': '<h1>Outside</h1><iframe src="/frame"></iframe>', '/frame': '<h1>Inside</h1>' });
  const browser = await startBrowser(t, 'devtools');
  await browser.call('start_tracing');
  await browser.call('navigate', { url: site.url });
  const [, file] = /\[Trace\]\((.*)\)/.exec((await browser.call('stop_tracing')).text);
  const viewing = (...args) => [process.execPath, [join(packages, 'playwright-core/cli.js'), 'trace', ...args],
    { cwd: browser.directory }];
  await run(t, ...viewing('open', file));

  const server = start(t, ...viewing('snapshot', '1', '--phase', 'after', '--serve'));
  const url = /http:\S+/.exec(await server.stdout.first('the address', line => line.includes('http:')))[0];
  const viewer = await launch();
  t.after(() => viewer.close());
  const page = await viewer.newPage();
  await page.goto(url);
  await page.locator('iframe').contentFrame().getByRole('heading', { name: 'Inside' }).waitFor();
});

test('chapters and the names of actions are shown', async t => {
  const site = await startSite(t, { '/': '<button onclick="this.textContent = 1">Go</button>' });
  const browser = await startBrowser(t, 'devtools');
  await browser.call('navigate', { url: site.url });

  assert.match((await browser.call('video_chapter', { title: 'One', duration: 20 })).text, /Chapter 'One' added\./);
  assert.match((await browser.call('video_show_actions', { duration: 20, position: 'bottom' })).text, /annotations enabled/);
  await browser.call('click', { target: 'button' });
  assert.equal(await evaluate(browser, 'document.querySelector("button").textContent'), '1');
  assert.match((await browser.call('video_hide_actions')).text, /annotations disabled/);
  assert.ok((await browser.call('video_show_actions', { position: 'middle' })).isError);
});

const withoutFfmpeg = spawnSync('ffmpeg', ['-version']).error ? 'ffmpeg is not installed' : false;

test('a video plays for as long as was recorded', { skip: withoutFfmpeg }, async t => {
  const site = await startSite(t, { '/': '<body>Go' });
  const browser = await startBrowser(t, 'devtools');
  await browser.call('navigate', { url: site.url });

  assert.match((await browser.call('start_video', { filename: 'one.webm', size: { width: 320, height: 240 } })).text,
    /Video recording started\./);
  assert.match((await browser.call('start_video')).text, /already been started/);
  await evaluate(browser, `new Promise(done => { let n = 0; const next = () => { document.body.textContent = ++n;
    n < 60 ? requestAnimationFrame(next) : done(n); }; next(); })`);
  const { text } = await browser.call('stop_video');

  assert.match(text, /- \[Video\]\(\.\/one\.webm\)/);
  const probe = await run(t, 'ffprobe', ['-v', 'error', '-show_entries', 'format=duration:stream=codec_name,width,height',
    join(browser.directory, 'one.webm')]);
  assert.match(probe.stdout, /codec_name=vp8\nwidth=320\nheight=240/);
  assert.ok(Number(/duration=(\S+)/.exec(probe.stdout)[1]) > 0.8, probe.stdout);
  assert.match((await browser.call('stop_video')).text, /No videos were recorded\./);
});

test('a video is complete when the browser is closed', { skip: withoutFfmpeg }, async t => {
  const site = await startSite(t, { '/': '<body>Go' });
  const browser = await startBrowser(t, 'devtools');
  await browser.call('navigate', { url: site.url });
  await browser.call('start_video', { filename: 'one.webm' });
  await evaluate(browser, `new Promise(done => { let n = 0; const next = () => { document.body.textContent = ++n;
    n < 30 ? requestAnimationFrame(next) : done(n); }; next(); })`);

  await browser.call('close');

  const probe = await run(t, 'ffprobe', ['-v', 'error', '-show_entries', 'format=duration', join(browser.directory, 'one.webm')]);
  assert.match(probe.stdout, /duration=\d/);
});

test('recordVideo writes a video of every page', { skip: withoutFfmpeg }, async t => {
  const site = await startSite(t, { '/': '<body>Go' });
  const config = join(await temporaryDirectory(t), 'config.json');
  await writeFile(config, JSON.stringify({
    browser: { contextOptions: { recordVideo: { dir: 'videos', size: { width: 320, height: 240 } } } },
  }));
  const browser = await startBrowser(t, '', ['--config', config]);
  const play = () => evaluate(browser, `new Promise(done => { let n = 0; const next = () => { document.body.textContent = ++n;
    n < 20 ? requestAnimationFrame(next) : done(n); }; next(); })`);
  await browser.call('navigate', { url: site.url });
  await play();
  await browser.call('tabs', { action: 'new', url: site.url });
  await play();

  await browser.call('close');

  const videos = await readdir(join(browser.directory, 'videos'));
  assert.equal(videos.length, 2, String(videos));
  for (const video of videos) {
    assert.match(video, /^page@[0-9a-f]+\.webm$/);
    const probe = await run(t, 'ffprobe', ['-v', 'error', '-show_entries', 'format=duration:stream=width,height',
      join(browser.directory, 'videos', video)]);
    assert.match(probe.stdout, /width=320\nheight=240[^]*duration=\d/);
  }
});

test('a video without ffmpeg says what to install', async t => {
  const browser = await startBrowser(t, 'devtools', [], { PATH: '/nonexistent' });

  const { text, isError } = await browser.call('start_video');

  assert.ok(isError);
  assert.match(text, /FFmpeg is not installed[^]*apt-get install ffmpeg/);
  const config = join(await temporaryDirectory(t), 'config.json');
  await writeFile(config, '{ "saveVideo": { "width": 320, "height": 240 } }');
  const recording = await startBrowser(t, '', ['--config', config], { PATH: '/nonexistent' });
  assert.match((await recording.call('navigate', { url: 'about:blank' })).text, /FFmpeg is not installed/);
});
