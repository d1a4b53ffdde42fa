// Runs one seed: agents call at random while processes die, and every answer is held against a model.
import { World } from './world.mjs';

// `steps`: calls of each agent. `faultRate`: faults for each call.
export async function runSeed({ seed, isolation, entry, agents = 4, steps = 25, faultRate = 0.03 }) {
  const world = await World.create({ seed, isolation, entry, agents });
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
    error.message = `seed ${seed}, ${isolation}, ${entry}: ${error.message}\n--- server\n${world.server.errors.slice(-20).join('\n')}`;
    throw error;
  } finally {
    await world.destroy();
  }
}

export const modes = ['context', 'browser', 'shared'].flatMap(isolation =>
  ['stateless', 'stdio', 'websocket'].map(entry => ({ isolation, entry })),
);
