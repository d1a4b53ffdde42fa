// What the tests of rules share: a server with rules, and what its audit log says.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Browser } from './browser_support.mjs';
import { temporaryDirectory } from './support.mjs';

// A configuration file with these rules and an audit log of its own: {config, file, entries()}.
export async function rules(t, security, more = {}) {
  const directory = await temporaryDirectory(t);
  const config = join(directory, 'config.json');
  const file = join(directory, 'audit.log');
  await writeFile(config, JSON.stringify({ ...more, security: { auditLog: file, ...security } }));
  const entries = async () =>
    (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean).map(line => JSON.parse(line));
  return { config, file, entries };
}

// A session over stdio under these rules; `audit()` gives the entries so far.
export async function open(t, security, options = {}) {
  const { config, file, entries } = await rules(t, security, options.config);
  const browser = await Browser.open(t, { ...options, args: ['--config', config, ...(options.args ?? [])] });
  return Object.assign(browser, { audit: entries, auditFile: file });
}
