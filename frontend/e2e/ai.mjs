// A task in a person's own words, in headless Chromium against the real program, the AI program of the pack in a real
// virtual machine, and a model by a script: steered, asked, watched from a second window, put back; and the same when
// the program is killed in the middle: node e2e/ai.mjs [--all]. Needs PIWORK_BIN and PIWORK_TEST_PACK.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkBothThemes } from './lib/axe.mjs';
import { launch } from './lib/chromium.mjs';
import { fill, snapshot } from './lib/files.mjs';
import { ScriptedModel } from './lib/model.mjs';
import { controls, openPage } from './lib/page.mjs';
import { command, fromEnvironment, Scratch, serve, SLOW_MS } from './lib/program.mjs';
import { Story } from './lib/story.mjs';
import { until } from './lib/until.mjs';

const { program, pack } = fromEnvironment();
const scratch = new Scratch();
const model = new ScriptedModel();
const folder = scratch.folder('Notizen');
fill(folder, { 'notes.md': 'buy milk\n', 'old.md': 'yesterday\n' });
const before = snapshot(folder);
const inside = `/folders/Notizen`;

await scratch.install(program, pack);
await command(program, scratch.env, 'key', 'set', 'mine', '--no-key', '--base-url', await model.start());
let server = await serve(program, scratch.env);
const browser = await launch();
/** @type {string[]} */
const faults = [];
const page = await openPage(browser, (fault) => faults.push(fault));
const { button, heading } = controls(page);

const story = new Story('ai');
const { step, more } = story;

/** Everything is put back, and the folder is as it was. */
async function putBack() {
  await button('Undo everything').click();
  await page
    .getByText(/^\d changes? undone\.$/)
    .first()
    .waitFor({ timeout: SLOW_MS });
  assert.deepEqual(snapshot(folder), before);
}

/** A promise and what keeps it. @returns {{ promise: Promise<void>, keep: () => void }} */
function gate() {
  let keep = () => {};
  const promise = /** @type {Promise<void>} */ (new Promise((resolve) => (keep = () => resolve(undefined))));
  return { promise, keep };
}

