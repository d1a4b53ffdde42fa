// Secrets and passwords planted wherever a page can put them: no byte that the server sends or writes has them.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';

import { serve } from '../e2e/browser_support.mjs';
import { rules } from '../e2e/policy_support.mjs';
import { startRecording } from '../e2e/record_support.mjs';

const value = 'p@ss "Wörd" & 7/x';
const command = ['printf', '%s\\n', `PASSWORD='${value}'`, 'PIN=48151623'];
const typed = 'Hunter2-of-ann'; // into a password field, and no secret of the configuration
const quoted = text => JSON.stringify(text).slice(1, -1);
const base64 = text => Buffer.from(text).toString('base64');
// However a byte of it may be written.
const ways = [
  value, '48151623', typed,
  encodeURIComponent(value), encodeURI(value), new URLSearchParams({ p: value }).toString().slice(2), escape(value),
  [...Buffer.from(value)].map(byte => '%' + byte.toString(16).padStart(2, '0')).join(''),
  encodeURIComponent(encodeURIComponent(value)),
  quoted(value), quoted(quoted(value)), quoted(quoted(quoted(value))),
  value.replaceAll('"', '""'), value.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  value.replaceAll('ö', '\\u00f6'), quoted(value).replaceAll('ö', '\\u00f6'),
  base64(value), base64(`user:${value}`).slice(8, -4), base64(`us:${value}`).slice(4, -4), Buffer.from(value).toString('hex'),
];

// Shows what it was given in every way that it knows.
const echo = `<!doctype html><title>Echo</title><h1></h1><pre></pre><input id=field><input id=password type=password><input id=code name=pin-code>
<script>
  const quoted = text => JSON.stringify(text).slice(1, -1), base64 = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  const tell = value => {
    const ways = [value, encodeURIComponent(value), encodeURI(value), escape(value), encodeURIComponent(encodeURIComponent(value)), quoted(value),
      quoted(quoted(value)), base64(value), base64('user:' + value), base64('us:' + value), new URLSearchParams({ p: value }).toString(),
      [...new TextEncoder().encode(value)].map(byte => '%' + byte.toString(16)).join(''), [...new TextEncoder().encode(value)].map(byte => byte.toString(16)).join(''),
      value.replaceAll('"', '""'), value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')];
    document.title = value;
    document.querySelector('h1').textContent = value;
    document.querySelector('pre').textContent = ways.join('\\n');
    for (const way of ways) console.log(way);
    console.error(JSON.stringify({ value }));
    document.cookie = 'kept=' + encodeURIComponent(value);
    document.cookie = 'coded=' + base64(value);
    localStorage.kept = value;
    localStorage.json = JSON.stringify({ value, more: JSON.stringify({ value }) });
    fetch('/api?p=' + encodeURIComponent(value), { method: 'POST', body: JSON.stringify({ value }), headers: { 'X-Value': base64(value) } });
    history.replaceState(null, '', '/echo?p=' + encodeURIComponent(value));
    const link = Object.assign(document.createElement('a'), { href: 'data:text/plain,nothing', download: value + '.txt' });
    document.body.append(link);
    window.told = value;
    navigator.modelContext = { getTools: async () => [{ name: 'offer', description: value, inputSchema: { type: 'object', description: quoted(value) } }], invokeTool: async () => value };
  };
  for (const id of ['field', 'password', 'code']) document.getElementById(id).addEventListener('change', event => tell(event.target.value));
</script>`;

async function filesBelow(directory) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
}

// Every text and every decompressed blob of the record, and what SQLite's files hold between them.
function recordTexts(file) {
  const texts = [];
  const database = new DatabaseSync(file, { readOnly: true });
  for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()) {
    let rows = [];
    try {
      rows = database.prepare(`SELECT * FROM "${name}"`).all();
    } catch {
      continue; // an index's own table
    }
    for (const row of rows) {
      for (const cell of Object.values(row)) {
        if (cell instanceof Uint8Array) {
          let bytes = Buffer.from(cell);
          try {
            bytes = zstdDecompressSync(bytes);
          } catch {
            // Not compressed, or a difference to another one.
          }
          texts.push(bytes.toString('latin1'), bytes.toString('utf8'));
        } else {
          texts.push(String(cell));
        }
      }
    }
  }
  database.close();
  return texts.join('\n');
}

