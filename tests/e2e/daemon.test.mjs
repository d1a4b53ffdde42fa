// Many clients on one daemon: racing to start it, going on after its death, leaving nothing behind.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { processes, untilGone, withoutChildren } from './processes.mjs';
import { atEnd, isSanitized, within } from './support.mjs';

// A user of their own, with a daemon of their own that ends with the test.
class User {
  static async create(t) {
    const user = new User();
    user.home = await mkdtemp(join(tmpdir(), 'troupe-daemon-'));
    user.env = { XDG_RUNTIME_DIR: user.home, XDG_CACHE_HOME: join(user.home, 'cache'), XDG_STATE_HOME: join(user.home, 'state') };
    // After its clients have ended: one that is served alone writes there, too.
    atEnd(t, async () => {
      user.daemons().forEach(daemon => process.kill(daemon.pid, 'SIGTERM'));
      await untilGone(`internal-daemon ${user.home}`);
      await rm(user.home, { recursive: true, force: true });
    });
    return user;
  }

  // A client in a directory of its own.
  async attach(t, name, args = []) {
    const cwd = join(this.home, name);
    await mkdir(cwd, { recursive: true });
    return Browser.open(t, { args: ['--daemon', ...args], env: this.env, cwd, isolated: [] });
  }

  daemons() {
    return withoutChildren(processes(`internal-daemon ${this.home}`).filter(each => each.command.includes('internal-daemon')));
  }
  // Those that were started, not their helpers.
  browsers() {
    const isBrowser = ({ command }) => command.includes('--remote-debugging-pipe') && !command.includes('--type=');
    return withoutChildren(processes(this.home).filter(isBrowser));
  }
  async files(ending) {
    const names = await readdir(join(this.home, 'troupe'));
    return names.filter(name => name.endsWith(ending)).map(name => join(this.home, 'troupe', name));
  }
}

const all = (clients, action) => Promise.all(clients.map(action));

