// The runtime comes over a network, in headless Chromium against the real program: from a server that sends something
// else, one that is cut off in the middle, and with a pause. What is opened at the end is an invented computer
// (app/rehearse_e2e.go): nothing is booted. Needs PIWORK_BIN (tag e2e) and PIWORK_TEST_PACK.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkAccess } from './lib/axe.mjs';
import { launch } from './lib/chromium.mjs';
import { Mirror } from './lib/mirror.mjs';
import { controls, openPage } from './lib/page.mjs';
import { command, fromEnvironment, Scratch, serve } from './lib/program.mjs';
import { Story } from './lib/story.mjs';
import { until } from './lib/until.mjs';

const { program, pack } = fromEnvironment();
const SLOW_MS = 120_000;
const scratch = new Scratch({ invented: true });
scratch.become({ os: 'linux', boots: true });

// A channel of its own, with keys that only this test trusts.
const dir = join(scratch.dir, 'channel');
const release = fileURLToPath(new URL('../../scripts/release', import.meta.url));
for (const args of [
  ['init', dir, '--developer'],
  ['add', dir, pack]
])
  execFileSync(release, args, { env: scratch.env, stdio: ['ignore', 'ignore', 'inherit'] });
const size = statSync(pack).size;
const mirror = new Mirror(dir);
const url = await mirror.start();
await command(program, scratch.env, 'pack', 'channel', '--url', url, '--auto', 'off');

const server = await serve(program, scratch.env);
const browser = await launch();
/** @type {string[]} */
const faults = [];
const page = await openPage(browser, (fault) => faults.push(fault));
const { button, heading } = controls(page);

const story = new Story('download');
const { step } = story;
const installed = () => command(program, scratch.env, 'pack', 'list');

/** How much has arrived by what the page says, in percent. */
async function shown() {
  const bar = page.getByRole('progressbar', { name: 'Download' });
  await bar.waitFor();
  const [now, max] = await bar.evaluate((el) => [
    Number(el.getAttribute('aria-valuenow')),
    Number(el.getAttribute('aria-valuemax') ?? 100)
  ]);
  return (100 * (now ?? 0)) / (max || 1);
}
/** @param {number} percent */
const reaches = (percent) =>
  until(`${percent} % have arrived`, async () => (await shown()) >= percent, SLOW_MS, 100);

try {
  await step('a server that sends something else: refused with words, nothing is installed', async () => {
    mirror.wrong = true;
    await page.goto(server.page);
    await button(/^Download the runtime/).click();
    await page.getByRole('alert').first().waitFor({ timeout: SLOW_MS });
    console.log(`  ${(await page.getByRole('alert').first().innerText()).split('\n')[0]}`);
    await checkAccess(page, 'the download was refused');
    assert.deepEqual(await installed(), []);
    mirror.wrong = false;
  });

  await step('cut off in the middle, it goes on from there', async () => {
    mirror.rate = 40e6;
    mirror.sent = 0;
    mirror.cutAt = size * 0.3;
    await button(/^(Download the runtime|Check again|Update now|Try again)/)
      .first()
      .click();
    await reaches(10);
    await until('it is cut off', () => mirror.down, SLOW_MS, 50);
    const before = await shown();
    await page.waitForTimeout(1500);
    mirror.rate = 4e6; // so that there is something to pause
    mirror.down = false;
    await reaches(before + 10);
  });

  await step('it pauses when told to, and goes on', async () => {
    await button('Pause').click();
    await button('Resume').waitFor();
    let sent = -1;
    const still = () => sent === (sent = mirror.sent);
    await until('nothing is on its way', still, SLOW_MS, 500);
    const at = await shown();
    await page.waitForTimeout(1500);
    assert.equal(mirror.sent, sent, 'it is fetched on');
    assert.equal(await shown(), at);
    await checkAccess(page, 'the download is paused');
    mirror.rate = Infinity;
    await button('Resume').click();
    await heading(/^(This computer is ready|What would you like to do\?)$/).waitFor({ timeout: SLOW_MS });
    const [version] = await installed();
    assert(version, 'nothing is installed');
    assert(mirror.sent < size * 1.1, `${mirror.sent} bytes were sent of ${size}: some of them twice`);
  });

  assert.deepEqual(faults, [], 'the page reported faults');
} catch (error) {
  await story.failed(error, page, `${mirror.sent} bytes of ${size} were sent`);
} finally {
  await browser.close();
  await server.stop();
  await mirror.stop();
}
await scratch.end();
