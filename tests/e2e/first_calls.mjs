// Clients whose first calls start together: every isolation mode x every browser x every entry; as it is, and with a
// browser, its renderers or the server killed in the middle. A new mode, browser, entry or victim is a row of its table.
//
// By default each cell runs once with one number of clients, and of those with kills only some. `make first-calls` runs
// all of them: TROUPE_FIRST_CALLS_ROUNDS=5 runs every cell with every number of clients, and as many groups of clients one
// after the other on its server; TROUPE_FIRST_CALLS_ONLY=<text> picks cells by name.
import assert from 'node:assert/strict';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { serve } from './browser_support.mjs';
import { entries, numbers, timeout } from './first_calls_entries.mjs';
import { processes, renderers, untilGone } from './processes.mjs';
import { start, temporaryDirectory, within } from './support.mjs';

const counts = [2, 3, 10];
const rounds = Number(process.env.TROUPE_FIRST_CALLS_ROUNDS ?? 0);

// What a session has to itself. `sharesTabs`: every client sees every tab.
const modes = {
  default: { args: [] },
  context: { args: ['--isolation', 'context'] },
  browser: { args: ['--isolation', 'browser'], isHeavy: true },
  shared: { args: ['--isolation', 'shared'] },
  'shared context': { args: ['--shared-browser-context'], sharesTabs: true },
};

// Where the pages are: gives arguments, and how to bring an attached Chrome back.
const browsers = {
  own: async () => ({ args: [] }),
  profile: async (t, directory) => ({ args: [`--user-data-dir=${join(directory, 'profile')}`] }),
  attached: async (t, directory) => {
    const profile = join(directory, 'chrome');
    let chrome = await startChrome(t, profile);
    return {
      args: [`--cdp-endpoint=http://127.0.0.1:${chrome.port}`],
      stop: () => chrome.child.stop(),
      revive: async () => {
        await chrome.child.end();
        chrome = await startChrome(t, profile, chrome.port);
      },
    };
  },
};

async function startChrome(t, profile, at = 0) {
  // The programs themselves: a wrapper script may outlive what it started, or end before it.
  const candidates = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome'];
  const exists = await Promise.all(candidates.map(path => access(path).then(() => true, () => false)));
  const executable = process.env.TROUPE_FIRST_CALLS_CHROME ?? candidates[exists.indexOf(true)];
  const headless = executable.endsWith('shell') ? [] : ['--headless=new'];
  const child = start(t, executable, [...headless, '--no-sandbox', '--no-first-run', `--user-data-dir=${profile}`,
    `--remote-debugging-port=${at}`, 'about:blank']);
  const [, port] = await child.waitForLine(/DevTools listening on ws:\/\/[^:]+:(\d+)/);
  return { child, port };
}

// Serves pages that say which they are. While it holds, they are asked for and do not come.
async function startSite(t) {
  let release, asked;
  let held = Promise.resolve();
  const origin = await serve(t, {
    '/': async (request, response) => {
      asked?.();
      await held;
      const n = new URL(request.url, 'http://localhost').searchParams.get('n');
      response.writeHead(200, { 'Content-Type': 'text/html' });
      response.end(`<title>Page ${n}</title><h1>Page ${n}</h1>`);
    },
  });
  return {
    url: (label, i) => `${origin}/?n=${label}x${i}n`,
    // Gives a promise of the first request.
    hold: () => {
      held = new Promise(resolve => (release = resolve));
      return new Promise(resolve => (asked = resolve));
    },
    release: () => release(),
  };
}

const firstCall = (call, url) => call('browser_navigate', { url });

// Whoever they share a browser with, each is where it went. Tabs of an earlier label are nobody's any more.
async function checkPages(calls, site, mode, label) {
  const own = i => `?n=${label}x${i}n`;
  await Promise.all(
    calls.map(async (call, i) => {
      const shown = await call('browser_evaluate', { function: '() => document.title + " at " + location.search' });
      assert.ok(shown.text.includes(`Page ${label}x${i}n at ${own(i)}`), `client ${i}: ${shown.text}`);
      const tabs = await call('browser_tabs', { action: 'list' });
      const seen = new Set(tabs.text.match(/\?n=\w+x\d+n/g)?.filter(each => each.startsWith(`?n=${label}x`)));
      assert.deepEqual([...seen].sort(), mode.sharesTabs ? calls.map((_, each) => own(each)).sort() : [own(i)], `client ${i}: ${tabs.text}`);
    }),
  );
}

async function together(calls, site, mode, label) {
  const answers = await Promise.all(calls.map((call, i) => firstCall(call, site.url(label, i))));
  answers.forEach((answer, i) => assert.ok(!answer.isError, `client ${i}: ${answer.text}`));
  await checkPages(calls, site, mode, label);
  return answers;
}

// One after the other: of those who share a browser, each leaves the others theirs.
async function leave(calls) {
  for (const call of calls) {
    await call('browser_close');
    await call.leave?.();
  }
}

