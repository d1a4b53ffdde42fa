// Ways in which a page changes a moment after it was asked to, and pages that never come to rest.
// Each script runs in a page that has `out` and `show()`; it begins on load or on a click.

const sleep = 'const sleep = milliseconds => new Promise(done => setTimeout(done, milliseconds));';
const worker = body => `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(body)}], { type: 'text/javascript' })))`;
const frames = count => `let left = ${count}; const step = () => (--left > 0 ? requestAnimationFrame(step) : show()); requestAnimationFrame(step);`;
const sharedMemory = 'new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer';

// [what the change waits for, the script]
export const lateChanges = [
  ['a timer of 5 ms', 'setTimeout(show, 5);'],
  ['a timer of 50 ms', 'setTimeout(show, 50);'],
  ['a timer with a string', `setTimeout('show()', 40);`],
  ['timers one after the other', 'setTimeout(() => setTimeout(() => setTimeout(show, 40), 40), 40);'],
  ['a loop of awaited timers', `${sleep} (async () => { for (let i = 0; i < 4; ++i) await sleep(30); show(); })();`],
  ['the third tick of an interval', 'let ticks = 0; const id = setInterval(() => { if (++ticks === 3) { clearInterval(id); show(); } }, 30);'],
  ['twelve ticks of a fast interval', 'let ticks = 0; const id = setInterval(() => { if (++ticks === 12) { clearInterval(id); show(); } }, 15);'],
  ['text that is typed by an interval', `let ticks = 0; const id = setInterval(() => { out.textContent = 'typing'.slice(0, ++ticks); if (ticks === 6) { clearInterval(id); show(); } }, 20);`],
  ['2 animation frames', frames(2)],
  ['12 animation frames', frames(12)],
  ['24 animation frames', frames(24)],
  ['frames that each ask by a new function', 'const step = left => { if (left === 0) show(); else requestAnimationFrame(() => step(left - 1)); }; step(12);'],
  ['a frame, then a timer, then a frame', 'requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(show), 40));'],
  ['an idle callback', 'requestIdleCallback(show);'],
  ['scheduler.postTask with a delay', 'scheduler.postTask(show, { delay: 60 });'],
  ['AbortSignal.timeout', `AbortSignal.timeout(60).addEventListener('abort', show);`],
  ['Atomics.waitAsync', `Atomics.waitAsync(new Int32Array(${sharedMemory}), 0, 0, 60).value.then(show);`],
  ['a worker that computes', `${worker('const end = performance.now() + 80; while (performance.now() < end); postMessage(1);')}.onmessage = show;`],
  ['a view transition', 'document.startViewTransition(show);'],
  ['the end of a view transition', 'document.startViewTransition(() => {}).finished.then(show);'],
  ['a CSS transition', `out.style.transition = 'opacity 80ms'; out.getBoundingClientRect(); out.ontransitionend = show; getComputedStyle(out).opacity; out.style.opacity = 0.5;`],
  ['a web animation', `out.animate([{ opacity: 0 }, { opacity: 1 }], 80).finished.then(show);`],
  ['a fetch', `fetch('/late?wait=80').then(show);`],
  ['a fetch with what was fetched', `fetch('/late?wait=40').then(() => fetch('/late?wait=41')).then(show);`],
  ['the last piece of a streamed answer', `fetch('/pieces').then(response => response.text()).then(show);`],
  ['an XMLHttpRequest', `const request = new XMLHttpRequest(); request.onload = show; request.open('GET', '/late?wait=80'); request.send();`],
  ['a module that is imported', `import('/show.js');`],
  ['a picture', `const picture = new Image(); picture.onload = show; picture.src = '/picture.svg'; document.body.append(picture);`],
  ['a picture that comes in pieces', `const picture = new Image(); picture.onload = show; picture.src = '/pieces.svg'; document.body.append(picture);`],
  ['a frame that has loaded', `const frame = document.createElement('iframe'); frame.onload = show; frame.src = '/late?wait=60'; document.body.append(frame);`],
  ['a timer inside a frame', `const frame = document.createElement('iframe'); document.body.append(frame); frame.contentWindow.setTimeout(show, 60);`],
  ['messages that a script sends itself', `const { port1, port2 } = new MessageChannel(); let left = 50; port1.onmessage = () => (--left ? port2.postMessage(0) : show()); port2.postMessage(0);`],
  ['a fetch after a timer after a frame', `requestAnimationFrame(() => setTimeout(() => fetch('/late?wait=40').then(show), 40));`],
];

// Pages that are never done. What begins on load was there before the click.
export const restlessPages = [
  ['a loop of animation frames', 'const step = () => requestAnimationFrame(step); step();'],
  ['a loop of frames that changes the page', 'const step = () => { out.style.opacity = Math.random(); requestAnimationFrame(step); }; step();'],
  ['a clock by interval', 'setInterval(() => { out.textContent = performance.now(); }, 50);'],
  ['a clock by timers', 'const tick = () => { out.textContent = performance.now(); setTimeout(() => tick(), 50); }; tick();'],
  ['a loop of awaited timers', `${sleep} (async () => { for (;;) { await sleep(50); out.textContent = performance.now(); } })();`],
  ['a loop of timers without delay', 'const tick = () => setTimeout(tick); tick();'],
  ['a poll by fetch', `const poll = () => fetch('/late?wait=10').then(poll); poll();`],
  ['a poll that is never answered', `fetch('/never');`],
  ['an animation without end', `out.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 100, iterations: Infinity });`],
  ['a worker that ticks', `${worker('setInterval(() => postMessage(1), 20);')}.onmessage = () => { out.textContent = performance.now(); };`],
  ['a worker that computes for ever', `${worker('for (;;);')};`],
  ['a loop of messages', 'const { port1, port2 } = new MessageChannel(); port1.onmessage = () => port2.postMessage(0); port2.postMessage(0);'],
];

const lateAnswer = (request, response) => {
  const wait = Number(new URL(request.url, 'http://localhost').searchParams.get('wait'));
  setTimeout(() => response.end('late'), wait);
};
const typed = (type, text) => (_, response) =>
  setTimeout(() => {
    response.writeHead(200, { 'Content-Type': type });
    response.end(text);
  }, 60);

// What the scripts above ask for.
export const answers = {
  '/late': lateAnswer,
  '/never': () => {},
  '/show.js': typed('text/javascript', 'show();'),
  '/picture.svg': typed('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
  '/pieces.svg': (_, response) => {
    response.writeHead(200, { 'Content-Type': 'image/svg+xml' });
    response.write('<svg xmlns="http://www.w3.org/2000/svg" ');
    setTimeout(() => response.end('width="9" height="9"/>'), 120);
  },
  '/pieces': (_, response) => {
    response.write('one');
    setTimeout(() => response.end('two'), 80);
  },
};

const head = `<title>Page</title><button>Go</button><p id="out">before</p><script>
  const out = document.getElementById('out');
  const show = () => { out.textContent = 'shown'; };
  const button = document.querySelector('button');`;
export const onLoad = script => `${head} addEventListener('load', () => { ${script} });</script>`;
export const onClick = script => `${head} button.onclick = () => { ${script} };</script>`;
// A page that goes on by itself while its click only counts.
export const beforeClick = script =>
  `${head} let clicks = 0; button.onclick = () => { document.title = 'clicked ' + ++clicks; }; addEventListener('load', () => { ${script} });</script>`;
