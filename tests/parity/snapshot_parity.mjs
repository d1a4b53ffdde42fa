// Every fixture page, snapshot by upstream (what browser_snapshot shows) and by our page script.
//
//   node snapshot_parity.mjs [part of a fixture's name …]
//
// A fixture may ask for options: <!-- snapshot: {"depth": 2, "boxes": true, "target": "#id"} -->.
// Identical means: the same text once refs are renumbered by order of appearance. "Same refs" is
// stricter: the numbers themselves are the same, too.
import fs from 'node:fs';
import { fixtureDirectory, launch, optionsOf, Ours, OURS_IS_RIGHT, renumber, serveFixtures, unifiedDiff, upstreamSnapshot } from './support.mjs';

const wanted = process.argv.slice(2);
const fixtures = fs.readdirSync(fixtureDirectory).filter(file => /\.x?html$/.test(file))
  .filter(file => !wanted.length || wanted.some(part => file.includes(part)));

const server = await serveFixtures();
const browser = await launch();
let identical = 0;
let sameRefs = 0;
let better = 0;
for (const file of fixtures) {
  const page = await browser.newPage();
  await page.goto(`${server.origin}/${file}`);
  await page.waitForTimeout(50);  // frames and images settle
  const options = optionsOf(file);
  const upstream = await upstreamSnapshot(page, options);
  const ours = await Ours.attach(page);
  const own = await ours.snapshot(options);
  await page.close();
  if (renumber(upstream) === renumber(own)) ++sameRefs;
  if (renumber(upstream, true) === renumber(own, true)) ++identical;
  else if (file in OURS_IS_RIGHT && !wanted.length) {
    ++better;
    console.log(`${file} differs on purpose: ${OURS_IS_RIGHT[file]}`);
  } else console.log(`--- ${file} upstream\n+++ ${file} ours\n${unifiedDiff(renumber(upstream, true), renumber(own, true))}\n`);
  if (process.env.SHOW_TEXT) console.log(`${file}\n${own}\n`);
}
await browser.close();
server.close();
console.log(`${identical} of ${fixtures.length} identical, ${sameRefs} with the same refs, ${better} different on purpose`);
process.exitCode = identical + better === fixtures.length ? 0 : 1;
