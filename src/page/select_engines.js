// Runs a parsed selector: each step maps the elements found so far to the next ones.
//
//   troupe.queryAll(selector, root?)             -> Element[]
//   troupe.query(selector, {strict, root, ...})  -> Element | null, or where to continue in another frame
(troupe => {
  const { attribute, has: hasAttribute, nodeType, isConnected } = troupe.dom;
  const invalid = message => troupe.fail('INVALID_SELECTOR', message);
  const only = (element, holds) => troupe.isElement(element) && holds ? [element] : [];

  const byAttribute = (name, light) => (root, { body }) =>
    troupe.nativeAll(root, `[${name}=${JSON.stringify(body)}]`, light);

  // [name="value"i]: matches a part of the attribute's value, or the exact value with s, or a regular
  // expression.
  const oneAttribute = (body, what) => {
    const { name, attributes } = troupe.parseAttributes(body);
    if (name || attributes.length !== 1) throw invalid(`Malformed ${what} selector: ${body}`);
    return attributes[0];
  };
  troupe.valueFits = ({ value, exact }) => {
    if (value instanceof RegExp) return actual => (value.lastIndex = 0, value.test(actual));
    if (exact) return actual => actual === value;
    const lower = value.toLowerCase();
    return actual => actual.toLowerCase().includes(lower);
  };
  const attributeAll = (root, { body }) => {
    const wanted = oneAttribute(body, 'attribute');
    const fits = troupe.valueFits(wanted);
    return troupe.nativeAll(root, `[${wanted.name}]`).filter(element => fits(attribute(element, wanted.name)));
  };
  const testIdAll = (root, { body }) => {
    const wanted = oneAttribute(body, 'test id');
    const names = wanted.name.split(',');
    const fits = troupe.valueFits(wanted);
    return troupe.nativeAll(root, names.map(name => `[${name}]`).join(','))
      .filter(element => names.some(name => hasAttribute(element, name) && fits(attribute(element, name))));
  };

  const labelAll = (root, { body }) => {
    const { fitsText } = troupe.textMatcher(body, true);
    return troupe.nativeAll(root, troupe.mayBeLabelled)
      .filter(element => troupe.labelTexts(element).some(fitsText));
  };

  const xpathAll = (root, { body }) => {
    const path = body.startsWith('/') && nodeType(root) !== Node.DOCUMENT_NODE ? `.${body}` : body;
    const nodes = Document.prototype.evaluate.call(document, path, root, null, XPathResult.ORDERED_NODE_ITERATOR_TYPE);
    const found = [];
    for (let node = nodes.iterateNext(); node; node = nodes.iterateNext()) {
      if (troupe.isElement(node)) found.push(node);
    }
    return found;
  };

  const controlAll = (root, { body }) => {
    if (body === 'enter-frame' || body === 'any-frame' || body === 'return-empty') return [];
    throw invalid(`Internal error, unknown internal:control selector ${body}`);
  };

  const hasTextOf = (root, { body }) =>
    troupe.isElement(root) && troupe.textMatcher(body, true).fits(root);
  const has = (root, { inner }) => troupe.isElement(root) && runChain(inner, root).length > 0;

  // Maps one element (or the document) to the matches of the step.
  const engines = {
    css: (root, { css }) => troupe.cssAll(css, root),
    xpath: xpathAll,
    'xpath:light': xpathAll,
    text: (root, { body }) => troupe.textAll(root, body),
    'text:light': (root, { body }) => troupe.textAll(root, body, { light: true }),
    role: (root, { body }) => troupe.roleAll(root, body, false),
    visible: (root, { body }) => only(root, troupe.isElement(root) && troupe.isVisible(root) === (body === 'true')),
    'aria-ref': (root, { body }) => [troupe.elementForRef(body)].filter(element => element && isConnected(element)),
    'internal:role': (root, { body }) => troupe.roleAll(root, body, true),
    'internal:text': (root, { body }) => troupe.textAll(root, body, { internal: true }),
    'internal:label': labelAll,
    'internal:attr': attributeAll,
    'internal:testid': testIdAll,
    'internal:has': (root, step) => only(root, has(root, step)),
    'internal:has-not': (root, step) => only(root, !has(root, step)),
    'internal:has-text': (root, step) => only(root, hasTextOf(root, step)),
    'internal:has-not-text': (root, step) => only(root, !hasTextOf(root, step)),
    'internal:chain': (root, { inner }) => runChain(inner, root),
    'internal:describe': root => only(root, true),
    'internal:control': controlAll,
  };
  for (const name of ['id', 'data-testid', 'data-test-id', 'data-test']) {
    engines[name] = byAttribute(name);
    engines[`${name}:light`] = byAttribute(name, true);
  }

  // Maps all elements found so far to the next ones.
  const setEngines = {
    nth: (found, { body }) => {
      const place = Number(body);
      return place === -1 ? found.slice(-1) : found.slice(place, place + 1);
    },
    'internal:and': (found, { inner }, root) => {
      const before = new Set(found);
      return runChain(inner, root).filter(element => before.has(element));
    },
    'internal:or': (found, { inner }, root) => troupe.inTreeOrder([...found, ...runChain(inner, root)]),
  };

  const runStep = (found, step, root) => {
    const whole = setEngines[step.engine];
    if (whole) return whole(found, step, root);
    const engine = engines[step.engine];
    return found.length === 1 ? engine(found[0], step) : found.flatMap(element => engine(element, step));
  };

  const runChain = (chain, root) => {
    if (chain.capture !== undefined) return runCapture(chain, root);
    if (!troupe.canQuery(root)) throw invalid('Node is not queryable.');
    let found = [root];
    for (const step of chain.steps) found = [...new Set(runStep(found, step, root))];
    return found;
  };

  // `a >> *b >> c` returns b: it is `a >> b` that has c.
  const runCapture = ({ steps, capture }, root) => {
    const hasNth = steps.some(step => step.engine === 'nth');
    if (hasNth) throw invalid(`Can't query n-th element in a request with the capture.`);
    const inner = { steps: steps.slice(capture + 1) };
    const outer = steps.slice(0, capture + 1);
    if (inner.steps.length) outer.push({ engine: 'internal:has', body: '', inner });
    return runChain({ steps: outer }, root);
  };

  const checkEngines = chain => troupe.eachStep(chain, ({ engine }) => {
    if (!engines[engine] && !setEngines[engine]) {
      throw invalid(`Unknown engine "${engine}" while parsing selector ${troupe.printSelector(chain)}`);
    }
  });

  // Parses a selector and checks that it can be run.
  troupe.readSelector = selector => {
    const chain = typeof selector === 'string' ? troupe.parseSelector(selector) : selector;
    checkEngines(chain);
    return chain;
  };

  troupe.runSelector = (chain, root) => {
    try {
      return troupe.during(() => runChain(chain, root));
    } catch (thrown) {
      const { code, message } = troupe.describeError(thrown);
      throw troupe.fail(code, message);
    }
  };

  troupe.queryAll = (selector, root = document) => troupe.runSelector(troupe.readSelector(selector), root);
})(globalThis.troupe);
