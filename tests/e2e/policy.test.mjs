// Rules about the network and tools, with a page that tries every way out.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { serve } from './browser_support.mjs';
import { hostilePages, lurk, waysOut } from './policy_hostile.mjs';
import { connect, open, police } from './policy_support.mjs';
import { startServer, temporaryDirectory, text, troupe } from './support.mjs';

suite('A page that may reach only its own domain', () => {
  test('finds no way out, and every try is in the audit log', async t => {
    const lurker = await lurk(t);
    const site = await serve(t, hostilePages(lurker.url));
    const browser = await open(t, { allowedDomains: ['localhost'] });
    await browser.call('browser_navigate', { url: site });

    for (const [way, attempt] of Object.entries(waysOut)) {
      const before = (await browser.audit()).length;
      const tried = await browser.call('browser_evaluate', { function: `async () => { await (${attempt(lurker.url)}); }` }, 60_000);
      assert.ok(!tried.isError, `${way}: ${tried.text}`);
      await browser.audited(way, ({ what }) => what.includes(lurker.url.slice('http://'.length)), before);
      assert.equal(lurker.connections + lurker.datagrams, 0, way);
    }
    await browser.call('browser_click', { element: 'Popup', target: 'text=Popup' });
    await browser.call('browser_tabs', { action: 'select', index: 0 });
    await browser.call('browser_click', { element: 'Post', target: 'text=Post' });
    await browser.call('browser_navigate', { url: site });
    await browser.call('browser_click', { element: 'Link', target: 'text=Link' });
    await browser.call('browser_navigate', { url: `${site}/refresh` });

    const redirected = await browser.call('browser_navigate', { url: `${site}/away` });
    assert.ok(redirected.isError);
    assert.match(redirected.text, /denied by the list of allowed domains/);
    const direct = await browser.call('browser_navigate', { url: `${lurker.url}/direct` });
    assert.match(direct.text, /is denied by the list of allowed domains/);
    assert.equal(lurker.connections + lurker.datagrams, 0);
    const denied = (await browser.audit()).map(({ what }) => what).join('\n');
    for (const path of ['/popup', '/form', '/link', '/refresh', '/redirect', '/direct']) assert.match(denied, new RegExp(path));
    assert.match(denied, new RegExp(`127.0.0.1:${lurker.port}`));
  });

  test('is served as ever where the rules let it', async t => {
    const posted = [];
    const site = await serve(t, {
      '/': `<title>Fine</title><script>
        fetch('/data', { method: 'POST', body: 'x'.repeat(300000) }).then(r => r.text()).then(text => { document.title = text; });</script>`,
      '/data': async (request, response) => {
        for await (const chunk of request) posted.push(chunk.length);
        response.end('answered');
      },
    });
    const browser = await open(t, { allowedDomains: ['localhost'] });
    await browser.call('browser_navigate', { url: site });
    assert.match((await browser.call('browser_wait_for', { text: 'nothing', time: 0 })).text, /./);
    const title = await browser.call('browser_evaluate', {
      function: "() => new Promise(done => { const look = () => document.title === 'answered' ? done(document.title) : requestAnimationFrame(look); look(); })",
    });
    assert.match(title.text, /answered/);
    assert.equal(posted.reduce((sum, length) => sum + length, 0), 300000);
    assert.deepEqual(await browser.audit(), []);
  });
});

