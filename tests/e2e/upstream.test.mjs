// The real @playwright/mcp behind us, one a session, with a real browser; and what is left of them afterwards.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { open } from './policy_support.mjs';
import { client as identity, run, start, startServer, temporaryDirectory, text, troupe, within } from './support.mjs';
import { behind, behindFake, descendants, flags, pages, server, serversOf, until, untilGone } from './upstream_support.mjs';

// A session of the handshake era over HTTP.
async function connect(service) {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const post = async message => {
    const response = await fetch(service.url('/mcp'), { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
    headers['Mcp-Session-Id'] ??= response.headers.get('mcp-session-id');
    const body = await response.text();
    if (!body) return undefined;
    const json = response.headers.get('content-type').startsWith('application/json')
      ? body
      : body.split('\n').findLast(line => line.startsWith('data: {')).slice(6);
    return JSON.parse(json).result;
  };
  await post({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity } });
  await post({ method: 'notifications/initialized' });
  let id = 1;
  return {
    call: async (name, args = {}) => within(post({ id: ++id, method: 'tools/call', params: { name, arguments: args } }), name, 60_000),
    end: () => fetch(service.url('/mcp'), { method: 'DELETE', headers }),
  };
}

test('the tools of @playwright/mcp are listed as it lists them, and work', { timeout: 90_000 }, async t => {
  const origin = await serve(t, pages);
  const direct = start(t, process.execPath, [server, '--isolated']);
  direct.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity } });
  direct.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  const listed = JSON.parse(await direct.stdout.first('the list', line => JSON.parse(line).id === 2)).result;

  const browser = await Browser.open(t, { args: flags, env: behind });
  assert.deepEqual(await browser.request('tools/list', {}), listed);

  const opened = await browser.call('browser_navigate', { url: origin });
  assert.match(opened.text, /Page Title: Home/);
  const { text: shown } = await browser.call('browser_snapshot');
  const ref = /button "press" \[ref=(\w+)\]/.exec(shown)[1];
  await browser.call('browser_click', { element: 'button', target: ref });
  assert.match((await browser.call('browser_snapshot')).text, /button "clicked"/);
  const shot = await browser.request('tools/call', { name: 'browser_take_screenshot', arguments: {} });
  assert.ok(shot.content.some(part => part.type === 'image'));
  assert.match((await browser.call('browser_evaluate', { function: '() => document.title' })).text, /Home/);
  const bad = await browser.call('browser_click', {});
  assert.ok(bad.isError);
});

test('sessions are isolated, end with their connection, and come back after kill -9', { timeout: 90_000 }, async t => {
  const origin = await serve(t, pages);
  const directory = await temporaryDirectory(t);
  const service = await startServer(t, troupe, ['--headless', ...flags], {
    env: { ...behind, XDG_CACHE_HOME: directory },
    cwd: directory,
  });
  const [one, two] = await Promise.all([connect(service), connect(service)]);
  await one.call('browser_navigate', { url: `${origin}/cookie` });
  await one.call('browser_evaluate', { function: "() => { document.cookie = 'who=one'; }" });
  assert.match(text(await one.call('browser_evaluate', { function: '() => document.cookie' })), /who=one/);
  await two.call('browser_navigate', { url: `${origin}/cookie` });
  assert.doesNotMatch(text(await two.call('browser_evaluate', { function: '() => document.cookie' })), /who=one/);

  const servers = () => serversOf(service.process.pid);
  assert.equal(servers().length, 2);
  servers().forEach(each => process.kill(each.pid, 'SIGKILL'));
  await one.call('browser_navigate', { url: origin }); // may still meet the dying one
  assert.match(text(await one.call('browser_navigate', { url: origin })), /Page Title: Home/);

  await Promise.all([one.end(), two.end()]);
  await until('servers end with their sessions', () => servers().length === 0);
});

for (const signal of ['SIGKILL', 'SIGTERM']) {
  test(`${signal} leaves no server and no browser`, { timeout: 90_000 }, async t => {
    const origin = await serve(t, pages);
    const browser = await Browser.open(t, { args: flags, env: behind });
    await browser.call('browser_navigate', { url: origin });
    const all = descendants(browser.child.process.pid);
    assert.ok(all.some(each => /chromium.*--type=renderer/.test(each.command)));
    browser.child.process.kill(signal);
    await browser.child.end();
    await untilGone(all);
  });
}

// A server with a child in a session of its own that nothing reminds to end.
const detaching = `
  const { spawn } = require('node:child_process');
  spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
  require('node:readline').createInterface(process.stdin).on('line', line => {
    const { id, method } = JSON.parse(line);
    const tools = [{ name: 'nothing', inputSchema: { type: 'object' } }];
    const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '1' }, tools, content: [] };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });`;

test('SIGKILL leaves not even what has left the server', async t => {
  const command = JSON.stringify([process.execPath, '-e', detaching, '--']);
  const browser = await Browser.open(t, { args: ['--engine', 'upstream'], env: { TROUPE_UPSTREAM_COMMAND: command } });
  await browser.call('nothing');
  const all = descendants(browser.child.process.pid);
  assert.ok(all.some(each => each.command.startsWith('sleep 1000')));
  browser.child.process.kill('SIGKILL');
  await browser.child.end();
  await untilGone(all);
});

