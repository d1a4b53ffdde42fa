// Tabs that nobody sees are drawn when a picture of them is wanted, in every browser.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';

const browsers = {
  'the headless shell': [],
  Chromium: ['--executable-path', '/usr/bin/chromium'],
};

suite('a tab in the background', { concurrency: 1 }, () => {
  for (const [name, which] of Object.entries(browsers)) {
    test(`shows on screenshots in ${name}`, async t => {
      const origin = await serve(t, { '/': '<body style="background: #1e90ff"><h1>here</h1>' });
      const browser = await Browser.open(t, { isolated: ['--isolation', 'shared'], args: ['--session-param', '--caps=toolkit', ...which] });
      const sessions = ['ann', 'bob', 'cleo', 'dan'];
      for (const sessionId of sessions) await browser.call('browser_navigate', { url: origin, sessionId });
      for (let round = 0; round < 3; ++round) {
        // One after the other, then all at once: the tab in front is the last that was opened.
        const shoot = async sessionId => {
          const answer = await browser.call('browser_take_screenshot', { sessionId });
          assert.equal(answer.isError, false, answer.text);
          const element = await browser.call('browser_take_screenshot', { sessionId, target: 'h1', element: 'the heading' });
          assert.equal(element.isError, false, element.text);
        };
        if (round === 0) for (const sessionId of sessions) await shoot(sessionId);
        else await Promise.all(sessions.map(shoot));
        await browser.call('browser_tabs', { action: 'new', sessionId: sessions[round] });
        await browser.call('browser_navigate', { url: origin, sessionId: sessions[round] });
      }
    });
  }
});
