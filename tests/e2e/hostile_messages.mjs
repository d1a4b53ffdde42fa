// Broken messages of every kind, the same ones for the same seed.

// A small generator of numbers (mulberry32): random enough, and never different.
function numbers(seed) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = count => Math.floor(next() * count);
  return { below, pick: list => list[below(list.length)] };
}

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

// What is broken further: messages as they should be.
const good = [
  { method: 'ping' },
  { method: 'tools/list', params: {} },
  { method: 'tools/call', params: { name: 'browser_get_config', arguments: {} } },
  { method: 'tools/list', params: { _meta: envelope } },
  { method: 'server/discover', params: { _meta: envelope } },
  { method: 'resources/read', params: { uri: 'test://nothing' } },
  { method: 'completion/complete', params: { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: 'b' } } },
  { method: 'notifications/cancelled', params: { requestId: 1 } },
].map(message => ({ jsonrpc: '2.0', id: 1, ...message }));

const odd = [null, true, -1, 1.5, 1e300, '', 'x', [], {}, [[]], [null], { a: 1 }, '\u0000', '\ud800', 'é\u2028'];
const methods = ['', ' ', 'ping ', 'PING', 'tools/', 'tools/call/x', '../../etc', 'rpc.discover', '__proto__', 'a'.repeat(5_000)];

