// An authorization server on this machine: npm's oidc-provider, with clients that have an account of their own and a
// person who approves everything. Its keys can be changed, and tokens made with them that it would never issue.
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';

import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

import { atEnd } from './support.mjs';

// What a test outside of this folder cannot import by name.
export { Client as ClientV2, ClientCredentialsProvider as CredentialsV2, StreamableHTTPClientTransport as HttpV2 }
  from '@modelcontextprotocol/client';
export { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
export { Client } from '@modelcontextprotocol/sdk/client/index.js';
export { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
export { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
export { exportSPKI, generateKeyPair, UnsecuredJWT } from 'jose';
export { default as WebSocket } from 'ws';

export const person = 'ann';
export const clients = { reader: 'secret-of-reader', writer: 'secret-of-writer' };
const callback = 'http://localhost:1/callback';

async function newKey(id) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...await exportJWK(privateKey), kid: id, alg: 'RS256', use: 'sig' };
  return { id, privateKey, publicKey, jwk };
}

function configuration(key) {
  return {
    jwks: { keys: [key.jwk] },
    clients: Object.entries(clients).map(([id, secret]) => ({
      client_id: id, client_secret: secret, grant_types: ['client_credentials'], response_types: [], redirect_uris: [],
    })),
    cookies: { keys: ['only for tests'] },
    scopes: ['browse', 'act'],
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_, interaction) => `/approve/${interaction.uid}` },
    ttl: { Session: 60, Grant: 60, Interaction: 60, AccessToken: 60, ClientCredentials: 60 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, indicator) => ({
          scope: 'browse act', audience: indicator, accessTokenFormat: 'jwt', accessTokenTTL: 60, jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  };
}

// One value of ASN.1's encoding: its tag, its length, what it holds.
function der(tag, ...parts) {
  const body = Buffer.concat(parts.map(each => Buffer.from(each)));
  const { length } = body;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

// A certificate for localhost that nobody vouches for but itself, with its key.
export function selfSigned() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const bytes = hex => Buffer.from(hex, 'hex');
  const list = (...parts) => der(0x30, ...parts);
  const algorithm = list(bytes('06082a8648ce3d040302')); // ecdsa-with-SHA256
  const name = list(der(0x31, list(bytes('0603550403'), der(0x0c, 'localhost'))));
  const validity = list(der(0x17, '200101000000Z'), der(0x17, '491231235959Z'));
  const alternative = list(bytes('0603551d11'), der(0x04, list(der(0x82, 'localhost'))));
  const authority = list(bytes('0603551d13'), bytes('0101ff'), der(0x04, list(bytes('0101ff'))));
  const subject = publicKey.export({ type: 'spki', format: 'der' });
  const content = list(bytes('a003020102'), bytes('020101'), algorithm, name, validity, name, subject,
    der(0xa3, list(alternative, authority)));
  const whole = list(content, algorithm, der(0x03, [0], sign('sha256', content, privateKey)));
  const lines = whole.toString('base64').match(/.{1,64}/g).join('\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

// Logs the person in, and says yes to what is asked for.
async function approve(provider, request, response) {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId: person } });
  const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  if (prompt.details.missingOIDCScope) grant.addOIDCScope(prompt.details.missingOIDCScope.join(' '));
  for (const [indicator, scopes] of Object.entries(prompt.details.missingResourceScopes ?? {}))
    grant.addResourceScope(indicator, scopes.join(' '));
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}

// A browser without a window: follows redirects, with cookies, until one leads to the client.
async function follow(url) {
  const cookies = new Map();
  for (let i = 0; i < 10; i++) {
    const headers = { cookie: [...cookies].map(each => each.join('=')).join('; ') };
    const response = await fetch(url, { redirect: 'manual', headers });
    for (const each of response.headers.getSetCookie()) cookies.set(...each.split(';')[0].split(/=(.*)/s));
    const location = response.headers.get('location');
    if (!location) throw new Error(`no redirect at ${url}: ${response.status} ${await response.text()}`);
    url = new URL(location, url);
    if (url.href.startsWith(callback)) return url.searchParams.get('code');
  }
  throw new Error('too many redirects');
}

// With `tls`, a key and its certificate, it is an https server.
export async function startIssuer(t, tls) {
  const issuer = { requests: [], key: await newKey('first') };
  let provider;
  const answer = (request, response) => {
    issuer.requests.push(request.url);
    if (request.url.startsWith('/approve/')) return approve(provider, request, response);
    provider.callback()(request, response);
  };
  const server = tls ? createSecureServer(tls, answer) : createServer(answer);
  server.listen(0, 'localhost');
  await once(server, 'listening');
  issuer.url = `${tls ? 'https' : 'http'}://localhost:${server.address().port}`;
  provider = new Provider(issuer.url, configuration(issuer.key));
  atEnd(t, () => {
    server.closeAllConnections();
    server.close();
  });

  issuer.rotate = async id => {
    issuer.key = await newKey(id);
    provider = new Provider(issuer.url, configuration(issuer.key));
  };
  // As a client gets it that does not read metadata.
  issuer.token = async (client, resource, scope = 'browse') => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', resource, ...(scope && { scope }) });
    const authorization = `Basic ${Buffer.from(`${client}:${clients[client]}`).toString('base64')}`;
    const response = await fetch(`${issuer.url}/token`, { method: 'POST', headers: { authorization }, body });
    const { access_token: token, ...rest } = await response.json();
    if (!token) throw new Error(JSON.stringify(rest));
    return token;
  };
  // What the issuer would never say, with its key or another.
  issuer.forge = (claims, { key = issuer.key.privateKey, header = {} } = {}) => {
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ iss: issuer.url, sub: 'reader', iat: now, exp: now + 60, scope: 'browse', ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: issuer.key.id, typ: 'at+jwt', ...header }).sign(key);
  };
  return issuer;
}

// A client of the SDK that registers itself and asks the person, who is at `follow`.
export function personalClient() {
  const kept = {};
  return {
    kept,
    redirectUrl: callback,
    clientMetadata: {
      client_name: 'troupe-e2e', redirect_uris: [callback], grant_types: ['authorization_code'], response_types: ['code'],
      token_endpoint_auth_method: 'none', application_type: 'native',
    },
    clientInformation: () => kept.client,
    saveClientInformation: client => { kept.client = client; },
    tokens: () => kept.tokens,
    saveTokens: tokens => { kept.tokens = tokens; },
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: verifier => { kept.verifier = verifier; },
    redirectToAuthorization: async url => { kept.code = await follow(url); },
  };
}
