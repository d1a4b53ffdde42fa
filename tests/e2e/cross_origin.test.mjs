// MCP clients in web pages: a page of an allowed origin uses every entry, a page of another one none.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { client as identity, startServer, troupe } from './support.mjs';

const token = 'correct-horse-battery-staple';
const hello = version => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: version, capabilities: {}, clientInfo: identity },
});

// What each entry's page does, as source that runs there. `base`, `authorization` and `hello` are there for it.
const entries = {
  '/mcp': `async () => {
    const send = (body, more) => fetch(base + '/mcp', { method: 'POST', body: JSON.stringify(body), headers: { ...headers, ...more } });
    const opened = await send(hello);
    const session = { 'Mcp-Session-Id': opened.headers.get('Mcp-Session-Id'), 'MCP-Protocol-Version': '2025-11-25' };
    const { result } = await opened.json();
    await send({ jsonrpc: '2.0', method: 'notifications/initialized' }, session);
    const { result: { tools } } = await (await send({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, session)).json();
    const stream = await fetch(base + '/mcp', { headers: { ...headers, ...session, Accept: 'text/event-stream' } });
    const ended = await fetch(base + '/mcp', { method: 'DELETE', headers: { ...headers, ...session } });
    return [result.serverInfo.name, tools.some(tool => tool.name === 'browser_navigate'), stream.status, ended.status].join();
  }`,
  '/mcp, stateless': `async () => {
    const params = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} } };
    const answer = await fetch(base + '/mcp', { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params }),
      headers: { ...headers, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'server/discover' } });
    return (await answer.json()).result.supportedVersions.join();
  }`,
  '/sse': `async () => {
    const stream = await fetch(base + '/sse', { headers: { ...headers, Accept: 'text/event-stream' } });
    const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
    let seen = '';
    const until = async pattern => { while (!pattern.test(seen)) seen += (await reader.read()).value; return pattern.exec(seen)[1]; };
    const posted = await fetch(base + await until(/data: (\\/messages\\S+)/), { method: 'POST', headers, body: JSON.stringify(hello) });
    return [posted.status, await until(/"serverInfo":\\{"name":"(\\w+)"/)].join();
  }`,
};
const answers = { '/mcp': 'troupe,true,200,200', '/mcp, stateless': '2026-07-28', '/sse': '202,troupe' };

suite('A page in a browser', { concurrency: false }, () => {
  const ending = [];
  const t = { after: undo => ending.push(undo) };
  let allowed, other, server, browser;

  before(async () => {
    [allowed, other] = [await serve(t, { '/': '<title>allowed</title>' }), await serve(t, { '/': '<title>other</title>' })];
    server = await startServer(t, troupe, ['--allowed-http-origins', allowed, '--auth-token', token]);
    browser = await Browser.open(t);
  });
  after(async () => {
    for (const undo of ending.reverse()) await undo();
  });

  const runIn = async (origin, source) => {
    await browser.call('browser_navigate', { url: origin });
    const known = { base: server.url('/').origin, hello: hello('2025-11-25') };
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', Authorization: `Bearer ${token}` };
    const constants = Object.entries({ ...known, headers }).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`);
    const { text } = await browser.call('browser_evaluate', {
      function: `async () => { ${constants.join('\n')} return (${source})().catch(error => 'refused: ' + error); }`,
    });
    return text;
  };

  for (const [entry, source] of Object.entries(entries)) {
    test(`of an allowed origin uses ${entry}`, async () => {
      assert.match(await runIn(allowed, source), new RegExp(`### Result\n"${answers[entry]}"`));
    });
    test(`of another origin does not use ${entry}`, async () => {
      assert.match(await runIn(other, source), /### Result\n"refused: TypeError: Failed to fetch"/);
    });
  }
});
