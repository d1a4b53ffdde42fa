// Generated locators are those of playwright-core, byte for byte, in all four languages.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { addScripts, comparablePages, coreBundle, fixturePages, launch, openPage } from './support.mjs';
import { randomPage } from './random_page.mjs';
import { expressions, randomSelectors, selectors } from './samples.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

// Pages where playwright-core itself fails: {file: [previews of the elements]}. Ours answers there.
const beyondUpstream = {
  'classes.html': ['<div class="-"></div>'],
};

const generateAll = ({ languages, testIdAttribute }) => {
  const elements = [];
  const collect = root => {
    const all = [...root.querySelectorAll('*')];
    elements.push(...all);
    for (const element of all) if (element.shadowRoot) collect(element.shadowRoot);
  };
  collect(document);
  const attempt = work => {
    try {
      return work();
    } catch (error) {
      return `fails: ${error.message}`;
    }
  };
  const differences = [];
  for (const element of elements) {
    const preview = troupe.preview(element);
    const wanted = attempt(() => upstream.script.generateSelector(element, { testIdAttributeName: testIdAttribute }).selector);
    const found = attempt(() => troupe.generateSelector(element, { testIdAttribute }));
    if (wanted !== found) differences.push({ preview, wanted, found });
    for (const language of languages) {
      const [theirs, ours] = [upstream.asLocator(language, wanted), troupe.renderLocator(wanted, language)];
      if (theirs !== ours) differences.push({ preview, language, wanted: theirs, found: ours });
    }
  }
  return { count: elements.length, differences };
};

const languages = ['javascript', 'python', 'java', 'csharp'];

test('every element of every fixture page', async () => {
  const page = await browser.newPage();
  const differences = [];
  let count = 0;
  for (const file of comparablePages()) {
    await page.goto(`file://${file}`);
    await addScripts(page);
    const known = beyondUpstream[path.basename(file)] ?? [];
    for (const testIdAttribute of ['data-testid', 'data-test', 'data-qa,id']) {
      const result = await page.evaluate(generateAll, { languages, testIdAttribute });
      count += result.count;
      differences.push(...result.differences.filter(one => !known.includes(one.preview) || one.found.startsWith('fails'))
        .map(one => ({ file, testIdAttribute, ...one })));
    }
  }
  await page.close();
  assert.deepEqual(differences, [], `${differences.length} of ${count} differ`);
});

test('random pages', async () => {
  const page = await browser.newPage();
  const differences = [];
  let count = 0;
  for (let seed = 1; seed <= 60; seed++) {
    await page.setContent(randomPage(seed));
    await addScripts(page);
    const result = await page.evaluate(generateAll, { languages: ['javascript'], testIdAttribute: 'data-testid' });
    count += result.count;
    differences.push(...result.differences.map(one => ({ seed, ...one })));
  }
  await page.close();
  assert.deepEqual(differences, [], `${differences.length} of ${count} differ`);
});

test('a generated selector finds its element, and only that', async () => {
  const page = await browser.newPage();
  const wrong = [];
  for (const file of fixturePages()) {
    await page.goto(`file://${file}`);
    await addScripts(page, { upstream: false });
    wrong.push(...await page.evaluate(() => [...document.querySelectorAll('body *')].map(element => {
      const selector = troupe.generateSelector(element);
      const found = troupe.queryAll(selector);
      const isRight = found.length === 1 && found[0].contains(element);
      return isRight ? null : { selector, element: troupe.preview(element) };
    }).filter(Boolean)).then(list => list.map(one => ({ file, ...one }))));
  }
  assert.deepEqual(wrong, []);
  await page.close();
});

test('the public API gives the same locators: locator.normalize()', async () => {
  const page = await browser.newPage();
  const differences = [];
  for (const file of comparablePages().filter((_, index) => index % 6 === 0)) {
    await page.goto(`file://${file}`);
    const elements = (await page.locator('body *').all()).slice(0, 12);
    const wanted = await Promise.all(elements.map(async locator => (await locator.normalize()).toString()));
    await addScripts(page, { upstream: false });
    const found = await page.evaluate(count =>
      troupe.queryAll('body *').slice(0, count).map(element => troupe.generateLocator(element)), elements.length);
    if (wanted.join('\n') !== found.join('\n')) differences.push({ file, wanted, found });
  }
  assert.deepEqual(differences, []);
  await page.close();
});

