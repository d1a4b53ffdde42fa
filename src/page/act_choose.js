// Choosing: options of a <select>, checkboxes and radio buttons.
(troupe => {
  const { isConnected, tagOf } = troupe.dom;

  const hasLabel = (option, label) => label === option.label || troupe.squeeze(label) === troupe.squeeze(option.label);

  // A wanted option is its value or label as a string, or {value, label, index} of which all must match.
  const isWanted = (option, index, wanted) => {
    if (typeof wanted === 'string') return option.value === wanted || hasLabel(option, wanted);
    return (wanted.value === undefined || option.value === wanted.value)
      && (wanted.label === undefined || hasLabel(option, wanted.label))
      && (wanted.index === undefined || index === wanted.index);
  };

  // Finds the options, all of them or none; a single select takes the first option that matches any wish.
  const findOptions = (select, wishes) => {
    let open = wishes;
    const found = [];
    for (const [index, option] of [...select.options].entries()) {
      if (!open.some(wanted => isWanted(option, index, wanted))) continue;
      if (troupe.disabled(option)) return troupe.notYet('option being selected is not enabled');
      found.push(option);
      open = select.multiple ? open.filter(wanted => !isWanted(option, index, wanted)) : [];
      if (!select.multiple) break;
    }
    return open.length ? troupe.notYet('did not find some options') : { ok: true, found };
  };

  // Selects exactly these options and returns {ok, values}.
  troupe.selectOptions = (element, wishes, { force, ...options } = {}) => {
    if (!isConnected(element)) return troupe.detached();
    if (!force) {
      const ready = troupe.checkNow(element, ['visible', 'enabled'], options);
      if (!ready.ok) return ready;
    }
    const select = troupe.retarget(element, 'control');
    if (tagOf(select) !== 'SELECT') return troupe.never('Element is not a <select> element');
    const chosen = findOptions(select, wishes);
    if (!chosen.ok) return chosen;
    select.value = undefined;
    for (const option of chosen.found) option.selected = true;
    troupe.announceChange(select);
    return { ok: true, values: chosen.found.map(option => option.value) };
  };

  const keepsItsChoice = 'Cannot uncheck radio button. '
    + 'Radio buttons can only be unchecked by selecting another radio button in the same group.';

  // How to get a checkbox, switch or radio button into the `wanted` state: {ok, click: true}, or {ok, click:
  // false} if it already is. Called again after the click, `clicked: true` makes an unchanged state an error.
  troupe.setChecked = (element, wanted, { clicked } = {}) => {
    const state = troupe.checkNow(element, [wanted ? 'checked' : 'unchecked']);
    if (state.ok) return { ok: true, click: false };
    if (state.error || state.detached) return state;
    if (clicked) return troupe.never('Clicking the checkbox did not change its state');
    const control = troupe.retarget(element, 'control');
    if (!wanted && tagOf(control) === 'INPUT' && control.type === 'radio') return troupe.never(keepsItsChoice);
    return { ok: true, click: true };
  };
})(globalThis.troupe);
