// Processes that stand still (SIGSTOP) in place of dying: browsers and renderers. Calls end before the watchdog gives them
// up, what they say is true, and a browser that does not answer is replaced.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { startChrome } from '../chaos/servers.mjs';
import { serve } from './browser_support.mjs';
import { processes, renderers, withoutChildren } from './processes.mjs';
import { agent, atEnd, startServer, temporaryDirectory, troupe, within } from './support.mjs';

const lost = 10_000; // ms until a silent browser of ours counts as lost: SilenceLimits
const lostAttached = 20_000;
const late = 20_000; // on a machine that does much else

const mainProcesses = directory =>
  processes(directory).filter(each => /--remote-debugging-(pipe|port)/.test(each.command) && !each.command.includes('--type='));

// Stops the processes, and continues those that are left when the test ends.
function freeze(t, pids) {
  assert.notEqual(pids.length, 0);
  const send = signal => {
    for (const pid of pids) {
      try {
        process.kill(pid, signal);
      } catch {
        // it ended
      }
    }
  };
  atEnd(t, () => send('SIGCONT'));
  send('SIGSTOP');
  return () => send('SIGCONT');
}

async function open(t, args, config) {
  const directory = await temporaryDirectory(t);
  if (config) {
    await writeFile(join(directory, 'config.json'), JSON.stringify(config));
    args = [...args, '--config', join(directory, 'config.json')];
  }
  const server = await startServer(t, troupe, ['--headless', '--session-param', ...args], {
    env: { XDG_CACHE_HOME: directory, XDG_STATE_HOME: directory },
    cwd: directory,
  });
  const metric = async name => {
    const text = await (await fetch(server.url('/metrics'))).text();
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  };
  return { server, directory, metric };
}

const pages = t =>
  serve(t, { '/ann': '<title>Ann</title><h1>of ann</h1>', '/bob': '<title>Bob</title><h1>of bob</h1>', '/eve': '<title>Eve</title>' });

