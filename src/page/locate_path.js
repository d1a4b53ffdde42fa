// The last resort: a CSS path such as `#menu > li:nth-child(3) > a`, if no visible property helps.
(troupe => {
  const { attribute, parentElement, previousElementSibling, rootOf } = troupe.dom;
  const { get: readClassList } = Object.getOwnPropertyDescriptor(Element.prototype, 'classList');
  const classList = element => readClassList.call(element);

  // In a document without shadow roots the browser evaluates the path; otherwise `>` has to cross them.
  const findAll = css => troupe.hostsBelow(document).length
    ? troupe.cssAll(troupe.parseCss(css), document) : troupe.nativeAll(document, css, true);
  const isFirst = (css, element) => troupe.hostsBelow(document).length
    ? findAll(css)[0] === element : Document.prototype.querySelector.call(document, css) === element;

  const withIndex = (css, element) => {
    const path = { engine: 'css', body: css, score: 10000000 };
    const found = findAll(css);
    return found.length === 1 ? [path] : [path, { engine: 'nth', body: String(found.indexOf(element)), score: 10000 }];
  };

  // `li`, or `li:nth-child(3)` if it is not the first of its kind.
  const byPlace = element => {
    let place = 1;
    let isFirstOfKind = true;
    for (let before = previousElementSibling(element); before; before = previousElementSibling(before)) {
      place++;
      if (troupe.nodeName(before) === troupe.nodeName(element)) isFirstOfKind = false;
    }
    const tag = troupe.tagCss(element);
    return isFirstOfKind ? tag : `${tag}:nth-child(${place})`;
  };

  // `.a`, `.a.b`, `.a.b.c` for class="a b c".
  const byClasses = element => {
    const classes = [...classList(element)].map(name => '.' + CSS.escape(name));
    return classes.map((_, index) => classes.slice(0, index + 1).join(''));
  };

  const isAloneIn = (parent, css) => troupe.nativeAll(parent, css, true).length === 1;

  // The tokens of a path that finds `target` first, each level as short as it can be.
  troupe.cssPath = target => {
    let below = '';
    for (let element = target; element; element = troupe.parentOf(element)) {
      const parent = parentElement(element) ?? rootOf(element);
      const name = attribute(element, 'id');
      const id = name ? [troupe.idCss(name)] : [];
      const classes = byClasses(element);
      const place = byPlace(element);
      for (const step of [...id, ...classes, place]) {
        if (isFirst(step + below, target)) return withIndex(step + below, target);
      }
      const level = id[0] ?? classes.find(css => isAloneIn(parent, css)) ?? place;
      below = ` > ${level}${below}`;
    }
    return withIndex(below.slice(3), target);
  };
})(globalThis.troupe);
