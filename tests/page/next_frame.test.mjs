// Waiting for animation frames, in tabs that have none, too.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, openPage } from './support.mjs';

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

test('a frame that comes ends the wait', async () => {
  const page = await openPage(browser, '<p>moving', { upstream: false });
  assert.deepEqual(await page.evaluate(() => Promise.all([troupe.nextFrame(10_000), troupe.nextFrame(10_000)])), [true, true]);
  await page.close();
});

test('a tab without frames is not waited for again and again, until it has some', async () => {
  const page = await openPage(browser, '<p>in the background', { upstream: false });
  const answer = await page.evaluate(async () => {
    const asked = [];
    window.requestAnimationFrame = callback => asked.push(callback);
    const late = new Promise(done => setTimeout(done, 5_000, 'late'));
    const missed = [await troupe.nextFrame(50), await troupe.nextFrame(50), await Promise.race([troupe.nextFrame(60_000), late])];
    const requests = asked.length;
    // A frame a second: too late to wait for.
    asked[0]();
    missed.push(await Promise.race([troupe.nextFrame(60_000), late]));
    // It is in front again.
    window.requestAnimationFrame = callback => setTimeout(callback);
    asked[1]();
    const came = [await troupe.nextFrame(60_000), await troupe.nextFrame(60_000)];
    window.requestAnimationFrame = callback => setTimeout(callback, 60);
    return { missed, requests, came: [...came, await troupe.nextFrame(60_000)] };
  });
  assert.deepEqual(answer, { missed: [false, false, false, false], requests: 1, came: [true, true, true] });
  await page.close();
});
