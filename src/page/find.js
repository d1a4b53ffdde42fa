// What an action needs first, in one answer: an element and how to print it. The element itself waits in
// `troupe.found` until the engine takes a handle of it.
(troupe => {
  troupe.found = null;

  const elementOf = (target, isRef, options) => {
    if (isRef) {
      const element = troupe.elementForRef(target);
      return element && { element, selector: troupe.generateSelector(element, options) };
    }
    const { selector } = troupe.parseTarget(target, options);
    const { elements } = troupe.resolve(selector, options);
    // Without elements the way leads on into a frame.
    return elements ? elements[0] && { element: elements[0], selector } : { selector };
  };

  // Gives { code: { language: locator }, takesPassword }, { frame: selector } when the target is inside of a frame, or nothing.
  troupe.locate = (target, { isRef, languages, ...options }) => {
    troupe.found = null;
    const located = elementOf(target, isRef, options);
    if (!located) return null;
    if (!located.element) return { frame: located.selector };
    troupe.found = located.element;
    const code = Object.fromEntries(languages.map(language => [language, troupe.renderLocator(located.selector, language)]));
    return { code, takesPassword: troupe.takesPassword(located.element) };
  };
})(globalThis.troupe);
