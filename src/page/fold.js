// The items of a snapshot, and how they are folded: items without information of their own are dropped.
//
// Items are opened and closed as the walk enters and leaves elements. Closing one applies the rules below, in
// order, and passes the rest to its parent: the item, its children, or nothing.
(troupe => {
  const { showsPointer } = troupe.facts;
  const { squeeze } = troupe;

  class Item {
    constructor(facts, role, name, parent) {
      this.facts = facts;            // null only for the root
      this.role = role;
      this.name = name;
      this.parent = parent;
      this.depth = parent ? parent.depth + 1 : -1;
      this.ref = '';
      this.states = '';              // as printed
      this.isActive = false;
      this.isAriaHidden = false;
      this.url = undefined;
      this.placeholder = undefined;
      this.secret = '';              // what a field for a password holds
      this.sources = null;           // elements the name came from
      this.hadItems = false;         // an item was opened below, even if it was dropped
      this.text = '';                // text since the last child, not yet squeezed
      this.children = [];            // items and strings
    }

    isPointer() {
      return this.ref !== '' && showsPointer(this.facts);
    }
  }

  const flushText = item => {
    if (item.text === '') return;
    const text = squeeze(item.text);
    if (text) item.children.push(text);
    item.text = '';
  };

  const isGeneric = item => item.role === 'generic';
  const onlyText = item =>
    (item.children.length === 1 && typeof item.children[0] === 'string' ? item.children[0] : '');

  // Clickable, with no clickable ancestor: folding it away would hide an action.
  const isClickRoot = item => {
    if (!item.isPointer()) return false;
    for (let up = item.parent; up; up = up.parent) if (up.isPointer()) return false;
    return true;
  };

  // Names taken from content are dropped if that content is printed anyway. `awaited` holds the elements that
  // contributed to an open item's name and are not printed so far.
  class Folder {
    constructor(maxDepth) {
      this.maxDepth = maxDepth;
      this.awaited = new Set();
    }

    open(facts, role, name, parent, ref, sources) {
      const item = new Item(facts, role, name, parent);
      item.ref = ref;
      if (!parent.hadItems) {
        parent.hadItems = true;
        if (isGeneric(parent)) this.markPrinted(parent);
      }
      if (ref !== '') {
        facts.item = item;
        if (sources) {
          item.sources = sources;
          for (const source of sources) if (source !== facts.element) this.awaited.add(source);
        }
        // A generic counts as printed only if it has structure; otherwise it only supplies text.
        if (!isGeneric(item)) this.markPrinted(item);
      }
      return item;
    }

    markPrinted(item) {
      const isBeyond = this.maxDepth && item.depth > this.maxDepth;
      if (item.ref !== '' && !isBeyond) this.awaited.delete(item.facts.element);
    }

    close(item) {
      const { parent } = item;
      flushText(item);
      if (item.name !== '' && onlyText(item) === item.name) item.children = [];

      // A decorative image.
      if (item.role === 'img' && item.name === '' && !item.children.length && !isClickRoot(item)) return;

      if (item.sources) this.dropRepeatedName(item);

      if (isGeneric(item)) {
        // <div><div>text</div></div> is printed as one.
        if (item.children.length === 1 && !item.isAriaHidden) {
          const [child] = item.children;
          if (typeof child !== 'string' && isGeneric(child) && child.name === '' && !child.isActive &&
              !child.isAriaHidden && onlyText(child) !== '')
            item.children = child.children;
        }

        // A wrapper that only repeats its parent's printed name.
        if (parent.name !== '' && !item.isActive && !item.isAriaHidden) {
          const text = item.name === '' ? onlyText(item) : item.children.length ? '' : item.name;
          if (text === parent.name) {
            if (item.ref !== '') this.awaited.add(item.facts.element);
            return;
          }
        }

        // A wrapper of one item, or of nothing.
        if (item.name === '' && item.children.length < 2 &&
            item.children.every(child => typeof child !== 'string' && child.ref !== '') &&
            (item.children.length || !isClickRoot(item))) {
          if (item.children.length) {
            flushText(parent);
            parent.children.push(item.children[0]);
          }
          return;
        }
      }
      flushText(parent);
      parent.children.push(item);
    }

    dropRepeatedName(item) {
      const { element } = item.facts;
      const sources = item.sources.filter(
        source => source !== element && troupe.facts.factsOf(source).item !== null);
      if (!sources.length) return;
      if (sources.every(source => !this.awaited.has(source))) item.name = '';
      else for (const source of sources) this.awaited.delete(source);
    }
  }

  troupe.fold = { Item, Folder, flushText, onlyText };
})(globalThis.troupe);
