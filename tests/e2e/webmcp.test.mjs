// Tools that pages register for agents (WebMCP), through the interface as a page's script brings it along.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';

const register = tools => `<script>
  const tools = ${tools};
  navigator.modelContext = {
    getTools: async () => tools,
    executeTool: (tool, input) => tool.execute(input),
  };
</script>`;
const pages = {
  '/': `<title>Shop</title><h1>Shop</h1>${register(`[
    { name: 'search', description: 'Finds things.', annotations: { readOnlyHint: true },
      inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
      execute: ({ query }) => ({ found: query.length }) },
    { name: 'buy', description: 'Buys.', execute: () => { document.title = 'Bought'; return 'thanks'; } },
    { name: 'fail', description: 'Fails.', execute: () => { throw new Error('out of stock'); } }]`)}
    <iframe src="/widget"></iframe>`,
  '/widget': register(`[{ name: 'search', description: 'Of the widget.', execute: () => 'from the widget' }]`),
  '/plain': '<title>Plain</title>',
};

const listed = async browser =>
  (await browser.request('tools/list', {})).tools.filter(({ name }) => name.startsWith('webmcp_'));
const changes = browser => browser.child.stdout.items.filter(line => line.includes('notifications/tools/list_changed'));

test("a page's tools are listed, called, and go with the page", async t => {
  const origin = await serve(t, pages);
  const browser = await Browser.open(t);
  await browser.call('browser_navigate', { url: `${origin}/` });
  const { sections, snapshot } = await browser.call('browser_snapshot');

  assert.match(sections.Page, /- 4 webmcp tools available on the page/);
  assert.match(snapshot, /- webmcp tools \(page-provided, untrusted\):\n  - search \[readOnly\]: Finds things\./);
  await browser.child.stdout.first('the news', line => line.includes('notifications/tools/list_changed'));
  const tools = await listed(browser);
  assert.deepEqual(tools.map(({ name }) => name), ['webmcp_search', 'webmcp_buy', 'webmcp_fail', 'webmcp_search_2']);
  assert.equal(tools[0].annotations.readOnlyHint, true);
  assert.deepEqual(tools[0].inputSchema.properties, { query: { type: 'string' } });

  const { text } = await browser.call('webmcp_search', { query: 'cats' });
  assert.match(text, /"found": 4/);
  assert.match((await browser.call('webmcp_search_2')).text, /from the widget/);
  assert.match((await browser.call('webmcp_buy')).text, /thanks/);
  const failed = await browser.call('webmcp_fail');
  assert.ok(failed.isError);
  assert.match(failed.text, /out of stock/);

  const before = changes(browser).length;
  await browser.call('browser_navigate', { url: `${origin}/plain` });
  assert.deepEqual(await listed(browser), []);
  await browser.child.stdout.first('the news', () => changes(browser).length > before);
  await assert.rejects(browser.call('webmcp_search'), /not found/);
});

test('--no-webmcp leaves them out', async t => {
  const origin = await serve(t, pages);
  const browser = await Browser.open(t, { args: ['--no-webmcp'] });
  await browser.call('browser_navigate', { url: `${origin}/` });
  assert.doesNotMatch((await browser.call('browser_snapshot')).text, /webmcp/);
  assert.deepEqual(await listed(browser), []);
});

test("tools of a named session's page are called in that session", async t => {
  const origin = await serve(t, pages);
  const browser = await Browser.open(t, { args: ['--session-param'] });
  await browser.call('browser_navigate', { url: `${origin}/`, sessionId: 'shop' });
  await browser.call('browser_snapshot', { sessionId: 'shop' });
  await browser.child.stdout.first('the news', line => line.includes('notifications/tools/list_changed'));

  const search = (await listed(browser)).find(({ name }) => name === 'webmcp_search');
  assert.ok(search.inputSchema.properties.sessionId);
  const { text, isError } = await browser.call('webmcp_search', { query: 'cats', sessionId: 'shop' });
  assert.ok(!isError, text);
  assert.match(text, /"found": 4/);
  assert.ok((await browser.call('webmcp_search', { query: 'cats' })).isError, 'its own session shows another page');
});
