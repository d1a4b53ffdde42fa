// One agent: makes random calls in its session, and holds every answer against its model.
import assert from 'node:assert/strict';

import { within } from '../e2e/support.mjs';
import { addressIn, Model, strangers } from './model.mjs';

// Longer than the server's own limits (see world.mjs), so that what comes later was overdue there.
const answerLimit = 60_000;

export class Agent {
  constructor(name, world) {
    this.name = name;
    this.world = world;
    this.random = world.random;
    this.model = new Model(name);
  }

  // The answer as {text, isError}, or {lost} when the connection or the server went away.
  async call(tool, args = {}) {
    const begun = performance.now();
    const answer = await this.attempt(tool, args);
    if (process.env.TRACE) console.log(`${this.name} ${tool} ${JSON.stringify(args)} ${Math.round(performance.now() - begun)} ms: ${answer.text.slice(0, 200).replaceAll('\n', ' | ')}`);
    return answer;
  }

  async attempt(tool, args) {
    const begun = performance.now();
    const { faults } = this.world;
    let result;
    try {
      const client = await this.world.client(this);
      const pending = client.call(tool, { ...args, sessionId: this.name });
      this.pending = pending;
      result = await within(pending, `${this.name}: ${tool} ${JSON.stringify(args)}`, answerLimit);
    } catch (error) {
      if (/took more than/.test(error.message)) throw error;
      this.model.doubt();
      return { lost: true, text: error.message, isError: true, disturbed: true };
    } finally {
      this.pending = undefined;
    }
    const text = result.content.map(part => part.text ?? '').join('\n');
    assert.deepEqual(strangers(text, this.name, this.world.isolation), [], `${this.name} sees another's page in the answer of ${tool}:\n${text}`);
    // What could not be restored is named in the answer; a fault may have met the call at any moment.
    const disturbed = this.world.wasDisturbed(begun, faults) || /^### Session/m.test(text);
    if (disturbed) this.model.doubt();
    return { text, isError: result.isError ?? false, disturbed };
  }

  // A call that nothing disturbed must work.
  async must(tool, args) {
    const answer = await this.call(tool, args);
    if (!answer.disturbed && this.model.certain)
      assert.equal(answer.isError, false, `${this.name}: ${tool} ${JSON.stringify(args)} failed:\n${answer.text}`);
    return answer;
  }

  async step() {
    const { model, random } = this;
    if (model.dialog) return this.handleDialog();
    if (model.current < 0 || !model.certain) return this.settleDown();
    const actions = [
      'navigate', 'navigate', 'look', 'look', 'type', 'popup', 'dialog', 'download', 'newTab', 'closeTab', 'selectTab', 'cancel', 'leave',
    ];
    return this[random.pick(actions)]();
  }

  // After a fault: within a few calls the session works again, and then its state is known.
  async settleDown() {
    const { model } = this;
    for (let attempt = 0, undisturbed = 0; ; ++attempt) {
      const url = model.nextUrl(this.world.origin);
      const answer = await this.call('browser_navigate', { url });
      if (!answer.isError && addressIn(answer.text) === url) {
        model.opened(url);
        // Tabs of before may be there again, whichever: from here on there is one.
        if (await this.closeOthers()) break;
      } else if (/dialog/.test(answer.text)) {
        await this.call('browser_handle_dialog', { accept: true });
      }
      // Faults come now and then, so that many attempts in a row mean that it is stuck.
      if (!answer.disturbed) ++undisturbed;
      if (undisturbed > 1) this.world.count('retry');
      assert.ok(undisturbed < 10 && attempt < 500, `${this.name}: the session does not recover:\n${answer.text}`);
    }
    model.certain = true;
  }

  async closeOthers() {
    for (;;) {
      const list = await this.call('browser_tabs', { action: 'list' });
      if (list.isError || list.disturbed) return false;
      const tabs = [...list.text.matchAll(/^- (\d+): (\(current\) )?/gm)];
      assert.ok(tabs.length > 0, list.text);
      if (tabs.length === 1) break;
      const other = tabs.find(([, , current]) => !current);
      const closed = await this.call('browser_tabs', { action: 'close', index: Number(other[1]) });
      if (closed.disturbed || closed.isError) return false;
    }
    this.model.tabs = [this.model.tabs[this.model.current]];
    this.model.current = 0;
    return true;
  }

  async navigate() {
    const url = this.model.nextUrl(this.world.origin);
    const answer = await this.must('browser_navigate', { url });
    if (answer.disturbed) return;
    assert.equal(addressIn(answer.text), url, answer.text);
    this.model.opened(url);
  }

  async look() {
    const answer = await this.must('browser_snapshot');
    if (answer.disturbed) return;
    assert.equal(addressIn(answer.text), this.model.tabs[this.model.current].url, answer.text);
    const { note } = this.model.tabs[this.model.current];
    if (note) assert.ok(answer.text.includes(note), `${note} is not in\n${answer.text}`);
  }

  async type() {
    const note = `note ${this.name} ${++this.model.count}`;
    const answer = await this.must('browser_type', { element: 'Note', target: '#note', text: note });
    if (!answer.disturbed) this.model.tabs[this.model.current].note = note;
  }

  async popup() {
    const answer = await this.must('browser_click', { element: 'popup', target: 'text=popup' });
    if (answer.disturbed) return;
    const { url } = this.model.tabs[this.model.current];
    this.model.tabs.push({ url: `${url.replace(/p*$/, '')}p` });
    const list = await this.must('browser_tabs', { action: 'list' });
    if (list.disturbed) return;
    assert.equal([...list.text.matchAll(/^- \d+: /gm)].length, this.model.tabs.length, list.text);
    this.model.certain = false; // which tab is current afterwards is the server's choice
  }

  async dialog() {
    const answer = await this.must('browser_click', { element: 'dialog', target: 'text=dialog' });
    if (answer.disturbed) return;
    assert.match(answer.text, new RegExp(`hello ${this.name}`));
    this.model.dialog = true;
  }

  async handleDialog() {
    await this.must('browser_handle_dialog', { accept: true });
    this.model.dialog = false;
  }

  async download() {
    await this.must('browser_click', { element: 'download', target: 'text=download' });
  }

  async newTab() {
    if (this.model.tabs.length >= 4) return this.closeTab();
    const answer = await this.must('browser_tabs', { action: 'new' });
    if (answer.disturbed) return;
    const url = this.model.nextUrl(this.world.origin);
    const opened = await this.must('browser_navigate', { url });
    if (opened.disturbed) return;
    this.model.tabs.push({ url });
    this.model.current = this.model.tabs.length - 1;
  }

  async closeTab() {
    if (this.model.tabs.length < 2) return this.navigate();
    const index = this.random.below(this.model.tabs.length);
    await this.must('browser_tabs', { action: 'close', index });
    this.model.certain = false;
  }

  async selectTab() {
    const index = this.random.below(this.model.tabs.length);
    const answer = await this.must('browser_tabs', { action: 'select', index });
    if (answer.disturbed) return;
    this.model.current = index;
    return this.look();
  }

  // Its answer never comes, and nobody waits for it.
  async cancel() {
    const client = await this.world.client(this).catch(() => undefined);
    if (!client) return this.model.doubt();
    const pending = client.call('browser_navigate', { url: `${this.world.origin}/slow?owner=${this.name}`, sessionId: this.name });
    pending.catch(() => {});
    await new Promise(resolve => setTimeout(resolve, this.random.below(200))); // at some moment of the call
    pending.cancel?.();
    this.model.doubt();
  }

  async leave() {
    await this.world.disconnect(this);
  }
}
