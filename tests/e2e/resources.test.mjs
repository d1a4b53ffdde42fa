// A session's pages, pictures and files as resources: listed, read, completed, subscribed to, and its owner's only.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { agent, client as identity, Inbox, postStateless, startServer, temporaryDirectory, troupe } from './support.mjs';

const pages = {
  '/': `<title>First</title><button id="go" class="big">Go</button><a href="/file" download="a file.txt">Get</a>
    <script>fetch('/missing')</script>`,
  '/next': '<title>Next</title><h1>Next</h1>',
  '/stuck': `<title>Stuck</title><script>new EventSource('/events').onmessage = () => { for (;;); }</script>`,
  '/file': (request, response) => response.writeHead(200, { 'Content-Type': 'text/plain' }).end('contents'),
};

const read = async (browser, uri) => (await browser.request('resources/read', { uri })).contents[0];
const readJson = async (browser, uri) => JSON.parse((await read(browser, uri)).text);
const updated = (browser, uri) =>
  browser.child.stdout.first(`an update of ${uri}`, line => {
    const { method, params } = JSON.parse(line);
    return method === 'notifications/resources/updated' && params.uri === uri;
  });
const listed = async browser => (await browser.request('resources/list', {})).resources.map(({ uri }) => uri);
const pageUri = async browser => (await listed(browser)).find(uri => /^playwright:\/\/\/page\/[^/]+\/[^/]+$/.test(uri));

test('a session has its resources once it has pages, and listing opens nothing', async t => {
  const origin = await serve(t, pages);
  const browser = await Browser.open(t);

  assert.deepEqual(await listed(browser), []);
  const { resourceTemplates } = await browser.request('resources/templates/list', {});
  assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate === 'playwright:///element/{session}/{page}/{ref}'));

  await browser.call('browser_navigate', { url: `${origin}/` });
  const page = await pageUri(browser);
  const [, id] = /page\/default\/(.+)$/.exec(page);
  assert.deepEqual(await listed(browser), [
    'playwright:///session/default', page, `${page}/snapshot`, `playwright:///network-log/default/${id}`]);

  const session = await readJson(browser, 'playwright:///session/default');
  assert.equal(session.state, 'active');
  assert.deepEqual(session.pages, [{ uri: page, pageId: id, url: `${origin}/`, current: true }]);

  const facts = await readJson(browser, page);
  assert.equal(facts.title, 'First');
  assert.deepEqual(facts.viewport, { width: 1280, height: 720, scale: 1 });
  assert.equal(facts.status, 200);
  assert.ok(Math.abs(Date.parse(facts.created) - Date.now()) < 60_000);

  const { text: snapshot, mimeType } = await read(browser, `${page}/snapshot`);
  assert.equal(mimeType, 'application/yaml');
  const [, ref] = /button "Go" \[ref=(e\d+)\]/.exec(snapshot);
  const element = await readJson(browser, `playwright:///element/default/${id}/${ref}`);
  assert.equal(element.selector, "getByRole('button', { name: 'Go' })");
  assert.equal(element.tag, 'button');
  assert.equal(element.attributes.class, 'big');
  assert.ok(element.box.width > 0);
  const several = browser.request('resources/read', { uri: `playwright:///element/default/${id}/${encodeURIComponent('body, button')}` });
  await assert.rejects(several, /Resource not found: .*strict mode violation/s);

  const log = await readJson(browser, `playwright:///network-log/default/${id}`);
  assert.equal(log.counts.total, log.entries.length);
  assert.ok(log.entries.some(({ url, status, resourceType }) =>
    url === `${origin}/missing` && status === 404 && resourceType === 'fetch'));
});

