// What tests of the upstream engine share: @playwright/mcp behind us, and who came of whom.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { packages, troupe } from './support.mjs';

export const server = join(packages, '@playwright/mcp/cli.js');
export const behind = { TROUPE_UPSTREAM_COMMAND: JSON.stringify([process.execPath, server]) };
// A small server that does as it is told: see tests/upstream/fake_server.cc.
export const fake = join(dirname(troupe), 'fake_mcp_server');
export const behindFake = (...args) => ({ TROUPE_UPSTREAM_COMMAND: JSON.stringify([fake, ...args]) });
export const flags = ['--engine', 'upstream', '--executable-path', '/usr/bin/chromium', '--no-sandbox'];

// All that came of a process: [{pid, command, begun}]. `begun` tells it from a later process with its number.
export function descendants(root) {
  const all = readdirSync('/proc').filter(name => /^\d+$/.test(name)).flatMap(pid => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /s, '').split(' ');
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return [{ pid: Number(pid), dead: /[ZX]/.test(fields[0]), parent: Number(fields[1]), begun: fields[19], command }];
    } catch {
      return []; // it ended meanwhile
    }
  });
  const below = pid => all.filter(each => each.parent === pid).flatMap(each => [each, ...below(each.pid)]);
  return root === undefined ? all : below(root);
}

export async function untilGone(those) {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const now = descendants().filter(each => !each.dead);
    const left = those.filter(each => now.some(other => other.pid === each.pid && other.begun === each.begun));
    if (left.length === 0) return;
    assert.ok(performance.now() < deadline, `left behind: ${left.map(each => each.command.slice(0, 200)).join('\n')}`);
    await new Promise(resolve => setImmediate(resolve));
  }
}

export const pages = {
  '/': '<title>Home</title><h1>Hello</h1><button onclick="this.textContent = \'clicked\'">press</button>',
  '/form': '<title>Form</title><label>Name <input></label><select aria-label="Pick"><option>a<option>b</select>',
  '/cookie': (request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end(`<title>Cookie</title><p>sent: ${request.headers.cookie ?? 'none'}</p>`);
  },
};

const isReaper = each => each.command.startsWith('/proc/self/fd/');
export const reapersOf = root => descendants(root).filter(each => isReaper(each) && !each.dead);
// The MCP servers below a process, without those who keep them.
export const serversOf = (root, pattern = /cli\.js/) =>
  descendants(root).filter(each => pattern.test(each.command) && !each.dead && !isReaper(each));

// Looks until it holds.
export async function until(what, holds, milliseconds = 20_000) {
  const deadline = performance.now() + milliseconds;
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, `not in time: ${what}`);
    await new Promise(resolve => setImmediate(resolve));
  }
}
