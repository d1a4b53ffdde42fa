// Runs an official conformance suite against a server and tells how each scenario ended.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { packages, run, temporaryDirectory } from './support.mjs';

export const suite = {
  stable: join(packages, '@modelcontextprotocol/conformance/dist/index.js'), // 0.1.16, legacy only
  next: join(packages, 'conformance-next/dist/index.js'), // 0.2.0-alpha.12, both eras
};

// What a revision of the protocol requires of servers, and what the suite runs beside that.
export async function requirements(t, revision) {
  const { stdout } = await run(t, process.execPath, [suite.next, 'list', '--requirements', revision]);
  const [, required] = stdout.split(/^Server scenarios.*$/m);
  const [, unscored] = stdout.split(/^Run and reported.*$/m);
  return {
    scored: [...required.split('\n\n')[0].matchAll(/- (\S+)/g)].map(([, name]) => name),
    // Extensions are optional, and we have none.
    unscored: [...unscored.replace(/extension \(\d+\):\n(\s+- .*\n)*/, '').matchAll(/- (\S+) \[server\]/g)].map(
      ([, name]) => name,
    ),
  };
}

// Gives the exit code and the scenarios: name -> checks.
export async function runSuite(t, program, url, args) {
  const directory = await temporaryDirectory(t);
  const outcome = await run(t, process.execPath, [program, 'server', '--url', url.href, '-o', directory, ...args]);
  const scenarios = new Map();
  for (const entry of await readdir(directory)) {
    const [, name] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(entry);
    scenarios.set(name, JSON.parse(await readFile(join(directory, entry, 'checks.json'), 'utf8')));
  }
  return { ...outcome, scenarios };
}

const isBad = ({ status }) => status === 'FAILURE' || status === 'WARNING';

// A warning is a SHOULD that was not met; the suites let it pass, we do not.
export const passes = checks => checks.some(({ status }) => status === 'SUCCESS') && !checks.some(isBad);

// The scenario and what went wrong in it, one check a line.
export function explain(scenarios, name) {
  const bad = (scenarios.get(name) ?? []).filter(isBad).map(({ id, errorMessage }) => `    ${id}: ${errorMessage}`);
  return [`  ${name}`, ...(bad.length ? bad : ['    no check was made'])].join('\n');
}

export function assertAllPass(scenarios, names) {
  const failed = names.filter(name => !passes(scenarios.get(name) ?? []));
  const explained = failed.map(name => explain(scenarios, name)).join('\n');
  assert.equal(failed.length, 0, `${failed.length} of ${names.length} scenarios failed:\n${explained}`);
}