test('What is secret is in nothing that leaves the server', async t => {
  const heard = [];
  const site = await serve(t, {
    '/echo': echo,
    '/api': (request, response) => {
      request.on('data', data => heard.push(String(data)));
      request.on('end', () => response.writeHead(200, { 'X-Echo': base64(value), 'Content-Type': 'application/json' }).end(JSON.stringify({ value })));
    },
    '/body': (request, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<title>Body</title><p>${value}</p><style>p::after { content: '48151623' }</style>`),
  });
  const { config, auditFile } = await rules(t, { secretsCommand: command, blockedDomains: ['blocked.test'] }, { saveSession: true });
  const server = await startRecording(t, ['--config', config, '--caps=config,devtools,history,network,sessions,storage,testing,toolkit', '--log-level=trace', '--log-file=server.log']);
  const ann = server.agent('ann');
  const places = {};
  const own = server.agent(''); // whose session has no name
  const call = async (name, args = {}, who = ann) => {
    const answer = await who(name, args).catch(error => ({ error: error.message }));
    const place = `answer of ${name} ${JSON.stringify(args)}`;
    places[place] = JSON.stringify(answer.result ?? answer);
    return answer;
  };
  const works = async (name, args, who) => {
    const answer = await call(name, args, who);
    assert.equal(answer.error, undefined, name);
    assert.ok(!answer.isError, `${name}: ${answer.text}`);
    return answer;
  };

  await works('browser_navigate', { url: `${site}/echo` });
  await works('browser_start_tracing');
  await works('browser_type', { element: 'Field', target: '#field', text: 'PASSWORD', submit: true });
  await works('browser_evaluate', { function: '() => document.querySelector("#field").blur()' });
  await works('browser_snapshot');
  await works('browser_snapshot', { filename: 'page.yml' });
  await works('browser_console_messages', { level: 'debug' });
  await works('browser_console_messages', { level: 'debug', filename: 'console.txt' });
  await works('browser_network_requests', { static: true });
  for (const index of [1, 2, 3]) await call('browser_network_request', { index, filename: `request-${index}.txt` });
  for (const part of ['request-headers', 'request-body', 'response-headers', 'response-body']) await call('browser_network_request', { index: 2, part });
  await works('browser_evaluate', { function: '() => ({ told, [told]: btoa(unescape(encodeURIComponent(told))), n: 48151623, deep: [JSON.stringify({ told })] })' });
  await works('browser_evaluate', { function: '() => told', filename: 'told.json' });
  await works('browser_cookie_list');
  await works('browser_localstorage_list');
  await works('browser_storage_state', { filename: 'state.json' });
  await works('get_cookies');
  const saved = await works('save_state');
  await works('browser_navigate', { url: `${site}/echo` }, own);
  await works('browser_type', { element: 'Field', target: '#field', text: 'PASSWORD', submit: true }, own);
  await works('list_sessions', {}, own);
  await works('session_resume', { sessionId: 'ann' });
  await works('session_resume', { sessionId: 'default' }, own);
  await works('get_text', { selector: 'body' });
  await call('webmcp_offer');
  await works('browser_evaluate', { function: '() => document.querySelector("a").click()' });
  await call('browser_wait_for', { time: 1 });
  await call('browser_find', { text: value });
  await call('browser_navigate', { url: `http://blocked.test/?p=${encodeURIComponent(value)}` });
  await call('browser_navigate', { url: `${site}/body` });
  await call('browser_click', { element: 'x', target: `text=${value}` });
  await call('no_such_tool', { value });

  // Passwords of nobody's configuration: typed, filled, pressed key by key.
  await works('browser_navigate', { url: `${site}/echo` });
  await works('browser_type', { element: 'Field', target: '#password', text: typed });
  await works('browser_type', { element: 'Field', target: '#code', text: typed, slowly: true });
  await works('browser_fill_form', { fields: [{ element: 'x', target: '#password', name: 'x', type: 'textbox', value: typed }] });
  await works('type', { selector: '#password', text: typed });
  await works('fill', { selector: '#password', value: typed });
  await works('browser_snapshot');
  await works('browser_stop_tracing');

  // All that can be read without a tool.
  const listed = await (await fetch(server.url('/api/sessions'))).text();
  places['/api/sessions'] = listed;
  places['/api/history'] = await (await fetch(server.url('/api/history?session_id=ann&limit=100'))).text();
  places['/metrics'] = await (await fetch(server.url('/metrics'))).text();
  for (const words of [['list', '--json'], ['export', '--session', 'ann', '--format', 'playwright-test'], ['export', '--session', 'ann', '--format', 'har']]) {
    const { stdout, stderr, code } = await server.history(...words);
    assert.equal(code, 0, stderr);
    places[`history ${words.join(' ')}`] = stdout;
  }
  places.audit = await readFile(auditFile, 'utf8');

  // The state was saved by the secret's name, and holds its value once it is loaded.
  const state = JSON.parse(await readFile(join(server.directory, 'state.json'), 'utf8').catch(async () => {
    const file = (await filesBelow(server.directory)).find(name => name.endsWith('state.json'));
    return readFile(file, 'utf8');
  }));
  const kept = state.origins.flatMap(({ localStorage }) => localStorage).find(({ name }) => name === 'kept');
  assert.equal(kept.value, '<secret>PASSWORD</secret>');
  assert.equal(state.cookies.find(({ name }) => name === 'kept').value, '<secret as="uri">PASSWORD</secret>');
  const given = JSON.parse(saved.text).data.state;
  const bob = server.agent('bob');
  await bob('browser_navigate', { url: `${site}/body` });
  const restored = await bob('restore_state', { state: given });
  assert.ok(!restored.isError, restored.text);
  heard.length = 0;
  await bob('browser_navigate', { url: `${site}/body` });
  await bob('browser_evaluate', { function: "() => fetch('/api', { method: 'POST', body: JSON.stringify([localStorage.kept, decodeURIComponent(document.cookie)]) }).then(() => 1)" });
  assert.equal(JSON.parse(heard.at(-1))[0], value, 'restored with its value');
  assert.ok(JSON.parse(heard.at(-1))[1].includes(`kept=${value}`), 'the cookie, too');

  server.process.kill('SIGTERM');
  const { code } = await server.end();
  assert.equal(code, 0);
  for (const name of await filesBelow(server.directory)) {
    if (/chromium|\.(png|jpe?g)$/i.test(name) || name.includes('/profile')) continue;
    places[`name of ${name}`] = name;
    places[name] = name.endsWith('record.db') ? recordTexts(name) : (await readFile(name)).toString('utf8');
  }
  assert.ok(Object.keys(places).some(name => name.endsWith('server.log')));
  assert.ok(Object.keys(places).some(name => name.endsWith('record.db')));
  assert.ok(Object.keys(places).some(name => name.endsWith('session.md')));
  assert.ok(Object.keys(places).some(name => name.endsWith('.trace')));
  assert.ok(Object.keys(places).some(name => /-secret-PASSWORD-secret-/.test(name)), 'the download has the name of the secret');
  const shown = [];
  for (const [place, text] of Object.entries(places)) {
    // Answers, and the pages that they link to, are as pages are: only configured secrets are kept from agents.
    const isAnswer = /^answer of |\/page-[^/]*\.yml$/.test(place);
    for (const way of ways) {
      if (isAnswer && way === typed) continue;
      const at = text.indexOf(way);
      if (at >= 0) shown.push(`${place.slice(0, 150)}: ${way} in …${text.slice(Math.max(0, at - 80), at + 60)}`);
    }
  }
  assert.equal(shown.length, 0, `\n${shown.slice(0, 25).join('\n')}\n(${shown.length})`);
});
