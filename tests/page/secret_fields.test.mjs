// Which fields take a password, and what a snapshot says about them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, launch, openPage } from './support.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const secret = {
  type: '<input type=password id=x>',
  autocomplete: '<input autocomplete=current-password id=x>',
  tokens: '<input autocomplete="section-a one-time-code" id=x>',
  shipping: '<input autocomplete="Section-B billing CC-Number webauthn" id=x>',
  name: '<input name=user_password id=x>',
  camel: '<input name=userPin id=x>',
  label: '<label>Password <input id=x></label>',
  labelFor: '<label for=x>Verification code</label><input id=x>',
  labelledby: '<span id=l>Your PIN</span><input aria-labelledby=l id=x>',
  ariaLabel: '<input aria-label="API key" id=x>',
  placeholder: '<input placeholder="One-time code" id=x>',
  title: '<input title=Passphrase id=x>',
  area: '<label>Secret <textarea id=x></textarea></label>',
  editable: '<div contenteditable role=textbox aria-label=Password id=x></div>',
};
const plain = {
  text: '<input id=x>',
  label: '<label>Spinning top <input id=x></label>',
  search: '<input type=search aria-label="Pinterest" id=x>',
  email: '<input autocomplete="section-a email" name=mail id=x>',
  checkbox: '<label>Remember password <input type=checkbox id=x></label>',
  button: '<button id=x>Forgot password</button>',
};

test('a field is told by its type, its autocomplete and its names', async () => {
  for (const [table, expected] of [[secret, true], [plain, false]]) {
    for (const [name, html] of Object.entries(table)) {
      const page = await openPage(browser, html, { upstream: false });
      assert.equal(await call(page, 'takesPassword', '#x'), expected, name);
      await page.close();
    }
  }
});

test('a snapshot tells which of its texts stand in such fields, and shows them as before', async () => {
  for (const [table, expected] of [[secret, ['hunter2 x']], [plain, []]]) {
    for (const [name, html] of Object.entries(table)) {
      if (['checkbox', 'button'].includes(name)) continue;
      const page = await openPage(browser, html, { upstream: false });
      await page.evaluate(() => {
        const field = document.querySelector('#x');
        if (field.isContentEditable) field.textContent = 'hunter2 x';
        else field.value = 'hunter2 x';
      });
      const { text, secrets } = await page.evaluate(() => troupe.snapshot());
      // The content of an editable textbox is not shown at all.
      assert.equal(text.includes(': hunter2 x'), name !== 'editable', `${name}: ${text}`);
      assert.deepEqual(secrets, expected, name);
      await page.close();
    }
  }
});

test('a short text is told apart by what stands before it', async () => {
  const page = await openPage(browser, '<label>CVC <input value=123></label><input type=password placeholder=Code value=abc><p>123</p>', { upstream: false });
  const { text, secrets } = await page.evaluate(() => troupe.snapshot());
  assert.equal(secrets.length, 2);
  for (const each of secrets) assert.ok(text.includes(each), `${each} in ${text}`);
  assert.ok(secrets.every(each => each.length >= 8), JSON.stringify(secrets));
  await page.close();
});

test('what such a field holds is in no checkpoint and no trace', async () => {
  for (const [name, html] of Object.entries(secret)) {
    const page = await openPage(browser, html, { upstream: false });
    await page.evaluate(() => {
      const field = document.querySelector('#x');
      if (field.isContentEditable) field.textContent = 'hunter2 x';
      else field.value = 'hunter2 x';
    });
    const saved = await page.evaluate(() => troupe.saveDocument());
    assert.ok(!JSON.stringify(saved).includes('hunter2'), name);
    assert.deepEqual(saved.document.lost, { passwords: 1 }, name);
    await page.close();
  }
});
