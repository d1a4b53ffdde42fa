import assert from 'node:assert/strict';
import { test } from 'node:test';

import { evaluate, startBrowser, startSite } from './capabilities_support.mjs';

const fetchText = (browser, url) =>
  evaluate(browser, `fetch('${url}').then(async answer => answer.status + ' ' + await answer.text(), () => 'failed')`);

test('routes answer, in new tabs too, until they are removed', async t => {
  const site = await startSite(t, { '/': 'hello' });
  const browser = await startBrowser(t, 'network');
  await browser.call('navigate', { url: site.url });

  await browser.call('route', { pattern: '**/api/*', status: 201, body: '{"a":1}', contentType: 'application/json' });

  assert.equal(await fetchText(browser, '/api/x'), '201 {"a":1}');
  assert.match((await browser.call('route_list')).text, /1\. \*\*\/api\/\* \(status=201, body=\{"a":1\}, contentType=application\/json\)/);
  await browser.call('tabs', { action: 'new', url: site.url });
  assert.equal(await fetchText(browser, '/api/y'), '201 {"a":1}');
  await browser.call('unroute');
  assert.equal(await fetchText(browser, '/api/y'), '404 nothing here');
});

test('routes change the headers of requests', async t => {
  const site = await startSite(t, { '/': 'hello', '/api': 'yes' });
  const browser = await startBrowser(t, 'network');
  await browser.call('navigate', { url: site.url });

  await browser.call('route', { pattern: '**/api', headers: ['X-Added: 1'], removeHeaders: 'accept' });

  assert.equal(await fetchText(browser, '/api'), '200 yes');
  const { headers } = site.requests.at(-1);
  assert.equal(headers['x-added'], '1');
});

test('routes do not lead around blocked origins', async t => {
  const site = await startSite(t, { '/': 'hello' });
  const browser = await startBrowser(t, 'network', [`--blocked-origins=${site.url}`]);

  await browser.call('route', { pattern: '**', headers: ['X-Added: 1'] });
  const { text, isError } = await browser.call('navigate', { url: site.url });

  assert.ok(isError);
  assert.match(text, /ERR_BLOCKED_BY_CLIENT/);
  assert.equal(site.requests.length, 0);
});

test('the network is cut off and connected again', async t => {
  const site = await startSite(t, { '/': 'hello' });
  const browser = await startBrowser(t, 'network');
  await browser.call('navigate', { url: site.url });

  assert.match((await browser.call('network_state_set', { state: 'offline' })).text, /Network is now offline/);
  assert.equal(await fetchText(browser, '/'), 'failed');
  await browser.call('network_state_set', { state: 'online' });
  assert.equal(await fetchText(browser, '/'), '200 hello');
});

test('bad input is refused and says why', async t => {
  const browser = await startBrowser(t, 'network');

  for (const [tool, given, why] of [
    ['route', { status: 200 }, /at pattern/],
    ['route', { pattern: '{a' }, /Invalid glob pattern "\{a": unmatched '\{'/],
    ['route', { pattern: '**', headers: ['none'] }, /Invalid header "none"/],
    ['route', { pattern: '**', status: 20 }, /Invalid status 20/],
    ['network_state_set', { state: 'slow' }, /at state/],
  ]) {
    const { text, isError } = await browser.call(tool, given);
    assert.ok(isError, tool);
    assert.match(text, why);
  }
  assert.match((await browser.call('route_list')).text, /No active routes/);
});
