// Clients on the network that reach for files which are not theirs: the disk's, the project's and each other's.
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import { serve } from '../e2e/browser_support.mjs';
import { startServer, temporaryDirectory, troupe } from '../e2e/support.mjs';
import { entries } from '../e2e/network_clients.mjs';

const page = `<title>Upload</title><input type=file id=file multiple><input type=file id=folder webkitdirectory>
  <div id=drop ondragover="event.preventDefault()" ondrop="event.preventDefault()">Drop</div>`;
const caps = '--caps=config,core,devtools,history,network,pdf,sessions,storage,testing,toolkit,vision';
const tokens = { ann: 'token-of-ann', bot: 'token-of-bot' };

// Every argument by which a client names a file: how it is read or written. The list must be complete.
const reading = {
  upload_file: name => ({ selector: '#file', files: [name] }),
  browser_drop: name => ({ element: 'Drop', target: '#drop', paths: [name] }),
  browser_set_storage_state: name => ({ filename: name }),
  browser_run_code_unsafe: name => ({ filename: name }),
  compare_screenshots: name => ({ baseline: name }),
};
const writing = {
  browser_take_screenshot: name => ({ filename: name }),
  browser_pdf_save: name => ({ filename: name }),
  browser_storage_state: name => ({ filename: name }),
  browser_snapshot: name => ({ filename: name }),
  browser_evaluate: name => ({ function: '() => "page-controlled"', filename: name }),
  browser_network_requests: name => ({ filename: name, static: true }),
  browser_network_request: name => ({ filename: name, index: 1 }),
  browser_console_messages: name => ({ filename: name }),
  browser_find: name => ({ filename: name, text: 'Drop' }),
  browser_start_video: name => ({ filename: name }),
  compare_screenshots: name => ({ baseline: name, update: true }),
};
const choosing = ['browser_file_upload'];

// What lies below a directory: each file with its text.
async function tree(directory, except = []) {
  const found = {};
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !except.some(each => path.startsWith(each))) found[path] = await readFile(path, 'utf8');
  }
  return found;
}

// A server for ann and bot in a project with a secret beside it.
async function world(t, args = []) {
  const directory = await temporaryDirectory(t);
  const project = join(directory, 'project');
  await mkdir(join(project, '.vscode'), { recursive: true });
  await writeFile(join(project, '.vscode/settings.json'), '{}');
  await writeFile(join(project, 'notes.txt'), 'of the project');
  await writeFile(join(directory, 'secret.txt'), 'TOP SECRET');
  const config = join(directory, 'config.json');
  await writeFile(config, JSON.stringify({ server: { authTokens: tokens }, security: { auditLog: join(directory, 'audit.log') } }));
  const state = join(directory, 'state');
  const server = await startServer(t, troupe, ['--headless', '--isolated', '--config', config, '--session-param', caps, ...args], {
    cwd: project,
    env: { XDG_CACHE_HOME: join(directory, 'cache'), XDG_STATE_HOME: state, TMPDIR: directory },
  });
  const folder = name => join(project, '.playwright-mcp/clients', `principal-${name}`);
  return { directory, project, server, folder, state, site: await serve(t, { '/': page }) };
}

const isDenied = (answer, what) => assert.ok(answer.isError, `${what} was not refused: ${answer.text}`);

