// Wake-ups that something interrupts: the call is cancelled or out of time, the site is down, the server is killed.
// Whatever it is, the session has its state the next time.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { Browser } from './browser_support.mjs';
import { agent, startServer, temporaryDirectory, troupe, within } from './support.mjs';

const form = '<title>Form</title><input id=name aria-label=Name><p>local <b id=local></b></p><script>local.textContent = localStorage.who</script>';

// A site that can be down, up again at the same address, and slow.
class Site {
  static async open(t) {
    const site = new Site();
    await site.up();
    t.after(() => site.down());
    return site;
  }

  async up() {
    this.answer = undefined;
    this.server = createServer((request, response) => {
      if (request.url === '/favicon.ico') return response.writeHead(404).end();
      if (this.answer && request.url === '/form') return this.answer(response);
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(request.url === '/form' ? form : `<title>Other</title>${request.url}`);
    });
    this.server.listen(this.port ?? 0, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = this.server.address().port;
  }

  async down() {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    const closed = once(this.server, 'close');
    this.server.close();
    await closed;
  }

  // The next request for the form waits: gives when it is there, and what lets it go on.
  hold() {
    const held = [];
    let arrived;
    const arrival = new Promise(resolve => (arrived = resolve));
    this.answer = response => {
      held.push(response);
      arrived();
    };
    const release = () => {
      this.answer = undefined;
      for (const response of held) response.writeHead(200, { 'Content-Type': 'text/html' }).end(form);
    };
    return { arrival, release };
  }

  url(path) {
    return `http://localhost:${this.port}${path}`;
  }
}

const leave = `() => { localStorage.who = 'ann'; sessionStorage.step = 'two'; document.querySelector('#name').value = 'typed'; }`;
const look = `() => [location.pathname, localStorage.who, sessionStorage.step, document.querySelector('#name')?.value].join()`;
const whole = /\/form,ann,two,typed/;

async function configFile(t, session = { maxSessions: 1 }) {
  const file = join(await temporaryDirectory(t), 'config.json');
  await writeFile(file, JSON.stringify({ session }));
  return file;
}

// Two sessions for one place: each sleeps while the other works.
async function openTwo(t, site) {
  const browser = await Browser.open(t, { args: ['--config', await configFile(t), '--session-param'] });
  const of = sessionId => (name, args = {}) => browser.call(name, { ...args, sessionId });
  const ann = of('ann'), bob = of('bob');
  return { browser, ann, bob, sleep: () => bob('browser_navigate', { url: site.url('/bob') }) };
}

async function fillIn(call, site) {
  await call('browser_navigate', { url: site.url('/form') });
  await call('browser_evaluate', { function: leave });
  await call('browser_tabs', { action: 'new', url: site.url('/second') });
  await call('browser_tabs', { action: 'select', index: 0 });
}

async function assertWhole(call) {
  const { text } = await call('browser_evaluate', { function: look });
  assert.match(text, whole);
  assert.match((await call('browser_tabs', { action: 'list' })).text, /0: \(current\) \[Form\].*\n- 1: \[Other\]\(.*second\)/);
}

suite('A wake-up', { concurrency: 2 }, () => {
  const troubles = {
    'does not answer': { begin: site => site.down(), end: site => site.up(), says: /form could not be opened again/ },
    'has an error': {
      begin: site => (site.answer = response => response.writeHead(503, { 'Content-Type': 'text/html' }).end('later')),
      end: site => (site.answer = undefined),
      says: /form answered with 503/,
    },
    'leads elsewhere': {
      begin: site => (site.answer = response => response.writeHead(302, { Location: '/maintenance' }).end()),
      end: site => (site.answer = undefined),
      says: /form led to .*maintenance/,
    },
  };
  for (const [what, { begin, end, says }] of Object.entries(troubles)) {
    test(`while the site ${what} costs nothing`, async t => {
      const site = await Site.open(t);
      const { ann, sleep } = await openTwo(t, site);
      await fillIn(ann, site);
      await sleep();
      await begin(site);
      for (const round of [1, 2]) {
        const { sections } = await ann('browser_snapshot');
        assert.match(sections.Session, says, `round ${round}`);
        assert.match(sections.Session, /tried again when the session wakes up/);
        await sleep().catch(() => {});
      }
      await end(site);
      await sleep();
      await assertWhole(ann);
    });
  }

  test('goes on when the call that asked for it is cancelled', async t => {
    const site = await Site.open(t);
    const { browser, ann, sleep } = await openTwo(t, site);
    await fillIn(ann, site);
    let id = 1000;
    const begin = () => {
      browser.child.send({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name: 'browser_snapshot', arguments: { sessionId: 'ann' } } });
      return () => browser.child.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    };
    // At once, a little later, and in the middle of loading the page.
    for (const delay of [0, 20, 100]) {
      await sleep();
      const cancel = begin();
      await new Promise(resolve => setTimeout(resolve, delay));
      cancel();
      await sleep();
      await assertWhole(ann);
    }
    await sleep();
    const { arrival, release } = site.hold();
    const cancel = begin();
    await within(arrival, 'loading the form again');
    cancel();
    const listed = JSON.parse((await browser.call('list_sessions')).text).data.sessions.find(each => each.sessionId === 'ann');
    assert.equal(listed.state, 'hibernated', 'half awake');
    release();
    await assertWhole(ann);
  });

  test('takes as long as it needs, whatever time a call has', async t => {
    const site = await Site.open(t);
    const { ann, sleep, browser } = await openTwo(t, site);
    await browser.call('create_session', { sessionId: 'ann', budget: { callTime: 5000 } });
    await fillIn(ann, site);
    await sleep();
    const { arrival, release } = site.hold();
    const call = ann('browser_snapshot');
    await within(arrival, 'loading the form again');
    const { text, isError } = await call;
    assert.equal(isError, true);
    assert.match(text, /Restoring this session takes longer.*nothing is lost/s);
    release();
    await assertWhole(ann);
  });

  test('leaves a tab blank that was', async t => {
    const site = await Site.open(t);
    const { ann, sleep } = await openTwo(t, site);
    await ann('browser_snapshot');
    await ann('browser_tabs', { action: 'new', url: site.url('/form') });
    await ann('browser_evaluate', { function: leave });
    await sleep();
    const { text } = await ann('browser_tabs', { action: 'list' });
    assert.match(text, /- 0: \[\]\(about:blank\)\n- 1: \(current\) \[Form\]/);
    assert.match((await ann('browser_evaluate', { function: look })).text, whole);
  });
});

