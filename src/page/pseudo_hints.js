// Finds the elements that can have ::before or ::after text at all.
//
// Asking the browser for a pseudo-element's style costs more than everything else a snapshot asks about an
// element. So the page's style sheets are read first, for rules that give a pseudo-element content. For each
// such selector, one name that its subject must carry is kept: a class, an id, a tag or an attribute.
// Elements without any of them are not asked. The answer may be a wrong yes, but never a wrong no: an
// unreadable sheet (another origin) or a selector without a name means "ask all".
(troupe => {
  const { attribute, parentElement, rootOf, shadowOf, tagOf, matches, inDocument } = troupe.dom;
  const { subjectsOf, namesOf, namesOfAll } = troupe.subjects;

  // The hints of the sheets read so far; null until the pass's first question.
  let hints = null;
  troupe.onPassStart = () => { hints = null; };

  const start = () => {
    hints = { all: false, classes: new Map(), others: new Set(), selector: null, roots: new Set() };
    // Asking about an element costs as much as reading over a dozen rules.
    let rules = 0;
    for (const sheet of inDocument.sheets()) rules += rulesOf(sheet)?.length ?? Infinity;
    if (rules > 12 * inDocument.count()) hints.all = true;
    else readRoot(document);
  };

  // Sheets of another origin whose text the engine has provided, by URL.
  const handedOver = new Map();
  troupe.provideSheet = (url, text) => {
    if (text.includes('@import')) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    handedOver.set(url, sheet);
  };

  // null if the sheet is unreadable. Google's font sheets only declare fonts.
  const rulesOf = sheet => {
    try {
      return sheet.cssRules;
    } catch {
      if (sheet.href?.startsWith('https://fonts.googleapis.com/')) return [];
      return handedOver.get(sheet.href)?.cssRules ?? null;
    }
  };

  // The URLs of sheets that force us to ask all elements.
  const unreadSheets = () =>
    [...inDocument.sheets()].filter(sheet => sheet.href && rulesOf(sheet) === null).map(sheet => sheet.href);

  const isPseudo = text => text.includes('::before') || text.includes('::after');

  const plainClass = name => name.slice(1)
    .replace(/\\(?:([0-9a-f]{1,6})\s?|([^]))/gi, (_, hex, character) =>
      hex ? String.fromCodePoint(Math.min(parseInt(hex, 16), 0x10ffff)) : character)
    .toLowerCase();

  // `around` is the selector list that & stands for; `host` is the host of the sheet's shadow root.
  const note = (selectors, around, host) => {
    const resolve = sign => {
      if (sign === ':host') return host ? [CSS.escape(tagOf(host).toLowerCase())] : null;
      return around ? namesOfAll(around, () => null) : null;
    };
    for (const subject of subjectsOf(selectors)) {
      if (!isPseudo(subject)) continue;
      const names = namesOf(subject, resolve);
      if (!names) return void (hints.all = true);
      for (const name of names)
        if (name[0] === '.') hints.classes.set(plainClass(name), name);
        else hints.others.add(name);
    }
    hints.selector = null;
  };

  const readRules = (rules, around, host) => {
    for (let i = 0; i < rules.length && !hints.all; ++i) {
      const rule = rules[i];
      const selectors = rule.selectorText;
      if (selectors !== undefined && isPseudo(selectors)) {
        const { style } = rule;
        if (style.content || style.animationName || style.animation) note(selectors, around, host);
        if (rule.cssRules?.length) hints.all = true;  // rules nested under a pseudo-element
      } else if (rule.cssRules?.length) {
        readRules(rule.cssRules, selectors ?? around, host);
      }
      if (rule.styleSheet) readSheet(rule.styleSheet, host);
    }
  };

  const readSheet = (sheet, host) => {
    const rules = rulesOf(sheet);
    if (rules) readRules(rules, '', host);
    else hints.all = true;
  };

  // The sheets of a document or shadow root, and of the trees around it (::part).
  const readRoot = root => {
    if (hints.roots.has(root)) return;
    hints.roots.add(root);
    const isShadow = root instanceof ShadowRoot;
    if (!isShadow && !(root instanceof Document)) return void (hints.all = true);
    const host = isShadow ? root.host : null;
    const sheets = isShadow ? root.styleSheets : inDocument.sheets();
    const adopted = isShadow ? root.adoptedStyleSheets : inDocument.adoptedSheets();
    for (const sheet of [...sheets, ...adopted]) readSheet(sheet, host);
    if (isShadow) readRoot(rootOf(host));
  };

  // A few names are matched with one selector; the thousands of an icon font are looked up in a set. Names
  // are kept there in lower case: in quirks mode they match in any case.
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

  // Sheets apply to an element from its own tree, from its shadow root (:host) and from the shadow root that
  // may slot it.
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

  // For the element that the pass starts with, if it is in a shadow tree.
  const enterTree = element => {
    const root = rootOf(element);
    if (root === document) return;
    if (!hints) start();
    readRoot(root);
  };

  troupe.pseudoHints = { mayHavePseudo, enterTree, unreadSheets };
})(globalThis.troupe);
