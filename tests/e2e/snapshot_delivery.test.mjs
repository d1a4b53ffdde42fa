// Where snapshots go: a file, as Playwright's do; for clients far away, where they are told so, the answer and a resource.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { Browser, serve } from './browser_support.mjs';
import { client as identity, startServer, temporaryDirectory, text, troupe } from './support.mjs';

const rows = Array.from({ length: 3000 }, (_, i) => `<li>row number ${i}</li>`).join('');
const pages = { '/small': '<h1>Small</h1>', '/large': `<ul>${rows}</ul>` };

async function connect(t, args = []) {
  const directory = await temporaryDirectory(t);
  const server = await startServer(t, troupe, ['--headless', '--isolated', ...args], {
    env: { XDG_CACHE_HOME: directory },
    cwd: directory,
  });
  const client = new Client(identity);
  await client.connect(new StreamableHTTPClientTransport(server.url('/mcp')));
  t.after(() => client.close());
  return client;
}

test('stdio gets a link to a file', async t => {
  const origin = await serve(t, pages);
  const browser = await Browser.open(t);
  const { sections, snapshot } = await browser.call('browser_navigate', { url: `${origin}/small` });
  assert.match(sections.Snapshot, /^- \[Snapshot\]\(\.playwright-mcp\/page-.*\.yml\)$/);
  assert.match(snapshot, /heading "Small"/);
});

test('HTTP gets the same, but for the folder of the file', async t => {
  const origin = await serve(t, pages);
  const [client, browser] = [await connect(t), await Browser.open(t)];
  const call = { name: 'browser_navigate', arguments: { url: `${origin}/small` } };
  const remote = await client.callTool(call);
  const local = await browser.call(call.name, call.arguments);
  const named = answer => answer.replace(/\(\S+\/page-[\w-]+\.yml\)/, '(page.yml)');
  assert.equal(named(text(remote)), named(local.text));
  assert.equal(remote.content.length, 1);
});

test('HTTP gets it in the answer where that is wanted, and a long one as a resource', async t => {
  const origin = await serve(t, pages);
  const client = await connect(t, ['--snapshot-delivery=auto']);
  const small = await client.callTool({ name: 'browser_navigate', arguments: { url: `${origin}/small` } });
  assert.match(text(small), /### Snapshot\n- \[Snapshot\]\(.*\.yml\)\n```yaml\n[^]*heading "Small"/);

  const large = await client.callTool({ name: 'browser_navigate', arguments: { url: `${origin}/large` } });
  const link = large.content.find(part => part.type === 'resource_link');
  assert.match(link.uri, /^troupe:\/\/\/output\/page-.*\.yml$/);
  const { contents } = await client.readResource({ uri: link.uri });
  assert.match(contents[0].text, /row number 2999/);

  // Another client's files are not there for this one, and nothing else of ours is.
  for (const uri of ['troupe:///output/..%2f..%2fetc%2fpasswd', 'troupe:///output/../secret.yml', 'troupe:///output/none.yml'])
    await assert.rejects(client.readResource({ uri }));
});

test('--snapshot-delivery says otherwise', async t => {
  const origin = await serve(t, pages);
  const client = await connect(t, ['--snapshot-delivery=inline']);
  const answer = await client.callTool({ name: 'browser_navigate', arguments: { url: `${origin}/small` } });
  assert.match(text(answer), /### Snapshot\n```yaml\n/);

  const browser = await Browser.open(t, { args: ['--snapshot-delivery=inline'] });
  const { sections } = await browser.call('browser_navigate', { url: `${origin}/small` });
  assert.match(sections.Snapshot, /^```yaml/);
});
