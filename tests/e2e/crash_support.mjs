// Pages that can be kept busy, for tests of what dies meanwhile.
import { join } from 'node:path';

import { Browser, serve } from './browser_support.mjs';
import { packages, temporaryDirectory, within } from './support.mjs';

export const soon = 10_000; // ms from a death to its answer, on a machine that does much else; a call that hangs takes 600 s

export const modes = {
  isolated: ['--isolated'],
  profile: [],
  context: ['--isolation', 'context'],
  browser: ['--isolation', 'browser'],
  shared: ['--isolation', 'shared'],
};

// Serves a page that can be kept busy; `reached(path)` waits until it has asked for that path.
export async function site(t) {
  const waiting = new Map();
  const reached = path => within(new Promise(resolve => waiting.set(path, resolve)), `asking for ${path}`);
  const note = answer => (request, response) => {
    waiting.get(new URL(request.url, 'http://x').pathname)?.();
    if (answer) response.end('ok');
  };
  const hold = `const ask = new XMLHttpRequest(); ask.open('GET', '/hold', false); ask.send();`;
  // No call waits for what a page does because of an event from its server.
  let events;
  const makeBusy = async () => {
    const asked = reached('/hold');
    events.write('data: hold\n\n');
    await asked;
  };
  const origin = await serve(t, {
    '/': `<title>Home</title><h1>home</h1><button onclick="${hold}">Hold</button>`,
    '/busy': `<title>Busy</title><script>new EventSource('/events').onmessage = () => { ${hold} };</script>`,
    '/events': (request, response) => {
      events = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      events.write(':\n\n');
    },
    '/began': note(true),
    '/hold': note(false),
  });
  return { origin, reached, makeBusy };
}

export async function open(t, isolated, args = []) {
  const cwd = await temporaryDirectory(t);
  const code = `--playwright-module=${join(packages, 'playwright-core')}`;
  return Browser.open(t, { cwd, isolated, args: ['--caps=toolkit', code, ...args] });
}

// What a page does that has begun and does not end.
export const began = `await fetch('/began'); for (;;);`;

export const isCrash = text => /crashed|BROWSER_CRASHED|has been closed/i.test(text);
