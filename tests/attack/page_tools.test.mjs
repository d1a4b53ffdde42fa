// A page that offers tools in order to break the list of tools, to fill it, or to stand in for ours.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { serve } from '../e2e/browser_support.mjs';
import { connect } from '../e2e/policy_support.mjs';
import { startServer, temporaryDirectory, text, troupe } from '../e2e/support.mjs';

// Each would be enough to make a client refuse the whole list, or a model its tools.
const bad = [
  { name: 'required', inputSchema: { type: 'object', required: 'a' } },
  { name: 'requiredNumber', inputSchema: { type: 'object', required: [1] } },
  { name: 'properties', inputSchema: { type: 'object', properties: [] } },
  { name: 'property', inputSchema: { type: 'object', properties: { a: 5 } } },
  { name: 'key', inputSchema: { type: 'object', properties: { 'a b': {} } } },
  { name: 'type', inputSchema: { type: 'object', properties: { a: { type: 'what' } } } },
  { name: 'array', inputSchema: { type: 'array' } },
  { name: 'text', inputSchema: '"object"' },
  ...['sessionId', 'session_id', 'targetId', 'tabId', '_response'].map(name => (
    { name: `servers${name}`, inputSchema: { type: 'object', properties: { [name]: { type: 'string' } } } })),
  { name: 'remote', inputSchema: { type: 'object', properties: { a: { $ref: 'http://evil.test/' } } } },
  { name: 'large', inputSchema: { type: 'object', description: 'x'.repeat(20_000) } },
];
const offers = {
  '/bad': [...bad, { name: 'good', inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } }],
  '/many': Array.from({ length: 90 }, (_, i) => ({ name: `many${i}`, description: 'x'.repeat(8_000) })),
  '/ours': ['browser_click', 'x'.repeat(150), 'browser click', '', '__proto__'].map(name => ({ name })),
};
const page = tools => `<title>Tools</title><script>
  navigator.modelContext = { getTools: async () => ${JSON.stringify(tools)}, invokeTool: async (name, given) => ({ name, given }) };
</script>`;

test('Whatever a page offers, the list stays one that clients read, and ours stay ours', async t => {
  const site = await serve(t, Object.fromEntries(Object.entries(offers).map(([path, tools]) => [path, page(tools)])));
  const directory = await temporaryDirectory(t);
  const server = await startServer(t, troupe, ['--headless', '--isolated', '--log-level=warn'], {
    cwd: directory,
    env: { XDG_CACHE_HOME: directory, XDG_STATE_HOME: directory },
  });
  const client = await connect(t, server);
  const visit = async path => {
    const answer = await client.callTool({ name: 'browser_navigate', arguments: { url: site + path } });
    assert.ok(!answer.isError, text(answer));
    // The SDK checks every tool that it is given.
    const { tools } = await client.listTools();
    return tools;
  };
  const own = (await client.listTools()).tools;

  let tools = await visit('/bad');
  assert.deepEqual(tools.map(({ name }) => name).filter(name => name.startsWith('webmcp_')), ['webmcp_good']);
  const called = async args => client.callTool({ name: 'webmcp_good', arguments: args });
  assert.ok((await called({ n: 'no' })).isError);
  assert.ok((await called({})).isError);
  const answer = await called({ n: 2 });
  assert.ok(!answer.isError, text(answer));

  tools = await visit('/many');
  const many = tools.filter(({ name }) => name.startsWith('webmcp_'));
  assert.ok(many.length > 0 && many.length <= 64, `${many.length} tools`);
  assert.ok(JSON.stringify(many).length < 400_000, `${JSON.stringify(many).length} bytes`);

  tools = await visit('/ours');
  const theirs = tools.filter(({ name }) => name.startsWith('webmcp_')).map(({ name }) => name);
  assert.equal(new Set(theirs).size, theirs.length);
  for (const name of theirs) assert.match(name, /^[\w-]{1,64}$/);
  assert.deepEqual(tools.filter(({ name }) => !name.startsWith('webmcp_')), own);

  // The operator reads why.
  await server.waitForLine(/The tool .?"required.?" of http:\/\/localhost:\d+\/bad is not offered: inputSchema\.required is no list of strings/);
});
