// Walks a subtree and builds the items of a snapshot.
(troupe => {
  const { nodeType, nodeValue, firstChild, nextSibling, attribute, has, tagOf, shadowOf,
    slotOf, descendants, inDocument } = troupe.dom;
  const { factsOf, boxOf, isInline, isHidden, acceptsPointer } = troupe.facts;
  const { textBefore, textAfter } = troupe.pseudo;
  const { mayHavePseudo, enterTree } = troupe.pseudoHints;
  const { roleOf, isPresentational } = troupe.roles;
  const { printedStates } = troupe.states;
  const { nameOf } = troupe.names;
  const { refFor } = troupe.refs;
  const { Item, Folder, flushText } = troupe.fold;
  const { squeeze, shortUrl } = troupe;

  class Walk {
    constructor({ depth }) {
      this.folder = new Folder(depth);
      this.active = inDocument.hasFocus() ? inDocument.active() : null;
      this.sources = [];
      this.skipsUndisplayed = inDocument.first('[aria-owns]') === null;
    }

    // The root item, with the content of `element` and its subtree.
    run(element) {
      const root = new Item(null, 'fragment', '', null);
      this.element(element, root);
      flushText(root);
      return root;
    }

    element(element, parent) {
      const facts = factsOf(element);
      if (facts.walked) return;
      facts.walked = true;
      if (facts.display === 'none' && this.skipsUndisplayed && showsNothing(facts, parent)) {
        parent.text += ' ';
        return;
      }

      const isShown = !isHidden(facts) || boxOf(facts).visible;
      const item = isShown ? this.open(facts, parent) : null;
      this.content(facts, item ?? parent, isShown);
      if (item) this.folder.close(item);
    }

    // null for elements without an item of their own: role=none, and inline text without a role.
    open(facts, parent) {
      const { element, tag } = facts;
      const isActive = element === this.active;
      if (isFrame(tag)) {
        const ref = boxOf(facts).visible ? refFor(element, 'iframe', '') : '';
        return this.annotate(this.folder.open(facts, 'iframe', '', parent, ref, null), isActive);
      }

      const role = roleOf(facts) ?? 'generic';
      if (isPresentational(role)) return null;
      if (role === 'generic' && hasOnlyText(element) && isInline(facts)) return null;

      this.sources.length = 0;
      const name = squeeze(nameOf(facts, false, this.sources));
      const sources = this.sources.length ? this.sources.slice() : null;
      const isReachable = boxOf(facts).visible && acceptsPointer(facts);
      const ref = isReachable ? refFor(element, role, name) : '';
      const item = this.folder.open(facts, role, name, parent, ref, sources);
      if ((tag === 'INPUT' || tag === 'TEXTAREA') && showsValue(element)) item.text = element.value;
      if (mayTakeText(tag, element) && troupe.isSecretField(element, name)) item.secret = troupe.textOfField(element);
      return this.annotate(item, isActive);
    }

    annotate(item, isActive) {
      item.isActive = isActive;
      item.states = printedStates(item.facts, item.role, isActive);
      item.isAriaHidden = attribute(item.facts.element, 'aria-hidden')?.toLowerCase() === 'true';
      return item;
    }

    // Adds the content of an element to `item`: its own, or else the nearest ancestor's.
    content(facts, item, isShown) {
      const { element, tag } = facts;
      const isApart = (facts.display || 'inline') !== 'inline' || tag === 'BR';
      item.text += isApart ? ' ' + textBefore(facts) : textBefore(facts);

      const assigned = tag === 'SLOT' ? element.assignedNodes() : [];
      if (assigned.length) {
        for (const node of assigned) this.node(node, item, isShown);
      } else {
        const shadow = shadowOf(element);
        for (let node = firstChild(element); node; node = nextSibling(node))
          if ((!shadow || !slotOf(node)) && (!isFrame(tag) || nodeType(node) === 3))
            this.node(node, item, isShown);
        if (shadow) for (let node = firstChild(shadow); node; node = nextSibling(node))
          this.node(node, item, isShown);
      }
      if (has(element, 'aria-owns')) {
        for (const id of attribute(element, 'aria-owns').split(/\s+/)) {
          const owned = inDocument.byId(id);
          if (owned) this.element(owned, item);
        }
      }

      item.text += isApart ? textAfter(facts) + ' ' : textAfter(facts);
      if (item.role === 'link' && has(element, 'href'))
        item.url = shortUrl(attribute(element, 'href'));
      if (item.role === 'textbox') {
        const placeholder = attribute(element, 'placeholder');
        if (placeholder !== null && placeholder !== item.name) item.placeholder = placeholder;
      }
    }

    // The text of a textbox is its value, not its content.
    node(node, item, isShown) {
      const type = nodeType(node);
      if (type === 1) this.element(node, item);
      else if (type === 3 && isShown && item.role !== 'textbox') item.text += nodeValue(node);
    }
  }

  // Its document is another frame; its child elements are never rendered.
  const isFrame = tag => tag === 'IFRAME' || tag === 'FRAME';

  const hasOnlyText = element => {
    const child = firstChild(element);
    return child !== null && nodeType(child) === 3 && nextSibling(child) === null;
  };

  const showsValue = element =>
    element.type !== 'checkbox' && element.type !== 'radio' && element.type !== 'file';

  const mayTakeText = (tag, element) =>
    tag === 'INPUT' || tag === 'TEXTAREA' || has(element, 'contenteditable');

  // A subtree that is not displayed adds only white space, unless style sheets give it text, a shadow tree
  // slots in other content, or an attribute in it belongs to the item around.
  const showsNothing = (facts, item) => {
    if (item.role === 'link' || item.role === 'textbox') return false;
    if (mayHavePseudo(facts.element) || shadowOf(facts.element)) return false;
    for (const element of descendants(facts.element)) {
      if (tagOf(element) === 'SLOT' || shadowOf(element) || mayHavePseudo(element)) return false;
    }
    return true;
  };

  troupe.walk = (element, options) => {
    enterTree(element);
    return new Walk(options).run(element);
  };
})(globalThis.troupe);
