// What the list of tools costs every agent that is shown it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { client as identity, packages, start, temporaryDirectory, troupe } from './support.mjs';

async function listOf(t, command, args) {
  const child = start(t, command, args, { cwd: await temporaryDirectory(t) });
  const ask = async (id, method, params) => {
    child.send({ jsonrpc: '2.0', id, method, params });
    return JSON.parse(await child.stdout.first(method, text => JSON.parse(text).id === id)).result;
  };
  await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity });
  child.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return (await ask(2, 'tools/list', {})).tools;
}

test('The default list has the tools of @playwright/mcp in no more bytes', async t => {
  const ours = await listOf(t, troupe, ['--headless']);
  const theirs = await listOf(t, process.execPath, [join(packages, '@playwright/mcp/cli.js'), '--headless']);
  const names = tools => tools.map(({ name }) => name).toSorted();
  assert.deepEqual(names(ours), names(theirs));
  const bytes = tools => Buffer.byteLength(JSON.stringify(tools));
  assert.ok(bytes(ours) <= bytes(theirs), `${bytes(ours)} bytes, theirs ${bytes(theirs)}`);
});
