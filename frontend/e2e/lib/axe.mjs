// Looks for what stands in the way of people who use a keyboard or a screen reader, or see little.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** @param {import('playwright-core').Page} page @param {string} name of the screen, for the message */
export async function checkAccess(page, name) {
  await page.evaluate(source);
  const found = await page.evaluate(async (rules) => {
    const axe = /** @type {any} */ (window).axe;
    const { violations } = await axe.run(document, { runOnly: rules });
    return violations.flatMap((/** @type {any} */ v) =>
      v.nodes.map(
        (/** @type {any} */ node) =>
          `${v.id}: ${v.help}\n    ${node.html.slice(0, 200)}\n    ${node.failureSummary}`
      )
    );
  }, RULES);
  if (found.length > 0) throw new Error(`${name}:\n  ${found.join('\n  ')}`);
}

/** In both themes. @param {import('playwright-core').Page} page @param {string} name */
export async function checkBothThemes(page, name) {
  for (const colorScheme of /** @type {const} */ (['dark', 'light'])) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
    await checkAccess(page, `${name}, ${colorScheme}`);
  }
}
