// Runs in the page's own world before its scripts: remembers timers that are still to come, so that the engine can
// tell a page that is about to change from one that has settled. Everything else stays as the browser made it.
(() => {
  const key = Symbol.for('troupe.timers');
  if (window[key]) return;
  const due = new Map();
  const { now } = performance;
  const time = now.bind(performance);

  const hook = (name, after) => {
    const native = window[name];
    window[name] = new Proxy(native, {
      apply: (target, self, args) => after(Reflect.apply(target, self, args), args),
    });
  };
  hook('setTimeout', (id, [, delay]) => {
    due.set(id, time() + (Number(delay) || 0));
    if (due.size > 500) prune();
    return id;
  });
  hook('clearTimeout', (result, [id]) => {
    due.delete(id);
    return result;
  });
  const prune = () => {
    const moment = time();
    for (const [id, at] of due) {
      if (at <= moment) due.delete(id);
    }
  };
  // Milliseconds until the last timer that goes off within `span` has gone off; 0 when there is none.
  const pending = span => {
    prune();
    const moment = time();
    let last = 0;
    for (const at of due.values()) {
      if (at - moment <= span) last = Math.max(last, at - moment);
    }
    return last;
  };
  Object.defineProperty(window, key, { value: Object.freeze({ pending }), enumerable: false });
})();
