// Another real server behind us than Playwright's: Chrome DevTools' own, one a session.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { packages, start, client as identity } from './support.mjs';
import { descendants, reapersOf, pages, until, untilGone } from './upstream_support.mjs';

const command = [
  process.execPath,
  join(packages, 'chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js'),
  '--executablePath=/usr/bin/chromium',
  '--chromeArg=--no-sandbox',
  '--isolated',
  '--headless',
  '--no-usage-statistics',
];
const env = { TROUPE_UPSTREAM_COMMAND: JSON.stringify(command) };

test('chrome-devtools-mcp works behind us, one for each session', { timeout: 100_000 }, async t => {
  const origin = await serve(t, pages);
  const direct = start(t, command[0], command.slice(1));
  direct.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity } });
  direct.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  direct.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  const { tools: theirs } = JSON.parse(await direct.stdout.first('the list', line => JSON.parse(line).id === 2)).result;
  await direct.stop();

  const browser = await Browser.open(t, { args: ['--engine', 'upstream', '--session-param'], env, isolated: [] });
  const { tools } = await browser.request('tools/list', {});
  const names = tools.map(tool => tool.name);
  assert.deepEqual(theirs.filter(tool => !names.includes(tool.name)), []);
  assert.ok(names.includes('session_list'));

  const call = (sessionId, tool, args = {}) => browser.call(tool, { ...args, sessionId }, 60_000);
  const sessions = ['ann', 'bob'];
  let pageId; // the same number in both
  await Promise.all(
    sessions.map(async name => {
      const opened = await call(name, 'new_page', { url: `${origin}/cookie` });
      assert.equal(opened.isError, false, opened.text);
      pageId = Number(/^(\d+): .*\/cookie/m.exec(opened.text)[1]);
      const set = await call(name, 'evaluate_script', { pageId, function: `() => { document.cookie = 'who=${name}'; }` });
      assert.equal(set.isError, false, set.text);
    }),
  );
  for (const name of sessions) {
    const { text } = await call(name, 'evaluate_script', { pageId, function: '() => document.cookie' });
    assert.match(text, new RegExp(`who=${name}`));
    assert.doesNotMatch(text, new RegExp(`who=${sessions.find(other => other !== name)}`));
  }
  assert.match((await call('ann', 'take_snapshot', { pageId })).text, /sent: none/);

  assert.equal((await browser.call('session_close', { sessionId: 'ann' })).isError, false);
  await until('one server is left', () => reapersOf(browser.child.process.pid).length === 1);
  const all = descendants(browser.child.process.pid);
  assert.ok(all.some(each => /chromium.*--type=renderer/.test(each.command)));
  browser.child.process.kill('SIGKILL');
  await browser.child.end();
  await untilGone(all);
});
