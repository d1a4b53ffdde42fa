// An answer shows the page after what the action caused, and does not wait for what it did not cause.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { suite, test } from 'node:test';

import { WebSocketServer } from 'ws';

import { Browser, serve } from './browser_support.mjs';

const page = (script, body = '<button>Go</button><p id="out">before</p>') =>
  `<title>Page</title>${body}<script>const out = document.getElementById('out');
   document.querySelector('button').onclick = () => { ${script} };</script>`;
const later = (milliseconds, answer) => (_, response) => setTimeout(() => response.end(answer), milliseconds);

// Opens a page, clicks its button and gives the answer with the time it took.
async function click(t, routes, options) {
  const origin = await serve(t, routes);
  const browser = await Browser.open(t, options);
  await browser.call('browser_navigate', { url: origin });
  const begun = performance.now();
  const answer = await browser.call('browser_click', { element: 'Go', target: 'e2' });
  return { ...answer, browser, origin, milliseconds: performance.now() - begun };
}

suite('A click that', { concurrency: 2 }, () => {
  test('changes nothing is answered at once', async t => {
    const { snapshot, milliseconds } = await click(t, { '/': page('') });
    assert.match(snapshot, /before/);
    // Upstream sleeps for half a second; this is a bound on sanity, the benchmark holds the speed.
    assert.ok(milliseconds < 2000, `${milliseconds} ms`);
  });

  test('fetches, and renders when the answer is there', async t => {
    const { snapshot } = await click(t, {
      '/': page(`fetch('/data').then(r => r.text()).then(text => { out.textContent = text; });`),
      '/data': later(300, 'fetched'),
    });
    assert.match(snapshot, /fetched/);
  });

  test('fetches again with what it fetched', async t => {
    const { snapshot } = await click(t, {
      '/': page(`fetch('/one').then(r => r.text()).then(path => fetch(path)).then(r => r.text()).then(text => { out.textContent = text; });`),
      '/one': later(100, '/two'),
      '/two': later(150, 'second'),
    });
    assert.match(snapshot, /second/);
  });

  test('loads a script that renders', async t => {
    const { snapshot } = await click(t, {
      '/': page(`const script = document.createElement('script'); script.src = '/late.js'; document.head.append(script);`),
      '/late.js': (_, response) =>
        setTimeout(() => {
          response.writeHead(200, { 'Content-Type': 'text/javascript' });
          response.end(`out.textContent = 'loaded';`);
        }, 200),
    });
    assert.match(snapshot, /loaded/);
  });

  test('navigates within the document', async t => {
    const { text, snapshot } = await click(t, {
      '/': page(`history.pushState({}, '', '/inside'); out.textContent = 'routed';`),
    });
    assert.match(text, /Page URL: .*\/inside/);
    assert.match(snapshot, /routed/);
  });

  test('navigates to another document', async t => {
    const { text, snapshot } = await click(t, {
      '/': page(`location.href = '/next';`),
      '/next': later(300, '<title>Next</title><h1>arrived</h1>'),
    });
    assert.match(text, /Page URL: .*\/next[^]*Page Title: Next/);
    assert.match(snapshot, /arrived/);
  });

  test('is sent on and on by redirects', async t => {
    const redirect = to => (_, response) => setTimeout(() => response.writeHead(302, { Location: to }).end(), 80);
    const { text, snapshot } = await click(t, {
      '/': page(`location.href = '/a';`),
      '/a': redirect('/b'),
      '/b': redirect('/c'),
      '/c': later(100, '<title>End</title><h1>end of the chain</h1>'),
    });
    assert.match(text, /Page URL: .*\/c\n/);
    assert.match(snapshot, /end of the chain/);
  });

  test('submits a form', async t => {
    const { snapshot } = await click(t, {
      '/': '<title>Form</title><button form=there>Go</button><form id=there action="/done"></form>',
      '/done': later(200, '<h1>submitted</h1>'),
    });
    assert.match(snapshot, /submitted/);
  });

  test('navigates a moment later', async t => {
    const { snapshot } = await click(t, {
      '/': page(`setTimeout(() => { location.href = '/next'; }, 100);`),
      '/next': later(100, '<h1>arrived</h1>'),
    });
    assert.match(snapshot, /arrived/);
  });

  test('starts a timer that renders, as a debounced input does', async t => {
    const { snapshot } = await click(t, { '/': page(`setTimeout(() => { out.textContent = 'debounced'; }, 300);`) });
    assert.match(snapshot, /debounced/);
  });

  test('fetches after a debounce', async t => {
    const { snapshot } = await click(t, {
      '/': page(`setTimeout(() => fetch('/data').then(r => r.text()).then(text => { out.textContent = text; }), 150);`),
      '/data': later(150, 'found'),
    });
    assert.match(snapshot, /found/);
  });

  test('renders in the next frames', async t => {
    const { snapshot } = await click(t, {
      '/': page(`let n = 0; const step = () => { out.textContent = 'frame ' + ++n; if (n < 2) requestAnimationFrame(step); }; requestAnimationFrame(step);`),
    });
    assert.match(snapshot, /frame 2/);
  });

  test('starts an animation without end is answered all the same', async t => {
    const { snapshot, milliseconds } = await click(t, {
      '/': page(`const step = () => { out.style.opacity = Math.random(); requestAnimationFrame(step); }; step(); setInterval(() => {}, 50); out.textContent = 'moving';`),
    });
    assert.match(snapshot, /moving/);
    assert.ok(milliseconds < 4000, `${milliseconds} ms`);
  });

  test('lets a CSS transition end', async t => {
    const { snapshot } = await click(t, {
      '/': page(
        `out.addEventListener('transitionend', () => { out.textContent = 'there'; }); out.style.width = '200px';`,
        '<style>#out { width: 10px; transition: width 200ms }</style><button>Go</button><p id="out">before</p>',
      ),
    });
    assert.match(snapshot, /there/);
  });

  test('hears from an event stream that it opened', async t => {
    const { snapshot } = await click(t, {
      '/': page(`const events = new EventSource('/events'); events.onmessage = event => { out.textContent = event.data; };`),
      '/events': (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write('data: pushed\n\n');
      },
    });
    assert.match(snapshot, /pushed/);
  });

  test('asks over a WebSocket waits for what comes back', async t => {
    const sockets = new WebSocketServer({ port: 0 });
    t.after(() => {
      sockets.clients.forEach(each => each.terminate());
      sockets.close();
    });
    await once(sockets, 'listening');
    sockets.on('connection', socket => socket.on('message', () => setTimeout(() => socket.send('pushed'), 200)));
    const address = `ws://localhost:${sockets.address().port}`;
    const { snapshot } = await click(t, {
      '/': page(`const socket = new WebSocket('${address}'); socket.onopen = () => socket.send('?'); socket.onmessage = event => { out.textContent = event.data; };`),
    });
    assert.match(snapshot, /pushed/);
  });

  test('comes while the page polls by timer is not taken for its cause', async t => {
    const origin = await serve(t, {
      '/': page(`out.textContent = 'clicked';`) + `<script>const tick = () => setTimeout(tick, 100); tick();</script>`,
    });
    const browser = await Browser.open(t, { args: ['--timeout-settle=20000'] });
    await browser.call('browser_navigate', { url: origin });
    const begun = performance.now();
    await browser.call('browser_click', { element: 'Go', target: 'e2' });
    assert.ok(performance.now() - begun < 10_000);
  });

  test('starts a poll that nobody answers ends at the bound', async t => {
    const { snapshot, isError, browser, milliseconds } = await click(
      t,
      { '/': page(`fetch('/forever'); out.textContent = 'polling';`), '/forever': () => {} },
    );
    assert.equal(isError, false);
    assert.match(snapshot, /polling/);
    assert.ok(milliseconds < 9000, `${milliseconds} ms`);
    // The poll belongs to the first click, so the second one does not wait for it.
    const begun = performance.now();
    await browser.call('browser_hover', { element: 'Go', target: 'e2' });
    assert.ok(performance.now() - begun < 1000);
  });

  test('comes while an earlier poll is open does not wait for that', async t => {
    const origin = await serve(t, {
      '/': page(`out.textContent = 'clicked';`) + `<script>fetch('/forever')</script>`,
      '/forever': () => {},
    });
    const browser = await Browser.open(t);
    await browser.call('browser_navigate', { url: origin });
    const begun = performance.now();
    const { snapshot } = await browser.call('browser_click', { element: 'Go', target: 'e2' });
    assert.match(snapshot, /clicked/);
    assert.ok(performance.now() - begun < 1500);
  });

  test('opens a tab shows both', async t => {
    const { text } = await click(t, {
      '/': page(`window.open('/popup');`),
      '/popup': '<title>Popup</title><h1>new tab</h1>',
    });
    assert.match(text, /### Open tabs\n- 0: \(current\) \[Page\]\(.*\)\n- 1: \[Popup\]/);
  });

  test('opens a tab and leaves shows where both went', async t => {
    const { text, snapshot } = await click(t, {
      '/': page(`window.open('/popup'); location.href = '/next';`),
      '/popup': later(400, '<title>Popup</title><h1>new tab</h1>'),
      '/next': '<title>Next</title><h1>arrived</h1>',
    });
    assert.match(text, /### Open tabs\n- 0: \(current\) \[Next\]\(.*\)\n- 1: \[Popup\]/);
    assert.match(snapshot, /arrived/);
  });

  test('opens a tab that changes the page shows the change', async t => {
    const { snapshot } = await click(t, {
      '/': page(`window.open('/popup');`),
      '/popup': later(300, `<title>Popup</title><script>opener.setTimeout(() => { opener.document.getElementById('out').textContent = 'from the tab'; }, 50);</script>`),
    });
    assert.match(snapshot, /from the tab/);
  });

  test('opens a tab from a frame of another site shows both', async t => {
    const routes = {
      '/': (request, response) => {
        const other = `http://127.0.0.1:${request.socket.localPort}/frame`;
        response.setHeader('Content-Type', 'text/html').end(`<title>Page</title><iframe src="${other}"></iframe>`);
      },
      '/frame': page(`window.open('/popup');`),
      '/popup': later(400, '<title>Popup</title><h1>new tab</h1>'),
    };
    const origin = await serve(t, routes);
    const browser = await Browser.open(t);
    const { snapshot } = await browser.call('browser_navigate', { url: origin });
    const [, target] = snapshot.match(/button "Go" \[ref=(\w+)\]/);
    const { text } = await browser.call('browser_click', { element: 'Go', target });
    assert.match(text, /### Open tabs\n- 0: \(current\) \[Page\]\(.*\)\n- 1: \[Popup\]/);
  });
});
