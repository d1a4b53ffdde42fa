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
    for (const wanted of this.#events.filter(each => each.method === message.method)) wanted.done(message.params);
    this.#events = this.#events.filter(each => each.method !== message.method);
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
  event(method) {
    return new Promise(done => this.#events.push({ method, done }));
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
