// troupe.changes(seen, limit) -> Promise<number>: the number of changes of the page so far, once it differs
// from `seen` and a moment has passed, or after `limit` milliseconds. Includes frames that scripts can reach.
(troupe => {
  const kMoment = 250;
  const kUnwatched = 5000; // stop watching after this long without a call
  const all = { subtree: true, childList: true, characterData: true, attributes: true };

  let count = 0;
  let isWatched = false;
  let wake = () => {};
  let ending;
  const observer = new MutationObserver(() => {
    ++count;
    wake();
  });
  const observe = observed => {
    observer.observe(observed, all);
    for (const frame of observed.querySelectorAll('iframe, frame')) {
      try {
        if (frame.contentDocument) observe(frame.contentDocument);
      } catch {
        // of another process
      }
    }
  };
  const sleep = milliseconds => new Promise(done => setTimeout(done, milliseconds));

  troupe.changes = async (seen, limit) => {
    clearTimeout(ending);
    observe(document);
    // Changes of a loaded page before this call went unseen, so count one.
    if (!isWatched && document.readyState === 'complete') ++count;
    isWatched = true;
    if (count === seen) {
      await Promise.race([new Promise(done => (wake = done)), sleep(limit)]);
      wake = () => {};
    }
    if (count !== seen) await sleep(kMoment);
    ending = setTimeout(() => {
      observer.disconnect();
      isWatched = false;
    }, kUnwatched);
    return count;
  };
})(globalThis.troupe);
