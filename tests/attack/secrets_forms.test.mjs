// Secrets in the forms that pages, previews of elements and parts of files give them; and short ones, which numbers of
// our own answers equal.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { serve } from '../e2e/browser_support.mjs';
import { open } from '../e2e/policy_support.mjs';

const spaced = 'Tr0ub4dor&3-"horse"  battery';
const plain = 'Xk9vQ2mLz7Rt4Wp8';
const base64 = text => Buffer.from(text).toString('base64');
const ways = {
  plain,
  spaced,
  squeezed: spaced.replace(/ +/g, ' '),
  upper: plain.toUpperCase(),
  cut: plain.slice(0, 6),
  json: base64(JSON.stringify({ value: spaced })).slice(14, -6),
  uri: base64(encodeURIComponent(spaced)).slice(0, -4),
  zero: base64(`\0${plain}`).slice(4, -4),
};

test('A secret is recognized in every form that a page gives it', async t => {
  const site = await serve(t, {
    '/': `<meta charset=utf8><title>Forms</title><p id=spaced></p><button id=long></button><button id=short></button>
      <div id=upper style="text-transform: uppercase"></div><div id=cover style="position: fixed; inset: 0; display: none"></div><script>
      const spaced = ${JSON.stringify(spaced)}, plain = '${plain}';
      document.querySelector('#spaced').textContent = spaced;
      document.querySelector('#upper').textContent = plain;
      document.querySelector('#long').textContent = 'a'.repeat(188) + plain;
      document.querySelector('#short').textContent = plain;
      Object.assign(document.querySelector('#cover'), { title: 'x'.repeat(470) + plain, textContent: 'y'.repeat(40) + plain });
      console.log({ said: 'z'.repeat(45) + plain + 'z'.repeat(60) });</script>`,
  });
  const browser = await open(
    t,
    { secretsCommand: ['printf', '%s\\n', `SPACED='${spaced}'`, `PLAIN=${plain}`] },
    { args: ['--caps=devtools,network,sessions,storage,testing,toolkit', '--timeout-action=2000'] },
  );
  const shown = [];
  const call = async (name, args = {}) => {
    const text = JSON.stringify(await browser.call(name, args).catch(error => ({ error: error.message })));
    for (const [way, form] of Object.entries(ways)) if (text.includes(form)) shown.push(`${name} ${JSON.stringify(args)}: ${way}`);
    return text;
  };
  await call('browser_navigate', { url: site });
  await call('browser_snapshot');
  await call('browser_console_messages', { level: 'debug' });
  await call('get_text', { selector: 'body' });
  await call('find_elements', { selector: 'button' });
  await call('browser_evaluate', { function: '() => ({ json: btoa(JSON.stringify({ value: spaced })), uri: btoa(encodeURIComponent(spaced)), zero: btoa("\\0" + plain) })' });
  await call('browser_evaluate', { function: "() => { cover.style.display = 'block' }" });
  const covered = await call('browser_click', { element: 'Button', target: '#short' });
  assert.match(covered, /id=/, 'the error shows the element that is in the way');
  assert.deepEqual(shown, []);
});

test('A short secret breaks no list and no file', async t => {
  const site = await serve(t, {
    '/': `<title>PIN</title><input id=pin><p></p><script>
      document.querySelector('p').textContent = sessionStorage.pin ? 'Told' : 'Nothing';
      navigator.modelContext = { invokeTool: async () => 1, getTools: async () => [
        { name: 'fine', inputSchema: { type: 'object', properties: { a: { type: 'number', maximum: 5 } } } },
        { name: 'told', inputSchema: { type: 'object', properties: { a: { type: 'number', maximum: Number(sessionStorage.pin ?? 5) } } } }] };
      document.querySelector('#pin').onchange = event => { sessionStorage.pin = event.target.value; location.reload(); };</script>`,
  });
  const browser = await open(
    t,
    { secretsCommand: ['printf', '%s\\n', 'PIN=48151623', 'SIZE=256', 'MANY=10000000'] },
    { args: ['--caps=devtools,sessions,storage,toolkit'] },
  );
  const offered = async () => (await browser.request('tools/list')).tools.map(({ name }) => name).filter(name => name.startsWith('webmcp_'));
  await browser.call('browser_navigate', { url: site });
  assert.deepEqual(await offered(), ['webmcp_fine', 'webmcp_told']);
  await browser.call('browser_type', { element: 'PIN', target: '#pin', text: 'PIN', submit: true });
  await browser.call('browser_wait_for', { text: 'Told' });
  await browser.call('browser_snapshot');
  assert.deepEqual(await offered(), ['webmcp_fine']);

  await browser.call('browser_evaluate', { function: "() => { document.cookie = 'a=256; max-age=9999'; localStorage.n = 256 }" });
  await browser.call('browser_storage_state', { filename: 'state.json' });
  const state = JSON.parse(await readFile(join(browser.directory, 'state.json'), 'utf8'));
  assert.equal(state.cookies[0].value, '<secret>SIZE</secret>');
  assert.equal(typeof state.cookies[0].expires, 'number');
});

test('A secret within binary data is in no file of the network', async t => {
  const data = Buffer.concat([Buffer.from([0x89, 0, 0xff]), Buffer.from(plain), Buffer.from([0xff, 0])]);
  const site = await serve(t, {
    '/': `<title>Data</title><script>fetch('/data')</script>`,
    '/data': (request, response) => response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end(data),
  });
  for (const content of ['embed', 'attach']) {
    const browser = await open(
      t,
      { secretsCommand: ['printf', '%s\\n', `PLAIN=${plain}`] },
      { config: { browser: { contextOptions: { recordHar: { path: 'network.har', content } } } } },
    );
    await browser.call('browser_navigate', { url: site });
    await browser.call('browser_close');
    const { log } = JSON.parse(await readFile(join(browser.directory, 'network.har'), 'utf8'));
    const body = log.entries.find(each => each.request.url.endsWith('/data')).response.content;
    const kept = content === 'embed' ? Buffer.from(body.text, 'base64') : await readFile(join(browser.directory, body._file));
    assert.equal(kept.length, data.length, content);
    assert.deepEqual([...kept.subarray(0, 3)], [0x89, 0, 0xff], content);
    assert.ok(!kept.includes(plain), content);
  }
});
