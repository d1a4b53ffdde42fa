// Sessions stay apart whatever server is behind us: a renamed copy of Playwright's, one in a wrapper, one that says nothing of profiles.
import assert from 'node:assert/strict';
import { chmod, cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { entries } from './network_clients.mjs';
import { packages, startServer, temporaryDirectory, troupe } from './support.mjs';
import { fake, flags, server, until } from './upstream_support.mjs';

const pages = {
  '/who': (request, response) => {
    const name = new URL(request.url, 'http://x').searchParams.get('as');
    response.writeHead(200, { 'Content-Type': 'text/html', ...(name && { 'Set-Cookie': `who=${name}; Max-Age=9999` }) });
    response.end(`<title>Who</title><p>sent: ${request.headers.cookie ?? 'none'}</p>`);
  },
};

// Each gives the command of a server that nobody would take for Playwright's by its name.
const servers = {
  'a renamed copy': async directory => {
    const home = join(directory, 'my', 'fork');
    await mkdir(home, { recursive: true });
    await cp(join(packages, '@playwright/mcp'), home, { recursive: true });
    await symlink(packages, join(directory, 'node_modules'));
    return [process.execPath, join(home, 'cli.js')];
  },
  'a wrapper that passes no arguments on': async directory => {
    const wrapper = join(directory, 'browse.sh');
    const line = `exec ${process.execPath} ${server} --headless --no-sandbox --executable-path /usr/bin/chromium`;
    await writeFile(wrapper, `#!/bin/sh\n${line}\n`);
    await chmod(wrapper, 0o755);
    return [wrapper];
  },
};

for (const [kind, make] of Object.entries(servers)) {
  test(`sessions of ${kind} have profiles of their own, also one after the other`, { timeout: 90_000 }, async t => {
    const origin = await serve(t, pages);
    const directory = await temporaryDirectory(t);
    const command = await make(directory);
    const browser = await Browser.open(t, {
      args: [...flags, '--headless', '--session-param'],
      env: { TROUPE_UPSTREAM_COMMAND: JSON.stringify(command) },
      isolated: [],
    });
    const call = (sessionId, tool, args = {}) => browser.call(tool, { ...args, sessionId }, 60_000);
    const set = await call('alice', 'browser_navigate', { url: `${origin}/who?as=alice` });
    assert.equal(set.isError, false, set.text);
    assert.match((await call('alice', 'browser_navigate', { url: `${origin}/who` })).text + (await call('alice', 'browser_snapshot')).text, /who=alice/);
    const beside = await call('bob', 'browser_navigate', { url: `${origin}/who` });
    assert.equal(beside.isError, false, beside.text);
    assert.match((await call('bob', 'browser_snapshot')).text, /sent: none/);

    assert.equal((await browser.call('session_close', { sessionId: 'alice' })).isError, false);
    assert.equal((await browser.call('create_session', { sessionId: 'alice' })).isError, false);
    for (const name of ['carol', 'alice']) {
      await call(name, 'browser_navigate', { url: `${origin}/who` });
      assert.match((await call(name, 'browser_snapshot')).text, /sent: none/, name);
    }
  });
}

test('a server whose help says nothing gets directories of its own, and no flag that it does not know', async t => {
  const directory = await temporaryDirectory(t);
  const wrapper = join(directory, 'plain.sh');
  await writeFile(wrapper, `#!/bin/sh\nexec ${fake} "cache=$XDG_CACHE_HOME" "isolated=$PLAYWRIGHT_MCP_ISOLATED" "$@"\n`);
  await chmod(wrapper, 0o755);
  const open = isolate =>
    Browser.open(t, {
      args: ['--engine', 'upstream', '--session-param'],
      env: { TROUPE_UPSTREAM_COMMAND: JSON.stringify([wrapper]), TROUPE_UPSTREAM_ISOLATE: isolate },
      isolated: [],
    });
  const seen = async (browser, sessionId) => (await browser.call('flags', { sessionId })).text;
  const automatic = await open('auto');
  const [ann, bob] = [await seen(automatic, 'ann'), await seen(automatic, 'bob')];
  assert.match(ann, /cache=\S+\/tmp-\w+\/cache isolated=true/);
  assert.doesNotMatch(ann, /--isolated/);
  assert.notEqual(ann, bob);
  assert.match(await seen(await open('always'), 'ann'), /isolated=true.* --isolated/);
  assert.doesNotMatch(await seen(await open('never'), 'ann'), /isolated=true|--isolated|tmp-/);
});

test('the servers of clients on the network have no output directory in common', { timeout: 60_000 }, async t => {
  const directory = await temporaryDirectory(t);
  const wrapper = join(directory, 'plain.sh');
  await writeFile(wrapper, `#!/bin/sh\nexec ${fake} "output=$PLAYWRIGHT_MCP_OUTPUT_DIR" "$@"\n`);
  await chmod(wrapper, 0o755);
  const env = { TROUPE_UPSTREAM_COMMAND: JSON.stringify([wrapper]) };
  const output = join(directory, 'out');
  for (const given of [{ args: ['--output-dir', output], env }, { args: [], env: { ...env, PLAYWRIGHT_MCP_OUTPUT_DIR: output } }]) {
    const server = await startServer(t, troupe, ['--engine', 'upstream', ...given.args], { env: given.env });
    // Each has one of its own, in the folder that is its client's.
    const seen = new Set();
    for (let client = 0; client < 2; ++client) {
      const { text, isError } = await (await entries.http(t, server, 'any', [])).call('flags');
      assert.equal(isError, false, text);
      assert.doesNotMatch(text, /--output-dir/);
      const [, own] = /output=(\S*)/.exec(text);
      assert.match(own.slice(output.length), /^\/clients\/session-\w+\/\.playwright-mcp\/session-\w+$/, own);
      seen.add(own);
    }
    assert.equal(seen.size, 2);
  }
  // The one client on standard input has it as it wants.
  const alone = await Browser.open(t, { args: ['--engine', 'upstream', '--output-dir', output], env, isolated: [] });
  assert.ok((await alone.call('flags')).text.includes(`--output-dir ${output}`));
});

test('a degraded session shows wherever one looks', { timeout: 60_000 }, async t => {
  const server = await startServer(t, troupe, ['--engine', 'upstream'], {
    env: { TROUPE_UPSTREAM_COMMAND: JSON.stringify([fake]) },
  });
  const get = async path => (await fetch(server.url(path))).text();
  const call = async tool => {
    const response = await fetch(server.url('/api/call'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ session_id: 'ann', tool, params: {} }),
    });
    return { status: response.status, body: await response.json() };
  };
  assert.equal(JSON.parse(await get('/api/health')).upstream.status, 'ok');
  assert.match(await get('/metrics'), /troupe_upstream_degraded_sessions 0/);
  await until('its server is not started any more', async () => (await call('crash')).status === 503, 50_000);
  const health = JSON.parse(await get('/api/health'));
  assert.equal(health.status, 'degraded');
  assert.deepEqual(health.upstream, { status: 'degraded', degraded_sessions: 1 });
  assert.match(await get('/metrics'), /troupe_upstream_degraded_sessions 1/);
  const { sessions } = JSON.parse(await get('/api/sessions?session_id=ann'));
  assert.equal(sessions.find(each => each.session_id === 'ann').state, 'degraded');
});
