// Every screen of the window in the WebKit engine, with the invented controller: it is reached as in Chromium, nothing
// stands over the edge, in a wide and in a narrow window. node e2e/webkit.mjs [NAME…]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDisplay } from './lib/display.mjs';
import { launchWebKit } from './lib/webkit.mjs';
import { looks, screens, visit } from './mock/screens.mjs';

const SIZES = looks.filter(([look]) => look === 'light' || look === 'narrow');
const wanted = process.argv.slice(2);
// The language is the display's: a screen in another one is Chromium's to look at.
const names = (wanted.length > 0 ? wanted : Object.keys(screens)).filter((name) => !screens[name]?.locale);
const shots = process.env.PIWORK_E2E_SHOTS;
if (shots) mkdirSync(shots, { recursive: true });

const dir = mkdtempSync(join(tmpdir(), 'piwork-e2e-webkit.'));
const display = await startDisplay(dir, {
  ...process.env,
  HOME: dir,
  LANG: 'en_GB.UTF-8',
  LC_ALL: 'C.UTF-8'
});
/** @type {string[]} */
const failures = [];
/** @type {Awaited<ReturnType<typeof launchWebKit>> | undefined} */
let browser;
try {
  browser = await launchWebKit(display.env);
  console.log(browser.version);
  for (const name of names)
    for (const look of SIZES) {
      const what = `${name}, ${look[0]}`;
      try {
        await visit(/** @type {any} */ (browser), name, look, async (page) => {
          const over = await page.evaluate(() => {
            const wide = document.documentElement.clientWidth;
            return document.documentElement.scrollWidth > wide + 1
              ? Array.from(document.querySelectorAll('body *'))
                  .filter((el) => el.getBoundingClientRect().right > wide + 1)
                  .slice(0, 3)
                  .map((el) => el.outerHTML.slice(0, 120))
              : [];
          });
          if (over.length > 0) throw new Error(`stands over the edge: ${over.join('\n')}`);
          if (shots) writeFileSync(join(shots, `webkit-${name}-${look[0]}.png`), await page.screenshot());
        });
      } catch (error) {
        failures.push(`${what}: ${error instanceof Error ? error.message : error}`);
      }
    }
} finally {
  await browser?.close();
  await display.stop();
  rmSync(dir, { recursive: true, force: true });
}
for (const failure of failures) console.error(`FAILED: ${failure}`);
console.log(`${names.length * SIZES.length} screens, ${failures.length} failed`);
process.exitCode = failures.length > 0 ? 1 : 0;
