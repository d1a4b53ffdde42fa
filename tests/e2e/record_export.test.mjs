// `troupe history`: what was recorded, for people; and a session as a test that real Playwright runs.
import assert from 'node:assert/strict';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { serve } from './browser_support.mjs';
import { form, startRecording } from './record_support.mjs';
import { packages, run, temporaryDirectory } from './support.mjs';

const targetOf = (text, name) => new RegExp(`"${name}"(?: \\[\\w+\\])* \\[ref=(\\w+)\\]`).exec(text)[1];

// Fills in the form and sends it.
async function order(t, server, origin) {
  const ann = server.agent('ann');
  const { text } = await ann('browser_navigate', { url: origin });
  await ann('browser_type', { element: 'field', target: targetOf(text, 'Field 2'), text: "it's \"two\"" });
  await ann('browser_fill_form', { fields: [
    { name: 'three', type: 'textbox', target: targetOf(text, 'Field 3'), value: 'three' },
    { name: 'four', type: 'textbox', target: targetOf(text, 'Field 4'), value: 'four' },
  ] });
  await ann('browser_click', { element: 'no such', target: 'e999' });
  await ann('browser_click', { element: 'Send', target: targetOf(text, 'Send') });
  await ann('browser_wait_for', { text: 'Thanks 1' });
  // What is on its way to the disk is there then.
  await server.stop();
}

suite('troupe history', { concurrency: 2 }, () => {
  test('exports a session as a test that Playwright runs green', async t => {
    const origin = await serve(t, { '/': form });
    const server = await startRecording(t);
    await order(t, server, origin);
    const directory = await temporaryDirectory(t);
    const file = join(directory, 'recorded.spec.mjs');
    const exported = await server.history('export', '--session', 'ann', '--format', 'playwright-test', '--output', file);
    assert.equal(exported.code, 0, exported.stderr);
    const code = await readFile(file, 'utf8');
    assert.match(code, /import \{ test, expect \} from '@playwright\/test'/);
    assert.doesNotMatch(code, /e999/, 'what failed is left out');
    await writeFile(file, code.replace(/\}\);\n$/, "  await expect(page.locator('output')).toHaveText('Thanks 1');\n});\n"));

    // @playwright/test is another name for what the package playwright brings.
    await mkdir(join(directory, 'node_modules', '@playwright', 'test'), { recursive: true });
    await symlink(join(packages, 'playwright'), join(directory, 'node_modules', 'playwright'));
    await symlink(join(packages, 'playwright-core'), join(directory, 'node_modules', 'playwright-core'));
    await writeFile(join(directory, 'node_modules', '@playwright', 'test', 'package.json'), '{"name": "@playwright/test", "type": "module", "main": "index.js"}');
    await writeFile(join(directory, 'node_modules', '@playwright', 'test', 'index.js'), "export * from 'playwright/test';\n");
    const executable = process.env.TROUPE_TEST_CHROMIUM ?? '/usr/bin/chromium';
    await writeFile(join(directory, 'playwright.config.mjs'), `export default { reporter: 'line', workers: 1, use: { launchOptions: { executablePath: ${JSON.stringify(executable)}, args: ['--no-sandbox'] } } };\n`);
    const played = await run(t, process.execPath, [join(packages, 'playwright', 'cli.js'), 'test'], { cwd: directory });
    assert.equal(played.code, 0, played.stdout + played.stderr);
    assert.match(played.stdout, /1 passed/);
  });

  test('lists, shows, compares and exports what the network did', async t => {
    const origin = await serve(t, { '/': form });
    const server = await startRecording(t);
    await order(t, server, origin);
    const listed = await server.history('list', '--tool', 'browser_click', '--json');
    const calls = JSON.parse(listed.stdout);
    assert.deepEqual(calls.map(each => each.status), ['success', 'error']);
    const shown = await server.history('show', calls[0].ref_id);
    assert.match(shown.stdout, /^browser_click \{"element":"Send"[^]*Thanks 1/);
    const opened = JSON.parse((await server.history('list', '--tool', 'browser_navigate', '--json')).stdout)[0];
    const compared = await server.history('diff', opened.ref_id, calls[0].ref_id);
    assert.match(compared.stdout, /^\+.*Thanks 1/m);
    const har = JSON.parse((await server.history('export', '--format', 'har')).stdout);
    assert.equal(har.log.version, '1.2');
    assert.deepEqual(har.log.entries.map(each => [each.request.method, each.request.url, each.response.status])[0], ['GET', origin + '/', 200]);
    const missing = await server.history('show', '00000000-0000-4000-8000-000000000000');
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /No call 0{8}-/);
    assert.match((await server.history('shwo')).stderr, /Did you mean history show\?/);
  });
});
