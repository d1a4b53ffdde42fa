// Domains by who asks: each session's pages keep to their own, and what they try is written down as theirs.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { serve } from './browser_support.mjs';
import { hostilePages, lurk, waysOut } from './policy_hostile.mjs';
import { connect, open, police, rules } from './policy_support.mjs';
import { agent, start, troupe } from './support.mjs';

const tokens = { server: { authTokens: { ann: 'ann-token', bob: 'bob-token' } } };
const at = (site, host) => site.replace('localhost', host);

suite('Rules about domains for single callers', { concurrency: 2 }, () => {
  test('keep each principal to its own, whichever way a page asks', async t => {
    const lurker = await lurk(t);
    const site = await serve(t, { ...hostilePages(lurker.url), '/data': 'fetched' });
    const server = await police(t, { rules: [{ principal: 'ann', allowedDomains: ['localhost'] }, { principal: 'bob', blockedDomains: ['localhost'] }] }, tokens);
    const ann = await connect(t, server, 'ann-token'), bob = await connect(t, server, 'bob-token');

    // Both in the same browser, side by side.
    const [annThere, bobThere] = await Promise.all([ann.call('browser_navigate', { url: site }), bob.call('browser_navigate', { url: at(site, '127.0.0.1') })]);
    assert.match(annThere.text, /Page Title: Hostile/);
    assert.match(bobThere.text, /Page Title: Hostile/);
    const annAway = await ann.call('browser_navigate', { url: at(site, '127.0.0.1') });
    assert.match(annAway.text, /denied by the list of allowed domains of security\.rules\[0\]/);
    const bobAway = await bob.call('browser_navigate', { url: site });
    assert.match(bobAway.text, /denied by the blocked domain localhost of security\.rules\[1\]/);

    for (const way of ['fetch', 'redirect', 'frame', 'webSocket', 'worker', 'sharedWorker', 'serviceWorker']) {
      const before = (await server.audit()).length;
      const tried = await ann.call('browser_evaluate', { function: `async () => { await (${waysOut[way](lurker.url)}); }` });
      assert.ok(!tried.isError, `${way}: ${tried.text}`);
      const { principal } = await server.audited(way, ({ what }) => what.includes(`127.0.0.1:${lurker.port}`), before);
      assert.equal(principal, 'ann', way);
      assert.equal(lurker.connections, 0, way);
    }
    // What holds for one does not for the other.
    const fetched = await bob.call('browser_evaluate', { function: "() => fetch('/data').then(data => data.text())" });
    assert.match(fetched.text, /fetched/);
    await bob.call('browser_evaluate', { function: `async () => { await (${waysOut.webSocket(lurker.url)}); }` });
    assert.ok(lurker.connections > 0, 'bob may go there');
  });

  test('go by the name of a session, and leave the others to the rules for everybody', async t => {
    const site = await serve(t, { '/': '<title>Page</title>' });
    const server = await police(t, { blockedDomains: ['blocked.test'], rules: [{ session: 'reader-*', allowedDomains: ['127.0.0.1', 'blocked.test'] }] });
    const reader = agent(server, 'reader-1'), writer = agent(server, 'writer');

    assert.match((await reader('browser_navigate', { url: site })).text, /denied by the list of allowed domains of security\.rules\[0\]/);
    assert.match((await reader('browser_navigate', { url: at(site, '127.0.0.1') })).text, /Page Title: Page/);
    assert.match((await reader('browser_navigate', { url: 'http://blocked.test/' })).text, /denied by the blocked domain blocked\.test/, 'both hold');
    assert.match((await writer('browser_navigate', { url: site })).text, /Page Title: Page/);
    // Unasked for, as any page does it.
    await reader('browser_evaluate', { function: `async () => { await (${waysOut.fetch(site)}); await (${waysOut.webSocket(site)}); }` });
    const { session } = await server.audited('the fetch', ({ what }) => what === `${site}/fetch`);
    assert.equal(session, 'reader-1');
    const tunnel = await server.audited('the WebSocket', ({ what }) => what === new URL(site).host);
    assert.equal(tunnel.session, 'reader-1');
  });

  test('hold in a profile, where the browser is the session', async t => {
    const lurker = await lurk(t);
    const site = await serve(t, hostilePages(lurker.url));
    const browser = await open(t, { rules: [{ allowedDomains: ['localhost'] }] }, { isolated: [] });
    assert.match((await browser.call('browser_navigate', { url: site })).text, /Page Title: Hostile/);
    for (const way of ['fetch', 'webSocket', 'serviceWorker']) {
      const before = (await browser.audit()).length;
      await browser.call('browser_evaluate', { function: `async () => { await (${waysOut[way](lurker.url)}); }` });
      await browser.audited(way, ({ what }) => what.includes(`127.0.0.1:${lurker.port}`), before);
    }
    assert.equal(lurker.connections, 0);
  });

  test('keep the server from starting where they could not be enforced', async t => {
    const { config } = await rules(t, { rules: [{ allowedDomains: ['localhost'] }] });
    const child = start(t, troupe, ['--config', config, '--isolation=shared']);
    assert.equal((await child.end()).code, 1);
    assert.match(child.stderr.items.join('\n'), /share its connections[^]*--isolation context/);
  });
});

test('In a context that sessions share, a popup is checked from its first request on, as its opener is', async t => {
  const lurker = await lurk(t);
  const site = await serve(t, {
    '/': `<title>Opener</title><button onclick="window.open('${lurker.url}/popup')">Popup</button>`
      + `<a target=_blank rel=noopener href="${lurker.url}/noopener">Apart</a>`
      + '<button onclick="window.open(\'/inner\')">Inner</button>',
    '/inner': `<title>Inner</title><img src="${lurker.url}/image-in-popup">`,
  });
  const server = await police(t, { allowedDomains: ['localhost'] }, tokens, '--isolation=shared');
  const ann = await connect(t, server, 'ann-token'), bob = await connect(t, server, 'bob-token');
  for (const [agent, principal] of [[ann, 'ann'], [bob, 'bob']]) {
    const before = (await server.audit()).length;
    await agent.call('browser_navigate', { url: site });
    for (const text of ['Popup', 'Apart', 'Inner']) {
      await agent.call('browser_click', { element: text, target: `text=${text}` });
      await agent.call('browser_tabs', { action: 'select', index: 0 });
    }
    for (const path of ['popup', 'image-in-popup']) {
      const entry = await server.audited(path, ({ what }) => what === `${lurker.url}/${path}`, before);
      assert.equal(entry.principal, principal, path);
    }
    await server.audited('noopener', ({ what }) => what === `${lurker.url}/noopener`, before);
  }
  assert.equal(lurker.connections, 0);
});
