// How agents reach the server: each entry opens a client whose calls name their session.
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { client as identity, packages, postStateless, lastMessage, within } from '../e2e/support.mjs';
import { startDaemon, startListening, startOnStdio } from './servers.mjs';

const { WebSocket } = createRequire(join(packages, 'x.js'))('ws');
const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity };

// Requests and answers over a stream of messages; `write` sends one, `closed` settles when no more can come.
class Stream {
  #id = 0;
  #waiting = new Map();

  constructor(write, closed, end) {
    this.write = write;
    this.end = end;
    closed.then(() => this.#fail());
  }

  take = text => {
    const { id, result, error } = JSON.parse(text);
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(Object.assign(new Error(error.message), { answered: true }));
    else waiting?.resolve(result);
  };

  #fail() {
    this.gone = true;
    for (const { reject } of this.#waiting.values()) reject(new Error('the connection was lost'));
    this.#waiting.clear();
  }

  request(method, params) {
    if (this.gone) return Promise.reject(new Error('the connection was lost'));
    const id = ++this.#id;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return Object.assign(answer, {
      cancel: () => this.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })),
    });
  }

  async greet() {
    await within(this.request('initialize', hello), 'the handshake');
    this.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    return this;
  }

  call(name, args) {
    return this.request('tools/call', { name, arguments: args });
  }
}

function overStdio(server) {
  const stream = new Stream(
    text => server.process.stdin.write(`${text}\n`),
    server.closed.catch(() => {}),
    () => server.process.stdin.end(),
  );
  server.lines.on('line', stream.take);
  return stream.greet();
}

// Each client is a process that leads to the daemon.
async function overDaemon(server) {
  return overStdio(await startOnStdio(server.args, server.options));
}

async function overWebSocket(server) {
  const socket = new WebSocket(server.url('/ws', 'ws'), 'mcp');
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  await within(Promise.race([once(socket, 'open'), closed.then(() => Promise.reject(new Error('refused')))]), 'the WebSocket');
  const stream = new Stream(text => socket.send(text), closed, () => socket.terminate());
  socket.on('message', data => stream.take(String(data)));
  return stream.greet();
}

// Every call is a request of its own; cancelling one is to close its connection.
async function overStateless(server) {
  return {
    end: () => {},
    call: (name, args) => {
      const aborter = new AbortController();
      const answer = postStateless(server, 'tools/call', { name, arguments: args }, {
        headers: args.sessionId ? { 'Mcp-Param-Session': args.sessionId } : {},
        signal: aborter.signal,
      })
        .then(lastMessage)
        .then(({ result, error }) => {
          if (error) throw Object.assign(new Error(error.message), { answered: true });
          return result;
        });
      return Object.assign(answer, { cancel: () => aborter.abort() });
    },
  };
}

// `start(args, options, port)` gives the server, `open` a client of it. `shared`: all agents are on one connection.
// `keepsClients`: they outlive the server.
const listen = (args, options, port) => startListening(args, port ?? 0, options);
export const entries = {
  stateless: { start: listen, open: overStateless },
  stdio: { start: startOnStdio, open: overStdio, shared: true },
  websocket: { start: listen, open: overWebSocket },
  daemon: { start: startDaemon, open: overDaemon, keepsClients: true },
};
