// Random small pages, as plain trees that a page can build: the same seed gives the same page.

export const randomFrom = seed => {
  let state = seed >>> 0 || 1;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    chance: p => next() < p,
    below: n => Math.floor(next() * n),
    pick: list => list[Math.floor(next() * list.length)],
  };
};

const words = text => text.trim().split(/\s+/);

const TAGS = words(`div div div div div span span span span b i p p a a a button button ul ol li li li dl dt dd
  table tbody thead tfoot tr td th caption colgroup input input input textarea select option optgroup datalist
  label label fieldset legend figure figcaption img img section article aside main nav header footer form h1 h2 h3
  h6 hr br code em strong sub sup mark del ins time dfn blockquote details summary dialog output meter progress
  math menu search area map svg x-card x-icon template script style noscript slot address abbr pre q iframe`);
const SVG_TAGS = words('g a text title path desc tspan foreignObject rect');
const ROLES = words(`button button link checkbox radio switch textbox searchbox combobox listbox option list listitem
  heading img none presentation generic group region navigation main banner contentinfo article dialog alert status
  tab tablist tabpanel tree treeitem grid gridcell row rowgroup rowheader columnheader cell table menu menubar menuitem
  menuitemcheckbox menuitemradio slider spinbutton progressbar meter scrollbar separator tooltip toolbar paragraph term
  definition note feed figure form document application caption code deletion emphasis insertion mark marquee math log
  directory radiogroup search strong subscript superscript time timer treegrid complementary alertdialog blockquote`);
const TEXTS = ['one', 'two', 'Save', 'Save', 'a', 'x y', ' ', '\n  ', '  lead', 'trail  ', 'a: b', '- dash', '# hash', 'x #y',
  '12', '1.5', '0x1f', 'yes', 'Null', 'true', '{brace}', '`tick`', '"quoted"', "it's", 'a\u00a0b', '\u200bzero\u00adwidth',
  'tab\there', 'back\\slash', '[x]', '*star', '&amp', '%', '@at', '!bang', 'end:', ':start', '日本語', '😀 smile', 'é',
  '/slash/', 'line\nbreak', '\u0007bell', '\u0085', '-', '', 'ﬁ', '\u2028', 'e5', '1e5', '+1', '.5', 'Infinity', '~', '? q', '> quote',
  '| pipe', 'y', 'n', 'on', 'OFF', 'a\u200b', '\ufeffbom'];
const TYPES = words(`text text password search email url tel number range checkbox checkbox radio radio file image submit
  reset button hidden date color nonsense`);
const STYLES = ['display:none', 'display:none', 'display:contents', 'display:inline', 'display:block', 'display:flex',
  'display:inline-block', 'display:grid', 'display:table-cell', 'visibility:hidden', 'visibility:visible', 'visibility:collapse',
  'pointer-events:none', 'pointer-events:auto', 'cursor:pointer', 'cursor:pointer', 'cursor:default', 'opacity:0', 'width:0;height:0',
  'width:0;height:0;overflow:hidden', 'width:20px;height:20px', 'position:absolute', 'content-visibility:hidden', 'content-visibility:auto',
  'transform:scale(0)', 'float:left', 'font-size:0', 'content:url(x.png) / "replaced"', 'clip-path:inset(100%)', 'height:10px;width:10px;display:inline-block'];
const CLASSES = words('before before2 after block both none hid alt attr counter hover quote fa fa-x B w1 nest deep b not esc:aped[x] 10 in');

export const STYLE_SHEET = `
  .before::before { content: "pre "; }
  .before2::before { content: "p2" attr(title) "!"; display: inline-block; }
  .after:after { content: " post"; }
  .block::after { content: ""; display: block; }
  .both::before, .both::after { content: "\\201C\\"q\\\\"; }
  .none::before { content: "never"; display: none; }
  .hid::after { content: "never"; visibility: hidden; }
  .alt::before { content: "img" / "alt text"; }
  .attr::before { content: attr(aria-label) " " attr(data-x); }
  .counter::before { counter-increment: c; content: counter(c) ". "; }
  .hover:not(.fa)::before { content: "hov"; }
  .quote::before { content: open-quote; }
  div > .fa-x::before { content: "\\f007"; }
  @media all { .fa { &::after { content: "fa"; } } }
  .B::before { content: 'B"'; }
  [data-x="1"]::after { content: attr(data-x); }
  q::after { content: "q"; }
  p :where(code, .w1):not(:where([class~="not"] *))::before { content: "w"; }
  :is(em, strong:not(.b), #i3)::after { content: "is"; }
  .nest { > b { &::before { content: "nb"; } } &.deep::after { content: "nd"; } .in & i::before { content: "ni"; } }
  .esc\\:aped\\[x\\]::before, .\\31 0::after { content: "esc"; }
  @supports (display: grid) { @layer x { section::before { content: "layer"; } } }
  *::before { box-sizing: border-box; }
`;

