// The window's pages in headless Chromium against the real program and a real virtual machine, from a computer
// without a runtime to a PDF, and back: node e2e/browser.mjs [--all]. Needs PIWORK_BIN and PIWORK_TEST_PACK.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkAccess, checkBothThemes } from './lib/axe.mjs';
import { launch } from './lib/chromium.mjs';
import { fill, jpegs, pagesOf, picture, scanOf, snapshot } from './lib/files.mjs';
import { tabTo } from './lib/keyboard.mjs';
import { controls, openPage, watchLogged } from './lib/page.mjs';
import { command, fromEnvironment, Scratch, serve, SLOW_MS } from './lib/program.mjs';
import { Story } from './lib/story.mjs';

const { program, pack } = fromEnvironment();
const scratch = new Scratch({ first: true });
const server = await serve(program, scratch.env);
const browser = await launch();

/** @type {string[]} */
const faults = [];
const note = (/** @type {string} */ fault) => faults.push(fault);
const page = await openPage(browser, note);
watchLogged(page, note);
page.on('request', (request) => {
  if (!request.url().startsWith(server.origin) && !request.url().startsWith('blob:'))
    note(`asked ${request.url()}`);
});

const story = new Story('browser');
const { step, more } = story;

const { button, heading } = controls(page);
const goTo = (/** @type {string} */ name) =>
  tabTo(
    name,
    () => page.keyboard.press('Tab'),
    (work) => page.evaluate(work)
  );

