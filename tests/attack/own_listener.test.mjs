// Agents and pages that try to reach the server which drives their browser, by every spelling of its address, by a name
// that leads to it, and by the addresses of this machine in its network. The listener knows its own browsers by their
// processes, so no rule and no name matters: everything else here lets them through.
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { after, before, suite, test } from 'node:test';

import { serve } from '../e2e/browser_support.mjs';
import { connect, rules } from '../e2e/policy_support.mjs';
import { startServer, temporaryDirectory, troupe } from '../e2e/support.mjs';

const rule = 'the rule that pages never reach this server';
const interfaces = Object.values(networkInterfaces()).flat();
const addresses = interfaces.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address);
const hasIpv6 = interfaces.some(({ address }) => address === '::1');
// By what the server listens on.
const spellings = {
  '0.0.0.0': ['localhost', 'app.localhost', '127.0.0.1', '127.0.0.2', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '0.0.0.0', '[::ffff:127.0.0.1]',
    'rebound.test', ...addresses],
  'localhost': ['localhost', '127.0.0.1'],
  ...(hasIpv6 && { '::': ['[::1]', '[0:0::1]', '[::]'] }),
};

const ways = {
  popup: to => `void window.open('${to}')`,
  popupWithoutOpener: to => `void window.open('${to}', '_blank', 'noopener')`,
  popupWithBackslashes: to => `void window.open('${to.replace('//', '\\\\\\\\')}')`,
  frame: to => `new Promise(done => { const frame = document.createElement('iframe'); frame.onload = frame.onerror = done; frame.src = '${to}'; document.body.append(frame); })`,
  fetch: to => `fetch('${to}', { mode: 'no-cors' }).catch(() => {})`,
  readingFetch: to => `fetch('${to}').then(answer => answer.text()).then(text => learned.push(text), () => {})`,
  image: to => `new Promise(done => { const image = new Image(); image.onload = image.onerror = done; image.src = '${to}'; })`,
  post: to => `fetch('${to}', { method: 'POST', mode: 'no-cors', body: '{}' }).catch(() => {})`,
  webSocket: to => `new Promise(done => { const socket = new WebSocket('${to.replace('http', 'ws')}'); socket.onopen = () => done(learned.push('open')); socket.onerror = done; })`,
};

for (const [listen, hosts] of Object.entries(spellings)) suite(`A listener on ${listen} is out of reach for its own browsers`, { concurrency: false }, () => {
  const ending = [];
  const t = { after: undo => ending.push(undo) };
  let server, log, site, agent;

  before(async () => {
    const { config, ...rest } = await rules(t, {}, {
      server: { host: listen, allowedHosts: ['*'], allowedHttpOrigins: ['*'] },
      browser: {
        launchOptions: { args: ['--host-resolver-rules=MAP rebound.test 127.0.0.1', '--disable-features=LocalNetworkAccessChecks'] },
        contextOptions: { userAgent: 'curl/8.0' },
      },
    });
    log = rest;
    const directory = await temporaryDirectory(t);
    server = await startServer(t, troupe, ['--headless', '--isolated', '--insecure', '--config', config], { cwd: directory, env: { XDG_STATE_HOME: directory } });
    if (listen === '::') server.url = path => new URL(path, `http://[::1]:${server.port}`);
    site = await serve(t, { '/': '<title>Site</title><script>globalThis.learned = []</script>' });
    agent = await connect(t, server);
  });
  after(async () => {
    for (const undo of ending.reverse()) await undo();
  });
  const evaluate = script => agent.call('browser_evaluate', { function: `async () => { ${script} }` });

  for (const host of hosts) {
    test(`as ${host}`, async () => {
      for (const slashes of ['//', '', '\\\\', '///']) {
        const url = `http:${slashes}${host}:${server.port}/healthz`;
        const visit = await agent.call('browser_navigate', { url });
        const shown = visit.isError ? visit.text : (await evaluate('return document.body.innerText')).text;
        assert.match(shown, /never reach this server/, url);
      }
      await agent.call('browser_navigate', { url: site });
      const from = (await log.audit()).length;
      const attempts = Object.entries(ways).map(([way, attempt]) => attempt(`http://${host}:${server.port}/by/${way}`));
      await evaluate(`await Promise.all([${attempts.join(',\n')}])`);
      for (const way of Object.keys(ways)) {
        const entry = await log.audited(`${way} as ${host}`, ({ what }) => what.endsWith(`/by/${way}`), from);
        assert.equal(entry.rule, rule, way);
      }
      const learned = (await evaluate('return learned.join()')).text;
      assert.doesNotMatch(learned, /open/);
      assert.match(learned, /^(### Result\n"[^"]*never reach this server|### Result\n"")/, learned);
      await agent.call('browser_close');
    });
  }

  test('and within reach for everybody else', async () => {
    const reachable = listen === '0.0.0.0' ? ['localhost', '127.0.0.1', ...addresses] : [server.url('/').hostname];
    for (const host of reachable) assert.equal((await fetch(`http://${host}:${server.port}/healthz`)).status, 200, host);
  });
});
