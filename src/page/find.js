// Resolves an action's target in one call: an element and its locators. The element itself stays in
// `troupe.found` until the engine takes a handle to it.
(troupe => {
  troupe.found = null;

  const elementOf = (target, isRef, options) => {
    if (isRef) {
      const element = troupe.elementForRef(target);
      return element && { element, selector: troupe.generateSelector(element, options) };
    }
    const { selector } = troupe.parseTarget(target, options);
    const { elements } = troupe.resolve(selector, options);
    // Without elements the path continues in a frame.
    return elements ? elements[0] && { element: elements[0], selector } : { selector };
  };

  // Returns { code: { language: locator }, takesPassword }, { frame: selector } if the target is inside a
  // frame, or nothing.
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
