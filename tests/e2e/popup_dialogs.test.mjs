// A dialog stops every page of its process: the page that opened the popup has to show it, too.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';

const pages = {
  '/': `<title>opener</title>
    <button onclick="window.open('/alerting')">loading</button>
    <button onclick="window.w = window.open('/quiet'); w.onload = () => w.alert('from quiet')">loaded</button>`,
  '/alerting': '<title>alerting</title><script>alert("from alerting")</script><p>loaded',
  '/quiet': '<title>quiet</title><p>quiet',
};

const dialog = message => new RegExp(`### Modal state\n- \\["alert" dialog with message "${message}"\\]`);

suite('a dialog of a popup', { concurrency: 2 }, () => {
  for (const [button, message] of [['loading', 'from alerting'], ['loaded', 'from quiet']]) {
    test(`while the popup is ${button} shows in its opener, and can be handled there`, async t => {
      const browser = await Browser.open(t);
      await browser.call('browser_navigate', { url: await serve(t, pages) });

      const click = await browser.call('browser_click', { element: button, target: `text=${button}` });
      assert.equal(click.isError, false, click.text);
      assert.match(click.text, dialog(message));
      const refused = await browser.call('browser_snapshot');
      assert.match(refused.text, dialog(message));

      const handled = await browser.call('browser_handle_dialog', { accept: true });
      assert.equal(handled.isError, false, handled.text);
      assert.doesNotMatch(handled.text, /Modal state/);
      const after = await browser.call('browser_evaluate', { function: '() => document.title' });
      assert.match(after.text, /"opener"/);
      assert.match((await browser.call('browser_tabs', { action: 'list' })).text, /^- 1: \[/m);
    });
  }
});
