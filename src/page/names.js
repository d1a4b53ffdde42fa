// Accessible names, after "Accessible Name and Description Computation" (accname) with the deviations that
// browsers share: steps are named as there (2A … 2I).
//
// One computation is a `run`: its number marks visited elements; it records whether hidden ones count and, on
// request, the sources: every element that contributed text. `how` is the capacity in which an element is
// visited; a reference to a hidden one makes hidden content count below.
(troupe => {
  const { attribute, nodeType, nodeValue, firstChild, nextSibling, textContent, shadowOf, slotOf,
    byIds, matches, all } = troupe.dom;
  const { entry, factsOf, isHidden, neverExposed } = troupe.facts;
  const { textBefore, textAfter, replacementText } = troupe.pseudo;
  const { roleOf, isPresentational, words } = troupe.roles;

  const LABELLED_BY = 1;    // named by aria-labelledby (or an SVG title)
  const DESCRIBED_BY = 2;   // named by aria-describedby or aria-errormessage
  const LABEL = 4;          // a <label> of the control
  const NATIVE = 8;         // a <legend>, <caption>, <figcaption>
  const TARGET = 16;        // the element whose name is wanted
  const INSIDE = 32;        // below that element
  const REFERENCED = LABELLED_BY | DESCRIBED_BY | LABEL | NATIVE;
  const hiddenVariant = bit => bit << 8;
  const ANY_HIDDEN = REFERENCED << 8;

  const referenced = (bit, facts) => (isHidden(facts) ? bit | hiddenVariant(bit) : bit);
  const below = how => (how & TARGET ? (how & ~TARGET) | INSIDE : how);
  const withReference = (how, bit, facts) =>
    (how & ~hiddenVariant(bit)) | referenced(bit, facts);

  const setOf = text => new Set(words(text));
  const NAMED_BY_CONTENT = setOf(`button cell checkbox columnheader gridcell heading link menuitem
    menuitemcheckbox menuitemradio option radio row rowheader switch tab tooltip treeitem`);
  const LENDS_CONTENT = setOf(`caption code contentinfo definition deletion emphasis insertion list
    listitem mark none paragraph presentation region row rowgroup section strong subscript superscript
    table term time`);
  const NEVER_NAMED = setOf(`caption code definition deletion emphasis generic insertion mark
    paragraph presentation strong subscript suggestion superscript term time`);
  const RANGES = setOf('meter progressbar scrollbar slider spinbutton');

  let runs = 0;
  const newRun = (includeHidden, sources) => ({ number: ++runs, includeHidden, sources });

  const lend = (text, element, run) => {
    if (!text) return '';
    run.sources?.push(element);
    return text;
  };

  const labelledBy = element => {
    const ids = attribute(element, 'aria-labelledby');
    if (ids === null) return null;
    const elements = byIds(element, ids);
    return elements.length ? elements : null;
  };

  // The text alternative of one element, the recursive heart of accname.
  const textAlternative = (facts, how, run) => {
    const { element, tag } = facts;
    if (facts.seenBy === run.number) return '';

    // 2A: hidden, unless reached through a reference to something hidden.
    if (!run.includeHidden && (neverExposed(tag) || (!(how & ANY_HIDDEN) && isHidden(facts)))) {
      facts.seenBy = run.number;
      return '';
    }

    // 2B: aria-labelledby, which is not followed twice.
    const labels = labelledBy(element);
    if (labels && !(how & LABELLED_BY)) {
      const text = labels.map(label => {
        const labelFacts = factsOf(label);
        return textAlternative(labelFacts, referenced(LABELLED_BY, labelFacts), run);
      }).join(' ');
      if (text) return text;
    }

    const role = roleOf(facts) ?? '';

    // 2C: a control inside a label contributes its value.
    if (how & (LABEL | LABELLED_BY | INSIDE) && !labels?.includes(element)) {
      const value = valueOfControl(facts, role, how, run);
      if (value !== undefined) return value;
    }

    // 2D
    const label = attribute(element, 'aria-label');
    if (label && label.trim()) {
      facts.seenBy = run.number;
      return lend(label, element, run);
    }

    // 2E: the host language's own means.
    if (!isPresentational(role)) {
      const native = troupe.nativeAlternative(facts, how, run, labels !== null);
      if (native !== undefined) return native;
    }

    // 2F, 2G, 2H: content.
    const fromContent =
      how & REFERENCED ||
      NAMED_BY_CONTENT.has(role) ||
      (how & INSIDE && (role === '' || LENDS_CONTENT.has(role))) ||
      (tag === 'SUMMARY' && !isPresentational(role));
    if (fromContent) {
      facts.seenBy = run.number;
      const mark = run.sources?.length;
      const text = contentText(facts, below(how), run);
      if (how & TARGET ? text.trim() : text) return lend(text, element, run);
      if (run.sources) run.sources.length = mark;
    }

    // 2I: the tooltip.
    facts.seenBy = run.number;
    if (!isPresentational(role) || tag === 'IFRAME' || tag === 'FRAME') {
      const title = attribute(element, 'title');
      if (title && title.trim()) return lend(title, element, run);
    }
    return '';
  };

  const valueOfControl = (facts, role, how, run) => {
    const { element, tag } = facts;
    if (role === 'textbox' || role === 'searchbox') {
      facts.seenBy = run.number;
      const isField = tag === 'INPUT' || tag === 'TEXTAREA';
      return lend(isField ? element.value : textContent(element), element, run);
    }
    if (role === 'combobox' || role === 'listbox') {
      facts.seenBy = run.number;
      const options = chosenOptions(facts, role);
      if (!options.length && tag === 'INPUT') return lend(element.value, element, run);
      return options.map(option => textAlternative(factsOf(option), below(how), run)).join(' ');
    }
    if (RANGES.has(role)) {
      facts.seenBy = run.number;
      const value = attribute(element, 'aria-valuetext') ?? attribute(element, 'aria-valuenow') ??
        attribute(element, 'value');
      return lend(value, element, run);
    }
    if (role === 'menu') {
      facts.seenBy = run.number;
      return '';
    }
    return undefined;
  };

  const chosenOptions = ({ element, tag }, role) => {
    if (tag === 'SELECT') {
      const chosen = [...element.selectedOptions];
      return chosen.length || !element.options.length ? chosen : [element.options[0]];
    }
    const listbox = role === 'listbox'
      ? element : withOwned(element, '*').find(other => roleOf(factsOf(other)) === 'listbox');
    if (!listbox) return [];
    return withOwned(listbox, '[aria-selected="true"]')
      .filter(other => roleOf(factsOf(other)) === 'option');
  };

  // Matching descendants, including those of elements added by aria-owns.
  const withOwned = (element, selector) => {
    const found = [...all(element, selector)];
    for (const owned of byIds(element, attribute(element, 'aria-owns'))) {
      if (matches(owned, selector)) found.push(owned);
      found.push(...all(owned, selector));
    }
    return found;
  };

  // 2H: the text of everything shown inside, with a space around content that does not flow with the text.
  const contentText = (facts, how, run) => {
    const { element } = facts;
    let text = textBefore(facts);
    const replacement = replacementText(facts);
    if (replacement !== null) return text + replacement + textAfter(facts);

    const assigned = facts.tag === 'SLOT' ? element.assignedNodes() : [];
    if (assigned.length) {
      for (const node of assigned) text += nodeText(node, how, run);
    } else {
      const shadow = shadowOf(element);
      text += childrenText(element, shadow !== null, how, run);
      if (shadow) text += childrenText(shadow, false, how, run);
      for (const owned of byIds(element, attribute(element, 'aria-owns')))
        if (!slotOf(owned)) text += nodeText(owned, how, run);
    }
    return text + textAfter(facts);
  };

  const childrenText = (parent, isHost, how, run) => {
    let text = '';
    for (let node = firstChild(parent); node; node = nextSibling(node))
      if (!isHost || !slotOf(node)) text += nodeText(node, how, run);
    return text;
  };

  const nodeText = (node, how, run) => {
    const type = nodeType(node);
    if (type === 3) return nodeValue(node);
    if (type !== 1) return '';
    const facts = factsOf(node);
    const text = textAlternative(facts, how, run);
    const flows = (facts.display || 'inline') === 'inline' && facts.tag !== 'BR';
    return flows ? text : ' ' + text + ' ';
  };

  // The raw name, not yet flattened. `sources` (optional) receives the elements it came from.
  const nameOf = (facts, includeHidden, sources) => {
    if (NEVER_NAMED.has(roleOf(facts))) return '';
    return textAlternative(facts, TARGET, newRun(includeHidden, sources));
  };

  troupe.names = {
    textAlternative, nameOf, newRun, referenced, withReference, below, lend, LABELLED_BY, DESCRIBED_BY,
    LABEL, NATIVE,
  };
  troupe.name = entry((facts, includeHidden = false) =>
    troupe.flatten(nameOf(facts, includeHidden, null)));
})(globalThis.troupe);
