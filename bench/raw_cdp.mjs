// The browser without a server in between: the least that any server can take.
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

import { scratch } from './peers.mjs';

export class RawBrowser {
  #id = 0;
  #waiting = new Map();
  #events = [];

  static async launch(executable) {
    const browser = new RawBrowser();
    browser.process = spawn(
      executable,
      ['--headless', '--no-sandbox', '--remote-debugging-pipe', '--no-first-run', '--hide-scrollbars', `--user-data-dir=${mkdtempSync(join(scratch, 'raw-'))}`, '--no-startup-window'],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
    );
    process.on('exit', () => browser.process.kill('SIGKILL'));
    let text = '';
    browser.process.stdio[4].setEncoding('utf8').on('data', piece => {
      text += piece;
      for (let end; (end = text.indexOf('\0')) >= 0; text = text.slice(end + 1)) browser.#take(JSON.parse(text.slice(0, end)));
    });
    const { browserContextId } = await browser.send('Target.createBrowserContext');
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank', browserContextId });
    browser.session = (await browser.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
    for (const domain of ['Page', 'Runtime', 'Network']) await browser.page(`${domain}.enable`);
    await browser.page('Emulation.setDeviceMetricsOverride', { width: 1280, height: 720, deviceScaleFactor: 1, mobile: false });
    return browser;
  }

  #take(message) {
    if (message.id) {
      const { done, fail } = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      return message.error ? fail(new Error(message.error.message)) : done(message.result);
    }
    const isWanted = each => each.method === message.method && (!each.session || each.session === message.sessionId);
    for (const wanted of this.#events.filter(isWanted)) wanted.done(message.params);
    this.#events = this.#events.filter(each => !isWanted(each));
  }

  send(method, params = {}, sessionId) {
    return new Promise((done, fail) => {
      this.#waiting.set(++this.#id, { done, fail });
      this.process.stdio[3].write(JSON.stringify({ id: this.#id, method, params, sessionId }) + '\0');
    });
  }
  page(method, params) {
    return this.send(method, params, this.session);
  }
  // Of any page, or of one.
  event(method, session) {
    return new Promise(done => this.#events.push({ method, session, done }));
  }
  // A page in a context of its own, prepared as an agent's is.
  async openPage() {
    const { browserContextId } = await this.send('Target.createBrowserContext');
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    for (const domain of ['Page', 'Runtime', 'Network']) await this.send(`${domain}.enable`, {}, sessionId);
    await this.send('Emulation.setDeviceMetricsOverride', { width: 1280, height: 720, deviceScaleFactor: 1, mobile: false }, sessionId);
    return new RawPage(this, sessionId, browserContextId);
  }
  async evaluate(expression) {
    const { result } = await this.page('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    return result.value;
  }
  async navigate(url) {
    const loaded = this.event('Page.loadEventFired');
    await this.page('Page.navigate', { url });
    await loaded;
  }
  async click(selector) {
    const { x, y } = await this.evaluate(`(() => { const { x, y } = document.querySelector('${selector}').getBoundingClientRect(); return { x: x + 5, y: y + 5 }; })()`);
    for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased']) await this.page('Input.dispatchMouseEvent', { type, x, y, button: type === 'mouseMoved' ? 'none' : 'left', clickCount: 1 });
  }
  close() {
    this.process.kill('SIGKILL');
  }
}

// One of many pages.
class RawPage {
  constructor(browser, session, context) {
    this.browser = browser;
    this.session = session;
    this.context = context;
  }
  send(method, params) {
    return this.browser.send(method, params, this.session);
  }
  async evaluate(expression) {
    const { result } = await this.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    return result.value;
  }
  async navigate(url) {
    const loaded = this.browser.event('Page.loadEventFired', this.session);
    await this.send('Page.navigate', { url });
    await loaded;
  }
  close() {
    return this.browser.send('Target.disposeBrowserContext', { browserContextId: this.context });
  }
}