test('pictures and downloads can be read', async t => {
  const origin = await serve(t, pages);
  const browser = await Browser.open(t);
  await browser.call('browser_navigate', { url: `${origin}/` });
  const [, id] = /page\/default\/(.+)$/.exec(await pageUri(browser));

  const now = await read(browser, `playwright:///screenshot/default/${id}/now`);
  assert.equal(now.mimeType, 'image/png');
  assert.equal(Buffer.from(now.blob, 'base64').subarray(1, 4).toString(), 'PNG');

  await browser.call('browser_take_screenshot', { type: 'jpeg' });
  const kept = (await listed(browser)).find(uri => uri.startsWith('playwright:///screenshot/'));
  const { blob, mimeType } = await read(browser, kept);
  assert.equal(mimeType, 'image/jpeg');
  assert.equal(Buffer.from(blob, 'base64').readUInt16BE(0), 0xffd8);

  await browser.call('browser_click', { target: 'a' });
  let download;
  while (!download) {
    await browser.call('browser_snapshot');
    download = (await listed(browser)).find(uri => uri.startsWith('playwright:///download/'));
  }
  assert.equal((await read(browser, download)).text, 'contents');
});

test('nobody subscribes to what cannot be', async t => {
  const origin = await serve(t, pages);
  const browser = await Browser.open(t);
  await browser.request('resources/subscribe', { uri: 'playwright:///session/default' });
  await browser.call('browser_navigate', { url: `${origin}/` });
  for (const uri of ['playwright:///page/default/NOPE', 'playwright:///page/default/NOPE/snapshot', 'playwright:///session/nope'])
    await assert.rejects(browser.request('resources/subscribe', { uri }), { code: -32002 }, uri);
  await browser.request('resources/subscribe', { uri: await pageUri(browser) });
});

test('subscribers are told of navigations, once for what happens together', async t => {
  const origin = await serve(t, pages);
  const browser = await Browser.open(t);
  await browser.call('browser_navigate', { url: `${origin}/` });
  const page = await pageUri(browser);
  await browser.request('resources/subscribe', { uri: page });

  await browser.call('browser_navigate', { url: `${origin}/next` });
  await updated(browser, page);
  assert.equal((await readJson(browser, page)).title, 'Next');
  const notices = browser.child.stdout.items.filter(line => line.includes('resources/updated'));
  assert.ok(notices.length <= 2, `${notices.length} notifications for one navigation`);
  assert.ok(notices.every(line => JSON.parse(line).params.uri === page));

  await browser.call('browser_tabs', { action: 'new' });
  await browser.child.stdout.first('a changed list', line => line.includes('notifications/resources/list_changed'));
  await browser.call('browser_tabs', { action: 'close', index: 0 });
  await assert.rejects(read(browser, page), { code: -32002 });
});

test('subscribers are told of what happens in a page, by itself or by an action', async t => {
  const origin = await serve(t, {
    ...pages,
    '/lively': `<title>Lively</title><input id="name"><p id="said"></p><script>
      const acts = {
        change: () => { document.querySelector('#said').textContent += 'more '; },
        log: () => console.log('a word'),
        request: () => void fetch('/missing'),
      };
      new EventSource('/acts').onmessage = ({ data }) => acts[data]();
    </script>`,
    '/acts': (request, response) => {
      acting = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      acting.write(':\n\n');
    },
  });
  let acting;
  const browser = await Browser.open(t);
  await browser.call('browser_navigate', { url: `${origin}/lively` });
  const page = await pageUri(browser);
  const resources = { page, snapshot: `${page}/snapshot`, requests: page.replace('page', 'network-log') };
  for (const uri of Object.values(resources)) await browser.request('resources/subscribe', { uri });
  // Each waits for a notification of its own.
  const heard = async (uri, act) => {
    browser.child.stdout.items.length = 0;
    await act();
    await updated(browser, uri);
  };
  const actInPage = name => () => acting.write(`data: ${name}\n\n`);

  await heard(resources.snapshot, actInPage('change'));
  await heard(resources.snapshot, actInPage('change'));
  await heard(resources.page, actInPage('log'));
  await heard(resources.requests, actInPage('request'));
  await heard(resources.snapshot, () => browser.call('browser_type', { target: '#name', text: 'Ada' }));
  await heard(resources.snapshot, () => browser.call('browser_navigate', { url: `${origin}/next` }));

  const newList = browser.child.stdout.first.bind(browser.child.stdout, 'a longer list', line => line.includes('resources/list_changed'));
  browser.child.stdout.items.length = 0;
  await browser.call('browser_take_screenshot', {});
  await newList();
  await browser.call('browser_navigate', { url: origin });
  browser.child.stdout.items.length = 0;
  await browser.call('browser_click', { target: 'a' });
  await newList();
});

