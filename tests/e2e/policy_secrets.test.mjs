// Secrets are typed where they belong, and shown nowhere.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { serve } from './browser_support.mjs';
import { open, rules } from './policy_support.mjs';
import { startRecording } from './record_support.mjs';
import { start, troupe } from './support.mjs';

const value = 'p@ss "w" & ö';
const quoted = text => JSON.stringify(text).slice(1, -1);
const ways = [value, encodeURIComponent(value), new URLSearchParams({ p: value }).toString().slice(2), quoted(value), quoted(quoted(value)), quoted(quoted(quoted(value)))];
const command = ['printf', '%s\\n', `PASSWORD='${value}'`];

// Tells what was typed in every way it can.
const login = `<title>Login</title><input id=password oninput="document.title = value; console.log('typed', value); console.log(JSON.stringify({ value })); fetch('/echo?p=' + encodeURIComponent(value))">`;
const pages = {
  '/login': login,
  '/echo': '',
  '/framed': '<title>Framed</title><iframe name=inner srcdoc="<input id=same>"></iframe><iframe sandbox=allow-scripts srcdoc="<input id=sandboxed>"></iframe><script>document.write(`<iframe src="${location.origin.replace("localhost", "127.0.0.1")}/login"></iframe>`)</script>',
};

const secretOrigins = { PASSWORD: ['http://localhost:*'] };

test('A secret is typed at its origins and nowhere else', async t => {
  const site = await serve(t, pages);
  const browser = await open(t, { secretsCommand: command, secretOrigins }, { args: ['--caps=toolkit'] });
  const typed = selector => browser.call('browser_type', { element: 'Password', target: selector, text: 'PASSWORD' });
  const held = async selector => (await browser.call('get_value', { selector })).text;

  await browser.call('browser_navigate', { url: `${site}/login` });
  assert.ok(!(await typed('#password')).isError);
  assert.match(await held('#password'), /<secret>PASSWORD<\/secret>/);

  await browser.call('browser_navigate', { url: `${site.replace('localhost', '127.0.0.1')}/login` });
  for (const [tool, args] of [
    ['browser_type', { element: 'Password', target: '#password', text: 'PASSWORD', slowly: true }],
    ['browser_fill_form', { fields: [{ element: 'Password', target: '#password', name: 'Password', type: 'textbox', value: 'PASSWORD' }] }],
    ['type', { selector: '#password', text: 'PASSWORD' }],
    ['fill', { selector: '#password', value: 'PASSWORD' }],
  ]) {
    const answer = await browser.call(tool, args);
    assert.ok(answer.isError, tool);
    assert.match(answer.text, /denied by security\.secretOrigins: it is not for http:\/\/127\.0\.0\.1/, tool);
  }
  assert.match(await held('#password'), /"value":""/);

  // A frame of the page's own gets it; a foreign one, or one without an origin, does not.
  await browser.call('browser_navigate', { url: `${site}/framed` });
  assert.ok(!(await typed("locator('iframe[name=inner]').contentFrame().locator('#same')")).isError);
  assert.match((await typed("locator('iframe[sandbox]').contentFrame().locator('#sandboxed')")).text, /it is not for null/);
  assert.match((await typed("locator('iframe[src]').contentFrame().locator('#password')")).text, /it is not for http:\/\/127\.0\.0\.1/);

  const denied = await browser.audit();
  assert.equal(denied.length, 6);
  for (const { what, rule } of denied) {
    assert.match(what, /^secret PASSWORD at /);
    assert.equal(rule, 'security.secretOrigins');
  }
});

async function filesBelow(directory) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
}

test('A secret is shown nowhere: answers, files, logs, the record, its history and exports, the audit log', async t => {
  const site = await serve(t, pages);
  const { config, auditFile: file } = await rules(t, { secretsCommand: command, secretOrigins, blockedDomains: ['blocked.test'] }, { saveSession: true });
  const server = await startRecording(t, ['--config', config, '--caps=toolkit,devtools', '--log-level=trace', '--log-file=server.log']);
  const answers = [];
  const shopper = server.agent('shopper');
  const call = async (...args) => {
    const answer = await shopper(...args);
    answers.push(answer);
    return answer;
  };
  await call('browser_navigate', { url: `${site}/login` });
  await call('browser_start_tracing');
  await call('browser_type', { element: 'Password', target: '#password', text: 'PASSWORD' });
  await call('browser_type', { element: 'Password', target: '#password', text: 'PASSWORD', slowly: true });
  await call('browser_snapshot');
  await call('browser_console_messages', { level: 'debug' });
  await call('browser_network_requests', { static: true });
  await call('browser_evaluate', { function: "() => document.querySelector('#password').value" });
  // Whoever knows it anyhow cannot make the server tell it on.
  await call('browser_navigate', { url: `http://blocked.test/?p=${encodeURIComponent(value)}` });
  await call('browser_press_key', { key: 'x' });
  await call('browser_stop_tracing');
  assert.match(answers.map(({ text }) => text).join('\n'), /<secret>PASSWORD<\/secret>/);

  const places = { answers: JSON.stringify(answers.map(({ result }) => result)), audit: await readFile(file, 'utf8') };
  assert.match(places.audit, /blocked\.test/);
  for (const words of [['list', '--json'], ['show', ...answers.map(({ ref }) => ref)], ['export', '--session', 'shopper', '--format', 'playwright-test'], ['export', '--session', 'shopper', '--format', 'har']]) {
    const { stdout, code, stderr } = await server.history(...words);
    assert.equal(code, 0, stderr);
    places[`history ${words[0]} ${words.at(-1)}`] = stdout;
  }
  for (const name of await filesBelow(server.directory)) {
    if (/\.(md|log|yml|trace|network|json)$/.test(name)) places[name] = await readFile(name, 'utf8');
  }
  assert.ok(Object.keys(places).some(name => name.endsWith('server.log')));
  assert.ok(Object.keys(places).some(name => name.endsWith('session.md')));
  for (const [place, text] of Object.entries(places)) {
    for (const way of ways) assert.ok(!text.includes(way), `${place} shows it: …${text.slice(Math.max(0, text.indexOf(way) - 100), text.indexOf(way) + 60)}`);
  }
  // Nor key by key.
  const log = places[Object.keys(places).find(name => name.endsWith('server.log'))];
  assert.doesNotMatch(log, /dispatchKeyEvent[^\n]*params/);
  assert.match(log, /dispatchKeyEvent/);
  assert.match(log, /message="?troupe\.typeConfined"?$/m);
  assert.match(log, /callFunctionOn[^\n]*\*\*\*/, 'it was in the log, and hidden');
});

test('A server whose secrets are not as they should be does not start', async t => {
  for (const [security, why] of [
    [{ secretsCommand: ['false'] }, /secretsCommand failed/],
    [{ secretsCommand: command, secretOrigins: { PASWORD: 'https://x.test' } }, /binds PASWORD, and there is no such secret/],
  ]) {
    const { config } = await rules(t, security);
    const child = start(t, troupe, ['--config', config]);
    assert.equal((await child.end()).code, 1);
    assert.match(child.stderr.items.join('\n'), why);
    assert.doesNotMatch(child.stderr.items.join('\n'), /p@ss/);
  }
});
