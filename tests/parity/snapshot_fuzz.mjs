// Random pages, snapshot by upstream and by us; stops being quiet where they differ.
//
//   node snapshot_fuzz.mjs [cases=1000] [first seed=1]
import { launch, Ours, upstreamSnapshot, renumber, unifiedDiff } from './support.mjs';
import { randomPage, buildPage, STYLE_SHEET } from './fuzz_pages.mjs';

const cases = Number(process.argv[2] ?? 1000);
const firstSeed = Number(process.argv[3] ?? 1);
const maxShown = Number(process.env.SHOW ?? 5);

const browser = await launch();
let page, ours;
const freshPage = async () => {
  await page?.close();
  page = await browser.newPage();
  await page.setContent('<!DOCTYPE html><body></body>');
  ours = await Ours.attach(page);
};

// Both answers for a tree; equal when the refs' order of appearance is the same as well.
const compare = async tree => {
  await page.evaluate(buildPage, { tree, sheet: STYLE_SHEET });
  const options = tree.options ?? {};
  const both = async () => {
    const upstream = await upstreamSnapshot(page, options).catch(error => 'upstream failed: ' + error.message.split('\n')[0]);
    const own = await ours.snapshot(options).catch(error => 'we failed: ' + error.message);
    return { upstream: renumber(upstream, true), own: renumber(own, true) };
  };
  const result = await both();
  if (result.upstream === result.own) return result;
  // Images settle late: the same page again.
  await page.waitForTimeout(50);
  return both();
};

const differs = async tree => {
  const { upstream, own } = await compare(tree);
  return !upstream.startsWith('upstream failed') && upstream !== own;
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
  for (let again = true; again;) {
    again = false;
    for (const candidate of smaller(tree)) {
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
  if (seed % 250 === 0) await freshPage();
  const tree = randomPage(seed);
  if (seed % 10 === 3) tree.options = { depth: 1 + seed % 4 };
  if (seed % 10 === 7) tree.options = { boxes: true };
  const { upstream, own } = await compare(tree);
  if (upstream.startsWith('upstream failed')) {
    ++skipped;
    if (shown < maxShown) console.log(`seed ${seed}: ${upstream}`);
    await freshPage();
  } else if (upstream === own) {
    ++same;
  } else if (shown++ < maxShown) {
    const small = await shrink(tree);
    const result = await compare(small);
    console.log(`seed ${seed}${small.styled ? ' (styled)' : ''}: ${small.children.map(print).join('')}\n${unifiedDiff(result.upstream, result.own)}\n`);
  }
}
await browser.close();
console.log(`${same} of ${cases - skipped} identical (seeds ${firstSeed} to ${firstSeed + cases - 1}, ${skipped} that upstream could not answer)`);
process.exitCode = same === cases - skipped ? 0 : 1;
