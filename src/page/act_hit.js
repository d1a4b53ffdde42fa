// Checks whether a click at a point reaches the element, or another element that covers it.
(troupe => {
  const { isConnected, parentOrHost, rectOf, rootOf, slotOf } = troupe.dom;

  const treesAround = element => {
    const trees = [];
    for (let at = element; at;) {
      const tree = rootOf(at);
      trees.unshift(tree);
      at = tree.host;
    }
    return trees;
  };

  // The topmost element at the point in one tree. elementsFromPoint omits elements without a box of their own
  // (display: contents), which elementFromPoint returns.
  const topmost = (tree, { x, y }) => {
    const lister = tree === document ? Document.prototype : ShadowRoot.prototype;
    const [first] = lister.elementsFromPoint.call(tree, x, y);
    const single = lister.elementFromPoint.call(tree, x, y);
    const isInFirst = single && first && parentOrHost(single) === first;
    return isInFirst && getComputedStyle(single).display === 'contents' ? single : first;
  };

  // Descends through the trees around the target while each one's hit is the host of the next.
  const hitAt = (target, point) => {
    let hit;
    const trees = treesAround(target);
    for (const [index, tree] of trees.entries()) {
      const found = topmost(tree, point);
      if (!found) break;
      hit = found;
      if (index + 1 < trees.length && found !== trees[index + 1].host) break;
    }
    return hit;
  };

  const above = element => slotOf(element) ?? parentOrHost(element);

  // The covering element and its container: the highest of its ancestors that does not contain the target as
  // well, such as the dialog that covers it.
  const describeObstacle = (path, target) => {
    const what = troupe.preview(path[0] ?? troupe.dom.inDocument.first(':root'));
    for (let at = target; at; at = parentOrHost(at)) {
      const shared = path.indexOf(at);
      if (shared >= 0) return shared > 1 ? `${what} from ${troupe.preview(path[shared - 1])} subtree` : what;
    }
    return what;
  };

  // {ok}, or {retry, reason, obstacle} with the element that intercepts the point. The hit may be inside the
  // target.
  troupe.hitTarget = (target, point) => {
    const path = [];
    let at = hitAt(target, point);
    for (; at && at !== target; at = above(at)) path.push(at);
    if (at) return { ok: true };
    const obstacle = describeObstacle(path, target);
    return { ...troupe.notYet(`${obstacle} intercepts pointer events`), obstacle };
  };

  const guardedEvents = {
    mouse: ['mousedown', 'mouseup', 'pointerdown', 'pointerup', 'click', 'auxclick', 'dblclick', 'contextmenu'],
    hover: ['mousemove'],
    tap: ['pointerdown', 'pointerup', 'touchstart', 'touchend', 'touchcancel'],
  };
  let endGuard;

  // Guards the coming input: if its first event would reach another element, the page gets none of its
  // events. `releaseHit` ends the guard and returns the result.
  troupe.guardHit = (target, kind = 'mouse') => {
    endGuard?.();
    let result;
    const listener = event => {
      if (!event.isTrusted) return;
      const at = event.touches?.[0] ?? event;
      result ??= troupe.hitTarget(target, { x: at.clientX, y: at.clientY });
      if (result.ok) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const options = { capture: true, passive: false };
    for (const type of guardedEvents[kind]) addEventListener(type, listener, options);
    endGuard = () => {
      for (const type of guardedEvents[kind]) removeEventListener(type, listener, options);
      endGuard = undefined;
      return result ?? { ok: true };
    };
  };
  troupe.releaseHit = () => endGuard?.() ?? { ok: true };

  const pointerEvents = ['pointermove', 'pointerover', 'mousemove', 'mouseover'];
  let endWatch;

  // Watches whether the pointer reaches this document from now on; `sawPointer` returns the result once.
  troupe.watchPointer = () => {
    endWatch?.();
    let seen = false;
    const listener = event => { seen ||= event.isTrusted; };
    for (const type of pointerEvents) addEventListener(type, listener, { capture: true, passive: true });
    endWatch = () => {
      for (const type of pointerEvents) removeEventListener(type, listener, { capture: true });
      endWatch = undefined;
      return seen;
    };
  };
  // A document that arrived meanwhile need not wait.
  troupe.sawPointer = () => endWatch?.() ?? true;

  const edges = style => ({
    left: parseInt(style.borderLeftWidth || '0', 10) + parseInt(style.paddingLeft || '0', 10),
    top: parseInt(style.borderTopWidth || '0', 10) + parseInt(style.paddingTop || '0', 10),
  });

  // The origin of a child frame's content in this frame, and whether the frame is transformed: then adding
  // the origin does not map points.
  troupe.frameOrigin = frame => {
    if (!isConnected(frame)) return troupe.detached();
    let transformed = false;
    for (let at = frame; at && !transformed; at = parentOrHost(at)) {
      transformed = getComputedStyle(at).transform !== 'none';
    }
    const box = rectOf(frame);
    const { left, top } = edges(getComputedStyle(frame));
    return { ok: true, x: box.x + left, y: box.y + top, transformed };
  };

  // Maps a point in this frame to a child frame, if nothing covers the frame there.
  troupe.framePoint = (frame, point) => {
    const origin = troupe.frameOrigin(frame);
    if (!origin.ok || origin.transformed) return origin;
    const hit = troupe.hitTarget(frame, point);
    return hit.ok ? { ok: true, point: { x: point.x - origin.x, y: point.y - origin.y } } : hit;
  };
})(globalThis.troupe);
