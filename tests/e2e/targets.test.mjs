// Every tool that is given an element, and every way in which there is none to use.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';

const page = `<title>Targets</title>
  <button id=one>One</button><button id=two>Two</button>
  <input id=field aria-label=Field>
  <select id=choice aria-label=Choice><option>a<option>b</select>
  <div id=hidden style="display: none">hidden</div>`;

// With the argument that names its element, and what it needs besides.
const tools = {
  browser_click: ['target', {}],
  browser_hover: ['target', {}],
  browser_type: ['target', { text: 'x' }],
  browser_select_option: ['target', { values: ['a'] }],
  browser_drag: ['startTarget', { endTarget: '#two' }],
  browser_drop: ['target', { data: { 'text/plain': 'x' } }],
  browser_evaluate: ['target', { function: 'element => element.id' }],
  browser_take_screenshot: ['target', { type: 'png' }],
  browser_generate_locator: ['target', {}],
  browser_highlight: ['target', {}],
  browser_verify_value: ['target', { type: 'textbox', element: 'Field', value: '' }],
};
// These do with what is there, seen or not; some with the first of several.
const needsNoSight = ['browser_evaluate', 'browser_generate_locator', 'browser_highlight', 'browser_verify_value'];
const takesFirst = ['browser_generate_locator', 'browser_highlight'];

suite('An element that a tool is given', { concurrency: 2 }, () => {
  for (const [tool, [argument, rest]] of Object.entries(tools)) {
    test(`${tool}: missing, ambiguous, hidden or no selector at all`, async t => {
      const origin = await serve(t, { '/': page });
      const browser = await Browser.open(t, { args: ['--caps=testing,devtools', '--timeout-action=500', '--tab-ids'] });
      await browser.call('browser_navigate', { url: origin });
      const fails = async (target, reason) => {
        const { text, isError } = await browser.call(tool, { ...rest, [argument]: target });
        assert.ok(isError, `${target}: ${text}`);
        assert.match(text, reason, target);
      };
      await fails('e999', /Ref e999 not found/);
      await fails('#none', /"#none" does not match any elements/);
      await fails('button[', /button\[/);
      if (!takesFirst.includes(tool)) await fails('button', /strict mode violation: locator\('button'\) resolved to 2 elements/);
      if (!needsNoSight.includes(tool)) await fails('#hidden', /visible|not a <select>|not an <input>/i);
      const { text, isError } = await browser.call(tool, { ...rest, [argument]: '#one', targetId: 'another-tab' });
      assert.ok(isError, text);
      assert.match(text, /another-tab/);
    });
  }
});
