// A site that knows its visitors by cookie. Runs on a thread of its own: what it does is not the measured client's time.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';

const login = `<title>Log in</title><h1>Log in</h1>
  <form action=/enter method=get><label>Name <input id=name name=name></label><button id=go>Log in</button></form>`;
const home = who => `<title>${who}</title><h1>hello ${who}</h1><ul>${Array.from({ length: 20 }, (_, i) => `<li><a href="#${i}">Item ${i}</a></li>`).join('')}</ul>
  <form><label>First <input id=first></label><label>Last <input id=last></label><button type=button id=save onclick="out.textContent = first.value + ' ' + last.value">Save</button><p id=out></p></form>`;

// Pages that take long, never end, or are large are for whoever is in everybody's way.
const large = Buffer.alloc(1 << 20, 'x');
const server = createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost');
  const who = /who=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? 'nobody';
  const page = html => {
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end(html);
  };
  if (url.pathname === '/enter') {
    response.writeHead(302, { 'Set-Cookie': `who=${url.searchParams.get('name')}`, Location: '/home' });
    return response.end();
  }
  if (url.pathname === '/slow') return setTimeout(() => page('<title>Slow</title>'), 3000);
  if (url.pathname === '/download') {
    response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'attachment; filename=large.bin', 'Content-Length': 20 * large.length });
    for (let i = 0; i < 20 && !response.destroyed; ++i) {
      response.write(large);
      await sleep(100);
    }
    return response.end();
  }
  page(url.pathname === '/home' ? home(who) : login);
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
