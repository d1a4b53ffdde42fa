// How long a snapshot of a 5,000-element page takes inside the page: ours, upstream's, a bare walk.
//
//   node snapshot_speed.mjs [rounds=9]
//
// Medians of interleaved rounds. "whole" is seen from outside: over DevTools for us and the bare
// walk, through Playwright for upstream. "first" is the first snapshot of a fresh page.
import { launch, Ours, upstreamSnapshot } from './support.mjs';

const rounds = Number(process.argv[2] ?? 9);

// A shop page: navigation, filters, 5,000 elements of product cards and a table.
const build = ({ styled }) => {
  const parts = [];
  if (styled) {
    const rules = Array.from({ length: 2000 }, (_, i) => `.u${i} { margin: ${i % 7}px } .u${i}:hover > a { color: red }`);
    rules.push('*, ::before, ::after { box-sizing: border-box }', '.icon::before { content: "\\2605"; }');
    parts.push(`<style>${rules.join('\n')}</style>`);
  }
  parts.push('<header><nav><ul>' + Array.from({ length: 20 }, (_, i) => `<li><a href="/c/${i}">Category ${i}</a></li>`).join('') + '</ul></nav></header><main>');
  parts.push('<form aria-label="Filters">' + Array.from({ length: 60 }, (_, i) => `<label class="u${i}"><input type="checkbox"> Brand ${i}</label>`).join('') + '</form>');
  for (let i = 0; i < 280; ++i) {
    parts.push(`<article class="card u${i}"><div class="top"><a href="/p/${i}"><img alt="Photo ${i}" width=40 height=40></a></div>
      <div class="body"><h3><a href="/p/${i}">Product <b>${i}</b></a></h3><p class="text">Some words about it, <em>quite</em> a few.</p>
      <div class="meta"><span class="icon"></span><span>4.${i % 10}</span><span class="price"><span>$</span><span>${i}.99</span></span></div>
      <div class="actions"><button class="u${i % 50}">Add to cart</button><button aria-label="Like"><svg width=10 height=10><path d="M0 0h9v9z"/></svg></button></div></div></article>`);
  }
  parts.push('</main><div style="display:none">' + '<div><a href="#">Hidden <i>menu</i></a></div>'.repeat(80) + '</div>');
  document.body.innerHTML = parts.join('');
  return document.querySelectorAll('*').length;
};

// What a snapshot cannot do without: every node once, with style and box of each element.
const BARE_WALK = `(() => {
  let count = 0;
  const visit = element => {
    ++count;
    const style = getComputedStyle(element);
    if (style.display === 'none') return;
    element.checkVisibility();
    const box = element.getBoundingClientRect();
    if (box.width > 0 && style.cursor === 'pointer' && style.visibility === 'visible') ++count;
    for (let node = element.firstChild; node; node = node.nextSibling)
      if (node.nodeType === 1) visit(node); else if (node.nodeValue) ++count;
  };
  visit(document.body);
  return count;
})()`;

const median = values => values.toSorted((a, b) => a - b)[values.length >> 1];
const timed = async work => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};
const inPage = expression => `(() => { const start = performance.now(); ${expression}; return performance.now() - start; })()`;

const browser = await launch();
for (const styled of [false, true]) {
  const page = await browser.newPage();
  await page.setContent('<!DOCTYPE html><body></body>');
  const elements = await page.evaluate(build, { styled });
  const ours = await Ours.attach(page);
  const { world } = await ours.mainWorld();
  const times = { ours: [], oursWhole: [], bare: [], upstreamWhole: [] };
  const first = { bare: 0, ours: 0, upstream: 0 };
  const touch = () => page.evaluate(() => document.body.style.setProperty('--touched', String(Math.random())));
  for (let round = 0; round <= rounds; ++round) {
    await touch();
    await ours.evaluate(world, 'document.body.offsetWidth');
    const bareTime = await ours.evaluate(world, inPage(BARE_WALK));
    await touch();
    await ours.evaluate(world, 'document.body.offsetWidth');
    let oursTime;
    const oursWhole = await timed(async () => { oursTime = (await ours.evaluate(world,
      '(() => { const start = performance.now(); const answer = troupe.snapshot({}); return { answer, time: performance.now() - start }; })()')).time; });
    await touch();
    await ours.evaluate(world, 'document.body.offsetWidth');
    const upstreamWhole = await timed(() => upstreamSnapshot(page));
    if (round === 0) {
      Object.assign(first, { bare: bareTime, ours: oursTime, upstream: upstreamWhole });
      continue;
    }
    times.bare.push(bareTime);
    times.ours.push(oursTime);
    times.oursWhole.push(oursWhole);
    times.upstreamWhole.push(upstreamWhole);
  }
  const row = (name, ...cells) => console.log(name.padEnd(26) + cells.map(cell => String(cell).padStart(12)).join(''));
  row(`${elements} elements${styled ? ', styled' : ''}`, 'first ms', 'in page ms', 'whole ms');
  row('bare walk', first.bare.toFixed(1), median(times.bare).toFixed(1), '');
  row('ours', first.ours.toFixed(1), median(times.ours).toFixed(1), median(times.oursWhole).toFixed(1));
  row('upstream', first.upstream.toFixed(1), '', median(times.upstreamWhole).toFixed(1));
  await page.close();
}
await browser.close();
