// What the tests of rules share: a server with rules, and what its audit log says.
import { watch } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { Browser } from './browser_support.mjs';
import { client as identity, startServer, temporaryDirectory, text, troupe, within } from './support.mjs';

// A configuration file with these rules and an audit log of its own: `audit()` gives the entries so far, `audited()`
// waits for one behind the first `from` that `matches`.
export async function rules(t, security, more = {}) {
  const directory = await temporaryDirectory(t);
  const config = join(directory, 'config.json');
  const file = join(directory, 'audit.log');
  await writeFile(config, JSON.stringify({ ...more, security: { auditLog: file, ...security } }));
  const audit = async () =>
    (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(line => line.endsWith('}')).map(line => JSON.parse(line));
  const find = async (matches, from) => {
    let changed;
    const watcher = watch(directory, { persistent: false }, () => changed?.resolve());
    try {
      for (;;) {
        changed = Promise.withResolvers(); // before looking, so that nothing comes in between
        const found = (await audit()).slice(from).find(matches);
        if (found) return found;
        await changed.promise;
      }
    } finally {
      watcher.close();
    }
  };
  const audited = (what, matches, from = 0) => within(find(matches, from), `${what} in the audit log`);
  return { config, auditFile: file, audit, audited };
}

// A session over stdio under these rules.
export async function open(t, security, options = {}) {
  const { config, ...log } = await rules(t, security, options.config);
  const browser = await Browser.open(t, { ...options, args: ['--config', config, ...(options.args ?? [])] });
  return Object.assign(browser, log);
}

// A server on a port of its own under these rules.
export async function police(t, security, more = {}, isolation = '--isolated') {
  const { config, ...log } = await rules(t, security, more);
  const directory = await temporaryDirectory(t);
  const server = await startServer(t, troupe, ['--headless', isolation, '--config', config], {
    cwd: directory,
    env: { XDG_CACHE_HOME: directory, XDG_STATE_HOME: directory },
  });
  return Object.assign(server, log);
}

// A client of such a server; `names()` are the tools that it is shown, `call()` one of them.
export async function connect(t, server, token, path = '/mcp') {
  const client = new Client(identity);
  const headers = token && { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(server.url(path), { requestInit: { headers } }));
  t.after(() => client.close());
  client.call = async (name, args = {}) => {
    const answer = await client.callTool({ name, arguments: args });
    return { text: text(answer), isError: answer.isError ?? false };
  };
  client.names = async () => (await client.listTools()).tools.map(({ name }) => name);
  return client;
}
