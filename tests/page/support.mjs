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

// In the order in which the binary concatenates them.
const scripts = [
  'dom', 'text', 'facts', 'pseudo_hints', 'pseudo', 'roles', 'names', 'native_names', 'descriptions', 'states',
  'select_dom', 'select_css', 'select_grammar', 'select_attributes', 'select_layout', 'select_text', 'select_match',
  'select_name', 'select_role', 'select_engines', 'select_query',
  'locate_source', 'locate_clues', 'locate_candidates', 'locate_path', 'locate_generate', 'locate_render', 'locate_parse',
  'act_preview', 'act_states', 'act_point', 'act_hit', 'act_pointer', 'act_fill', 'act_choose', 'act_drop',
];

export const pageScript = () => scripts
  .map(name => path.join(repository, 'src/page', `${name}.js`))
  .filter(file => fs.existsSync(file))
  .map(file => fs.readFileSync(file, 'utf8')).join('\n');

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

const executable = process.env.TROUPE_TEST_BROWSER ?? '/usr/lib/chromium/chromium-headless-shell';

export const launch = async () => {
  const { chromium } = require('playwright-core');
  return await chromium.launch({ executablePath: executable, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
};

export const playwrightCore = () => require('playwright-core');

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
