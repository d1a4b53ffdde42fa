// Which elements can have ::before or ::after text at all.
//
// Asking the browser for a pseudo-element's style costs more than everything else a snapshot asks
// about an element. So the page's style sheets are read first, for rules that give a pseudo-element
// content, and of each selector one name its subject must carry is kept: a class, an id, a tag or an
// attribute. Elements that carry none of them are not asked. The answer may be yes too often, never
// no wrongly: a sheet we may not read (another origin) or a selector without a name means "ask all".
(troupe => {
  const { attribute, parentElement, rootOf, shadowOf, tagOf, matches, inDocument } = troupe.dom;

  // What the sheets read so far ask for; null until the pass's first question.
  let hints = null;
  troupe.onPassStart = () => { hints = null; };

  const start = () => {
    hints = { all: false, classes: new Map(), others: new Set(), selector: null, roots: new Set() };
    // Asking an element costs as much as reading a good dozen rules.
    let rules = 0;
    try {
      for (const sheet of inDocument.sheets()) rules += sheet.cssRules.length;
    } catch {
      hints.all = true;  // a sheet of another origin
    }
    if (rules > 12 * inDocument.count()) hints.all = true;
    readRoot(document);
  };

  const PSEUDO = /(?<!\\)::(?:before|after)\b/;
  const NAME = '((?:[-\\w\\u0080-\\uffff]|\\\\[0-9a-f]{1,6}\\s?|\\\\[^0-9a-f])+)';
  const CLASS = new RegExp('\\.' + NAME, 'i');
  const ID = new RegExp('#' + NAME, 'i');
  const ATTRIBUTE = new RegExp('\\[\\s*(?:[^\\s|=\\]]*\\|)?' + NAME, 'i');
  const TAG = new RegExp('^' + NAME, 'i');
  const ESCAPE = /\\(?:([0-9a-f]{1,6})\s?|([^]))/gi;
  const STRING = /"(?:[^"\\]|\\[^])*"/g;

  const plainName = name => name.replace(ESCAPE, (_, hex, character) =>
    hex ? String.fromCodePoint(Math.min(parseInt(hex, 16), 0x10ffff)) : character).toLowerCase();
  const isPseudoSelector = text => text.includes('::before') || text.includes('::after');

  const dots = match => '.'.repeat(match.length);

  // Selectors of a list; commas inside :is(…) do not separate.
  const splitList = text => {
    const parts = [];
    let depth = 0;
    let from = 0;
    const plain = text.replace(STRING, dots).replace(ESCAPE, dots);
    for (let i = 0; i < plain.length; ++i) {
      if (plain[i] === '(') ++depth;
      else if (plain[i] === ')') --depth;
      else if (plain[i] === ',' && depth === 0) {
        parts.push(text.slice(from, i));
        from = i + 1;
      }
    }
    parts.push(text.slice(from));
    return parts;
  };

  // What a selector says about its subject itself, without pseudo-element and arguments of
  // functions: ".a > b.c:not(.d)::before" gives "b.c:".
  const subjectOf = selector => {
    let text = selector.replace(STRING, '""');
    text = text.slice(0, text.search(PSEUDO));
    for (let before = ''; before !== text;) {
      before = text;
      text = text.replace(/(?<!\\)(:[:]?)(?!host)[-\w]+\([^()]*\)/g, '$1');
    }
    const outline = text.replace(ESCAPE, dots).replace(/\[[^\]]*\]/g, dots);
    return text.slice(Math.max(...[' ', '>', '+', '~'].map(sign => outline.lastIndexOf(sign))) + 1);
  };

  // `around` is the selector list that & stands for; `host` the host of the sheet's shadow root.
  const note = (selector, around, host) => {
    const subject = subjectOf(selector);
    if (subject.includes('&')) {
      if (!around) hints.all = true;
      else for (const outer of splitList(around)) note(outer.trim() + '::before', '', host);
      return;
    }
    let name;
    if (subject.includes('::')) hints.all = true;  // ::part(), ::slotted()
    else if (subject.startsWith(':host') && host) hints.others.add(CSS.escape(tagOf(host).toLowerCase()));
    else if ((name = CLASS.exec(subject))) hints.classes.set(plainName(name[1]), '.' + name[1]);
    else if ((name = ID.exec(subject))) hints.others.add('#' + name[1]);
    else if ((name = ATTRIBUTE.exec(subject))) hints.others.add('[' + name[1] + ']');
    else if ((name = TAG.exec(subject.replace(/^[^|]*\|/, '')))) hints.others.add(name[1]);
    else hints.all = true;
    hints.selector = null;
  };

  const readRules = (rules, around, host) => {
    for (let i = 0; i < rules.length && !hints.all; ++i) {
      const rule = rules[i];
      const selectors = rule.selectorText;
      if (selectors !== undefined && isPseudoSelector(selectors)) {
        const { style } = rule;
        if (style && (style.content || style.animationName || style.animation)) {
          for (const selector of splitList(selectors))
            if (isPseudoSelector(selector)) note(selector.trim(), around, host);
        }
        if (rule.cssRules?.length) hints.all = true;  // rules nested under a pseudo-element
      } else if (rule.cssRules?.length) {
        readRules(rule.cssRules, selectors ?? around, host);
      }
      if (rule.styleSheet) readSheet(rule.styleSheet, host);
    }
  };

  const readSheet = (sheet, host) => {
    try {
      readRules(sheet.cssRules, '', host);
    } catch {
      hints.all = true;
    }
  };

  // The sheets of a document or shadow root, and of the trees around it (::part).
  const readRoot = root => {
    if (hints.roots.has(root)) return;
    hints.roots.add(root);
    const isShadow = root instanceof ShadowRoot;
    if (!isShadow && !(root instanceof Document)) return void (hints.all = true);
    const host = isShadow ? root.host : null;
    for (const sheet of isShadow ? root.styleSheets : inDocument.sheets()) readSheet(sheet, host);
    for (const sheet of isShadow ? root.adoptedStyleSheets : inDocument.adoptedSheets()) readSheet(sheet, host);
    if (isShadow) readRoot(rootOf(host));
  };

  // One selector answers for a handful of names; for the thousands of an icon font a look-up does.
  // Names are kept in lower case there: in quirks mode they match in any case.
  const MOST_IN_SELECTOR = 24;
  const selectorOfHints = ({ classes, others }) =>
    [...others, ...(classes.size <= MOST_IN_SELECTOR ? classes.values() : [])].join();

  const carriesName = element => {
    hints.selector ??= selectorOfHints(hints);
    if (hints.selector && matches(element, hints.selector)) return true;
    if (hints.classes.size <= MOST_IN_SELECTOR) return false;
    const names = attribute(element, 'class');
    return names !== null && names.toLowerCase().split(/\s+/).some(name => hints.classes.has(name));
  };

  // Sheets reach an element from its own tree, from its shadow root (:host) and from the shadow root
  // whose slot it may be in.
  const mayHavePseudo = element => {
    if (!hints) start();
    if (hints.all) return true;
    const shadow = shadowOf(element);
    if (shadow) readRoot(shadow);
    const parent = parentElement(element);
    const around = parent && shadowOf(parent);
    if (around) readRoot(around);
    return hints.all || carriesName(element);
  };

  // For an element that the pass starts with, when it is in a shadow tree.
  const enterTree = element => {
    const root = rootOf(element);
    if (root === document) return;
    if (!hints) start();
    readRoot(root);
  };

  troupe.pseudoHints = { mayHavePseudo, enterTree };
})(globalThis.troupe);