test('ten clients race to start, share one daemon, and outlive it', { timeout: 100_000 }, async t => {
  const user = await User.create(t);
  let held = 0;
  let allHeld;
  const everybodyWaits = new Promise(resolve => (allHeld = resolve));
  const origin = await serve(t, {
    '/': (request, response) => {
      const n = new URL(request.url, 'http://localhost').searchParams.get('n');
      response.writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': `n=${n}` });
      response.end(`<title>Page ${n}</title><button>number ${n}</button>`);
    },
    '/never': () => {
      if (++held === 10) allHeld();
    },
  });
  const visit = async (client, i) => {
    const answer = await client.call('browser_navigate', { url: `${origin}/?n=${i}` });
    assert.equal(answer.isError, false, answer.text);
    // Read from the client's own directory: the daemon writes where each client is.
    assert.match(answer.snapshot, new RegExp(`number ${i}"`));
  };

  const clients = await all([...Array(10).keys()], i => user.attach(t, `client-${i}`));
  assert.equal(user.daemons().length, 1);
  await all(clients, visit);
  assert.equal(user.daemons().length, 1);
  assert.equal(user.browsers().length, 1);
  const cookies = await all(clients, client => client.call('browser_evaluate', { function: '() => document.cookie' }));
  cookies.forEach((answer, i) => assert.match(answer.text, new RegExp(`"n=${i}"`)));

  const [first] = user.daemons();
  const outcomes = all(clients, client => client.call('browser_navigate', { url: `${origin}/never` }).catch(error => error));
  await within(everybodyWaits, 'ten calls under way', 30_000);
  process.kill(first.pid, 'SIGKILL');
  for (const error of await outcomes) {
    assert.equal(error.code, -32000, String(error));
    assert.match(error.message, /daemon that ran this call has ended/);
  }
  await all(clients, visit);
  assert.equal(user.daemons().length, 1);
  assert.notEqual(user.daemons()[0].pid, first.pid);
  assert.equal(user.browsers().length, 1);
  const after = await all(clients, client => client.call('browser_evaluate', { function: '() => document.cookie' }));
  after.forEach((answer, i) => assert.match(answer.text, new RegExp(`"n=${i}"`)));

  // Pages of the program that all of them share count as a share each: how many of them are resident depends
  // on how the file came into the machine's cache.
  const kilobytes = clients.map(client => {
    const memory = readFileSync(`/proc/${client.child.process.pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB/m.exec(memory)[1]);
  });
  t.diagnostic(`a client's process costs at most ${Math.max(...kilobytes)} kB`);
  if (!isSanitized) assert.ok(Math.max(...kilobytes) <= 3072, `${kilobytes} kB`);
});

test('an idle client does not notice that its daemon was killed', async t => {
  const user = await User.create(t);
  const origin = await serve(t, { '/': '<title>Here</title>' });
  const client = await user.attach(t, 'client');
  await client.request('logging/setLevel', { level: 'error' });
  process.kill(user.daemons()[0].pid, 'SIGKILL');
  await untilGone(`internal-daemon ${user.home}`);

  assert.match((await client.call('browser_navigate', { url: origin })).text, /Page Title: Here/);
  const answers = client.child.stdout.items.map(line => JSON.parse(line)).filter(message => 'id' in message);
  assert.deepEqual(answers.map(answer => answer.id), [1, 2, 3], 'the client saw answers to what it never asked');
});

test('the daemon ends when nobody was connected for a while, and leaves nothing that blocks the next', async t => {
  const user = await User.create(t);
  const idle = ['--daemon-idle', '100'];
  const client = await user.attach(t, 'client', idle);
  await client.call('browser_navigate', { url: 'data:text/html,hello' });
  const [daemon] = user.daemons();
  assert.equal((await stat(join(user.home, 'troupe'))).mode & 0o777, 0o700);
  assert.equal((await stat((await user.files('.sock'))[0])).mode & 0o777, 0o600);

  client.child.process.stdin.end();
  assert.equal((await client.child.end()).code, 0);
  await untilGone(`internal-daemon ${user.home}`);
  assert.deepEqual(user.browsers(), []);
  assert.deepEqual(await user.files('.sock'), []);

  const next = await user.attach(t, 'client', idle);
  assert.match((await next.call('browser_navigate', { url: 'data:text/html,<title>again</title>' })).text, /again/);
  assert.notEqual(user.daemons()[0].pid, daemon.pid);
});

test('a killed client takes its session with it, and nobody else', async t => {
  const user = await User.create(t);
  let opened;
  const held = new Promise(resolve => (opened = resolve));
  const origin = await serve(t, {
    '/': '<title>Held</title><script>fetch("/held")</script>',
    '/held': (request, response) => opened(response),
    '/other': '<title>Other</title>',
  });
  const [killed, other] = await all(['killed', 'other'], name => user.attach(t, name));
  await all([killed, other], (client, i) => client.call('browser_navigate', { url: origin + (i ? '/other' : '/') }));
  const connection = await within(held, 'the request of the page');
  const closed = once(connection, 'close');

  killed.child.process.kill('SIGKILL');

  await within(closed, 'the end of the page');
  assert.match((await other.call('browser_snapshot')).text, /Page Title: Other/);
  assert.equal(user.daemons().length, 1);
});

test('clients with other options get another daemon', async t => {
  const user = await User.create(t);
  await all([[], [], ['--caps=vision']], (args, i) => user.attach(t, `client-${i}`, args));
  assert.equal(user.daemons().length, 2);
});

// A daemon of another version on the socket of the user's own, which has ended. Keeps what it was told.
async function impostor(t, user, welcome) {
  const client = await user.attach(t, 'first');
  const [path] = await user.files('.sock');
  client.child.process.stdin.end();
  await client.child.end();
  user.daemons().forEach(daemon => process.kill(daemon.pid, 'SIGTERM'));
  await untilGone(`internal-daemon ${user.home}`);
  const heard = [];
  const server = createServer(socket => {
    socket.on('error', () => {});
    createInterface(socket).on('line', line => {
      const { troupeHello: hello } = JSON.parse(line);
      heard.push(hello);
      const retired = hello.retire === welcome.version;
      if (retired) server.close();
      socket.end(JSON.stringify({ troupeWelcome: { ...welcome, retired } }) + '\n');
    });
  });
  server.listen(path);
  await once(server, 'listening');
  t.after(() => server.close());
  return heard;
}

test('an older daemon that nobody uses is asked to end, and replaced', async t => {
  const user = await User.create(t);
  const heard = await impostor(t, user, { link: 1, version: '0.0.1', clients: 0 });
  const client = await user.attach(t, 'client');
  assert.match((await client.call('browser_navigate', { url: 'data:text/html,<title>new</title>' })).text, /new/);
  assert.deepEqual(heard.map(hello => hello.retire), ['', '0.0.1']);
  assert.equal(heard[0].directory, join(user.home, 'client'));
  assert.equal(user.daemons().length, 1);
});

test('a client that the daemon does not understand is served alone, and told so', async t => {
  const user = await User.create(t);
  await impostor(t, user, { link: 99, version: '99.0', clients: 3 });
  const client = await user.attach(t, 'client');
  await client.child.waitForLine(/daemon of version 99.0 does not understand/);
  await client.child.waitForLine(/Serving this client alone/);
  assert.match((await client.call('browser_navigate', { url: 'data:text/html,<title>alone</title>' })).text, /alone/);
  assert.deepEqual(user.daemons(), []);
});

test('with a profile, clients share its logins and have tabs of their own', { timeout: 60_000 }, async t => {
  const user = await User.create(t);
  const origin = await serve(t, {
    '/': (request, response) => {
      const seen = /who=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? 'nobody';
      response.writeHead(200, { 'Content-Type': 'text/html', ...(request.url.includes('?') && { 'Set-Cookie': 'who=ann' }) });
      response.end(`<title>${seen}</title>`);
    },
  });
  const profile = `--user-data-dir=${join(user.home, 'profile')}`;
  const clients = await all(['ann', 'bob', 'eve'], name => user.attach(t, name, [profile]));
  await clients[0].call('browser_navigate', { url: `${origin}/?login` });
  const answers = await all(clients, client => client.call('browser_navigate', { url: origin }));
  for (const answer of answers) assert.match(answer.text, /Page Title: ann/);
  for (const client of clients) {
    const { text } = await client.call('browser_tabs', { action: 'list' });
    assert.equal(text.match(/targetId=/g).length, 1);
  }
  assert.equal(user.daemons().length, 1);
  assert.equal(user.browsers().length, 1);
});

test('each client goes by its own name in the daemon’s log', { timeout: 60_000 }, async t => {
  const user = await User.create(t);
  for (const name of ['ann', 'bob']) {
    const client = await user.attach(t, name, ['--log-level=debug', `--agent-id=${name}`]);
    await client.call('browser_tabs', { action: 'list' });
  }
  assert.equal(user.daemons().length, 1);
  const files = await readdir(join(user.home, 'state'), { recursive: true });
  const log = readFileSync(join(user.home, 'state', files.find(file => /daemon-\w+\.log$/.test(file))), 'utf8');
  assert.deepEqual([...log.matchAll(/ call agent="?(\w+)/g)].map(([, agent]) => agent), ['ann', 'bob'], log);
});

test('a frozen daemon is answered for, and goes on where it stood', { timeout: 90_000 }, async t => {
  const user = await User.create(t);
  const origin = await serve(t, { '/': '<title>Home</title><h1>home</h1>' });
  const client = await user.attach(t, 'ann');
  await client.call('browser_navigate', { url: origin });
  const [{ pid }] = user.daemons();
  const silence = 15_000; // DaemonSilence
  try {
    process.kill(pid, 'SIGSTOP');
    const error = await client.call('browser_snapshot', {}, silence + 15_000).catch(each => each);
    assert.match(String(error.message), /daemon \(process \d+\) does not answer.*may or may not.*kill -CONT/);
    assert.ok(error.message.includes(String(pid)), error.message);
    const begun = performance.now();
    const next = await client.call('browser_evaluate', { function: '() => { document.title = "changed"; }' }).catch(each => each);
    assert.match(String(next.message), /was not sent to it/);
    assert.ok(performance.now() - begun < 5_000, 'a daemon known to be frozen delays nobody');
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  // Calls are refused until it has answered; then they run.
  let answer;
  const deadline = performance.now() + 10_000;
  do {
    answer = await client.call('browser_snapshot').catch(each => each);
  } while (answer instanceof Error && performance.now() < deadline);
  assert.match(String(answer.snapshot), /home/, String(answer.message));
  assert.doesNotMatch(answer.text, /changed/);
  const ids = client.child.stdout.items.map(line => JSON.parse(line).id).filter(id => id !== undefined);
  assert.deepEqual(ids, [...new Set(ids)], 'one answer for each call');
});
