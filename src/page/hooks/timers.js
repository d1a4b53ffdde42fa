// Runs in the page's own world before its scripts: remembers timers that are still to come, so that the engine can
// tell a page that is about to change from one that has settled. Everything else stays as the browser made it.
(() => {
  const key = Symbol.for('troupe.timers');
  if (window[key]) return;
  // A timer belongs to the action during which it was set; one that an older timer sets again stays with the older
  // one, so that a page which polls for ever does not look as if every click had started that.
  let latest = 0;
  let running;
  const due = new Map();
  const time = performance.now.bind(performance);

  const prune = () => {
    const moment = time();
    for (const [id, { at }] of due) {
      if (at <= moment) due.delete(id);
    }
  };
  const { setTimeout: set, clearTimeout: clear } = window;
  window.setTimeout = new Proxy(set, {
    apply(target, self, args) {
      const action = running ?? latest;
      const [callback, delay] = args;
      if (typeof callback === 'function') {
        args[0] = function (...rest) {
          const outer = running;
          running = action;
          try {
            return Reflect.apply(callback, this, rest);
          } finally {
            running = outer;
          }
        };
      }
      const id = Reflect.apply(target, self, args);
      due.set(id, { at: time() + (Number(delay) || 0), action });
      if (due.size > 500) prune();
      return id;
    },
  });
  window.clearTimeout = new Proxy(clear, {
    apply(target, self, args) {
      due.delete(args[0]);
      return Reflect.apply(target, self, args);
    },
  });

  // This window's and those of frames whose scripts can be reached.
  const everywhere = visit => {
    visit(api);
    for (let i = 0; i < window.length; ++i) {
      try {
        window[i][key]?.everywhere(visit);
      } catch {
        // another origin
      }
    }
  };
  const begin = () => {
    ++latest;
  };
  // Milliseconds until the last thing that the action began and that ends within `span` has ended: timers, and
  // transitions and animations of the last `since` milliseconds. 0 when there is none.
  const pending = (span, since) => {
    prune();
    const moment = time();
    let last = 0;
    const consider = left => {
      if (left > last && left <= span) last = left;
    };
    for (const { at, action } of due.values()) {
      if (action === latest) consider(at - moment);
    }
    for (const animation of document.getAnimations?.() ?? []) {
      const { startTime, currentTime, playState } = animation;
      if (playState !== 'running' || document.timeline.currentTime - startTime > since) continue;
      consider(animation.effect.getComputedTiming().endTime - currentTime);
    }
    return last;
  };
  const api = Object.freeze({
    begin,
    pending,
    everywhere,
    beginAll: () => everywhere(each => each.begin()),
    pendingAll: (span, since) => {
      let last = 0;
      everywhere(each => {
        last = Math.max(last, each.pending(span, since));
      });
      return last;
    },
  });
  Object.defineProperty(window, key, { value: api, enumerable: false });
})();
