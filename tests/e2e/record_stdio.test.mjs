// The record of one client on standard input: who is offered it, and who reads on.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { form } from './record_support.mjs';
import { packages, temporaryDirectory } from './support.mjs';

const historyTools = ['get_content', 'get_console_content', 'create_new_session', 'history_list', 'history_diff'];

suite('The record on stdio', { concurrency: 2 }, () => {
  test('is offered where sessions have names, where answers refer to it, and when asked for', async t => {
    const names = async args => {
      const browser = await Browser.open(t, { args });
      return (await browser.request('tools/list', {})).tools.map(tool => tool.name);
    };
    const offered = list => historyTools.filter(name => list.includes(name));
    assert.deepEqual(offered(await names([])), [], 'a plain drop-in lists what Playwright MCP lists');
    assert.deepEqual(offered(await names(['--caps=history'])), historyTools);
    assert.deepEqual(offered(await names(['--session-param'])), historyTools);
    assert.deepEqual(offered(await names(['--response=delta'])), historyTools);
    assert.deepEqual(offered(await names(['--no-record', '--session-param'])), []);
  });

  test('keeps the calls of another server behind us', async t => {
    const origin = await serve(t, { '/': form });
    const browser = await Browser.open(t, {
      args: ['--engine', 'upstream', '--executable-path', '/usr/bin/chromium', '--no-sandbox', '--caps=history'],
      env: { TROUPE_UPSTREAM_COMMAND: JSON.stringify([process.execPath, join(packages, '@playwright/mcp/cli.js')]), XDG_STATE_HOME: await temporaryDirectory(t) },
    });
    const { text } = await browser.call('browser_navigate', { url: origin }, 60_000);
    const [call] = JSON.parse((await browser.call('history_list')).text).calls;
    assert.deepEqual([call.tool, call.page_url, call.page_title], ['browser_navigate', origin + '/', 'Form']);
    assert.match((await browser.call('get_content', { ref_id: call.ref_id })).text, /heading "Order"/, text);
  });

  test('goes on for the next client on standard input', async t => {
    const origin = await serve(t, { '/': form });
    const directory = await temporaryDirectory(t);
    const env = { XDG_STATE_HOME: directory };
    const before = await Browser.open(t, { args: ['--caps=history'], env });
    await before.call('browser_navigate', { url: origin });
    const { calls } = JSON.parse((await before.call('history_list')).text);
    const first = await before.call('get_content', { ref_id: calls[0].ref_id });
    assert.match(first.text, /heading "Order"/);
    await before.child.stop();
    const after = await Browser.open(t, { args: ['--caps=history'], env });
    assert.equal((await after.call('get_content', { ref_id: calls[0].ref_id })).text, '');
    assert.equal(JSON.parse((await after.call('history_list')).text).calls.length, 1);
  });
});