suite('Sessions that make room', { concurrency: 2 }, () => {
  test('stay for what their last call began', async t => {
    const site = await Site.open(t);
    const { ann, bob } = await openTwo(t, site);
    await ann('browser_navigate', { url: site.url('/page') });
    // What comes is not waited for by the call that caused it.
    await ann('browser_evaluate', { function: `() => { setTimeout(() => open('/popup'), 600); }` });
    const other = bob('browser_navigate', { url: site.url('/bob') });
    const until = Date.now() + 20_000;
    let tabs, count = 0;
    do {
      ({ text: tabs } = await ann('browser_tabs', { action: 'list' }));
      assert.doesNotMatch(tabs, /was asleep/, `after ${++count} calls`);
    } while (!/popup/.test(tabs) && Date.now() < until);
    assert.match(tabs, /popup/);
    assert.match((await other).text, /Page URL: .*\/bob/, 'and the other gets its place');
  });
});

suite('A server that is killed', { concurrency: 2 }, () => {
  // Where named sessions are found again after a restart.
  async function open(t) {
    const directory = await temporaryDirectory(t);
    const config = await configFile(t);
    const begin = () => startServer(t, troupe, ['--headless', '--config', config], { env: { XDG_CACHE_HOME: directory, XDG_STATE_HOME: directory }, cwd: directory });
    return { begin };
  }
  const kill = async server => {
    const ended = server.end();
    server.process.kill('SIGKILL');
    await ended;
  };

  test('in the middle of a wake-up, or of falling asleep, has lost nothing', async t => {
    const site = await Site.open(t);
    const { begin } = await open(t);
    let server = await begin();
    await fillIn(agent(server, 'ann'), site);
    await agent(server, 'bob')('browser_navigate', { url: site.url('/bob') });

    const { arrival, release } = site.hold();
    const call = agent(server, 'ann')('browser_snapshot').catch(() => {});
    await within(arrival, 'loading the form again');
    await kill(server);
    await call;
    release();
    server = await begin();
    await assertWhole(agent(server, 'ann'));

    for (const delay of [0, 50]) {
      const other = agent(server, 'bob')('browser_navigate', { url: site.url('/bob') }).catch(() => {});
      await new Promise(resolve => setTimeout(resolve, 1000 + delay));
      await kill(server);
      await other;
      server = await begin();
      await assertWhole(agent(server, 'ann'));
    }
  });
});
