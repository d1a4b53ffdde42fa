// What is in a password field is in no file, log or record, however it came there and however its field is named.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { serve } from '../e2e/browser_support.mjs';
import { startRecording } from '../e2e/record_support.mjs';
import { placesOf, recorded, written } from './written.mjs';

const fields = {
  type: '<input id=x type=password name=a>',
  label: '<label>Password <input id=x name=a></label>',
  labelledby: '<span id=l>Password</span><input id=x name=a aria-labelledby=l>',
  tokens: '<input id=x name=a autocomplete="section-a one-time-code">',
};
// How a text comes into the field, and what shows it later.
const roads = {
  type: (call, text) => call('browser_type', { element: 'field', target: '#x', text }),
  described: (call, text) => call('browser_type', { element: 'Password textbox', target: '#x', text }),
  slowly: (call, text) => call('browser_type', { element: 'field', target: '#x', text, slowly: true }),
  form: (call, text) => call('browser_fill_form', { fields: [{ element: 'field', target: '#x', name: 'field', type: 'textbox', value: text }] }),
  toolkit: (call, text) => call('fill', { selector: '#x', value: text }),
  keys: async (call, text) => {
    await call('browser_click', { element: 'field', target: '#x' });
    for (const key of text) await call('browser_press_key', { key });
  },
  sent: async (call, text) => {
    await call('browser_click', { element: 'field', target: '#x' });
    for (const key of text) await call('browser_press_key', { key });
    await call('browser_press_key', { key: 'Enter' });
  },
  script: (call, text) => call('browser_evaluate', { function: `field => { field.value = atob('${btoa(text)}'); }`, element: 'field', target: '#x' }),
  verified: async (call, text) => {
    await call('browser_type', { element: 'field', target: '#x', text });
    await call('browser_verify_value', { type: 'textbox', element: 'field', target: '#x', value: text });
    await call('browser_verify_value', { type: 'textbox', element: 'field', target: '#x', value: `${text}-not` });
  },
};

test('A password is neither recorded nor written', async t => {
  const site = await serve(t, {
    ...Object.fromEntries(Object.entries(fields).map(([name, html]) => [`/${name}`, `<title>${name}</title><form action=/done>${html}</form>`])),
    '/done': '<title>done</title>sent',
  });
  const server = await startRecording(t, ['--save-session', '--caps=core,history,sessions,toolkit,testing', '--log-level=trace', '--log-file=server.log']);
  const planted = [], ofPages = [];
  for (const field of Object.keys(fields)) {
    for (const [road, go] of Object.entries(roads)) {
      const agent = server.agent(`${field}-${road}`);
      const text = `Pw${planted.length}Zq83Lk`;
      planted.push(text);
      if (road === 'script') ofPages.push(text);
      await agent('browser_navigate', { url: `${site}/${field}` });
      await go(agent, text);
      if (road !== 'script') await agent('browser_evaluate', { function: '() => document.querySelector("#x")?.value ?? location.href' });
      const { text: shown } = await agent('browser_snapshot');
      assert.ok(shown.includes(text), `the agent's own answer to ${road} at ${field}: ${shown}`);
    }
  }
  server.process.kill('SIGTERM');
  await server.end();
  // At this level the log has the browser's messages, and pages do not choose which words it leaves out.
  const { 'server.log': log, ...places } = { ...recorded(server.database), ...await written(server.directory) };
  assert.deepEqual(placesOf(planted, places), []);
  assert.deepEqual(placesOf(planted.filter(text => !ofPages.includes(text)), { log }), []);
});
