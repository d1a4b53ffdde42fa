// A page that may reach only its own host tries every way out that a browser has. What leaves the browser is seen below
// it, in the calls of the C library, so that no way is missed by looking at requests: see network_observer.cc.
import assert from 'node:assert/strict';
import { on } from 'node:events';
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { suite, test } from 'node:test';

import { serve } from '../e2e/browser_support.mjs';
import { hostilePages, lurk } from '../e2e/policy_hostile.mjs';
import { open as openBrowser } from '../e2e/policy_support.mjs';
import { temporaryDirectory, within } from '../e2e/support.mjs';
import { audited, headers, leaving, peers, silent } from './exits_table.mjs';

const observer = process.env.TROUPE_NETWORK_OBSERVER ?? resolve(import.meta.dirname, '../../build/release/tests/e2e/libnetwork_observer.so');
const hostOf = way => `${way.toLowerCase()}.evil.test`;
const modes = { context: ['--isolated'], browser: ['--isolation', 'browser'], shared: ['--isolation', 'shared'], profile: [] };

// A session whose browser is observed, at a page that may reach its own host; `attempt` has the page try the ways, all at
// the same time, and `exits` gives what left the browser until now.
async function open(t, mode, security) {
  const seen = join(await temporaryDirectory(t), 'seen');
  const lurker = await lurk(t);
  const page = '<title>Exits</title><a href="//anchor.evil.test">Elsewhere</a><script>0</script>';
  const site = await serve(t, {
    ...hostilePages(lurker.url),
    '/': (_, response) => response.writeHead(200, { 'Content-Type': 'text/html', ...headers }).end(page),
  });
  const browser = await openBrowser(t, security, {
    isolated: modes[mode],
    config: {
      browser: { launchOptions: { args: ['--short-reporting-delay'], env: { LD_PRELOAD: observer, NETWORK_OBSERVER_FILE: seen } } },
    },
  });
  await browser.call('browser_navigate', { url: site });
  const attempt = ways => {
    const all = Object.entries(ways).map(([way, script]) => `(async () => { await (${script(hostOf(way))}); })().catch(() => {})`);
    return browser.call('browser_evaluate', { function: `async () => { await Promise.all([${all.join(',\n')}]); }` }, 60_000);
  };
  const exits = async () => (await readFile(seen, 'utf8')).trim().split('\n').map(line => line.replace(/\.$/, '').split(' '));
  return Object.assign(browser, { site, lurker, seen, attempt, exits });
}

suite('A page that tries every way out', { concurrency: 2 }, () => {
  for (const mode of Object.keys(modes)) {
    test(`finds none: ${mode}`, async t => {
      const browser = await open(t, mode, { allowedDomains: ['localhost'] });
      for (const ways of [peers, silent, audited]) {
        const answer = await browser.attempt(ways);
        assert.ok(!answer.isError, answer.text);
      }
      for (const [way, script] of Object.entries(leaving)) await browser.attempt({ [way]: script });
      for (const way of Object.keys({ ...audited, ...peers, ...leaving }))
        await browser.audited(`${way} (${mode})`, ({ what }) => what.toLowerCase().includes(hostOf(way)));
      await browser.call('browser_close');

      const ports = [String(browser.lurker.port), new URL(browser.site).port];
      const outside = (await browser.exits()).filter(([, what, host, port]) =>
        what === 'lookup' ? host !== 'localhost' : host !== '127.0.0.1' || ports.includes(port));
      assert.deepEqual(outside, [], 'names that were looked up and addresses that were sent to');
      assert.equal(browser.lurker.connections + browser.lurker.datagrams, 0);
    });
  }

  // Otherwise the others might pass by seeing nothing.
  test('is seen where no rule holds', async t => {
    const browser = await open(t, 'context', {});
    const { turnTcp, turnTls, stun, fetch, webSocket, beacon } = { ...audited, ...peers };
    const names = { turnTcp, turnTls, stun, fetch, webSocket, beacon, webTransport: silent.webTransport };
    await browser.attempt({ address: () => `void (${silent.stunOfAddress()})`, ...names });
    const exits = [...Object.keys(names).map(way => `lookup ${hostOf(way)}`), 'send 192.0.2.7'];
    for (const exit of exits) await within(sight(browser, exit), exit);
  });
});

// Looks whenever the observer has written more.
async function sight(browser, exit) {
  const watcher = watch(browser.seen);
  const changes = on(watcher, 'change');
  try {
    while (!(await browser.exits()).some(([, what, host]) => `${what} ${host}` === exit)) await changes.next();
  } finally {
    watcher.close();
  }
}
