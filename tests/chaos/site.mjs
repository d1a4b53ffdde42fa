// The web site that the agents use. Every page says whose it is, so that an agent who sees another's page notices.
import { once } from 'node:events';
import { createServer } from 'node:http';

const page = (owner, number, cookie) => `<!doctype html><title>${owner} ${number}</title>
<h1>page ${number} of ${owner}</h1><p>cookie: ${cookie}</p>
<label>Note <input id=note></label>
<button onclick="window.open('/page?owner=${owner}&number=${number}p')">popup</button>
<button onclick="alert('hello ${owner}')">dialog</button>
<a href="/file?owner=${owner}&number=${number}" download>download</a>
<script>localStorage.seen = '${owner}'</script>`;

// Answers are held at /slow until the site is closed.
export async function startSite() {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    const owner = searchParams.get('owner') ?? 'nobody';
    const number = searchParams.get('number') ?? '0';
    const sent = /who=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? 'none';
    if (pathname === '/slow') return;
    if (pathname === '/file') {
      response.writeHead(200, { 'Content-Disposition': `attachment; filename="${owner}-${number}.txt"` });
      return response.end(`file ${number} of ${owner}`);
    }
    response.writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': `who=${owner}` });
    response.end(page(owner, number, sent));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://localhost:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
