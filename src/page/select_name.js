// A quick no before the slow yes: most elements of a role can be told not to have a wanted name without
// computing their name, which costs styles, labels and a walk through their content.
(troupe => {
  const { attribute, textContent, firstElementChild, matches, all, tagOf, descendants, contains } = troupe.dom;

  // Anything inside of an element that gives its name other characters than its text.
  const addsText = '[aria-label],[aria-labelledby],[aria-owns],[aria-valuetext],[aria-valuenow],[alt],[title],[placeholder],'
    + '[value],[summary],input,select,textarea,svg,object,slot';
  const namingAttributes = ['title', 'alt', 'placeholder', 'value', 'summary', 'xlink:title'];
  const namedByBrowser = new Map([['submit', 'Submit'], ['image', 'Submit'], ['reset', 'Reset'], ['file', 'Choose File']]);
  const manyDescendants = 60;

  const withoutSpace = text => text.replace(/[\s\u200b\u00ad]+/g, '');

  const isSubsequence = (letters, text) => {
    let at = 0;
    for (let i = 0; i < text.length && at < letters.length; i++) {
      if (text[i] === letters[at]) at++;
    }
    return at === letters.length;
  };

  const mayHavePseudo = element => troupe.pseudoHints.mayHavePseudo({ element, tag: tagOf(element) });

  const holdsShadow = element => troupe.hostsBelow(document).some(host => contains(element, host))
    || !contains(document, element);

  // Whether the text alternative of an element's content may contain the letters.
  const contentMayHave = (element, has) => {
    const text = textContent(element);
    if (!firstElementChild(element)) {
      return has(text, false) || mayHavePseudo(element) || holdsShadow(element);
    }
    // Hidden children are left out of a name, so its letters are among those of the text, in order.
    if (has(text, true) || holdsShadow(element)) return true;
    const inside = descendants(element);
    if (inside.length > manyDescendants || all(element, addsText).length) return true;
    if (mayHavePseudo(element)) return true;
    for (let i = 0; i < inside.length; i++) {
      if (mayHavePseudo(inside[i])) return true;
    }
    return false;
  };

  // `has(text, gaps)` tells whether a text contains the letters of the name, with `gaps` also scattered.
  const letterTest = ({ value, exact }) => {
    const fold = text => exact ? withoutSpace(text) : withoutSpace(text).toUpperCase();
    const letters = fold(value);
    return (text, gaps) => gaps ? isSubsequence(letters, fold(text)) : fold(text).includes(letters);
  };

  // False only if the accessible name of `element` cannot be what `wanted` (a name of parseRole) asks for.
  troupe.nameMayFit = (element, wanted) => {
    if (typeof wanted.value !== 'string') return true;
    const has = wanted.has ??= letterTest(wanted);
    if (!matches(element, `${addsText},button,fieldset,figure,table,output,meter,progress`)) return contentMayHave(element, has);
    if (matches(element, '[aria-labelledby],[aria-owns],svg,object,slot')) return true;
    const label = attribute(element, 'aria-label');
    if (label?.trim()) return has(label, false);
    if (namingAttributes.some(name => has(attribute(element, name) ?? '', false))) return true;
    if (typeof element.value === 'string' && has(element.value, false)) return true;
    if (has(namedByBrowser.get(element.type) ?? '', false)) return true;
    if (troupe.canHaveLabel(element) && [...element.labels ?? []].some(label => contentMayHave(label, has) || matches(label, addsText))) return true;
    return contentMayHave(element, has);
  };
})(globalThis.troupe);
