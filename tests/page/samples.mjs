// Selectors and locator expressions for the parity tests: every engine, every pseudo-class, and mistakes.

export const selectors = [
  'button', 'button, a', 'div > button', 'main button + a', 'h3 ~ p', 'ul li:first-child', 'li:nth-child(2n+1)', '*',
  '* > *', 'div div', 'div:not(.row)', ':not(div)', ':is(button, a):not([href])', ':where(li, td)', ':has(button)',
  'div:has(> button)', 'div:has(+ p)', 'li:has(:text("Edit"))', 'ul:has(li:has-text("Apple"))', ':scope',
  ':scope > body', 'body >> :scope', 'body >> :scope > div', 'html >> body', 'div >> button', 'div >> nth=0',
  'div >> nth=1 >> button', 'button >> nth=-1', 'li >> nth=-2', ':light(button)', 'css:light=button', 'css=button',
  'css= button ', 'text=Save', 'text="Save"', "text='Save'", 'text=save as', 'text=/save/i', 'text=/^Save$/',
  'text=/S.ve/g', 'text=', 'text=""', '"Save"', "'Save'", '"Save as"', 'text=Apple >> visible=true', ':text("save")',
  ':text-is("Save")', ':text-is("")', ':text-matches("sa.e", "i")', ':text-matches("^Save$")',
  'button:has-text("save")', ':has-text("Item")', ':has-text("two lines")', 'li:visible', 'button:visible',
  ':visible', 'p:visible:has-text("Text")', 'button >> visible=false', 'button >> visible=true', 'role=button',
  'role=button[name="Save"]', 'role=button[name="save" i]', 'role=button[name=/sa/i]', 'role=button[name*="av"]',
  'role=button[name^="Sa"]', 'role=button[name$="as"]', 'role=button[name~="as"]', 'role=button[name|="Save"]',
  'role=button[disabled]', 'role=button[disabled=false]', 'role=button[pressed]', 'role=button[pressed=false]',
  'role=checkbox[checked]', 'role=checkbox[checked="mixed"]', 'role=checkbox[checked=false]',
  'role=heading[level=2]', 'role=heading[level="3"]', 'role=option[selected]', 'role=button[include-hidden]',
  'role=button[name="Shown"][include-hidden=true]', 'role=link', 'role=row', 'role=cell',
  'role=textbox[name="Name"]', 'role=treeitem[expanded]', 'role=treeitem[expanded=false]',
  'role=tab[selected=false]', 'role=generic', 'role=none', 'role=presentation', 'role=img',
  'role=button[description="first"]', 'role=bogus', 'role=', 'role=button[foo=1]', 'role=button[name]',
  'role=button[level=2]', 'role=button[checked]', 'role=heading[level=x]', 'role=heading[level]',
  'role=button[name=true]', 'role=button[disabled="yes"]', 'role=button[disabled*="x"]', 'role=button[name="Save"',
  'role=button]', 'role=button[name=/(/]', 'role=button[name=/a]', 'role=button[name*=/a/]', 'xpath=//button',
  '//button', '(//button)[2]', '//li/..', 'button >> ..', 'button >> xpath=..', '..',
  '//body//button[text()="Save"]', 'xpath=.//button', 'div >> //button', 'xpath=//[', 'id=main', 'id=dup',
  'data-testid=ok', 'data-test-id=other', 'data-test=third', 'id:light=main', 'text:light=Save',
  'internal:role=button[name="Save"i]', 'internal:role=button[name="Save"s]', 'internal:text="save"i',
  'internal:text="Save"s', 'internal:text="Save"', 'internal:text=/Sav/', 'internal:text=Save',
  'internal:label="Name"i', 'internal:label="Street"s', 'internal:label=/^Na/',
  'internal:attr=[placeholder="your"i]', 'internal:attr=[placeholder="Your name"s]',
  'internal:attr=[placeholder=/name/i]', 'internal:attr=[title="tip"i]', 'internal:attr=[alt="a cat"i]',
  'internal:attr=foo', 'internal:testid=[data-testid="ok"s]', 'internal:testid=["data-testid,data-test"="third"s]',
  'internal:testid=[data-testid=/o/]', 'li >> internal:has="a"', 'li >> internal:has-not="a"',
  'div >> internal:has="button >> internal:text=\\"Save\\"i"', 'li >> internal:has-text="edit"i',
  'li >> internal:has-not-text="edit"i', 'li >> internal:has-text=/Ap/', 'button >> internal:and=":visible"',
  'button >> internal:or="a"', 'a >> internal:or="button"', 'div >> internal:chain="button"',
  'ul >> internal:chain="li >> nth=0"', 'internal:has="a"', 'internal:has=a', 'li >> internal:has=1',
  'li >> internal:describe="x"', 'button >> left-of="a"', 'button >> right-of="h1",200', 'button >> near="input"',
  'p >> below="h1"', 'p >> above="h1"', 'button:right-of(:text("Save"))', 'button:left-of(a, 500)', ':below(h1)',
  'p:above(h2)', 'input:near(label)', 'input:near(label, 10)', ':nth-match(button, 2)',
  ':nth-match(:is(a, button), 3)', 'div:nth-match(div, 1)', ':nth-match(button)', ':nth-match(button, 0)',
  '*css=div >> button', 'div >> *css=button >> span', '*css=ul >> text=Apple', '*css=div >> *css=button',
  'div >> nth=0 >> *css=button >> span', 'div >> >> button', '>> button', 'button >>', '[id="main"]',
  "[title*='tip' i]", '[data-testid]', '#main', '#dup', '#main > p', '#h1 button', '#h1 >> button',
  '#outer .mid button', '#outer >> .mid >> button', 'section button', 'p#inner', '.c', '.c .c', '.c > .c', 'div .c',
  ':light(.c)', ':light(div) button', '#h3 slot', 'h2 + slot', '.box > .box', '.box .box', 'span[slot]',
  'div > span', 'article header', 'button.a.b', 'a[href]:not([title])', ':text("Shadow text")', 'text=Shadow',
  'role=button[name="Go"]', 'button:text("Go")', ':has-text("deep")', 'i:nth-child(2)', 'ns\\:tag', 'x-item\\.odd',
  '#\\31 start', `[id='q"uote']`, '.md\\:flex', '.w-1\\/2', 'button:hover', ':foo', 'div :foo', ':nth-child(foo)',
  'button::before', 'div >', '> div', '+ div', '~ p', 'div,', ',div', 'div,,p', 'div[', 'div[a', 'div[a=b', 'div]',
  'div)', ':is()', ':not()', ':has()', ':has-text()', ':has-text(a)', ':text(1)', ':visible(1)', ':text-matches()',
  ':text-matches("(")', ':scope(1)', ':is("a")', '"a', "'a", 'a{b}', '@media', 'url(x)', 'a;b', '100%', 'a||b',
  '<!--', 'div:not(:has-text("Save"))', ':not(:visible)', 'li:is(:has-text("Apple"), :has-text("Banana"))',
  'foo=bar', '_react=Foo', 'nth=0', 'visible=true', 'internal:control=enter-frame', 'internal:control=foo',
  'aria-ref=e1', 'button >> text=Save', 'body >> text=Save', 'ul >> text=/A/', 'text="Save" >> ..',
  'div >> text="Save"', 'text= Save ', 'text=Sa\\"ve', `text="It's"`, "text=It's", 'text=a >> b', 'text="a >> b"',
  'text=5"', ':text("a >> b")', ':has-text("\\"Quoted\\"")', ':text("it\\27 s")', '/* c */ button /* d */',
  'button/**/.a', 'A', 'BUTTON', 'DIV > BUTTON', 'svg', 'svg rect', 'clipPath', 'body :is(svg, g) > *', ':root',
  ':root > body', 'html', ':empty', 'p:empty', 'input:checked', 'input:disabled', ':enabled', 'option:checked',
  'input[type=checkbox]', '[role]', ':nth-last-child(1)', 'li:not(:first-child):not(:last-child)', ':is(:is(a))',
  ':not(:not(a))', 'ul:has(> li:nth-child(3))', 'div:has(:scope > button)', ':has(:has(button))',
];

