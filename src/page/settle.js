// troupe.settle(): whether the work begun in this document has finished, as far as it ends soon.
//
//   troupe.begin(channel)                              later work belongs to a new action
//   troupe.rest({ channel, span, since, frames }) -> Promise<boolean>
//
// channel  where hooks/activity.js answers in the page's own world
// span     milliseconds until this gives up and returns false
// since    animations that began within so many milliseconds count
// frames   true always waits two frames: then an action's changes are laid out, and observers have run
(troupe => {
  const kFrameLimit = 250; // a hidden tab has no frames
  const kIdleLimit = 50; // some pages are never idle
  const kUnexplained = 4; // consecutive frames with changes that no script requested

  const ask = (channel, question) => {
    let answer;
    const take = ({ lastEventId }) => {
      answer = JSON.parse(lastEventId);
    };
    performance.addEventListener(`${channel}.`, take);
    performance.dispatchEvent(new MessageEvent(channel, { lastEventId: JSON.stringify(question) }));
    performance.removeEventListener(`${channel}.`, take);
    return answer ?? [0, false, false];
  };

  const sleep = milliseconds => new Promise(done => setTimeout(done, milliseconds));
  const frame = () => troupe.nextFrame(kFrameLimit);
  // Resolves when immediate work is done: messages that scripts send themselves, rendering in slices.
  const idle = () => new Promise(done => requestIdleCallback(done, { timeout: kIdleLimit }));

  const animationsLeft = (span, since) => {
    let last = 0;
    for (const { startTime, currentTime, playState, effect } of document.getAnimations?.() ?? []) {
      if (playState !== 'running' || document.timeline.currentTime - startTime > since) continue;
      const left = effect.getComputedTiming().endTime - currentTime;
      if (left > last && left <= span) last = left;
    }
    return last;
  };
  const isInTransition = () => {
    try {
      return document.documentElement?.matches(':active-view-transition') ?? false;
    } catch {
      return false; // a browser without
    }
  };

  troupe.begin = channel => void ask(channel, ['begin']);

  troupe.rest = async ({ channel, span, since, frames }) => {
    const begun = performance.now();
    let mutations = 0;
    const observer = new MutationObserver(records => {
      mutations += records.length;
    });
    const all = { subtree: true, childList: true, characterData: true, attributes: true };
    let seesFrames = true;
    let unexplained = 0;
    const step = async () => {
      mutations = 0;
      seesFrames = (await frame()) || (await frame());
    };
    try {
      if (frames) {
        await frame();
        observer.observe(document, all);
        await step();
      } else {
        await idle();
        observer.observe(document, all);
      }
      for (;;) {
        const passed = performance.now() - begun;
        const left = span - passed;
        if (left <= 0) return false;
        const [timers, wantsFrame, hasOlder] = ask(channel, ['pending', left]);
        const wait = Math.max(timers, animationsLeft(left, since + passed));
        const isExplained = hasOlder || mutations === 0 || unexplained === kUnexplained;
        if (wait > 0) {
          await sleep(Math.min(wait, left));
          await step();
        } else if ((wantsFrame && seesFrames) || isInTransition()) {
          await step();
        } else if (!isExplained) {
          ++unexplained;
          await step();
        } else {
          return true;
        }
      }
    } finally {
      observer.disconnect();
    }
  };
})(globalThis.troupe);