/** Everything of how far the work is that was ever on the screen. */
async function watchProgress() {
  await page.evaluate(() => {
    /** @type {string[]} */
    const seen = [];
    Object.assign(window, { seenProgress: seen });
    new MutationObserver(() => {
      const text = document.querySelector('[role=progressbar]')?.getAttribute('aria-valuetext');
      if (text && seen.at(-1) !== text) seen.push(text);
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
}
const seenProgress = () => page.evaluate(() => /** @type {any} */ (window).seenProgress);

try {
  const folder = scratch.folder('Fotos vom Meer – 海');
  const empty = scratch.folder('Leer');
  const [one, two, three] = await jpegs(page, 3);
  assert(one && two && three);
  fill(folder, {
    'IMG 10.jpg': two,
    'IMG 9.jpg': one,
    "Anna's boat – größer.jpg": three,
    '- first.png': picture(1),
    'torn.jpg': one.subarray(0, 40),
    'notes.txt': 'these are no picture'
  });
  const before = snapshot(folder);
  const pdf = join(folder, 'Pictures.pdf');

  await step('without its token the page says so', async () => {
    await page.goto(server.origin);
    await page.getByText('The token is missing, wrong, expired or revoked').waitFor();
  });

  await step('a computer without a runtime: one card, and the file is installed from it', async () => {
    await page.goto('about:blank');
    await page.goto(server.page);
    assert(!page.url().includes('token'), 'the token stays in the address');
    await heading('Welcome to piwork').waitFor();
    await checkBothThemes(page, 'welcome');
    await button('Get this computer ready').click();
    await heading('Getting the runtime').waitFor();
    await page.reload();
    await heading('Getting the runtime').waitFor();
    await checkBothThemes(page, 'setup without a runtime');

    await page.getByRole('textbox', { name: 'File', exact: true }).fill(join(folder, 'notes.txt'));
    await button('Install').click();
    await page
      .getByRole('alert')
      .getByText('piwork installs only runtimes that are complete and signed.')
      .waitFor();

    await page.getByRole('textbox', { name: 'File', exact: true }).fill(pack);
    await page.keyboard.press('Enter');
    await heading('Ready. Try it?').waitFor({ timeout: SLOW_MS });
    await checkBothThemes(page, 'setup, ready');
    await page.getByRole('link', { name: 'This computer: Ready, slow mode' }).waitFor();
  });

  await step('the first chore: sample photos become a PDF, and the way is over', async () => {
    await button('Show me').click();
    await heading('Sample photos → PDF').waitFor();
    const plan = page.getByRole('region', { name: 'Plan', exact: true });
    await plan.getByText('5 pictures → 1 PDF').waitFor({ timeout: SLOW_MS });
    await button('Create PDF').click();
    await page.getByRole('region', { name: 'Done' }).waitFor({ timeout: SLOW_MS });
    await button('Undo everything').click();
    await page.getByText('All changes are undone.').waitFor();
    await page.getByRole('link', { name: 'New task' }).click();
    await heading('What would you like to do?').waitFor();
  });

  await step('a folder is refused with a reason', async () => {
    await page.getByRole('textbox', { name: 'Folder', exact: true }).fill('/');
    await page.keyboard.press('Enter');
    await button('Show plan').click();
    await page.getByRole('alert').getByText('You can’t use a whole disk').waitFor();
    await checkBothThemes(page, 'home, refused');
    await button('Choose a folder inside it').click();
  });

  await step('a plan, read-only, while the page is loaded again', async () => {
    await page.getByRole('textbox', { name: 'Folder', exact: true }).fill(folder);
    await button('Use this folder').click();
    await button('Show plan').click();
    await heading('Fotos vom Meer – 海 → PDF').waitFor();
    await page.reload();
    await heading('Fotos vom Meer – 海 → PDF').waitFor();
    const plan = page.getByRole('region', { name: 'Plan', exact: true });
    await plan.waitFor({ timeout: SLOW_MS });
    await plan.getByText('4 pictures → 1 PDF').waitFor();
    await plan.getByText('Your existing files won’t be changed, moved or deleted.').waitFor();
    await plan.getByRole('list', { name: 'Creates' }).getByText('Pictures.pdf').waitFor();
    const left = plan.getByRole('list', { name: 'Skipped' });
    assert.match(await left.innerText(), /torn\.jpg/);
    assert.equal(await left.getByRole('listitem').count(), 1);
    await plan.locator('summary', { hasText: 'Reads 4 files' }).click();
    const reads = await plan
      .getByRole('list', { name: /^Reads/ })
      .getByRole('listitem')
      .allInnerTexts();
    assert(
      reads.findIndex((line) => line.includes('IMG 9')) < reads.findIndex((line) => line.includes('IMG 10')),
      'pictures are in the order that people expect'
    );
    await checkBothThemes(page, 'plan');
    assert.deepEqual(snapshot(folder), before, 'planning changed the folder');
  });

  await step('the work is followed and ends with a PDF on the disk', async () => {
    await watchProgress();
    await button('Create PDF').click();
    await checkAccess(page, 'working');
    await page
      .getByRole('region', { name: 'Done' })
      .getByText('4 pictures → 1 PDF')
      .waitFor({ timeout: SLOW_MS });
    const seen = await seenProgress();
    assert(
      seen.some((/** @type {string} */ text) => /^\d of 4 pictures$/.test(text)),
      `no progress was shown: ${seen}`
    );
    const bytes = readFileSync(pdf);
    assert.equal(bytes.subarray(0, 5).toString(), '%PDF-');
    assert.equal(pagesOf(bytes), 4, 'a page for each picture');
    for (const jpeg of [one, two, three]) assert(bytes.includes(scanOf(jpeg)), 'a JPEG was encoded again');
    const { 'Pictures.pdf': made, ...rest } = snapshot(folder);
    assert(made);
    assert.deepEqual(rest, before, 'something else was changed');
    await page.getByRole('region', { name: '1 file was skipped' }).getByText('torn.jpg').waitFor();
    await checkBothThemes(page, 'done');

    const download = page.waitForEvent('download');
    await button('Save Pictures.pdf').first().click();
    const saved = await (await download).path();
    assert(readFileSync(saved).equals(bytes), 'what is saved is not what was made');
  });

  await step('the changes are listed and put back', async () => {
    const changes = page.getByRole('region', { name: /^Changes/ });
    assert.match(await changes.innerText(), /1 new/);
    await button('Undo everything').click();
    await changes.getByText('1 change undone.').waitFor();
    await page.getByText('All changes are undone.').waitFor();
    assert(!existsSync(pdf), 'the PDF is still there');
    assert.deepEqual(snapshot(folder), before);
    await checkBothThemes(page, 'undone');
  });

  await more(
    'with the keyboard alone: the same again, and what the person changed since is left alone',
    async () => {
      await page.locator('#content').focus();
      await goTo('Run again');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Create PDF' }).waitFor({ timeout: SLOW_MS });
      await goTo('Create PDF');
      await page.keyboard.press('Enter');
      await page.getByRole('region', { name: 'Done' }).waitFor({ timeout: SLOW_MS });
      appendFileSync(pdf, '% a remark of mine\n');
      const mine = readFileSync(pdf);
      await goTo('Undo everything');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('Pictures.pdf: changed since then').waitFor();
      assert(readFileSync(pdf).equals(mine), 'undo touched what the person changed');
      await checkBothThemes(page, 'conflict');
    }
  );

  await more('an empty folder is answered in a sentence', async () => {
    await page.getByRole('link', { name: 'New task' }).click();
    await page.getByRole('textbox', { name: 'Folder', exact: true }).fill(empty);
    await page.keyboard.press('Enter');
    await button('Show plan').click();
    await page.getByRole('heading', { name: 'No pictures in “Leer”' }).waitFor({ timeout: SLOW_MS });
    await checkBothThemes(page, 'empty folder');
  });

  await more('a task that is stopped says so, and one can be forgotten', async () => {
    await button('Choose another folder').click();
    await button('Fotos vom Meer – 海').click();
    await button('Show plan').click();
    await heading('Fotos vom Meer – 海 → PDF').waitFor();
    await button('Stop').click();
    await page.getByRole('heading', { name: 'You stopped this task' }).waitFor({ timeout: 60_000 });
    await button('Delete task').click();
    await page.getByRole('alertdialog').waitFor();
    await checkBothThemes(page, 'forget');
    await button('Delete').click();
    await heading('What would you like to do?').waitFor();
    const tasks = await command(program, scratch.env, 'task', 'list');
    assert.equal(tasks.length, 4, 'the list of the command line is another one');
  });

  await step(
    'a tool: found by a word, a picture becomes another one beside it, and is taken back',
    async () => {
      await page.getByRole('link', { name: 'Tools', exact: true }).click();
      await heading('Tools').waitFor();
      await page.getByRole('searchbox', { name: 'Find a tool' }).fill('webp');
      await page.getByRole('link', { name: /^Convert pictures/ }).click();
      await heading('Convert pictures').waitFor();
      await page
        .getByRole('textbox', { name: 'File', exact: true })
        .fill(join(folder, "Anna's boat – größer.jpg"));
      await page.keyboard.press('Enter');
      await page.getByText('PNG', { exact: true }).click();
      await page.getByText('Into a folder', { exact: true }).click();
      assert.equal(
        await page.getByLabel('Name of the new file').inputValue(),
        "Anna's boat – größer.png",
        'another name is proposed'
      );
      const there = snapshot(folder);
      await button('Do it').click();
      await page.getByText('1 file created', { exact: true }).waitFor({ timeout: SLOW_MS });
      assert(existsSync(join(folder, "Anna's boat – größer.png")), 'the picture is not in the folder');
      await button('Undo everything').click();
      await page.getByText('All changes are undone.').waitFor();
      assert.deepEqual(snapshot(folder), there);
      await checkBothThemes(page, 'a tool, undone');
    }
  );

  await more('a tool that only tells: what a picture is', async () => {
    await page.getByRole('link', { name: 'Tools', exact: true }).click();
    await page.getByRole('searchbox', { name: 'Find a tool' }).fill('');
    await page.getByRole('link', { name: /^Picture info/ }).click();
    await page.getByRole('textbox', { name: 'File', exact: true }).fill(join(folder, '- first.png'));
    await page.keyboard.press('Enter');
    await button('Do it').click();
    const report = page.getByRole('region', { name: 'Findings' });
    await report.getByText('- first.png').waitFor({ timeout: SLOW_MS });
    assert.match(await report.innerText(), /Width\s+\d+/);
    await checkBothThemes(page, 'what a tool tells');
  });

  await step('settings: language and state of the computer', async () => {
    await page.getByRole('link', { name: 'Settings' }).click();
    await heading('Models and keys').waitFor();
    await page.getByRole('link', { name: 'This computer', exact: true }).click();
    await page.getByText('Slow mode, turned on by you').first().waitFor();
    await checkBothThemes(page, 'settings');
    await page.getByRole('link', { name: 'Appearance and language' }).click();
    await page.getByText('Deutsch', { exact: true }).click();
    await heading('Darstellung und Sprache').waitFor();
    await checkAccess(page, 'settings, German');
  });

  await step(
    'the runtime: what is in use, where updates come from, and how far a file is believed',
    async () => {
      const [used] = await command(program, scratch.env, 'pack', 'list');
      await page.getByRole('link', { name: 'Laufzeitumgebung', exact: true }).click();
      await heading('Laufzeitumgebung').waitFor();
      const versions = page.getByRole('region', { name: 'Versionen' });
      await versions.getByText(used.version, { exact: true }).waitFor();
      await versions.getByText('in Gebrauch').waitFor();
      assert.equal(
        await versions.getByRole('button', { name: /entfernen/ }).count(),
        0,
        'what is in use could go'
      );
      await checkBothThemes(page, 'runtime');

      const choices = page.getByRole('region', { name: 'Update-Quelle' });
      await choices.locator('summary').click();
      await choices.getByLabel('Adressen der Update-Quelle, eine pro Zeile').fill('no address');
      await button('Speichern').click();
      await page.getByRole('alert').waitFor();
      await choices
        .getByLabel('Adressen der Update-Quelle, eine pro Zeile')
        .fill('https://127.0.0.1:9/piwork');
      await choices.getByText('Nur auf Anforderung').click();
      await button('Speichern').click();
      await choices.getByText('Gespeichert.').waitFor();
      const { settings } = await command(program, scratch.env, 'pack', 'channel');
      assert.deepEqual(settings, { auto: false, urls: ['https://127.0.0.1:9/piwork'] });
      await checkAccess(page, 'runtime, choices');

      await page.getByRole('region', { name: 'Versionen' }).locator('summary').click();
      await page.getByRole('textbox', { name: 'Datei', exact: true }).fill(join(folder, 'notes.txt'));
      await button('Installieren').click();
      await page
        .getByRole('alert')
        .getByText('piwork installiert nur vollständige, signierte Laufzeitumgebungen.')
        .waitFor();
      // A workroom may be made ready meanwhile, which uses the pack.
      const packs = await command(program, scratch.env, 'pack', 'list');
      for (const pack of [...packs, used]) delete pack.inUse;
      assert.deepEqual(packs, [used], 'another version is here');
    }
  );

  await step('when the program ends, the page says so', async () => {
    await server.stop();
    await page.getByText('piwork antwortet nicht').first().waitFor();
    await checkAccess(page, 'connection lost');
  });

  assert.deepEqual(faults, [], 'the page reported faults');
} catch (error) {
  await story.failed(error, page, faults.join('\n'));
} finally {
  await browser.close();
  await server.stop();
}
await scratch.end();
