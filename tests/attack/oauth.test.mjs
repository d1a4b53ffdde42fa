// OAuth 2.1 with a real authorization server: clients that find it by themselves, and tokens that it did not issue for us.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import {
  clients, Client, ClientCredentialsProvider, ClientV2, CredentialsV2, exportSPKI, generateKeyPair, HttpV2, personalClient,
  selfSigned, SSEClientTransport, startIssuer, StreamableHTTPClientTransport, UnsecuredJWT, WebSocket,
} from '../e2e/oauth_support.mjs';
import { atEnd, client as identity, lastMessage, postStateless, startServer, temporaryDirectory, troupe, within } from '../e2e/support.mjs';

const bearer = token => token && { Authorization: `Bearer ${token}` };
const initialize = {
  jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity },
};

// Every way in: each gives the status and headers of what a token gets there.
async function openSocket(server, token) {
  const socket = new WebSocket(server.url('/ws', 'ws'), 'mcp', { headers: bearer(token) });
  socket.on('error', () => {});
  const refused = once(socket, 'unexpected-response').then(([, response]) => {
    response.destroy();
    return { status: response.statusCode, headers: new Headers(response.headers) };
  });
  const opened = once(socket, 'open').then(() => ({ status: 200, headers: new Headers(), socket }));
  [refused, opened].forEach(each => each.catch(() => {}));
  return within(Promise.race([refused, opened]), 'the handshake');
}

async function only(answering) {
  const response = await answering;
  await response.body?.cancel();
  return response;
}

const entries = {
  'POST /mcp': (server, token) => only(fetch(server.url('/mcp'), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...bearer(token) },
    body: JSON.stringify(initialize),
  })),
  'stateless POST /mcp': (server, token) => only(postStateless(server, 'tools/list', {}, { headers: bearer(token) })),
  'GET /sse': (server, token) => only(fetch(server.url('/sse'), { headers: bearer(token) })),
  'WebSocket /ws': async (server, token) => {
    const answer = await openSocket(server, token);
    answer.socket?.terminate();
    return answer;
  },
  'GET /api/sessions': (server, token) => only(fetch(server.url('/api/sessions'), { headers: bearer(token) })),
};

async function everywhere(server, token, expected, why = 'at each entry') {
  const answers = await Promise.all(Object.values(entries).map(enter => enter(server, token)));
  assert.deepEqual(answers.map(each => each.status), answers.map(() => expected), why);
  return answers;
}

async function startWithIssuer(t, issuer, settings = {}, env = {}) {
  const config = join(await temporaryDirectory(t), 'config.json');
  await writeFile(config, JSON.stringify({
    ...settings, server: { authTokens: { reader: 'token-of-reader' }, oauth: { issuer, scopes: ['browse'] } },
  }));
  const server = await startServer(t, troupe, ['--headless', '--isolated', '--config', config], { env });
  server.resource = path => server.url(path).href.replace(/\/$/, '');
  return server;
}

