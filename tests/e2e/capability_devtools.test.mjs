import assert from 'node:assert/strict';
import { test } from 'node:test';

import { evaluate, refOf, startBrowser, startSite } from './capabilities_support.mjs';

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