test('what is larger than a client takes is read in parts', async t => {
  const text = 'a "quoted" ä\n'.repeat(200_000);
  const origin = await serve(t, {
    '/': '<a href="/file" download="big.txt">Get</a>',
    '/file': (request, response) => response.writeHead(200, { 'Content-Type': 'text/plain' }).end(text),
  });
  const config = JSON.stringify({ session: { maxResultBytes: 1_000_000 } });
  const directory = await temporaryDirectory(t);
  await writeFile(`${directory}/config.json`, config);
  const browser = await Browser.open(t, { args: ['--config', `${directory}/config.json`] });
  await browser.call('browser_navigate', { url: origin });
  const listing = browser.child.stdout.first('the download', line => line.includes('resources/list_changed') && line.length < 200);
  await browser.call('browser_click', { target: 'a' });
  await listing;
  let download;
  while (!download) download = (await listed(browser)).find(uri => uri.includes('/download/'));

  const refused = await read(browser, download).then(assert.fail, error => error);
  assert.match(refused.message, /too large for one answer\. It has \d+ bytes; an answer may have 1000000/);
  const [, last] = /\?part=1 to \S+\?part=(\d+)\./.exec(refused.message);
  let whole = '';
  for (let part = 1; part <= last; ++part) whole += (await read(browser, `${download}?part=${part}`)).text;
  assert.ok(whole === text);
  await assert.rejects(read(browser, `${download}?part=${Number(last) + 1}`), { code: -32002 });
});

test('a hung page tells what is known of it, and holds nobody up', async t => {
  // An answer waits for what a page does soon after it has loaded, so this one hangs when it is told to.
  let events;
  const origin = await serve(t, {
    ...pages,
    '/events': (request, response) => {
      events = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      events.write(':\n\n');
    },
  });
  const browser = await Browser.open(t);
  await browser.call('browser_navigate', { url: `${origin}/stuck` });
  const page = await pageUri(browser);
  events.write('data: hang\n\n');

  let facts;
  do facts = await readJson(browser, page);
  while (facts.responsive);
  assert.equal(facts.url, `${origin}/stuck`);
  await assert.rejects(read(browser, `${page}/snapshot`), { code: -32603 });
});

test('completion knows sessions, pages and recorded calls', async t => {
  const origin = await serve(t, pages);
  const browser = await Browser.open(t);
  await browser.call('browser_navigate', { url: `${origin}/` });
  const [, id] = /page\/default\/(.+)$/.exec(await pageUri(browser));
  const complete = async (uri, name, value, context) =>
    (await browser.request('completion/complete', {
      ref: { type: 'ref/resource', uri }, argument: { name, value }, context: { arguments: context },
    })).completion.values;

  assert.deepEqual(await complete('playwright:///session/{session}', 'session', 'd'), ['default']);
  assert.deepEqual(await complete('playwright:///page/{session}/{page}', 'page', '', { session: 'default' }), [id]);
  const [call] = await complete('playwright:///content/{ref_id}', 'ref_id', '');
  assert.match((await read(browser, `playwright:///content/${call}`)).text, /button "Go"/);
  await assert.rejects(read(browser, `playwright:///content/${call.replace(/^./, c => (c === '0' ? '1' : '0'))}`),
    { code: -32002 });
});

test('rules about tools hold for resources, too', async t => {
  const origin = await serve(t, pages);
  const cwd = await temporaryDirectory(t);
  await writeFile(`${cwd}/troupe.json`, JSON.stringify({ security: { blockedTools: ['browser_take_screenshot'] } }));
  const browser = await Browser.open(t, { cwd, args: ['--config', 'troupe.json'] });
  await browser.call('browser_navigate', { url: `${origin}/` });
  const [, id] = /page\/default\/(.+)$/.exec(await pageUri(browser));

  await assert.rejects(read(browser, `playwright:///screenshot/default/${id}/now`), /security\.blockedTools/);
});