suite('a browser that stands still', { concurrency: 2 }, () => {
  test('is replaced, its sessions go on from their checkpoints, and new sessions are served', { timeout: 90_000 }, async t => {
    const origin = await pages(t);
    const { server, directory, metric } = await open(t, ['--isolated']);
    const [ann, bob, eve] = ['ann', 'bob', 'eve'].map(name => agent(server, name));
    await ann('browser_navigate', { url: `${origin}/ann` });
    await bob('browser_navigate', { url: `${origin}/bob` });
    const before = mainProcesses(directory).map(each => each.pid);
    freeze(t, before);

    const begun = performance.now();
    const [met, other, fresh] = await within(
      Promise.all([
        ann('browser_snapshot'),
        bob('browser_evaluate', { function: '() => document.title' }),
        eve('browser_navigate', { url: `${origin}/eve` }),
      ]),
      'the calls of a frozen browser',
      lost + 2 * late,
    );
    // A new session may have got a context that was ready in that browser.
    for (const answer of fresh.isError ? [met, other, fresh] : [met, other]) {
      assert.equal(answer.isError, true, answer.text);
      assert.match(answer.text, /did not answer any more/);
      assert.doesNotMatch(answer.text, /the next call begins with a blank one/i);
    }
    assert.ok(performance.now() - begun < lost + late);
    for (const call of [eve, agent(server, 'eli')]) {
      const served = await within(call('browser_navigate', { url: `${origin}/eve` }), 'the call of a new session', late);
      assert.equal(served.isError, false, served.text);
    }
    // What it said is true: a new browser, with the pages as they were.
    const back = await within(ann('browser_snapshot'), 'the next call', late);
    assert.equal(back.isError, false, back.text);
    assert.match(back.text, /of ann/);
    assert.match((await within(bob('browser_snapshot'), 'the next call of bob', late)).text, /of bob/);
    const left = mainProcesses(directory).map(each => each.pid);
    assert.deepEqual(left.filter(pid => before.includes(pid)), []);
    assert.equal(await metric('troupe_browsers_unresponsive_total'), 1);
    assert.equal(await metric('troupe_calls_overdue_total'), 0);
  });

  test('ends the calls of all that share it, and each is told that its tabs are gone', { timeout: 90_000 }, async t => {
    const origin = await pages(t);
    const { server, directory, metric } = await open(t, ['--isolation', 'shared']);
    const [ann, bob] = ['ann', 'bob'].map(name => agent(server, name));
    await ann('browser_navigate', { url: `${origin}/ann` });
    await bob('browser_navigate', { url: `${origin}/bob` });
    freeze(t, mainProcesses(directory).map(each => each.pid));

    const met = await within(ann('browser_snapshot'), 'the call of a frozen browser', lost + late);
    assert.equal(met.isError, true, met.text);
    assert.match(met.text, /### Session\n- The browser did not answer any more[^]*\/ann/);
    const next = await within(bob('browser_snapshot'), 'the next call of the other', late);
    assert.equal(next.isError, false, next.text);
    assert.match(next.text, /### Session\n- The browser did not answer any more[^]*tab is gone: \S*\/bob/);
    assert.equal(await metric('troupe_calls_overdue_total'), 0);
  });

  test('is left alone when it is attached, and its calls end', { timeout: 90_000 }, async t => {
    const origin = await pages(t);
    const directory = await temporaryDirectory(t);
    const chrome = await startChrome(join(directory, 'chrome'));
    atEnd(t, async () => {
      chrome.kill('SIGKILL');
      await chrome.closed;
    });
    const { server, metric } = await open(t, ['--cdp-endpoint', `http://localhost:${chrome.port}`]);
    const ann = agent(server, 'ann');
    await ann('browser_navigate', { url: `${origin}/ann` });
    const goOn = freeze(t, [chrome.process.pid]);
    const met = await within(ann('browser_snapshot'), 'the call of a frozen browser', lostAttached + late);
    assert.equal(met.isError, true, met.text);
    assert.match(met.text, /did not answer any more[^]*tab is gone: \S*\/ann/);
    goOn();
    const next = await within(ann('browser_navigate', { url: `${origin}/eve` }), 'the next call', late);
    assert.equal(next.isError, false, next.text);
    assert.equal(await metric('troupe_calls_overdue_total'), 0);
  });
});

suite('a page whose process stands still', { concurrency: 2 }, () => {
  for (const args of [['--isolated'], ['--isolation', 'shared']]) {
    test(`is gone once an answer says that it was ended: ${args.at(-1)}`, { timeout: 90_000 }, async t => {
      const origin = await pages(t);
      const { server, directory, metric } = await open(t, args, { session: { maxScriptTime: 1500 } });
      const ann = agent(server, 'ann');
      await ann('browser_navigate', { url: `${origin}/ann` });
      freeze(t, renderers(directory));

      const met = await within(ann('browser_snapshot'), 'the call of a frozen page', 30_000);
      assert.equal(met.isError, true, met.text);
      assert.match(met.text, /was ended. The next call begins with a blank one|Target crashed/);
      const begun = performance.now();
      const tabs = await within(ann('browser_tabs', { action: 'list' }), 'the list of tabs', late);
      assert.equal(tabs.isError, false, tabs.text);
      const next = await within(ann('browser_evaluate', { function: '() => location.href' }), 'the next call', late);
      assert.equal(next.isError, false, next.text);
      assert.match(next.text, /about:blank/);
      assert.doesNotMatch((await ann('browser_tabs', { action: 'list' })).text, /\/ann/);
      assert.ok(performance.now() - begun < 8_000, 'a page that is gone delays nobody');
      const again = await ann('browser_navigate', { url: `${origin}/eve` });
      assert.equal(again.isError, false, again.text);
      assert.equal(await metric('troupe_calls_overdue_total'), 0);
      assert.equal(await metric('troupe_browsers_unresponsive_total'), 0);
    });
  }
});

suite('a browser that ends while nobody calls', { concurrency: 2 }, () => {
  const modes = [['--isolation', 'shared'], ['--shared-browser-context'], ['--isolated'], ['--isolation', 'browser']];
  for (const args of modes) {
    test(`is named by the next answer of each session: ${args.at(-1)}`, async t => {
      const origin = await pages(t);
      const { server, directory } = await open(t, args);
      const agents = ['ann', 'bob'].map(name => [name, agent(server, name)]);
      for (const [name, call] of agents) await call('browser_navigate', { url: `${origin}/${name}` });
      const killed = mainProcesses(directory);
      for (const { pid } of killed) process.kill(pid, 'SIGKILL');
      const gone = () => server.stderr.items.filter(line => /the browser is gone/.test(line)).length;
      // With --isolation browser, each session has its own.
      const browsers = withoutChildren(killed).length;
      await server.stderr.first('the end of each browser', () => gone() === browsers);
      for (const [name, call] of agents) {
        const answer = await within(call('browser_snapshot'), 'the next call', late);
        assert.match(answer.text, /### Session\n- The browser (crashed|ended)/, `${name}: ${answer.text}`);
        assert.doesNotMatch((await call('browser_snapshot')).text, /### Session/);
      }
    });
  }
});
