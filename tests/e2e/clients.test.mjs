// Real clients of every kind on one server at once, each with a browser state of its own.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { serve } from './browser_support.mjs';
import { client as identity, startServer, temporaryDirectory, text, troupe } from './support.mjs';

const rounds = 3;

// A shop that knows its visitors by cookie, and tells who has asked for what.
function shop(seen) {
  return {
    '/login': (request, response) => {
      const name = new URL(request.url, 'http://x').searchParams.get('as');
      response.writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': `who=${name}` });
      response.end(`<title>welcome ${name}</title>`);
    },
    '/': (request, response) => {
      const who = /who=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? 'nobody';
      const { searchParams } = new URL(request.url, 'http://x');
      if (searchParams.has('name')) seen.push([who, searchParams.get('name')]);
      response.writeHead(200, { 'Content-Type': 'text/html' });
      response.end(`<title>shop of ${who}</title><h1>hello ${who}</h1>
        <form><input name=name aria-label=Name><button>Send</button></form>`);
    },
  };
}

// Lines of JSON between standard input and output and the server's socket: what a stdio client starts.
const bridge = `const socket = require('node:net').connect(process.argv[1]);
  process.stdin.pipe(socket).pipe(process.stdout);`;

suite('Real clients, all at once', () => {
  test('two of SDK v1, two of SDK v2, one on stdio with three sessions: nobody meets anybody', { timeout: 100_000 }, async t => {
    const seen = [];
    const origin = await serve(t, shop(seen));
    const directory = await temporaryDirectory(t);
    const socket = join(directory, 'troupe.sock');
    const server = await startServer(t, troupe, ['--headless', '--isolated', '--session-param', `--socket=${socket}`], {
      env: { XDG_CACHE_HOME: directory },
      cwd: directory,
    });

    const agents = {};
    const add = (name, client, session) => {
      agents[name] = async (tool, args) => {
        const result = await client.callTool({ name: tool, arguments: { ...args, ...session } });
        assert.notEqual(result.isError, true, `${name}: ${text(result)}`);
        return text(result);
      };
    };
    for (const name of ['v1-a', 'v1-b']) {
      const client = new Client(identity);
      t.after(() => client.close());
      await client.connect(new StreamableHTTPClientTransport(server.url('/mcp')));
      add(name, client);
    }
    for (const name of ['v2-a', 'v2-b']) {
      const client = new ModernClient(identity, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
      t.after(() => client.close());
      await client.connect(new ModernHttp(server.url('/mcp')));
      // From here on the SDK knows which arguments go into headers as well.
      await client.listTools();
      add(name, client, { sessionId: name });
    }
    const stdio = new Client(identity);
    t.after(() => stdio.close());
    await stdio.connect(new StdioClientTransport({ command: process.execPath, args: ['-e', bridge, socket], stderr: 'ignore' }));
    for (const name of ['line-a', 'line-b', 'line-c']) add(name, stdio, { sessionId: name });

    const names = Object.keys(agents);
    assert.equal(names.length, 7);
    await Promise.all(
      names.map(async name => {
        const call = agents[name];
        assert.match(await call('browser_navigate', { url: `${origin}/login?as=${name}` }), new RegExp(`Page Title: welcome ${name}$`, 'm'));
        for (let round = 0; round < rounds; ++round) {
          assert.match(await call('browser_navigate', { url: origin }), new RegExp(`Page Title: shop of ${name}$`, 'm'));
          await call('browser_type', { element: 'the name', target: 'css=input', text: `${name}-${round}`, submit: true });
          assert.match(await call('browser_snapshot'), new RegExp(`heading "hello ${name}"`));
          const tabs = await call('browser_tabs', { action: 'list' });
          assert.equal(tabs.match(/^- \d+:/gm).length, 1, `${name} sees ${tabs}`);
        }
      }),
    );
    assert.deepEqual(
      seen.map(([who, sent]) => `${who} sent ${sent}`).sort(),
      names.flatMap(name => Array.from({ length: rounds }, (_, round) => `${name} sent ${name}-${round}`)).sort(),
    );
  });
});
