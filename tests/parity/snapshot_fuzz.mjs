// Random pages, snapshot by upstream and by us; stops being quiet where they differ.
//
//   node snapshot_fuzz.mjs [cases=1000] [first seed=1]
import { launch, Ours, upstreamSnapshot, renumber, unifiedDiff } from './support.mjs';
import { randomPage, buildPage, changePage, STYLE_SHEET } from './fuzz_pages.mjs';

const cases = Number(process.argv[2] ?? 1000);
const firstSeed = Number(process.argv[3] ?? 1);
const maxShown = Number(process.env.SHOW ?? 5);

const browser = await launch();
let page, ours;
const newPage = async () => {
  const page = await browser.newPage();
  await page.setContent('<!DOCTYPE html><body></body>');
  return page;
};
const freshPage = async () => {
  await page?.close();
  page = await newPage();
  ours = await Ours.attach(page);
};

// Both answers for a tree after rounds of changes; stops at the first that differs. Refs are
// compared as they are: both sides have seen the same pages in the same order.
const compare = async tree => {
  let result;
  for (let round = 0; round <= tree.changes; ++round) {
    await show(page, tree, round);
    result = { upstream: await upstream(page, tree), own: await own(ours, tree), round };
    if (result.upstream !== result.own) break;
  }
  return result;
};

const show = (page, tree, round) => round
  ? page.evaluate(changePage, { seed: tree.seed * 10 + round })
  : page.evaluate(buildPage, { tree, sheet: STYLE_SHEET });
const upstream = async (page, tree) => renumber(await upstreamSnapshot(page, tree.options)
  .catch(error => 'upstream failed: ' + error.message.split('\n')[0]));
const own = async (ours, tree) => renumber(await ours.snapshot(tree.options)
  .catch(error => 'we failed: ' + error.message));

// The same with a fresh page for each side and time to settle: a snapshot forces layout, which can
// change what the next one sees (content-visibility), and images come late.
const compareApart = async tree => {
  const pages = [await newPage(), await newPage()];
  const ours = await Ours.attach(pages[1]);
  let result;
  for (let round = 0; round <= tree.changes; ++round) {
    for (const page of pages) await show(page, tree, round);
    await pages[1].waitForTimeout(60);
    result = { upstream: await upstream(pages[0], tree), own: await own(ours, tree), round };
    if (result.upstream !== result.own) break;
  }
  for (const page of pages) await page.close();
  return result;
};

const differs = async tree => {
  const result = await compareApart(tree);
  return !result.upstream.startsWith('upstream failed') && result.upstream !== result.own;
};

// Every tree that has one part less.
function* smaller(tree) {
  const copyWithout = change => {
    const copy = structuredClone(tree);
    return change(copy), copy;
  };
  const at = (root, path) => path.reduce((node, key) => node[key], root);
  const paths = [];
  const visit = (node, path) => {
    if (typeof node !== 'object') return;
    for (const list of ['children', 'shadow'])
      node[list]?.forEach((child, index) => {
        paths.push({ path: [...path, list], index, child });
        visit(child, [...path, list, index]);
      });
  };
  visit(tree, []);
  for (const { path, index } of paths) yield copyWithout(copy => at(copy, path).splice(index, 1));
  for (const { path, index, child } of paths) {
    if (typeof child === 'string') continue;
    yield copyWithout(copy => at(copy, path).splice(index, 1, ...(child.children ?? [])));
    if (child.shadow) yield copyWithout(copy => delete at(copy, path)[index].shadow);
    for (const name of Object.keys(child.attributes ?? {}))
      yield copyWithout(copy => delete at(copy, path)[index].attributes[name]);
    if (child.focus) yield copyWithout(copy => delete at(copy, path)[index].focus);
  }
  if (tree.styled) yield copyWithout(copy => { copy.styled = false; });
}

const shrink = async tree => {
  let tries = 200;
  for (let again = true; again;) {
    again = false;
    for (const candidate of smaller(tree)) {
      if (--tries < 0) return tree;
      if (!(await differs(candidate))) continue;
      tree = candidate;
      again = true;
      break;
    }
  }
  return tree;
};

const print = node => typeof node === 'string' ? JSON.stringify(node) : node.comment ? '<!---->' :
  `<${node.tag}${Object.entries(node.attributes).map(([k, v]) => ` ${k}=${JSON.stringify(v)}`).join('')}${node.focus ? ' FOCUS' : ''}>` +
  (node.shadow ? `#shadow(${node.shadow.map(print).join('')})` : '') + node.children.map(print).join('') + `</${node.tag}>`;

await freshPage();
let same = 0, skipped = 0, shown = 0;
for (let seed = firstSeed; seed < firstSeed + cases; ++seed) {
  if (seed % 250 === 0) {
    console.log(`${same} of ${seed - firstSeed - skipped} identical so far`);
    await freshPage();
  }
  const tree = randomPage(seed);
  if (seed % 10 === 3) tree.options = { depth: 1 + seed % 4 };
  if (seed % 10 === 7) tree.options = { boxes: true };
  tree.seed = seed;
  tree.changes = seed % 2 ? 2 : 0;
  let result = await compare(tree);
  if (result.upstream !== result.own) {
    result = await compareApart(tree);
    await freshPage();
  }
  if (result.upstream.startsWith('upstream failed')) {
    ++skipped;
    console.log(`seed ${seed}: ${result.upstream}`);
  } else if (result.upstream === result.own) {
    ++same;
  } else if (shown++ < maxShown) {
    const small = await shrink(tree);
    result = await compareApart(small);
    console.log(`seed ${seed}, change ${result.round}${small.styled ? ' (styled)' : ''}: ${small.children.map(print).join('')}\n${unifiedDiff(result.upstream, result.own)}\n`);
  }
}
await browser.close();
console.log(`${same} of ${cases - skipped} identical (seeds ${firstSeed} to ${firstSeed + cases - 1}, ${skipped} that upstream could not answer)`);
process.exitCode = same === cases - skipped ? 0 : 1;
