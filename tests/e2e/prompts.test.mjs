import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { startBrowser } from './capabilities_support.mjs';

test('prompts are listed, rendered and completed, and the password stays a name', async t => {
  const directory = await mkdtemp(join(tmpdir(), 'troupe-secrets-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, 'secrets.env'), 'LOGIN=hunter2\n');
  const { request } = await startBrowser(t, '', [`--secrets=${join(directory, 'secrets.env')}`]);

  const { prompts } = await request('prompts/list');
  assert.deepEqual(prompts.map(({ name }) => name).sort(),
    ['authenticate', 'e2e_test', 'fill_form', 'scrape_website', 'visual_regression']);
  const login = { url: 'http://a/', username: 'ann', password_secret: 'LOGIN' };
  const { messages } = await request('prompts/get', { name: 'authenticate', arguments: login });
  assert.match(messages[0].content.text, /LOGIN/);
  assert.doesNotMatch(messages[0].content.text, /hunter2/);
  await assert.rejects(request('prompts/get', { name: 'authenticate', arguments: { ...login, password_secret: 'hunter2' } }),
    ({ message }) => /password_secret/.test(message) && !/hunter2/.test(message));
  await assert.rejects(request('prompts/get', { name: 'e2e_test', arguments: { start_url: 'u' } }), /test_scenario/);
  const { completion } = await request('completion/complete',
    { ref: { type: 'ref/prompt', name: 'authenticate' }, argument: { name: 'password_secret', value: 'L' } });
  assert.deepEqual(completion.values, ['LOGIN']);
});

test('prompts of a directory come and change with their files', async t => {
  const directory = await mkdtemp(join(tmpdir(), 'troupe-prompts-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const write = text => writeFile(join(directory, 'greet.yaml'),
    `name: greet\narguments:\n  - name: who\n    required: true\ntemplate: |\n  ${text} {{who}}.\n`);
  await write('Greet');
  const { request, changed } = await startBrowser(t, '', [`--prompts-dir=${directory}`]);
  const greet = async () =>
    (await request('prompts/get', { name: 'greet', arguments: { who: 'Ann' } })).messages[0].content.text;

  assert.equal(await greet(), 'Greet Ann.\n');
  await write('Warmly greet');
  await changed('notifications/prompts/list_changed');
  assert.equal(await greet(), 'Warmly greet Ann.\n');
  await assert.rejects(request('prompts/get', { name: 'greet', arguments: {} }), /who/);
});
