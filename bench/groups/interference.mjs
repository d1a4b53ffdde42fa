// What a session notices of another one that is stuck, and what a page notices in a browser without a server.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Agent, executable, ours, serveSite } from '../agents.mjs';
import { scratch } from '../peers.mjs';
import { RawBrowser } from '../raw_cdp.mjs';
import { percentile, summarize } from '../stats.mjs';

export const title = 'Interference';

const scriptTime = 3000;
const endless = '() => { while (true); }';
const alertSoon = `() => { setTimeout(() => alert('hello'), 0); }`;

// One calm session, and neighbours that get stuck until it is over.
class Sessions {
  static async start(origin) {
    const sessions = new Sessions();
    const config = join(scratch, 'interference.json');
    writeFileSync(config, JSON.stringify({ session: { maxScriptTime: scriptTime } }));
    sessions.origin = origin;
    sessions.server = await ours.startOnHttp({ args: [`--config=${config}`] });
    sessions.calm = await sessions.#open('calm');
    return sessions;
  }
  async #open(name) {
    const agent = await Agent.connect(this.server, name);
    await agent.call('browser_navigate', { url: `${this.origin}/home` });
    return agent;
  }
  time() {
    return this.calm.time('browser_snapshot');
  }
  async openNeighbour(name) {
    this.neighbour = await this.#open(name);
  }
  async closeNeighbour() {
    await this.neighbour.call('browser_close').catch(() => {});
    this.neighbour.close();
  }
  async load(url) {
    await this.neighbour.call('browser_navigate', { url }).catch(() => {});
  }
  async spin() {
    await this.neighbour.call('browser_evaluate', { function: endless }).catch(() => {});
  }
  openDialog() {
    return this.neighbour.call('browser_evaluate', { function: alertSoon });
  }
  closeDialog() {
    return this.neighbour.call('browser_handle_dialog', { accept: true });
  }
  async follow(url) {
    await this.neighbour.call('browser_evaluate', { function: `() => { location.href = '${url}'; }` }).catch(() => {});
  }
  stop() {
    return this.server.stop();
  }
}

// The same over CDP.
class RawPages {
  static async start(origin) {
    const pages = new RawPages();
    pages.origin = origin;
    pages.browser = await RawBrowser.launch(executable);
    pages.calm = await pages.#open();
    return pages;
  }
  async #open() {
    const page = await this.browser.openPage();
    await page.navigate(`${this.origin}/home`);
    return page;
  }
  async time() {
    const begun = performance.now();
    await this.calm.evaluate('document.body.innerText + document.body.outerHTML');
    return performance.now() - begun;
  }
  async openNeighbour(name) {
    this.neighbour = await this.#open();
    const { browser, context } = this.neighbour;
    await browser.send('Browser.setDownloadBehavior', { behavior: 'allow', browserContextId: context, downloadPath: join(scratch, `raw-${name}`) });
  }
  closeNeighbour() {
    return this.neighbour.close();
  }
  load(url) {
    return this.neighbour.navigate(url);
  }
  async spin() {
    const spinning = this.neighbour.evaluate(`(${endless})()`).catch(() => {});
    await sleep(scriptTime);
    await this.neighbour.send('Runtime.terminateExecution');
    await spinning;
  }
  openDialog() {
    return this.neighbour.evaluate(`(${alertSoon})()`);
  }
  closeDialog() {
    return this.neighbour.send('Page.handleJavaScriptDialog', { accept: true });
  }
  follow(url) {
    return this.neighbour.evaluate(`location.href = '${url}'`);
  }
  stop() {
    this.browser.close();
  }
}

const ways = {
  'a page that takes 3 s': (side, origin) => side.load(`${origin}/slow`),
  'an endless script': side => side.spin(),
  'an open dialog': async side => {
    await side.openDialog();
    await sleep(2000);
    await side.closeDialog();
  },
  'a download of 20 MB': async (side, origin) => {
    await side.follow(`${origin}/download`);
    await sleep(2000);
  },
};

// As many calls as fit before `over` is true, one after the other.
async function timesOf(side, most, isOver = () => false) {
  const times = [];
  while (!isOver() && times.length < most) times.push(await side.time());
  return times;
}

// How many times as long the slowest calls take while a neighbour is stuck.
class Beside {
  alone = [];
  beside = [];
  ratios = [];

  async measure(side, origin, stick, round, calls) {
    await side.openNeighbour(round);
    await sleep(500);
    const alone = await timesOf(side, calls);
    let done = false;
    const being = stick(side, origin).then(() => (done = true));
    await sleep(100);
    const beside = await timesOf(side, calls, () => done);
    await being;
    await side.closeNeighbour();
    this.ratios.push(percentile(beside, 0.99) / percentile(alone, 0.99));
    this.alone.push(...alone);
    this.beside.push(...beside);
  }
  toString() {
    const show = fraction => [this.alone, this.beside].map(times => percentile(times, fraction).toFixed(1)).join(' and ');
    return `p50 ${show(0.5)}, p99 ${show(0.99)} of ${this.beside.length} calls`;
  }
}

export async function measure({ quick, rounds }) {
  const { origin, close } = await serveSite();
  const rows = [];
  const sessions = await Sessions.start(origin);
  const pages = await RawPages.start(origin);
  try {
    for (const side of [sessions, pages]) await timesOf(side, 50);
    for (const [name, stick] of Object.entries(ways)) {
      const [troupe, raw] = [new Beside(), new Beside()];
      await rounds(quick ? 2 : 7, quick ? 20 : 90, async round => {
        await troupe.measure(sessions, origin, stick, round, 600);
        await raw.measure(pages, origin, stick, round, 600);
      });
      rows.push({
        measure: `p99 of a call beside ${name}, of p99 alone`,
        unit: '×',
        better: 'less',
        limit: 1.2,
        troupe: summarize(troupe.ratios, 'less'),
        peers: [{ name: 'raw CDP', theirs: summarize(raw.ratios, 'less') }],
      });
      console.error(`${name}: alone and beside it, ms: ${troupe}; raw CDP: ${raw}`);
    }
  } finally {
    await sessions.stop();
    pages.stop();
    close();
  }
  return rows;
}
