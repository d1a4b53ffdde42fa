// How much of a result an answer shows: everything, what changed, an outline, a reference.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { form, startRecording } from './record_support.mjs';
import { run, troupe } from './support.mjs';

const targetOf = (text, name) => new RegExp(`"${name}" \\[(?:active\\] \\[)?ref=(\\w+)\\]`).exec(text)[1];

suite('Answers', { concurrency: 2 }, () => {
  test('as references say what a call did and where it is kept', async t => {
    const origin = await serve(t, { '/': form });
    const server = await startRecording(t, ['--response', 'ref']);
    const ann = server.agent('ann');
    const { text, ref } = await ann('browser_navigate', { url: origin });
    const answer = JSON.parse(text);
    assert.deepEqual(
      { ...answer, timestamp: undefined },
      {
        ref_id: ref, session_id: 'ann', status: 'success', timestamp: undefined, tool: 'browser_navigate',
        has_snapshot: true, has_console_logs: true, console_error_count: 1, page_url: origin + '/', page_title: 'Form',
      },
    );
    assert.match(answer.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.match((await ann('get_content', { ref_id: ref })).text, /heading "Order"/);

    const failed = await ann('browser_click', { element: 'no', target: 'e999' });
    assert.equal(failed.isError, true);
    assert.match(JSON.parse(failed.text).error, /e999/);
    const evaluated = await ann('browser_evaluate', { function: '() => "forty " + 2' });
    assert.match((await ann('get_content', { ref_id: evaluated.ref })).text, /forty 2/, 'an answer without a page');
    const shot = await ann('browser_take_screenshot');
    assert.deepEqual(shot.result.content.map(part => part.type), ['text']);
    const read = await ann('get_content', { ref_id: shot.ref.slice(0, 13) });
    assert.deepEqual(read.result.content.map(part => part.mimeType), [undefined, 'image/png']);
    assert.deepEqual((await ann('get_content', { ref_id: shot.ref })).result.content.map(part => part.text), [''], 'read already');
    const whole = await ann('browser_snapshot', { _response: 'full' });
    assert.match(whole.text, /### Snapshot\n```yaml\n[^]*heading "Order"/);
  });

  test('as differences show what changed, in the snapshot\'s own format', async t => {
    const origin = await serve(t, { '/': form });
    const browser = await Browser.open(t, { args: ['--response', 'delta'] });
    const opened = await browser.call('browser_navigate', { url: origin });
    assert.match(opened.text, /### Snapshot\n```yaml\n[^]*heading "Order"/, 'the first one is whole');
    const button = targetOf(opened.text, 'Send');
    const clicked = await browser.call('browser_click', { element: 'Send', target: button });
    assert.match(clicked.sections.Snapshot, /^```yaml\n[^]*Thanks 1[^]*```$/);
    assert.match(clicked.sections.Snapshot, /# \d+ lines unchanged/);
    assert.doesNotMatch(clicked.sections.Snapshot, /Field 3/);
    assert.match(clicked.sections['Ran Playwright code'], /getByRole\('button', \{ name: 'Send' \}\)\.click/);
    const ref = /get_content with ref_id "([0-9a-f-]{36})"/.exec(clicked.sections['Left out'])[1];
    assert.match((await browser.call('get_content', { ref_id: ref })).text, /Field 3[^]*Thanks 1/);
    const same = await browser.call('browser_snapshot');
    assert.match(same.sections.Snapshot, /^```yaml\n[^]*heading "Order"[^]*Thanks 1[^]*```$/, 'who asks for the page gets it');
    const asked = await browser.call('browser_snapshot', { _response: 'delta' });
    assert.match(asked.sections.Snapshot, /^```yaml\n# \d+ lines unchanged\n```$/);
  });

  test('step down from everything to a reference as they become too long', async t => {
    const many = `<title>Long</title>${Array.from({ length: 300 }, (_, i) => `<section aria-label="Part ${i}"><p>Some words of part ${i}</p></section>`).join('')}<button onclick="this.textContent='done'">go</button>`;
    const origin = await serve(t, { '/': many, '/short': '<title>Short</title><p>brief</p>' });
    const server = await startRecording(t, ['--max-output-chars', '3000']);
    const ann = server.agent('ann');
    const short = await ann('browser_navigate', { url: origin + '/short' });
    assert.match(short.text, /brief/);
    assert.doesNotMatch(short.text, /Left out/);

    const outline = await ann('browser_navigate', { url: origin });
    assert.ok(outline.text.length <= 3000, outline.text);
    assert.match(outline.text, /### Snapshot\n```yaml[^]*### Left out\n- .*get_content with ref_id "[0-9a-f-]{36}"/);
    const whole = (await ann('get_content', { ref_id: outline.ref })).text;
    assert.match(whole, /Some words of part 299/);

    const target = targetOf(whole, 'go');
    const delta = await ann('browser_click', { element: 'go', target });
    assert.match(delta.text, /button "done"/);
    assert.match(delta.text, /lines unchanged/);

    const evaluated = await ann('browser_evaluate', { function: '() => "x".repeat(9000)' });
    const reference = JSON.parse(evaluated.text);
    assert.match(reference.left_out, /^\d+ characters\. All of it: get_content/);
    assert.match((await ann('get_content', { ref_id: reference.ref_id })).text, /x{9000}/);
  });

  test('of a session whose budget is used up are references', async t => {
    const origin = await serve(t, { '/': form });
    const server = await startRecording(t, ['--output-budget', '4000']);
    const ann = server.agent('ann');
    const answers = [];
    for (let i = 0; i < 5; ++i) answers.push((await ann('browser_navigate', { url: origin })).text);
    assert.match(answers[0], /heading "Order"/);
    assert.ok(JSON.parse(answers.at(-1)).left_out);
    assert.match((await server.agent('bob')('browser_navigate', { url: origin })).text, /heading "Order"/, 'each session has its own');
  });

  test('as references need the record', async t => {
    const { code, stderr } = await run(t, troupe, ['--response', 'ref', '--no-record']);
    assert.equal(code, 1);
    assert.match(stderr, /references to the record, which is off/);
  });
});
