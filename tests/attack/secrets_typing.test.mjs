// A frame of another origin that grabs the focus while a secret is typed beside it gets no character of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { serve } from '../e2e/browser_support.mjs';
import { open } from '../e2e/policy_support.mjs';

const value = 'correct-horse-battery-7';
const command = ['printf', '%s\\n', `PASSWORD='${value}'`];
const secretOrigins = { PASSWORD: ['http://localhost:*'] };

const login = `<title>Login</title><input id=password oninput="fetch('/own?v=' + encodeURIComponent(value))">
  <script>document.write('<iframe src="' + location.origin.replace('localhost', '127.0.0.1') + '/grab"></iframe>')</script>`;
const grab = `<input id=trap oninput="fetch('/stolen?v=' + encodeURIComponent(value))"><script>
  addEventListener('keydown', event => fetch('/stolen?v=' + encodeURIComponent(event.key)), true);
  setInterval(() => { window.focus(); trap.focus(); }, 1);
  trap.focus();
  fetch('/ready');
</script>`;
// In the same document, but not the element that was meant.
const jump = `<title>Login</title><input id=password oninput="fetch('/own?v=' + encodeURIComponent(value)); if (value.length === 3) other.focus()">
  <input id=other oninput="fetch('/stolen?v=' + encodeURIComponent(value))">`;

const roads = [
  ['browser_type', { element: 'Password', target: '#password', text: 'PASSWORD', slowly: true }],
  ['browser_type', { element: 'Password', target: '#password', text: 'PASSWORD' }],
  ['browser_fill_form', { fields: [{ element: 'Password', target: '#password', name: 'Password', type: 'textbox', value: 'PASSWORD' }] }],
  ['type', { selector: '#password', text: 'PASSWORD' }],
  ['type', { selector: '#password', text: 'PASSWORD', delay: 3 }],
  ['fill', { selector: '#password', value: 'PASSWORD' }],
];

// Pages that tell this test what they get.
async function site(t) {
  const seen = { own: '', stolen: [], ready: Promise.withResolvers() };
  const note = (request, response, take) => {
    take(new URL(request.url, 'http://localhost').searchParams.get('v'));
    response.end();
  };
  const origin = await serve(t, {
    '/login': login,
    '/grab': grab,
    '/jump': jump,
    '/own': (request, response) => note(request, response, text => { seen.own = text.length > seen.own.length ? text : seen.own; }),
    '/stolen': (request, response) => note(request, response, text => seen.stolen.push(text)),
    '/ready': (request, response) => note(request, response, () => seen.ready.resolve()),
  });
  const reset = () => Object.assign(seen, { own: '', stolen: [], ready: Promise.withResolvers() });
  return { origin, seen, reset };
}

test('A secret goes into the element that was meant and nowhere else, on every road', async t => {
  const { origin, seen, reset } = await site(t);
  const browser = await open(t, { secretsCommand: command, secretOrigins }, { args: ['--caps=toolkit'] });
  for (const [tool, args] of roads) {
    reset();
    await browser.call('browser_navigate', { url: `${origin}/login` });
    await seen.ready.promise;
    const answer = await browser.call(tool, args);
    const road = `${tool} ${JSON.stringify(args)}: ${answer.text}`;
    // What the page has sent has arrived when its next request has.
    await browser.call('browser_evaluate', { function: "() => fetch('/ready').then(() => 1)" });
    assert.deepEqual(seen.stolen, [], road);
    if (answer.isError) {
      const [, typed, all] = /stopped after (\d+) of (\d+) characters/.exec(answer.text) ?? assert.fail(road);
      assert.equal(Number(all), value.length, road);
      assert.equal(seen.own, value.slice(0, Number(typed)), road);
    } else {
      assert.equal(seen.own, value, road);
    }
    assert.ok(!answer.text.includes(value), road);
  }
});

test('Typing stops where the page moves the focus, and says how far it came', async t => {
  const { origin, seen, reset } = await site(t);
  const browser = await open(t, { secretsCommand: command, secretOrigins }, { args: ['--caps=toolkit'] });
  for (const [tool, args] of roads.filter(([, { slowly, text }]) => slowly || text === 'PASSWORD').filter(([tool, { slowly }]) => slowly || tool === 'type')) {
    reset();
    await browser.call('browser_navigate', { url: `${origin}/jump` });
    const answer = await browser.call(tool, args);
    await browser.call('browser_evaluate', { function: "() => fetch('/ready').then(() => 1)" });
    assert.ok(answer.isError, answer.text);
    assert.match(answer.text, /stopped after 3 of 23 characters: something else took the focus/);
    assert.deepEqual(seen.stolen, []);
    assert.equal(seen.own, value.slice(0, 3));
  }
});

test('Pages that listen to keys hear a secret being typed', async t => {
  const keys = [];
  const origin = await serve(t, {
    '/': `<input id=password><script>for (const type of ['keydown', 'beforeinput', 'input', 'keyup'])
      password.addEventListener(type, event => log.push(type + ' ' + (event.key ?? event.data))); var log = []</script>`,
  });
  const browser = await open(t, { secretsCommand: ['printf', '%s\\n', "PIN='ab'"] });
  await browser.call('browser_navigate', { url: origin });
  const answer = await browser.call('browser_type', { element: 'PIN', target: '#password', text: 'PIN', slowly: true });
  assert.ok(!answer.isError, answer.text);
  keys.push(...JSON.parse((await browser.call('browser_evaluate', { function: '() => log' })).sections.Result));
  assert.deepEqual(keys, ['a', 'b'].flatMap(key => ['keydown', 'beforeinput', 'input', 'keyup'].map(type => `${type} ${key}`)));
});