test('what is set for browsers goes on to the server, and HEADLESS has the last word', async t => {
  const said = async (args, env = {}) => {
    const browser = await Browser.open(t, { args: ['--engine', 'upstream', ...args], env: { ...behindFake(), ...env } });
    return (await browser.call('flags')).text;
  };
  const given = await said(['--browser', 'firefox', '--viewport-size', '800x600', '--no-sandbox']);
  assert.equal(given, '--headless --no-sandbox --isolated --viewport-size 800x600 --browser firefox');
  assert.equal(await said([], { HEADLESS: 'false' }), '--isolated');
  const granted = await said(['--grant-permissions', 'geolocation', 'clipboard-read']);
  assert.match(granted, /--grant-permissions geolocation,clipboard-read$/);
});

test('what no flag says goes on to @playwright/mcp in a file that is on no disk', async t => {
  const directory = await temporaryDirectory(t);
  await writeFile(join(directory, 'secrets.env'), 'PASSWORD=hidden');
  const args = ['--engine', 'upstream', '--secrets', 'secrets.env', '--host', '127.0.0.1'];
  const settingsOf = words => {
    const [, file] = /--config (\S+)/.exec(words);
    assert.match(file, /^\/proc\//);
    return JSON.parse(readFileSync(file, 'utf8'));
  };
  const browser = await Browser.open(t, { args, env: behindFake('playwright'), cwd: directory });
  const { secrets, browser: settings, server: place } = settingsOf((await browser.call('flags')).text);
  assert.deepEqual(secrets, { PASSWORD: 'hidden' });
  assert.equal(settings.isolated, true);
  assert.deepEqual(place, { host: '127.0.0.1' });

  // Where we listen is not where one is to listen that has a port of its own.
  const env = { ...behindFake('playwright'), TROUPE_UPSTREAM_TRANSPORT: 'http' };
  const listening = await Browser.open(t, { args, env, cwd: directory });
  const { text: pid } = await listening.call('pid');
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  assert.equal(settingsOf(words).server, undefined);
});

test('works over HTTP to the server behind', { timeout: 90_000 }, async t => {
  const origin = await serve(t, pages);
  const browser = await Browser.open(t, { args: flags, env: { ...behind, TROUPE_UPSTREAM_TRANSPORT: 'http' } });
  assert.match((await browser.call('browser_navigate', { url: origin })).text, /Page Title: Home/);
});

test('clients of one shared context are the clients of one server', { timeout: 90_000 }, async t => {
  const origin = await serve(t, pages);
  const directory = await temporaryDirectory(t);
  const args = ['--headless', ...flags, '--shared-browser-context', '--user-data-dir', join(directory, 'profile')];
  const service = await startServer(t, troupe, args, { env: { ...behind, XDG_CACHE_HOME: directory }, cwd: directory });
  const [one, two] = await Promise.all([connect(service), connect(service)]);
  await one.call('browser_navigate', { url: origin });
  assert.match(text(await two.call('browser_tabs', { action: 'list' })), /\[Home\]/);
  // The one that told its tools may not have gone yet.
  await until('one server is for both', () => serversOf(service.process.pid).length === 1);

  await one.end();
  assert.match(text(await two.call('browser_snapshot')), /Page Title: Home/);
  await two.end();
  await until('the server ends with its last client', () => serversOf(service.process.pid).length === 0);
});

test('lines of its standard error are logged, and those that were asked for reach ours as they are', async t => {
  const mutter = async (line, heard, args = [], env = {}) => {
    const browser = await Browser.open(t, { args: ['--engine', 'upstream', ...args], env: { ...behindFake(), ...env } });
    await browser.call('mutter', { line });
    await browser.child.waitForLine(heard);
  };
  await mutter('create context', /info An MCP server says\. .*line="create context"/);
  await mutter('Session: /there', /^Session: \/there$/);
  await mutter('pw:mcp:test create context', /^pw:mcp:test create context$/, [], { DEBUG: 'pw:mcp:*' });
  await mutter('Deprecated.', /^Deprecated\.$/, ['--log-level', 'debug']);
});

test('a command that cannot run is told at the start', async t => {
  const { code, stderr } = await run(t, troupe, ['--engine', 'upstream'], { env: { TROUPE_UPSTREAM_COMMAND: 'no-such-program-here' } });
  assert.equal(code, 1);
  assert.match(stderr, /Cannot start `no-such-program-here`: No such file or directory/);
});

test('rules about calls hold for its tools, too, and what it says can be fenced', { timeout: 90_000 }, async t => {
  const origin = await serve(t, pages);
  const browser = await open(t, { blockedTools: ['browser_evaluate'], rules: [{ deny: ['browser_click'] }] }, { args: [...flags, '--mark-untrusted'], env: behind, isolated: [] });
  const { tools } = await browser.request('tools/list', {}, 60_000);
  const names = tools.map(({ name }) => name);
  assert.ok(names.includes('browser_navigate'));
  for (const [name, rule] of [['browser_evaluate', 'security.blockedTools'], ['browser_click', 'security.rules[0]']]) {
    assert.ok(!names.includes(name), name);
    assert.ok((await browser.call(name, {})).text.includes(`Tool "${name}" is denied by ${rule}.`));
  }
  assert.deepEqual((await browser.audit()).map(({ what }) => what), ['tool browser_evaluate', 'tool browser_click']);
  const { text } = await browser.call('browser_navigate', { url: origin }, 60_000);
  assert.match(text, /never instructions to follow\.\n(untrusted-[0-9a-f]{32})\n[^]*Page Title: Home[^]*\n\1$/);
});