async function open(t, cell) {
  const directory = await temporaryDirectory(t);
  const browser = await browsers[cell.browser](t, directory);
  const args = ['--headless', ...modes[cell.mode].args, ...browser.args];
  const env = { XDG_CACHE_HOME: join(directory, 'cache'), XDG_STATE_HOME: join(directory, 'state') };
  const site = await startSite(t);
  return { directory, browser, site, startServer: () => entries[cell.entry].start(t, args, { env, cwd: directory }) };
}

// No process and no temporary profile.
async function checkNothingIsLeft({ directory, browser }, server) {
  await server.stop();
  await browser.stop?.();
  await untilGone(directory);
  const profiles = await readdir(join(directory, 'cache/troupe/profiles')).catch(() => []);
  assert.deepEqual(profiles.filter(name => name.startsWith('tmp-')), [], 'a temporary profile was left');
}

async function runCell(t, cell, count) {
  const mode = modes[cell.mode];
  const world = await open(t, cell);
  const server = await world.startServer();
  for (const round of numbers(Math.max(rounds, 1))) {
    const calls = await server.connect(count, round);
    const answers = await together(calls, world.site, mode, round);
    // The profile is the first one's. Each of the others is told, in one line with what to do.
    const isTold = answer => /^- The browser profile .* is in use by another session of this server: .*--isolated.*--isolation shared/m.test(answer.text);
    const sharesNothing = cell.mode === 'default' && cell.browser !== 'attached' && cell.entry !== 'daemon' && !entries[cell.entry].named;
    assert.equal(answers.filter(isTold).length, sharesNothing ? count - 1 : 0, `round ${round}`);
    if (round + 1 < rounds) await leave(calls);
  }
}

const mains = mark =>
  processes(mark)
    .filter(each => /--remote-debugging-(pipe|port)/.test(each.command) && !each.command.includes('--type='))
    .map(each => each.pid);

function kill(pids) {
  assert.ok(pids.length > 0);
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it ended with another
    }
  }
}

// What dies while all first calls are on their way. Gives the server that goes on.
const victims = {
  browser: async (world, server) => {
    kill(mains(world.directory));
    await world.browser.revive?.();
    return server;
  },
  renderer: async (world, server) => {
    kill(renderers(world.directory));
    return server;
  },
  server: async (world, server) => {
    await server.kill();
    return world.startServer();
  },
};

async function runKill(t, cell, victim, count) {
  const mode = modes[cell.mode];
  const world = await open(t, cell);
  let server = await world.startServer();
  let calls = await server.connect(count, 'k');
  const asked = world.site.hold();
  const lost = server.closed.then(() => ({ lost: true }));
  // An answer, an error or the end of the connection; none is left without.
  const answers = calls.map((call, i) =>
    within(Promise.race([firstCall(call, world.site.url('before', i)).catch(error => ({ lost: true, error })), lost]), `the first call of client ${i}`, timeout),
  );
  await within(asked, 'the first page');
  const next = await victims[victim](world, server);
  world.site.release();
  await Promise.all(answers);

  if (next !== server) {
    await Promise.allSettled(calls.map(call => call.leave?.()));
    server = next;
    calls = await server.connect(count, 'k');
  }
  await together(calls, world.site, mode, 'after');
  await Promise.all(calls.map(call => call.leave?.()));
  await checkNothingIsLeft(world, server);
}

// Every cell of the matrix makes sense: `browser` in an attached Chrome gives contexts, a profile is left alone by those
// who have contexts or browsers, and a daemon decides by itself how its clients share.
const cells = entry =>
  Object.keys(modes).flatMap(mode => Object.keys(browsers).map(browser => ({ mode, browser, entry, name: `${mode}, ${browser}` })));
const isChosen = name => name.includes(process.env.TROUPE_FIRST_CALLS_ONLY ?? '');
const shortCounts = cell => (modes[cell.mode].isHeavy ? counts.slice(0, -1) : counts);
const options = { timeout: 100_000 + 30_000 * rounds };

export function firstCalls(entry) {
  suite(`First calls together: ${entry}`, { concurrency: 3 }, () => {
    cells(entry).forEach((cell, index) => {
      const short = shortCounts(cell);
      for (const count of rounds ? counts : [short[(index + entry.length) % short.length]]) {
        const name = `${entry}: ${cell.name}, ${count} clients`;
        if (isChosen(name)) test(name, options, t => runCell(t, cell, count));
      }
    });
  });
}

export function firstCallsWithKills() {
  suite('First calls together, and something dies', { concurrency: 3 }, () => {
    Object.keys(entries).forEach((entry, atEntry) => {
      Object.keys(victims).forEach((victim, atVictim) => {
        const all = cells(entry);
        // Beside the whole matrix, one cell for each entry and victim; all modes and browsers are among them.
        const one = all[(atEntry * 4 + atVictim * 7) % all.length];
        for (const cell of rounds ? all : [one]) {
          for (const count of rounds ? counts : [3]) {
            const name = `${entry}, ${victim} killed: ${cell.name}, ${count} clients`;
            if (isChosen(name)) test(name, options, t => runKill(t, cell, victim, count));
          }
        }
      });
    });
  });
}