test('locators through frames are the selectors of each frame, joined', async () => {
  const page = await browser.newPage();
  const inside = `<iframe name=inner srcdoc='<button>Deep</button><button>Deep</button>'></iframe>`;
  await page.setContent(`<iframe srcdoc="${inside}"></iframe><iframe title="x"></iframe>`);
  await page.waitForFunction(() => frames[0]?.frames[0]?.document.querySelectorAll('button').length === 2);
  const innermost = page.frames().find(frame => frame.name() === 'inner');
  const wanted = await innermost.locator('button').last().normalize();
  const parts = [];
  for (let frame = innermost; frame; frame = frame.parentFrame()) {
    await addScripts(frame, { upstream: false });
    const css = frame === innermost ? 'button:last-child' : 'iframe';
    parts.unshift(await frame.evaluate(one => troupe.generateSelector(document.querySelector(one)), css));
  }
  const selector = parts.join(' >> internal:control=enter-frame >> ');
  const found = await page.evaluate(one => troupe.renderLocator(one), selector);
  assert.equal(found, wanted.toString());
  await page.close();
});

test('any selector renders as upstream renders it', async () => {
  const page = await openPage(browser, '<p>');
  const odd = [
    'internal:role=button[name=/a\\"b/i]', 'internal:role=button[name="a"i][description="b"s]', 'internal:role=button[checked]',
    'internal:role=heading[level=2][include-hidden=true]', 'internal:role=checkbox[checked="mixed"]', 'internal:role=button[name="a"s][name="b"i]',
    'internal:text=/a\\/b/s', 'internal:text=/x/gim', 'internal:text=plain', 'div >> internal:has-text="x"s', 'div >> internal:has-text=/^it\\\'s$/',
    'iframe >> nth=0 >> internal:control=enter-frame >> button', 'internal:control=any-frame >> button', 'internal:control=enter-frame >> a',
    'iframe >> internal:control=enter-frame >> internal:role=button[name="x"s]', 'div >> internal:describe="the div"', 'div >> visible=false',
    'div >> visible=true >> nth=2', 'internal:testid=[data-testid=/x/i]', 'internal:attr=[data-x="y"i]', 'xpath=//a >> xpath=./b', 'css=a >> nth=-1',
    'div >> internal:chain="a >> nth=0"', 'internal:label="it\'s"i', 'internal:text="a\\nb\\u2028"i', 'internal:text="`"i', 'internal:role=menuitemcheckbox',
    'div >> internal:has="a >> internal:has=\\"b\\""', 'div >> internal:and="a" >> internal:or="b" >> internal:has-not="c" >> internal:has-not-text="d"i',
  ];
  const list = [...selectors, ...randomSelectors(800, 77), ...odd];
  const differences = await page.evaluate(({ list, languages }) => list.flatMap(selector => languages
    .map(language => ({ selector, wanted: upstream.asLocator(language, selector), found: troupe.renderLocator(selector, language) }))
    .filter(one => one.wanted !== one.found)), { list, languages });
  assert.deepEqual(differences, []);
  await page.close();
});

test('locator expressions mean what upstream reads, and upstream refuses what we refuse', async () => {
  const { iso } = coreBundle();
  const page = await openPage(browser, '<p>');
  const rendered = await page.evaluate(list => list.map(selector => troupe.renderLocator(selector)), randomSelectors(400, 31));
  const list = [...expressions, ...rendered];
  const found = await page.evaluate(texts => texts.map(text => {
    const answer = troupe.attempt(() => troupe.parseTarget(text));
    return answer.ok ? answer.value.selector : answer.error.code === 'INVALID_SELECTOR' ? '' : answer.error;
  }), list);
  const differences = list.map((text, index) => ({ text, wanted: iso.locatorOrSelectorAsSelector('javascript', text, 'data-testid'), found: found[index] }))
    .filter(one => one.wanted !== one.found);
  assert.deepEqual(differences, []);
  await page.close();
});

test('targets: refs, selectors, locators with and without page, helpful errors', async () => {
  const page = await openPage(browser, '<p>', { upstream: false });
  const parse = text => page.evaluate(one => troupe.attempt(() => troupe.parseTarget(one, { testIdAttribute: 'data-qa' })), text);
  assert.deepEqual((await parse('e12')).value, { ref: 'e12' });
  assert.deepEqual((await parse('f3e2')).value, { ref: 'f3e2' });
  assert.deepEqual((await parse('#save')).value, { selector: '#save' });
  assert.deepEqual((await parse(`page.getByTestId('x')`)).value, { selector: 'internal:testid=[data-qa="x"s]' });
  assert.deepEqual((await parse(`await page.locator('li').filter({ has: page.getByText('x') });`)).value, { selector: 'li >> internal:has="internal:text=\\"x\\"i"' });
  const { error } = await parse(`getByRol('button')`);
  assert.deepEqual(error, { code: 'INVALID_SELECTOR', message: `"getByRol('button')" is not a ref, a selector or a locator: Unsupported locator method getByRol` });
  await page.close();
});
