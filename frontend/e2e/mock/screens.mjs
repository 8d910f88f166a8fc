// Every screen of the window, and how to get there with the invented controller.
import { watchErrors, watchLogged, WINDOW } from '../lib/page.mjs';
import { changes } from './screens/changes.mjs';
import { home } from './screens/home.mjs';
import { over } from './screens/over.mjs';
import { runtime } from './screens/runtime.mjs';
import { settings } from './screens/settings.mjs';
import { setup } from './screens/setup.mjs';
import { talk } from './screens/talk.mjs';
import { tasks } from './screens/tasks.mjs';
import { tools } from './screens/tools.mjs';
import { startMock } from './server.mjs';

/** @typedef {import('playwright-core').Page} Page */

/** @type {import('./screens/parts.mjs').Screens} */
export const screens = {
  ...setup,
  ...home,
  ...talk,
  ...tasks,
  ...changes,
  ...settings,
  ...runtime,
  ...tools,
  ...over
};

export const looks = /** @type {const} */ ([
  ['light', WINDOW],
  ['dark', WINDOW],
  ['narrow', { width: 720, height: 900 }],
  ['huge', { width: 2560, height: 1300 }]
]);

/**
 * Opens a screen; show gets the page when the screen is there.
 * @param {import('playwright-core').Browser} browser
 * @param {string} name
 * @param {typeof looks[number]} look
 * @param {(page: Page) => Promise<void>} show
 */
export async function visit(browser, name, [look, viewport], show) {
  const screen = screens[name];
  if (!screen) throw new Error(`no screen ${name}; there are ${Object.keys(screens).join(', ')}`);
  const mock = await startMock(screen.setting);
  const context = await browser.newContext({
    viewport,
    locale: screen.locale ?? 'en-GB',
    colorScheme: look === 'dark' ? 'dark' : 'light',
    reducedMotion: 'reduce'
  });
  try {
    const page = await context.newPage();
    /** @type {string[]} */
    const errors = [];
    const note = (/** @type {string} */ error) => errors.push(error);
    watchErrors(page, note);
    watchLogged(page, note);
    await page.goto(mock.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (screen.hash) {
      await page.evaluate((hash) => (location.hash = hash), screen.hash);
      // Where reading begins, or the safest answer to what waits there.
      await page.waitForFunction(() =>
        document.activeElement?.matches('h1, [aria-labelledby="question-heading"] button')
      );
    }
    await page.waitForTimeout(150); // what the screen asked for is there
    await screen.act?.(page, mock);
    await show(page);
    if (errors.length > 0) throw new Error(`${name}, ${look}: ${errors.join('; ')}`);
  } finally {
    await context.close();
    mock.close();
  }
}
