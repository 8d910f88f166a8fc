// The exemplary screens of the window (mock/screens.mjs), or with --all every one, in the WebKit engine, with the invented
// controller: each is reached as in Chromium, nothing goes wrong in the page, nothing stands over the edge, in a wide and
// in a narrow window. node e2e/webkit.mjs [--all] [NAME…]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDisplay, toPNG } from './lib/display.mjs';
import { launchWebKit } from './lib/webkit.mjs';
import { exemplary, looks, screens } from './mock/screens.mjs';
import { Stage } from './mock/stage.mjs';

const [[, WIDE], , [, NARROW]] = looks;
const LIMIT_MS = 10 * 60_000; // of all of it, on a busy computer
const wanted = process.argv.slice(2).filter((name) => name !== '--all');
const chosen = process.argv.includes('--all') ? Object.keys(screens) : exemplary;
// The language is the display's: a screen in another one is Chromium's to look at.
const names = (wanted.length > 0 ? wanted : chosen).filter((name) => !screens[name]?.locale);
const shots = process.env.PIWORK_E2E_SHOTS;
if (shots) mkdirSync(shots, { recursive: true });

const dir = mkdtempSync(join(tmpdir(), 'piwork-e2e-webkit.'));
const display = await startDisplay(
  dir,
  { ...process.env, HOME: dir, LANG: 'en_GB.UTF-8', LC_ALL: 'C.UTF-8' },
  { width: 1600, height: 1200 } // a window with everything around it
);

/** What stands over the right edge, from the outside in. */
const overTheEdge = () => {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide + 1) return [];
  return Array.from(document.querySelectorAll('body *'))
    .filter((el) => el.getBoundingClientRect().right > wide + 1)
    .slice(0, 3)
    .map((el) => el.outerHTML.slice(0, 120));
};

/** What anybody needs to find the way: one main part, one heading of it, and something in it. */
const missing = () => {
  const main = document.querySelectorAll('main');
  const seen = Array.from(document.querySelectorAll('h1')).filter((h1) => h1.checkVisibility());
  return [
    main.length === 1 ? '' : `${main.length} main parts`,
    seen.length === 1 ? '' : `${seen.length} headings of the first level`,
    (main[0]?.textContent ?? '').trim().length > 40 ? '' : 'the main part is empty',
    document.documentElement.clientWidth > 300 ? '' : 'there is no room'
  ].filter(Boolean);
};

/** @type {string[]} */
const failures = [];
/** @type {Awaited<ReturnType<typeof launchWebKit>> | undefined} */
let browser;
/** @type {Stage | undefined} */
let stage;
const began = Date.now();
let looked = 0;
try {
  browser = await launchWebKit(display.env);
  console.log(browser.version);
  const { page } = browser;
  stage = await Stage.open(/** @type {any} */ (browser));
  for (const name of names) {
    if (Date.now() - began > LIMIT_MS) {
      failures.push(`${names.length - looked} screens were not looked at: no time is left`);
      break;
    }
    const at = Date.now();
    /** @type {string[]} */
    const found = [];
    try {
      await stage.visit(name, { size: WIDE }, async () => {
        for (const size of [WIDE, NARROW]) {
          await page.setViewportSize(size);
          for (const over of await page.evaluate(overTheEdge))
            found.push(`${size.width} wide: stands over the edge: ${over}`);
          if (shots) writeFileSync(join(shots, `webkit-${name}-${size.width}.png`), toPNG(display.look()));
        }
        found.push(
          ...(await page.evaluate(missing)),
          ...(await page.evaluate(() => /** @type {any} */ (window).faults))
        );
      });
    } catch (error) {
      found.push(error instanceof Error ? error.message : String(error));
    }
    looked++;
    const took = `${((Date.now() - at) / 1000).toFixed(1)} s`;
    if (found.length === 0) console.log(`ok: ${name} (${took})`);
    for (const fault of found) {
      failures.push(`${name}: ${fault}`);
      console.error(`FAILED: ${name} (${took}): ${fault}`);
    }
  }
} finally {
  stage?.close();
  await browser?.close();
  await display.stop();
  rmSync(dir, { recursive: true, force: true });
}
console.log(`${looked} screens in ${Math.round((Date.now() - began) / 1000)} s, ${failures.length} faults`);
process.exitCode = failures.length > 0 || looked === 0 ? 1 : 0;
