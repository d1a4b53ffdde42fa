// Who runs, as /proc tells.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';

// Processes whose command line or environment names `mark`: [{pid, command}].
export function processes(mark) {
  const found = [];
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
      const dead = /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
      if (!dead && Number(pid) !== process.pid && (command.includes(mark) || environment.includes(mark)))
        found.push({ pid: Number(pid), command });
    } catch {
      // it ended meanwhile
    }
  }
  return found;
}

// Until nobody is left; looks again as long as somebody is.
export async function untilGone(mark) {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const left = processes(mark);
    if (left.length === 0) return;
    assert.ok(performance.now() < deadline, `left behind: ${left.map(each => each.command.slice(0, 200)).join('\n')}`);
    await new Promise(resolve => setImmediate(resolve));
  }
}
