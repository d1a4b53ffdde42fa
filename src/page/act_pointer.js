// One attempt at a pointer action, up to the input events, in a single call: wait until the element is ready,
// scroll it into view, choose the point, check that the point reaches the element.
(troupe => {
  const { isConnected } = troupe.dom;

  const inWords = ({ enabled }) => enabled ? 'visible, enabled and stable' : 'visible and stable';

  // `options`:
  //   attempt       0, 1, 2 …: later attempts scroll differently
  //   enabled       also wait until enabled; not for hovering or dropping. Default true
  //   force         skip all checks
  //   scrollFirst   for elements in frames, which are not animated while out of view
  //   scroll        false does not scroll
  //   position, viewport, frameVisible   as for clickPoint and checkStates
  //   hit           false skips the hit test, for frames whose points cannot be mapped
  //   guard         'mouse', 'hover' or 'tap': guard the coming events, see guardHit
  // Returns {ok, point, box} or an answer of act_states.js; `log` lists the steps, a line each.
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

  // Without waiting, an unmet state is an error.
  const forced = result => result.detached ? result
    : troupe.never(result.reason.replace(/^element/, 'Element'));

  troupe.prepareClick = (element, options) => troupe.preparePointer(element, { guard: 'mouse', ...options });
  troupe.prepareHover = (element, options) =>
    troupe.preparePointer(element, { guard: 'hover', enabled: false, ...options });
  // The end of a drag: the dragged element may lie under the pointer then, so nothing is guarded.
  troupe.prepareDrop = (element, options) => troupe.preparePointer(element, { enabled: false, ...options });
})(globalThis.troupe);
