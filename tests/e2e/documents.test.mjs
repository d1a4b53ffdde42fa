// Documents that take each other's place while they are worked with: refs, values and popups belong to the right one.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { Browser, serve } from './browser_support.mjs';
import { start, temporaryDirectory } from './support.mjs';

const refIn = (snapshot, name) => new RegExp(`"${name}".*?\\[ref=(\\w+)\\]`).exec(snapshot)?.[1];
const times = (count, once) => Array.from({ length: count }, (_, i) => once(i));

const redirects = {
  'in its load event': '<script>onload = () => { location.href = "/landing" }</script><button>First</button>',
  'by a refresh': '<meta http-equiv=refresh content="0; url=/landing"><button>First</button>',
  'a moment later': '<script>onload = () => setTimeout(() => { location.href = "/landing" }, 10)</script><button>First</button>',
  'twice': '<script>onload = () => { location.href = "/again" }</script><button>First</button>',
};
const landing = `<title>landing</title><button onclick="document.title = 'pressed'">Landed</button>`;

suite('A page that redirects itself', () => {
  for (const [how, html] of Object.entries(redirects)) {
    test(`${how}: its refs work`, async t => {
      const again = '<script>onload = () => { location.href = "/landing" }</script>';
      const origin = await serve(t, { '/': html, '/again': again, '/landing': landing });
      const browser = await Browser.open(t);
      for (let round = 0; round < 8; ++round) {
        await browser.call('browser_navigate', { url: origin });
        await browser.call('browser_wait_for', { text: 'Landed' });
        const { snapshot } = await browser.call('browser_snapshot');
        const clicked = await browser.call('browser_click', { element: 'Landed', target: refIn(snapshot, 'Landed') });
        assert.equal(clicked.isError, false, `round ${round}: ${clicked.text}\n${snapshot}`);
        assert.match(clicked.text, /Page Title: pressed/);
      }
    });
  }

  test('or reloads itself all the time: a click is done, or says what happened', async t => {
    const html = '<button>Go</button><script>setTimeout(() => location.reload(), 15)</script>';
    const origin = await serve(t, { '/': html });
    const browser = await Browser.open(t, { args: ['--timeout-action=1500'] });
    await browser.call('browser_navigate', { url: origin });
    for (let round = 0; round < 20; ++round) {
      const { text } = await browser.call('browser_click', { element: 'Go', target: 'text=Go' });
      assert.doesNotMatch(text, /Protocol error|JavaScript world|find context|is not (defined|a function)/, `round ${round}`);
    }
  });

  test('or cannot be reached: its script is run in what is shown instead', async t => {
    const origin = await serve(t, { '/': '<title>here</title>' });
    const browser = await Browser.open(t);
    for (let round = 0; round < 10; ++round) {
      await browser.call('browser_navigate', { url: origin });
      const failed = await browser.call('browser_navigate', { url: 'http://localhost:1/' });
      assert.equal(failed.isError, true);
      const evaluated = await browser.call('browser_evaluate', { function: '() => 6 * 7' });
      assert.match(evaluated.text, /42/, `round ${round}: ${evaluated.text}`);
    }
  });
});

test('half a surrogate pair is read wherever a page puts it', async t => {
  const cut = '"New mail \\u{1F600}".slice(0, 10)';
  const origin = await serve(t, {
    '/': `<script>document.title = ${cut}; console.log(${cut})</script><button id=b></button><script>b.textContent = ${cut}</script>`,
  });
  const browser = await Browser.open(t);
  const shown = await browser.call('browser_navigate', { url: origin });
  assert.match(shown.text, /Page Title: New mail \uFFFD/);
  // Names are printed as JSON there, as the peer does.
  assert.match(shown.snapshot, /button "New mail \\ud83d"/);
  const clicked = await browser.call('browser_click', { element: 'mail', target: /New mail.*?\[ref=(\w+)\]/.exec(shown.snapshot)[1] });
  assert.equal(clicked.isError, false, clicked.text);
  assert.match((await browser.call('browser_console_messages')).text, /New mail \uFFFD/);
  assert.match((await browser.call('browser_evaluate', { function: `() => ({ cut: ${cut} })` })).text, /"cut": "New mail \uFFFD"/);
  const typed = await browser.call('browser_evaluate', { function: '() => "\ud83d".length' });
  assert.equal(typed.isError, false, typed.text);
});

