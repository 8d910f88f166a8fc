// Looks for what stands in the way of people who use a keyboard or a screen reader, or see little.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** @typedef {import('playwright-core').Page} Page */

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** @param {Page} page @param {string} name of the screen, for the message @param {string[]} rules or their tags */
async function run(page, name, rules) {
  // It stays in a page for as long as that does.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  const found = await page.evaluate(async (rules) => {
    const axe = /** @type {any} */ (window).axe;
    const { violations } = await axe.run(document, { runOnly: rules, resultTypes: ['violations'] });
    return violations.flatMap((/** @type {any} */ v) =>
      v.nodes.map(
        (/** @type {any} */ node) =>
          `${v.id}: ${v.help}\n    ${node.html.slice(0, 200)}\n    ${node.failureSummary}`
      )
    );
  }, rules);
  if (found.length > 0) throw new Error(`${name}:\n  ${found.join('\n  ')}`);
}

/** @param {Page} page @param {string} name of the screen, for the message */
export const checkAccess = (page, name) => run(page, name, RULES);

/** Only what depends on colours. @param {Page} page @param {string} name of the screen, for the message */
export const checkContrast = (page, name) => run(page, name, ['color-contrast', 'link-in-text-block']);

/** As the system changes it. @param {Page} page @param {'light' | 'dark'} colorScheme */
export async function theme(page, colorScheme) {
  await page.emulateMedia({ colorScheme });
  await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
}

/** In both themes. @param {Page} page @param {string} name */
export async function checkBothThemes(page, name) {
  await theme(page, 'dark');
  await checkContrast(page, `${name}, dark`);
  await theme(page, 'light');
  await checkAccess(page, `${name}, light`);
}
