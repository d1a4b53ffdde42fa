// User input in a document: scroll positions and field values. Read from one document and restored into
// another of the same URL.
(troupe => {
  const { tagOf } = troupe.dom;
  const mostElements = 20_000, longestValue = 262_144;

  // All elements, including those of open shadow trees; stops at a limit on very large pages.
  const elementsOf = () => {
    const found = [];
    const roots = [document];
    while (roots.length && found.length < mostElements) {
      for (const element of roots.pop().querySelectorAll('*')) {
        found.push(element);
        if (element.shadowRoot) roots.push(element.shadowRoot);
      }
    }
    return found.slice(0, mostElements);
  };

  // The path to an element: from the nearest ancestor with a unique id, down by index among the siblings; -1
  // enters a shadow tree.
  const pathTo = element => {
    const steps = [];
    for (let at = element; at; ) {
      const root = at.getRootNode();
      if (at.id && root.querySelectorAll(`#${CSS.escape(at.id)}`).length === 1) {
        steps.unshift(`#${at.id}`);
        if (root === document) break;
        at = root.host;
        steps.unshift(-1);
        continue;
      }
      const parent = at.parentNode;
      if (!parent || parent === document) break;
      steps.unshift([...parent.children].indexOf(at));
      if (parent.host) steps.unshift(-1);
      at = parent.host ?? parent;
    }
    return { tag: element.localName, name: element.getAttribute('name') ?? '', steps };
  };

  const follow = ({ tag, name, steps }) => {
    let at = document.documentElement, root = document;
    for (const step of steps) {
      if (step === -1) at = root = at?.shadowRoot;
      else at = typeof step === 'string' ? root?.querySelector(`#${CSS.escape(step.slice(1))}`) : at?.children?.[step];
      if (!at) break;
    }
    if (at?.localName === tag && (at.getAttribute('name') ?? '') === name) return at;
    // The element has moved; a unique name identifies it.
    const named = name ? document.querySelectorAll(`${tag}[name="${CSS.escape(name)}"]`) : [];
    return named.length === 1 ? named[0] : null;
  };

  const textOf = field => (troupe.isSecretField(field) ? { lost: 'passwords' } : { value: field.value });

  // The difference to the element's initial state; undefined if there is none.
  const changeOf = element => {
    switch (tagOf(element)) {
      case 'INPUT':
        if (['checkbox', 'radio'].includes(element.type)) return element.checked !== element.defaultChecked ? { checked: element.checked } : undefined;
        if (['hidden', 'button', 'submit', 'reset', 'image'].includes(element.type)) return undefined;
        if (element.type === 'file') return element.files.length ? { lost: 'files' } : undefined;
        if (element.value === element.defaultValue) return undefined;
        return textOf(element);
      case 'TEXTAREA':
        return element.value !== element.defaultValue ? textOf(element) : undefined;
      case 'SELECT': {
        const changed = [...element.options].some(option => option.selected !== option.defaultSelected);
        return changed ? { selected: [...element.options].flatMap((option, i) => (option.selected ? [[i, option.value]] : [])) } : undefined;
      }
    }
    const editable = element.getAttribute('contenteditable');
    if (editable === null || editable === 'false') return undefined;
    return troupe.isSecretField(element) ? { lost: 'passwords' } : { html: element.innerHTML };
  };

  // In one pass, so that the names of fields share their labels.
  troupe.saveDocument = () => troupe.pass(() => {
    const fields = [], scrolled = [], lost = {};
    const scroller = document.scrollingElement;
    for (const element of elementsOf()) {
      const change = changeOf(element);
      if (change?.lost) lost[change.lost] = (lost[change.lost] ?? 0) + 1;
      else if (change && JSON.stringify(change).length <= longestValue) fields.push({ ...pathTo(element), ...change });
      if (element !== scroller && (element.scrollTop || element.scrollLeft))
        scrolled.push({ ...pathTo(element), left: element.scrollLeft, top: element.scrollTop });
    }
    let storage = null;
    try {
      const items = Object.keys(sessionStorage).map(name => ({ name, value: sessionStorage.getItem(name) }));
      if (items.length && location.origin !== 'null') storage = { origin: location.origin, sessionStorage: items };
    } catch {
      // a document without storage
    }
    return { title: document.title, storage, document: { scroll: [scrollX, scrollY], scrolled, fields, lost } };
  });

  const announce = (element, ...names) => {
    for (const name of names) element.dispatchEvent(new Event(name, { bubbles: true, composed: name === 'input' }));
  };

  // The page gets the same events as for a person's input. Returns false if the element does not exist (yet).
  const putBack = field => {
    const element = follow(field);
    if (!element) return false;
    if ('value' in field) {
      if (element.value === field.value) return true;
      element.value = field.value;
      announce(element, 'input');
    } else if ('checked' in field) {
      if (element.checked === field.checked) return true;
      element.checked = field.checked;
      announce(element, 'input', 'change');
    } else if ('selected' in field) {
      const isSelected = (option, i) => field.selected.some(([index, value]) => index === i && value === option.value);
      const options = [...element.options];
      if (options.filter(isSelected).length < field.selected.length) return false;
      options.forEach((option, i) => (option.selected = isSelected(option, i)));
      announce(element, 'input', 'change');
    } else if (element.innerHTML !== field.html) {
      element.innerHTML = field.html;
      announce(element, 'input');
    }
    return true;
  };

  const scrollBack = ({ left, top }, place) => {
    place.scrollTo({ left, top, behavior: 'instant' });
    return Math.abs(place.scrollTop - top) <= 1 && Math.abs(place.scrollLeft - left) <= 1;
  };

  // Waits up to `timeout` milliseconds for elements that scripts have yet to create. Returns what could not
  // be restored.
  troupe.restoreDocument = async ({ scroll: [x, y], scrolled, fields }, timeout) => {
    const end = performance.now() + timeout;
    let fieldsLeft = fields, scrolledLeft = scrolled, atPlace = !x && !y;
    for (;;) {
      fieldsLeft = fieldsLeft.filter(field => !putBack(field));
      scrolledLeft = scrolledLeft.filter(each => {
        const element = follow(each);
        return !element || !scrollBack(each, element);
      });
      if (!atPlace && document.scrollingElement) atPlace = scrollBack({ left: x, top: y }, document.scrollingElement);
      if ((atPlace && !fieldsLeft.length && !scrolledLeft.length) || performance.now() >= end) break;
      await new Promise(resolve => setTimeout(resolve, 25));
    }
    return { fields: fieldsLeft.length, scroll: (atPlace ? 0 : 1) + scrolledLeft.length };
  };
})(globalThis.troupe);
