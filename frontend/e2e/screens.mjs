// Makes a picture of every screen, in both themes, in a narrow and in a very wide window, and prints the paths:
// node e2e/screens.mjs DIR [NAME…]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch } from './lib/chromium.mjs';
import { looks, screens, visit } from './mock/screens.mjs';

const [dir, ...names] = process.argv.slice(2);
if (!dir) {
  console.error('Usage: node e2e/screens.mjs DIR [NAME…]');
  process.exit(2);
}
mkdirSync(dir, { recursive: true });

const browser = await launch();
try {
  for (const name of names.length > 0 ? names : Object.keys(screens)) {
    for (const look of looks) {
      await visit(browser, name, look, async (page) => {
        const path = join(dir, `${name}-${look[0]}.png`);
        await page.screenshot({ path });
        console.log(path);
      });
    }
  }
} finally {
  await browser.close();
}