// Each gives one broken message; `limit` is the longest that a server takes.
const makers = {
  truncated: ({ below, pick }) => {
    const text = JSON.stringify(pick(good));
    return text.slice(0, 1 + below(text.length - 1));
  },
  wrongTypes: ({ pick }) => JSON.stringify({ ...pick(good), [pick(['jsonrpc', 'id', 'method', 'params'])]: pick(odd) }),
  wrongParams: ({ pick }) => {
    const message = structuredClone(pick(good));
    message.params ??= {};
    message.params[pick(['name', 'arguments', '_meta', 'uri', 'cursor', 'ref', 'argument', 'requestId'])] = pick(odd);
    return JSON.stringify(message);
  },
  missing: ({ pick }) => {
    const message = { ...pick(good) };
    delete message[pick(['jsonrpc', 'id', 'method', 'params'])];
    return JSON.stringify(message);
  },
  hugeIds: ({ pick }) =>
    `{"jsonrpc":"2.0","id":${pick(['9'.repeat(400), '-9223372036854775809', '1e308', '1e309', '0.1e1', `"${'i'.repeat(20_000)}"`])},"method":"ping"}`,
  deep: ({ below, pick }) => {
    const depth = pick([10, 127, 128, 129, 1_000, 50_000]) + below(3);
    return pick([
      '['.repeat(depth),
      '['.repeat(depth) + ']'.repeat(depth),
      '{"a":'.repeat(depth) + '1' + '}'.repeat(depth),
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`,
    ]);
  },
  invalidUtf8: ({ pick }) => {
    const bytes = pick([[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xc0, 0x80], [0xe2, 0x82]]);
    return Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":"'), Buffer.from(bytes), Buffer.from('","method":"ping"}')]);
  },
  duplicateKeys: ({ pick }) => `{"id":1,"jsonrpc":"2.0","method":"ping","id":${pick(['2', 'null', '"x"'])},"method":"${pick(methods)}"}`,
  unknownMethods: ({ pick }) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: pick(methods), params: {} }),
  responses: ({ below, pick }) => JSON.stringify({ jsonrpc: '2.0', id: below(5), [pick(['result', 'error'])]: pick(odd) }),
  batches: ({ below, pick }) => JSON.stringify(pick([[], [[]], Array.from({ length: 1 + below(150) }, () => pick([...good, ...odd]))])),
  scalars: ({ pick }) => pick(['1', '"x"', 'null', 'true', '""', '  ', '\t', '1 2', '{}{}', '[]]', 'NaN', "{'a':1}", '\ufeff{}']),
  flipped: ({ below, pick }) => {
    const bytes = Buffer.from(JSON.stringify(pick(good)));
    for (let i = 0; i <= below(4); i++) bytes[below(bytes.length)] ^= 1 << below(7);
    return bytes;
  },
  noise: ({ below }) => Buffer.from(Array.from({ length: 1 + below(300) }, () => below(256))),
  long: ({ below, pick }, limit) => {
    const size = pick([1_000, 65_536, limit - 100, limit - 1, limit + 1, limit + 70_000]) + below(3);
    return pick([`"${'a'.repeat(size)}"`, `{"jsonrpc":"2.0","id":1,"method":"${'m'.repeat(size)}"}`, ' '.repeat(size) + '1', '\\'.repeat(size)]);
  },
};

const isUtf8 = bytes => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

// `count` messages without line ends. `closesWebSocket`: what RFC 6455 does not let pass, or what is over `limit`.
export function* garbage(seed, count, limit) {
  const random = numbers(seed);
  // Every kind as often as the others, only long ones are rare.
  const common = Object.values(makers).filter(make => make !== makers.long);
  for (let i = 0; i < count; i++) {
    const made = i % 100 === 0 ? makers.long(random, limit) : random.pick(common)(random, limit);
    const bytes = Buffer.from(made).map(byte => (byte === 0x0a || byte === 0x0d ? 0x20 : byte));
    yield { bytes, closesWebSocket: bytes.length > limit || !isUtf8(bytes) };
  }
}

// `count` requests that are no HTTP, hardly any, or HTTP that this server does not take. Never a whole good one.
export function* garbledRequests(seed, count, port) {
  const { below, pick } = numbers(seed);
  const host = `Host: localhost:${port}\r\n`;
  const json = 'Content-Type: application/json\r\n';
  const whole = `POST /mcp HTTP/1.1\r\n${host}${json}Content-Length: 2\r\n\r\n{}`;
  const makers = [
    () => whole.slice(0, below(whole.length)),
    () => Buffer.from(Array.from({ length: 1 + below(500) }, () => below(256))),
    () => {
      const bytes = Buffer.from(whole);
      for (let i = 0; i <= below(4); i++) bytes[below(bytes.length)] ^= 1 << below(8);
      return bytes;
    },
    () => `${pick(['GET', 'PUT', 'PATCH', 'BREW', 'get', 'CONNECT', 'TRACE'])} ${pick(['/mcp', '*', '/../../x', '//', '/%00', 'http://a/'])} HTTP/1.1\r\n${host}\r\n`,
    () => `GET / HTTP/${pick(['0.9', '1.2', '2.0', '11', 'x'])}\r\n${host}\r\n`,
    () => `GET / HTTP/1.1\r\nHost: ${pick(['', 'evil.test', 'localhost', '\x00', 'a'.repeat(300)])}\r\n\r\n`,
    () => `GET / HTTP/1.1\r\n${host}${pick([host, ' folded\r\n', 'no colon\r\n', ': no name\r\n', 'a b: c\r\n', 'X: \x01\r\n'])}\r\n`,
    () => `GET / HTTP/1.1\r\n${host}X: ${'x'.repeat(pick([100, 30_000, 40_000]))}\r\n\r\n`,
    () => `GET / HTTP/1.1\r\n${host}${'X: y\r\n'.repeat(pick([10, 1_000, 10_000]))}\r\n`,
    () => `POST /mcp HTTP/1.1\r\n${host}${json}Content-Length: ${pick(['-1', '1e3', '0x10', '', '99999999999999999999', '5, 6'])}\r\n\r\n{}`,
    () => `POST /mcp HTTP/1.1\r\n${host}${json}Content-Length: 2\r\n${pick(['Content-Length: 3', 'Transfer-Encoding: chunked'])}\r\n\r\n{}`,
    () => `POST /mcp HTTP/1.1\r\n${host}${json}Transfer-Encoding: ${pick(['chunked, gzip', 'gzip', 'identity', 'chunked;x'])}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    () =>
      `POST /mcp HTTP/1.1\r\n${host}${json}Transfer-Encoding: chunked\r\n\r\n` +
      pick(['zz\r\n', '-1\r\n', '2\r\n{}x\r\n', '2\n{}\n0\n\n', 'ffffffffffffffff\r\n', '2;a="\r\n{}\r\n', `1;${'e'.repeat(50_000)}`, '0\r\nno trailer', '2\r\n{']),
    () => `GET /healthz HTTP/1.1\r\n${host}\r\n`.repeat(1 + below(20)) + pick(['garbage\r\n\r\n', '\x00\x00', whole.slice(0, 40)]),
    () => `POST /mcp HTTP/1.1\r\n${host}Expect: ${pick(['100-continue', 'everything'])}\r\nContent-Length: 5\r\n\r\n{`,
    () => `POST ${pick(['/messages', '/messages?sessionId=', '/messages?sessionId=%zz', '/sse'])} HTTP/1.1\r\n${host}${json}Content-Length: 2\r\n\r\n{}`,
    () => `GET /ws HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: ${pick(['websocket', 'h2c'])}\r\nSec-WebSocket-Protocol: mcp\r\nSec-WebSocket-Key: ${pick(['', 'short', 'MDEyMzQ1Njc4OWFiY2RlZg=='])}\r\nSec-WebSocket-Version: ${pick(['12', '14', 'x'])}\r\n\r\n`,
    () => `${pick(['GET', 'DELETE', 'POST'])} /mcp HTTP/1.1\r\n${host}${json}Mcp-Session-Id: ${pick(['', 'x', '../..', '0'.repeat(5_000)])}\r\nContent-Length: 2\r\n\r\n{}`,
    () => `GET /mcp HTTP/1.1\r\n${host}Accept: text/event-stream\r\nLast-Event-ID: ${pick(['', '-', '1-', '99999999999999999999-1', '0-0'])}\r\n\r\n`,
  ];
  for (let i = 0; i < count; i++) yield pick(makers)();
}