const ATTRIBUTES = {
  'aria-label': r => r.pick(TEXTS),
  'aria-labelledby': r => ids(r),
  'aria-describedby': r => ids(r),
  'aria-owns': r => ids(r),
  'aria-hidden': r => r.pick(['true', 'true', 'false', 'TRUE', '']),
  'aria-checked': r => r.pick(['true', 'false', 'mixed', 'x']),
  'aria-pressed': r => r.pick(['true', 'false', 'mixed']),
  'aria-expanded': r => r.pick(['true', 'false', '', 'TRUE']),
  'aria-selected': r => r.pick(['true', 'false', 'TRUE']),
  'aria-disabled': r => r.pick(['true', 'false', 'TRUE', '']),
  'aria-invalid': r => r.pick(['true', 'false', 'grammar', 'spelling', 'x', ' ', 'FALSE']),
  'aria-level': r => r.pick(['1', '2', '7', '0', '1.5', 'x', '']),
  'aria-valuenow': r => r.pick(['5', '']),
  'aria-valuetext': r => r.pick(['five', '']),
  'aria-roledescription': () => 'thing',
  'aria-live': () => 'polite',
  'aria-busy': () => 'true',
  title: r => r.pick(TEXTS),
  alt: r => r.pick(['', '', 'picture', ' ']),
  placeholder: r => r.pick(TEXTS),
  tabindex: r => r.pick(['0', '-1', 'x', '']),
  hidden: r => r.pick(['', 'until-found']),
  inert: () => '',
  disabled: () => '',
  checked: () => '',
  open: () => '',
  multiple: () => '',
  selected: () => '',
  contenteditable: () => 'true',
  href: r => r.pick(['#', '/path?q=1', 'data:text/plain,abc', 'data:nothing', '', 'javascript:void(0)', 'http://x/: y']),
  for: r => 'i' + r.below(6),
  value: r => r.pick(TEXTS),
  list: r => 'i' + r.below(6),
  scope: r => r.pick(['row', 'col', 'rowgroup', 'x']),
  summary: r => r.pick(TEXTS),
  size: r => r.pick(['1', '3']),
  'data-x': r => r.pick(['1', '2']),
  slot: r => r.pick(['s1', 's2']),
  name: r => r.pick(['s1', 's2', 'tagName', 'parentElement']),
  'xlink:title': r => r.pick(TEXTS),
  autofocus: () => '',
  popover: () => '',
};
const COMMON = words('aria-label title aria-hidden aria-labelledby href href placeholder alt value for disabled open');
const ALL_ATTRIBUTES = Object.keys(ATTRIBUTES);
const ids = r => Array.from({ length: 1 + r.below(2) }, () => 'i' + r.below(6)).join(r.pick([' ', '  ', '\n']));

