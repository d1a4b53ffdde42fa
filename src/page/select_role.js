// role=button[name="Save"] and getByRole(): elements by ARIA role, state, name and description.
(troupe => {
  const invalid = message => troupe.fail('INVALID_SELECTOR', message);

  // The roles that may carry a state; asking any other role for it is an error and not an empty answer.
  const rolesWith = {
    selected: ['gridcell', 'option', 'row', 'tab', 'rowheader', 'columnheader', 'treeitem'],
    checked: ['checkbox', 'menuitemcheckbox', 'option', 'radio', 'switch', 'menuitemradio', 'treeitem'],
    pressed: ['button'],
    expanded: [
      'application', 'button', 'checkbox', 'combobox', 'gridcell', 'link', 'listbox', 'menuitem', 'row', 'rowheader',
      'tab', 'treeitem', 'columnheader', 'menuitemcheckbox', 'menuitemradio', 'rowheader', 'switch',
    ],
    level: ['heading', 'listitem', 'row', 'treeitem'],
  };
  const states = {
    selected: [true, false],
    checked: [true, false, 'mixed'],
    pressed: [true, false, 'mixed'],
    expanded: [true, false],
    disabled: [true, false],
    'include-hidden': [true, false],
  };
  const quoted = words => words.map(word => JSON.stringify(word)).join(', ');
  const everyAttribute = [...Object.keys(states), 'level', 'name', 'description'].sort();

  const checkRole = (state, role) => {
    const roles = rolesWith[state];
    if (roles && !roles.includes(role)) {
      throw invalid(`"${state}" attribute is only supported for roles: ${quoted([...roles].sort())}`);
    }
  };

  const readState = ({ name, op, value }) => {
    if (op === 'truthy') return true;
    if (!states[name].includes(value)) throw invalid(`"${name}" must be one of ${quoted(states[name])}`);
    if (op !== '=') throw invalid(`"${name}" does not support "${op}" matcher`);
    return value;
  };

  const readLevel = ({ op, value }) => {
    const level = typeof value === 'string' ? Number(value) : NaN;
    if (op !== '=' || Number.isNaN(level)) throw invalid('"level" attribute must be compared to a number');
    return level;
  };

  // `internal` is getByRole's variant, where a name that is not exact matches a part of the name.
  const readText = ({ name, op, value, exact }, internal) => {
    if (op === 'truthy') throw invalid(`"${name}" attribute must have a value`);
    if (typeof value !== 'string' && !(value instanceof RegExp)) {
      throw invalid(`"${name}" attribute must be a string or a regular expression`);
    }
    return {
      op: internal && !exact && op === '=' ? '*=' : op,
      value: typeof value === 'string' ? troupe.squeeze(value) : value,
      exact,
    };
  };

  // { role, name?, description?, and any of the states }
  troupe.parseRole = (body, internal) => {
    const parsed = troupe.parseAttributes(body);
    const wanted = { role: parsed.name.toLowerCase() };
    if (!wanted.role) throw invalid('Role must not be empty');
    for (const attribute of parsed.attributes) {
      const { name } = attribute;
      checkRole(name, wanted.role);
      if (name in states) wanted[name] = readState(attribute);
      else if (name === 'level') wanted.level = readLevel(attribute);
      else if (name === 'name' || name === 'description') wanted[name] = readText(attribute, internal);
      else throw invalid(`Unknown attribute "${name}", must be one of ${quoted(everyAttribute)}.`);
    }
    return wanted;
  };

  // Tags with an implicit role. Every other element needs a role attribute.
  const tagsByRole = {
    article: 'article', banner: 'header', blockquote: 'blockquote', button: 'button,input', caption: 'caption',
    cell: 'td', checkbox: 'input', code: 'code', columnheader: 'th', combobox: 'input,select',
    complementary: 'aside', contentinfo: 'footer', definition: 'dd', deletion: 'del', dialog: 'dialog',
    document: 'html', emphasis: 'em', figure: 'figure', form: 'form', group: 'details,fieldset,optgroup',
    gridcell: 'td', heading: 'h1,h2,h3,h4,h5,h6', img: 'img,svg', insertion: 'ins', link: 'a,area',
    list: 'menu,ol,ul', listbox: 'datalist,select', listitem: 'li', main: 'main', mark: 'mark', math: 'math',
    meter: 'meter', navigation: 'nav', option: 'option', paragraph: 'p', progressbar: 'progress', radio: 'input',
    region: 'section', row: 'tr', rowgroup: 'tbody,tfoot,thead', rowheader: 'th', search: 'search',
    searchbox: 'input', separator: 'hr', slider: 'input', spinbutton: 'input', status: 'output', strong: 'strong',
    subscript: 'sub', superscript: 'sup', switch: 'input', table: 'table', term: 'dfn,dt', textbox: 'input,textarea',
    time: 'time',
  };

  // CSS that matches every element of a role, and few others. Tags inherit `none` from a parent's role.
  const cssForRole = role => {
    if (role === 'none' || role === 'presentation') return '*';
    return `${tagsByRole[role] ? `${tagsByRole[role]},` : ''}[role]`;
  };

  // Every element below `root` that may have the role, in selector order.
  troupe.mayHaveRole = (root, role) => {
    const lists = troupe.kept('role lists', () => new Map());
    if (!lists.has(root)) lists.set(root, new Map());
    const byRole = lists.get(root);
    if (!byRole.has(role)) byRole.set(role, troupe.nativeAll(root, cssForRole(role)));
    return byRole.get(role);
  };

  const hasStates = (element, wanted) =>
    (wanted.selected === undefined || troupe.selected(element) === wanted.selected)
    && (wanted.checked === undefined || troupe.checked(element) === wanted.checked)
    && (wanted.pressed === undefined || troupe.pressed(element) === wanted.pressed)
    && (wanted.expanded === undefined || troupe.expanded(element) === wanted.expanded)
    && (wanted.level === undefined || troupe.level(element) === wanted.level)
    && (wanted.disabled === undefined || troupe.disabled(element) === wanted.disabled);

  // Whether an element satisfies parseRole's result; cheap checks come first.
  troupe.isRole = (element, wanted) => {
    const { name, description } = wanted;
    const withHidden = !!wanted['include-hidden'];
    if (name && !troupe.nameMayFit(element, name)) return false;
    if (troupe.role(element) !== wanted.role) return false;
    if (!hasStates(element, wanted)) return false;
    if (!withHidden && troupe.isHiddenForAria(element)) return false;
    if (name && !troupe.attributeFits(troupe.squeeze(troupe.name(element, withHidden)), name)) return false;
    return !description
      || troupe.attributeFits(troupe.squeeze(troupe.description(element, withHidden)), description);
  };

  troupe.roleAll = (root, body, internal) => {
    const wanted = troupe.parseRole(body, internal);
    return troupe.mayHaveRole(root, wanted.role).filter(element => troupe.isRole(element, wanted));
  };
})(globalThis.troupe);
