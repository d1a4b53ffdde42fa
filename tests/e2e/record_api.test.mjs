// The JSON API, and that it does what its OpenAPI document says.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import Ajv from 'ajv/dist/2020.js';

import { serve } from './browser_support.mjs';
import { form, startRecording } from './record_support.mjs';

// Checks every answer against the document.
function documented(server, document) {
  const ajv = new Ajv({ strict: false });
  ajv.addSchema({ $id: 'doc', components: document.components });
  return async (method, path, body, headers) => {
    const answer = await server.api(method, path, body, headers);
    const bare = path.split('?')[0];
    const route = Object.keys(document.paths).find(each => new RegExp(`^${each.replace(/\{\w+\}/, '[^/]+')}$`).test(bare));
    const { responses } = document.paths[route][method.toLowerCase()];
    const schema = (responses[answer.status] ?? responses.default).content['application/json'].schema;
    const validate = ajv.compile({ $ref: `doc${schema.$ref}` });
    assert.ok(validate(answer.body), `${method} ${path}: ${JSON.stringify(validate.errors)} ${JSON.stringify(answer.body)}`);
    return answer;
  };
}

suite('The JSON API', { concurrency: 2 }, () => {
  test('calls tools and reads the record, as its document says', async t => {
    const origin = await serve(t, { '/': form });
    const server = await startRecording(t);
    const { body: document } = await server.api('GET', '/api/openapi.json');
    assert.equal(document.openapi, '3.1.0');
    const api = documented(server, document);

    const made = await api('POST', '/api/sessions', { session_id: 'ann', width: 600, height: 400 });
    assert.deepEqual([made.status, made.body.session_id], [201, 'ann']);
    const call = await api('POST', '/api/call', { session_id: 'ann', tool: 'browser_navigate', params: { url: origin } });
    assert.equal(call.status, 200);
    assert.deepEqual(call.body.metadata, { tool: 'browser_navigate', has_snapshot: true, has_console_logs: true, console_error_count: 1 });
    const { ref_id } = call.body;
    const content = await api('GET', `/api/content/${ref_id}`);
    assert.match(content.body.content, /heading "Order"/);
    assert.equal((await api('GET', `/api/content/${ref_id}`)).body.content, '');
    assert.equal((await api('GET', `/api/content/${ref_id}?reset_cursor=true`)).body.content, content.body.content);
    assert.equal((await api('GET', `/api/content/${ref_id}?reset_cursor=True`)).body.content, content.body.content, 'as Python writes it');
    assert.equal((await api('GET', `/api/content/${ref_id}?reset_cursor=maybe`)).status, 400);
    assert.equal((await api('GET', `/api/content/${ref_id.slice(0, 8)}?reset_cursor=1`)).body.content, content.body.content, 'by the beginning of its ref');
    assert.equal((await api('GET', `/api/content/${ref_id}?session_id=other`)).body.content, content.body.content);
    assert.match((await api('GET', `/api/content/${ref_id}?search_for=field%203`)).body.content, /Field 3/);
    const logged = await api('GET', `/api/console/${ref_id}?level=error`);
    assert.deepEqual(logged.body.messages.map(each => [each.level, each.message]), [['error', 'bad start']]);
    const { url, line, lineNumber, column, columnNumber } = logged.body.messages[0].location;
    assert.deepEqual([url, lineNumber, columnNumber], [origin + '/', line, column]);
    const shot = await api('POST', '/api/call', { session_id: 'ann', tool: 'browser_take_screenshot', params: {} });
    const [picture] = (await api('GET', `/api/content/${shot.body.ref_id}`)).body.pictures;
    assert.equal(picture.mimeType, 'image/png');
    assert.equal(Buffer.from(picture.data, 'base64').toString('latin1', 1, 4), 'PNG');
    assert.equal((await api('GET', `/api/content/${ref_id}`)).body.pictures, undefined);
    const failed = await api('POST', '/api/call', { session_id: 'ann', tool: 'browser_click', params: { element: 'x', target: 'e999' } });
    assert.equal(failed.body.status, 'error');
    assert.match(failed.body.error, /e999/);
    const history = await api('GET', '/api/history?session=ann&limit=2');
    assert.deepEqual(history.body.calls.map(each => each.tool), ['browser_click', 'browser_take_screenshot']);
    assert.deepEqual((await api('GET', '/api/sessions?session_id=ann')).body.sessions.map(each => [each.session_id, each.state]), [['ann', 'active']]);
    assert.equal((await api('DELETE', '/api/sessions/ann')).body.state, 'closed');
    assert.equal((await api('DELETE', '/api/sessions/ann')).status, 404);
    assert.equal((await api('GET', '/api/sessions?session_id=ann')).body.sessions[0].state, 'closed');
    assert.equal((await api('GET', `/api/console/${ref_id}`)).status, 200, 'the calls of a closed session stay');
    assert.equal((await api('GET', '/api/health')).body.store.status, 'ok');
  });

  test('repeats no call that has a name', async t => {
    let visits = 0;
    const origin = await serve(t, { '/': (_, response) => { visits += 1; response.end('<p>hello'); } });
    const server = await startRecording(t);
    const call = { session_id: 'ann', tool: 'browser_navigate', params: { url: origin }, request_id: 'once' };
    const together = await Promise.all([1, 2, 3].map(() => server.api('POST', '/api/call', call)));
    const later = await server.api('POST', '/api/call', call);
    assert.deepEqual(new Set([...together, later].map(each => each.body.ref_id)).size, 1);
    assert.equal(visits, 1);
    const other = await server.api('POST', '/api/call', { ...call, request_id: 'twice' });
    assert.notEqual(other.body.ref_id, later.body.ref_id);
    assert.equal(visits, 2);
    // Another call under a name that is taken is not done, and is not told of the first one's success.
    for (const mistaken of [{ tool: 'browser_click', params: { target: 'p' } }, { params: { url: `${origin}/?again` } }]) {
      const answer = await server.api('POST', '/api/call', { ...call, ...mistaken });
      assert.deepEqual([answer.status, answer.body.error], [409, 'CONFLICT']);
    }
    assert.equal(visits, 2);
  });

  test('refuses with {error, message, details} and the status that fits', async t => {
    const server = await startRecording(t, ['--auth-token', 'secret']);
    const auth = { Authorization: 'Bearer secret' };
    const expectations = [
      [401, 'UNAUTHORIZED', 'GET', '/api/history', undefined, {}],
      [403, 'FORBIDDEN', 'GET', '/api/history', undefined, { ...auth, Origin: 'http://evil.example' }],
      [404, 'NOT_FOUND', 'GET', '/api/nothing', undefined, auth],
      [404, 'NOT_FOUND', 'GET', '/api/content/00000000-0000-4000-8000-000000000000', undefined, auth],
      [405, 'METHOD_NOT_ALLOWED', 'GET', '/api/call', undefined, auth],
      [415, 'UNSUPPORTED_MEDIA_TYPE', 'POST', '/api/call', '{}', { ...auth, 'Content-Type': 'text/plain' }],
      [400, 'INVALID_ARGUMENT', 'POST', '/api/call', '{', auth],
      [400, 'INVALID_ARGUMENT', 'POST', '/api/call', { tool: 'browser_snapshot' }, auth],
      [400, 'INVALID_ARGUMENT', 'POST', '/api/call', { session_id: 'a', tool: 'browser_nothing' }, auth],
      [400, 'INVALID_ARGUMENT', 'GET', '/api/history?limit=many', undefined, auth],
      [400, 'INVALID_ARGUMENT', 'GET', '/api/console/x?level=loud', undefined, auth],
      [400, 'INVALID_ARGUMENT', 'GET', '/api/history?sesion=a', undefined, auth],
      [400, 'INVALID_ARGUMENT', 'GET', '/api/history?session=a&session_id=b', undefined, auth],
      [400, 'INVALID_ARGUMENT', 'POST', '/api/sessions', { name: 'a' }, auth],
      [400, 'INVALID_ARGUMENT', 'POST', '/api/sessions', { session_id: '' }, auth],
      [400, 'INVALID_ARGUMENT', 'POST', '/api/sessions', { session_id: 'a'.repeat(257) }, auth],
      [400, 'INVALID_ARGUMENT', 'POST', '/api/call', { session_id: 'a', tool: 'browser_snapshot', params: { sessionId: 'b' } }, auth],
      [400, 'INVALID_ARGUMENT', 'POST', '/api/call', { session_id: 'a', tool: 'browser_snapshot', params: [] }, auth],
      [502, 'NETWORK_ERROR', 'POST', '/api/sessions', { url: 'http://nowhere.invalid/' }, auth],
    ];
    for (const [status, error, method, path, body, headers] of expectations) {
      const answer = await server.api(method, path, body, headers);
      assert.deepEqual([answer.status, answer.body.error], [status, error], `${method} ${path}`);
      assert.ok('message' in answer.body && 'details' in answer.body);
    }
  });

  test('takes the names that requests and answers have elsewhere', async t => {
    const origin = await serve(t, { '/': '<title>Shop</title>' });
    const server = await startRecording(t);
    assert.equal((await server.api('POST', '/api/sessions', { sessionId: 'ann' })).body.session_id, 'ann');
    const call = { sessionId: 'ann', tool: 'browser_navigate', arguments: { url: origin } };
    assert.equal((await server.api('POST', '/api/call', call)).body.status, 'success');
    assert.deepEqual((await server.api('GET', '/api/history?session_id=ann&tool=browser_navigate')).body.calls.map(each => each.session_id), ['ann']);
    assert.equal((await server.api('GET', '/api/sessions?session=ann')).body.sessions.length, 1);
    const small = { session_id: 'bob', viewport: { width: 300, height: 200 }, url: origin };
    assert.equal((await server.api('POST', '/api/sessions', small)).status, 201);
    const size = { session_id: 'bob', tool: 'browser_evaluate', params: { function: '() => innerWidth' } };
    const { ref_id } = (await server.api('POST', '/api/call', size)).body;
    assert.match((await server.api('GET', `/api/content/${ref_id}`)).body.content, /300/);
  });

  test('is 503 without a record', async t => {
    const server = await startRecording(t, ['--no-record']);
    const answer = await server.api('GET', '/api/history');
    assert.deepEqual([answer.status, answer.body.error], [503, 'RECORD_OFF']);
    assert.ok(answer.headers.get('retry-after'));
    assert.equal((await server.api('GET', '/api/health')).body.store.status, 'off');
  });
});
