// Everything that can stand in the way of acceleration, on all three systems, in headless Chromium against the real
// program, which looks at computers that are invented (lib/computers.mjs): each cause has its card with steps in both
// languages, and it is gone when the cause is. Needs PIWORK_BIN (tag e2e) and PIWORK_TEST_PACK; boots nothing.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkAccess } from './lib/axe.mjs';
import { launch } from './lib/chromium.mjs';
import { causes } from './lib/computers.mjs';
import { command, fromEnvironment, Scratch, serve } from './lib/program.mjs';
import { Story } from './lib/story.mjs';

const { program, pack } = fromEnvironment();
const ACCEL = { linux: 'kvm', windows: 'whpx', darwin: 'hvf' };
const LANGUAGES = {
  'en-GB': {
    blocked: 'This computer is not ready yet',
    ready: 'This computer is ready',
    steps: 'Next steps',
    again: 'Check again',
    details: 'Details',
    slowly: 'Work slowly'
  },
  'de-DE': {
    blocked: 'Dieser Computer ist noch nicht bereit',
    ready: 'Dieser Computer ist bereit',
    steps: 'Nächste Schritte',
    again: 'Noch einmal nachsehen',
    details: 'Einzelheiten',
    slowly: 'Langsam arbeiten'
  }
};
const scratch = new Scratch();
delete scratch.env.PIWORK_ACCEL; // the computers decide
writeFileSync(
  join(scratch.dir, 'config', 'config.json'),
  // No machine is made ready in advance: there is no such computer.
  JSON.stringify({
    v: 1,
    wizard: { finished: new Date().toISOString() },
    machines: { noInstant: true }
  }),
  { mode: 0o600 }
);
const file = join(scratch.dir, 'computer.json');
scratch.env.PIWORK_E2E_COMPUTER = file;
/** @param {import('./lib/computers.mjs').Computer} computer */
const become = (computer) => writeFileSync(file, JSON.stringify(computer));

const browser = await launch();
/** @type {string[]} */
const faults = [];
/** @type {Awaited<ReturnType<typeof serve>> | undefined} */
let server;
const story = new Story('setup');

/** Opens a page in a language. @param {string} locale @param {string} url */
async function open(locale, url) {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 860 },
    locale,
    reducedMotion: 'reduce'
  });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  page.on('pageerror', (error) => faults.push(`${story.part}: ${error}`));
  await page.goto(url);
  return page;
}

/**
 * The card of a cause, as it is read.
 * @param {import('playwright-core').Page} page @param {typeof LANGUAGES['en-GB']} words @param {string} code
 */
async function card(page, words, code) {
  await page.getByRole('heading', { level: 1, name: words.blocked }).waitFor();
  const found = page.getByRole('article');
  await found.filter({ hasText: code }).waitFor({ state: 'attached' });
  assert.equal(await found.count(), 1, 'one cause leads');
  const title = await found.getByRole('heading').innerText();
  const steps = await found.getByRole('list', { name: words.steps }).allInnerTexts();
  const buttons = await found.getByRole('button').allInnerTexts();
  await found.locator('summary', { hasText: words.details }).click();
  const evidence = await found.getByText(code).innerText();
  assert.match(evidence, /^accel-unavailable \//);
  return { title, steps: steps.join('\n').trim(), buttons };
}

/** @param {import('playwright-core').Page} page @param {keyof typeof LANGUAGES} locale */
const again = (page, locale) =>
  page.getByRole('button', { name: LANGUAGES[locale].again, exact: true }).click();

try {
  become({ os: 'linux', boots: true });
  await command(program, scratch.env, 'pack', 'install', pack);
  for (const [os, computers] of /** @type {[keyof typeof causes, (typeof causes)['linux']][]} */ (
    Object.entries(causes)
  )) {
    const began = Date.now();
    story.part = os;
    become({ os, boots: true });
    server = await serve(program, scratch.env);
    const english = await open('en-GB', server.page);
    const german = await open('de-DE', server.page);
    await english.getByRole('heading', { level: 1, name: 'What should be done?' }).waitFor();
    /** @type {Set<string>} */
    const titles = new Set();
    for (const [cause, computer] of Object.entries(computers)) {
      story.part = `${os}, ${cause}`;
      const code = `${ACCEL[os]}-${cause}`;
      become({ os, ...computer });
      // What was in the way before is solved, and this is next. Whoever looks, every window hears of it; the first
      // is met on the command line.
      if (titles.size > 0) await again(english, 'en-GB');
      else await command(program, scratch.env, 'doctor').catch(() => undefined); // not ready is no success
      for (const page of [english, german])
        await page.getByRole('article').filter({ hasText: code }).waitFor({ state: 'attached' });
      const [en, de] = await Promise.all([
        card(english, LANGUAGES['en-GB'], code),
        card(german, LANGUAGES['de-DE'], code)
      ]);
      titles.add(en.title);
      assert.notEqual(en.title, de.title, 'one language');
      assert.equal(de.buttons.length, en.buttons.length, 'other buttons in the other language');
      assert(en.buttons.includes(LANGUAGES['en-GB'].again) && de.buttons.includes(LANGUAGES['de-DE'].again));
      assert(en.buttons.includes(LANGUAGES['en-GB'].slowly), 'the slow mode is not offered');
      if (en.steps || de.steps) assert.notEqual(en.steps, de.steps, 'steps in one language');
      if (cause === 'firmware') await checkAccess(english, story.part);
    }
    become({ os, boots: true });
    await again(english, 'en-GB');
    for (const [page, locale] of /** @type {const} */ ([
      [english, 'en-GB'],
      [german, 'de-DE']
    ])) {
      await page.getByRole('heading', { level: 1, name: LANGUAGES[locale].ready }).waitFor();
      assert.equal(await page.getByRole('article').count(), 0, 'the card is still there');
    }
    assert.equal(titles.size, Object.keys(computers).length, 'two causes have the same title');
    await english.context().close();
    await german.context().close();
    await server.stop();
    console.log(`ok: ${os}, ${titles.size} causes (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  }
  assert.deepEqual(faults, [], 'the page reported faults');
} catch (error) {
  await story.failed(error, browser.contexts()[0]?.pages()[0]);
} finally {
  await browser.close();
  await server?.stop();
}
await scratch.end();
