// What selectors, locators and actions share: errors, steps through the tree across shadow roots, and
// memory that lives as long as one call, so that a page that changes between calls is read anew.
(troupe => {
  class PageError extends Error {
    constructor(code, message) {
      super(message);
      this.code = code;
      delete this.stack;
    }
  }

  // An error to throw. Its message is for the agent; the code is one of DESIGN.md's.
  troupe.fail = (code, message) => new PageError(code, message);

  // The code and message of anything thrown in here, also by the DOM itself.
  troupe.describeError = thrown => ({
    code: typeof thrown?.code === 'string' ? thrown.code
      : thrown instanceof SyntaxError || thrown?.name === 'SyntaxError' ? 'INVALID_SELECTOR'
      : 'INTERNAL_ERROR',
    message: String(thrown?.message ?? thrown),
  });

  // Runs `work` and always answers a plain object: {ok, value} or {error}. Promises are followed.
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

  let memory;
  let depth = 0;

  // One call's memory. Inside of `during` every part of the script may keep what it found by name.
  troupe.during = work => {
    if (!depth++) {
      memory = new Map();
      troupe.beginCaches?.();
    }
    try {
      return work();
    } finally {
      if (!--depth) {
        memory = undefined;
        troupe.endCaches?.();
      }
    }
  };

  // The value kept under `name`, made on first use; outside of `during` made each time.
  troupe.kept = (name, make) => {
    if (!memory) return make();
    let value = memory.get(name);
    if (value === undefined) memory.set(name, value = make());
    return value;
  };

  troupe.shadowOf = element => troupe.shadowRootOf ? troupe.shadowRootOf(element) : element.shadowRoot;

  // The parent in the tree that selectors see: a shadow root's child belongs to the host.
  troupe.parentOf = element => {
    if (element.parentElement) return element.parentElement;
    const above = element.parentNode;
    return above?.nodeType === Node.DOCUMENT_FRAGMENT_NODE ? above.host : undefined;
  };

  // The document or shadow root an element lives in, or undefined for a detached one.
  troupe.treeOf = element => {
    const top = element.getRootNode();
    return top.nodeType === Node.DOCUMENT_NODE || top.nodeType === Node.DOCUMENT_FRAGMENT_NODE ? top : undefined;
  };

  const hostOf = element => troupe.treeOf(element)?.host;

  troupe.isInside = (outer, element) => {
    for (let inner = element; inner; inner = hostOf(inner)) {
      if (outer.contains(inner)) return true;
    }
    return false;
  };

  // Like Element.closest, but goes on behind the host when a shadow root ends.
  troupe.closestAcross = (element, css) => {
    for (let inner = element; inner; inner = hostOf(inner)) {
      const found = inner.closest(css);
      if (found) return found;
    }
    return undefined;
  };

  troupe.idRefs = (element, attribute) => {
    const tree = troupe.treeOf(element);
    const ids = element.getAttribute(attribute)?.split(' ').filter(Boolean);
    if (!tree || !ids?.length) return [];
    const found = ids.map(id => tree.querySelector('#' + CSS.escape(id)));
    return [...new Set(found.filter(Boolean))];
  };

  troupe.squeeze = text => text.replace(/[\u200b\u00ad]/g, '').trim().replace(/\s+/g, ' ');

  const hostsIn = root => {
    const hosts = [];
    const all = root.nodeType === Node.DOCUMENT_NODE ? root.getElementsByTagName('*') : root.querySelectorAll('*');
    for (let i = 0, length = all.length; i < length; i++) {
      if (troupe.shadowOf(all[i])) hosts.push(all[i]);
    }
    return hosts;
  };

  // Shadow hosts below `root` in its own tree, not those inside of further shadow roots.
  troupe.hostsBelow = root => {
    const known = troupe.kept('hosts', () => new Map());
    let hosts = known.get(root);
    if (hosts) return hosts;
    const tree = root.nodeType === Node.ELEMENT_NODE ? troupe.treeOf(root) : undefined;
    hosts = tree ? troupe.hostsBelow(tree).filter(host => host !== root && root.contains(host)) : hostsIn(root);
    known.set(root, hosts);
    return hosts;
  };

  // `root` and every shadow root below it, each before the ones it holds: the order in which
  // selectors list what they find.
  troupe.treesBelow = root => {
    const trees = [root];
    const own = root.nodeType === Node.ELEMENT_NODE ? troupe.shadowOf(root) : undefined;
    if (own) trees.push(...troupe.treesBelow(own));
    for (const host of troupe.hostsBelow(root)) trees.push(...troupe.treesBelow(troupe.shadowOf(host)));
    return trees;
  };

  // Every element below `root` that native CSS matches, shadow roots included unless `light`.
  troupe.nativeAll = (root, css, light) => {
    const trees = light ? [root] : troupe.treesBelow(root);
    if (trees.length === 1) return [...root.querySelectorAll(css)];
    return trees.flatMap(tree => [...tree.querySelectorAll(css)]);
  };

  // Elements in the order of the tree, a shadow root's content behind its host's light children.
  troupe.inTreeOrder = elements => {
    const wanted = new Set(elements);
    const path = element => {
      const steps = [];
      for (let at = element; at; at = troupe.parentOf(at)) {
        let place = 0;
        for (let before = at.previousElementSibling; before; before = before.previousElementSibling) place++;
        steps.push(at.parentElement ? place : place + 1e9);
      }
      return steps.reverse();
    };
    if (wanted.size < 2) return [...wanted];
    const sameTree = new Set([...wanted].map(element => element.getRootNode())).size === 1;
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
})(globalThis.troupe ??= {});
