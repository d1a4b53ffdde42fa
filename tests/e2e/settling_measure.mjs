// Prints what the table of settling_kinds.mjs costs: whether the answer showed the change, and the time it took more than the
// same page without the change. Binaries are given as arguments and take turns; ROUNDS says how often (5).
//   node tests/e2e/settling_measure.mjs build/release/troupe [another ...]
import { resolve } from 'node:path';

import { Browser, serve } from './browser_support.mjs';
import { answers, beforeClick, lateChanges, onClick, onLoad, restlessPages } from './settling_kinds.mjs';

const rounds = Number(process.env.ROUNDS ?? 5);
const only = process.env.ONLY ? new RegExp(process.env.ONLY) : /./;
const binaries = process.argv.slice(2).map(path => resolve(path));
const ends = [];
const t = { after: end => ends.push(end) };

const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const cases = [
  ...lateChanges.flatMap(([name, script]) => [
    { name, when: 'navigate', html: onLoad(script), clicks: false },
    { name, when: 'click', html: onClick(script), clicks: true },
  ]),
  ...restlessPages.flatMap(([name, script]) => [
    { name: `never rests: ${name}`, when: 'navigate', html: beforeClick(script), clicks: false },
    { name: `never rests: ${name}`, when: 'click', html: beforeClick(script), clicks: true },
    { name: `never rests: ${name}`, when: 'click that begins it', html: onClick(script), clicks: true },
  ]),
].filter(({ name }) => only.test(name));
const plain = { navigate: onLoad(''), click: onClick(''), 'click that begins it': onClick('') };

async function measure(browser, url, clicks) {
  const timed = async call => {
    const begun = performance.now();
    const { snapshot } = await browser.call(...call);
    return { milliseconds: performance.now() - begun, isShown: /shown/.test(snapshot ?? '') };
  };
  const opened = await timed(['browser_navigate', { url }]);
  return clicks ? timed(['browser_click', { element: 'Go', target: 'button' }]) : opened;
}

try {
  const routes = { ...answers, ...Object.fromEntries(cases.map(({ html }, i) => [`/${i}`, html])) };
  for (const [when, html] of Object.entries(plain)) routes[`/${encodeURIComponent(when)}`] = html;
  const origin = await serve(t, routes);
  const peers = [];
  for (const binary of binaries) peers.push(await Browser.open(t, { binary }));
  console.log(`| late change | when | ${peers.map((_, i) => `shown (${i}) | added ms (${i})`).join(' | ')} |`);
  console.log(`| --- | --- | ${peers.map(() => '--- | ---').join(' | ')} |`);
  for (const [i, { name, when, clicks }] of cases.entries()) {
    const found = peers.map(() => ({ with: [], without: [], shown: 0 }));
    for (let round = 0; round < rounds; ++round) {
      for (const [which, browser] of peers.entries()) {
        found[which].without.push((await measure(browser, `${origin}/${encodeURIComponent(when)}`, clicks)).milliseconds);
        const { milliseconds, isShown } = await measure(browser, `${origin}/${i}`, clicks);
        found[which].with.push(milliseconds);
        found[which].shown += isShown;
      }
    }
    const cells = found.map(each => `${each.shown}/${rounds} | ${Math.round(median(each.with) - median(each.without))}`);
    console.log(`| ${name} | ${when} | ${cells.join(' | ')} |`);
  }
} finally {
  for (const end of ends.reverse()) await end();
}
