// Every tool that is given an element by ref or selector, and every way in which there is none to use.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';

const page = `<title>Targets</title>
  <button id=one>One</button><button id=two>Two</button>
  <input id=field aria-label=Field>
  <select id=choice aria-label=Choice><option>a<option>b</select>
  <ul id=list><li>first</li></ul>
  <div id=zone ondragover="event.preventDefault()">Zone</div>
  <div id=hidden style="display: none">hidden</div>`;

const every = 'config,devtools,network,pdf,storage,testing,vision';
const field = (target, more) => ({ fields: [{ target, name: 'Field', type: 'textbox', value: 'x', ...more }] });

// An element that is right for it, and its arguments for any element.
const tools = {
  browser_click: ['#one', target => ({ target })],
  browser_hover: ['#one', target => ({ target })],
  browser_type: ['#field', target => ({ target, text: 'x' })],
  browser_fill_form: ['#field', target => field(target)],
  browser_select_option: ['#choice', target => ({ target, values: ['a'] })],
  browser_drag: ['#one', startTarget => ({ startTarget, endTarget: '#two' })],
  browser_drop: ['#zone', target => ({ target, data: { 'text/plain': 'x' } })],
  browser_evaluate: ['#one', target => ({ target, function: 'element => element.id' })],
  browser_take_screenshot: ['#one', target => ({ target, type: 'png' })],
  browser_snapshot: ['#list', target => ({ target })],
  browser_generate_locator: ['#one', target => ({ target })],
  browser_highlight: ['#one', target => ({ target })],
  browser_hide_highlight: ['#one', target => ({ target })],
  browser_verify_value: ['#field', target => ({ target, type: 'textbox', element: 'Field', value: '' })],
  browser_verify_list_visible: ['#list', target => ({ target, element: 'List', items: ['first'] })],
};
// These do with what is there, seen or not; some with the first of several.
const needsNoSight = ['browser_evaluate', 'browser_snapshot', 'browser_generate_locator', 'browser_highlight', 'browser_hide_highlight', 'browser_verify_value', 'browser_verify_list_visible'];
const takesFirst = ['browser_generate_locator', 'browser_highlight', 'browser_hide_highlight', 'browser_verify_list_visible'];

suite('An element that a tool is given', { concurrency: 2 }, () => {
  test('is tried with every tool that takes one', async t => {
    const browser = await Browser.open(t, { args: [`--caps=${every}`] });
    const { tools: listed } = await browser.request('tools/list');
    const takesOne = ({ inputSchema: { properties } }) => properties.target || properties.startTarget || properties.fields;
    assert.deepEqual(listed.filter(takesOne).map(({ name }) => name).toSorted(), Object.keys(tools).toSorted());
  });

  for (const [tool, [right, argumentsFor]] of Object.entries(tools)) {
    test(`${tool}: there, missing, ambiguous, hidden, no selector at all, or in another tab`, async t => {
      const origin = await serve(t, { '/': page });
      const browser = await Browser.open(t, { args: [`--caps=${every}`, '--timeout-action=500', '--tab-ids'] });
      await browser.call('browser_navigate', { url: origin });
      const fails = async (target, reason) => {
        const { text, isError } = await browser.call(tool, argumentsFor(target));
        assert.ok(isError, `${target}: ${text}`);
        assert.match(text, reason, target);
      };
      await fails('e999', /Ref e999 not found/);
      await fails('#none', /"#none" does not match any elements/);
      await fails('button[', /button\[/);
      if (!takesFirst.includes(tool)) await fails('button', /strict mode violation: locator\('button'\) resolved to 2 elements/);
      if (!needsNoSight.includes(tool)) await fails('#hidden', /visible|not a <select>|not an <input>/i);
      const { text, isError } = await browser.call(tool, { ...argumentsFor(right), targetId: 'another-tab' });
      assert.ok(isError, text);
      assert.match(text, /another-tab/);
      const done = await browser.call(tool, argumentsFor(right));
      assert.ok(!done.isError, done.text);
    });
  }
});
