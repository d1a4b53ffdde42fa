import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { evaluate, startBrowser, startSite } from './capabilities_support.mjs';

test('cookies are set, seen by the page, listed and deleted', async t => {
  const site = await startSite(t, { '/': 'hello' });
  const browser = await startBrowser(t, 'storage');
  await browser.call('navigate', { url: site.url });

  await browser.call('cookie_set', { name: 'a', value: '1' });
  await browser.call('cookie_set', { name: 'hidden', value: '2', httpOnly: true });

  assert.equal(await evaluate(browser, 'document.cookie'), 'a=1');
  assert.match((await browser.call('cookie_list', { domain: '127' })).text, /hidden=2 \(domain: 127\.0\.0\.1, path: \/\)/);
  assert.match((await browser.call('cookie_get', { name: 'hidden' })).text, /httpOnly: true, secure: false, sameSite: Lax/);
  await browser.call('cookie_delete', { name: 'a' });
  assert.equal(await evaluate(browser, 'document.cookie'), '');
  await browser.call('cookie_clear');
  assert.match((await browser.call('cookie_list')).text, /No cookies found/);
});

test('a page\'s storage is read and written', async t => {
  const site = await startSite(t, { '/': 'hello' });
  const browser = await startBrowser(t, 'storage');
  await browser.call('navigate', { url: site.url });

  for (const area of ['localStorage', 'sessionStorage']) {
    const tool = `${area.toLowerCase()}`;
    await browser.call(`${tool}_set`, { key: 'a', value: '1' });
    assert.equal(await evaluate(browser, `${area}.getItem('a')`), '1');
    assert.match((await browser.call(`${tool}_get`, { key: 'a' })).text, /a=1/);
    await browser.call(`${tool}_delete`, { key: 'a' });
    assert.match((await browser.call(`${tool}_list`)).text, new RegExp(`No ${area} items found`));
  }
});

test('a saved state logs another browser in', async t => {
  const site = await startSite(t, { '/': 'hello' });
  const first = await startBrowser(t, 'storage');
  await first.call('navigate', { url: site.url });
  await evaluate(first, '(document.cookie = "login=me", localStorage.setItem("token", "t"), 1)');
  await first.call('storage_state', { filename: 'state.json' });
  const state = await readFile(join(first.directory, 'state.json'), 'utf8');

  const second = await startBrowser(t, 'storage');
  await writeFile(join(second.directory, 'state.json'), state);
  const { text } = await second.call('set_storage_state', { filename: 'state.json' });

  assert.match(text, /Storage state restored from state\.json/);
  await second.call('navigate', { url: site.url });
  assert.equal(await evaluate(second, 'document.cookie + localStorage.getItem("token")'), 'login=met');
  assert.match(site.requests.at(-1).headers.cookie, /login=me/);
});

test('a file that is no state logs nobody out', async t => {
  const site = await startSite(t, { '/': 'hello' });
  const browser = await startBrowser(t, 'storage');
  await browser.call('navigate', { url: site.url });
  await evaluate(browser, '(document.cookie = "login=me", localStorage.setItem("token", "t"), 1)');
  for (const state of [{}, { bogus: 1 }, [], { cookies: 5 }, { cookies: [{ name: 'a', value: '1' }] }, { origins: [{ origin: 'nowhere' }] }]) {
    await writeFile(join(browser.directory, 'state.json'), JSON.stringify(state));
    const { text, isError } = await browser.call('set_storage_state', { filename: 'state.json' });
    assert.ok(isError, JSON.stringify(state));
    assert.match(text, /Error setting storage state:\n/);
    assert.equal(await evaluate(browser, 'document.cookie + localStorage.getItem("token")'), 'login=met', JSON.stringify(state));
  }
});

test('bad input is refused and says why', async t => {
  const browser = await startBrowser(t, 'storage');

  for (const [tool, given, why] of [
    ['cookie_set', { name: 'a' }, /at value/],
    ['cookie_set', { name: 'a', value: '1' }, /Cookie should have a url or a domain\/path pair/],
    ['localstorage_list', {}, /SecurityError/],
    ['set_storage_state', { filename: 'none.json' }, /ENOENT/],
    ['set_storage_state', { filename: '/etc/passwd' }, /File access denied/],
  ]) {
    const { text, isError } = await browser.call(tool, given);
    assert.ok(isError, tool);
    assert.match(text, why);
  }
});

test('without the capability its tools are not there', async t => {
  const browser = await startBrowser(t, '');

  const { tools } = await browser.request('tools/list');
  assert.ok(!tools.some(({ name }) => /cookie|storage/.test(name)));
  for (const name of ['cookie_list', 'cookies']) {
    const hint = '### Hint\nIt belongs to the capability "storage": start the server with --caps=storage.';
    assert.deepEqual(await browser.call(name),
      { text: `### Error\nTool "browser_${name}" not found\n${hint}`, isError: true });
  }
});
