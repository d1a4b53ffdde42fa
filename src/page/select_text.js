// The text of elements for selectors, and text matching.
//
// Text comes from all descendants in order, a shadow root's after its host's children. Scripts, styles and
// the head have none; an <input> button has its value.
(troupe => {
  const { attribute, contains, descendants, firstChild, firstElementChild, has, isConnected, nextElementSibling,
    nextSibling, nodeType, nodeValue, parentElement, rootOf, shadowOf, textContent } = troupe.dom;
  const { isElement, nodeName } = troupe;

  const { get: readHead } = Object.getOwnPropertyDescriptor(Document.prototype, 'head');
  const head = () => readHead.call(document);

  // Elements whose text is never matched.
  troupe.isTextless = element => {
    const name = nodeName(element);
    return name === 'SCRIPT' || name === 'STYLE' || name === 'NOSCRIPT' || (!!head() && contains(head(), element));
  };

  const isInputButton = node => nodeName(node) === 'INPUT' && ['submit', 'button', 'reset'].includes(node.type);
  const odd = 'script,style,noscript,input[type=submit],input[type=button],input[type=reset]';

  // Nodes whose text is not simply their textContent: those above, and all their ancestors.
  const unusual = () => troupe.kept('unusual text', () => {
    const marked = new Set();
    const mark = element => {
      for (let at = element; at && !marked.has(at); at = troupe.parentOf(at)) {
        marked.add(at);
        if (!parentElement(at)) marked.add(rootOf(at));
      }
    };
    for (const tree of troupe.treesBelow(document)) {
      troupe.nativeAll(tree, odd, true).forEach(mark);
      if (tree.host) mark(tree.host);
    }
    if (head()) [head(), ...descendants(head())].forEach(mark);
    return marked;
  });

  const gather = node => {
    if (isElement(node)) {
      if (troupe.isTextless(node)) return '';
      if (isInputButton(node)) return node.value;
    }
    let text = '';
    for (let child = firstChild(node); child; child = nextSibling(child)) {
      if (isElement(child)) text += troupe.textOf(child);
      else if (nodeType(child) === Node.TEXT_NODE) text += nodeValue(child);
    }
    const shadow = isElement(node) && shadowOf(node);
    return shadow ? text + troupe.textOf(shadow) : text;
  };

  // The whole text of an element or shadow root, with unchanged white space.
  troupe.textOf = node => {
    if (isConnected(node) && !unusual().has(node)) return textContent(node);
    const gathered = troupe.kept('gathered texts', () => new Map());
    let text = gathered.get(node);
    if (text === undefined) gathered.set(node, text = gather(node));
    return text;
  };

  // The text runs directly in an element, between its child elements.
  const ownRuns = node => {
    if (isElement(node) && troupe.isTextless(node)) return [];
    if (isInputButton(node)) return [node.value];
    const runs = [''];
    for (let child = firstChild(node); child; child = nextSibling(child)) {
      if (nodeType(child) === Node.TEXT_NODE) runs[runs.length - 1] += nodeValue(child);
      else if (nodeType(child) !== Node.COMMENT_NODE) runs.push('');
    }
    return runs.filter(Boolean);
  };

  const quote = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const unseen = /[\u200b\u00ad]/;
  const clean = text => unseen.test(text) ? text.replace(/[\u200b\u00ad]/g, '') : text;

  // Returns a test for `text` on unnormalised strings with the result of comparing normalised ones, but
  // without rewriting long strings: white space inside `text` matches any white space.
  const loosely = (text, whole) => {
    const words = text.split(' ').map(quote);
    if (whole) {
      const shape = new RegExp(`^\\s*${words.join('\\s+')}\\s*$`);
      return other => shape.test(clean(other));
    }
    if (words.length === 1) return other => clean(other).includes(text);
    const shape = new RegExp(words.join('\\s+'));
    return other => shape.test(clean(other));
  };

  const remembering = test => {
    const known = new Map();
    return node => {
      let answer = known.get(node);
      if (answer === undefined) known.set(node, answer = test(node));
      return answer;
    };
  };

  // A matcher { kind, text, fitsText(string), fits(node) }, cached by kind and text for one call.
  const matcher = (kind, text, make) => {
    const known = troupe.kept('matchers', () => new Map());
    const key = `${kind} ${text}`;
    if (!known.has(key)) known.set(key, { kind, text, ...make() });
    return known.get(key);
  };
  const ofWholeText = fitsText => ({ fitsText, fits: remembering(node => fitsText(troupe.textOf(node))) });

  // Contains the text, ignoring case.
  troupe.textPart = raw => matcher('part', troupe.squeeze(raw).toLowerCase(), () => {
    const test = loosely(troupe.squeeze(raw).toLowerCase(), false);
    return ofWholeText(text => test(text.toLowerCase()));
  });

  // Equals the text.
  troupe.textWhole = raw => matcher('whole', troupe.squeeze(raw), () =>
    ofWholeText(loosely(troupe.squeeze(raw), true)));

  troupe.textRegex = regex => matcher('regex', String(regex), () => ofWholeText(text => {
    regex.lastIndex = 0;
    return regex.test(text);
  }));

  // Has a text run of its own that equals the text.
  troupe.textNode = raw => matcher('node', troupe.squeeze(raw), () => {
    const text = troupe.squeeze(raw);
    return {
      fits: remembering(node => {
        const runs = ownRuns(node);
        return (!text && !runs.length) || runs.some(run => troupe.squeeze(run) === text);
      }),
    };
  });

  // Parses the text after text=, internal:text=, internal:has-text= and internal:label=.
  troupe.textMatcher = (body, internal) => {
    const slash = body.lastIndexOf('/');
    if (body[0] === '/' && slash > 0) {
      return troupe.textRegex(new RegExp(body.slice(1, slash), body.slice(slash + 1)));
    }
    const [, quoted, flag] = /^("[^]*")([is]?)$/.exec(body) ?? [];
    if (internal && quoted && quoted.length > 1) {
      const text = JSON.parse(quoted);
      return flag === 'i' ? troupe.textPart(text) : troupe.textWhole(text);
    }
    if (body.length > 1 && (body[0] === '"' || body[0] === "'") && body.at(-1) === body[0]) {
      const text = internal ? JSON.parse(body) : body.slice(1, -1).replace(/\\([^])/g, '$1');
      return internal ? troupe.textWhole(text) : troupe.textNode(text);
    }
    return troupe.textPart(body);
  };

  const childFits = (element, fits) => {
    for (let child = firstElementChild(element); child; child = nextElementSibling(child)) {
      if (fits(child)) return true;
    }
    const shadow = shadowOf(element);
    return !!shadow && fits(shadow);
  };

  // 'none', 'self' for the innermost element that matches, 'both' if a child matches as well.
  troupe.textFit = (element, { fits }) => {
    if (!fits(element) || troupe.isTextless(element)) return 'none';
    return childFits(element, fits) ? 'both' : 'self';
  };

  // The innermost elements that fit, below those for which `around` holds: branches without the text are
  // skipped.
  function* descend(node, wanted, around) {
    if (isElement(node)) {
      if (!around(node)) return;
      if (troupe.textFit(node, wanted) === 'self') yield node;
    }
    for (let child = firstChild(node); child; child = nextSibling(child)) {
      if (isElement(child)) yield* descend(child, wanted, around);
    }
  }

  // The same, computed lazily one by one.
  troupe.textEach = function* (root, wanted, light) {
    const { fits: around } = troupe.textPart(wanted.text);
    for (const tree of light ? [root] : troupe.treesBelow(root)) yield* descend(tree, wanted, around);
  };

  // Elements found by text=… below `root`; the root itself counts if it is an element.
  troupe.textAll = (root, body, { internal, light } = {}) => {
    const wanted = troupe.textMatcher(body, internal);
    if (wanted.kind === 'part' || wanted.kind === 'whole') return [...troupe.textEach(root, wanted, light)];
    const all = troupe.nativeAll(root, '*', light);
    if (isElement(root)) all.unshift(root);
    return all.filter(element => {
      const fit = troupe.textFit(element, wanted);
      return fit === 'self' || (fit === 'both' && wanted.kind === 'node');
    });
  };

  const labelable = new Set(['BUTTON', 'METER', 'OUTPUT', 'PROGRESS', 'SELECT', 'TEXTAREA', 'INPUT']);
  const canHaveLabel = element =>
    labelable.has(nodeName(element)) && !(nodeName(element) === 'INPUT' && element.type === 'hidden');

  // The <label>s of each control. The browser's own list walks the document for each control.
  const labelsIn = tree => {
    const byControl = new Map();
    for (const label of troupe.nativeAll(tree, 'label', true)) {
      if (!label.control) continue;
      if (!byControl.has(label.control)) byControl.set(label.control, []);
      byControl.get(label.control).push(label);
    }
    return byControl;
  };
  troupe.labelsOf = element => {
    if (!canHaveLabel(element)) return [];
    if (!isConnected(element)) return [...element.labels ?? []];
    const byTree = troupe.kept('labels', () => new Map());
    const tree = rootOf(element);
    if (!byTree.has(tree)) byTree.set(tree, labelsIn(tree));
    return byTree.get(tree).get(element) ?? [];
  };

  // The texts that label an element: aria-labelledby, aria-label, else its <label>s.
  troupe.labelTexts = (element, skipInner) => {
    if (has(element, 'aria-labelledby')) {
      const labels = troupe.idRefs(element, 'aria-labelledby');
      if (labels.length) return labels.filter(label => !skipInner || !contains(element, label)).map(troupe.textOf);
    }
    const own = attribute(element, 'aria-label');
    if (own?.trim()) return [own];
    return troupe.labelsOf(element).map(troupe.textOf);
  };

  // CSS for every element that may have `labelTexts`.
  troupe.mayBeLabelled = 'button,meter,output,progress,select,textarea,input,[aria-labelledby],[aria-label]';
})(globalThis.troupe);
