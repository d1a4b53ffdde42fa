// Element positions: boxes, scrolling, the point to click. Coordinates are CSS pixels of this frame's
// viewport.
(troupe => {
  const { isConnected, parentOrHost, rectOf } = troupe.dom;
  const { getClientRects, scrollIntoView, scrollIntoViewIfNeeded } = Element.prototype;

  const plainBox = ({ x, y, width, height }) => ({ x, y, width, height });

  // The bounding box of an element, or null if it is not rendered.
  troupe.boundingBox = element => getClientRects.call(element).length ? plainBox(rectOf(element)) : null;

  const scrollsSmoothly = element => {
    for (let at = element; at; at = parentOrHost(at)) {
      if (getComputedStyle(at).scrollBehavior === 'smooth') return true;
    }
    return false;
  };

  const isFullyShown = element => {
    const box = rectOf(element);
    const covers = area =>
      box.left >= area.left && box.top >= area.top && box.right <= area.right && box.bottom <= area.bottom;
    if (!covers({ left: 0, top: 0, right: innerWidth, bottom: innerHeight })) return false;
    for (let at = parentOrHost(element); at; at = parentOrHost(at)) {
      if (getComputedStyle(at).overflow !== 'visible' && at !== document.body && !covers(rectOf(at))) return false;
    }
    return true;
  };

  // Later attempts scroll differently: a sticky element may cover the place where the element first came to
  // rest.
  const alignments = [null, 'end', 'center', 'start'];

  // Scrolls instantly, in this frame and those around it; `attempt` counts from 0.
  troupe.scrollIntoViewIfNeeded = (element, { attempt = 0 } = {}) => {
    if (!isConnected(element)) return troupe.detached();
    const align = alignments[attempt % alignments.length];
    const scrollTo = place => scrollIntoView.call(element, { block: place, inline: place, behavior: 'instant' });
    if (align) scrollTo(align);
    else if (!getClientRects.call(element).length) return troupe.notYet('element is not visible');
    else if (!scrollsSmoothly(element)) scrollIntoViewIfNeeded.call(element, true);
    else if (!isFullyShown(element)) scrollTo('center');
    return { ok: true };
  };

  const clip = (box, area) => {
    const [left, right] = [Math.max(box.left, area.x), Math.min(box.right, area.x + area.width)];
    const [top, bottom] = [Math.max(box.top, area.y), Math.min(box.bottom, area.y + area.height)];
    return { x: left, y: top, width: Math.max(right - left, 0), height: Math.max(bottom - top, 0) };
  };

  const rounded = ({ x, y }) => ({ x: Math.trunc(x * 100) / 100, y: Math.trunc(y * 100) / 100 });

  const pointAt = (element, offset) => {
    const box = troupe.boundingBox(element);
    if (!box) return troupe.notYet('element is not visible');
    const style = getComputedStyle(element);
    const inside = side => parseInt(style[side] || '0', 10);
    const point = { x: box.x + inside('borderLeftWidth') + offset.x, y: box.y + inside('borderTopWidth') + offset.y };
    return { ok: true, point: rounded(point), box };
  };

  // The middle of the element's first visible part: a link over two lines has two parts. `viewport` is the
  // visible area in this frame's coordinates, if it is not the frame's own; `position` asks for a point
  // relative to the element's padding box instead.
  troupe.clickPoint = (element, { position, viewport } = {}) => {
    if (!isConnected(element)) return troupe.detached();
    if (position) return pointAt(element, position);
    const parts = [...getClientRects.call(element)];
    if (!parts.length) return troupe.notYet('element is not visible');
    const area = viewport ?? { x: 0, y: 0, width: innerWidth, height: innerHeight };
    // One pixel is enough to click; the tolerance is for rounding.
    const box = parts.map(part => clip(part, area)).find(({ width, height }) => width * height > 0.99);
    if (!box) return troupe.notYet('element is outside of the viewport');
    return { ok: true, point: rounded({ x: box.x + box.width / 2, y: box.y + box.height / 2 }), box };
  };
})(globalThis.troupe);