// A node is a string (text) or { tag, attributes, children, shadow }.
export const randomPage = seed => {
  const r = randomFrom(seed);
  let budget = 4 + r.below(22);

  const node = (depth, inSvg, parentTag) => {
    if (r.chance(0.4)) return r.pick(TEXTS);
    if (r.chance(0.02)) return { comment: 'c' };
    --budget;
    const likely = { ul: 'li', ol: 'li', dl: r.pick(['dt', 'dd', 'div']), table: r.pick(['tr', 'tbody', 'caption', 'thead']), tbody: 'tr', thead: 'tr',
      tr: r.pick(['td', 'th']), select: r.pick(['option', 'optgroup']), optgroup: 'option', fieldset: r.pick(['legend', 'input', 'label']),
      figure: r.pick(['figcaption', 'img']), details: r.pick(['summary', 'p']), label: r.pick(['input', 'span', 'select']), datalist: 'option' }[parentTag];
    const tag = inSvg ? r.pick(SVG_TAGS) : likely && r.chance(0.7) ? likely : r.pick(TAGS);
    const attributes = {};
    if (r.chance(0.5)) attributes.id = 'i' + r.below(6);
    if (r.chance(0.22)) attributes.role = r.chance(0.1) ? r.pick(ROLES) + r.pick([' ', '\n', 'x ']) + r.pick(ROLES) : r.pick(ROLES);
    if (r.chance(0.3)) attributes.style = r.chance(0.2) ? r.pick(STYLES) + ';' + r.pick(STYLES) : r.pick(STYLES);
    if (r.chance(0.2)) attributes.class = r.chance(0.2) ? r.pick(CLASSES) + ' ' + r.pick(CLASSES) : r.pick(CLASSES);
    for (let count = r.below(3); count > 0; --count) {
      const name = r.chance(0.5) ? r.pick(COMMON) : r.pick(ALL_ATTRIBUTES);
      attributes[name] = ATTRIBUTES[name](r);
    }
    if (tag === 'input' && r.chance(0.9)) attributes.type = r.pick(TYPES);
    if (tag === 'img' && r.chance(0.7)) attributes.style ??= 'width:10px;height:10px';
    if (tag === 'iframe') delete attributes.src;
    const result = { tag, attributes, children: [] };
    if (inSvg || tag === 'svg') result.svg = true;
    // Elements inside of an <iframe> are never rendered; upstream lists some of them all the same.
    if (tag === 'iframe' && r.chance(0.3)) result.children.push(r.pick(TEXTS));
    const space = depth < 7 && budget > 0 && tag !== 'iframe';
    if (space) for (let count = r.below(4); count > 0 && budget > 0; --count)
      result.children.push(node(depth + 1, (tag === 'svg' || inSvg) && tag !== 'foreignObject', tag));
    if (space && r.chance(0.06) && ['div', 'span', 'x-card', 'section', 'p', 'x-icon'].includes(tag)) {
      result.shadow = [];
      for (let count = 1 + r.below(3); count > 0; --count) result.shadow.push(r.chance(0.5)
        ? { tag: 'slot', attributes: r.chance(0.4) ? { name: r.pick(['s1', 's2']) } : {}, children: r.chance(0.3) ? ['fallback'] : [] }
        : node(depth + 1, false, tag));
      if (r.chance(0.3)) result.shadow.push({ tag: 'style', attributes: {}, children: [':host::before { content: "host" } ::slotted(*)::after { content: "sl" } .fa { content: url(a) / "f" } b::before { content: "b" }'] });
    }
    if (r.chance(0.03)) result.focus = true;
    return result;
  };

  const children = [];
  while (budget > 0) children.push(node(0, false, 'body'));
  return { styled: r.chance(0.6), wide: r.chance(0.5), children };
};

// Runs in the page: replaces the body by the tree.
export const buildPage = ({ tree, sheet }) => {
  const SVG = 'http://www.w3.org/2000/svg';
  let focus = null;
  const build = node => {
    if (typeof node === 'string') return document.createTextNode(node);
    if (node.comment) return document.createComment(node.comment);
    const element = node.svg ? document.createElementNS(SVG, node.tag) : document.createElement(node.tag);
    for (const [name, value] of Object.entries(node.attributes)) element.setAttribute(name, value);
    for (const child of node.children) element.appendChild(build(child));
    if (node.shadow) {
      const root = element.attachShadow({ mode: 'open' });
      for (const child of node.shadow) root.appendChild(build(child));
    }
    if (node.focus) focus = element;
    return element;
  };
  document.documentElement.replaceChild(document.createElement('body'), document.querySelector('body'));
  const head = document.querySelector('head');
  head.textContent = '';
  if (tree.styled) {
    const style = document.createElement('style');
    style.textContent = sheet;
    head.append(style);
    // Enough elements, below the head, that reading the sheet is worth it (see pseudo_hints.js).
    if (tree.wide) for (let i = 0; i < 60; ++i) head.append(document.createElement('meta'));
  }
  const body = document.querySelector('body');
  for (const child of tree.children) body.appendChild(build(child));
  focus?.focus?.();
};

// Runs in the page: changes a few random things, as scripts do between two snapshots.
export const changePage = ({ seed }) => {
  let state = seed * 7919 + 17;
  const below = n => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % n;
  };
  const body = document.querySelector('body');
  const elements = () => [...body.querySelectorAll('*')];
  for (let count = 1 + below(4); count > 0; --count) {
    const all = elements();
    if (!all.length) return;
    const one = all[below(all.length)];
    const other = all[below(all.length)];
    try {
      switch (below(9)) {
        case 0: one.remove(); break;
        case 1: one.append('more'); break;
        case 2: one.textContent = 'new text'; break;
        case 3: one.setAttribute('role', ['button', 'none', 'group', 'link'][below(4)]); break;
        case 4: one.toggleAttribute('hidden'); break;
        case 5: (other.tagName === 'IFRAME' ? body : other).append(one); break;
        case 6: one.replaceWith(one.cloneNode(true)); break;
        case 7: one.setAttribute('aria-label', 'label ' + below(3)); break;
        case 8: one.style.display = ['none', '', 'block', 'contents'][below(4)]; break;
      }
    } catch {}  // an ancestor into its descendant
  }
};