suite('The back/forward cache of somebody else’s browser', () => {
  const page = name => `<title>${name}</title><button onclick="document.title = 'pressed ${name}'">Button ${name}</button>
    <iframe srcdoc="<button onclick='parent.document.title = &quot;inside ${name}&quot;'>Inner ${name}</button>"></iframe>
    <iframe src="/inner"></iframe>`;
  const pages = {
    '/a': page('a'),
    '/b': page('b'),
    '/inner': `<button onclick="parent.document.title = 'second'">Second</button>`,
  };

  test('gives documents back with their refs', async t => {
    const executable = '/usr/bin/chromium';
    const profile = await temporaryDirectory(t);
    const chrome = start(t, executable, ['--headless=new', '--no-sandbox', '--no-first-run', `--user-data-dir=${profile}`,
      '--remote-debugging-port=0', 'about:blank']);
    const [, port] = await chrome.waitForLine(/DevTools listening on ws:\/\/[^:]+:(\d+)/);
    const origin = await serve(t, pages);
    const browser = await Browser.open(t, { isolated: [], args: [`--cdp-endpoint=http://127.0.0.1:${port}`] });

    const use = async (snapshot, name, title) => {
      const ref = refIn(snapshot, name);
      const clicked = await browser.call('browser_click', { element: name, target: ref });
      assert.equal(clicked.isError, false, `${name} ${ref}: ${clicked.text}\n${snapshot}`);
      assert.match(clicked.text, new RegExp(`Page Title: ${title}`));
    };
    const first = (await browser.call('browser_navigate', { url: `${origin}/a` })).snapshot;
    await browser.call('browser_evaluate', { function: '() => { window.kept = true }' });
    await use(first, 'Inner a', 'inside a');
    await use((await browser.call('browser_navigate', { url: `${origin}/b` })).snapshot, 'Button b', 'pressed b');
    for (let round = 0; round < 3; ++round) {
      await browser.call('browser_navigate_back');
      assert.match((await browser.call('browser_evaluate', { function: '() => window.kept' })).text, /true/);
      const { snapshot } = await browser.call('browser_snapshot');
      await use(snapshot, 'Button a', 'pressed a');
      await use(snapshot, 'Inner a', 'inside a');
      await use(snapshot, 'Second', 'second');
      // What was read before is still true.
      await use(first, 'Button a', 'pressed a');
      assert.equal(refIn(snapshot, 'Inner a'), refIn(first, 'Inner a'));
      await browser.call('browser_evaluate', { function: '() => history.forward()' });
      await browser.call('browser_wait_for', { text: 'Button b' });
      await use((await browser.call('browser_snapshot')).snapshot, 'Inner b', 'inside b');
    }
  });
});

suite('Popups', () => {
  const opening = {
    'window.open': '<button onclick="window.open(\'/popup\')">Open</button>',
    'a link': '<a href=/popup target=_blank>Open</a>',
    'a form': '<form action=/popup target=_blank><button>Open</button></form>',
    'without opener': '<button onclick="window.open(\'/popup\', \'\', \'noopener\')">Open</button>',
    'of a slow server': '<button onclick="window.open(\'/slow\')">Open</button>',
  };

  test('are in the answer to the action that opened them, with their address, while others work', async t => {
    const popup = (request, response) => {
      response.setHeader('Content-Type', 'text/html');
      setTimeout(() => response.end('<title>Popup</title>'), request.url.startsWith('/slow') ? 400 : 0);
    };
    const kinds = Object.entries(opening);
    const routes = Object.fromEntries(kinds.map(([, html], i) => [`/${i}`, html]));
    const origin = await serve(t, { ...routes, '/popup': popup, '/slow': popup });
    const browsers = await Promise.all(times(3, () => Browser.open(t)));
    await Promise.all(browsers.map(async (browser, number) => {
      for (let round = 0; round < kinds.length; ++round) {
        const kind = (round + number) % kinds.length;
        await browser.call('browser_navigate', { url: `${origin}/${kind}` });
        const clicked = await browser.call('browser_click', { element: 'Open', target: 'text=Open' });
        assert.match(clicked.text, /localhost:\d+\/(popup|slow)/, `${kinds[kind][0]}: ${clicked.text}`);
        const { text } = await browser.call('browser_tabs', { action: 'list' });
        assert.doesNotMatch(text, /about:blank/, `${kinds[kind][0]}: ${text}`);
        await browser.call('browser_close');
      }
    }));
  });

  test('that show nothing do not hold the action up', async t => {
    const origin = await serve(t, {
      '/': '<button onclick="window.open(\'/nothing\')">Open</button>',
      '/nothing': (request, response) => response.writeHead(204).end(),
    });
    const browser = await Browser.open(t);
    await browser.call('browser_navigate', { url: origin });
    const before = Date.now();
    const clicked = await browser.call('browser_click', { element: 'Open', target: 'text=Open' });
    assert.equal(clicked.isError, false, clicked.text);
    assert.ok(Date.now() - before < 4500, `${Date.now() - before} ms`);
  });
});
