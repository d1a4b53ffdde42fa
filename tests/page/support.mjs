// What the page tests share: a browser with our page script, and beside it the one of playwright-core to
// compare with.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const repository = path.resolve(here, '../..');
const require = createRequire(path.join(repository, 'tests/e2e/package.json'));

export const fixtures = path.join(repository, 'tests/fixtures');

// The page script as the binary embeds it.
export const pageScript = () => fs.readFileSync(path.join(repository, 'src/page/order.txt'), 'utf8').split('\n')
  .filter(line => line.endsWith('.js'))
  .map(name => fs.readFileSync(path.join(repository, 'src/page', name), 'utf8')).join('\n');

// playwright-core's own injected script, as text; it answers `new (module.exports.InjectedScript())(window, options)`.
export const upstreamScript = () => {
  const bundle = fs.readFileSync(path.join(path.dirname(require.resolve('playwright-core/package.json')), 'lib/coreBundle.js'), 'utf8');
  const line = bundle.split('\n').find(text => text.length > 100000 && text.includes('strict mode violation'));
  const source = new Function(`return ${line.slice(line.indexOf('=') + 1).replace(/;\s*$/, '')}`)();
  const options = {
    isUnderTest: false, sdkLanguage: 'javascript', frameSeq: 0, testIdAttributeName: 'data-testid', stableRafCount: 1,
    browserName: 'chromium', customEngines: [],
  };
  return `globalThis.upstream = (() => { const module = {}; ${source}
    const script = new (module.exports.InjectedScript())(globalThis, ${JSON.stringify(options)});
    return { script, asLocator, generateSelector, parseSelector, stringifySelector, getAriaRole }; })();`;
};

// Every page of both fixture folders, as far as they exist.
export const fixturePages = () => ['locators', 'snapshot']
  .map(name => path.join(fixtures, name))
  .filter(folder => fs.existsSync(folder))
  .flatMap(folder => fs.readdirSync(folder).filter(file => file.endsWith('.html')).sort().map(file => path.join(folder, file)));

// Without those on which playwright-core's script fails or never returns: pages whose forms hide the
// properties of nodes behind the names of their controls.
export const comparablePages = () => fixturePages().filter(file => !path.basename(file).startsWith('clobbered'));

export const launch = () => {
  const known = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium'];
  const executablePath = process.env.TROUPE_TEST_BROWSER ?? known.find(file => fs.existsSync(file));
  return require('playwright-core').chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
};

// playwright-core's insides that run in Node.
export const coreBundle = () => require('playwright-core/lib/coreBundle');

// A page with both scripts in it.
export const openPage = async (browser, html, { upstream = true } = {}) => {
  const page = await browser.newPage();
  await page.setContent(html);
  await addScripts(page, { upstream });
  return page;
};

export const addScripts = async (page, { upstream = true } = {}) => {
  await page.evaluate(pageScript());
  if (upstream) await page.evaluate(upstreamScript());
};

// Calls troupe[method](element, ...rest) in the page.
export const call = (page, method, selector, ...rest) => page.evaluate(([name, css, args]) =>
  troupe[name](document.querySelector(css), ...args), [method, selector, rest]);

// The script that is loaded behind the page script to record what a person does.
export const recorderScript = () => fs.readFileSync(path.join(repository, 'src/page/hooks/recorder.js'), 'utf8');