suite('OAuth', () => {
  let issuer, server, genuine;
  const undo = [];
  const t = { after: each => undo.push(each) };
  after(() => undo.reduceRight((done, each) => done.then(each), Promise.resolve()));
  before(async () => {
    issuer = await startIssuer(t);
    const rules = [
      { principal: 'reader', deny: ['*'] },
      { principal: 'oauth:reader', tools: ['browser_snapshot'] },
      { principal: 'oauth:ann', tools: ['browser_click', 'browser_snapshot'] },
    ];
    server = await startWithIssuer(t, issuer.url, { security: { rules } });
    genuine = (client = 'reader') => issuer.token(client, server.resource('/mcp'));
  });

  const names = ({ tools }) => tools.map(each => each.name).sort();
  const credentials = id => ({ clientId: id, clientSecret: clients[id], expectedIssuer: issuer.url, scope: 'browse' });

  test('several first clients are let in by every entry, with the issuer asked once', async () => {
    await everywhere(server, await genuine('writer'), 200);
    const asked = issuer.requests.filter(url => url === '/jwks');
    assert.equal(asked.length, 1);
  });

  test('new keys are found, and old ones are gone with them', async () => {
    const old = await genuine('writer');
    await issuer.rotate('second');
    await everywhere(server, await genuine('writer'), 200);
    await everywhere(server, old, 401);
  });

  test('a client that knows nothing but the address finds the issuer and gets in', async t => {
    const connections = {
      'streamable HTTP': [new Client(identity), new StreamableHTTPClientTransport(server.url('/mcp'),
        { authProvider: new ClientCredentialsProvider(credentials('reader')) })],
      'by its other name': [new Client(identity), new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${server.port}/mcp`),
        { authProvider: new ClientCredentialsProvider(credentials('reader')) })],
      'a named session': [new Client(identity), new StreamableHTTPClientTransport(server.url('/mcp/mine'),
        { authProvider: new ClientCredentialsProvider(credentials('reader')) })],
      SSE: [new Client(identity), new SSEClientTransport(server.url('/sse'),
        { authProvider: new ClientCredentialsProvider(credentials('reader')) })],
      'SDK 2': [new ClientV2(identity), new HttpV2(server.url('/mcp'), { authProvider: new CredentialsV2(credentials('reader')) })],
    };
    for (const [name, [client, transport]] of Object.entries(connections)) {
      await client.connect(transport);
      atEnd(t, () => client.close());
      assert.deepEqual(names(await client.listTools()), ['browser_snapshot'], name);
    }
  });

  test('a person who approves gets in as that person', async t => {
    const authProvider = personalClient();
    const first = new StreamableHTTPClientTransport(server.url('/mcp'), { authProvider });
    await assert.rejects(new Client(identity).connect(first), /Unauthorized/);
    await first.finishAuth(authProvider.kept.code);

    const client = new Client(identity);
    await client.connect(new StreamableHTTPClientTransport(server.url('/mcp'), { authProvider }));
    atEnd(t, () => client.close());
    assert.deepEqual(names(await client.listTools()), ['browser_click', 'browser_snapshot']);
  });

  test('principals of tokens and of the issuer are not confused', async () => {
    const list = async token => {
      const response = await postStateless(server, 'tools/list', {}, { headers: bearer(token) });
      return names((await response.json()).result);
    };
    assert.deepEqual(await list('token-of-reader'), []);
    assert.deepEqual(await list(await genuine()), ['browser_snapshot']);
    assert.ok((await list(await genuine('writer'))).length > 20);
    // The one who is configured cannot be named by the issuer, whatever it says.
    assert.ok((await list(await issuer.forge({ sub: 'oauth:reader', aud: server.resource('/mcp') }))).length > 20);
  });

  test('nobody else gets in, by any entry', async () => {
    const aud = server.resource('/mcp');
    const now = Math.floor(Date.now() / 1000);
    const { privateKey: foreign } = await generateKeyPair('RS256');
    const pem = new TextEncoder().encode(await exportSPKI(issuer.key.publicKey));
    const attempts = {
      'no token': undefined,
      garbage: 'a.b.c',
      'an unsigned token': new UnsecuredJWT({ iss: issuer.url, sub: 'reader', aud, exp: now + 60 }).encode(),
      'the public key as a secret': await issuer.forge({ aud }, { key: pem, header: { alg: 'HS256' } }),
      'another key by the same name': await issuer.forge({ aud }, { key: foreign }),
      'an unknown key': await issuer.forge({ aud }, { key: foreign, header: { kid: 'unknown' } }),
      'for another server': await issuer.token('reader', 'http://localhost:1/mcp'),
      'for another path': await issuer.forge({ aud: `${aud}2` }),
      'for nobody in particular': await issuer.forge({ aud: [] }),
      'of another issuer': await issuer.forge({ aud, iss: `${issuer.url}/` }),
      expired: await issuer.forge({ aud, exp: now - 40 }),
      'not yet valid': await issuer.forge({ aud, nbf: now + 600 }),
      'a pattern of principals': await issuer.forge({ aud, sub: '*' }),
      'a proof of something else': await issuer.forge({ aud }, { header: { typ: 'logout+jwt' } }),
      'too large': await issuer.forge({ aud, padding: 'x'.repeat(20_000) }),
    };
    for (const [name, token] of Object.entries(attempts)) {
      for (const { headers } of await everywhere(server, token, 401, name)) {
        const challenge = headers.get('www-authenticate');
        assert.match(challenge, /^Bearer resource_metadata="http:\/\/localhost:\d+\/\.well-known\/oauth-protected-resource\/\w+"/, name);
        assert.equal(challenge.includes('error="invalid_token"'), token !== undefined, name);
      }
    }
    const [{ headers }] = await everywhere(server, await issuer.forge({ aud, scope: 'other' }), 403);
    assert.match(headers.get('www-authenticate'), /scope="browse", error="insufficient_scope"/);
    // A token is no part of an address.
    const token = await genuine();
    assert.equal((await fetch(server.url(`/api/sessions?access_token=${token}`))).status, 401);
    assert.ok(!server.stderr.items.join('\n').includes(token), 'a token was logged');
  });

  test('a session is its principal\'s, whoever knows its id', async () => {
    const post = (token, body, session) => fetch(server.url('/mcp'), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...bearer(token),
        ...(session && { 'Mcp-Session-Id': session }),
      },
      body: JSON.stringify(body),
    });
    const session = (await only(post(await genuine(), initialize))).headers.get('mcp-session-id');
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
    assert.equal((await only(post(await genuine('writer'), ping, session))).status, 404);
    assert.equal((await only(post('token-of-reader', ping, session))).status, 404);
    assert.equal((await only(post(undefined, ping, session))).status, 401);
    // A newer token of the same principal goes on with it.
    assert.equal((await only(post(await genuine(), ping, session))).status, 200);
  });

  test('a stream ends with its token', async () => {
    const streams = {
      '/sse': token => fetch(server.url('/sse'), { headers: bearer(token) }),
      '/mcp': token => postStateless(server, 'subscriptions/listen', { notifications: { toolsListChanged: true } }, { headers: bearer(token) }),
    };
    await Promise.all(Object.entries(streams).map(async ([path, open]) => {
      const exp = Math.floor(Date.now() / 1000) + 2;
      const response = await open(await issuer.forge({ aud: server.resource(path), exp }));
      assert.match(response.headers.get('Content-Type'), /event-stream/, path);
      await within(response.text().catch(() => {}), `the end of ${path}`);
    }));
  });

  test('a WebSocket ends with its token', async () => {
    const exp = Math.floor(Date.now() / 1000) + 2;
    const { socket } = await openSocket(server, await issuer.forge({ aud: server.resource('/ws'), exp }));
    const [code] = await within(once(socket, 'close'), 'the end of the token');
    assert.equal(code, 1008);
  });
});

test('A rule with scopes is for tokens that have all of them, at every entry and for every call', async t => {
  const issuer = await startIssuer(t);
  const rules = [
    { principal: 'oauth:*', scopes: ['browse', 'act'], tools: ['browser_click', 'browser_snapshot'] },
    { scopes: ['act'], deny: ['*'] },
    { tools: ['browser_snapshot'] },
  ];
  const server = await startWithIssuer(t, issuer.url, { security: { rules } });
  const aud = server.resource('/mcp');
  const strong = await issuer.token('writer', aud, 'browse act');
  const weak = await issuer.token('writer', aud, 'browse');
  const click = { method: 'tools/call', params: { name: 'browser_click', arguments: {} } };
  const denied = /denied by security\.rules\[2\]/;

  const stateless = async (token, { method, params } = { method: 'tools/list', params: {} }) =>
    (await lastMessage(await postStateless(server, method, params, { headers: bearer(token) }))).result;
  const listed = async token => (await stateless(token)).tools.map(({ name }) => name).sort();
  const both = ['browser_click', 'browser_snapshot'];
  assert.deepEqual(await listed(strong), both);
  assert.deepEqual(await listed(await issuer.forge({ aud, scope: undefined, scp: ['act', 'browse'] })), both);
  for (const token of [weak, 'token-of-reader', await issuer.forge({ aud, scope: 'browse Act act2 act*' })])
    assert.deepEqual(await listed(token), ['browser_snapshot']);
  assert.match(JSON.stringify(await stateless(weak, click)), denied);
  assert.doesNotMatch(JSON.stringify(await stateless(strong, click)), denied);

  const api = async token => (await fetch(server.url('/api/call'), {
    method: 'POST', headers: { 'Content-Type': 'application/json', ...bearer(token) },
    body: JSON.stringify({ session_id: 'x', tool: 'browser_click' }),
  })).text();
  assert.match(await api(weak), denied);
  assert.doesNotMatch(await api(strong), denied);

  // A session goes on with another token of its principal, and has the rights of that token.
  const post = async (token, body, session) => fetch(server.url('/mcp'), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...bearer(token),
      ...(session && { 'Mcp-Session-Id': session }),
    },
    body: JSON.stringify(body),
  });
  const session = (await only(post(strong, initialize))).headers.get('mcp-session-id');
  for (const token of [strong, weak, strong]) {
    const answer = await lastMessage(await post(token, { jsonrpc: '2.0', id: 2, ...click }, session));
    assert.equal(denied.test(JSON.stringify(answer)), token === weak);
  }

  for (const token of [strong, weak]) {
    const { socket } = await openSocket(server, token);
    t.after(() => socket.terminate());
    const ask = async message => {
      const answered = once(socket, 'message');
      socket.send(JSON.stringify(message));
      return within(answered, 'an answer').then(([text]) => String(text));
    };
    await ask(initialize);
    assert.equal(denied.test(await ask({ jsonrpc: '2.0', id: 2, ...click })), token === weak);
  }
});

test('An issuer that cannot be reached lets nobody in, and configured tokens still do', async t => {
  const closed = createServer().listen(0, 'localhost');
  await once(closed, 'listening');
  const url = `http://localhost:${closed.address().port}`;
  closed.close();
  const issuer = await startIssuer(t);
  const server = await startWithIssuer(t, url);

  const token = await issuer.forge({ iss: url, aud: server.resource('/mcp') });
  for (const { headers } of await everywhere(server, token, 503)) assert.equal(headers.get('retry-after'), '5');
  await everywhere(server, 'token-of-reader', 200);
  assert.equal((await fetch(server.url('/healthz'))).status, 200);
});

test('An issuer elsewhere is believed by its certificate', async t => {
  const tls = selfSigned();
  const file = join(await temporaryDirectory(t), 'authority.pem');
  await writeFile(file, tls.cert);
  const issuer = await startIssuer(t, tls);
  for (const [env, expected] of [[{}, 503], [{ SSL_CERT_FILE: file }, 200]]) {
    const server = await startWithIssuer(t, issuer.url, {}, env);
    const before = issuer.requests.length;
    await everywhere(server, await issuer.forge({ aud: server.resource('/mcp') }), expected, JSON.stringify(env));
    assert.equal(issuer.requests.length > before, expected === 200, 'nothing is asked of a server that may be another');
  }
});
