// Parses selector text into a chain of steps: `css >> text=Save >> nth=1` and the like.
//
//   Chain { steps: Step[], capture? }         capture: the step marked with *, the chain's result
//   Step  { engine, body, css?, inner?, distance? }
//
// `css` holds the parsed selector list of a css step, `inner` the chain of a step that takes a selector.
(troupe => {
  const takesSelector = new Set([
    'internal:has', 'internal:has-not', 'internal:and', 'internal:or', 'internal:chain',
    'left-of', 'right-of', 'above', 'below', 'near',
  ]);
  const takesDistance = name => takesSelector.has(name) && !name.startsWith('internal:');

  const invalid = message => troupe.fail('INVALID_SELECTOR', message);

  // Splits at >> outside quotes. In text=…, a quote after other text is an ordinary character.
  const cut = text => {
    const pieces = [];
    let from = 0;
    let quote = '';
    for (let at = 0; at < text.length; at++) {
      const char = text[at];
      if (char === '\\') {
        at++;
      } else if (quote) {
        if (char === quote) quote = '';
      } else if (char === '"' || char === "'" || char === '`') {
        if (!/^\s*text\s*=.+$/.test(text.slice(from, at))) quote = char;
      } else if (char === '>' && text[at + 1] === '>') {
        pieces.push(text.slice(from, at));
        from = ++at + 1;
      }
    }
    pieces.push(text.slice(from));
    return pieces;
  };

  const isQuotedBy = (text, quote) => text.length > 1 && text.startsWith(quote) && text.endsWith(quote);

  // The engine that a piece names, or that its form implies.
  const classify = piece => {
    const text = piece.trim();
    const [, name, body] = /^([^=]*)=([^]*)$/.exec(text) ?? [];
    if (name !== undefined && /^[\w+:*-]+$/.test(name.trim())) return { engine: name.trim(), body };
    if (isQuotedBy(text, '"') || isQuotedBy(text, "'")) return { engine: 'text', body: text };
    if (/^\(*\/\//.test(text) || text.startsWith('..')) return { engine: 'xpath', body: text };
    return { engine: 'css', body: text };
  };

  const isFrameStep = step => step.engine === 'internal:control' && step.body === 'enter-frame';
  const isAnyFrameStep = step => step?.engine === 'internal:control' && step.body === 'any-frame';

  // A nested chain may repeat the outer chain's frame steps, which are removed.
  const dropSharedFrames = (inner, outer) => {
    const last = inner.steps.findLastIndex(isFrameStep);
    if (last < 0) return;
    const before = isAnyFrameStep(outer[0]) ? outer.slice(1) : outer;
    const head = steps => troupe.printSelector({ steps: steps.slice(0, last + 1) });
    if (head(inner.steps) !== head(before)) return;
    inner.steps.splice(0, last + 1);
    if (inner.capture === undefined) return;
    if (inner.capture <= last) throw invalid(earlyCapture);
    inner.capture -= last + 1;
  };
  const earlyCapture = 'Can not capture the selector before diving into the frame. '
    + 'Only use * after the last frame has been selected';

  const nestedStep = ({ engine, body }, before) => {
    const malformed = () => invalid(`Malformed selector: ${engine}=${body}`);
    let values;
    try {
      values = JSON.parse(`[${body}]`);
    } catch {
      throw malformed();
    }
    const [selector, distance] = values;
    if (values.length < 1 || values.length > 2 || typeof selector !== 'string') throw malformed();
    if (values.length === 2 && (typeof distance !== 'number' || !takesDistance(engine))) throw malformed();
    const inner = troupe.parseSelector(selector);
    dropSharedFrames(inner, before);
    return { engine, body, inner, distance };
  };

  const toStep = (raw, before) => {
    if (raw.engine === 'css:light') return toStep({ engine: 'css', body: `:light(${raw.body})` }, before);
    if (raw.engine === 'css') return { ...raw, css: troupe.parseCss(raw.body) };
    if (takesSelector.has(raw.engine)) return nestedStep(raw, before);
    return raw;
  };

  troupe.parseSelector = text => {
    const chain = { steps: [] };
    const raws = cut(text).map((piece, index) => {
      const raw = classify(piece);
      if (!raw.engine.startsWith('*')) return raw;
      if (chain.capture !== undefined) throw invalid('Only one of the selectors can capture using * modifier');
      chain.capture = index;
      return { ...raw, engine: raw.engine.slice(1) };
    });
    for (const raw of raws) chain.steps.push(toStep(raw, chain.steps));
    const first = chain.steps[0].engine;
    if (takesSelector.has(first)) throw invalid(`"${first}" selector cannot be first`);
    return chain;
  };

  // Prints the chain as text. `named` includes engine names that the form of the text already implies.
  troupe.printSelector = (chain, named) => chain.steps.map((step, index) => {
    const captured = index === chain.capture;
    const byShape = step.engine === 'css' || (step.engine === 'xpath' && /^(\/\/|\.\.)/.test(step.body));
    const prefix = byShape && !named && !captured ? '' : `${step.engine}=`;
    return `${captured ? '*' : ''}${prefix}${step.body}`;
  }).join(' >> ');

  // Calls `visit(step, isNested)` for every step, including those of nested chains.
  troupe.eachStep = (chain, visit, nested = false) => {
    for (const step of chain.steps) {
      visit(step, nested);
      if (step.inner) troupe.eachStep(step.inner, visit, true);
    }
  };

  // Splits a chain where it enters frames: {anyFrame, chains}; each chain but the last finds an iframe.
  troupe.splitAtFrames = (chain, text = troupe.printSelector(chain)) => {
    const chains = [{ steps: [] }];
    let anyFrame = false;
    chain.steps.forEach((step, index) => {
      const current = chains.at(-1);
      if (isAnyFrameStep(step)) {
        const late = `"${step.body}" is only allowed as the first selector token, while parsing selector ${text}`;
        if (index) throw invalid(late);
        anyFrame = true;
      } else if (isFrameStep(step)) {
        if (!current.steps.length) throw invalid('Selector cannot start with entering frame, select the iframe first');
        chains.push({ steps: [] });
      } else {
        if (chain.capture === index) current.capture = current.steps.length;
        current.steps.push(step);
      }
    });
    if (!chains.at(-1).steps.length) {
      throw invalid(anyFrame && chains.length === 1
        ? `Selector cannot be empty after frameLocator(), while parsing selector ${text}`
        : `Selector cannot end with entering frame, while parsing selector ${text}`);
    }
    if (chain.capture !== undefined && chains.at(-1).capture === undefined) throw invalid(earlyCapture);
    return { anyFrame, chains };
  };
})(globalThis.troupe);
