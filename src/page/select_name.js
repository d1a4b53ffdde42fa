// A fast rejection before the slow check: most elements of a role can be ruled out without computing their
// name, which costs styles, labels and a walk through their content.
//
// For that, each element gets a sketch of its name, once per call:
//   { texts }      the name is one of these, or a part of one is missing at its ends
//   { scattered }  the letters of the name are among these, in this order
//   { unknown }    undecidable
// All in upper case and without white space, which computing the name adds and removes.
(troupe => {
  const { attribute, textContent, firstElementChild, firstChild, nextSibling, nodeType, nodeValue, matches, tagOf,
    descendants, contains, inDocument } = troupe.dom;
  const { hasAttributes } = Element.prototype;

  const naming = [
    'aria-label', 'title', 'alt', 'placeholder', 'value', 'summary', 'xlink:title', 'aria-valuetext', 'aria-valuenow',
  ];
  const hasNaming = '[aria-label],[*|title],[alt],[placeholder],[value],[summary],[aria-valuetext],[aria-valuenow]';
  const refersElsewhere = '[aria-labelledby],[aria-owns],object,slot';
  const controls = new Set(['INPUT', 'SELECT', 'TEXTAREA', 'BUTTON', 'METER', 'PROGRESS', 'OUTPUT']);
  const namedByBrowser = { submit: 'Submit', image: 'Submit', reset: 'Reset', file: 'Choose File' };
  const manyDescendants = 100;
  const newMap = () => new Map();

  const unknown = { unknown: true };
  const letters = text => (/[\s\u200b\u00ad]/.test(text) ? text.replace(/[\s\u200b\u00ad]+/g, '') : text).toUpperCase();

  const holdsShadow = element => {
    const hosts = troupe.hostsBelow(document);
    return hosts.length > 0 && (hosts.some(host => contains(element, host)) || !contains(document, element));
  };

  // Without attributes, only the tag can make a difference.
  const mayHavePseudo = element => {
    const tag = tagOf(element);
    if (hasAttributes.call(element)) return troupe.pseudoHints.mayHavePseudo(element, tag);
    const byTag = troupe.kept('pseudo by tag', newMap);
    if (!byTag.has(tag)) byTag.set(tag, troupe.pseudoHints.mayHavePseudo(element, tag));
    return byTag.get(tag);
  };

  // Style can replace the content of an element (`content: url(…) / "text"`). Hardly any page does so, which
  // its sheets show: read once, and again when their number of rules changes.
  const readSheets = new WeakMap();
  const replaces = rules => [...rules].some(rule => {
    if (rule.cssRules?.length && replaces(rule.cssRules)) return true;
    if (rule.styleSheet) return sheetReplaces(rule.styleSheet);
    const content = rule.style?.content;
    return !!content && content !== 'normal' && content !== 'none' && !/:(?:before|after)\b/i.test(rule.selectorText ?? '');
  });
  const sheetReplaces = sheet => {
    try {
      const { length } = sheet.cssRules;
      const known = readSheets.get(sheet);
      if (known?.length === length) return known.answer;
      const answer = replaces(sheet.cssRules);
      readSheets.set(sheet, { length, answer });
      return answer;
    } catch {
      return true;  // a sheet of another origin
    }
  };
  const anyReplaced = () => troupe.kept('any replaced', () => troupe.treesBelow(document).some(tree => {
    const lists = tree === document
      ? [inDocument.sheets(), inDocument.adoptedSheets()] : [tree.styleSheets, tree.adoptedStyleSheets];
    return lists.some(list => [...list].some(sheetReplaces));
  }));
  const mayBeReplaced = element => {
    const isStyled = hasAttributes.call(element) && attribute(element, 'style')?.includes('content');
    return (isStyled || anyReplaced()) && !['normal', 'none'].includes(getComputedStyle(element).content);
  };

  const attributesOf = element => matches(element, hasNaming)
    ? naming.map(name => attribute(element, name)).filter(Boolean) : [];
  const fields = new Set(['INPUT', 'SELECT', 'TEXTAREA']);
  const valuesOf = (element, tag) => fields.has(tag)
    ? [element.value, namedByBrowser[element.type]].filter(Boolean) : [];

  const isNamedElsewhere = (element, tag) =>
    matches(element, refersElsewhere) || (controls.has(tag) && labelsOf(element).length > 0);

  // All content that may become part of the name, in order; null if the name may come from elsewhere.
  const gather = element => {
    let text = '';
    for (let node = firstChild(element); node; node = nextSibling(node)) {
      const type = nodeType(node);
      if (type === Node.TEXT_NODE) {
        text += nodeValue(node);
      } else if (type === Node.ELEMENT_NODE) {
        const tag = tagOf(node);
        if (mayHavePseudo(node) || mayBeReplaced(node) || isNamedElsewhere(node, tag)) return null;
        if (hasAttributes.call(node)) text += attributesOf(node).join('');
        const inside = gather(node);
        if (inside === null) return null;
        text += valuesOf(node, tag).join('') + inside;
      }
    }
    return text;
  };

  const sketchContent = element => {
    if (mayHavePseudo(element) || mayBeReplaced(element) || holdsShadow(element)) return unknown;
    if (!firstElementChild(element)) return { texts: [letters(textContent(element))] };
    if (descendants(element).length > manyDescendants) return unknown;
    // Hidden children are not part of a name, so its letters need not be adjacent.
    const text = gather(element);
    return text === null ? unknown : { scattered: letters(text) };
  };

  const labelsOf = element => {
    const anyLabels = troupe.kept('any labels', () => troupe.nativeAny(document, 'label'));
    return anyLabels ? troupe.labelsOf(element) : [];
  };

  const sketch = element => {
    const tag = tagOf(element);
    const isControl = controls.has(tag);
    const isBare = !hasAttributes.call(element);
    if (!isBare || tag === 'SLOT' || tag === 'OBJECT') {
      if (matches(element, refersElsewhere)) return unknown;
    }
    const labels = isControl ? labelsOf(element) : [];
    if (labels.length > 1 || labels.some(label => matches(label, refersElsewhere))) return unknown;
    const content = sketchContent(labels[0] ?? element);
    if (content.unknown || (isBare && !isControl)) return content;
    const others = isBare ? valuesOf(element, tag) : [...attributesOf(element), ...valuesOf(element, tag)];
    for (const label of labels) others.push(textContent(element), ...attributesOf(label));
    return others.length ? { ...content, texts: [...(content.texts ?? []), ...others.map(letters)] } : content;
  };

  const isSubsequence = (part, text) => {
    let at = -1;
    for (const letter of part) {
      at = text.indexOf(letter, at + 1);
      if (at < 0) return false;
    }
    return true;
  };

  // False only if the accessible name of `element` cannot match `wanted` (a name of parseRole).
  troupe.nameMayFit = (element, wanted) => {
    if (typeof wanted.value !== 'string') return true;
    const sketches = troupe.kept('name sketches', newMap);
    let made = sketches.get(element);
    if (!made) sketches.set(element, made = sketch(element));
    if (made.unknown) return true;
    const part = wanted.letters ??= letters(wanted.value);
    const { texts, scattered } = made;
    if (texts) {
      for (let i = 0; i < texts.length; i++) {
        if (texts[i].includes(part)) return true;
      }
    }
    return scattered !== undefined && isSubsequence(part, scattered);
  };
})(globalThis.troupe);
