// Selectors find what playwright-core finds, in the same order, and fail with the same words.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addScripts, comparablePages, fixturePages, launch, openPage } from './support.mjs';
import { randomSelectors, selectors } from './samples.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

// Runs both engines on each selector, below `scope` if given, and answers how they differ.
const compare = ({ list, scope }) => {
  troupe.elementForRef ??= () => null;
  const root = scope ? document.querySelector(scope) : document;
  if (!root) return { count: 0, differences: [] };
  const theirs = selector => upstream.script.querySelectorAll(upstream.script.parseSelector(selector), root);
  const attempt = (find, selector) => {
    try {
      return find(selector);
    } catch (error) {
      return error.message;
    }
  };
  const show = found => typeof found === 'string' ? found : found.map(element => troupe.preview(element)).join(' ');
  const same = (a, b) => typeof a === 'string' || typeof b === 'string' ? a === b : a.length === b.length && a.every((element, i) => element === b[i]);
  const differences = [];
  for (const selector of list) {
    const [wanted, found] = [attempt(theirs, selector), attempt(one => troupe.queryAll(one, root), selector)];
    if (!same(wanted, found)) differences.push({ selector, wanted: show(wanted), found: show(found) });
  }
  return { count: list.length, differences };
};

// What to compare on each page: handwritten and random selectors, from the document and below an element.
const rounds = index => [
  { list: [...selectors, ...randomSelectors(150, 1000 + index)] },
  { list: [...selectors, ...randomSelectors(50, 9000 + index)], scope: 'body > *:nth-child(2)' },
];

test('selectors find the same elements in the same order on every fixture page', async () => {
  const page = await browser.newPage();
  const differences = [];
  let count = 0;
  for (const [index, file] of comparablePages().entries()) {
    await page.goto(`file://${file}`);
    await addScripts(page);
    for (const round of rounds(index)) {
      const result = await page.evaluate(compare, round);
      count += result.count;
      differences.push(...result.differences.map(one => ({ file, ...one })));
    }
  }
  await page.close();
  assert.deepEqual(differences, [], `${differences.length} of ${count} differ`);
});

test('a selector is printed as it was meant', async () => {
  const page = await openPage(browser, '<p>');
  const differences = await page.evaluate(list => list.filter(selector => {
    try {
      return upstream.stringifySelector(upstream.parseSelector(selector)) !== troupe.printSelector(troupe.parseSelector(selector));
    } catch {
      return false;
    }
  }), [...selectors, ...randomSelectors(500, 5)]);
  assert.deepEqual(differences, []);
  await page.close();
});

test('what is ruled out without a closer look would not have matched', async () => {
  const page = await browser.newPage();
  const wrong = [];
  for (const file of fixturePages()) {
    await page.goto(`file://${file}`);
    await addScripts(page, { upstream: false });
    wrong.push(...await page.evaluate(() => troupe.during(() => [...document.querySelectorAll('*')].filter(element => {
      const role = troupe.role(element);
      const name = troupe.squeeze(troupe.name(element));
      const wishes = [{ op: '=', value: name, exact: true }, { op: '*=', value: name.slice(1, -1), exact: false }];
      if (role && !troupe.mayHaveRole(document, role).includes(element)) return true;
      return name && !wishes.every(wanted => troupe.nameMayFit(element, wanted));
    }).map(element => troupe.preview(element)))));
  }
  assert.deepEqual(wrong, []);
  await page.close();
});

test('errors carry a code', async () => {
  const page = await openPage(browser, '<button>a</button><button>b</button>');
  const answers = await page.evaluate(() => ['button', ':foo', 'foo=bar', 'text=/(/', '//['].map(selector =>
    troupe.attempt(() => troupe.queryAll(selector).length)));
  assert.deepEqual(answers[0], { ok: true, value: 2 });
  assert.deepEqual(answers.slice(1).map(answer => answer.error.code), Array(4).fill('INVALID_SELECTOR'));
  await page.close();
});