export const expressions = [
  "getByRole('button')", 'getByRole("button", { name: "Save" })', 'getByRole(`button`, { name: `Save` })',
  "getByRole('button', { name: 'Save', exact: true })", "getByRole('button', { exact: true, name: 'Save' })",
  "getByRole('button', { name: /sav/i })", "getByRole('button', { name: /a\\/b/ })",
  "getByRole('button', { name: 'It\\'s' })", `getByRole('button', { name: "say \\"hi\\"" })`,
  "getByRole('button', { name: 'back\\\\slash' })", "getByRole('button', { name: 'line\\nbreak\\ttab' })",
  "getByRole('button', { name: '\\u0041' })", "getByRole('heading', { level: 2 })",
  "getByRole('checkbox', { checked: true, disabled: false })",
  "getByRole('button', { pressed: true, expanded: false, selected: true, includeHidden: true })",
  "getByRole('button', { name: 'a', description: 'b' })",
  "getByRole('button', { name: 'a', description: 'b', exact: true })", "getByRole('button', { checked: 'mixed' })",
  "getByRole('button', { level: '2' })", "getByRole('button', { name: 5 })", "getByRole('button', { foo: 1 })",
  "getByRole('button', {})", "getByRole('button', { name: 'x', })", 'getByRole()', 'getByRole(5)',
  "getByRole('a', 'b')", "getByText('Hello')", "getByText('Hello', { exact: true })",
  "getByText('Hello', { exact: false })", 'getByText(/he(l+)o/i)', 'getByText(/a>>b/)', 'getByText("x >> y")',
  "getByText('x', { foo: true })", "getByLabel('Name')", "getByLabel('Name', { exact: true })", 'getByLabel(/na/)',
  "getByPlaceholder('Mail')", "getByPlaceholder('Mail', { exact: true })", `getByPlaceholder(/m"a'il/i)`,
  "getByAltText('cat')", "getByTitle('tip')", `getByTitle('a "b" c')`, "getByTestId('id')", 'getByTestId(/id/)',
  `getByTestId('it\\'s "x"')`, "locator('div')", "locator('div > button')", "locator('css=div')",
  "locator('xpath=//a')", "locator('//a')", "locator('text=Save')", `locator('"Save"')`,
  "locator('div', { hasText: 'x' })", "locator('div', { hasNotText: 'x' })", "locator('div', { has: locator('a') })",
  "locator('div', { hasNot: getByRole('button', { name: 'x' }) })", "locator('div', { visible: true })",
  "locator(getByRole('list'))", "locator('div').locator('button')", "locator('div').locator(getByText('x'))",
  "locator('div').filter({ hasText: 'x' })", "locator('div').filter({ hasText: /x/i, hasNotText: 'y' })",
  "locator('div').filter({ has: getByRole('button').filter({ hasText: 'z' }) })",
  "locator('div').filter({ hasNot: locator('span') })", "locator('div').filter({ visible: false })",
  "locator('div').filter({ visible: true })", "locator('div').visible()", "locator('div').filter({})",
  "locator('div').filter()", "locator('div').first()", "locator('div').last()", "locator('div').nth(3)",
  "locator('div').nth(-1)", "locator('div').nth('1')", "locator('div').nth()", "locator('div').first",
  "locator('div').and(getByText('x'))", "locator('div').or(locator('span'))", "locator('div').or('span')",
  "locator('iframe').contentFrame().getByRole('button')", "locator('iframe').first().contentFrame().locator('a')",
  "locator('iframe').contentFrame().first().locator('a')", "frameLocator('iframe').getByText('x')",
  "frameLocator('iframe').first().getByText('x')", "frameLocator('iframe').frameLocator('iframe').getByText('x')",
  "frameLocator().getByText('x')", "frameLocator('iframe')", "locator('iframe').contentFrame()",
  "locator('a').contentFrame().locator('b').filter({ has: locator('c') })", "filter({ hasText: 'x' })",
  "and(locator('x'))", 'first()', "getByRole('button') .first( )", " getByRole( 'button' , { name : 'x' } ) ",
  "getByRole('button').click()", "getByRole('button').foo", "getByFoo('x')", "getByRole('button'",
  "getByRole('button'))", "getByRole('button', { name: 'x' )", "getByRole('button', { name 'x' })",
  "getByRole('button', name='x')", "getByRole('unterminated)", 'getByText(/unterminated)', 'getByText(/(/)',
  'getByText(/a/zz)', "getByText('a' + 'b')", 'getByText(x)', 'getByText(true)', 'get_by_role("button")',
  'get_by_role("button", name="x")', 'GetByRole(AriaRole.Button)', 'getByRole(AriaRole.BUTTON)',
  "getByRole(AriaRole.Button, { name: 'x' })", `locator("div:has-text('x')").nth(0)`, "locator('div[')",
  "locator('internal:role=button')", "locator('div >> span').getByTestId('x')", "locator('*css=div >> span')",
  "getByText('日本')", "getByText('')", "getByRole('')", 'button', '#id', '.class', 'text=Hello',
  'role=button[name="x"]', '//div', 'div >> span', '"Quoted"', 'e12x', 'f1e', 'nonsense (', '{ }', 'div.getByRole',
];

