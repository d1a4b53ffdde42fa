// One attempt at a pointer action, all that comes before the input events in a single call: wait until the
// element is ready, bring it into view, choose the point, make sure that the point reaches the element.
(troupe => {
  const { isConnected } = troupe.dom;

  const inWords = ({ enabled }) => enabled ? 'visible, enabled and stable' : 'visible and stable';

  // `options`:
  //   attempt       0, 1, 2 …: later attempts scroll differently
  //   enabled       also wait for that; not for hovering or dropping. Default true
  //   force         go without any checks
  //   scrollFirst   for elements in frames, which hidden from view would stand still
  //   scroll        false leaves the page where it is
  //   position, viewport, frameVisible   as clickPoint and checkStates take them
  //   hit           false skips the hit test, for frames whose points cannot be told
  //   guard         'mouse', 'hover' or 'tap': watch over the events to come, see guardHit
  // Answers {ok, point, box} or as act_states.js says; `log` tells what was done, a line each.
  troupe.preparePointer = async (element, options = {}) => {
    const { attempt = 0, enabled = true, force = false, scroll = true } = options;
    const log = [];
    const answer = result => ({ ...result, log });
    const intoView = () => scroll ? troupe.scrollIntoViewIfNeeded(element, { attempt }) : { ok: true };

    if (!isConnected(element)) return answer(troupe.detached());
    if (options.scrollFirst) intoView();
    if (!force) {
      log.push(`waiting for element to be ${inWords({ enabled })}`);
      const states = enabled ? ['visible', 'enabled', 'stable'] : ['visible', 'stable'];
      const ready = await troupe.checkStates(element, states, options);
      if (!ready.ok) return answer(ready);
      log.push(`element is ${inWords({ enabled })}`);
    }
    log.push('scrolling into view if needed');
    const scrolled = intoView();
    if (!scrolled.ok) return answer(force ? forced(scrolled) : scrolled);
    log.push('done scrolling');
    const place = troupe.clickPoint(element, options);
    if (!place.ok) return answer(force ? forced(place) : place);
    if (force || options.hit === false) return answer(place);
    const target = troupe.retarget(element, 'link');
    const hit = troupe.hitTarget(target, place.point);
    if (!hit.ok) return answer(hit);
    if (options.guard) troupe.guardHit(target, options.guard);
    return answer(place);
  };

  // Without waiting, what is not so now is an error.
  const forced = result => result.detached ? result
    : troupe.never(result.reason.replace(/^element/, 'Element'));

  troupe.prepareClick = (element, options) => troupe.preparePointer(element, { guard: 'mouse', ...options });
  troupe.prepareHover = (element, options) =>
    troupe.preparePointer(element, { guard: 'hover', enabled: false, ...options });
  // The end of a drag: what is dragged may lie under the pointer then, so nothing is guarded.
  troupe.prepareDrop = (element, options) => troupe.preparePointer(element, { enabled: false, ...options });
})(globalThis.troupe);
