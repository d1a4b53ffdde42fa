// What the agents of a run use: the server, as a process of its own or a daemon, and the Chrome that it may be attached to.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { processes } from '../e2e/processes.mjs';
import { troupe, within } from '../e2e/support.mjs';

// A process and its lines. `errors`: what it wrote to stderr.
export function startProcess(command, args, { cwd, env }) {
  const child = spawn(command, args, { cwd, stdio: 'pipe', env: { ...process.env, ...env } });
  const server = { process: child, errors: [], lines: createInterface(child.stdout), stdout: {} };
  server.closed = once(child, 'close');
  server.kill = signal => child.kill(signal);
  child.stdin.on('error', () => {});
  // The first line that `pattern` matches.
  server.line = pattern => {
    const ended = server.closed.then(() => Promise.reject(new Error(`the server ended:\n${server.errors.join('\n')}`)));
    ended.catch(() => {});
    const found = new Promise(resolve => {
      createInterface(child.stderr).on('line', line => {
        server.errors.push(line);
        const match = pattern.exec(line);
        if (match) resolve(match);
      });
    });
    return within(Promise.race([found, ended]), `printing ${pattern}`);
  };
  return server;
}

// Listens on `port`, or on any when that is 0.
export async function startListening(args, port, options) {
  const server = startProcess(options.command ?? troupe, ['--port', String(port), ...args], options);
  const [, found] = await server.line(/Listening on http:\/\/localhost:(\d+)/);
  server.port = Number(found);
  server.url = (path, scheme = 'http') => new URL(path, `${scheme}://localhost:${found}`);
  return server;
}

export async function startOnStdio(args, options) {
  const server = startProcess(options.command ?? troupe, args, options);
  server.line(/^$/).catch(() => {});
  return server;
}

async function until(isSo) {
  const deadline = performance.now() + 30_000;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error('a daemon does not end');
    await new Promise(resolve => setImmediate(resolve));
  }
}

// Its first client starts it; who leaves it alone finds another.
export async function startDaemon(args, { cwd, env }) {
  const home = join(cwd, 'home');
  await mkdir(home, { recursive: true });
  const daemons = () => processes(`internal-daemon ${home}`).filter(each => each.command.includes('internal-daemon'));
  const server = { errors: [], args: ['--daemon', ...args], options: { cwd, env: { ...env, XDG_RUNTIME_DIR: home } } };
  const readLog = async () => {
    const logs = join(env.XDG_STATE_HOME, 'troupe');
    const names = (await readdir(logs).catch(() => [])).filter(name => /^daemon-.*log$/.test(name));
    for (const name of names) server.errors = (await readFile(join(logs, name), 'utf8')).split('\n');
  };
  // Clients that are there start the next one at once.
  server.kill = signal => {
    const ending = daemons().map(each => each.pid);
    for (const pid of ending) process.kill(pid, signal);
    server.closed = until(() => !daemons().some(each => ending.includes(each.pid))).then(readLog);
  };
  server.closed = Promise.resolve();
  return server;
}

// A program that is the server with a small disk of its own at `disk`. fill() and free() are what others do to it.
export async function smallDisk(directory, disk) {
  const command = join(directory, 'limited');
  await mkdir(disk, { recursive: true });
  await writeFile(command, `#!/bin/sh\nexec unshare -rm sh -c 'mount -t tmpfs -o size=3m tmpfs "${disk}" || exit 1; exec "${troupe}" "$@"' sh "$@"\n`);
  await chmod(command, 0o755);
  const other = server => `/proc/${server.process.pid}/root${disk}/other`;
  return {
    command,
    fill: async server => {
      for (let size = 1 << 20; size >= 4096; size >>= 1)
        for (let written = true; written; )
          written = await writeFile(other(server), Buffer.alloc(size), { flag: 'a' }).then(() => true, () => false);
    },
    free: server => rm(other(server), { force: true }),
  };
}

// Somebody's Chrome on `port`.
export async function startChrome(profile, port = 0) {
  const candidates = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome'];
  const exists = await Promise.all(candidates.map(path => access(path).then(() => true, () => false)));
  const executable = candidates[exists.indexOf(true)];
  const headless = executable.endsWith('shell') ? [] : ['--headless=new'];
  const chrome = startProcess(executable, [...headless, '--no-sandbox', '--no-first-run', `--user-data-dir=${profile}`,
    `--remote-debugging-port=${port}`, 'about:blank'], {});
  const [, found] = await chrome.line(/DevTools listening on ws:\/\/[^:]+:(\d+)/);
  chrome.port = Number(found);
  return chrome;
}
