// Sessions that may read the clipboard, beside others that copy: a browser has one clipboard for all of its contexts.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { serve } from '../e2e/browser_support.mjs';
import { connect, police } from '../e2e/policy_support.mjs';

const page = '<title>Copy</title><textarea id="text"></textarea>';
const secret = 'copied by somebody else';

async function visit(agent, url) {
  await agent.call('browser_navigate', { url });
  return agent;
}
const evaluate = async (agent, script) => (await agent.call('browser_evaluate', { function: `async () => { ${script} }` })).text;

async function copy(agent) {
  await evaluate(agent, `text.value = '${secret}'; text.focus(); text.select();`);
  await agent.call('browser_press_key', { key: 'Control+c' });
}

async function paste(agent) {
  await evaluate(agent, "text.value = ''; text.focus();");
  await agent.call('browser_press_key', { key: 'Control+v' });
  return evaluate(agent, 'return text.value');
}

// A middle click pastes the primary selection: what was last selected by keyboard or mouse, without any copy.
async function selectByKey(agent) {
  await evaluate(agent, `text.value = '${secret}'; text.focus();`);
  await agent.call('browser_press_key', { key: 'Control+a' });
}

async function middleClick(agent) {
  await evaluate(agent, "text.value = ''; window.pasted = ''; onpaste = event => { pasted += event.clipboardData.getData('text/plain'); };");
  const clicked = await agent.call('browser_click', { element: 'text', target: '#text', button: 'middle' });
  assert.ok(!clicked.isError, clicked.text);
  return evaluate(agent, 'return text.value + pasted');
}

const read = agent => evaluate(agent, 'window.focus(); return navigator.clipboard.readText().catch(String)');

suite('What one session copies', { concurrency: 2 }, () => {
  // Without any, the first session has a profile and the others have contexts in memory.
  for (const isolation of ['--isolated', '--isolation=browser', '--headless']) {
    test(`is no other's to read or paste, with clipboard-read for all: ${isolation}`, async t => {
      const site = await serve(t, { '/': page });
      const server = await police(t, {}, { browser: { contextOptions: { permissions: ['clipboard-read', 'clipboard-write'] } } }, isolation);
      await visit(await connect(t, server), site);
      const [owner, intruder] = await Promise.all([connect(t, server), connect(t, server)].map(async agent => visit(await agent, site)));
      await copy(owner);
      assert.match(await read(owner), new RegExp(secret), 'its own');
      for (const seen of [await read(intruder), await paste(intruder), await evaluate(intruder, "text.focus(); document.execCommand('paste'); return text.value")])
        assert.doesNotMatch(seen, new RegExp(secret));
      // What a page writes without a key, too.
      await evaluate(owner, `await navigator.clipboard.writeText('${secret} by script')`);
      assert.match(await read(owner), /by script/);
      for (const seen of [await read(intruder), await paste(intruder)]) assert.doesNotMatch(seen, new RegExp(secret));
    });
  }

  // Options of the operator's own do not bring it back.
  const own = { args: ['--blink-settings=imagesEnabled=false'], ignoreDefaultArgs: ['--hide-scrollbars'] };
  for (const [isolation, launchOptions] of [['--isolated', {}], ['--isolated', own], ['--isolation=browser', {}], ['--headless', {}]]) {
    test(`is not pasted by another's middle click: ${isolation} ${JSON.stringify(launchOptions)}`, async t => {
      const site = await serve(t, { '/': page });
      const server = await police(t, {}, { browser: { launchOptions } }, isolation);
      const agents = await Promise.all(Array.from({ length: 3 }, async () => visit(await connect(t, server), site)));
      for (const owner of agents) {
        await selectByKey(owner);
        for (const intruder of agents.filter(agent => agent !== owner)) assert.doesNotMatch(await middleClick(intruder), new RegExp(secret));
      }
    });
  }

  test('is theirs who share a context', async t => {
    const site = await serve(t, { '/': page });
    const server = await police(t, {}, { browser: { contextOptions: { permissions: ['clipboard-read'] } } }, '--isolation=shared');
    const [owner, other] = [await visit(await connect(t, server), site), await visit(await connect(t, server), site)];
    await copy(owner);
    assert.match(await read(other), new RegExp(secret));
  });
});
