// Principals whose sessions share one browser context, with its cookies: none sees or drives another's tabs.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { serve } from '../e2e/browser_support.mjs';
import { connect, rules } from '../e2e/policy_support.mjs';
import { agent, startServer, temporaryDirectory, troupe } from '../e2e/support.mjs';

const secret = 'Page of Ann', own = 'Page of Bot';
const tokens = { ann: 'token-of-ann', bot: 'token-of-bot' };

// Both ways of a principal to its session.
const ways = {
  'a connection': async (t, server, who) => (await connect(t, server, tokens[who])).call,
  'a named session': async (t, server, who) => agent(server, 'work', { Authorization: `Bearer ${tokens[who]}` }),
  'no name': async (t, server, who) => agent(server, '', { Authorization: `Bearer ${tokens[who]}` }),
};

async function open(t, args, server = { authTokens: tokens }) {
  const directory = await temporaryDirectory(t);
  const { config } = await rules(t, {}, { server });
  const started = await startServer(t, troupe, ['--headless', '--shared-browser-context', ...args, '--config', config, '--caps=core,toolkit,sessions'],
    { cwd: directory, env: { XDG_CACHE_HOME: directory, XDG_STATE_HOME: directory } });
  const site = await serve(t, { '/': `<title>${secret}</title><button onclick="window.open('/popup')">${secret}</button>`, '/popup': `<title>${secret}</title>`, '/bot': `<title>${own}</title>` });
  return { server: started, site };
}

suite('In a context that principals share', { concurrency: 2 }, () => {
  for (const args of [[], ['--isolated'], ['--isolation=shared']]) {
    for (const [way, enter] of Object.entries(ways)) {
      test(`each has its own tabs: ${args} ${way}`, async t => {
        const { server, site } = await open(t, args);
        const ann = await enter(t, server, 'ann'), bot = await enter(t, server, 'bot');
        const hidden = async (name, given) => {
          const { text } = await bot(name, given);
          assert.doesNotMatch(text, new RegExp(secret), name);
          return text;
        };
        await ann('browser_navigate', { url: site });
        await ann('browser_click', { element: 'button', target: 'button' });
        await ann('browser_tabs', { action: 'select', index: 0 });

        await hidden('browser_snapshot');
        await hidden('browser_evaluate', { function: '() => document.title + document.body.innerText' });
        await hidden('list_sessions');
        const tabs = await hidden('browser_tabs', { action: 'list' });
        assert.equal(tabs.split('\n').filter(line => /^- \d+:/.test(line)).length, 1, tabs);
        for (const index of [1, 2]) for (const action of ['select', 'close']) await hidden('browser_tabs', { action, index });
        await bot('browser_navigate', { url: `${site}/bot` });
        await bot('browser_tabs', { action: 'close', index: 0 });
        await bot('browser_close');

        const seen = await ann('browser_tabs', { action: 'list' });
        assert.equal(seen.text.match(new RegExp(secret, 'g'))?.length, 2, seen.text);
        assert.doesNotMatch(seen.text, new RegExp(own));
        assert.match((await ann('browser_snapshot')).text, new RegExp(secret));
      });
    }
  }

  test('the first calls of both, together, too', async t => {
    const { server, site } = await open(t, []);
    const [ann, bot] = await Promise.all(['ann', 'bot'].map(who => ways['a connection'](t, server, who)));
    await Promise.all([ann('browser_navigate', { url: site }), bot('browser_navigate', { url: `${site}/bot` })]);
    assert.match((await ann('browser_snapshot')).text, new RegExp(secret));
    assert.match((await bot('browser_snapshot')).text, new RegExp(own));
  });

  test('the operator is told what they share', async t => {
    const { server } = await open(t, []);
    await server.waitForLine(/Several principals share one browser context \(sharedBrowserContext\)/);
  });

  test('sessions of one user go on seeing all tabs', async t => {
    const { server, site } = await open(t, [], {});
    await (await connect(t, server)).call('browser_navigate', { url: site });
    assert.match((await (await connect(t, server)).call('browser_tabs', { action: 'list' })).text, new RegExp(secret));
  });
});
