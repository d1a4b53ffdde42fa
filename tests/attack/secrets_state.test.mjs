// A saved state names a secret in a cookie that others than the secret's origins receive.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { serve } from '../e2e/browser_support.mjs';
import { open } from '../e2e/policy_support.mjs';

const value = 'hunter-Zk29-two';
const cookie = (domain, name, more = {}) =>
  ({ name: `of-${name}`, value: `<secret>${name}</secret>`, domain, path: '/', expires: -1, httpOnly: false, secure: false, sameSite: 'Lax', ...more });

test('A state brings a secret to no origin that the secret is not for', async t => {
  const got = [];
  const own = await serve(t, { '/': '<title>Own</title>' });
  const other = await serve(t, {
    '/': (request, response) => {
      got.push(request.headers.cookie ?? '');
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>Other</title>');
    },
  });
  const browser = await open(
    t,
    {
      secretsCommand: ['printf', '%s\\n', `PASSWORD=${value}`, `SUB=${value}-sub`, `TLS=${value}-tls`, `FREE=${value}-free`],
      secretOrigins: { PASSWORD: [own], SUB: ['http://app.localhost:*', 'https://app.localhost:*'], TLS: ['https://localhost:*'], FREE: ['http://localhost:*', 'https://localhost:*'] },
    },
    { args: ['--caps=sessions,storage,toolkit'] },
  );
  await browser.call('browser_navigate', { url: own });
  for (const state of [
    cookie('localhost', 'PASSWORD'),
    cookie('.localhost', 'FREE'),
    cookie('.app.localhost', 'SUB'),
    cookie('localhost', 'TLS'),
    cookie('localhost', 'TLS', { secure: true }),
    cookie('x', 'PASSWORD', { url: other }),
    { ...cookie('', 'PASSWORD', { url: other }), domain: undefined },
  ]) {
    const restored = await browser.call('restore_state', { state: { cookies: [state], origins: [] } });
    assert.match(restored.text, /denied by security\.secretOrigins/, JSON.stringify(state));
    const created = await browser.call('create_session', { sessionId: 'new', storageState: { cookies: [state], origins: [] } });
    assert.match(created.text, /denied by security\.secretOrigins/, JSON.stringify(state));
  }
  for (const origin of [other, 'null', other.replace('localhost', 'evil.app.localhost')]) {
    const state = { cookies: [], origins: [{ origin, localStorage: [{ name: 'a', value: '<secret>PASSWORD</secret>' }] }] };
    assert.ok((await browser.call('restore_state', { state })).isError, origin);
  }
  for (const url of [other, other.replace('localhost', 'evil.app.localhost')]) await browser.call('browser_navigate', { url });
  assert.deepEqual(got.filter(header => header.includes(value)), []);

  // The one whose binding covers all who receive it.
  const restored = await browser.call('restore_state', { state: { cookies: [cookie('localhost', 'FREE')], origins: [] } });
  assert.ok(!restored.isError, restored.text);
  await browser.call('browser_navigate', { url: other });
  assert.equal(got.at(-1), `of-FREE=${value}-free`);
});
