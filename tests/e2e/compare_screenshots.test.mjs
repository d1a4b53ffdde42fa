// The page beside a picture of how it was, with real pictures.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { Browser } from './browser_support.mjs';
import { startBrowser, startSite } from './capabilities_support.mjs';
import { temporaryDirectory } from './support.mjs';

const page = (color, clock = '12:00') => `<!doctype html><body style="margin: 0; height: 1500px">
  <div id="box" style="position: absolute; left: 100px; top: 50px; width: 200px; height: 100px; background: ${color}"></div>
  <div id="clock" style="position: absolute; left: 600px; top: 400px; font: 40px monospace">${clock}</div></body>`;
// The box that a frame scrolls out of sight would lie over the red one if the frame did not hide it.
const inner = clock => `<body style="margin: 0; height: 900px"><p style="font: 40px monospace">${clock}</p>
  <div class="far" style="position: absolute; left: 0; top: 150px; width: 80px; height: 80px"></div>`;
const framed = (clock, color) => `<!doctype html><body style="margin: 0">
  <iframe src="/inner-${clock}" style="position: absolute; left: 300px; top: 200px; width: 300px; height: 120px"></iframe>
  <div style="position: absolute; left: 300px; top: 350px; width: 80px; height: 80px; background: ${color}"></div>`;
const pages = {
  '/': page('green'), '/red': page('red'), '/later': page('green', '13:37'),
  '/framed': framed('12:00', 'green'), '/framed-later': framed('13:37', 'green'), '/framed-red': framed('12:00', 'red'),
  '/inner-12:00': inner('12:00'), '/inner-13:37': inner('13:37'),
  '/headline': '<h3>Sale until Monday</h3>', '/other-headline': '<h3>Sale until Sunday</h3>',
};

async function open(t, args) {
  const site = await startSite(t, pages);
  const browser = await startBrowser(t, 'toolkit,history', args);
  const ask = async (name, given) => {
    const result = await browser.request('tools/call', { name, arguments: given });
    return { ...result, data: result.structuredContent?.data, error: result.structuredContent?.error };
  };
  const go = path => ask('navigate', { url: site.url + path });
  await go('/');
  return { ...browser, ask, go };
}

test('notices a changed headline unless more is allowed', async t => {
  const { ask, go } = await open(t);
  await go('/headline');
  await ask('compare_screenshots', { baseline: 'headline.png', update: true });
  await go('/other-headline');
  assert.equal((await ask('compare_screenshots', { baseline: 'headline.png' })).data.passes, false);
  assert.equal((await ask('compare_screenshots', { baseline: 'headline.png', threshold: 5 })).data.passes, true);
});

test('says how much of the page changed, and marks where', async t => {
  const { ask, go, directory } = await open(t);
  const baseline = 'home.png';
  assert.equal((await ask('compare_screenshots', { baseline })).error.code, 'NOT_FOUND');
  assert.equal((await ask('compare_screenshots', { baseline, update: true })).data.baselineWritten, true);

  const same = await ask('compare_screenshots', { baseline, threshold: 0 });
  assert.equal(same.data.passes, true);
  assert.equal(same.data.percent, 0);

  await go('/red');
  const { data, content } = await ask('compare_screenshots', { baseline });
  assert.equal(data.passes, false);
  assert.equal(data.differingPixels, 200 * 100);
  assert.deepEqual(data.regions, [{ x: 100, y: 50, width: 200, height: 100 }]);
  assert.deepEqual(data.current, { width: 1280, height: 720 });
  const marked = await readFile(join(directory, data.file));
  assert.equal(marked.subarray(1, 4).toString(), 'PNG');
  assert.equal(content.find(({ type }) => type === 'image').mimeType, 'image/png');
  assert.equal((await ask('compare_screenshots', { baseline, masks: ['#box'] })).data.percent, 0);

  const whole = await ask('compare_screenshots', { baseline, fullPage: true });
  assert.equal(whole.data.sameSize, false);
  assert.deepEqual(whole.data.baseline, { width: 1280, height: 720 });
  assert.deepEqual(whole.data.current, { width: 1280, height: 1500 });
});