// A client of the handshake over HTTP.
async function connect(server) {
  let session;
  const send = async message => {
    const response = await fetch(server.url('/mcp'), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...(session && { 'Mcp-Session-Id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    session ??= response.headers.get('mcp-session-id');
    const body = await response.text();
    return body && JSON.parse(body.startsWith('{') ? body : body.split('\n').findLast(line => line.startsWith('data: ')).slice(6));
  };
  const request = async (method, params) => {
    const { result, error } = await send({ id: 1, method, params });
    if (error) throw Object.assign(new Error(error.message), error);
    return result;
  };
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity });
  await send({ method: 'notifications/initialized' });
  const events = new Inbox();
  const listen = async signal => {
    const stream = await fetch(server.url('/mcp'), {
      headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': session }, signal });
    collect(stream, events);
  };
  return { request, events, listen };
}

// Puts each message of an event stream into the inbox; ends with the stream.
async function collect(stream, inbox) {
  let text = '';
  try {
    for await (const chunk of stream.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop();
      for (const line of lines) if (line.startsWith('data: {')) inbox.push(JSON.parse(line.slice(6)));
    }
  } catch {} // the test has ended
}

test("another client's resources are not there, and it is told of nothing", async t => {
  const origin = await serve(t, pages);
  const server = await startServer(t, troupe, ['--headless', '--isolated'], { cwd: await temporaryDirectory(t) });
  const stop = new AbortController();
  t.after(() => stop.abort());
  const [ann, bob] = await Promise.all([connect(server), connect(server)]);
  await Promise.all([ann.listen(stop.signal), bob.listen(stop.signal)]);
  const open = (client, path) =>
    client.request('tools/call', { name: 'browser_navigate', arguments: { url: origin + path } });

  await open(ann, '/');
  const page = await pageUri(ann);
  for (const client of [ann, bob]) {
    await client.request('resources/subscribe', { uri: page });
    await client.request('resources/subscribe', { uri: 'playwright:///session/default' });
  }
  await assert.rejects(read(bob, page), { code: -32002 });
  await assert.rejects(read(bob, `${page}/snapshot`), { code: -32002 });
  assert.deepEqual(await listed(bob), []);

  await open(ann, '/next');
  await ann.events.first('the update', ({ params }) => params?.uri === page);
  await open(bob, '/next');
  await bob.events.first('its own update', ({ params }) => params?.uri === 'playwright:///session/default');
  assert.ok(!bob.events.items.some(({ params }) => params?.uri === page));
});

test('subscriptions/listen tells a stateless client of its named session', async t => {
  const origin = await serve(t, pages);
  const server = await startServer(t, troupe, ['--headless', '--isolated'], { cwd: await temporaryDirectory(t) });
  const ann = agent(server, 'ann');
  await ann('browser_navigate', { url: `${origin}/` });
  const post = (method, params, signal) => postStateless(server, method, params, { signal });
  const session = JSON.parse(
    (await (await post('resources/read', { uri: 'playwright:///session/ann' })).json()).result.contents[0].text);
  const page = session.pages[0].uri;
  // Without an owner a name is all there is: it is not told.
  assert.deepEqual((await (await post('resources/list', {})).json()).result.resources, []);

  const stop = new AbortController();
  t.after(() => stop.abort());
  const inbox = new Inbox();
  collect(await post('subscriptions/listen', { notifications: { resourceSubscriptions: [page] } }, stop.signal), inbox);
  await inbox.first('the acknowledgement', ({ method }) => method === 'notifications/subscriptions/acknowledged');
  await ann('browser_navigate', { url: `${origin}/next` });
  const { params } = await inbox.first('the update', ({ method }) => method === 'notifications/resources/updated');
  assert.equal(params.uri, page);
});
