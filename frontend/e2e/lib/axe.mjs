// Looks for what stands in the way of people who use a keyboard or a screen reader, or see little.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** @typedef {import('playwright-core').Page} Page */

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Loads axe from the server of the page, which is quicker than to evaluate it. @param {Page} page @param {string} path */
export const loadAxe = (page, path) =>
  page.evaluate(
    (path) =>
      /** @type {Promise<void>} */ (
        new Promise((resolve, reject) => {
          const script = document.createElement('script');
          script.onload = () => resolve();
          script.onerror = () => reject(new Error(`${path} is not there`));
          script.src = path;
          document.head.append(script);
        })
      ),
    path
  );

/** @param {Page} page @param {string} name of the screen, for the message @param {string[]} rules or their tags */
async function run(page, name, rules) {
  // It stays in a page for as long as that does.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  const found = await page.evaluate(async (rules) => {
    const axe = /** @type {any} */ (window).axe;
    // preload: style sheets would be fetched again, for a rule that is not among ours.
    const options = { runOnly: rules, resultTypes: ['violations'], preload: false };
    const { violations } = await axe.run(document, options);
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
