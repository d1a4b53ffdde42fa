// The source of an element's name and description. A selector for a parent must not use text that the parent
// has only because it contains the target element.
(troupe => {
  const { attribute, byIds, contains, firstChild, nextSibling, nodeType, nodeValue, tagOf } = troupe.dom;
  const { entry, factsOf } = troupe.facts;
  const { nameOf, newRun, textAlternative, referenced, LABELLED_BY } = troupe.names;

  const takesContent = new Set(troupe.roles.words(`button cell checkbox columnheader gridcell heading link menuitem
    menuitemcheckbox menuitemradio option radio row rowheader switch tab tooltip treeitem`));
  // Their names come from labels and attributes, never from their own text.
  const namedOtherwise = new Set([
    'INPUT', 'OUTPUT', 'TEXTAREA', 'SELECT', 'METER', 'PROGRESS', 'FIELDSET', 'FIGURE', 'IMG', 'AREA',
  ]);

  const labelText = labels => {
    const run = newRun(false, null);
    return labels.map(factsOf).map(facts => textAlternative(facts, referenced(LABELLED_BY, facts), run)).join('');
  };

  const hasOwnText = facts => {
    for (let node = firstChild(facts.element); node; node = nextSibling(node)) {
      if (nodeType(node) === Node.TEXT_NODE && nodeValue(node).trim()) return true;
    }
    return !!(troupe.pseudo.textBefore(facts).trim() || troupe.pseudo.textAfter(facts).trim());
  };

  const isFromContent = facts => {
    const { element } = facts;
    const labels = byIds(element, attribute(element, 'aria-labelledby'));
    if (labels.length && labelText(labels)) return labels.some(label => contains(element, label));
    if (attribute(element, 'aria-label')?.trim()) return false;
    const sources = [];
    nameOf(facts, false, sources);
    if (sources.some(source => source !== element && contains(element, source))) return true;
    if (!sources.includes(element) || namedOtherwise.has(tagOf(element))) return false;
    return (takesContent.has(troupe.role(element)) || tagOf(element) === 'SUMMARY') && hasOwnText(facts);
  };

  // { text, fromContent } of the accessible name.
  troupe.nameAndSource = entry(facts => {
    const text = troupe.name(facts.element);
    return { text, fromContent: !!text && isFromContent(facts) };
  });

  // { text, fromContent } of the accessible description.
  troupe.describe = entry(({ element }) => ({
    text: troupe.description(element),
    fromContent: byIds(element, attribute(element, 'aria-describedby')).some(target => contains(element, target)),
  }));
})(globalThis.troupe);
