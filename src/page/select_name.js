// A quick no before the slow yes: most elements of a role can be told not to have a wanted name without
// computing their name, which costs styles, labels and a walk through their content.
//
// For that, each element gets a sketch of its name, once a call:
//   { texts }      the name is one of these, or a part of one is missing at its ends
//   { scattered }  the letters of the name are among these, in this order
//   { unknown }    no telling
// All without white space, which names gain and lose on the way.
(troupe => {
  const { attribute, textContent, firstElementChild, firstChild, nextSibling, nodeType, nodeValue, matches, all, tagOf,
    descendants, contains } = troupe.dom;

  const naming = ['aria-label', 'title', 'alt', 'placeholder', 'value', 'summary', 'xlink:title', 'aria-valuetext', 'aria-valuenow'];
  const hasNaming = '[aria-label],[title],[alt],[placeholder],[value],[summary],[aria-valuetext],[aria-valuenow]';
  const refersElsewhere = '[aria-labelledby],[aria-owns],object,slot';
  // Anything that gives a name other letters than those of the text.
  const addsText = `${hasNaming},${refersElsewhere},input,select,textarea,svg`;
  const controls = new Set(['INPUT', 'SELECT', 'TEXTAREA', 'BUTTON', 'METER', 'PROGRESS', 'OUTPUT']);
  const namedByBrowser = { submit: 'Submit', image: 'Submit', reset: 'Reset', file: 'Choose File' };
  const manyDescendants = 100;

  const unknown = { unknown: true };
  const letters = text => /[\s\u200b\u00ad]/.test(text) ? text.replace(/[\s\u200b\u00ad]+/g, '') : text;

  const holdsShadow = element => {
    const hosts = troupe.hostsBelow(document);
    return hosts.length > 0 && (hosts.some(host => contains(element, host)) || !contains(document, element));
  };
  const mayHavePseudo = element => troupe.pseudoHints.mayHavePseudo(element, tagOf(element));

  const attributesOf = element => naming.map(name => attribute(element, name)).filter(Boolean);
  const valueOf = element => controls.has(tagOf(element)) && typeof element.value === 'string' ? element.value : '';

  // Everything inside that may become a part of the name, in order.
  const gather = element => {
    let text = matches(element, addsText) ? attributesOf(element).join('') + valueOf(element) : '';
    for (let node = firstChild(element); node; node = nextSibling(node)) {
      const type = nodeType(node);
      if (type === Node.TEXT_NODE) text += nodeValue(node);
      else if (type === Node.ELEMENT_NODE) text += gather(node);
    }
    return text;
  };

  const sketchContent = element => {
    if (holdsShadow(element) || mayHavePseudo(element)) return unknown;
    if (!firstElementChild(element)) return { texts: [letters(textContent(element))] };
    const inside = descendants(element);
    if (inside.length > manyDescendants || all(element, refersElsewhere).length) return unknown;
    for (let i = 0; i < inside.length; i++) {
      if (mayHavePseudo(inside[i])) return unknown;
    }
    // Hidden children are left out of a name, so its letters need not stand together.
    return { scattered: letters(all(element, addsText).length ? gather(element) : textContent(element)) };
  };

  const sketch = element => {
    if (matches(element, refersElsewhere)) return unknown;
    const isControl = controls.has(tagOf(element));
    const labels = isControl && troupe.canHaveLabel(element) ? element.labels : undefined;
    if (labels?.length > 1) return unknown;
    const content = sketchContent(labels?.length ? labels[0] : element);
    if (content.unknown || !(isControl || matches(element, hasNaming))) return content;
    const others = [...attributesOf(element), valueOf(element), isControl && namedByBrowser[element.type]].filter(Boolean);
    const own = labels?.length ? textContent(element) : '';
    return { ...content, texts: [...(content.texts ?? []), ...others.map(letters), letters(own)] };
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
