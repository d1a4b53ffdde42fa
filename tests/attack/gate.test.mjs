// Every way to an effect or to the record, against rules that forbid it: tools, resources, prompts, completion and the
// JSON API. The ways are enumerated from the server; one that has no row here fails.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import { rules } from '../e2e/policy_support.mjs';
import { lastMessage, postStateless, startServer, temporaryDirectory, troupe } from '../e2e/support.mjs';

const caps = '--caps=config,core,devtools,history,network,pdf,sessions,storage,testing,toolkit,vision';
const tokens = {
  half: 'token-of-half',
  ann: 'token-of-ann', bot: 'token-of-bot', slow: 'token-of-slow', runner: 'token-of-runner', still: 'token-of-still',
};
const security = {
  rules: [
    { principal: 'bot', deny: ['*'] },
    { principal: 'slow', rate: 3 },
    { principal: 'runner', tools: ['browser_run_code_unsafe', 'browser_snapshot'] },
    { principal: 'still', deny: ['browser_navigate'] },
    { principal: 'half', session: 'locked', deny: ['*'] },
    {
      principal: 'half',
      deny: [
        'browser_click', 'browser_evaluate', 'browser_take_screenshot', 'browser_type', 'browser_press_key', 'browser_hover',
        'browser_select_option', 'browser_cookie_list', 'browser_cookie_set', 'session_list',
      ],
    },
  ],
  confirm: ['close_session'],
};

// What each route of the JSON API is asked with, and which tool it stands for: nothing where no rule is about it.
const routes = {
  'POST /api/call': { tool: 'browser_snapshot', body: { session_id: 'x', tool: 'browser_snapshot' } },
  'POST /api/sessions': { tool: 'create_session', body: { session_id: 'x', url: 'about:blank' } },
  'GET /api/sessions': { tool: 'list_sessions' },
  'DELETE /api/sessions/{id}': { tool: 'close_session' },
  'GET /api/content/{ref}': { tool: 'get_content' },
  'GET /api/console/{ref}': { tool: 'get_console_content' },
  'GET /api/history': { tool: 'history_list' },
  'GET /api/health': {},
  'GET /api/openapi.json': {},
};

// Which tool each resource stands for.
const resources = {
  'playwright:///session/{session}': 'list_sessions',
  'playwright:///page/{session}/{page}': 'browser_tabs',
  'playwright:///page/{session}/{page}/snapshot': 'browser_snapshot',
  'playwright:///element/{session}/{page}/{ref}': 'browser_snapshot',
  'playwright:///screenshot/{session}/{page}/{timestamp}': 'browser_take_screenshot',
  'playwright:///network-log/{session}/{page}': 'browser_network_requests',
  'playwright:///download/{session}/{file}': 'browser_snapshot',
  'playwright:///content/{ref_id}': 'get_content',
  'troupe:///output/{file}': 'browser_snapshot',
};

