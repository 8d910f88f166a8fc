// Checks every screen of the window for accessibility, and whether it fits when it is enlarged, with the invented controller: node e2e/axe.mjs [NAME…]
import { checkAccess } from './lib/axe.mjs';
import { launch } from './lib/chromium.mjs';
import { misfits, ZOOMED } from './lib/reflow.mjs';
import { looks, screens, visit } from './mock/screens.mjs';

// Where a narrow window has something that a wide one has not.
const NARROW = new Set([
  'setup-no-runtime',
  'home',
  'task-plan',
  'task-done',
  'settings',
  'runtime-troubled',
  'setup-downloading'
]);

/** @param {import('playwright-core').Page} page @param {string} name @param {string} look */
async function check(page, name, look) {
  await checkAccess(page, `${name}, ${look}`);
  if (look !== 'light') return; // what fits does not depend on colours
  for (const size of ZOOMED) {
    await page.setViewportSize(size);
    const found = await misfits(page);
    if (found.length > 0) throw new Error(`${name}, ${size.width} pixels wide:\n  ${found.join('\n  ')}`);
  }
}

/** @param {string[]} [names] @returns {Promise<number>} how many were looked at */
export async function checkScreens(names = Object.keys(screens)) {
  const browser = await launch();
  let count = 0;
  /** @type {string[]} */
  const failures = [];
  try {
    for (const name of names) {
      for (const look of looks.filter(
        ([look]) => look === 'light' || look === 'dark' || (look === 'narrow' && NARROW.has(name))
      )) {
        await visit(browser, name, look, (page) => check(page, name, look[0])).catch((error) =>
          failures.push(error.message)
        );
        count++;
      }
    }
  } finally {
    await browser.close();
  }
  if (failures.length > 0) throw new Error(failures.join('\n'));
  return count;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const names = process.argv.slice(2);
  const count = await checkScreens(names.length > 0 ? names : undefined).catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
  console.log(`${count} screens, nothing found`);
}
