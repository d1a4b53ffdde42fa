import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { evaluate, startBrowser, startSite } from './capabilities_support.mjs';

const board = `<body style="margin: 0; height: 4000px"><script>
  const seen = [];
  for (const type of ['mousemove', 'mousedown', 'mouseup', 'dblclick'])
    addEventListener(type, event => seen.push(type + event.button + '@' + event.clientX + ',' + event.clientY));
</script>`;

test('the mouse moves, clicks, drags and scrolls by coordinates', async t => {
  const site = await startSite(t, { '/': board });
  const browser = await startBrowser(t, 'vision');
  await browser.call('navigate', { url: site.url });

  await browser.call('mouse_move_xy', { x: 5, y: 6 });
  assert.equal((await evaluate(browser, 'seen.splice(0)')).at(-1), 'mousemove0@5,6');
  assert.match((await browser.call('mouse_click_xy', { x: 10, y: 20, clickCount: 2 })).text, /### Snapshot/);
  assert.ok((await evaluate(browser, 'seen.splice(0)')).includes('dblclick0@10,20'));
  await browser.call('mouse_drag_xy', { startX: 10, startY: 20, endX: 60, endY: 70 });
  const dragged = await evaluate(browser, 'seen.splice(0)');
  assert.equal(dragged.at(0), 'mousemove0@10,20');
  assert.ok(dragged.includes('mousedown0@10,20'));
  assert.equal(dragged.at(-1), 'mouseup0@60,70');
  await browser.call('mouse_down', { button: 'right' });
  await browser.call('mouse_up', { button: 'right' });
  assert.deepEqual(await evaluate(browser, 'seen.splice(0)'), ['mousedown2@60,70', 'mouseup2@60,70']);
  await browser.call('mouse_wheel', { deltaY: 300 });
  assert.equal(await evaluate(browser,
    'new Promise(done => { const look = () => scrollY ? done(scrollY) : setTimeout(look, 10); look(); })'), 300);
  assert.match((await browser.call('mouse_click_xy', { x: 1 })).text, /at y/);
});

test('a page is saved as a PDF', async t => {
  const site = await startSite(t, { '/': '<h1>Printed</h1>' });
  const browser = await startBrowser(t, 'pdf');
  await browser.call('navigate', { url: site.url });

  const { text } = await browser.call('pdf_save', { filename: 'page.pdf' });

  assert.match(text, /- \[Page as pdf\]\(\.\/page\.pdf\)/);
  const document = await readFile(join(browser.directory, 'page.pdf'));
  assert.equal(document.subarray(0, 5).toString(), '%PDF-');
  assert.ok(document.length > 1000);
  assert.match((await browser.call('pdf_save', { filename: '/etc/page.pdf' })).text, /File access denied/);
});
