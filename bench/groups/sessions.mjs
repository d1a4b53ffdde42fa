// A hundred agents on one server, against nothing but the browser's own protocol, and against @playwright/mcp.
import { setTimeout as sleep } from 'node:timers/promises';

import { Agent, all, executable, mebibytes, numbered, ours, residentMegabytes, serveSite, steps, theirs } from '../agents.mjs';
import { RawBrowser } from '../raw_cdp.mjs';
import { median, percentile, summarize } from '../stats.mjs';

export const title = 'Sessions';

const one = value => summarize([value], 'less');
const since = begun => performance.now() - begun;

// Calls a probe again and again, a little apart; stop() gives how long each took.
function probing(agent) {
  const times = [];
  let on = true;
  const done = (async () => {
    while (on) {
      times.push(await agent.time('browser_snapshot'));
      await sleep(10);
    }
  })();
  return { stop: async () => ((on = false), await done, times) };
}

// Calls a second of all agents together.
async function rate(agents, origin, seconds) {
  await all(agents, agent => agent.call(...steps[0](origin)));
  const begun = performance.now();
  let calls = 0;
  await all(agents, async agent => {
    for (let i = 0; since(begun) < seconds * 1000; ++i) {
      await agent.call(...steps[i % steps.length](origin));
      ++calls;
    }
  });
  return calls / (since(begun) / 1000);
}

async function connectAll(server, names) {
  const agents = [];
  for (const name of names) agents.push(await Agent.connect(server, name));
  return agents;
}

// Everybody comes at once to a server that has just begun to work.
async function measureRush(origin, count, busy, seconds) {
  const server = await ours.startOnHttp();
  try {
    const few = await connectAll(server, numbered(10));
    await all(few, agent => agent.open(origin));
    await all(few, agent => agent.work(origin));
    await sleep(1500);
    const memoryOfFew = mebibytes(server.pid);
    await all(few, agent => agent.call('browser_close'));

    const agents = await connectAll(server, numbered(count));
    const begun = performance.now();
    await all(agents, agent => agent.open(origin));
    const opened = since(begun);
    let failed = 0;
    const worked = performance.now();
    await all(agents, agent => agent.work(origin).catch(error => (console.error(String(error)), ++failed)));
    console.error(`${count} sessions: ${failed} failed; all worked in ${(since(worked) / 1000).toFixed(1)} s`);
    await sleep(1500);
    const perSession = (mebibytes(server.pid) - memoryOfFew) / (count - few.length);
    const resident = residentMegabytes(server.pid);
    const calls = await rate(agents.slice(0, busy), origin, seconds);
    return { opened, failed, perSession, resident, calls };
  } finally {
    await server.stop();
  }
}

// One works, and others come: one by one, then all at once.
async function measureBeside(origin, count) {
  const server = await ours.startOnHttp();
  try {
    const probe = await Agent.connect(server, 'probe');
    await probe.open(origin);
    await sleep(2500); // the pool has what it wants to have
    const [warm, first] = [[], []];
    for (let i = 0; i < 15; ++i) {
      const agent = await Agent.connect(server, `first-${i}`);
      first.push(await agent.time('browser_navigate', { url: `${origin}/login` }));
      warm.push(await agent.time('browser_navigate', { url: `${origin}/login` }));
      await agent.call('browser_close');
      agent.close();
      await sleep(700);
    }
    const agents = await connectAll(server, numbered(count));
    const alone = probing(probe);
    await sleep(4000);
    const aloneTimes = await alone.stop();
    const meanwhile = probing(probe);
    const begun = performance.now();
    await all(agents, agent => agent.open(origin));
    const openedBeside = since(begun);
    const meanwhileTimes = await meanwhile.stop();
    return {
      openedBeside,
      first: Math.max(0, median(first) - median(warm)),
      slower: percentile(meanwhileTimes, 0.95) / percentile(aloneTimes, 0.95),
    };
  } finally {
    await server.stop();
  }
}