try {
  const steered = gate();
  model.says(
    { parts: ['I look. '], calls: [{ name: 'read', input: { path: `${inside}/notes.md` } }] },
    { calls: [{ name: 'write', input: { path: `${inside}/summary.md`, content: '# Milk\n' } }] },
    {
      parts: ['I think ', 'about it. '],
      before: steered.promise,
      calls: [{ name: 'ls', input: { path: inside } }]
    },
    { calls: [{ name: 'bash', input: { command: `rm '${inside}/old.md'` } }] },
    { parts: ['All **done**: `summary.md`.'] }
  );

  await step('what is asked for in own words is done, and told more in the middle', async () => {
    await page.goto(server.page);
    await heading('What would you like to do?').waitFor({ timeout: SLOW_MS });
    await page.getByLabel('In your own words', { exact: true }).fill('Tidy my notes');
    await page.getByRole('textbox', { name: 'Folder', exact: true }).fill(folder);
    await page.keyboard.press('Enter');
    await page.getByText('Make changes', { exact: true }).first().click(); // else they wait to be looked at
    await button('Start').click();
    await heading('Tidy my notes').waitFor();
    await page
      .getByText(/^Wrote .*summary\.md/)
      .first()
      .waitFor({ timeout: SLOW_MS });
    await page.getByText('I think').first().waitFor({ timeout: SLOW_MS });
    await page.getByLabel('Message', { exact: true }).fill('and remove the old one');
    await button('Send').click();
    await page.getByText('and remove the old one').first().waitFor();
  });

  await step('a terminal is in its workroom: what is typed runs there, and what is pasted too', async () => {
    const rows = page.locator('.xterm-rows');
    await button('Terminal').click();
    await page
      .locator('.xterm-helper-textarea:not([readonly]):focus') // it has the keyboard once it has the shell
      .waitFor({ state: 'attached', timeout: SLOW_MS });
    await page.keyboard.type('echo $((6 * 7)) files, $(ls /folders/Notizen | wc -l)\n');
    await rows.filter({ hasText: '42 files, 3' }).waitFor({ timeout: SLOW_MS });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate((text) => navigator.clipboard.writeText(text), String.raw`printf 'hällo-%s\n' 海`);
    await page.keyboard.press('Control+Shift+V');
    await page.keyboard.press('Enter');
    await rows.filter({ hasText: 'hällo-海' }).waitFor({ timeout: SLOW_MS });
    assert(!(await rows.innerText()).includes('bash:'), 'the shell complains');
    await page.keyboard.type("sh -c 'echo $((6 * 9)) sleeps; exec sleep 300'\n");
    await rows.filter({ hasText: '54 sleeps' }).waitFor({ timeout: SLOW_MS }); // it has the terminal: the interrupt is for it
    await page.keyboard.press('Control+c');
    await rows.filter({ hasText: '^C' }).waitFor({ timeout: SLOW_MS });
    await page.keyboard.type('exit 7\n');
    await page.getByText('The shell ended with status 7.').waitFor({ timeout: SLOW_MS });
    await page.keyboard.press('F6');
    await page.waitForFunction(() => document.activeElement?.closest('[data-terminal] button'));
    await button('Hide').click();
    await button('Terminal').waitFor();
  });

  await step('it gets another model while it works, which answers from then on', async () => {
    assert.equal(model.asked.at(-1)?.model, 'scripted-1');
    await button('Change model').click();
    await page.getByLabel('Model', { exact: true }).selectOption('mine/scripted-2');
    await page.getByLabel('Thinking time').selectOption({ label: 'Medium' });
    await page.getByText('Used from the next answer on.').waitFor();
    await button('Apply').click();
    await page.getByText('Continuing with scripted-2.').first().waitFor();
    await button('Change model').waitFor();
    const [task] = await command(program, scratch.env, 'task', 'list');
    assert.deepEqual([task.ai.model, task.ai.thinking], ['mine/scripted-2', 'medium']);
    const asked = model.asked.length;
    steered.keep();
    await until('the model is asked again', () => model.asked.length !== asked, SLOW_MS, 100);
    assert.equal(model.asked.at(-1)?.model, 'scripted-2');
  });

  const second = await page.context().newPage();
  await step('a question is answered in a second window, and the first one knows', async () => {
    const asked = page.locator('section', { has: page.locator('#question-heading') });
    await asked.waitFor({ timeout: SLOW_MS });
    assert(model.last.includes('and remove the old one'), 'the model was not told what was said in between');
    assert(existsSync(join(folder, 'old.md')), 'it was deleted without a question');
    await checkBothThemes(page, 'a task asks');
    await second.goto(server.page); // where it gets what lets it in
    await second.getByRole('heading', { level: 1 }).waitFor();
    await second.evaluate((hash) => (location.hash = hash), new URL(page.url()).hash);
    await controls(second).heading('Tidy my notes').waitFor();
    // By its command, and by what becomes of the file: each is asked about once.
    const done = second.getByRole('region', { name: 'Changes' });
    const yes = second.getByRole('button', { name: /^(Allow|Only these)$/ });
    const deleted = async () => {
      if (!existsSync(join(folder, 'old.md'))) return true;
      if (await yes.first().isVisible())
        await yes
          .first()
          .click({ timeout: 2000 })
          .catch(() => undefined); // answered meanwhile
      return false;
    };
    await until('what was allowed is done', deleted, SLOW_MS);
    await page.getByText('All done: summary.md.').waitFor({ timeout: SLOW_MS });
    await asked.waitFor({ state: 'detached' });
    assert(!existsSync(join(folder, 'old.md')), 'what was allowed was not done');
    assert.equal(readFileSync(join(folder, 'summary.md'), 'utf8'), '# Milk\n');
    await done.first().waitFor();
    await checkBothThemes(page, 'an AI task, done');
    await second.close();
  });

  await more('a short conversation has nothing to summarise, and the task is as it was', async () => {
    const asked = model.asked.length;
    await button('Summarise earlier messages').click();
    await page
      .getByText(/^Nothing to summarise/) // the page says it, and may announce it
      .first()
      .waitFor({ timeout: SLOW_MS });
    await button('Summarise earlier messages').waitFor({ timeout: SLOW_MS });
    assert.equal(model.asked.length, asked, 'the model was asked');
    const [task] = await command(program, scratch.env, 'task', 'list');
    assert.equal(task.state, 'done');
  });

  await step('what it changed is put back', putBack);

  await more(
    'the program is killed in the middle of an answer, and the task goes on when told to',
    async () => {
      const never = gate();
      model.says(
        { calls: [{ name: 'write', input: { path: `${inside}/first.md`, content: 'one\n' } }] },
        { parts: ['The beginning of ', 'an answer'], before: never.promise }
      );
      await page.getByLabel('Ask for more', { exact: true }).fill('Write two files');
      await button('Send').click();
      await page.getByText('The beginning of').first().waitFor({ timeout: SLOW_MS });
      await server.kill();
      await page.getByText('piwork isn’t responding').first().waitFor();
      assert.equal(readFileSync(join(folder, 'first.md'), 'utf8'), 'one\n', 'what was done is lost');
      never.keep();
      const place = new URL(page.url()).hash;
      server = await serve(program, scratch.env);
      await page.goto(server.page);
      await page.goto(server.origin + '/' + place);
      await heading('Tidy my notes').waitFor({ timeout: SLOW_MS });
      model.says(
        { calls: [{ name: 'write', input: { path: `${inside}/second.md`, content: 'two\n' } }] },
        { parts: ['Both are there.'] }
      );
      await button('Continue').click();
      await page.getByText('Both are there.').waitFor({ timeout: SLOW_MS });
      assert(model.last.includes('Write two files'), 'the conversation is another one');
      assert.equal(readFileSync(join(folder, 'second.md'), 'utf8'), 'two\n');
      await putBack();
    }
  );

  assert.deepEqual(faults, [], 'the page reported faults');
} catch (error) {
  await story.failed(error, page, `the model was asked ${model.asked.length} times`);
} finally {
  await browser.close();
  await server.stop();
  await model.stop();
}
await scratch.end();
