// A quick no before the slow yes: most elements of a role can be told not to have a wanted name without
// computing their name, which costs styles, labels and a walk through their content.
//
// For that, each element gets a sketch of its name, once a call:
//   { texts }      the name is one of these, or a part of one is missing at its ends
//   { scattered }  the letters of the name are among these, in this order
//   { unknown }    no telling
// All without white space, which names gain and lose on the way.
(troupe => {
  const { attribute, textContent, firstElementChild, firstChild, nextSibling, nodeType, nodeValue, matches, tagOf,
    descendants, contains } = troupe.dom;
  const { hasAttributes } = Element.prototype;

  const naming = ['aria-label', 'title', 'alt', 'placeholder', 'value', 'summary', 'xlink:title', 'aria-valuetext', 'aria-valuenow'];
  const hasNaming = '[aria-label],[title],[alt],[placeholder],[value],[summary],[aria-valuetext],[aria-valuenow]';
  const refersElsewhere = '[aria-labelledby],[aria-owns],object,slot';
  const controls = new Set(['INPUT', 'SELECT', 'TEXTAREA', 'BUTTON', 'METER', 'PROGRESS', 'OUTPUT']);
  const namedByBrowser = { submit: 'Submit', image: 'Submit', reset: 'Reset', file: 'Choose File' };
  const manyDescendants = 100;

  const unknown = { unknown: true };
  const letters = text => /[\s\u200b\u00ad]/.test(text) ? text.replace(/[\s\u200b\u00ad]+/g, '') : text;

  const holdsShadow = element => {
    const hosts = troupe.hostsBelow(document);
    return hosts.length > 0 && (hosts.some(host => contains(element, host)) || !contains(document, element));
  };
  // Without attributes, only the tag can make a difference.
  const mayHavePseudo = element => {
    const tag = tagOf(element);
    if (hasAttributes.call(element)) return troupe.pseudoHints.mayHavePseudo(element, tag);
    const byTag = troupe.kept('pseudo by tag', () => new Map());
    if (!byTag.has(tag)) byTag.set(tag, troupe.pseudoHints.mayHavePseudo(element, tag));
    return byTag.get(tag);
  };

  const attributesOf = element => matches(element, hasNaming) ? naming.map(name => attribute(element, name)).filter(Boolean) : [];
  const fields = new Set(['INPUT', 'SELECT', 'TEXTAREA']);
  const valuesOf = (element, tag) => fields.has(tag) ? [element.value, namedByBrowser[element.type]].filter(Boolean) : [];

  // Everything inside that may become a part of the name, in order; null if it may come from elsewhere.
  const gather = element => {
    let text = '';
    for (let node = firstChild(element); node; node = nextSibling(node)) {
      const type = nodeType(node);
      if (type === Node.TEXT_NODE) {
        text += nodeValue(node);
      } else if (type === Node.ELEMENT_NODE) {
        const tag = tagOf(node);
        if (mayHavePseudo(node) || matches(node, refersElsewhere)) return null;
        if (hasAttributes.call(node)) text += attributesOf(node).join('');
        const inside = gather(node);
        if (inside === null) return null;
        text += valuesOf(node, tag).join('') + inside;
      }
    }
    return text;
  };

  const sketchContent = element => {
    if (mayHavePseudo(element) || holdsShadow(element)) return unknown;
    if (!firstElementChild(element)) return { texts: [letters(textContent(element))] };
    if (descendants(element).length > manyDescendants) return unknown;
    // Hidden children are left out of a name, so its letters need not stand together.
    const text = gather(element);
    return text === null ? unknown : { scattered: letters(text) };
  };

  const sketch = element => {
    const tag = tagOf(element);
    const isControl = controls.has(tag);
    if (!isControl && !hasAttributes.call(element)) return tag === 'SLOT' ? unknown : sketchContent(element);
    if (matches(element, refersElsewhere)) return unknown;
    const labels = isControl ? troupe.labelsOf(element) : [];
    if (labels.length > 1) return unknown;
    const content = sketchContent(labels[0] ?? element);
    if (content.unknown) return content;
    const others = [...attributesOf(element), ...valuesOf(element, tag), ...(labels.length ? [textContent(element)] : [])];
    return others.length ? { ...content, texts: [...(content.texts ?? []), ...others.map(letters)] } : content;
  };

  const sketchOf = element => {
    const known = troupe.kept('name sketches', () => new Map());
    let made = known.get(element);
    if (!made) known.set(element, made = sketch(element));
    return made;
  };

  const isSubsequence = (part, text) => {
    let at = -1;
    for (const letter of part) {
      at = text.indexOf(letter, at + 1);
      if (at < 0) return false;
    }
    return true;
  };

  // The same in upper case, for names whose case does not matter.
  const upper = made => made.upper ??= {
    texts: made.texts?.map(text => text.toUpperCase()),
    scattered: made.scattered?.toUpperCase(),
  };

  // False only if the accessible name of `element` cannot be what `wanted` (a name of parseRole) asks for.
  troupe.nameMayFit = (element, wanted) => {
    if (typeof wanted.value !== 'string') return true;
    const made = sketchOf(element);
    if (made.unknown) return true;
    const part = wanted.letters ??= letters(wanted.exact ? wanted.value : wanted.value.toUpperCase());
    const { texts, scattered } = wanted.exact ? made : upper(made);
    return !!texts?.some(text => text.includes(part)) || (scattered !== undefined && isSubsequence(part, scattered));
  };
})(globalThis.troupe);
