// A page of the program in Chromium, as a person has it open.

/** @typedef {import('playwright-core').Page} Page */

/** The size of a window that is neither small nor large. */
export const WINDOW = { width: 1200, height: 860 };

/**
 * Opens a page; what is waited for in it has an end. fault: gets what goes wrong in it.
 * @param {import('playwright-core').Browser} browser @param {(fault: string) => void} fault @param {string} [locale]
 */
export async function openPage(browser, fault, locale = 'en-GB') {
  const context = await browser.newContext({ viewport: WINDOW, locale, reducedMotion: 'reduce' });
  context.setDefaultTimeout(60_000); // on a busy computer
  const page = await context.newPage();
  watchErrors(page, fault);
  return page;
}

/** What a page throws. @param {Page} page @param {(fault: string) => void} fault */
export function watchErrors(page, fault) {
  page.on('pageerror', (error) => fault(String(error)));
}

/** What a page logs as an error. @param {Page} page @param {(fault: string) => void} fault */
export function watchLogged(page, fault) {
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    // An answer that is an error is no fault of the page: tests look at what it makes of it.
    if (message.text().startsWith('Failed to load resource')) return;
    fault(message.text());
  });
}

/** What a person looks for. @param {Page} page */
export const controls = (page) => ({
  /** @param {string | RegExp} name */
  button: (name) => page.getByRole('button', { name, exact: true }),
  /** @param {string | RegExp} name */
  heading: (name) => page.getByRole('heading', { level: 1, name })
});
