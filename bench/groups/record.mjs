// The record: what it spares an agent from reading, and what it costs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { common, compareClicks, fields, ours, servePage, sessions } from '../click_costs.mjs';
import { Peer, playwright, scratch } from '../peers.mjs';
import { summarize } from '../stats.mjs';

export const title = 'Record';

// Thirty steps: open, 28 fields, send.
const steps = origin => [
  ['browser_navigate', { url: origin }],
  ...fields.slice(0, 28).map(i =>
    i % 6 === 4 ? ['browser_select_option', { element: `option ${i}`, target: `#f${i}`, values: ['First'] }]
    : i % 6 === 5 ? ['browser_click', { element: `condition ${i}`, target: `#f${i}` }]
    : ['browser_type', { element: `field ${i}`, target: `#f${i}`, text: `value ${i}`, submit: false, slowly: true }]),
  ['browser_click', { element: 'Send', target: '#send' }],
];

// What there is to read of an answer, and of the snapshot that it may only link to. After each step an agent looks at
// the page, which is what it does next.
async function charactersOf(peer, origin, look = true) {
  const server = peer.startOnStdio();
  await server.client.initialize();
  let characters = 0;
  const call = async ([name, args]) => {
    const { content, isError } = await server.client.callTool(name, args);
    const text = content.map(part => part.text ?? '').join('');
    if (isError) throw new Error(`${name}: ${text}`);
    characters += text.length;
    const file = /\[Snapshot\]\(([^)]+)\)/.exec(text)?.[1];
    if (file) characters += readFileSync(join(scratch, file), 'utf8').length;
    return text.includes('### Snapshot') || !look;
  };
  try {
    for (const step of steps(origin)) if (!(await call(step)) && !step[0].includes('navigate')) await call(['browser_snapshot', {}]);
  } finally {
    await server.stop();
  }
  return characters;
}

const theirs = new Peer(playwright.name, playwright.command, { stdio: [...common, '--browser=chromium'] });

async function characters() {
  const { origin, close } = await servePage();
  try {
    const full = await charactersOf(ours('full', []), origin);
    const ref = await charactersOf(ours('ref', ['--response=ref']), origin, false);
    const delta = await charactersOf(ours('delta', ['--response=delta']), origin);
    const upstream = await charactersOf(theirs, origin);
    const row = (measure, value, peers) => ({ measure: `30 steps on a form, ${measure}`, unit: 'characters', better: 'less', troupe: summarize([value], 'less'), peers });
    const peer = (name, value, times) => ({ name, theirs: summarize([value], 'less'), times });
    return [
      row('full', full, [peer(theirs.name, upstream, 1)]),
      row('--response delta', delta, [peer('full', full, 5)]),
      row('--response ref', ref, [peer('full', full, 5)]),
    ];
  } finally {
    close();
  }
}

async function costs(quick, rounds) {
  const { speed, speedWithout, extra } = await compareClicks(ours('record on', []), ours('--no-record', ['--no-record']), quick, rounds);
  return [
    {
      measure: `clicks of ${sessions} sessions, recorded`, unit: '/s', better: 'more', troupe: summarize(speed, 'more'),
      peers: [{ name: '--no-record', theirs: summarize(speedWithout, 'more'), times: 0.97 }],
    },
    { measure: 'processor time of a click, for the record', unit: '%', better: 'less', limit: 3, troupe: summarize([extra], 'less') },
  ];
}

export async function measure({ quick, rounds }) {
  return [...(await characters()), ...(await costs(quick, rounds))];
}
