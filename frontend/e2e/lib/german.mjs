// Shows a page in German, where the way to it was told in English.

/**
 * What another window does to this one when its language changes; the controller's words are asked for again.
 * @param {import('playwright-core').Page} page @param {() => Promise<void>} calm
 */
export async function inGerman(page, calm) {
  await page.evaluate(() => {
    const key = 'piwork.language';
    window.localStorage.setItem(key, 'de');
    window.dispatchEvent(new window.StorageEvent('storage', { key }));
  });
  await page.waitForFunction(() => document.documentElement.lang === 'de');
  await calm();
}
