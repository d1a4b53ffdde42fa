// Refs: they stay with their element, never name another one, and end with it; they are the same as
// upstream's all along. Also: shadow roots the engine hands over, and the helpers other files use.
//
//   node snapshot_refs.mjs
import assert from 'node:assert/strict';
import { launch, Ours, renumber, serveFixtures, upstreamSnapshot } from './support.mjs';

const browser = await launch();
const page = await browser.newPage();
let ours, world;

const open = async html => {
  await page.goto('about:blank');
  await page.setContent(html);
  ours = await Ours.attach(page);
  ({ world } = await ours.mainWorld());
};
// Also checks that upstream, asked along, gives the same refs.
const snapshot = async (options = {}) => {
  const own = await ours.snapshot(options);
  assert.equal(renumber(own), renumber(await upstreamSnapshot(page, options)));
  return own;
};
const refOf = (text, line) => new RegExp(line + '.*?\\[ref=(\\w+)\\]').exec(text)?.[1];
const resolve = ref => ours.evaluate(world, `troupe.elementForRef(${JSON.stringify(ref)})?.outerHTML ?? null`);

const tests = {
  async 'a ref stays with its element while others come and go'() {
    await open('<ul><li>One</li><li><button>Two</button></li></ul>');
    const before = refOf(await snapshot(), 'button "Two"');
    await page.evaluate(() => document.querySelector('ul').insertAdjacentHTML('afterbegin', '<li><button>Zero</button></li>'));
    const after = await snapshot();
    assert.equal(refOf(after, 'button "Two"'), before);
    assert.notEqual(refOf(after, 'button "Zero"'), before);
    assert.equal(await resolve(before), '<button>Two</button>');
  },
  async 'a ref stays when its element moves'() {
    await open('<div id=a><button>Move</button><p>x</p></div><div id=b><p>y</p></div>');
    const before = refOf(await snapshot(), 'button');
    await page.evaluate(() => document.getElementById('b').append(document.querySelector('button')));
    assert.equal(refOf(await snapshot(), 'button'), before);
  },
  async 'another name is another ref, and the old one ends'() {
    await open('<button>Old</button><p>x</p>');
    const before = refOf(await snapshot(), 'button');
    await page.evaluate(() => { document.querySelector('button').textContent = 'New'; });
    assert.equal(await resolve(before), '<button>New</button>');  // no snapshot since
    const after = refOf(await snapshot(), 'button');
    assert.notEqual(after, before);
    assert.equal(await resolve(before), null);
    assert.equal(await resolve(after), '<button>New</button>');
  },
  async 'a replaced or removed element ends its ref at once'() {
    await open('<button>Same</button><p>x</p>');
    const before = refOf(await snapshot(), 'button');
    await page.evaluate(() => document.querySelector('button').replaceWith(document.querySelector('button').cloneNode(true)));
    assert.equal(await resolve(before), null);
    const after = refOf(await snapshot(), 'button');
    assert.notEqual(after, before);
    assert.equal(await resolve(before), null);
    await page.evaluate(() => document.querySelector('button').remove());
    assert.equal(await resolve(after), null);
  },
  async 'an element that comes back has its ref back'() {
    await open('<button>Back</button><p>x</p>');
    const before = refOf(await snapshot(), 'button');
    await page.evaluate(() => { window.kept = document.querySelector('button'); window.kept.remove(); });
    await snapshot();
    assert.equal(await resolve(before), null);
    await page.evaluate(() => document.body.append(window.kept));
    assert.equal(refOf(await snapshot(), 'button'), before);
    assert.equal(await resolve(before), '<button>Back</button>');
  },
  async 'what a whole snapshot no longer shows has no ref'() {
    await open('<button>Shown</button><p>x</p>');
    const before = refOf(await snapshot(), 'button');
    await page.evaluate(() => { document.querySelector('button').hidden = true; });
    await snapshot();
    assert.equal(await resolve(before), null);
  },
  async 'a snapshot of a subtree leaves the refs around it alone'() {
    await open('<button>Outside</button><div id=t><a href="#">Inside</a><b>x</b></div>');
    const whole = await snapshot();
    const part = await ours.snapshot({ target: '#t' });
    assert.equal(refOf(part, 'link'), refOf(whole, 'link'));
    assert.equal(await resolve(refOf(whole, 'button')), '<button>Outside</button>');
    const again = await ours.evaluate(world, `troupe.snapshot({ rootRef: ${JSON.stringify(refOf(whole, 'link'))} }).text`);
    assert.equal(again.split('\n')[0], `- link "Inside" [ref=${refOf(whole, 'link')}] [cursor=pointer]:`);
    assert.equal(await ours.evaluate(world, 'troupe.snapshot({ rootRef: "e999" })'), null);
  },
  async 'garbage collection does not renumber'() {
    await open('<div id=a style="display:none"><button>Kept</button></div><p>x</p>');
    await page.evaluate(() => { document.getElementById('a').style.display = ''; });
    const before = refOf(await snapshot(), 'button');
    await page.evaluate(() => { document.getElementById('a').style.display = 'none'; });
    await snapshot();
    for (let i = 0; i < 3; ++i) await ours.main.send('HeapProfiler.collectGarbage');
    await page.evaluate(() => { document.getElementById('a').style.display = ''; });
    assert.equal(refOf(await ours.snapshot(), 'button'), before);
  },
  async 'evaluating the script again keeps the refs'() {
    await open('<button>One</button><p>x</p>');
    const before = await snapshot();
    await ours.evaluate(world, ours.source + ';0');
    assert.equal(await snapshot(), before);
  },
  async 'frames say which child they are'() {
    await open('<iframe id=a srcdoc="<b>a</b>"></iframe><iframe id=b srcdoc="<b>b</b>"></iframe><div id=h></div>');
    await page.evaluate(() => {
      document.body.prepend(Object.assign(document.createElement('iframe'), { srcdoc: '<b>late, but first</b>' }));
      document.getElementById('h').attachShadow({ mode: 'open' }).innerHTML = '<iframe srcdoc="<b>shadow</b>"></iframe>';
    });
    await page.waitForTimeout(200);
    const { frames } = await ours.evaluate(world, 'troupe.snapshot({})');
    const { frameTree } = await ours.main.send('Page.getFrameTree');
    assert.deepEqual(frames.map(frame => frame.index >= 0), [true, true, true, false]);
    for (const { ref, index } of frames.slice(0, 3)) {
      const element = await ours.evaluate(world, `troupe.elementForRef('${ref}')`, false);
      const { node } = await ours.main.send('DOM.describeNode', { objectId: element.objectId });
      assert.equal(frameTree.childFrames[index].frame.id, node.frameId);
    }
  },
  async 'a closed shadow root shows once the engine hands it over'() {
    const build = async mode => {
      await open('<div id=c>light <b slot=s>slotted</b><i>unslotted</i></div><p>after</p>');
      await page.evaluate(mode => { document.getElementById('c').attachShadow({ mode }).innerHTML = '<button>inside</button><slot name=s></slot>'; }, mode);
    };
    await build('open');
    const shown = await snapshot();
    await build('closed');
    assert.doesNotMatch(await upstreamSnapshot(page), /inside/);
    const { root } = await ours.main.send('DOM.getDocument', { depth: -1, pierce: true });
    const closed = [];
    const visit = node => {
      for (const shadow of node.shadowRoots ?? []) if (shadow.shadowRootType === 'closed') closed.push(shadow);
      [...node.children ?? [], ...node.shadowRoots ?? []].forEach(visit);
    };
    visit(root);
    for (const { backendNodeId } of closed) {
      const { object } = await ours.main.send('DOM.resolveNode', { backendNodeId, executionContextId: world.contextId });
      await ours.main.send('Runtime.callFunctionOn', { objectId: object.objectId, functionDeclaration: 'function() { troupe.adoptClosedRoot(this); }' });
    }
    assert.match(shown, /button "inside"/);
    assert.equal(await ours.snapshot(), shown);
  },
  async 'a style sheet of another origin counts, handed over or not'() {
    const server = await serveFixtures();
    await page.goto(`${server.origin}/pseudo_unreadable.html`);
    ours = await Ours.attach(page);
    ({ world } = await ours.mainWorld());
    const before = await snapshot();
    assert.match(before, /from elsewhere text/);
    await ours.main.send('Page.enable');
    const [url] = await ours.evaluate(world, 'troupe.snapshot({}).unreadSheets');
    const { frameTree } = await ours.main.send('Page.getFrameTree');
    const { content } = await ours.main.send('Page.getResourceContent', { frameId: frameTree.frame.id, url });
    await ours.evaluate(world, `troupe.provideSheet(${JSON.stringify(url)}, ${JSON.stringify(content)})`);
    assert.deepEqual(await ours.evaluate(world, 'troupe.snapshot({}).unreadSheets'), []);
    assert.equal(await snapshot(), before);
    server.close();
  },
  async 'helpers answer outside of a snapshot'() {
    await open('<label for=i>Name <b>x</b></label><input id=i type=checkbox checked aria-describedby=d><span id=d hidden>Why</span><h2 hidden>H</h2>');
    assert.deepEqual(await ours.evaluate(world, `(() => {
      const input = document.querySelector('input');
      const heading = document.querySelector('h2');
      return [troupe.role(input), troupe.name(input), troupe.description(input), troupe.checked(input), troupe.disabled(input),
        troupe.isVisible(input), troupe.isHiddenForAria(heading), troupe.level(heading), troupe.name(heading), troupe.name(heading, true)];
    })()`), ['checkbox', 'Name x', 'Why', true, false, true, true, 2, '', 'H']);
  },
};

let failures = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log('ok   ' + name);
  } catch (error) {
    ++failures;
    console.log('FAIL ' + name + '\n' + error.message);
  }
}
await browser.close();
console.log(`${Object.keys(tests).length - failures} of ${Object.keys(tests).length} hold`);
process.exitCode = failures ? 1 : 0;
