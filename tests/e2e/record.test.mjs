// Reading the record back: each sentence of what it promises.
import assert from 'node:assert/strict';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { serve } from './browser_support.mjs';
import { form, startRecording } from './record_support.mjs';
import { client as identity, temporaryDirectory, text } from './support.mjs';

suite('The record', { concurrency: 2 }, () => {
  test('gives a page once whole, then what changed, then nothing, and all again when asked', async t => {
    const origin = await serve(t, { '/': form });
    const server = await startRecording(t);
    const ann = server.agent('ann'), bob = server.agent('bob');
    const opened = await ann('browser_navigate', { url: origin });
    assert.match(opened.ref, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/);

    const first = await ann('get_content', { ref_id: opened.ref });
    assert.match(first.text, /heading "Order"/);
    assert.equal((await ann('get_content', { ref_id: opened.ref })).text, '', 'nothing has changed');
    assert.equal((await ann('get_content', { ref_id: opened.ref, reset_cursor: true })).text, first.text);
    // Without an owner, whoever knows a ref may read; but as a reader of its own.
    assert.equal((await bob('get_content', { ref_id: opened.ref })).text, first.text);

    const button = /button "Send" \[ref=(e\d+)\]/.exec(first.text)[1];
    const clicked = await ann('browser_click', { element: 'Send', target: button });
    const since = await ann('get_content', { ref_id: clicked.ref, since: 'last' });
    assert.match(since.text, /Thanks 1/);
    assert.ok(since.text.length < first.text.length / 2, since.text);
    assert.equal((await ann('history_diff', { from_ref_id: opened.ref, to_ref_id: clicked.ref })).text, since.text);
    assert.equal((await bob('get_content', { ref_id: clicked.ref, since: opened.ref })).text, since.text);
    const unread = await server.agent('eve')('get_content', { ref_id: clicked.ref });
    assert.match(unread.text, /heading "Order"[^]*Thanks 1/, 'a first read of this ref by this reader');
  });

  test('can be searched, cut to levels and to a length without counting as read', async t => {
    const origin = await serve(t, { '/': form });
    const server = await startRecording(t);
    const ann = server.agent('ann');
    const { ref } = await ann('browser_navigate', { url: origin });
    const found = await ann('get_content', { ref_id: ref, search_for: 'field 7' });
    assert.match(found.text, /textbox "Field 7"/);
    assert.doesNotMatch(found.text, /Field 8/);
    const short = await ann('get_content', { ref_id: ref, max_chars: 300 });
    assert.ok(short.text.length <= 300, short.text);
    const upper = await ann('get_content', { ref_id: ref, depth: 1 });
    assert.doesNotMatch(upper.text, /Field 7/);
    assert.match((await ann('get_content', { ref_id: ref })).text, /Field 11/, 'all of it, for nothing was read yet');
  });

  test('keeps what pages logged, by level, without a difference', async t => {
    const origin = await serve(t, { '/': form });
    const server = await startRecording(t);
    const ann = server.agent('ann');
    const { ref } = await ann('browser_navigate', { url: origin });
    for (let i = 0; i < 2; ++i) {
      const { text } = await ann('get_console_content', { ref_id: ref });
      assert.match(text, /\[INFO\] ready @ .*\n\[ERROR\] bad start/);
    }
    assert.doesNotMatch((await ann('get_console_content', { ref_id: ref, level: 'error' })).text, /ready/);
  });

  test('lists calls by session, tool and words', async t => {
    const origin = await serve(t, { '/': form, '/other': '<title>Other</title><p>walrus</p>' });
    const server = await startRecording(t);
    const ann = server.agent('ann'), bob = server.agent('bob');
    await ann('browser_navigate', { url: origin });
    await ann('browser_evaluate', { function: '() => 1' });
    await bob('browser_navigate', { url: origin + '/other' });
    const list = async args => JSON.parse((await ann('history_list', args)).text).calls;
    assert.deepEqual((await list({ session: 'ann' })).map(each => each.tool), ['browser_evaluate', 'browser_navigate']);
    // Nobody was authenticated: another's session is seen by who names it.
    assert.deepEqual(await list({ text: 'walrus' }), []);
    assert.deepEqual((await list({ text: 'walrus', session: 'bob' })).map(each => [each.session_id, each.page_title]), [['bob', 'Other']]);
    assert.equal((await list({ tool: 'browser_navigate' })).length, 1);
    assert.equal((await list({ since: '1h' })).length, 2);
    assert.equal((await list({ until: '2020-01-01' })).length, 0);
  });

  test('outlives its server: calls stay readable and readers stay where they were', async t => {
    const origin = await serve(t, { '/': form });
    let server = await startRecording(t);
    const { ref } = await server.agent('ann')('browser_navigate', { url: origin });
    const { text: whole } = await server.agent('ann')('get_content', { ref_id: ref });
    await server.stop();
    server = await startRecording(t, [], { directory: server.directory });
    assert.equal((await server.agent('ann')('get_content', { ref_id: ref })).text, '');
    assert.equal((await server.agent('bob')('get_content', { ref_id: ref })).text, whole);
    assert.equal((await stat(server.database)).mode & 0o777, 0o600);
  });

  test('says what is wrong with a ref, and never shows another connection\'s calls', async t => {
    const origin = await serve(t, { '/': form });
    const server = await startRecording(t, ['--auth-token', 'first']);
    const ann = server.agent('ann', { Authorization: 'Bearer first' });
    const { ref } = await ann('browser_navigate', { url: origin });
    const unknown = await ann('get_content', { ref_id: '00000000-0000-4000-8000-000000000000' });
    assert.equal(unknown.isError, true);
    assert.match(unknown.text, /No call 0{8}-.* was recorded here/);
    await server.stop();

    // The same record, and somebody who is not the one who was authenticated then.
    const open = await startRecording(t, [], { directory: server.directory });
    const eve = open.agent('ann');
    for (const [tool, args] of [
      ['get_content', { ref_id: ref }],
      ['get_console_content', { ref_id: ref }],
      ['history_diff', { from_ref_id: ref, to_ref_id: ref }],
    ]) {
      const answer = await eve(tool, args);
      assert.equal(answer.isError, true, tool);
      assert.match(answer.text, new RegExp(`No call ${ref} was recorded here`));
    }
    assert.deepEqual(JSON.parse((await eve('history_list')).text).calls, []);
  });

  test('of one connection is not another\'s', async t => {
    const origin = await serve(t, { '/': form });
    const server = await startRecording(t, ['--caps=history']);
    const connect = async () => {
      const client = new Client(identity);
      await client.connect(new StreamableHTTPClientTransport(server.url('/mcp')));
      t.after(() => client.close());
      return async (name, args = {}) => client.callTool({ name, arguments: args });
    };
    const ann = await connect(), eve = await connect();
    await ann('browser_navigate', { url: origin });
    const { calls } = JSON.parse(text(await ann('history_list')));
    assert.equal(calls.length, 1);
    assert.match(text(await ann('get_content', { ref_id: calls[0].ref_id })), /heading "Order"/);
    assert.equal((await eve('get_content', { ref_id: calls[0].ref_id })).isError, true);
    assert.deepEqual(JSON.parse(text(await eve('history_list'))).calls, []);
    assert.deepEqual(JSON.parse(text(await eve('history_list', { session: calls[0].session_id }))).calls, []);
  });

  test('never has a secret in it', async t => {
    const origin = await serve(t, { '/': form });
    const directory = await temporaryDirectory(t);
    await writeFile(join(directory, 'secrets.env'), 'PASSWORD=hunter2-hunter2\n');
    const server = await startRecording(t, ['--secrets', 'secrets.env'], { directory });
    const ann = server.agent('ann');
    const { text } = await ann('browser_navigate', { url: origin });
    const target = /textbox "Field 3" \[ref=(e\d+)\]/.exec(text)[1];
    await ann('browser_type', { element: 'field', target, text: 'hunter2-hunter2' });
    const { stdout } = await server.history('list', '--json');
    for (const { ref_id } of JSON.parse(stdout)) {
      const shown = await server.history('show', ref_id, '--json');
      assert.doesNotMatch(shown.stdout, /hunter2/);
    }
    assert.match((await server.history('list', '--text', 'hunter2')).stdout, /No calls/);
  });
});
