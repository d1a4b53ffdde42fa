// States and properties, each for the roles that support it.
(troupe => {
  const { attribute, has, closest, contains, firstElementChild, nextElementSibling, parentOrHost,
    tagOf } = troupe.dom;
  const { entry, factsOf } = troupe.facts;
  const { roleOf, words } = troupe.roles;

  const setOf = text => new Set(words(text));
  const CHECKABLE = setOf('checkbox menuitemcheckbox menuitemradio option radio switch treeitem');
  const CAN_DISABLE = setOf(`application button checkbox columnheader combobox grid gridcell group
    link listbox menu menubar menuitem menuitemcheckbox menuitemradio option radio radiogroup row
    rowheader scrollbar searchbox separator slider spinbutton switch tab tablist textbox toolbar tree
    treegrid treeitem`);
  const EXPANDABLE = setOf(`application button checkbox columnheader combobox gridcell link listbox
    menuitem menuitemcheckbox menuitemradio row rowheader switch tab treeitem`);
  const CAN_BE_INVALID = setOf(`application checkbox columnheader combobox gridcell listbox radiogroup
    rowheader searchbox slider spinbutton switch textbox tree`);
  const LEVELED = setOf('heading listitem row treeitem');
  const SELECTABLE = setOf('columnheader gridcell option row rowheader tab treeitem');
  const CAN_BE_READONLY = setOf(`checkbox columnheader combobox grid gridcell listbox radiogroup
    rowheader searchbox slider spinbutton switch textbox treegrid`);

  const isTrue = (element, name) => attribute(element, name)?.toLowerCase() === 'true';

  // true, false or 'mixed'; undefined for elements that cannot be checked.
  const checkedOf = facts => {
    const { element } = facts;
    if (facts.tag === 'INPUT') {
      if (element.indeterminate) return 'mixed';
      if (element.type === 'checkbox' || element.type === 'radio') return element.checked;
    }
    if (!CHECKABLE.has(roleOf(facts))) return undefined;
    const value = attribute(element, 'aria-checked');
    return value === 'mixed' ? 'mixed' : value === 'true';
  };

  const pressedOf = facts => {
    if (roleOf(facts) !== 'button') return false;
    const value = attribute(facts.element, 'aria-pressed');
    return value === 'mixed' ? 'mixed' : value === 'true';
  };

  // undefined if not specified.
  const expandedOf = facts => {
    if (facts.tag === 'DETAILS') return facts.element.open;
    if (!EXPANDABLE.has(roleOf(facts))) return undefined;
    const value = attribute(facts.element, 'aria-expanded');
    return value === null ? undefined : value === 'true';
  };

  const selectedOf = facts => {
    if (facts.tag === 'OPTION') return facts.element.selected;
    return SELECTABLE.has(roleOf(facts)) && isTrue(facts.element, 'aria-selected');
  };

  // 0 if there is none.
  const levelOf = facts => {
    const { tag } = facts;
    if (tag.length === 2 && tag[0] === 'H' && tag[1] >= '1' && tag[1] <= '6') return Number(tag[1]);
    if (!LEVELED.has(roleOf(facts))) return 0;
    const level = Number(attribute(facts.element, 'aria-level') ?? 0);
    return Number.isInteger(level) && level >= 1 ? level : 0;
  };

  // false, true, 'grammar' or 'spelling'.
  const invalidOf = facts => {
    const value = attribute(facts.element, 'aria-invalid');
    if (!value || value.trim() === '' || value.toLowerCase() === 'false') return false;
    return value === 'grammar' || value === 'spelling' ? value : true;
  };

  // Disabled as HTML defines it: the attribute, an <optgroup>, or a <fieldset> outside its legend.
  const CONTROLS = setOf('BUTTON INPUT OPTGROUP OPTION SELECT TEXTAREA');
  const isNativelyDisabled = element => {
    const tag = tagOf(element);
    if (!CONTROLS.has(tag)) return false;
    if (has(element, 'disabled')) return true;
    if (tag === 'OPTION' && closest(element, 'optgroup[disabled]')) return true;
    const fieldset = closest(element, 'fieldset[disabled]');
    if (!fieldset) return false;
    let legend = firstElementChild(fieldset);
    while (legend && tagOf(legend) !== 'LEGEND') legend = nextElementSibling(legend);
    return !legend || !contains(legend, element);
  };

  // aria-disabled applies to all descendants, until one overrides it.
  const inheritsAriaDisabled = facts => {
    if (facts.ariaDisabled === undefined) {
      const value = attribute(facts.element, 'aria-disabled')?.toLowerCase();
      const parent = value === 'true' || value === 'false' ? null : parentOrHost(facts.element);
      facts.ariaDisabled = parent ? inheritsAriaDisabled(factsOf(parent)) : value === 'true';
    }
    return facts.ariaDisabled;
  };

  const disabledOf = facts =>
    isNativelyDisabled(facts.element) ||
    (CAN_DISABLE.has(roleOf(facts)) && inheritsAriaDisabled(facts));

  // undefined for elements that cannot be read-only.
  const readonlyOf = facts => {
    const { element, tag } = facts;
    if (tag === 'INPUT' || tag === 'TEXTAREA' || tag === 'SELECT') return has(element, 'readonly');
    if (CAN_BE_READONLY.has(roleOf(facts))) return attribute(element, 'aria-readonly') === 'true';
    return element.isContentEditable ? false : undefined;
  };

  // The states that a snapshot prints after the name, in its order. Most roles have none.
  const PRINTERS = new Map();
  const printerFor = (roles, print) => {
    for (const role of roles) {
      if (!PRINTERS.has(role)) PRINTERS.set(role, []);
      PRINTERS.get(role).push(print);
    }
  };
  const flag = (name, value) => (value ? value === true ? ` [${name}]` : ` [${name}=${value}]` : '');
  const active = (facts, isActive) => (isActive ? ' [active]' : '');
  printerFor(CHECKABLE, facts => flag('checked', checkedOf(facts)));
  printerFor(CAN_DISABLE, facts => flag('disabled', disabledOf(facts)));
  printerFor(EXPANDABLE, facts => flag('expanded', expandedOf(facts)));
  printerFor(new Set([...PRINTERS.keys(), ...CAN_BE_INVALID, ...LEVELED, ...SELECTABLE]), active);
  printerFor(CAN_BE_INVALID, facts => flag('invalid', invalidOf(facts)));
  printerFor(LEVELED, facts => flag('level', levelOf(facts)));
  printerFor(['button'], facts => flag('pressed', pressedOf(facts)));
  printerFor(SELECTABLE, facts => flag('selected', selectedOf(facts)));

  const printedStates = (facts, role, isActive) => {
    const printers = PRINTERS.get(role);
    if (!printers) return active(facts, isActive);
    let text = '';
    for (const print of printers) text += print(facts, isActive);
    return text;
  };

  troupe.states = { printedStates };
  troupe.isNativelyDisabled = isNativelyDisabled;
  troupe.checked = entry(checkedOf);
  troupe.pressed = entry(pressedOf);
  troupe.expanded = entry(expandedOf);
  troupe.selected = entry(selectedOf);
  troupe.level = entry(levelOf);
  troupe.disabled = entry(disabledOf);
  troupe.readonly = entry(readonlyOf);
  troupe.invalid = entry(invalidOf);
})(globalThis.troupe);
