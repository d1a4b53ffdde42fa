// MCP Inspector's command line: it connects, lists and lints.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { fixture, packages, run, startServer, temporaryDirectory, text, troupe } from './support.mjs';

const inspector = join(packages, '@modelcontextprotocol/inspector/clients/launcher/build/index.js');

async function inspect(t, ...args) {
  const env = { HOME: await temporaryDirectory(t) };
  const outcome = await run(t, process.execPath, [inspector, '--cli', '--format', 'json', ...args], { env });
  return { ...outcome, ...(outcome.code === 0 ? JSON.parse(outcome.stdout) : {}) };
}

const list = ['--method', 'tools/list', '--strict'];

// The product's tools that need no browser have a capability of their own.
const flags = binary => (binary === troupe ? ['--caps=config'] : []);
const targets = {
  stdio: async (t, binary) => [binary, ...(binary === troupe ? flags(binary) : ['--stdio'])],
  HTTP: async (t, binary) => [(await startServer(t, binary, flags(binary))).url('/mcp').href],
  'HTTP+SSE': async (t, binary) => [(await startServer(t, binary, flags(binary))).url('/sse').href],
};

for (const [where, target] of Object.entries(targets)) {
  // The modern protocol knows no HTTP+SSE.
  for (const era of where === 'HTTP+SSE' ? ['legacy'] : ['legacy', 'auto', 'modern']) {
    suite(`Inspector over ${where}, ${era}`, () => {
      test('finds nothing wrong with the tools of the product', async t => {
        const args = [...(await target(t, troupe)), ...list, '--protocol-era', era];
        const { code, stderr, result, schemaFindings } = await inspect(t, ...args);

        assert.equal(code, 0, stderr);
        assert.equal(schemaFindings, undefined);
        assert.ok(result.tools.length > 0);
      });

      test('finds nothing wrong with the tools of the fixture', async t => {
        const args = [...(await target(t, fixture)), ...list, '--protocol-era', era];
        const { code, stderr, result, schemaFindings } = await inspect(t, ...args);

        assert.equal(code, 0, stderr);
        assert.equal(schemaFindings, undefined);
        assert.ok(result.tools.some(({ name }) => name === 'echo'));
      });

      test('calls a tool', async t => {
        const call = ['--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'text=hello'];
        const { code, stderr, result } = await inspect(t, ...(await target(t, fixture)), ...call, '--protocol-era', era);

        assert.equal(code, 0, stderr);
        assert.equal(text(result), 'hello');
      });
    });
  }
}
