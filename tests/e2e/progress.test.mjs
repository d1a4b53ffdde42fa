// What a client learns of a call that takes long, and what it tells the server about itself meanwhile.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { mkdir, realpath } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { temporaryDirectory } from './support.mjs';

const slow = milliseconds => (request, response) => void setTimeout(() => response.end('<title>Slow</title>late'), milliseconds);

suite('A client that asks for progress', () => {
  // Calls a tool and gives what was told of it.
  const follow = async (browser, name, args) => {
    const token = `of ${name}`;
    await browser.request('tools/call', { name, arguments: args, _meta: { progressToken: token } });
    const told = browser.child.stdout.items.map(line => JSON.parse(line))
      .filter(({ method, params }) => method === 'notifications/progress' && params.progressToken === token);
    told.reduce((last, { params }) => (assert.ok(params.progress > last), params.progress), -1);
    return told.map(({ params }) => params.message);
  };

  test('hears of the browser, of each phase of a navigation and of the fields of a form', async t => {
    const origin = await serve(t, { '/': '<title>Form</title><input id="a"><input id="b">' });
    const browser = await Browser.open(t);

    const navigation = (await follow(browser, 'browser_navigate', { url: `${origin}/` })).join('\n');
    for (const step of [/waiting for .*browser/, /navigating to "/, /the document of \S+ has come/, /waiting for the page to settle/])
      assert.match(navigation, step);
    const fields = ['a', 'b'].map(id => ({ name: id, type: 'textbox', target: `#${id}`, value: 'x' }));
    const form = (await follow(browser, 'browser_fill_form', { fields })).join('\n');
    assert.match(form, /field 1 of 2[^]*locator\.fill[^]*field 2 of 2/);
    assert.match((await follow(browser, 'browser_wait_for', { text: 'x', textGone: 'y' })).join('\n'), /waiting for getByText\("?'?y/);
  });

  test('hears what a tool waits for, and no longer of what is over', async t => {
    const origin = await serve(t, { '/': '<title>Waits</title><p id="a" hidden>a</p>' });
    const browser = await Browser.open(t, { args: ['--caps=toolkit'] });
    const last = told => told.filter(step => !/settle/.test(step)).at(-1);

    // Before there is a page.
    assert.equal(last(await follow(browser, 'browser_wait_for', { time: 0.01 })), 'waiting 0.01 seconds');
    assert.equal(last(await follow(browser, 'browser_evaluate', { function: '() => 1' })), 'running JavaScript in the page');
    await browser.call('browser_navigate', { url: `${origin}/` });
    assert.equal(last(await follow(browser, 'wait_for_selector', { selector: '#a', timeout: 50 })), 'waiting for #a to be visible');
    assert.equal(last(await follow(browser, 'evaluate', { script: '1' })), 'running JavaScript in the page');
    assert.ok((await follow(browser, 'get_text', { selector: '#a' })).includes('waiting for #a'));
    assert.ok((await follow(browser, 'browser_snapshot', {})).includes('the tool is running'));
  });

  test('hears of the calls that come first', async t => {
    const origin = await serve(t, { '/': '<title>First</title>', '/slow': slow(1000) });
    const browser = await Browser.open(t);
    await browser.call('browser_navigate', { url: `${origin}/` });
    const first = browser.call('browser_navigate', { url: `${origin}/slow` });
    const told = await follow(browser, 'browser_snapshot', {});
    await first;
    assert.match(told[0], /waiting for the calls before it in its session: 1/);
  });

  test('hears nothing when it did not ask', async t => {
    const browser = await Browser.open(t);
    await browser.call('browser_navigate', { url: 'data:text/html,x' });
    assert.ok(!browser.child.stdout.items.some(line => line.includes('notifications/progress')));
  });
});

test('A client whose workspace changes is asked for it again', async t => {
  const directory = await realpath(await temporaryDirectory(t));
  const roots = [join(directory, 'first'), join(directory, 'second')];
  for (const root of roots) await mkdir(root);
  const browser = await Browser.open(t, { capabilities: { roots: { listChanged: true } } });
  const asked = [];
  const answer = async root => {
    const line = await browser.child.stdout.first('the question for its roots', each => {
      const { method, id } = JSON.parse(each);
      return method === 'roots/list' && !asked.includes(id);
    });
    const { id } = JSON.parse(line);
    asked.push(id);
    browser.child.send({ jsonrpc: '2.0', id, result: { roots: [{ uri: pathToFileURL(root).href }] } });
  };
  const snapshot = () => browser.request('tools/call', { name: 'browser_snapshot', arguments: { filename: 'page.yml' } });

  const opening = browser.request('tools/call', { name: 'browser_navigate', arguments: { url: 'data:text/html,x' } });
  await answer(roots[0]);
  await opening;
  await snapshot();
  browser.child.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
  const again = snapshot();
  await answer(roots[1]);
  await again;
  await snapshot();

  assert.equal(asked.length, 2);
});
