// Runs one seed: agents call at random while processes die, and every answer is held against a model.
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { suite, test } from 'node:test';

import { World } from './world.mjs';

// `steps`: calls of each agent. `faultRate`: faults for each call.
export async function runSeed({ seed, agents = 4, steps = 25, faultRate = 0.03, ...mode }) {
  const world = await World.create({ seed, agents, ...mode });
  try {
    let failed;
    const work = async agent => {
      for (let step = 0; step < steps && !failed; ++step) {
        if (world.random.chance(faultRate) && !world.restarting) await world.fault();
        await agent.step();
      }
    };
    await Promise.all(
      world.agents.map(agent =>
        work(agent).catch(error => {
          failed ??= error;
        }),
      ),
    );
    if (failed) throw failed;
    await world.close();
    return world.counts;
  } catch (error) {
    error.message = `seed ${seed}, ${nameOf(mode)}: ${error.message}\n--- server\n${world.server.errors.slice(-20).join('\n')}`;
    throw error;
  } finally {
    await world.destroy();
  }
}

// A container may not let its programs have disks of their own.
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0;

// Our own browsers, as a server uses them by itself; and the other ways to have a server and a browser.
export const ownModes = ['context', 'browser', 'shared'].flatMap(isolation =>
  ['stateless', 'stdio', 'websocket'].map(entry => ({ isolation, entry })),
);
export const otherModes = [
  { isolation: 'context', entry: 'daemon' },
  { isolation: 'shared', entry: 'daemon', browser: 'profile' },
  { isolation: 'default', entry: 'websocket', browser: 'profile' },
  { isolation: 'shared', entry: 'stateless', browser: 'profile' },
  { isolation: 'context', entry: 'stateless', browser: 'attached' },
  { isolation: 'shared', entry: 'websocket', browser: 'attached' },
  ...(canMount ? [{ isolation: 'context', entry: 'stateless', disk: 'small' }] : []),
];
export const modes = [...ownModes, ...otherModes];

export const nameOf = ({ isolation, entry, browser = 'own', disk = 'large' }) =>
  [isolation, entry, ...(browser === 'own' ? [] : [browser]), ...(disk === 'large' ? [] : ['full disk'])].join(' ');

// The short form for one seed, as tests.
export function testSeed(chosen) {
  const seed = Number(process.env.TROUPE_SEED ?? 1);
  suite(`Agents keep their state among random deaths (TROUPE_SEED=${seed})`, { concurrency: 2 }, () => {
    for (const mode of chosen) test(nameOf(mode), { timeout: 100_000 }, () => runSeed({ seed, ...mode, agents: 3, steps: 8 }));
  });
}
