// Files stay in the workspace and the output directory, whatever links lie there.
import assert from 'node:assert/strict';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';

import { serve } from './browser_support.mjs';
import { open } from './policy_support.mjs';
import { temporaryDirectory } from './support.mjs';

const page = `<title>Upload</title><input type=file id=file multiple>
  <div id=drop ondragover="event.preventDefault()" ondrop="event.preventDefault(); this.textContent = event.dataTransfer.files.length">0</div>
  <a href="file:///etc/services">Local</a>`;

// A workspace that somebody has filled with links, and what lies outside of it.
async function trap(t) {
  const outside = await temporaryDirectory(t);
  await writeFile(join(outside, 'secret.txt'), 'TOP SECRET');
  const site = await serve(t, { '/': page });
  const browser = await open(t, {}, { args: ['--caps=toolkit,storage,pdf,devtools'] });
  const at = name => join(browser.directory, name);
  await symlink(join(outside, 'secret.txt'), at('notes.txt'));
  await symlink(outside, at('folder'));
  await symlink('notes.txt', at('again.txt'));
  await mkdir(at('tree'));
  await symlink(join(outside, 'secret.txt'), at('tree/notes.txt'));
  await symlink(join(outside, 'new'), at('out'));
  await browser.call('browser_navigate', { url: site });
  return { outside, browser, at };
}

const isDenied = (answer, what) => {
  assert.ok(answer.isError, `${what}: ${answer.text}`);
  assert.match(answer.text, /File access denied: .* is outside allowed roots/, what);
};

test('No link, dot or absolute path leads an upload outside', async t => {
  const { outside, browser, at } = await trap(t);
  const names = ['notes.txt', 'again.txt', 'folder/secret.txt', `../${basename(outside)}/secret.txt`, join(outside, 'secret.txt'), 'tree/notes.txt'];
  for (const name of names) {
    const uploaded = await browser.call('upload_file', { selector: '#file', files: [name] });
    isDenied(uploaded, name);
    assert.match(uploaded.text, /"code":"POLICY_DENIED"/, name);
    isDenied(await browser.call('browser_drop', { element: 'Drop', target: '#drop', paths: [name] }), name);
  }
  await browser.call('browser_click', { element: 'File', target: '#file' });
  for (const name of [...names, 'tree']) isDenied(await browser.call('browser_file_upload', { paths: [name] }), name);
  await browser.call('browser_file_upload', {});
  const seen = await browser.call('browser_evaluate', { function: "() => [document.querySelector('#file').files.length, document.querySelector('#drop').textContent]" });
  assert.match(seen.text, /0,\s*"0"/);

  // What is the session's own goes through, by a link as well.
  await writeFile(at('mine.txt'), 'mine');
  await symlink('mine.txt', at('link.txt'));
  assert.ok(!(await browser.call('upload_file', { selector: '#file', files: ['link.txt'] })).isError);

  const audit = await browser.audit();
  assert.equal(audit.length, 3 * names.length + 1);
  for (const { event, what, rule } of audit) {
    assert.equal(event, 'denied');
    assert.match(what, /^file \//);
    assert.equal(rule, 'the rule that files stay in the workspace');
  }
});

test('No answer is written and no file read through a link that leads outside', async t => {
  const { outside, browser } = await trap(t);
  for (const [tool, args] of [
    ['browser_take_screenshot', { filename: 'out' }],
    ['browser_take_screenshot', { filename: 'folder/page.png' }],
    ['browser_pdf_save', { filename: 'out' }],
    ['browser_storage_state', { filename: 'out' }],
    ['browser_snapshot', { filename: 'out' }],
    ['browser_evaluate', { function: '() => 1', filename: 'out' }],
    ['browser_network_requests', { filename: 'folder/requests.txt', static: true }],
    ['browser_console_messages', { filename: 'out' }],
    ['browser_start_video', { filename: 'folder/video.webm' }],
    ['browser_set_storage_state', { filename: 'notes.txt' }],
    ['browser_run_code_unsafe', { filename: 'notes.txt' }],
  ]) {
    const before = (await browser.audit()).length;
    isDenied(await browser.call(tool, args), tool);
    assert.ok((await browser.audit()).length > before, `${tool} is not in the audit log`);
  }
  assert.deepEqual(await readdir(outside), ['secret.txt']);
});

test('A linked output directory makes no other directory ours', async t => {
  const [outside, directory, temporary] = [await temporaryDirectory(t), await temporaryDirectory(t), await temporaryDirectory(t)];
  await symlink(outside, join(directory, '.playwright-mcp'));
  const site = await serve(t, { '/': '<title>Page</title><h1>Hello</h1>' });
  const browser = await open(t, {}, { cwd: directory, env: { TMPDIR: temporary } });

  const { text } = await browser.request('tools/call', { name: 'browser_navigate', arguments: { url: site } }).then(({ content: [part] }) => part);

  assert.match(text, /Page Title: Page/);
  isDenied(await browser.call('browser_take_screenshot', { filename: '.playwright-mcp/page.png' }), 'the link');
  assert.deepEqual(await readdir(outside), []);
});

test('Files are not visited, whoever leads there', async t => {
  const { browser } = await trap(t);
  for (const url of ['file:///etc/passwd', 'view-source:file:///etc/passwd', ' FILE:/etc/passwd']) {
    const answer = await browser.call('browser_navigate', { url });
    assert.match(answer.text, /Access to "file:" protocol is blocked/);
  }
  await browser.call('browser_click', { element: 'Local', target: 'a' });
  await browser.call('browser_evaluate', { function: "() => { window.open('file:///etc/hosts'); const frame = document.createElement('iframe'); frame.src = 'file:///etc/group'; document.body.append(frame); }" });
  const { text } = await browser.call('browser_snapshot');
  assert.doesNotMatch(text, /root:/);
  assert.doesNotMatch(text, /Page URL: file:/);
  const denied = (await browser.audit()).map(({ what }) => what);
  for (const file of ['file:///etc/services', 'file:///etc/passwd', 'view-source:file:///etc/passwd', 'file:///etc/hosts', 'file:///etc/group'])
    assert.ok(denied.includes(file), `${file} is not in ${denied}`);
});
