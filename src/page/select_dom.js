// Shared by selectors, locators and actions: errors, tree traversal across shadow roots, and a cache that
// lives as long as one call, so that a page that changes between calls is read again.
(troupe => {
  class PageError extends Error {
    constructor(code, message) {
      super(message);
      this.code = code;
      delete this.stack;
    }
  }

  // Creates an error to throw. Its message is for the agent; the code is one of DESIGN.md's.
  troupe.fail = (code, message) => new PageError(code, message);

  // The code and message of any error thrown in here, including the DOM's own.
  troupe.describeError = thrown => ({
    code: typeof thrown?.code === 'string' ? thrown.code
      : thrown instanceof SyntaxError || thrown?.name === 'SyntaxError' ? 'INVALID_SELECTOR'
      : 'INTERNAL_ERROR',
    message: String(thrown?.message ?? thrown),
  });

  // Wraps an error so that the engine gets the code: the browser reports thrown strings in full, objects in
  // part.
  troupe.asThrown = thrown => {
    const error = troupe.describeError(thrown);
    return error.code === 'INTERNAL_ERROR' ? thrown : JSON.stringify({ troupe: error });
  };

  // Runs `work` and always returns a plain object: {ok, value} or {error}. Promises are awaited.
  troupe.attempt = work => {
    const good = value => ({ ok: true, value });
    const bad = thrown => ({ error: troupe.describeError(thrown) });
    try {
      const value = work();
      return typeof value?.then === 'function' ? value.then(good, bad) : good(value);
    } catch (thrown) {
      return bad(thrown);
    }
  };

  const { nodeType, parentElement, parentOrHost, shadowOf, closestAcross, rootOf, contains, byIds, attribute,
    previousElementSibling, isConnected } = troupe.dom;

  let memory;

  // Runs `work` in one pass over the page, during which `kept` caches values.
  troupe.during = work => {
    if (memory) return work();
    memory = new Map();
    try {
      return troupe.pass(work);
    } finally {
      memory = undefined;
    }
  };

  // The value cached under `name`, computed on first use; outside `during` computed each time.
  troupe.kept = (name, make) => {
    if (!memory) return make();
    let value = memory.get(name);
    if (value === undefined) memory.set(name, value = make());
    return value;
  };

  // 'DIV', but 'svg' and 'path': the case distinguishes HTML from other elements.
  const { get: readNodeName } = Object.getOwnPropertyDescriptor(Node.prototype, 'nodeName');
  troupe.nodeName = node => readNodeName.call(node);
  troupe.isElement = node => nodeType(node) === Node.ELEMENT_NODE;

  troupe.shadowOf = shadowOf;
  troupe.parentOf = parentOrHost;
  troupe.closestAcross = closestAcross;
  troupe.idRefs = (element, name) => byIds(element, attribute(element, name));

  const hostOf = element => {
    const root = rootOf(element);
    return nodeType(root) === Node.DOCUMENT_FRAGMENT_NODE ? root.host : undefined;
  };

  troupe.isInside = (outer, element) => {
    for (let inner = element; inner; inner = hostOf(inner)) {
      if (contains(outer, inner)) return true;
    }
    return false;
  };

  const prototypes = {
    [Node.DOCUMENT_NODE]: Document.prototype,
    [Node.ELEMENT_NODE]: Element.prototype,
    [Node.DOCUMENT_FRAGMENT_NODE]: DocumentFragment.prototype,
  };
  troupe.canQuery = node => nodeType(node) in prototypes;

  // querySelectorAll of one tree, safe from the names that a page gives to its forms and images.
  const selectAll = (root, css) => prototypes[nodeType(root)].querySelectorAll.call(root, css);

  const hostsIn = root => {
    const hosts = [];
    const all = nodeType(root) === Node.DOCUMENT_NODE
      ? Document.prototype.getElementsByTagName.call(root, '*') : selectAll(root, '*');
    for (let i = 0, length = all.length; i < length; i++) {
      if (shadowOf(all[i])) hosts.push(all[i]);
    }
    return hosts;
  };

  // Shadow hosts below `root` in its own tree, not those inside of further shadow roots.
  troupe.hostsBelow = root => {
    const known = troupe.kept('hosts', () => new Map());
    let hosts = known.get(root);
    if (hosts) return hosts;
    const tree = nodeType(root) === Node.ELEMENT_NODE && isConnected(root) ? rootOf(root) : undefined;
    hosts = tree ? troupe.hostsBelow(tree).filter(host => host !== root && contains(root, host)) : hostsIn(root);
    known.set(root, hosts);
    return hosts;
  };

  // `root` and every shadow root below it, parents first: the order in which selectors list their matches.
  troupe.treesBelow = root => {
    const trees = [root];
    const own = nodeType(root) === Node.ELEMENT_NODE ? shadowOf(root) : undefined;
    if (own) trees.push(...troupe.treesBelow(own));
    for (const host of troupe.hostsBelow(root)) trees.push(...troupe.treesBelow(shadowOf(host)));
    return trees;
  };

  // Every element below `root` that matches native CSS, including shadow roots unless `light`.
  troupe.nativeAll = (root, css, light) => {
    const found = [];
    for (const tree of light ? [root] : troupe.treesBelow(root)) {
      // By index: an iterator is noticeably slower for thousands of elements.
      const list = selectAll(tree, css);
      for (let i = 0, length = list.length; i < length; i++) found.push(list[i]);
    }
    return found;
  };

  // Whether native CSS matches anything below `root` at all.
  troupe.nativeAny = (root, css) => troupe.treesBelow(root)
    .some(tree => prototypes[nodeType(tree)].querySelector.call(tree, css));

  // Sorts elements in tree order, a shadow root's content behind its host's light children.
  troupe.inTreeOrder = elements => {
    const wanted = new Set(elements);
    const path = element => {
      const steps = [];
      for (let at = element; at; at = parentOrHost(at)) {
        let place = 0;
        for (let before = previousElementSibling(at); before; before = previousElementSibling(before)) place++;
        steps.push(parentElement(at) ? place : place + 1e9);
      }
      return steps.reverse();
    };
    if (wanted.size < 2) return [...wanted];
    const sameTree = new Set([...wanted].map(rootOf)).size === 1;
    if (sameTree) {
      const following = Node.DOCUMENT_POSITION_FOLLOWING;
      return [...wanted].sort((a, b) => a.compareDocumentPosition(b) & following ? -1 : 1);
    }
    const paths = new Map([...wanted].map(element => [element, path(element)]));
    return [...wanted].sort((a, b) => {
      const [left, right] = [paths.get(a), paths.get(b)];
      for (let i = 0; i < Math.min(left.length, right.length); i++) {
        if (left[i] !== right[i]) return left[i] - right[i];
      }
      return left.length - right.length;
    });
  };
})(globalThis.troupe);
