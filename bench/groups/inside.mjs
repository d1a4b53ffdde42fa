// The parts of the server by themselves, timed by Google Benchmark. Processor time, which others on the machine
// disturb least.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { build } from '../peers.mjs';
import { summarize } from '../stats.mjs';

export const title = 'Inside the server, processor time';

export async function measure({ quick }) {
  const program = join(build, 'troupe_bench');
  if (!existsSync(program)) {
    console.error('troupe_bench was not built: libbenchmark-dev is missing.');
    return [];
  }
  const options = ['--benchmark_format=json', `--benchmark_min_time=${quick ? 0.01 : 0.05}`, `--benchmark_repetitions=${quick ? 1 : 3}`];
  const { stdout } = await promisify(execFile)(program, options, { maxBuffer: 64 << 20 });
  const samples = new Map();
  for (const run of JSON.parse(stdout).benchmarks) {
    if (run.run_type !== 'iteration') continue;
    if (run.error_occurred) throw new Error(`${run.name}: ${run.error_message}`);
    samples.set(run.name, [...(samples.get(run.name) ?? []), run.cpu_time]);
  }
  return [...samples].map(([measure, times]) => ({ measure, unit: 'ns', better: 'less', troupe: summarize(times, 'less') }));
}