test('masks hide what moves, also on the whole page and in an element', async t => {
  const { ask, go } = await open(t);
  for (const given of [{ fullPage: true }, { selector: 'body' }]) {
    const baseline = `${Object.keys(given)[0]}.png`;
    await go('/');
    assert.ok((await ask('compare_screenshots', { baseline, update: true, ...given })).data.baselineWritten);
    await go('/later');
    await ask('scroll', { y: 200 });
    assert.ok((await ask('compare_screenshots', { baseline, ...given, threshold: 0 })).data.percent > 0);
    const { data } = await ask('compare_screenshots', { baseline, ...given, threshold: 0, masks: ['#clock'] });
    assert.equal(data.percent, 0, JSON.stringify(data));
    assert.equal(data.passes, true);
  }
});

test('masks hide what is in frames, and nothing beside them', async t => {
  const { ask, go } = await open(t);
  const enter = 'iframe >> internal:control=enter-frame >> ';
  await go('/framed');
  await ask('compare_screenshots', { baseline: 'framed.png', update: true });

  await go('/framed-later');
  const compare = async (...masks) => (await ask('compare_screenshots', { baseline: 'framed.png', threshold: 0, masks })).data;
  assert.ok((await compare()).percent > 0);
  assert.equal((await compare(`${enter}p`)).percent, 0);
  await go('/framed-red');
  assert.equal((await compare(`${enter}.far`)).differingPixels, 80 * 80);
});

test('a recorded screenshot is a baseline, a large one as well', async t => {
  const { ask, go } = await open(t);
  const taken = [];
  for (const fullPage of [false, true]) {
    await ask('screenshot', { fullPage });
    const { structuredContent } = await ask('history_list', { tool: 'screenshot', limit: 1 });
    taken.push({ fullPage, baseline: structuredContent.calls[0].ref_id });
  }
  for (const given of taken) assert.equal((await ask('compare_screenshots', given)).data.percent, 0);
  await go('/red');
  for (const given of taken) assert.ok((await ask('compare_screenshots', given)).data.percent > 0.5);
});

test('what is no picture, is outside or is too large is refused', async t => {
  const { ask, directory } = await open(t);
  await writeFile(join(directory, 'a.png'), 'not a picture');
  assert.equal((await ask('compare_screenshots', { baseline: 'a.png' })).error.code, 'INVALID_ARGUMENT');
  assert.equal((await ask('compare_screenshots', { baseline: '/etc/hostname' })).error.code, 'POLICY_DENIED');
});

test('screenshots are held to security.maxScreenshotSize', async t => {
  const site = await startSite(t, pages);
  const cwd = await temporaryDirectory(t);
  await writeFile(join(cwd, 'troupe.json'), JSON.stringify({ security: { maxScreenshotSize: 2000, auditLog: 'audit.log' } }));
  const browser = await Browser.open(t, { cwd, args: ['--config', 'troupe.json', '--caps', 'toolkit'] });
  await browser.call('browser_navigate', { url: site.url });

  const refused = await browser.call('browser_take_screenshot', { filename: 'a.png' });
  assert.ok(refused.isError);
  assert.match(refused.text, /A screenshot of \d+ bytes is denied by security\.maxScreenshotSize, which allows 2000\./);
  await assert.rejects(readFile(join(cwd, 'a.png')), { code: 'ENOENT' });
  const { structuredContent } = await browser.request('tools/call', { name: 'screenshot', arguments: {} });
  assert.equal(structuredContent.error.code, 'POLICY_DENIED');
  assert.equal((await browser.call('browser_take_screenshot', { target: '#box' })).isError, false);
  assert.match(await readFile(join(cwd, 'audit.log'), 'utf8'), /security\.maxScreenshotSize/);
});
