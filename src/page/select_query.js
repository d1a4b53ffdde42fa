// Finds the element that a selector matches; errors help if there is none or several.
(troupe => {
  const invalid = message => troupe.fail('INVALID_SELECTOR', message);

  // Formats each match as a line: a preview and a locator that finds it alone.
  const listMatches = (elements, options) => {
    const lines = elements.slice(0, 10).map((element, index) => {
      const locator = troupe.renderLocator(troupe.generateSelector(element, options), options.language);
      return `\n    ${index + 1}) ${troupe.preview(element)} aka ${locator}`;
    });
    if (elements.length > lines.length) lines.push('\n    ...');
    return lines.join('');
  };

  const nameOf = (chain, { language }) => troupe.renderLocator(troupe.printSelector(chain), language);

  troupe.strictError = (chain, elements, options = {}) => troupe.fail('STRICT',
    `strict mode violation: ${nameOf(chain, options)} resolved to ${elements.length} elements:`
    + `${listMatches(elements, options)}\n`);

  const refuseRetired = (chain, elements, options) => {
    const retired = elements.length && chain.steps.find(({ engine }) => engine.endsWith(':light'));
    if (!retired) return;
    throw invalid(`"${retired.engine}" selector is not supported: ${nameOf(chain, options)} resolved to `
      + `${elements.length} element${elements.length === 1 ? '' : 's'}:${listMatches(elements, options)}\n`);
  };

  const refuseNestedFrames = (chain, options) => troupe.eachStep(chain, ({ engine, body }, nested) => {
    if (!nested || engine !== 'internal:control') return;
    const where = `inside composite locators, while querying "${nameOf(chain, options)}"`;
    if (body === 'enter-frame') throw invalid(`Frame locators are not allowed ${where}`);
    if (body === 'any-frame') throw invalid(`frameLocator() is not allowed ${where}`);
  });

  const isFrame = element => ['IFRAME', 'FRAME'].includes(troupe.nodeName(element));
  const enterFrame = ' >> internal:control=enter-frame >> ';

  // Resolves a selector in this frame:
  //   { elements }                     all matches, here
  //   { frameElement, visible, rest }  continue with `rest` in that frame; null if there is none yet
  //   { anyFrame: true, rest }         try `rest` in this frame and in each one below it
  // `options`: root, strict, language and testIdAttribute (for the locators in errors).
  troupe.resolve = (selector, options = {}) => troupe.during(() => {
    const chain = troupe.readSelector(selector);
    refuseNestedFrames(chain, options);
    const { anyFrame, chains } = troupe.splitAtFrames(chain, typeof selector === 'string' ? selector : undefined);
    if (anyFrame) return { anyFrame, rest: chains.map(part => troupe.printSelector(part)).join(enterFrame) };
    const [first, ...others] = chains;
    const elements = troupe.runSelector(first, options.root ?? document);
    refuseRetired(first, elements, options);
    if (options.strict && elements.length > 1) throw troupe.strictError(first, elements, options);
    if (!others.length) return { elements };
    const wrong = elements.find(element => !isFrame(element));
    if (wrong) {
      const name = troupe.printSelector(first);
      throw invalid(`Selector "${name}" resolved to ${troupe.preview(wrong)}, <iframe> was expected`);
    }
    return {
      frameElement: elements[0] ?? null,
      visible: !!elements[0] && troupe.isVisible(elements[0]),
      rest: others.map(part => troupe.printSelector(part)).join(enterFrame),
    };
  });

  // The first match or null; {frameElement, visible, rest} or {anyFrame, rest} as `resolve` returns.
  troupe.query = (selector, options) => {
    const found = troupe.resolve(selector, options);
    return found.elements ? found.elements[0] ?? null : found;
  };
})(globalThis.troupe);
