// A random page, the same for the same seed: nested elements of every kind that selectors care about, with few
// different texts, so that locators have to work to tell elements apart.
export const randomPage = seed => {
  let state = seed * 7919 + 1;
  const random = limit => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor(state / 65536) % limit;
  };
  const one = choices => choices[random(choices.length)];
  const often = percent => random(100) < percent;

  const texts = [
    'Save', 'Save as', 'Edit', 'Edit 1', 'Edit 12', '3 items', 'Cancel', 'It\'s "x"', 'a  b', 'Very long text that needs to be cut at some word boundary',
    'Näme', 'Go', 'go', '&#xe001;', '1,5', 'x', '&nbsp;', 'soft&shy;hyphen', 'OK &gt;&gt; next', '$5.00 (net)', '',
  ];
  const tags = [
    'div', 'div', 'div', 'span', 'span', 'p', 'button', 'button', 'a', 'li', 'ul', 'ol', 'section', 'article', 'h2', 'h3', 'label', 'input', 'input',
    'textarea', 'select', 'img', 'table', 'form', 'nav', 'main', 'b', 'em', 'details', 'summary', 'fieldset', 'legend', 'header', 'footer', 'svg',
    'td', 'tr', 'dialog', 'output', 'my-element', 'figure', 'iframe', 'script', 'style',
  ];
  const roles = [
    'button', 'link', 'checkbox', 'textbox', 'heading', 'listitem', 'row', 'cell', 'tab', 'none', 'presentation', 'region', 'group', 'img', 'option',
    'switch', 'menuitem', 'treeitem', 'dialog', 'alert', 'bogus',
  ];
  const ids = ['main', 'a', 'one', 'two', 'x1y2z3w4', 'with space', 'dup', 'label1', 'label2'];

  const attributes = () => {
    const list = [];
    if (often(15)) list.push(`class="${one(['a', 'b', 'a b', 'c', 'md:x', 'pre', 'post'])}"`);
    if (often(12)) list.push(`id="${one(ids)}"`);
    if (often(12)) list.push(`role="${one(roles)}"`);
    if (often(8)) list.push(`aria-label='${one(texts).replaceAll("'", '')}'`);
    if (often(5)) list.push(`aria-labelledby="${one(ids)}${often(30) ? ` ${one(ids)}` : ''}"`);
    if (often(4)) list.push(`aria-describedby="${one(ids)}"`);
    if (often(3)) list.push(`aria-description="${one(['first', 'second'])}"`);
    if (often(7)) list.push(`title='${one(texts).replaceAll("'", '')}'`);
    if (often(5)) list.push(`data-testid="${one(['t1', 't2', 't3'])}"`);
    if (often(3)) list.push(`data-test="${one(['q1', 'q2'])}"`);
    if (often(4)) list.push(one(['hidden', 'aria-hidden="true"', 'style="display:none"', 'style="visibility:hidden"', 'style="display:contents"', 'style="opacity:0"']));
    if (often(2)) list.push('contenteditable');
    if (often(2)) list.push(`name="${one(['n1', 'n2'])}"`);
    if (often(2)) list.push('tabindex="0"');
    return list.join(' ');
  };
  const special = {
    input: () => `type="${one(['text', 'text', 'checkbox', 'radio', 'submit', 'button', 'reset', 'number', 'search', 'hidden', 'file', 'image', 'range'])}"`
      + (often(40) ? ` placeholder='${one(texts).replaceAll("'", '')}'` : '') + (often(30) ? ` value="${one(['Save', 'v', '7'])}"` : '') + (often(10) ? ' alt="Save"' : ''),
    textarea: () => often(40) ? 'placeholder="Edit 1"' : '',
    a: () => often(80) ? 'href="#"' : '',
    img: () => often(60) ? `alt='${one(texts).replaceAll("'", '')}' src="x.png"` : 'src="x.png"',
    label: () => often(40) ? `for="${one(ids)}"` : '',
    svg: () => 'width="9" height="9"',
    iframe: () => 'width="9" height="9"',
  };
  const empty = new Set(['input', 'img', 'iframe']);

  let left = 70;
  const element = depth => {
    left--;
    const tag = one(tags);
    const open = `<${tag} ${attributes()} ${special[tag]?.() ?? ''}>`;
    if (empty.has(tag)) return open;
    if (tag === 'script') return '<script>var Save;</script>';
    if (tag === 'style') return '<style>.zz { color: red }</style>';
    if (tag === 'svg') return `${open}${often(50) ? `<title>${one(texts)}</title>` : ''}<g><text>${one(texts)}</text></g></svg>`;
    if (tag === 'select') return `${open}<option>${one(texts)}</option><option>${one(texts)}</option></select>`;
    if (tag === 'table') return `${open}<tr><th>${one(texts)}</th><td>${one(texts)}</td></tr><tr><td>${children(depth)}</td><td>${one(texts)}</td></tr></table>`;
    const shadow = (tag === 'div' || tag === 'my-element' || tag === 'section') && often(8)
      ? `<template shadowrootmode="open">${children(depth)}<slot></slot>${often(50) ? `<b>${one(texts)}</b>` : ''}</template>` : '';
    return `${open}${shadow}${children(depth)}</${tag}>`;
  };
  const children = depth => {
    let html = often(60) ? one(texts) : '';
    for (let count = random(4); count > 0 && left > 0 && depth < 7; count--) html += element(depth + 1) + (often(25) ? ` ${one(texts)} ` : '');
    return html;
  };

  let body = '';
  while (left > 0) body += element(0) + '\n';
  return `<!DOCTYPE html><style>.pre::before { content: "Save "; } .post::after { content: "!"; }</style><body>${body}</body>`;
};