suite('Files of clients on the network', { concurrency: false }, () => {
  const ending = [];
  const t = { after: undo => ending.push(undo) };
  let directory, project, server, folder, site, ann;
  before(async () => {
    ({ directory, project, server, folder, site } = await world(t));
    ann = await entries.http(t, server, tokens.ann, ['file:///']);
    await ann.call('browser_navigate', { url: site });
    await ann.call('browser_evaluate', { function: '() => { document.cookie = "login=ann"; }' });
    const saved = await ann.call('browser_storage_state', { filename: 'state.json' });
    assert.ok(!saved.isError, saved.text);
  });
  after(async () => {
    for (const undo of ending.reverse()) await undo();
  });

  test('each principal has a folder that is nobody else’s', async () => {
    const file = join(folder('ann'), 'state.json');
    assert.match(await readFile(file, 'utf8'), /login/);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    for (const each of [folder('ann'), join(folder('ann'), '..'), join(project, '.playwright-mcp')])
      assert.equal((await stat(each)).mode & 0o777, 0o700, each);
  });

  test('the table names every argument that is a file', async t => {
    const { tools } = await entries.http(t, server, tokens.bot, []);
    const known = new Set([...Object.keys(reading), ...Object.keys(writing), ...choosing]);
    for (const { name, inputSchema } of await tools()) {
      const files = Object.keys(inputSchema.properties ?? {}).filter(each => /^(file|path|baseline|dir)|(file|path)s?$/i.test(each));
      if (/cookie/.test(name)) continue; // a cookie's path is an address's
      if (files.length) assert.ok(known.has(name), `${name} takes ${files}: add it to the table`);
    }
  });

  for (const [entry, connect] of Object.entries(entries)) {
    test(`over ${entry}, file:/// as root opens nothing, and no name leads out`, async t => {
      const bot = await connect(t, server, tokens.bot, ['file:///'], `bot-${entry.replaceAll(' ', '-')}`);
      const opened = await bot.call('browser_navigate', { url: site });
      assert.match(opened.text, /Page Title: Upload|Choose File/);
      const before = await tree(directory, [folder('bot'), join(directory, 'cache'), join(directory, 'state'), join(directory, 'audit.log')]);
      const outside = ['/etc/shadow', join(directory, 'secret.txt'), join(project, 'notes.txt'), join(folder('ann'), 'state.json'),
        '../principal-ann/state.json', '/proc/self/root/etc/shadow', '/proc/self/cwd/notes.txt', '../../../notes.txt'];
      for (const [tool, args] of Object.entries(reading)) {
        // What another way in has shown for every name needs no whole matrix here.
        const names = entry === 'http' ? outside : outside.slice(0, 5);
        for (const name of names) isDenied(await bot.call(tool, args(name)), `${tool} of ${name}`);
      }
      const places = [join(directory, 'made.txt'), join(project, '.vscode/tasks.json'), '../principal-ann/state.json', '.vscode/tasks.json'];
      for (const [tool, args] of Object.entries(writing)) {
        for (const name of entry === 'http' ? places : places.slice(-2)) isDenied(await bot.call(tool, args(name)), `${tool} to ${name}`);
      }
      assert.equal(bot.asked, 0, 'whose word does not count is not asked');
      const changed = await tree(directory, [folder('bot'), join(directory, 'cache'), join(directory, 'state'), join(directory, 'audit.log')]);
      // What ann's own session writes meanwhile is hers.
      for (const [path, text] of Object.entries(before)) assert.equal(changed[path], text, path);
      assert.deepEqual(Object.keys(changed).filter(path => !(path in before)), []);
    });
  }

  test('the directory . is one’s own, with nothing of the others in it', async t => {
    const bot = await entries.http(t, server, tokens.bot, []);
    await bot.call('browser_navigate', { url: site });
    await bot.call('browser_evaluate', { function: '() => 1', filename: 'mine.json' });
    for (const name of ['..', '../..', '../principal-ann', '/', project]) {
      await bot.call('browser_click', { element: 'Folder', target: '#folder' });
      isDenied(await bot.call('browser_file_upload', { paths: [name] }), name);
      await bot.call('browser_file_upload', {});
    }
    await bot.call('browser_click', { element: 'Folder', target: '#folder' });
    const uploaded = await bot.call('browser_file_upload', { paths: ['.'] });
    assert.ok(!uploaded.isError, uploaded.text);
    const { text } = await bot.call('browser_evaluate', { function: "() => [...document.querySelector('#folder').files].map(file => file.webkitRelativePath)" });
    assert.match(text, /principal-bot\/mine\.json/);
    assert.doesNotMatch(text, /ann|state\.json|notes/);
  });

  test('resources are one’s own, too', async t => {
    const shown = await ann.call('browser_snapshot', { filename: '<auto>' });
    // The link leads there from the server's own directory.
    const [, file] = /\[Snapshot\]\(\.playwright-mcp\/clients\/principal-ann\/\.playwright-mcp\/(page-[^)]+)\)/.exec(shown.text) ?? [];
    assert.ok(file, shown.text);
    assert.match((await ann.read(`troupe:///output/${file}`)).contents[0].text, /Drop/);
    const bot = await entries.http(t, server, tokens.bot, []);
    await bot.call('browser_navigate', { url: site });
    for (const uri of [`troupe:///output/${file}`, 'troupe:///output/..%2f..%2fprincipal-ann%2fstate.json', 'troupe:///output/../../state.json'])
      await assert.rejects(bot.read(uri), uri);
  });

  test('a client’s own files can be named, read and replaced', async t => {
    const bot = await entries.http(t, server, tokens.bot, []);
    await bot.call('browser_navigate', { url: site });
    for (const [tool, args] of Object.entries(writing)) {
      if (tool === 'browser_start_video') continue; // needs ffmpeg
      const written = await bot.call(tool, args(`own/${tool}`));
      assert.ok(!written.isError, `${tool}: ${written.text}`);
    }
    assert.ok(!(await bot.call('browser_storage_state', { filename: 'state.json' })).isError);
    assert.ok(!(await bot.call('browser_set_storage_state', { filename: 'state.json' })).isError);
    assert.ok(!(await bot.call('upload_file', { selector: '#file', files: ['state.json'] })).isError);
    // Another session of the same principal has the same folder.
    const again = await entries.stateless(t, server, tokens.bot, [], 'again');
    assert.ok(!(await again.call('browser_set_storage_state', { filename: 'state.json' })).isError);
  });
});

