// Policy: what rules, domains and secrets cost a call that they allow.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { compareClicks, ours, sessions } from '../click_costs.mjs';
import { scratch } from '../peers.mjs';
import { summarize } from '../stats.mjs';

export const title = 'Policy';

const policy = {
  secrets: { PASSWORD: 'correct horse battery staple', TOKEN: 'tok_1f6b0c5de93a4', CARD: '4000123412341234' },
  security: {
    allowedDomains: ['127.0.0.1', '*.example.com'],
    blockedDomains: ['*.ads.example.com'],
    blockedTools: ['browser_pdf_save', 'browser_run_code_unsafe'],
    rules: [{ session: 'admin-*', tools: ['*'] }, { session: 'agent-*', tools: ['browser_*'], rate: 1_000_000 }],
  },
};

export async function measure({ quick, rounds }) {
  const file = join(scratch, 'policy.json');
  writeFileSync(file, JSON.stringify(policy));
  const { speed, speedWithout, extra } = await compareClicks(ours('with rules', ['--config', file]), ours('without', []), quick, rounds);
  return [
    {
      measure: `clicks of ${sessions} sessions, under rules`, unit: '/s', better: 'more', troupe: summarize(speed, 'more'),
      peers: [{ name: 'no rules', theirs: summarize(speedWithout, 'more'), times: 0.98 }],
    },
    { measure: 'processor time of a click, for the rules', unit: '%', better: 'less', limit: 2, troupe: summarize([extra], 'less') },
  ];
}
