// MCP clients with as little in them as possible, so that what is timed is the server. One call at a time.
import { randomBytes } from 'node:crypto';
import { createConnection } from 'node:net';

const info = { name: 'troupe-bench', version: '1.0.0' };
export const legacyVersion = '2025-11-25';
const modernVersion = '2026-07-28';

export const request = (id, method, params) => ({ jsonrpc: '2.0', id, method, params });
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
const hello = id => request(id, 'initialize', { protocolVersion: legacyVersion, capabilities: {}, clientInfo: info });

// A stateless request, and the headers that go with it.
export function modernRequest(id, method, params = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': modernVersion,
    'io.modelcontextprotocol/clientInfo': info,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return {
    headers: { 'MCP-Protocol-Version': modernVersion, 'Mcp-Method': method, ...(params.name && { 'Mcp-Name': params.name }) },
    message: request(id, method, { ...params, _meta }),
  };
}

function resultOf(message) {
  if (message.error) throw new Error(`refused: ${message.error.message}`);
  return message.result;
}

// What all of them do; a subclass says how a message gets there and how the answer comes back.
class Client {
  #nextId = 1;

  async initialize() {
    const result = resultOf(await this.exchange(hello(this.#nextId++)));
    await this.notify(initialized);
    return result;
  }

  async ask(method, params) {
    return resultOf(await this.exchange(request(this.#nextId++, method, params)));
  }

  callTool(name, args = {}) {
    return this.ask('tools/call', { name, arguments: args });
  }
}

// Waits for the one answer that is due.
class Awaited {
  #waiting;

  // The answer to the request with this id.
  next(id) {
    return new Promise((answer, fail) => (this.#waiting = { id, answer, fail }));
  }
  // Messages that answer nothing (notifications, pings) are passed over.
  settle(message) {
    if (this.#waiting?.id === message.id && message.method === undefined) this.#take()?.answer(message);
  }
  fail(error) {
    this.#take()?.fail(error);
  }
  #take() {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}

// Lines of JSON on a pair of streams: a child's standard streams, or a Unix socket.
export class LineClient extends Client {
  #out;
  #awaited = new Awaited();
  #rest = '';

  constructor(input, output) {
    super();
    this.#out = output;
    input.setEncoding('utf8').on('data', piece => this.#take(piece));
    input.on('error', error => this.fail(error));
  }

  static async connect(address) {
    const socket = await open(address);
    return new LineClient(socket, socket);
  }

  exchange(message) {
    const answer = this.#awaited.next(message.id);
    this.notify(message);
    return answer;
  }
  notify(message) {
    this.#out.write(JSON.stringify(message) + '\n');
  }
  fail(error) {
    this.#awaited.fail(error);
  }
  close() {
    this.#out.end();
  }

  #take(piece) {
    this.#rest += piece;
    for (let end; (end = this.#rest.indexOf('\n')) >= 0; ) {
      const line = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + 1);
      if (line.trim()) this.#awaited.settle(JSON.parse(line));
    }
  }
}

async function open(address) {
  const socket = createConnection({ ...address, noDelay: true });
  await new Promise((connected, fail) => socket.once('connect', connected).once('error', fail));
  return socket;
}

// Streamable HTTP on one connection that is kept.
export class HttpClient extends Client {
  headers = {}; // sent with every request
  #socket;
  #host;
  #bytes = '';
  #waiting;

  static async connect(address) {
    const client = new HttpClient();
    client.#socket = await open(address);
    // Every server here allows this name, wherever it is bound.
    client.#host = `localhost:${address.port ?? 80}`;
    client.#socket.setEncoding('latin1').on('data', piece => client.#take(piece));
    const fail = error => client.#waiting?.fail(error);
    client.#socket.on('error', fail).on('close', () => fail(new Error('the server closed the connection')));
    return client;
  }

  get host() {
    return this.#host;
  }

  async exchange(message) {
    const { status, headers, body } = await this.post(message);
    if (status >= 300) throw new Error(`HTTP ${status}: ${body}`);
    const session = headers['mcp-session-id'];
    if (session) this.headers = { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': legacyVersion };
    return JSON.parse(headers['content-type'].startsWith('text/event-stream') ? eventData(body, message.id) : body);
  }
  async notify(message) {
    await this.post(message);
  }
  async post(message, more = {}) {
    const body = Buffer.from(JSON.stringify(message)).toString('latin1');
    let head = `POST /mcp HTTP/1.1\r\nHost: ${this.#host}\r\nContent-Type: application/json\r\n`;
    head += `Accept: application/json, text/event-stream\r\nContent-Length: ${body.length}\r\n`;
    for (const [name, value] of Object.entries({ ...this.headers, ...more })) head += `${name}: ${value}\r\n`;
    const answer = new Promise((done, fail) => (this.#waiting = { done, fail }));
    this.#socket.write(`${head}\r\n${body}`, 'latin1');
    return answer;
  }
  close() {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #take(piece) {
    this.#bytes += piece;
    const answer = parseAnswer(this.#bytes);
    if (!answer) return;
    this.#bytes = this.#bytes.slice(answer.length);
    this.#waiting?.done(answer);
  }
}

// One whole HTTP answer at the start of `bytes`; nothing while it is incomplete.
function parseAnswer(bytes) {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first, ...lines] = bytes.slice(0, end).split('\r\n');
  const headers = {};
  for (const line of lines) headers[line.slice(0, line.indexOf(':')).toLowerCase()] = line.slice(line.indexOf(':') + 1).trim();
  const status = Number(first.split(' ')[1]);
  let at = end + 4;
  let body = '';
  if (headers['transfer-encoding'] !== 'chunked') {
    const size = Number(headers['content-length'] ?? 0);
    if (bytes.length < at + size) return undefined;
    body = bytes.slice(at, (at += size));
  } else {
    for (let size = -1; size !== 0; ) {
      const line = bytes.indexOf('\r\n', at);
      if (line < 0) return undefined;
      size = parseInt(bytes.slice(at, line), 16);
      at = line + 2 + size + 2;
      if (bytes.length < at) return undefined;
      body += bytes.slice(line + 2, line + 2 + size);
    }
  }
  return { status, headers, body: Buffer.from(body, 'latin1').toString('utf8'), length: at };
}

function eventData(stream, id) {
  const events = stream.split('\n').filter(line => line.startsWith('data: {')).map(line => line.slice(6));
  return events.find(data => JSON.parse(data).id === id) ?? 'null';
}

// A WebSocket with the subprotocol `mcp`; text frames under 64 KB, which is all a call here needs.
export class WebSocketClient extends Client {
  #socket;
  #awaited = new Awaited();
  #bytes = Buffer.alloc(0);

  static async connect(address) {
    const client = new WebSocketClient();
    const socket = (client.#socket = await open(address));
    socket.write(
      `GET /ws HTTP/1.1\r\nHost: localhost:${address.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nSec-WebSocket-Protocol: mcp\r\n\r\n`,
    );
    const head = await new Promise(done => socket.once('data', done));
    if (!head.toString().startsWith('HTTP/1.1 101')) throw new Error(`no WebSocket: ${head}`);
    socket.on('data', piece => client.#take(piece)).on('error', error => client.#awaited.fail(error));
    return client;
  }

  exchange(message) {
    const answer = this.#awaited.next(message.id);
    this.notify(message);
    return answer;
  }
  notify(message) {
    const body = Buffer.from(JSON.stringify(message));
    const head = body.length < 126 ? [0x81, 0x80 | body.length] : [0x81, 0xfe, body.length >> 8, body.length & 0xff];
    // Clients must mask; a mask of zeros leaves the bytes as they are.
    this.#socket.write(Buffer.concat([Buffer.from(head), Buffer.alloc(4), body]));
  }
  close() {
    this.#socket.destroy();
  }

  #take(piece) {
    this.#bytes = Buffer.concat([this.#bytes, piece]);
    while (this.#bytes.length >= 2) {
      const long = (this.#bytes[1] & 0x7f) === 126;
      const start = long ? 4 : 2;
      if (this.#bytes.length < start) return;
      const end = start + (long ? this.#bytes.readUInt16BE(2) : this.#bytes[1] & 0x7f);
      if (this.#bytes.length < end) return;
      const isText = (this.#bytes[0] & 0x0f) === 1;
      const body = this.#bytes.subarray(start, end);
      this.#bytes = this.#bytes.subarray(end);
      if (isText) this.#awaited.settle(JSON.parse(body));
    }
  }
}
