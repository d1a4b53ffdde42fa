// The text of elements as selectors see it, and what matches a text.
//
// Text comes from all descendants in order, a shadow root's behind its host's children. Scripts, styles
// and the head have none; a button made by <input> has its value.
(troupe => {
  const { attribute, contains, firstChild, firstElementChild, has, isConnected, nextElementSibling, nextSibling, nodeType,
    nodeValue, ownerDocument, parentElement, rootOf, shadowOf, textContent } = troupe.dom;
  const { isElement, nodeName } = troupe;

  const { get: readHead } = Object.getOwnPropertyDescriptor(Document.prototype, 'head');
  const head = () => readHead.call(document);

  const isTextlessTag = name => name === 'SCRIPT' || name === 'STYLE' || name === 'NOSCRIPT';

  // Elements whose text is never matched.
  troupe.isTextless = element => {
    return isTextlessTag(nodeName(element)) || (!!head() && contains(head(), element));
  };

  const isInputButton = node => nodeName(node) === 'INPUT' && ['submit', 'button', 'reset'].includes(node.type);

  const odd = 'head,head *,script,style,noscript,input[type=submit],input[type=button],input[type=reset]';

  // Nodes whose text is not simply their textContent: those below which something above applies.
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
    return marked;
  });

  const isPlain = node => {
    if (isElement(node) && !firstElementChild(node)) {
      return !isTextlessTag(nodeName(node)) && !isInputButton(node) && !shadowOf(node) && parentElement(node) !== head();
    }
    return isConnected(node) && ownerDocument(node) === document && !unusual().has(node);
  };

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
    const shadow = isElement(node) && troupe.shadowOf(node);
    return shadow ? text + troupe.textOf(shadow) : text;
  };

  // The whole text of an element or shadow root, white space as written.
  troupe.textOf = node => {
    const texts = troupe.kept('texts', () => new Map());
    let text = texts.get(node);
    if (text === undefined) {
      texts.set(node, text = isPlain(node) ? textContent(node) : gather(node));
    }
    return text;
  };

  // The runs of text that an element holds itself, between its child elements.
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

  // A test of `text` on unnormalised strings that gives what comparing normalised ones would, but without
  // rewriting long strings: white space inside of `text` stands for any white space.
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

  // A matcher { kind, text, fitsText(string), fits(node) }, one for each kind and text in a call.
  const matcher = (kind, text, make) => {
    const known = troupe.kept('matchers', () => new Map());
    const key = `${kind} ${text}`;
    if (!known.has(key)) known.set(key, { kind, text, ...make() });
    return known.get(key);
  };
  const ofWholeText = fitsText => ({ fitsText, fits: remembering(node => fitsText(troupe.textOf(node))) });

  // Contains the text, upper and lower case alike.
  troupe.textPart = raw => matcher('part', troupe.squeeze(raw).toLowerCase(), () => {
    const test = loosely(troupe.squeeze(raw).toLowerCase(), false);
    return ofWholeText(text => test(text.toLowerCase()));
  });

  // Is the text.
  troupe.textWhole = raw => matcher('whole', troupe.squeeze(raw), () => ofWholeText(loosely(troupe.squeeze(raw), true)));

  troupe.textRegex = regex => matcher('regex', String(regex), () => ofWholeText(text => {
    regex.lastIndex = 0;
    return regex.test(text);
  }));

  // Has a run of its own that is the text.
  troupe.textNode = raw => matcher('node', troupe.squeeze(raw), () => {
    const text = troupe.squeeze(raw);
    return {
      fits: remembering(node => {
        const runs = ownRuns(node);
        return (!text && !runs.length) || runs.some(run => troupe.squeeze(run) === text);
      }),
    };
  });

  // Reads what stands behind text=, internal:text=, internal:has-text= and internal:label=.
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
    const shadow = troupe.shadowOf(element);
    return !!shadow && fits(shadow);
  };

  // 'none', 'self' for the innermost element that matches, 'both' when a child matches as well.
  troupe.textFit = (element, { fits }) => {
    if (troupe.isTextless(element) || !fits(element)) return 'none';
    return childFits(element, fits) ? 'both' : 'self';
  };

  // The innermost elements that fit, below those for which `around` holds: branches without the text are
  // never looked at.
  const descend = (root, wanted, around) => {
    const found = [];
    const visit = element => {
      if (!around(element)) return;
      if (troupe.textFit(element, wanted) === 'self') found.push(element);
      for (let child = firstElementChild(element); child; child = nextElementSibling(child)) visit(child);
    };
    if (isElement(root)) {
      visit(root);
    } else {
      for (let child = firstChild(root); child; child = nextSibling(child)) {
        if (isElement(child)) visit(child);
      }
    }
    return found;
  };

  // Elements found by text=… below `root`; the root itself counts when it is an element.
  troupe.textAll = (root, body, { internal, light } = {}) => {
    const wanted = troupe.textMatcher(body, internal);
    const trees = light ? [root] : troupe.treesBelow(root);
    if (wanted.kind === 'part' || wanted.kind === 'whole') {
      const { fits: around } = troupe.textPart(wanted.text);
      return trees.flatMap(tree => descend(tree, wanted, around));
    }
    const all = troupe.nativeAll(root, '*', light);
    if (isElement(root)) all.unshift(root);
    return all.filter(element => {
      const fit = troupe.textFit(element, wanted);
      return fit === 'self' || (fit === 'both' && wanted.kind === 'node');
    });
  };

  // The texts that label an element: aria-labelledby, aria-label, else its <label>s.
  troupe.labelTexts = (element, skipInner) => {
    if (has(element, 'aria-labelledby')) {
      const labels = troupe.idRefs(element, 'aria-labelledby');
      if (labels.length) return labels.filter(label => !skipInner || !contains(element, label)).map(troupe.textOf);
    }
    const own = attribute(element, 'aria-label');
    if (own?.trim()) return [own];
    return [...(troupe.canHaveLabel(element) ? element.labels ?? [] : [])].map(troupe.textOf);
  };
  const labelable = new Set(['BUTTON', 'METER', 'OUTPUT', 'PROGRESS', 'SELECT', 'TEXTAREA', 'INPUT']);
  troupe.canHaveLabel = element =>
    labelable.has(nodeName(element)) && !(nodeName(element) === 'INPUT' && element.type === 'hidden');

  // CSS for every element that `labelTexts` may have an answer for.
  troupe.mayBeLabelled = 'button,meter,output,progress,select,textarea,input,[aria-labelledby],[aria-label]';
})(globalThis.troupe);
