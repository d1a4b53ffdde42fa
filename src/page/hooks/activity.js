// Runs before the page's scripts, in their own world, and in workers: tracks the page's pending work (timers,
// frames, delayed tasks), so that the engine can tell a page that is about to change from one that has
// settled. The engine asks with an event on `performance` whose name only it and this script know.
//
// The page cannot detect it: functions print as the native ones that they replace, callbacks run without a
// frame of ours on their stack, and no property is added anywhere.
(channel => {
  const scope = globalThis;
  const { CustomEvent, Error, MessageEvent, Proxy, TypeError, performance, queueMicrotask } = scope;
  const { apply } = Reflect;
  const { create, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, hasOwn } = Object;
  const { parse, stringify } = JSON;
  const { captureStackTrace } = Error;
  const { max } = Math;
  // Arrays are read by index, since pages may have changed their iteration.
  const now = performance.now.bind(performance);
  const { addEventListener, dispatchEvent } = EventTarget.prototype;
  const dispatch = (target, event) => apply(dispatchEvent, target, [event]);
  const listen = (name, handler) => apply(addEventListener, performance, [name, handler]);

  // A window's own getters: pages may have replaced `window.length`.
  const getter = (name, otherwise) => getOwnPropertyDescriptor(scope, name)?.get ?? otherwise;
  const lengthOf = getter('length', () => 0);
  const performanceOf = getter('performance', () => undefined);
  // The same of another window: nothing if that has another origin.
  const performanceIn = window => {
    try {
      return apply(performanceOf, window, []);
    } catch {
      return undefined;
    }
  };

  // Windows of one origin can compare their functions, so they share the map from replacements to originals.
  const shared = { originals: undefined };
  const meet = target => {
    if (target && !shared.originals) dispatch(target, new CustomEvent(`${channel}=`, { detail: shared }));
  };
  meet(performance);
  if (shared.originals) return; // ran in this document before
  for (const window of [scope.parent, scope.opener, scope.top]) {
    if (window && window !== scope) meet(performanceIn(window));
  }
  const originals = (shared.originals ??= new WeakMap());
  const originalOf = WeakMap.prototype.get.bind(originals);
  listen(`${channel}=`, ({ detail }) => {
    detail.originals = originals;
  });

  // A window has its functions itself, a worker inherits them.
  const ownerOf = (object, name) => (!object || hasOwn(object, name) ? object : ownerOf(getPrototypeOf(object), name));
  // Replaces a function by `around(native, self, args)`.
  const replace = (object, name, around) => {
    const owner = ownerOf(object, name);
    const property = owner && getOwnPropertyDescriptor(owner, name);
    if (typeof property?.value !== 'function') return;
    const handler = {
      __proto__: null,
      apply(native, self, args) {
        try {
          return around(native, self, args);
        } catch (error) {
          // Makes the stack look as if the native function had been called from here.
          if (error instanceof TypeError) captureStackTrace(error, handler.apply);
          throw error;
        }
      },
    };
    const value = new Proxy(property.value, handler);
    originals.set(value, property.value);
    defineProperty(owner, name, { ...property, value });
  };
  replace(Function.prototype, 'toString', (native, self, args) => apply(native, originalOf(self) ?? self, args));

  // Work belongs to the action during which it was begun. Work begun by a callback belongs to the callback's
  // action, so that an endlessly polling page does not look as if every click had started the polling.
  //
  // A link is one step of such a chain. Steps that repeat (an interval's ticks, a callback that schedules
  // itself again, a chain of many steps) spend an allowance; work whose chain has spent it is no longer
  // awaited.
  const kAllowance = 250; // milliseconds, as if all timers were punctual
  const kFrame = 10; // cost of an animation frame: 25 frames in a row are awaited
  const kMinDelay = 4; // min cost of a timer in a chain of timers
  const kLate = 5; // milliseconds after which work that does not report its end counts as done: timers are rounded up
  const kSingle = 5; // steps of a chain before it counts as repeating
  const kHops = 16; // steps of a promise chain that still belong to the callback before it
  let latest = 0;
  let running;
  let hops = 0;
  let made = 0;
  const works = create(null);

  const nextLink = (callback, cost) => {
    if (!running) return { action: latest, spent: 0, depth: 0, callback };
    const repeats = running.callback === callback || running.depth >= kSingle;
    const spent = running.spent + (repeats ? cost : 0);
    return { action: running.action, spent, depth: running.depth + 1, callback };
  };
  const hop = () => {
    if (--hops > 0) queueMicrotask(hop);
    else running = undefined;
  };
  const enter = link => {
    running = link;
    hops = kHops;
    queueMicrotask(hop);
  };
  // The callback with a notification of its call. The browser finds no trap and calls the function itself.
  const noticed = (callback, notice) =>
    new Proxy(callback, {
      __proto__: null,
      get apply() {
        notice();
        return undefined;
      },
    });
  // Accepts only values that need no conversion by the page's own code.
  const milliseconds = value => (typeof value === 'number' || typeof value === 'string' ? max(+value || 0, 0) : 0);
  const forget = (prefix, id) => {
    if (typeof id === 'number' || typeof id === 'string') delete works[prefix + id];
  };

  // Wraps a one-time callback: `begin` passes args[0] on and returns the browser's id for it.
  const once = (prefix, work, args, begin) => {
    let key;
    const callback = args[0];
    if (typeof callback === 'function') {
      args[0] = noticed(callback, () => {
        delete works[key];
        enter(work.link);
      });
      work.tells = true;
    }
    const id = begin();
    key = prefix + (typeof id === 'number' ? id : ++made);
    works[key] = work;
    return id;
  };
  const timer = (callback, delay) => ({ at: now() + delay, link: nextLink(callback, max(delay, kMinDelay)) });

  replace(scope, 'setTimeout', (native, self, args) =>
    once('t', timer(args[0], milliseconds(args[1])), args, () => apply(native, self, args)),
  );
  replace(scope, 'setInterval', (native, self, args) => {
    const callback = args[0];
    const every = max(milliseconds(args[1]), kMinDelay);
    const work = timer(callback, every);
    if (typeof callback === 'function') {
      work.tells = true;
      args[0] = noticed(callback, () => {
        work.at = now() + every;
        work.link.spent += every;
        enter(work.link);
      });
    }
    const id = apply(native, self, args);
    works[`t${id}`] = work;
    return id;
  });
  const frame = callback => ({ isNext: true, link: nextLink(callback, kFrame) });
  for (const name of ['requestAnimationFrame', 'webkitRequestAnimationFrame']) {
    replace(scope, name, (native, self, args) => once('f', frame(args[0]), args, () => apply(native, self, args)));
  }
  replace(scope, 'requestIdleCallback', (native, self, args) =>
    once('i', frame(args[0]), args, () => apply(native, self, args)),
  );
  for (const [name, prefix] of [
    ['clearTimeout', 't'],
    ['clearInterval', 't'],
    ['cancelAnimationFrame', 'f'],
    ['webkitCancelAnimationFrame', 'f'],
    ['cancelIdleCallback', 'i'],
  ]) {
    replace(scope, name, (native, self, args) => {
      forget(prefix, args[0]);
      return apply(native, self, args);
    });
  }
  replace(scope.Scheduler?.prototype, 'postTask', (native, self, args) => {
    const delay = getOwnPropertyDescriptor(Object(args[1]), 'delay')?.value;
    return once('x', timer(args[0], milliseconds(delay)), args, () => apply(native, self, args));
  });
  const alone = delay => {
    works[`x${++made}`] = timer(undefined, delay);
  };
  replace(scope.AbortSignal, 'timeout', (native, self, args) => {
    const signal = apply(native, self, args);
    alone(milliseconds(args[0]));
    return signal;
  });
  replace(scope.Atomics, 'waitAsync', (native, self, args) => {
    const waiting = apply(native, self, args);
    if (waiting.async && args.length > 3) alone(milliseconds(args[3]));
    return waiting;
  });

  // [milliseconds until the last work of the action that ends within `span`, whether a frame is requested,
  // whether older work is pending]
  const pending = span => {
    const moment = now();
    let last = 0;
    let wantsFrame = false;
    let hasOlder = false;
    for (const key in works) {
      const { at, isNext, tells, link } = works[key];
      if (!isNext && at + kLate <= moment && !tells) {
        delete works[key];
        continue;
      }
      const left = isNext ? 0 : max(at - moment, 1); // overdue work is about to be called
      if (left > span) continue;
      if (link.action !== latest || link.spent > kAllowance) hasOlder = true;
      else if (isNext) wantsFrame = true;
      else last = max(last, left);
    }
    return [last, wantsFrame, hasOlder];
  };
  const ask = (target, question) => {
    const box = { answer: undefined };
    dispatch(target, new CustomEvent(`${channel}!`, { detail: { question, box } }));
    return box.answer;
  };
  // The answers of this window and of frames whose scripts can be reached.
  const answer = question => {
    const begins = question[0] === 'begin';
    if (begins) ++latest;
    const found = begins ? [0, false, false] : pending(question[1]);
    const count = apply(lengthOf, scope, []);
    for (let i = 0; i < count; ++i) {
      const inside = performanceIn(scope[i]);
      const more = inside && ask(inside, question);
      if (!more) continue;
      found[0] = max(found[0], more[0]);
      found[1] ||= more[1];
      found[2] ||= more[2];
    }
    return found;
  };
  listen(`${channel}!`, ({ detail }) => {
    detail.box.answer = answer(detail.question);
  });
  // Only strings cross between worlds.
  listen(channel, ({ lastEventId }) => {
    dispatch(performance, new MessageEvent(`${channel}.`, { lastEventId: stringify(answer(parse(lastEventId))) }));
  });
})('TROUPE_CHANNEL');
