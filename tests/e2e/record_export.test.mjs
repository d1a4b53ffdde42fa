// `troupe history`: what was recorded, for people; and a session as a test that real Playwright runs.
import assert from 'node:assert/strict';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { serve } from './browser_support.mjs';
import { kinds, password, routes, token } from './record_export_kinds.mjs';
import { startRecording } from './record_support.mjs';
import { packages, run, temporaryDirectory } from './support.mjs';

// @playwright/test is another name for what the package playwright brings.
async function preparePlaywright(directory) {
  const modules = join(directory, 'node_modules');
  await mkdir(join(modules, '@playwright', 'test'), { recursive: true });
  for (const name of ['playwright', 'playwright-core']) await symlink(join(packages, name), join(modules, name));
  await writeFile(join(modules, '@playwright', 'test', 'package.json'), '{"name": "@playwright/test", "type": "module", "main": "index.js"}');
  await writeFile(join(modules, '@playwright', 'test', 'index.js'), "export * from 'playwright/test';\n");
  const executable = process.env.TROUPE_TEST_CHROMIUM ?? '/usr/bin/chromium';
  await writeFile(join(directory, 'playwright.config.mjs'), `export default { reporter: 'line', workers: 2, use: { launchOptions: { executablePath: ${JSON.stringify(executable)}, args: ['--no-sandbox'] } } };\n`);
}

suite('troupe history', { concurrency: 2 }, () => {
  test('exports sessions of every kind as tests that Playwright runs green', async t => {
    const origin = await serve(t, routes);
    const directory = await temporaryDirectory(t);
    const secrets = join(directory, 'secrets.env');
    await writeFile(secrets, `TOKEN=${token}\n`);
    const server = await startRecording(t, ['--secrets', secrets, '--allow-unrestricted-file-access', '--caps', 'all', `--playwright-module=${join(packages, 'playwright-core')}`], { directory });
    const expected = {};
    await Promise.all(Object.entries(kinds).map(async ([kind, perform]) => {
      expected[kind] = await perform({ agent: server.agent(kind), origin, directory });
    }));
    await server.stop();
    await preparePlaywright(directory);
    for (const [kind, patterns] of Object.entries(expected)) {
      const file = join(directory, `${kind}.spec.mjs`);
      const exported = await server.history('export', '--session', kind, '--format', 'playwright-test', '--output', file);
      assert.equal(exported.code, 0, exported.stderr);
      const code = await readFile(file, 'utf8');
      for (const pattern of patterns) assert.match(code, pattern, kind);
      for (const secret of [password, token]) assert.ok(!code.includes(secret), `${kind} has a secret in clear`);
    }
    const played = await run(t, process.execPath, [join(packages, 'playwright', 'cli.js'), 'test'], { cwd: directory, env: { PASSWORD: password, PASS: password, TOKEN: token } });
    assert.equal(played.code, 0, played.stdout + played.stderr);
    assert.match(played.stdout, new RegExp(`${Object.keys(kinds).length} passed`));
  });

  test('lists, shows, compares and exports what the network did', async t => {
    const origin = await serve(t, routes);
    const server = await startRecording(t);
    for (const session of ['ann', 'bob']) await kinds.form({ agent: server.agent(session), origin });
    await server.stop();
    const history = async (...words) => {
      const { code, stdout, stderr } = await server.history(...words);
      assert.equal(code, 0, stderr);
      return stdout;
    };
    const listed = async (...words) => JSON.parse(await history('list', '--session', 'ann', '--json', ...words));
    const calls = await listed('--tool', 'browser_click');
    assert.deepEqual(calls.map(each => each.status), ['success', 'error']);
    const short = calls[0].ref_id.slice(0, 8);
    assert.match(await history('show', short), /^browser_click \{"element":"Send"[^]*Thanks 1/);
    const [opened] = await listed('--tool', 'browser_navigate');
    assert.match(await history('diff', opened.ref_id.slice(0, 12), short), /^\+.*Thanks 1/m);
    const har = JSON.parse(await history('export', '--format', 'har'));
    assert.equal(har.log.version, '1.2');
    assert.deepEqual(har.log.entries.map(each => [each.request.method, each.request.url, each.response.status])[0], ['GET', origin + '/form', 200]);

    const [heading, ...lines] = (await history('list', '--session', 'ann')).trimEnd().split('\n');
    const column = heading.indexOf('TOOL');
    for (const line of lines) assert.match(line.slice(column - 2), /^  browser_\w+( +http:\/\/|$)/, 'columns stand below one another');
    assert.ok(lines.some(line => line.includes(`  ${short}  `)), lines.join('\n'));
    assert.doesNotMatch(lines.join('\n'), /Only the newest/);
    assert.match(await history('list', '--limit', '2'), /\n\nOnly the newest 2\. There are more: --limit .* --until \S+Z /);
    for (const session of ['ann', 'bob'])
      assert.match(await history('list', '--session', session, '--text', 'Order Field 11'), /browser_navigate/, 'each session was shown it');

    assert.match(await history('sql', "SELECT page_snapshot FROM responses WHERE page_snapshot LIKE '%Thanks 1%'"), /heading "Order"[^]*Thanks 1/);
    const [row] = JSON.parse(await history('sql', '--json', "SELECT result, console_logs FROM calls WHERE tool_name = 'browser_navigate' ORDER BY timestamp"));
    assert.match(JSON.parse(row.result).content[0].text, /^### Ran Playwright code/);
    assert.deepEqual(JSON.parse(row.console_logs).map(each => [each.level, each.message]), [['info', 'ready'], ['error', 'bad start']]);
    assert.match(await history('sql', 'SELECT tool_name, count(*) AS calls FROM requests GROUP BY tool_name ORDER BY tool_name'), /^tool_name +calls\nbrowser_click +4\n/);
  });

  test('says what is wrong in the words of the command line', async t => {
    const server = await startRecording(t);
    await server.agent('ann')('browser_navigate', { url: 'data:text/html,x' });
    await server.stop();
    for (const [words, expected] of [
      [['show', '00000000-0000-4000-8000-000000000000'], /No call 0{8}-[^]*troupe history list shows/],
      [['show', '0000'], /No call 0000 [^]*troupe history list shows/],
      [['shwo'], /Did you mean history show\?/],
      [['list', '--limit', 'many'], /--limit "many" is not a number/],
      [['list', '--limit', '0'], /Say --limit 1 to --limit 1000/],
      [['list', '--since', 'yore'], /--since "yore" is no moment/],
      [['sql'], /troupe history sql takes one statement/],
      [['sql', 'DELETE FROM main.requests'], /Only SELECT is run here/],
    ]) {
      const { code, stderr } = await server.history(...words);
      assert.equal(code, 1, words.join(' '));
      assert.match(stderr, expected);
      assert.doesNotMatch(stderr, /history_list|max_chars/);
    }
  });
});
