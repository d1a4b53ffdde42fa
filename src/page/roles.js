// Roles: from the role attribute, else from HTML-AAM.
(troupe => {
  const { attribute, has, byIds, closestAcross, firstElementChild, nextElementSibling,
    parentElement, parentOrHost, previousElementSibling, tagOf, textContent } = troupe.dom;
  const { entry } = troupe.facts;

  const words = text => text.trim().split(/\s+/);

  const KNOWN = new Set(words(`
    alert alertdialog application article banner blockquote button caption cell checkbox code
    columnheader combobox complementary contentinfo definition deletion dialog directory document
    emphasis feed figure form generic grid gridcell group heading img insertion link list listbox
    listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter
    navigation none note option paragraph presentation progressbar radio radiogroup region row
    rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript
    superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree
    treegrid treeitem`));

  // The first role of the attribute that exists.
  const explicitRole = element => {
    const value = attribute(element, 'role');
    if (!value) return null;
    if (KNOWN.has(value)) return value;
    for (const token of value.split(' ')) {
      const role = token.trim();
      if (KNOWN.has(role)) return role;
    }
    return null;
  };

  const isPresentational = role => role === 'none' || role === 'presentation';

  // ARIA 1.2's global attributes, without those deprecated as global. An attribute that a role prohibits does
  // not restore the role.
  const GLOBAL = words(`aria-atomic aria-busy aria-controls aria-current aria-describedby aria-details
    aria-dropeffect aria-flowto aria-grabbed aria-hidden aria-keyshortcuts aria-live aria-owns
    aria-relevant`);
  const UNNAMEABLE = new Set(words(`caption code deletion emphasis generic insertion paragraph
    presentation strong subscript superscript`));

  const hasGlobalAttribute = (element, role) =>
    GLOBAL.some(name => has(element, name)) ||
    (!UNNAMEABLE.has(role) && (has(element, 'aria-label') || has(element, 'aria-labelledby'))) ||
    (role !== 'generic' && has(element, 'aria-roledescription'));

  const hasTabIndex = element => {
    const value = attribute(element, 'tabindex');
    return value !== null && !Number.isNaN(Number(value));
  };

  const isFocusable = element => {
    if (troupe.isNativelyDisabled(element)) return false;
    switch (tagOf(element)) {
      case 'BUTTON': case 'DETAILS': case 'SELECT': case 'TEXTAREA': return true;
      case 'A': case 'AREA': if (has(element, 'href')) return true; break;
      case 'INPUT': if (!element.hidden) return true; break;
    }
    return hasTabIndex(element);
  };

  // role=none is ignored on elements that a user can focus or that have global ARIA attributes.
  const keepsSemantics = (element, role) => hasGlobalAttribute(element, role) || isFocusable(element);

  const SECTIONING = ['article', 'aside', 'main', 'nav', 'section'].map(tag => tag + ':not([role])')
    .concat(['article', 'complementary', 'main', 'navigation', 'region'].map(role => `[role=${role}]`))
    .join(',');
  const landmark = role => element => (closestAcross(element, SECTIONING) ? null : role);
  const named = role => element =>
    (has(element, 'aria-label') || has(element, 'aria-labelledby') ? role : null);
  const linked = element => (has(element, 'href') ? 'link' : null);

  const INPUT_ROLES = {
    button: 'button', checkbox: 'checkbox', file: 'button', hidden: null, image: 'button',
    number: 'spinbutton', radio: 'radio', range: 'slider', reset: 'button', submit: 'button',
  };

  const roleOfInput = element => {
    const type = element.type.toLowerCase();
    if (type in INPUT_ROLES) return INPUT_ROLES[type];
    const canSuggest = ['', 'email', 'search', 'tel', 'text', 'url'].includes(type);
    if (canSuggest) {
      const list = byIds(element, attribute(element, 'list'))[0];
      if (list && tagOf(list) === 'DATALIST') return 'combobox';
    }
    return type === 'search' ? 'searchbox' : 'textbox';
  };

  const roleOfDataCell = element => {
    const table = closestAcross(element, 'table');
    const role = table && explicitRole(table);
    return role === 'grid' || role === 'treegrid' ? 'gridcell' : 'cell';
  };

  const isFilledDataCell = element =>
    element !== null && tagOf(element) === 'TD' &&
    (textContent(element).trim() !== '' || firstElementChild(element) !== null);

  // A header cell is a row header if data cells are beside it, else a column header. The only cell of a table
  // is neither.
  const roleOfHeaderCell = element => {
    const scope = attribute(element, 'scope');
    if (scope === 'col' || scope === 'colgroup') return 'columnheader';
    if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
    const before = previousElementSibling(element);
    const after = nextElementSibling(element);
    if (!before && !after) {
      const row = parentElement(element);
      const table = row && tagOf(row) === 'TR' ? closestAcross(row, 'table') : null;
      return table && table.rows.length <= 1 ? null : 'columnheader';
    }
    return isFilledDataCell(before) || isFilledDataCell(after) ? 'rowheader' : 'columnheader';
  };

  const roleOfImage = element =>
    attribute(element, 'alt') === '' && !attribute(element, 'title') &&
    !hasGlobalAttribute(element, '') && !hasTabIndex(element) ? 'presentation' : 'img';

  // Tag -> role, or a function of the element if the tag alone does not decide.
  const IMPLICIT = {
    A: linked, AREA: linked, ARTICLE: 'article', ASIDE: 'complementary', BLOCKQUOTE: 'blockquote',
    BUTTON: 'button', CAPTION: 'caption', CODE: 'code', DATALIST: 'listbox', DD: 'definition',
    DEL: 'deletion', DETAILS: 'group', DFN: 'term', DIALOG: 'dialog', DT: 'term', EM: 'emphasis',
    FIELDSET: 'group', FIGURE: 'figure', FOOTER: landmark('contentinfo'), FORM: named('form'),
    H1: 'heading', H2: 'heading', H3: 'heading', H4: 'heading', H5: 'heading', H6: 'heading',
    HEADER: landmark('banner'), HR: 'separator', HTML: 'document', IMG: roleOfImage,
    INPUT: roleOfInput, INS: 'insertion', LI: 'listitem', MAIN: 'main', MARK: 'mark', MATH: 'math',
    MENU: 'list', METER: 'meter', NAV: 'navigation', OL: 'list', OPTGROUP: 'group',
    OPTION: 'option', OUTPUT: 'status', P: 'paragraph', PROGRESS: 'progressbar', SEARCH: 'search',
    SECTION: named('region'), STRONG: 'strong', SUB: 'subscript', SUP: 'superscript', SVG: 'img',
    SELECT: element => (element.multiple || element.size > 1 ? 'listbox' : 'combobox'),
    TABLE: 'table', TBODY: 'rowgroup', TD: roleOfDataCell, TEXTAREA: 'textbox', TFOOT: 'rowgroup',
    TH: roleOfHeaderCell, THEAD: 'rowgroup', TIME: 'time', TR: 'row', UL: 'list',
  };
  Object.setPrototypeOf(IMPLICIT, null);

  // Elements that lose their role with the list or table they belong to, and the parents that make them part
  // of it.
  const PART_OF = {
    DD: ['DL', 'DIV'], DIV: ['DL'], DT: ['DL', 'DIV'], LI: ['OL', 'UL'],
    TABLE: [], TBODY: ['TABLE'], TD: ['TR'], TFOOT: ['TABLE'], TH: ['TR'], THEAD: ['TABLE'],
    TR: ['THEAD', 'TBODY', 'TFOOT', 'TABLE'],
  };
  Object.setPrototypeOf(PART_OF, null);

  const implicitRole = (element, tag) => {
    const rule = IMPLICIT[tag];
    const role = typeof rule === 'function' ? rule(element) : rule;
    if (!role) return null;
    for (let part = element, partTag = tag; PART_OF[partTag];) {
      const whole = parentOrHost(part);
      const wholeTag = whole && tagOf(whole);
      if (!PART_OF[partTag].includes(wholeTag)) break;
      const wholeRole = explicitRole(whole);
      if (isPresentational(wholeRole) && !keepsSemantics(whole, wholeRole)) return wholeRole;
      part = whole;
      partTag = wholeTag;
    }
    return role;
  };

  // null for an element without a role: a <div>, an <a> without href.
  const roleOf = facts => {
    if (facts.role === undefined) facts.role = computeRole(facts);
    return facts.role;
  };
  const computeRole = ({ element, tag }) => {
    const role = explicitRole(element);
    if (!role) return implicitRole(element, tag);
    if (isPresentational(role)) {
      const native = implicitRole(element, tag);
      if (keepsSemantics(element, native)) return native;
    }
    return role;
  };

  troupe.roles = { roleOf, isPresentational, words };
  troupe.role = entry(roleOf);
})(globalThis.troupe);
