// Shows a page in German, where the way to it was told in English.

/** @typedef {import('playwright-core').Page} Page */

/**
 * What the page does when another window chooses German; the controller's words are asked for again. One that hears of
 * nothing is loaded anew, as on a computer that speaks German.
 * @param {Page} page @param {() => Promise<void>} calm
 */
export async function inGerman(page, calm) {
  const token = await page.evaluate(() => window.sessionStorage.getItem('piwork.token'));
  await page.evaluate(async (token) => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
    const body = JSON.stringify({ language: 'de' });
    await fetch('/v1/settings/window', { method: 'PUT', headers, body });
  }, token);
  const german = () => document.documentElement.lang === 'de';
  await page.waitForFunction(german, undefined, { timeout: 5000 }).catch(() => loadAnew(page, token));
  await page.waitForFunction(german);
  await calm();
}

/** @param {Page} page @param {string | null} token */
async function loadAnew(page, token) {
  const session = await page.context().newCDPSession(page);
  const userAgent = await page.evaluate(() => window.navigator.userAgent);
  await session.send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: 'de' });
  await page.evaluate((token) => window.history.replaceState(null, '', `#token=${token}`), token);
  await page.reload();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await session.detach(); // the next screen is in English
}