const completed = { session: 'list_sessions', ref_id: 'history_list' };
const argumentsIn = template => [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

suite('One gate', { concurrency: false }, () => {
  const ending = [];
  const t = { after: undo => ending.push(undo) };
  let server, log;
  const bearer = who => ({ Authorization: `Bearer ${tokens[who]}` });
  const mcp = async (who, method, params = {}, headers = {}) =>
    lastMessage(await postStateless(server, method, params, { headers: { ...bearer(who), ...headers } }));
  const listed = async (who, method, member) => (await mcp(who, method)).result[member];
  const api = async (who, method, path, body) => {
    const headers = { ...bearer(who), ...(body && { 'Content-Type': 'application/json' }) };
    const answer = await fetch(server.url(path), { method, headers, body: body && JSON.stringify(body) });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  const isDenied = (text, what) => assert.match(text, /denied by security\.rules\[0\]/, what);

  before(async () => {
    const { config, ...rest } = await rules(t, security, { server: { authTokens: tokens } });
    log = rest;
    const directory = await temporaryDirectory(t);
    server = await startServer(t, troupe, ['--headless', '--isolated', '--session-param', '--config', config, caps],
      { cwd: directory, env: { XDG_CACHE_HOME: directory, XDG_STATE_HOME: directory } });
  });
  after(async () => {
    for (const undo of ending.reverse()) await undo();
  });

  test('the JSON API: every route', async () => {
    const { paths } = (await api('ann', 'GET', '/api/openapi.json')).body;
    const all = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map(each => `${each.toUpperCase()} ${path}`));
    assert.deepEqual(all.sort(), Object.keys(routes).sort());
    for (const [route, { tool, body }] of Object.entries(routes)) {
      const [method, path] = route.split(' ');
      const answer = await api('bot', method, path.replace(/\{\w+\}/, 'x'), body);
      if (!tool) {
        assert.equal(answer.status, 200, route);
        continue;
      }
      // A call is answered with what became of it; the other routes refuse.
      if (route !== 'POST /api/call') assert.equal(answer.status, 403, `${route}: ${JSON.stringify(answer.body)}`);
      isDenied(JSON.stringify(answer.body), route);
      const entry = await log.audited(route, ({ what, principal }) => what === `tool ${tool}` && principal === 'bot');
      assert.equal(entry.rule, 'security.rules[0]');
    }
    // Nothing of what was refused has happened.
    const own = await mcp('ann', 'tools/call', { name: 'list_sessions', arguments: {} });
    assert.doesNotMatch(JSON.stringify(own.result), /"x"/);
  });

  test('resources: every template, read and completed', async () => {
    const templates = (await listed('ann', 'resources/templates/list', 'resourceTemplates')).map(each => each.uriTemplate);
    assert.deepEqual(templates.sort(), Object.keys(resources).sort());
    for (const template of templates) {
      const before = (await log.audit()).length;
      const { error } = await mcp('bot', 'resources/read', { uri: template.replace(/\{\w+\}/g, 'x') });
      isDenied(error.message, template);
      await log.audited(template, ({ what }) => what === `tool ${resources[template]}`, before);
      if (template.startsWith('troupe:')) continue; // completes nothing
      for (const name of argumentsIn(template)) {
        const answer = await mcp('bot', 'completion/complete',
          { ref: { type: 'ref/resource', uri: template }, argument: { name, value: '' }, context: { arguments: {} } });
        isDenied(answer.error?.message ?? '', `${name} of ${template}`);
        assert.match(answer.error.message, new RegExp(`"${completed[name] ?? resources[template]}"`));
      }
    }
    assert.deepEqual(await listed('bot', 'resources/list', 'resources'), []);
  });

  test('prompts: every one, got and completed', async () => {
    const prompts = await listed('ann', 'prompts/list', 'prompts');
    assert.ok(prompts.length > 0);
    for (const { name, arguments: given = [] } of prompts) {
      const filled = Object.fromEntries(given.map(each => [each.name, 'x']));
      isDenied((await mcp('bot', 'prompts/get', { name, arguments: filled })).error?.message ?? '', name);
      for (const argument of given) {
        const { error } = await mcp('bot', 'completion/complete',
          { ref: { type: 'ref/prompt', name }, argument: { name: argument.name, value: '' } });
        isDenied(error?.message ?? '', `${argument.name} of ${name}`);
      }
    }
    assert.deepEqual(await listed('bot', 'prompts/list', 'prompts'), []);
  });

  test('tools: every one', async () => {
    const tools = await listed('ann', 'tools/list', 'tools');
    assert.ok(tools.length > 50, `${tools.length}`);
    for (const { name } of tools) {
      const { result } = await mcp('bot', 'tools/call', { name, arguments: {} });
      assert.ok(result.isError, name);
      assert.match(JSON.stringify(result), /denied by (security\.rules\[0\]|the rule that no principal's code)/, name);
    }
    assert.deepEqual(await listed('bot', 'tools/list', 'tools'), []);
  });

  test('the rate counts the JSON API and resources as calls', async () => {
    const statuses = [];
    for (let i = 0; i < 6; ++i) {
      const answer = await api('slow', 'POST', '/api/sessions', { session_id: `made-up-${i}` });
      statuses.push(answer.status);
      if (answer.status === 429) assert.ok(Number(answer.headers.get('Retry-After')) > 0);
    }
    assert.deepEqual(statuses, [201, 201, 201, 429, 429, 429]);
    assert.equal((await api('slow', 'GET', '/api/history')).status, 429);
    assert.match((await mcp('slow', 'resources/read', { uri: 'playwright:///session/default' })).error.message, /Too many calls/);
  });

  test('what a person has to confirm is not done by a route that cannot ask one', async () => {
    assert.equal((await api('ann', 'POST', '/api/sessions', { session_id: 'keep' })).status, 201);
    const answer = await api('ann', 'DELETE', '/api/sessions/keep');
    assert.equal(answer.status, 403);
    assert.match(answer.body.message, /security\.confirm/);
    const { sessions } = (await api('ann', 'GET', '/api/sessions')).body;
    assert.equal(sessions.find(each => each.session_id === 'keep').state, 'active');
  });

  test('effects of the JSON API are in the record, its reads are not', async () => {
    await api('ann', 'POST', '/api/sessions', { session_id: 'recorded' });
    const { calls } = (await api('ann', 'GET', '/api/history?session=recorded')).body;
    assert.deepEqual(calls.map(each => [each.tool, each.status]), [['create_session', 'success']]);
  });

  test('whoever may not navigate opens no address by another tool', async () => {
    const url = 'data:text/html,opened';
    const ways = {
      browser_tabs: { sessionId: 'new-1', action: 'new', url },
      create_new_session: { url },
      create_session: { sessionId: 'new-2', url },
      navigate: { sessionId: 'new-3', url },
    };
    const tools = await listed('ann', 'tools/list', 'tools');
    const opening = tools.filter(({ name, inputSchema }) => name !== 'browser_navigate' && 'url' in inputSchema.properties);
    assert.deepEqual(opening.map(({ name }) => name).sort(), Object.keys(ways));
    for (const [name, given] of Object.entries(ways)) {
      const { result } = await mcp('still', 'tools/call', { name, arguments: given },
        given.sessionId && name !== 'create_session' ? { 'Mcp-Param-Session': given.sessionId } : {});
      assert.match(JSON.stringify(result), /browser_navigate\\*" is denied by security\.rules\[3\]/, name);
    }
    const answer = await api('still', 'POST', '/api/sessions', { session_id: 'new-4', url });
    assert.equal(answer.status, 403, JSON.stringify(answer.body));
    // What was refused has left no session, neither here nor in the record.
    for (const text of [JSON.stringify((await api('still', 'GET', '/api/sessions')).body), JSON.stringify((await api('still', 'GET', '/api/history')).body)])
      assert.doesNotMatch(text, /new-\d/);
  });

  test('what is denied by one name is denied by every other', async () => {
    const same = {
      browser_click: ['click', 'check', 'uncheck', 'browser_mouse_click_xy', 'browser_mouse_down'],
      browser_evaluate: ['evaluate', 'browser_route', 'mock_response'],
      browser_take_screenshot: ['screenshot', 'screenshot_element', 'compare_screenshots'],
      browser_type: ['fill', 'type'],
      browser_press_key: ['press'],
      browser_hover: ['hover', 'browser_mouse_move_xy'],
      browser_select_option: ['select', 'browser_fill_form'],
      browser_cookie_list: ['get_cookies', 'browser_cookie_get', 'browser_storage_state', 'save_state'],
      browser_cookie_set: ['set_cookies', 'browser_set_storage_state', 'restore_state'],
      session_list: ['list_sessions'],
    };
    const listedTools = (await listed('half', 'tools/list', 'tools')).map(({ name }) => name);
    for (const [named, others] of Object.entries(same)) {
      for (const name of others) {
        const { result } = await mcp('half', 'tools/call', { name, arguments: {} });
        assert.match(JSON.stringify(result), new RegExp(`Tool .*"${named}.*" is denied by security\\.rules\\[5\\]`), name);
        assert.ok(!listedTools.includes(name), name);
      }
    }
    assert.ok(listedTools.includes('browser_snapshot'));
    assert.equal((await api('half', 'GET', '/api/sessions')).status, 403);
    const made = await api('half', 'POST', '/api/sessions', { session_id: 'new-5', storageState: '{"cookies": [], "origins": []}' });
    assert.equal(made.status, 403, JSON.stringify(made.body));
    // Nor is an address a script.
    for (const name of ['browser_navigate', 'navigate']) {
      for (const url of ['javascript:1', 'data:text/html,<script>1</script>', 'blob:http://localhost/0d0f', 'about:srcdoc']) {
        const { result } = await mcp('half', 'tools/call', { name, arguments: { url } });
        assert.match(JSON.stringify(result), /browser_evaluate.*denied by security\.rules\[5\]/, `${name} ${url}`);
      }
    }
  });

  test('what a person has to confirm by one name is asked for by the other', async () => {
    await api('ann', 'POST', '/api/sessions', { session_id: 'kept' });
    const answer = await mcp('ann', 'tools/call', { name: 'session_close', arguments: { sessionId: 'kept' } });
    assert.match(JSON.stringify(answer), /elicitation/);
    const { sessions } = (await api('ann', 'GET', '/api/sessions')).body;
    assert.equal(sessions.find(each => each.session_id === 'kept').state, 'active');
  });

  test('a read of the history is judged as the session that it names', async () => {
    for (const query of ['session=locked', 'session_id=locked', 'session=locked%40tag', 'tool=x&session=%6cocked']) {
      const answer = await api('half', 'GET', `/api/history?${query}`);
      assert.equal(answer.status, 403, `${query}: ${JSON.stringify(answer.body)}`);
    }
    assert.equal((await api('half', 'GET', '/api/history?session=free')).status, 200);
    const { result } = await mcp('half', 'tools/call', { name: 'history_list', arguments: { session: 'locked' } });
    assert.match(JSON.stringify(result), /denied by security\.rules\[4\]/);
  });

  test('subscriptions: every template', async () => {
    for (const template of Object.keys(resources)) {
      const uri = template.replace(/\{\w+\}/g, 'x');
      const response = await postStateless(server, 'subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } },
        { headers: bearer('bot'), signal: AbortSignal.timeout(10_000) });
      isDenied((await lastMessage(response)).error?.message ?? '', template);
    }
  });

  test('a call that is repeated by its name tells nothing to whom it is forbidden', async () => {
    const body = { session_id: 'x', tool: 'browser_snapshot', request_id: 'r1' };
    for (let i = 0; i < 2; ++i) {
      const answer = await api('bot', 'POST', '/api/call', body);
      isDenied(JSON.stringify(answer.body), `${i}`);
    }
  });

  test('code on the host is for principals whom a rule names with it', async () => {
    assert.ok(server.stderr.items.some(line => /Several principals/.test(line) && /browser_run_code_unsafe/.test(line)), 'the start says so');
    const code = { name: 'browser_run_code_unsafe', arguments: { code: 'async () => process.getuid()' } };
    for (const who of ['ann', 'slow']) {
      const { result } = await mcp(who, 'tools/call', code);
      assert.ok(result.isError, who);
      if (who === 'ann') assert.match(JSON.stringify(result), /several principals[^]*security\.rules[^]*principal[^]*ann/);
      assert.ok(!(await listed(who, 'tools/list', 'tools')).some(({ name }) => name === code.name), who);
    }
    assert.ok((await listed('runner', 'tools/list', 'tools')).some(({ name }) => name === code.name));
    const { result } = await mcp('runner', 'tools/call', code);
    assert.doesNotMatch(JSON.stringify(result), /denied/);
  });
});
