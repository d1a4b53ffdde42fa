// Finding the one element that a target names: strictness, frames, and the words when it fails.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage } from './support.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

// playwright-core's own error for a selector that matches several elements.
const upstreamStrictError = async (page, selector) => {
  const error = await page.locator(selector).textContent({ timeout: 5000 }).catch(thrown => thrown);
  return error.message.replace(/^locator\.textContent: Error: /, '').replace(/\nCall log:[^]*$/, '');
};

test('a strict query that matches several elements lists them as upstream does', async () => {
  const items = Array.from({ length: 12 }, (_, index) => `<li class="item" style="color: red">Item ${index} <b>x</b></li>`).join('');
  const page = await openPage(browser, `<button id="a" disabled>Save</button><button>Save as</button><input type="checkbox" checked><ul>${items}</ul>`);
  for (const selector of ['button', 'li', 'text=Item', 'role=button', 'ul >> li', 'internal:role=button[name="save"i]', 'css=b', 'button, input']) {
    const { error } = await page.evaluate(one => troupe.attempt(() => troupe.query(one, { strict: true })), selector);
    assert.equal(error.code, 'STRICT');
    assert.equal(error.message.trimEnd(), (await upstreamStrictError(page, selector)).trimEnd());
  }
  await page.close();
});

test('strictness speaks the language of the session', async () => {
  const page = await openPage(browser, '<button data-qa="x">Save</button><button>Save</button>', { upstream: false });
  const { error } = await page.evaluate(() => troupe.attempt(() =>
    troupe.query('button', { strict: true, language: 'python', testIdAttribute: 'data-qa' })));
  assert.match(error.message, /^strict mode violation: locator\("button"\) resolved to 2 elements:\n {4}1\) <button data-qa="x">Save<\/button> aka get_by_test_id\("x"\)\n/);
  await page.close();
});

test('without strictness the first match counts, and none is null', async () => {
  const page = await openPage(browser, '<p>1</p><p>2</p>', { upstream: false });
  assert.equal(await page.evaluate(() => troupe.query('p').textContent), '1');
  assert.equal(await page.evaluate(() => troupe.query('h1')), null);
  assert.equal(await page.evaluate(() => troupe.query('p', { root: document.querySelector('p') })), null);
  await page.close();
});

test('a selector stops at the border of a frame and says how to go on', async () => {
  const page = await openPage(browser, '<iframe name="a" srcdoc="<p>x</p>"></iframe><iframe hidden srcdoc=""></iframe><p>no frame</p>', { upstream: false });
  const resolve = target => page.evaluate(text => troupe.attempt(() => {
    const { selector } = troupe.parseTarget(text);
    const { frameElement, ...found } = troupe.resolve(selector, { strict: true });
    return { ...found, frame: frameElement && troupe.preview(frameElement), elements: found.elements?.length };
  }), target);
  assert.deepEqual((await resolve(`frameLocator('[name=a]').getByText('x').first()`)).value,
    { frame: '<iframe name="a" srcdoc="<p>x</p>"></iframe>', visible: true, rest: 'internal:text="x"i >> nth=0', elements: undefined });
  assert.deepEqual((await resolve(`locator('iframe').last().contentFrame().locator('iframe').contentFrame().locator('b')`)).value,
    { frame: '<iframe hidden="" srcdoc=""></iframe>', visible: false, rest: 'iframe >> internal:control=enter-frame >> b', elements: undefined });
  assert.deepEqual((await resolve(`frameLocator('#none').locator('b')`)).value, { frame: null, visible: false, rest: 'b', elements: undefined });
  assert.deepEqual((await resolve(`frameLocator().locator('b')`)).value, { anyFrame: true, rest: 'b', frame: undefined, elements: undefined });
  assert.match((await resolve(`frameLocator('iframe').locator('b')`)).error.message, /strict mode violation/);
  assert.equal((await resolve(`frameLocator('p').locator('b')`)).error.message, 'Selector "p" resolved to <p>no frame</p>, <iframe> was expected');
  assert.match((await resolve(`frameLocator('iframe')`)).error.message, /Selector cannot end with entering frame/);
  assert.match((await resolve(`locator('p').filter({ has: frameLocator('iframe').locator('b') })`)).error.message, /Frame locators are not allowed inside composite locators/);
  await page.close();
});

test('refs are found by the snapshot that gave them', async () => {
  const page = await openPage(browser, '<button>x</button>', { upstream: false });
  const found = await page.evaluate(() => {
    troupe.elementForRef = ref => ref === 'e1' ? document.querySelector('button') : null;
    return [troupe.query('aria-ref=e1')?.textContent, troupe.query('aria-ref=e2')];
  });
  assert.deepEqual(found, ['x', null]);
  await page.close();
});
