// The echo tool on the reference MCP SDK v1, as its documentation writes a server: the counterpart of troupe_echo.
// echo_server.mjs [--port N]; without a port it speaks on standard input and output.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

import { McpServer } from '../tests/e2e/node_modules/@modelcontextprotocol/sdk/dist/esm/server/mcp.js';
import { StdioServerTransport } from '../tests/e2e/node_modules/@modelcontextprotocol/sdk/dist/esm/server/stdio.js';
import { StreamableHTTPServerTransport } from '../tests/e2e/node_modules/@modelcontextprotocol/sdk/dist/esm/server/streamableHttp.js';
import * as z from '../tests/e2e/node_modules/zod/v4/index.js';

function makeServer() {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  const echo = { title: 'Echo', description: 'Answers with its argument.', inputSchema: { text: z.string() } };
  server.registerTool('echo', echo, async ({ text }) => ({ content: [{ type: 'text', text }] }));
  return server;
}

async function serveOnHttp(port) {
  const sessions = new Map();
  const listener = createServer(async (request, response) => {
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (!transport) {
      // JSON answers, its fastest way.
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse: true,
        onsessioninitialized: id => sessions.set(id, transport),
      });
      await makeServer().connect(transport);
    }
    await transport.handleRequest(request, response);
  });
  listener.listen(port, '127.0.0.1', () => console.error(`Listening on http://localhost:${listener.address().port}`));
}

const flag = process.argv.indexOf('--port');
if (flag > 0) await serveOnHttp(Number(process.argv[flag + 1]));
else await makeServer().connect(new StdioServerTransport());
