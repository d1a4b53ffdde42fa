// Who runs, as /proc tells.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';

const timeout = 30_000; // ms for processes to end, on a machine that does much else

// Processes whose command line or environment names `mark`: [{pid, parent, command}].
export function processes(mark) {
  const found = [];
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const dead = /^State:\s+[ZX]/m.test(status);
      if (!dead && Number(pid) !== process.pid && (command.includes(mark) || environment.includes(mark)))
        found.push({ pid: Number(pid), parent: Number(/^PPid:\s+(\d+)/m.exec(status)[1]), command });
    } catch {
      // it ended meanwhile
    }
  }
  return found;
}

// Those that none of the others started: a child looks like its parent until it runs a program of its own.
export function withoutChildren(found) {
  const pids = new Set(found.map(each => each.pid));
  return found.filter(each => !pids.has(each.parent));
}

// Until nobody is left; looks again as long as somebody is.
export async function untilGone(mark) {
  const deadline = performance.now() + timeout;
  for (;;) {
    const left = processes(mark);
    if (left.length === 0) return;
    assert.ok(performance.now() < deadline, `left behind: ${left.map(each => each.command.slice(0, 200)).join('\n')}`);
    await new Promise(resolve => setImmediate(resolve));
  }
}

// The ids of processes in which pages of `mark`'s browsers run. Nothing of their own says whose they are; their parents do.
export function renderers(mark) {
  const marked = new Set(processes(mark).map(each => each.pid));
  const parents = new Map();
  const found = [];
  for (const name of readdirSync('/proc').filter(each => /^\d+$/.test(each))) {
    try {
      const pid = Number(name);
      parents.set(pid, Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]));
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer')) found.push(pid);
    } catch {
      // it ended meanwhile
    }
  }
  const isBelow = pid => marked.has(pid) || (parents.has(pid) && isBelow(parents.get(pid)));
  return found.filter(isBelow);
}

// Everything below `root` in which pages run: [{pid, processors, policies}], with what all its threads have.
export function pageProcesses(root) {
  const parents = new Map();
  const found = [];
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      parents.set(Number(pid), Number(/^PPid:\s+(\d+)/m.exec(status)[1]));
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer')) continue;
      const threads = readdirSync(`/proc/${pid}/task`).map(thread => ({
        processors: /^Cpus_allowed_list:\s+(\S+)/m.exec(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8'))[1],
        policy: Number(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ')[1].split(' ')[38]),
      }));
      found.push({ pid: Number(pid), processors: [...new Set(threads.map(each => each.processors))], policies: [...new Set(threads.map(each => each.policy))] });
    } catch {
      // it ended meanwhile
    }
  }
  const isBelow = pid => pid === root || (parents.has(pid) && isBelow(parents.get(pid)));
  return found.filter(({ pid }) => isBelow(pid));
}
