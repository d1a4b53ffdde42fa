// troupe.nextFrame(limit) -> Promise<boolean>: whether the next animation frame came within `limit` milliseconds.
(troupe => {
  // Tabs in the background of a user's browser have a frame a second, or none.
  const kInARow = 2; // misses until a tab counts as such a one, and frames in time until it does no longer
  const kSoon = 100; // milliseconds within which a tab that is drawn has a frame
  const kShortLimit = 20; // longer than the pause between two frames

  // A frame ends all waits. Only one is asked for at a time, because none of them may ever come.
  const waiting = new Set();
  let asked = 0; // when; 0: no frame is asked for
  let missed = 0;
  let soon = 0;
  const take = () => {
    soon = performance.now() - asked < kSoon ? soon + 1 : 0;
    if (soon >= kInARow) missed = 0;
    asked = 0;
    for (const end of [...waiting]) end(true);
  };

  troupe.nextFrame = limit =>
    new Promise(resolve => {
      const end = came => {
        clearTimeout(timer);
        waiting.delete(end);
        resolve(came);
      };
      const miss = () => {
        ++missed;
        soon = 0;
        end(false);
      };
      const timer = setTimeout(miss, missed < kInARow ? limit : Math.min(limit, kShortLimit));
      waiting.add(end);
      if (asked) return;
      asked = performance.now();
      requestAnimationFrame(take);
    });
})(globalThis.troupe);