test('With --trust-roots a network client says where its workspace is', async t => {
  const { directory, server, site } = await world(t, ['--trust-roots']);
  const bot = await entries.http(t, server, tokens.bot, [`file://${directory}`]);
  await bot.call('browser_navigate', { url: site });

  const read = await bot.call('upload_file', { selector: '#file', files: ['secret.txt'] });

  assert.ok(!read.isError, read.text);
  assert.equal(bot.asked, 1);
});

test('Anonymous clients have a folder for each session', async t => {
  const directory = await temporaryDirectory(t);
  const server = await startServer(t, troupe, ['--headless', '--isolated', '--session-param', caps], {
    cwd: directory, env: { XDG_CACHE_HOME: directory } });
  const site = await serve(t, { '/': page });
  const [one, other] = await Promise.all(['one', 'other'].map(name => entries.stateless(t, server, 'none', ['file:///'], name)));
  await Promise.all([one, other].map(each => each.call('browser_navigate', { url: site })));
  assert.ok(!(await one.call('browser_storage_state', { filename: 'state.json' })).isError);

  isDenied(await other.call('browser_set_storage_state', { filename: 'state.json' }), 'another session’s file');
  isDenied(await other.call('browser_take_screenshot', { filename: join(directory, 'x.png') }), 'the server’s directory');
  const folders = await readdir(join(directory, '.playwright-mcp/clients'));
  assert.ok(folders.every(name => /^session-[0-9a-f]{16}$/.test(name)), folders);
});

test('A download that the user gets, too, stays its session’s to read and to send', async t => {
  const directory = await temporaryDirectory(t);
  const config = join(directory, 'config.json');
  await writeFile(config, JSON.stringify({ server: { authTokens: tokens }, browser: { launchOptions: { downloadsPath: join(directory, 'mine') } } }));
  const server = await startServer(t, troupe, ['--headless', '--isolated', '--config', config, caps], {
    cwd: directory, env: { XDG_CACHE_HOME: directory, XDG_STATE_HOME: directory } });
  const file = (request, response) =>
    response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Disposition': 'attachment; filename=got.txt' }).end('downloaded');
  const site = await serve(t, { '/': `${page}<a href=/file>File</a>`, '/file': file });
  const ann = await entries.http(t, server, tokens.ann, []);
  await ann.call('browser_navigate', { url: site });
  let { text } = await ann.call('browser_click', { element: 'File', target: 'a' });
  while (!/Downloaded file got\.txt/.test(text)) ({ text } = await ann.call('browser_snapshot'));

  assert.equal(await readFile(join(directory, 'mine/got.txt'), 'utf8'), 'downloaded');
  const { contents } = await ann.read('playwright:///download/default/got.txt');
  assert.equal(contents[0].text, 'downloaded');
  const sent = await ann.call('upload_file', { selector: '#file', files: ['.playwright-mcp/got.txt'] });
  assert.ok(!sent.isError, sent.text);
});
