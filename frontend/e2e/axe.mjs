// Checks the screens of the window for accessibility, and whether they fit when they are enlarged and in German, whose
// words are longer, with the invented controller: node e2e/axe.mjs [--all] [NAME…]
// Every screen is checked for accessibility in the light theme and at the narrowest size in both languages. Exemplary
// screens (mock/screens.mjs), those that are named, and with --all every screen are also checked for contrast in the
// dark theme, in a narrow window and at the other sizes.
import { availableParallelism } from 'node:os';
import { checkAccess, checkContrast, loadAxe, theme } from './lib/axe.mjs';
import { launch } from './lib/chromium.mjs';
import { inGerman } from './lib/german.mjs';
import { misfits, ZOOMED } from './lib/reflow.mjs';
import { AXE } from './mock/pages.mjs';
import { exemplary, looks, screens } from './mock/screens.mjs';
import { Stage } from './mock/stage.mjs';

/** @typedef {import('playwright-core').Page} Page */

const [[, WIDE], , [, NARROW]] = looks;
const NARROWEST = ZOOMED.slice(-1);

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

/**
 * Looks at a screen in one page, which is changed live.
 * @param {Page} page @param {() => Promise<void>} calm @param {string} name @param {boolean} thorough
 */
async function check(page, calm, name, thorough) {
  await loadAxe(page, AXE);
  await checkAccess(page, name);
  if (thorough) {
    // The dark theme has other colours and nothing else.
    await theme(page, 'dark');
    await checkContrast(page, `${name}, dark`);
    await theme(page, 'light');
  }
  if (DIFFERS_NARROW.has(name)) {
    await page.setViewportSize(NARROW);
    await checkAccess(page, `${name}, narrow`);
  }
  await checkFits(page, name, thorough ? ZOOMED : NARROWEST);
  await inGerman(page, calm);
  await checkFits(page, `${name}, in German`, thorough ? [...ZOOMED, NARROW, WIDE] : NARROWEST);
}

/** @param {Page} page @param {string} name @param {readonly (typeof ZOOMED)[number][]} sizes */
async function checkFits(page, name, sizes) {
  for (const size of sizes) {
    await page.setViewportSize(size);
    const found = await misfits(page);
    if (found.length > 0) throw new Error(`${name}, ${size.width} pixels wide:\n  ${found.join('\n  ')}`);
  }
}

const wanted = process.argv.slice(2).filter((name) => name !== '--all');
const all = process.argv.includes('--all');
const names = wanted.length > 0 ? wanted : Object.keys(screens);
const thorough = new Set(all || wanted.length > 0 ? names : exemplary);
const queue = [...names];
let failed = 0;
const began = Date.now();
const browser = await launch();
const stage = await Stage.open(browser);
try {
  // A lane more than processors: some screens wait for what is invented to go on.
  const lanes = Array.from({ length: Math.min(4, availableParallelism() + 1) }, async () => {
    for (let name = queue.shift(); name; name = queue.shift()) {
      const screen = name;
      const visit = stage.visit(screen, { size: WIDE }, (page, calm) =>
        check(page, calm, screen, thorough.has(screen))
      );
      await visit.catch((error) => {
        failed++;
        console.error(`FAILED: ${screen}: ${error.message}`);
      });
    }
  });
  await Promise.all(lanes);
} finally {
  stage.close();
  await browser.close();
}
const seconds = Math.round((Date.now() - began) / 1000);
console.log(`${names.length} screens in ${seconds} s, ${thorough.size} of them thoroughly, ${failed} failed`);
process.exitCode = failed > 0 || names.length === 0 ? 1 : 0;
