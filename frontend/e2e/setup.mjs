// Everything that can stand in the way of acceleration, on all three systems, in headless Chromium against the real
// program, which looks at computers that are invented (lib/computers.mjs): each cause has its card with steps in both
// languages, and it is gone when the cause is. Needs PIWORK_BIN (tag e2e) and PIWORK_TEST_PACK; boots nothing.
import assert from 'node:assert/strict';
import { checkAccess } from './lib/axe.mjs';
import { launch } from './lib/chromium.mjs';
import { causes } from './lib/computers.mjs';
import { controls, openPage } from './lib/page.mjs';
import { command, fromEnvironment, Scratch, serve } from './lib/program.mjs';
import { Story } from './lib/story.mjs';

const { program, pack } = fromEnvironment();
const ACCEL = { linux: 'kvm', windows: 'whpx', darwin: 'hvf' };
const LANGUAGES = {
  'en-GB': {
    blocked: 'This computer isn’t ready yet',
    ready: 'This computer is ready',
    steps: 'What you can do',
    again: 'Check again',
    details: 'Details',
    slowly: 'Work slowly'
  },
  'de-DE': {
    blocked: 'Dieser Computer ist noch nicht bereit',
    ready: 'Dieser Computer ist bereit',
    steps: 'Was Sie tun können',
    again: 'Erneut prüfen',
    details: 'Einzelheiten',
    slowly: 'Langsam arbeiten'
  }
};
const scratch = new Scratch({ invented: true });

const browser = await launch();
/** @type {string[]} */
const faults = [];
/** @type {Awaited<ReturnType<typeof serve>> | undefined} */
let server;
const story = new Story('setup');

/** Opens a page in a language. @param {string} locale @param {string} url */
async function open(locale, url) {
  const page = await openPage(browser, (fault) => faults.push(`${story.part}: ${fault}`), locale);
  await page.goto(url);
  return page;
}

/**
 * The card of a cause, as it is read.
 * @param {import('playwright-core').Page} page @param {typeof LANGUAGES['en-GB']} words @param {string} code
 */
async function card(page, words, code) {
  await controls(page).heading(words.blocked).waitFor();
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
const again = (page, locale) => controls(page).button(LANGUAGES[locale].again).click();

try {
  scratch.become({ os: 'linux', boots: true });
  await command(program, scratch.env, 'pack', 'install', pack);
  for (const [os, computers] of /** @type {[keyof typeof causes, (typeof causes)['linux']][]} */ (
    Object.entries(causes)
  )) {
    const began = Date.now();
    story.part = os;
    scratch.become({ os, boots: true });
    server = await serve(program, scratch.env);
    const english = await open('en-GB', server.page);
    const german = await open('de-DE', server.page);
    await controls(english).heading('What would you like to do?').waitFor();
    /** @type {Set<string>} */
    const titles = new Set();
    let advised = 0;
    for (const [cause, computer] of Object.entries(computers)) {
      story.part = `${os}, ${cause}`;
      const code = `${ACCEL[os]}-${cause}`;
      scratch.become({ os, ...computer });
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
      const slowly = (/** @type {string} */ name) => name.startsWith(LANGUAGES['en-GB'].slowly); // it may say how slowly
      assert(en.buttons.some(slowly), 'the slow mode is not offered');
      assert.equal(Boolean(en.steps), Boolean(de.steps), 'steps in one language only');
      if (en.steps) {
        assert.notEqual(en.steps, de.steps, 'steps in one language');
        advised++; // for a broken one there is nothing but the buttons
      }
      if (cause === 'firmware') await checkAccess(english, story.part);
    }
    scratch.become({ os, boots: true });
    await again(english, 'en-GB');
    for (const [page, locale] of /** @type {const} */ ([
      [english, 'en-GB'],
      [german, 'de-DE']
    ])) {
      await controls(page).heading(LANGUAGES[locale].ready).waitFor();
      assert.equal(await page.getByRole('article').count(), 0, 'the card is still there');
    }
    assert.equal(titles.size, Object.keys(computers).length, 'two causes have the same title');
    assert(advised > titles.size / 2, `${advised} causes say what one can do`);
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
