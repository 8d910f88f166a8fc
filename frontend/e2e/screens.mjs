// Makes a picture of every screen, in both themes, in a narrow and in a very wide window, and prints the paths:
// node e2e/screens.mjs DIR [--looks LOOK,LOOK…] [NAME…]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch } from './lib/chromium.mjs';
import { inGerman } from './lib/german.mjs';
import { ZOOMED } from './lib/reflow.mjs';
import { looks, screens } from './mock/screens.mjs';
import { Stage } from './mock/stage.mjs';

/** What is looked at when it is asked for. @type {readonly (readonly [string, { width: number, height: number }])[]} */
const MORE = [
  ['german', { width: 1200, height: 860 }],
  ['german-narrow', { width: 720, height: 900 }],
  ['zoomed', ZOOMED[0]]
];
const ALL = [...looks, ...MORE];

const LANES = 4; // most of the time of one is waiting

const [dir, ...names] = process.argv.slice(2);
let wanted = looks.map(([name]) => /** @type {string} */ (name));
const option = names.indexOf('--looks');
if (option >= 0) wanted = (names.splice(option, 2)[1] ?? '').split(',');
const unknown = wanted.filter((name) => !ALL.some(([known]) => known === name));
if (!dir || unknown.length > 0) {
  console.error('Usage: node e2e/screens.mjs DIR [--looks LOOK,LOOK…] [NAME…]');
  console.error(`Looks: ${ALL.map(([name]) => name).join(', ')}`);
  process.exit(2);
}
mkdirSync(dir, { recursive: true });

const queue = (names.length > 0 ? names : Object.keys(screens)).flatMap((name) =>
  ALL.filter(([look]) => wanted.includes(look)).map((look) => ({ name, look }))
);
const browser = await launch();
const stage = await Stage.open(browser);
let failed = 0;
try {
  const lanes = Array.from({ length: LANES }, async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { name, look } = next;
      const [kind, size] = look;
      await stage
        .visit(name, { size, theme: kind === 'dark' ? 'dark' : 'light' }, async (page, calm) => {
          if (kind.startsWith('german')) await inGerman(page, calm);
          const path = join(dir, `${name}-${kind}.png`);
          await page.screenshot({ path });
          console.log(path);
        })
        .catch((error) => {
          failed++;
          console.error(`FAILED: ${name}, ${kind}: ${error.message}`);
        });
    }
  });
  await Promise.all(lanes);
} finally {
  stage.close();
  await browser.close();
}
if (failed > 0) process.exitCode = 1;
