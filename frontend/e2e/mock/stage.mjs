// Opens screens of the window one after the other in pages that stay: a new page for each screen would load and compile
// the window's scripts anew, which takes longer than most checks of a screen.
import { watchErrors, watchLogged } from '../lib/page.mjs';
import { screens } from './screens.mjs';
import { startServer } from './server.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('./server.mjs').Mock} Mock */
/** @typedef {{ page: Page, faults: string[] }} Kept a page, and what went wrong in it since its screen was opened */
/** @typedef {{ width: number, height: number }} Size */
/** @typedef {'light' | 'dark'} Theme */

const PACE_MS = 150; // of invented work: what a screen is to show of it stands still (steps)
const QUIET_MS = 40; // without a request: the screen has what it asked for

export class Stage {
  #browser;
  #server;
  /** Pages without a screen, by language: a page keeps its language. @type {Map<string, Kept[]>} */
  #free = new Map();

  /** @param {import('playwright-core').Browser} browser @param {Awaited<ReturnType<typeof startServer>>} server */
  constructor(browser, server) {
    this.#browser = browser;
    this.#server = server;
  }

  /** @param {import('playwright-core').Browser} browser */
  static open = async (browser) => new Stage(browser, await startServer(true));

  close() {
    this.#server.close();
  }

  /**
   * Opens a screen; show gets the page when the screen is there, and what waits until all is answered that was asked
   * for since.
   * @param {string} name @param {{ size: Size, theme?: Theme }} look @param {(page: Page, calm: () => Promise<void>) => Promise<void>} show
   */
  async visit(name, { size, theme = 'light' }, show) {
    const screen = screens[name];
    if (!screen) throw new Error(`no screen ${name}; there are ${Object.keys(screens).join(', ')}`);
    const { locale = 'en-GB' } = screen;
    const free = this.#free.get(locale) ?? [];
    this.#free.set(locale, free);
    const kept = free.pop() ?? (await this.#newPage(locale));
    const { page, faults } = kept;
    const mock = this.#server.open({ pace: PACE_MS, ...screen.setting });
    faults.length = 0;
    try {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: theme });
      await page.goto(mock.url);
      await page.getByRole('heading', { level: 1 }).waitFor();
      if (screen.hash) {
        await page.evaluate((hash) => void (location.hash = hash), screen.hash);
        // Where reading begins, or the safest answer to what waits there.
        await page.waitForFunction(() =>
          document.activeElement?.matches('h1, [aria-labelledby="question-heading"] button')
        );
      }
      await answered(page, mock);
      await screen.act?.(page, mock);
      await show(page, () => answered(page, mock));
      if (faults.length > 0) throw new Error(`${name}: ${faults.join('; ')}`);
      free.push(kept);
    } catch (error) {
      await page.context().close(); // nobody knows what state it is in
      throw error;
    } finally {
      mock.close();
    }
  }

  /** @param {string} locale @returns {Promise<Kept>} */
  async #newPage(locale) {
    const context = await this.#browser.newContext({ locale, reducedMotion: 'reduce' });
    context.setDefaultTimeout?.(60_000); // WebKit's page has its own
    const page = await context.newPage();
    /** @type {string[]} */
    const faults = [];
    watchErrors(page, (fault) => faults.push(fault));
    watchLogged(page, (fault) => faults.push(fault));
    return { page, faults };
  }
}

/** Waits until a page has asked for nothing for a while. @param {Page} page @param {Mock} mock */
async function answered(page, mock) {
  for (let before = -1; before !== mock.traffic();) {
    before = mock.traffic();
    await page.waitForTimeout(QUIET_MS);
    await page.evaluate(() => document.readyState); // what the page had to do before is done
  }
}
