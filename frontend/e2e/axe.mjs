// Checks every screen of the window for accessibility in both themes, and whether it fits when it is enlarged and in
// German, whose words are longer, with the invented controller: node e2e/axe.mjs [NAME…]
import { availableParallelism } from 'node:os';
import { checkAccess, checkContrast, theme } from './lib/axe.mjs';
import { launch } from './lib/chromium.mjs';
import { inGerman } from './lib/german.mjs';
import { misfits, ZOOMED } from './lib/reflow.mjs';
import { looks, screens, visit } from './mock/screens.mjs';

const [LIGHT, , NARROW] = looks;

// Where a narrow window has something that a wide one has not.
const DIFFERS_NARROW = new Set([
  'setup-no-runtime',
  'home',
  'task-plan',
  'task-done',
  'settings',
  'runtime-troubled',
  'setup-downloading',
  'tool-ready'
]);

/** One look at a screen, changed live: the dark theme has other colours and nothing else. @param {string} name */
async function check(/** @type {import('playwright-core').Page} */ page, name) {
  await checkAccess(page, name);
  await theme(page, 'dark');
  await checkContrast(page, `${name}, dark`);
  await theme(page, 'light');
  if (DIFFERS_NARROW.has(name)) {
    await page.setViewportSize(NARROW[1]);
    await checkAccess(page, `${name}, narrow`);
  }
  await checkFits(page, name, ZOOMED);
  await inGerman(page);
  await checkFits(page, `${name}, in German`, [...ZOOMED, NARROW[1], LIGHT[1]]);
}

/** @param {import('playwright-core').Page} page @param {string} name @param {readonly (typeof ZOOMED)[number][]} sizes */
async function checkFits(page, name, sizes) {
  for (const size of sizes) {
    await page.setViewportSize(size);
    const found = await misfits(page);
    if (found.length > 0) throw new Error(`${name}, ${size.width} pixels wide:\n  ${found.join('\n  ')}`);
  }
}

const wanted = process.argv.slice(2);
const names = wanted.length > 0 ? wanted : Object.keys(screens);
const queue = [...names];
let failed = 0;
const began = Date.now();
const browser = await launch();
try {
  // Most of the time of one is waiting.
  const lanes = Array.from({ length: Math.min(4, availableParallelism()) }, async () => {
    for (let name = queue.shift(); name; name = queue.shift()) {
      const screen = name;
      await visit(browser, screen, LIGHT, (page) => check(page, screen)).catch((error) => {
        failed++;
        console.error(`FAILED: ${screen}: ${error.message}`);
      });
    }
  });
  await Promise.all(lanes);
} finally {
  await browser.close();
}
console.log(`${names.length} screens in ${Math.round((Date.now() - began) / 1000)} s, ${failed} failed`);
process.exitCode = failed > 0 || names.length === 0 ? 1 : 0;