async function measureRaw(origin, count, busy, seconds) {
  const browser = await RawBrowser.launch(executable);
  try {
    const few = await all(numbered(10), () => browser.openPage());
    await all(few, page => page.navigate(`${origin}/home`));
    await sleep(1500);
    const memoryOfFew = mebibytes(browser.process.pid);
    const begun = performance.now();
    const pages = await all(numbered(count), async () => {
      const page = await browser.openPage();
      await page.navigate(`${origin}/home`);
      return page;
    });
    const opened = since(begun);
    await sleep(1500);
    const perSession = (mebibytes(browser.process.pid) - memoryOfFew) / count;
    let calls = 0;
    const from = performance.now();
    await all(pages.slice(0, busy), async page => {
      for (let i = 0; since(from) < seconds * 1000; ++i, ++calls) {
        if (i % 4 === 0) await page.navigate(`${origin}/home`);
        else await page.evaluate(i % 4 === 1 ? 'document.body.innerText' : i % 4 === 2 ? `first.focus(), first.value = 'Ann'` : 'save.click()');
      }
    });
    return { opened, perSession, calls: calls / (since(from) / 1000) };
  } finally {
    browser.close();
  }
}

// It loses calls when there are many, so each is counted or not.
async function measureTheirs(origin, busy, seconds) {
  const server = await theirs.startOnHttp();
  try {
    const agents = await connectAll(server, numbered(busy));
    const opened = [];
    const limit = sleep(60_000, 'late');
    const few = agents.slice(0, 5);
    await all(few, agent => agent.open(origin));
    await sleep(1500);
    const memoryOfFew = mebibytes(server.pid);
    await Promise.race([
      limit,
      all(agents, agent => agent.open(origin).then(() => opened.push(agent), () => {})),
    ]);
    await sleep(1500);
    const perSession = (mebibytes(server.pid) - memoryOfFew) / Math.max(1, opened.length - few.length);
    let calls = 0;
    const from = performance.now();
    await Promise.race([
      sleep(seconds * 1000),
      all(opened, async agent => {
        for (let i = 0; since(from) < seconds * 1000; ++i) {
          await agent.call(...steps[i % steps.length](origin)).then(() => ++calls, () => {});
        }
      }),
    ]);
    console.error(`${theirs.name}: ${opened.length} of ${busy} sessions opened`);
    return { perSession, calls: calls / (since(from) / 1000) };
  } finally {
    await server.stop();
  }
}

export async function measure({ quick }) {
  const count = quick ? 20 : 100;
  const busy = quick ? 10 : 50;
  const seconds = quick ? 3 : 10;
  const { origin, close } = await serveSite();
  try {
    const raw = await measureRaw(origin, count, busy, seconds);
    const us = { ...(await measureRush(origin, count, busy, seconds)), ...(await measureBeside(origin, count)) };
    const them = await measureTheirs(origin, busy, seconds);
    const row = (measure, unit, better, key, { limit, times } = {}) => ({
      measure,
      unit,
      better,
      limit,
      troupe: one(us[key]),
      peers: [
        ...(raw[key] !== undefined ? [{ name: 'raw CDP', theirs: one(raw[key]), times: times?.raw }] : []),
        ...(them[key] !== undefined ? [{ name: theirs.name, theirs: one(them[key]), times: times?.them }] : []),
      ],
    });
    return [
      row(`${count} sessions open, first page shown`, 'ms', 'less', 'opened', { times: { raw: 1 / 1.3 } }),
      row('  a further session, all processes', 'MiB', 'less', 'perSession', { limit: 30 }),
      row(`  the server's own process at ${count}`, 'MB', 'less', 'resident', { limit: 60 }),
      row('  of them failed or saw what is another\'s', '', 'less', 'failed', { limit: 0 }),
      row(`  calls of ${busy} at once`, '/s', 'more', 'calls', { times: { them: 3 } }),
      row(`  the same beside a session that works`, 'ms', 'less', 'openedBeside'),
      row('  p95 of that session meanwhile, of p95 before', '×', 'less', 'slower', { limit: 2 }),
      row('  first answer on a warm pool, above a later one', 'ms', 'less', 'first', { limit: 15 }),
    ];
  } finally {
    close();
  }
}
