// The readers that tools call by name. A reader takes the elements that a selector matches and returns plain
// values, or null if it needs an element and there is none.
(troupe => {
  const { textContent, rectOf } = troupe.dom;

  const textOf = element => element.innerText ?? textContent(element);
  const attributesOf = element => Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value]));
  // In the page's viewport. `origin` is the origin of a child frame's viewport; `clip` cuts off what the
  // frame does not show.
  const boxOf = (element, { origin, clip }) => {
    const { x, y, width, height } = rectOf(element);
    if (!origin) return { x, y, width, height };
    const within = (value, most) => clip ? Math.min(Math.max(value, 0), most) : value;
    const [left, top] = [within(x, innerWidth), within(y, innerHeight)];
    const [right, bottom] = [within(x + width, innerWidth), within(y + height, innerHeight)];
    return { x: left + origin.x, y: top + origin.y, width: right - left, height: bottom - top };
  };
  const shorten = (text, limit) => text.length > limit ? `${text.slice(0, limit)}…` : text;
  const isEnabled = element => !!troupe.checkNow(element, ['enabled']).ok;

  const describe = (element, options) => ({
    tag: element.localName,
    text: shorten(textOf(element).replace(/\s+/g, ' ').trim(), 200),
    attributes: attributesOf(element),
    visible: troupe.isVisible(element),
    enabled: isEnabled(element),
    box: boxOf(element, options),
  });

  // The scrollable element; the page's own without an element.
  const scrolled = ([element], { x, y }) => {
    const place = element ?? document.scrollingElement ?? document.documentElement;
    place.scrollTo({ left: x ?? place.scrollLeft, top: y ?? place.scrollTop, behavior: 'instant' });
    return {
      x: place.scrollLeft,
      y: place.scrollTop,
      maxX: Math.max(0, place.scrollWidth - place.clientWidth),
      maxY: Math.max(0, place.scrollHeight - place.clientHeight),
    };
  };

  const readers = {
    text: ([element]) => element ? { text: textOf(element) } : null,
    attribute: ([element], { name }) => element ? { value: element.getAttribute(name) } : null,
    table: ([element]) => element ? troupe.readTable(element) : null,
    first: ([element], options) => element ? describe(element, options) : null,
    texts: elements => ({ texts: elements.map(textOf) }),
    elements: (elements, { limit = 100, ...options }) =>
      ({ total: elements.length, elements: elements.slice(0, limit).map(element => describe(element, options)) }),
    state: ([element]) => element
      ? { exists: true, visible: troupe.isVisible(element), enabled: isEnabled(element) }
      : { exists: false, visible: false, enabled: false },
    links: (elements, options) => troupe.readLinks(elements.length || options.scoped ? elements : [document], options),
    metadata: () => troupe.readMetadata(),
    viewport: () => ({ width: window.innerWidth, height: window.innerHeight, scale: window.devicePixelRatio }),
    caretToEnd: ([element]) => element ? troupe.beginTyping(element) : null,
    options: ([element]) => [...element?.options ?? []].map(({ value, label }) => ({ value, label })),
    timing: () => troupe.readTiming(),
    scroll: (elements, options) => elements.length || !options.scoped ? scrolled(elements, options) : null,
  };

  troupe.readElements = (reader, elements, options) => readers[reader](elements, options);
  troupe.readMatches = (reader, selector, options) =>
    troupe.readElements(reader, troupe.resolve(selector, options).elements ?? [], options);
})(globalThis.troupe);
