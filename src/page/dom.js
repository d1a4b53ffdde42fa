// Accessors to the DOM that are safe from names a page can clobber, and that cross shadow roots. First in the
// concatenation: it creates the one object, `troupe`, that all files share.
//
// A form exposes its controls as properties (<input name=parentNode>), a document its images and forms (<img
// name=activeElement>), a window its ids (<p id=troupe>). Properties of nodes we did not create are therefore
// read through the prototype's own accessors.
if (!Object.hasOwn(globalThis, 'troupe'))
  Object.defineProperty(globalThis, 'troupe', { value: {} });

(troupe => {
  const reader = (prototype, property) => {
    const { get } = Object.getOwnPropertyDescriptor(prototype, property);
    return node => get.call(node);
  };

  const nodeType = reader(Node.prototype, 'nodeType');
  const nodeValue = reader(Node.prototype, 'nodeValue');
  const parentNode = reader(Node.prototype, 'parentNode');
  const parentElement = reader(Node.prototype, 'parentElement');
  const firstChild = reader(Node.prototype, 'firstChild');
  const nextSibling = reader(Node.prototype, 'nextSibling');
  const textContent = reader(Node.prototype, 'textContent');
  const isConnected = reader(Node.prototype, 'isConnected');
  const ownerDocument = reader(Node.prototype, 'ownerDocument');
  const firstElementChild = reader(Element.prototype, 'firstElementChild');
  const nextElementSibling = reader(Element.prototype, 'nextElementSibling');
  const previousElementSibling = reader(Element.prototype, 'previousElementSibling');
  const rawTagName = reader(Element.prototype, 'tagName');
  const openRoot = reader(Element.prototype, 'shadowRoot');
  const elementSlot = reader(Element.prototype, 'assignedSlot');
  const textSlot = reader(Text.prototype, 'assignedSlot');
  const activeElementOf = reader(Document.prototype, 'activeElement');
  const styleSheetsOf = reader(Document.prototype, 'styleSheets');
  const adoptedSheetsOf = reader(Document.prototype, 'adoptedStyleSheets');

  const { getAttribute, hasAttribute, closest, matches, querySelectorAll, getElementsByTagName,
    getBoundingClientRect, checkVisibility } = Element.prototype;
  const { getRootNode, contains } = Node.prototype;

  const attribute = (element, name) => getAttribute.call(element, name);
  const has = (element, name) => hasAttribute.call(element, name);
  const rootOf = node => getRootNode.call(node);
  const rectOf = element => getBoundingClientRect.call(element);

  // Upper case for every namespace: 'DIV', 'SVG', 'TITLE'.
  const tagOf = element => {
    const name = rawTagName(element);
    return name.charCodeAt(0) > 96 ? name.toUpperCase() : name;
  };

  // Closed shadow roots are invisible to scripts. The engine can resolve one over CDP and pass it here; from
  // then on it is treated like an open one. Empty unless the engine does so.
  const closedRoots = new WeakMap();
  let hasClosedRoots = false;
  troupe.adoptClosedRoot = root => {
    closedRoots.set(root.host, root);
    hasClosedRoots = true;
  };

  const shadowOf = element =>
    openRoot(element) ?? (hasClosedRoots ? closedRoots.get(element) ?? null : null);

  // The slot that shows this node, or null. Only children of a shadow host have one.
  const slotOf = node => {
    const type = nodeType(node);
    const slot = type === 1 ? elementSlot(node) : type === 3 ? textSlot(node) : null;
    if (slot || !hasClosedRoots) return slot;
    const host = parentElement(node);
    const root = host && closedRoots.get(host);
    if (!root) return null;
    for (const candidate of root.querySelectorAll('slot'))
      if (candidate.assignedNodes().includes(node)) return candidate;
    return null;
  };

  // Parent element, or the host if the parent is a shadow root.
  const parentOrHost = element => {
    const parent = parentElement(element);
    if (parent) return parent;
    const node = parentNode(element);
    return node && nodeType(node) === Node.DOCUMENT_FRAGMENT_NODE ? node.host ?? null : null;
  };

  // Like closest(), continuing through the hosts of the shadow roots around the element.
  const closestAcross = (element, selector) => {
    for (let from = element; from;) {
      const found = closest.call(from, selector);
      if (found) return found;
      const root = rootOf(from);
      from = nodeType(root) === Node.DOCUMENT_FRAGMENT_NODE ? root.host ?? null : null;
    }
    return null;
  };

  // The elements of an id list, in the element's own tree; unknown ids and repeats are left out.
  const byIds = (element, ids) => {
    const found = [];
    if (!ids) return found;
    const root = rootOf(element);
    const query = root instanceof Document
      ? Document.prototype.querySelector
      : root instanceof DocumentFragment ? DocumentFragment.prototype.querySelector : null;
    if (!query) return found;
    for (const id of ids.split(' ')) {
      const target = id && query.call(root, '#' + CSS.escape(id));
      if (target && !found.includes(target)) found.push(target);
    }
    return found;
  };

  const inDocument = {
    byId: id => Document.prototype.getElementById.call(document, id),
    first: selector => Document.prototype.querySelector.call(document, selector),
    active: () => activeElementOf(document),
    hasFocus: () => Document.prototype.hasFocus.call(document),
    sheets: () => styleSheetsOf(document),
    adoptedSheets: () => adoptedSheetsOf(document),
    count: () => Document.prototype.getElementsByTagName.call(document, '*').length,
  };

  troupe.dom = {
    nodeType, nodeValue, parentElement, firstChild, nextSibling, textContent, isConnected,
    ownerDocument, firstElementChild, nextElementSibling, previousElementSibling,
    attribute, has, rootOf, rectOf, tagOf, shadowOf, slotOf, parentOrHost, closestAcross, byIds,
    inDocument,
    closest: (element, selector) => closest.call(element, selector),
    matches: (element, selector) => matches.call(element, selector),
    all: (element, selector) => querySelectorAll.call(element, selector),
    descendants: element => getElementsByTagName.call(element, '*'),
    contains: (element, other) => contains.call(element, other),
    passesVisibilityCheck: element => checkVisibility.call(element),
  };
})(globalThis.troupe);