// Deterministic random selectors, built from what the fixture pages contain.
export const randomSelectors = (count, seed) => {
  let state = seed;
  const random = limit => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor(state / 65536) % limit;
  };
  const one = choices => choices[random(choices.length)];
  const words = ['Save', 'edit', 'Go', 'Name', 'a', 'text', 'Item 1', 'one', '2', 'Shadow', 'Card title'];
  const simple = () => one([
    'div', 'button', 'a', 'li', 'p', 'span', 'input', 'section', 'ul', 'td', 'h2', 'label', '*', 'slot', 'b', 'svg',
    '[href]', '[role]', '[class]', '[id]', '.c', '.x', '#main', ':first-child', ':last-child', ':nth-child(2)', ':empty',
  ]);
  const pseudo = depth => one([
    () => ':visible', () => `:has-text("${one(words)}")`, () => `:text("${one(words)}")`, () => `:text-is("${one(words)}")`,
    () => `:is(${complex(depth + 1)}, ${complex(depth + 1)})`, () => `:not(${complex(depth + 1)})`, () => `:has(${complex(depth + 1)})`,
    () => `:has(> ${compound(depth + 1)})`, () => `:light(${complex(depth + 1)})`, () => `:nth-match(${complex(depth + 1)}, ${1 + random(3)})`,
    () => `:text-matches("${one(words)}", "i")`, () => ':scope',
  ])();
  const compound = depth => {
    const base = simple();
    return depth < 2 && random(3) === 0 ? base + pseudo(depth) : base;
  };
  const complex = depth => {
    let text = compound(depth);
    for (let more = random(3); more > 0; more--) text += one([' ', ' > ', ' + ', ' ~ ']) + compound(depth);
    return text;
  };
  const step = () => one([
    () => complex(0), () => complex(0), () => complex(0), () => `text=${one(words)}`, () => `text="${one(words)}"`,
    () => `text=/${one(words)}/i`, () => `role=${one(['button', 'link', 'listitem', 'textbox', 'heading', 'row'])}`,
    () => `internal:role=button[name="${one(words)}"${one(['i', 's'])}]`, () => `internal:text="${one(words)}"${one(['i', 's'])}`,
    () => `internal:label="${one(words)}"i`, () => `//${one(['div', 'li', 'button', '*'])}`,
  ])();
  const tail = () => one([
    () => `nth=${random(4)}`, () => 'nth=-1', () => 'visible=true', () => `internal:has-text="${one(words)}"i`,
    () => `internal:has-not-text="${one(words)}"i`, () => `internal:has=${JSON.stringify(step())}`, () => `internal:and=${JSON.stringify(step())}`,
    () => `internal:or=${JSON.stringify(step())}`, () => '..', step,
  ])();
  return Array.from({ length: count }, () => [step(), ...Array.from({ length: random(3) }, tail)].join(' >> '));
};
