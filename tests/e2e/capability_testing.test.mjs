import assert from 'node:assert/strict';
import { test } from 'node:test';

import { refOf, startBrowser, startSite } from './capabilities_support.mjs';

const form = `<h1>Order</h1><ul><li>Apple</li><li>Pear</li></ul><input aria-label="Name" value="Ada">
  <input type="checkbox" aria-label="Gift" checked><iframe srcdoc="<button>Pay</button>"></iframe>`;

test('what a page shows is verified, with the assertion as code', async t => {
  const site = await startSite(t, { '/': form });
  const browser = await startBrowser(t, 'testing');
  await browser.call('navigate', { url: site.url });

  for (const [tool, given, code] of [
    ['verify_element_visible', { role: 'heading', accessibleName: 'Order' }, "getByRole('heading', { name: 'Order' })).toBeVisible()"],
    ['verify_element_visible', { role: 'button', accessibleName: 'Pay' }, "locator('iframe').contentFrame().getByRole('button', { name: 'Pay' }))"],
    ['verify_text_visible', { text: 'Pear' }, "getByText('Pear')).toBeVisible()"],
    ['verify_list_visible', { element: 'fruit', target: await refOf(browser, '- list'), items: ['Apple'] }, 'listitem: "Apple"'],
    ['verify_value', { type: 'textbox', element: 'name', target: await refOf(browser, '"Name"'), value: 'Ada' }, ").toHaveValue('Ada')"],
    ['verify_value', { type: 'checkbox', element: 'gift', target: await refOf(browser, '"Gift"'), value: 'true' }, ').toBeChecked()'],
  ]) {
    const { text, isError } = await browser.call(tool, given);
    assert.ok(!isError, text);
    assert.match(text, /### Result\nDone/);
    assert.ok(text.includes(code), text);
  }
  const { text } = await browser.call('generate_locator', { target: await refOf(browser, '"Pay"') });
  assert.match(text, /locator\('iframe'\)\.contentFrame\(\)\.getByRole\('button', \{ name: 'Pay' \}\)/);
});

test('what it does not show is an error that says so', async t => {
  const site = await startSite(t, { '/': form });
  const browser = await startBrowser(t, 'testing');
  await browser.call('navigate', { url: site.url });
  const name = await refOf(browser, '"Name"');

  for (const [tool, given, why] of [
    ['verify_element_visible', { role: 'button', accessibleName: 'Sell' }, 'Element with role "button" and accessible name "Sell" not found'],
    ['verify_text_visible', { text: 'Plum' }, 'Text not found'],
    ['verify_list_visible', { element: 'fruit', target: 'ul', items: ['Plum'] }, 'Item "Plum" not found'],
    ['verify_value', { type: 'textbox', element: 'name', target: name, value: 'Bob' }, 'Expected value "Bob", but got "Ada"'],
    ['verify_value', { type: 'checkbox', element: 'name', target: name, value: 'true' }, 'Not a checkbox or radio button'],
    ['verify_value', { type: 'textbox', element: 'name', target: 'e999', value: 'Bob' }, 'Ref e999 not found'],
    ['generate_locator', {}, 'at target'],
  ]) {
    const { text, isError } = await browser.call(tool, given);
    assert.ok(isError, text);
    assert.ok(text.includes(why), text);
  }
});
