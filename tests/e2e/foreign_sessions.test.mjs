// What is another session's is out of reach for every tool there is.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';

const capabilities = 'devtools,network,pdf,storage,testing,toolkit,vision';

// The arguments that docs/tools.md, which is made from the tools, has as an example.
async function exampleCalls() {
  const docs = await readFile(join(import.meta.dirname, '../../docs/tools.md'), 'utf8');
  const calls = {};
  for (const section of docs.split('\n### `').slice(1)) {
    const example = /^For example `(.*)`$/m.exec(section)?.[1];
    calls[section.slice(0, section.indexOf('`'))] = example ? JSON.parse(example) : {};
  }
  return calls;
}

suite('A tab of another session', { concurrency: 2 }, () => {
  for (const isolation of ['context', 'shared']) {
    test(`is refused to every tool, where each session has its ${isolation === 'context' ? 'own context' : 'tabs in one context'}`, async t => {
      const site = await serve(t, { '/': '<title>Theirs</title><button>Press</button>' });
      const browser = await Browser.open(t, { isolated: [`--isolation=${isolation}`], args: [`--caps=${capabilities}`, '--session-param', '--tab-ids'] });
      const theirs = await browser.call('browser_navigate', { url: site, sessionId: 'theirs' });
      assert.ok(!theirs.isError, theirs.text);
      const listed = await browser.call('browser_tabs', { action: 'list', sessionId: 'theirs' });
      const [, targetId] = /targetId=([\w.]+)/.exec(listed.text);
      await browser.call('browser_snapshot', { sessionId: 'mine' });

      const examples = await exampleCalls();
      const { tools } = await browser.request('tools/list');
      const acting = tools.filter(({ inputSchema: { properties } }) => properties.targetId);
      for (const name of ['browser_click', 'browser_close', 'browser_tabs', 'browser_run_code_unsafe', 'click', 'get_text', 'compare_screenshots', 'set_offline'])
        assert.ok(acting.some(tool => tool.name === name), `${name} takes no targetId`);
      for (const { name, inputSchema, outputSchema } of acting) {
        assert.ok(inputSchema.properties.sessionId, `${name} takes no sessionId`);
        assert.ok(examples[name], `${name} is not in docs/tools.md`);
        const result = await browser.request('tools/call', { name, arguments: { ...examples[name], sessionId: 'mine', targetId } });
        const [{ text }] = result.content;
        assert.ok(result.isError, `${name}: ${text}`);
        assert.match(text, /is not one of this session's tabs/, name);
        if (outputSchema) assert.equal(result.structuredContent.error.code, 'NOT_FOUND', name);
      }
      const still = await browser.call('browser_tabs', { action: 'list', sessionId: 'theirs' });
      assert.match(still.text, /\[Theirs\]/);
      const mine = await browser.call('browser_tabs', { action: 'list', sessionId: 'mine' });
      assert.doesNotMatch(mine.text, /Theirs/);
    });
  }
});

test('Tools of the toolkit act in the session that they are told, in the tab that they are told', async t => {
  const site = await serve(t, { '/a': '<title>A</title><h1>of a</h1>', '/b': '<title>B</title><h1>of b</h1>', '/c': '<title>C</title><h1>of c</h1>' });
  const browser = await Browser.open(t, { isolated: ['--isolation=context'], args: ['--caps=toolkit', '--session-param', '--tab-ids'] });
  const ask = async (name, args) => (await browser.request('tools/call', { name, arguments: args })).structuredContent;
  await ask('navigate', { url: `${site}/a`, sessionId: 'a' });
  await ask('navigate', { url: `${site}/b`, sessionId: 'b' });
  await browser.call('browser_tabs', { action: 'new', url: `${site}/c`, sessionId: 'b' });
  const heading = async where => (await ask('get_text', { selector: 'h1', ...where })).data.text;
  assert.equal(await heading({ sessionId: 'a' }), 'of a');
  assert.equal(await heading({ sessionId: 'b' }), 'of c');
  const { text } = await browser.call('browser_tabs', { action: 'list', sessionId: 'b' });
  const [, first] = /targetId=([\w.]+)/.exec(text);
  assert.equal(await heading({ sessionId: 'b', targetId: first }), 'of b');
  const wrong = await ask('get_text', { selector: 'h1', sessionId: '' });
  assert.equal(wrong.error.code, 'INVALID_ARGUMENT');
});

test('Playwright code sees the tabs of its own session only, in a context that sessions share', async t => {
  const site = await serve(t, { '/': '<title>Theirs</title>', '/mine': '<title>Mine</title>', '/popup': '<title>Popup</title>' });
  const module = join(import.meta.dirname, 'node_modules/playwright-core');
  const browser = await Browser.open(t, { isolated: ['--isolation=shared'], args: ['--session-param', '--tab-ids', `--playwright-module=${module}`] });
  const run = async (sessionId, code) => (await browser.call('browser_run_code_unsafe', { sessionId, code })).text;
  const urls = `page => page.context().pages().map(each => each.url().replace(/^.*:\\d+/, ''))`;
  await browser.call('browser_navigate', { url: site, sessionId: 'theirs' });
  await browser.call('browser_navigate', { url: `${site}/mine`, sessionId: 'mine' });

  assert.match(await run('mine', urls), /^### Result\n\["\/mine"\]/);
  // What others open meanwhile is not shown either, and what its own pages open is.
  await browser.call('browser_tabs', { action: 'new', url: site, sessionId: 'theirs' });
  const opened = await run('mine', `async page => {
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.evaluate(() => { window.open('/popup'); })]);
    await popup.waitForLoadState();
    return page.context().pages().map(each => each.url().replace(/^.*:\\d+/, ''));
  }`);
  assert.match(opened, /^### Result\n\["\/mine","\/popup"\]/);
  assert.match(await run('mine', 'page => page.context().newPage()'), /open tabs with browser_tabs/);

  // A tab that is handed over is out of its reach, and within the other's.
  const tabs = await browser.call('browser_tabs', { action: 'list', sessionId: 'mine' });
  const [, popup] = /\[Popup\].*targetId=([\w.]+)/.exec(tabs.text);
  const shared = await browser.call('browser_tabs', { action: 'share', sessionId: 'mine', targetId: popup, to: 'theirs' });
  assert.ok(!shared.isError, shared.text);
  const left = await run('mine', urls);
  assert.match(left, /"\/mine"/);
  assert.doesNotMatch(left, /popup/);
  assert.match(await run('theirs', urls), /"\/popup"/);
});