test('A refusal names its rule and what to do, beside the words of browsers', async t => {
  const site = await serve(t, { '/': '<title>Site</title><a href="http://blocked.test/">Away</a>' });
  const browser = await open(t, {}, { args: ['--blocked-origins', 'http://blocked.test'] });
  const why = /"http:\/\/blocked\.test\/" is denied by the blocked origin http:\/\/blocked\.test \(network\.blockedOrigins\)\. Ask the operator of this server/;
  const { text } = await browser.call('browser_navigate', { url: 'http://blocked.test/' });
  assert.match(text, /page\.goto: net::ERR_BLOCKED_BY_CLIENT at http:\/\/blocked\.test\//);
  assert.match(text, why);
  await browser.call('browser_navigate', { url: site });
  const clicked = await browser.call('browser_click', { target: 'a' });
  assert.match(clicked.sections.Events, why);
  assert.doesNotMatch((await browser.call('browser_snapshot')).text, /is denied by/, 'once');
});

test('Behind rules a host that is not there is called so', async t => {
  const site = await serve(t, { '/': '<title>Site</title>' });
  const browser = await open(t, { allowedDomains: ['localhost', 'nowhere.test'] });
  for (const url of ['http://nowhere.test/', 'https://nowhere.test/']) {
    const { text, isError } = await browser.call('browser_navigate', { url });
    assert.ok(isError, text);
    assert.ok(text.includes(`page.goto: net::ERR_NAME_NOT_RESOLVED at ${url}`), text);
  }
  for (const scheme of ['http', 'https'])
    assert.match((await browser.call('browser_navigate', { url: `${scheme}://localhost:9/` })).text, /net::ERR_(CONNECTION_REFUSED|UNSAFE_PORT)/);
  assert.ok(!(await browser.call('browser_navigate', { url: site })).isError);
});

test('Behind rules a host that is not there is the network error that it is without them', async t => {
  const site = await serve(t, {
    '/': '<title>Site</title>',
    '/away': (request, response) => void response.writeHead(302, { location: 'http://nowhere.test/' }).end(),
    '/fetch': '<title>Fetch</title>',
  });
  const browser = await open(t, { blockedDomains: ['evil.example'] }, { args: ['--caps=toolkit,sessions'] });
  const ask = async (name, given) => (await browser.request('tools/call', { name, arguments: given })).structuredContent;
  for (const url of ['http://nowhere.test/', 'https://nowhere.test/', `${site}/away`]) {
    const { error } = await ask('navigate', { url });
    assert.equal(error.code, 'NETWORK_ERROR', url);
    assert.equal(error.retryable, true, url);
    assert.ok(error.message.includes(`net::ERR_NAME_NOT_RESOLVED at ${url}`), error.message);
    // The browser's own page, not one of the proxy's.
    const place = (await ask('wait_for_load', {})).data;
    assert.equal(place.url, 'chrome-error://chromewebdata/');
    assert.equal(place.status, null);
    assert.equal((await ask('create_session', { sessionId: 'ann', url })).error.code, 'NETWORK_ERROR', url);
  }
  assert.equal((await ask('navigate', { url: `${site}/fetch` })).data.status, 200);
  const { data } = await ask('evaluate', { script: 'fetch("http://nowhere.test/").then(() => "answered", error => error.name)' });
  assert.equal(data, 'TypeError');
});

test('Private networks are kept from pages', async t => {
  const lurker = await lurk(t);
  const browser = await open(t, { denyPrivateNetworks: true });
  for (const url of [lurker.url, `http://localhost:${lurker.port}`, 'http://169.254.169.254/latest/meta-data']) {
    const answer = await browser.call('browser_navigate', { url });
    assert.ok(answer.isError);
    assert.match(answer.text, /denied by security\.denyPrivateNetworks/);
  }
  await browser.call('browser_navigate', { url: 'data:text/html,<title>Inline</title>' });
  await browser.call('browser_evaluate', { function: `() => ${waysOut.fetch(lurker.url)}` });
  await browser.call('browser_evaluate', { function: `() => ${waysOut.webSocket(lurker.url)}` });
  assert.equal(lurker.connections, 0);
});

test('Tools that are forbidden are not listed, and say why when called', async t => {
  const browser = await open(t, { enableScriptEvaluation: false, enableFileUpload: false, blockedTools: ['browser_network_*'] }, { args: ['--caps=network,toolkit'] });
  const { tools } = await browser.request('tools/list', {});
  const names = tools.map(({ name }) => name);
  for (const [name, rule] of [
    ['browser_evaluate', 'enableScriptEvaluation'],
    ['browser_run_code_unsafe', 'enableScriptEvaluation'],
    ['evaluate', 'enableScriptEvaluation'],
    ['browser_route', 'enableScriptEvaluation'],
    ['mock_response', 'enableScriptEvaluation'],
    ['browser_file_upload', 'enableFileUpload'],
    ['browser_drop', 'enableFileUpload'],
    ['upload_file', 'enableFileUpload'],
    ['browser_network_requests', 'blockedTools'],
  ]) {
    assert.ok(!names.includes(name), name);
    const answer = await browser.call(name, {});
    assert.ok(answer.isError);
    assert.match(answer.text, new RegExp(`is denied by security\\.${rule}`));
  }
  assert.ok(names.includes('browser_click'));
  assert.equal((await browser.audit()).length, 9);
  // Nor is an address a script.
  const site = await serve(t, { '/': '<title>Before</title>' });
  await browser.call('browser_navigate', { url: site });
  for (const url of ['javascript:void (document.title = "After")', 'data:text/html,<title>After</title>', `blob:${site}0d0f`]) {
    const script = await browser.call('browser_navigate', { url });
    assert.match(script.text, /"browser_evaluate" is denied by security\.enableScriptEvaluation/, url);
  }
  const { text } = await browser.call('browser_snapshot');
  assert.match(text, /Before/);
  assert.doesNotMatch(text, /After/);
  assert.ok(!(await browser.call('browser_navigate', { url: 'data:text/plain,<title>Plain</title>' })).isError);
});

test('A rule that cannot be enforced keeps the server from starting', async t => {
  const directory = await temporaryDirectory(t);
  const config = join(directory, 'config.json');
  await writeFile(config, JSON.stringify({ security: { denyPrivateNetworks: true } }));
  await assert.rejects(
    startServer(t, troupe, ['--config', config, '--proxy-server', 'http://proxy.example:3128']),
    /ended with 1[^]*would lead around it/,
  );
});

test('This server is out of reach for its own agents', async t => {
  const directory = await temporaryDirectory(t);
  const server = await startServer(t, troupe, ['--headless', '--isolated'], { cwd: directory, env: { HOME: directory, XDG_STATE_HOME: directory } });
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const client = new Client({ name: 'policy', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(server.url('/mcp')));
  t.after(() => client.close());
  for (const host of ['localhost', '127.0.0.1']) {
    const answer = await client.callTool({ name: 'browser_navigate', arguments: { url: `http://${host}:${server.port}/metrics` } });
    assert.ok(answer.isError);
    assert.match(text(answer), /never reach this server/);
  }
  // Nor does a page get there that leads its agent on.
  const site = await serve(t, { '/': `<a href="http://localhost:${server.port}/api/history">The record</a>` });
  await client.callTool({ name: 'browser_navigate', arguments: { url: site } });
  await client.callTool({ name: 'browser_click', arguments: { element: 'The record', target: 'a' } });
  const seen = await client.callTool({ name: 'browser_evaluate', arguments: { function: '() => document.body.innerText' } });
  assert.match(text(seen), /FORBIDDEN/);
});

suite('This server is out of reach for pages', { concurrency: 2 }, () => {
  const ways = ['fetch', 'image', 'script', 'style', 'frame', 'webSocket', 'eventSource', 'worker'];

  test('by whatever name they know it, rebound ones included', async t => {
    const server = await police(t, {}, { browser: { launchOptions: { args: ['--host-resolver-rules=MAP rebound.test 127.0.0.1'] } } });
    const site = await serve(t, { '/': '<title>Site</title>' });
    const agent = await connect(t, server);
    await agent.call('browser_navigate', { url: site });
    for (const host of ['localhost', '127.0.0.1', 'rebound.test']) {
      const listener = `http://${host}:${server.port}`;
      for (const way of ways) {
        const before = (await server.audit()).length;
        await agent.call('browser_evaluate', { function: `async () => { await (${waysOut[way](listener)}); }` });
        await server.audited(`${way} to ${host}`, ({ what }) => what.startsWith(`${listener}/`), before);
      }
    }
    // A page of a name that leads here since it was loaded is of the same origin as what it asks for.
    const rebound = `http://rebound.test:${server.port}`;
    await agent.call('browser_navigate', { url: `${rebound}/api/history` });
    const seen = await agent.call('browser_evaluate', { function: '() => document.body.innerText' });
    assert.match(seen.text, /FORBIDDEN/);
    // Our own answers let no script ask for anything; one that could is refused by its Host.
    const asked = await agent.call('browser_evaluate', { function: "() => fetch('/mcp', { method: 'POST', body: '{}' }).then(({ status }) => status, String)" });
    assert.match(asked.text, /Failed to fetch/);
    const posted = request(server.url('/mcp'), { method: 'POST', headers: { Host: `rebound.test:${server.port}` } });
    posted.end('{}');
    const [answer] = await once(posted, 'response');
    answer.resume();
    assert.equal(answer.statusCode, 403);
    await server.audited('the rebound page', ({ what, rule }) => what === `${rebound}/mcp` && rule === 'server.allowedHosts');
  });

  test('also where a rule allows its host', async t => {
    const server = await police(t, { allowedDomains: ['localhost'] });
    const site = await serve(t, { '/': '<title>Site</title>' });
    const agent = await connect(t, server);
    await agent.call('browser_navigate', { url: site });
    for (const way of ways) {
      const before = (await server.audit()).length;
      await agent.call('browser_evaluate', { function: `async () => { await (${waysOut[way](`http://localhost:${server.port}`)}); }` });
      const { rule } = await server.audited(way, ({ what }) => what === `localhost:${server.port}`, before);
      assert.equal(rule, 'the rule that pages never reach this server');
    }
  });
});
