// Every screen of the window, and how to get there with the invented controller.
import { examples, reports } from './fixtures.mjs';
import { startMock } from './server.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {Parameters<typeof startMock>[0]} Setting */
/** @typedef {Awaited<ReturnType<typeof startMock>>} Mock */

const ALL = /** @type {(keyof typeof examples)[]} */ (Object.keys(examples));

/** @param {keyof typeof examples} name */
const at = (name) => `#/tasks/${examples[name].id}`;

/** @param {Mock} mock @param {number} done */
function progress(mock, done) {
  const { id, folders } = examples.working;
  mock.emit(id, 'progress', {
    done,
    total: 12,
    item: `/folders/${folders[0]?.name}/IMG_20${40 + done}.jpg`,
    bytes: done * 2_400_000,
    totalBytes: 12 * 2_400_000,
    eta: 10 * (12 - done)
  });
}

/** Chooses files for a tool. @param {Page} page @param {string[]} names */
async function giveFiles(page, names) {
  for (const name of names) {
    await page.getByLabel(/^Place of a file/).fill(`/home/anna/Documents/${name}`);
    await page.getByRole('button', { name: 'Add it' }).click();
  }
}

/** Opens the look at a result. @param {string} name @param {(page: Page) => Promise<unknown>} seen */
const preview = (name, seen) => ({
  setting: { tasks: ALL },
  hash: at('answered'),
  async act(/** @type {Page} */ page) {
    await page.getByRole('button', { name: `Look at ${name}` }).click();
    await seen(page);
  }
});

/** @type {Record<string, { setting: Setting, hash?: string, locale?: string, act?: (page: Page, mock: Mock) => Promise<void> }>} */
export const screens = {
  'setup-checking': {
    setting: { report: 'never' },
    act: (page) => page.getByText('Checking the runtime and opening').waitFor()
  },
  'setup-no-runtime': { setting: { report: 'noPack' } },
  'setup-installing': {
    setting: { report: 'noPack', pace: 400 },
    async act(page) {
      await page.getByText('I have the file').click();
      await page
        .getByLabel('Place of the file')
        .fill('/home/anna/Downloads/piwork-runtime-linux-amd64-0.1.0.tar.zst');
      await page.getByRole('button', { name: 'Install', exact: true }).click();
      await page.getByText(/39 MB of 130 MB/).waitFor();
    }
  },
  'setup-no-channel': { setting: { report: 'noPack', update: 'off' } },
  'setup-found-bundle': { setting: { report: 'found' } },
  'setup-downloading': {
    setting: { report: 'noPack', pace: 1500 },
    async act(page) {
      await page.getByRole('button', { name: /^Download the runtime/ }).click();
      await page.getByText(/69 MB of 173 MB/).waitFor();
    }
  },
  'setup-paused': {
    setting: { report: 'noPack', pace: 1500 },
    async act(page) {
      await page.getByRole('button', { name: /^Download the runtime/ }).click();
      await page.getByText(/35 MB of 173 MB/).waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByRole('button', { name: 'Go on' }).waitFor();
    }
  },
  ...Object.fromEntries(
    Object.keys(reports)
      .filter((name) => /^(linux|windows|mac|nothing|not)-/.test(name))
      .map((name) => [`setup-${name}`, { setting: { report: name } }])
  ),
  'setup-became-ready': {
    setting: { report: 'linux-broken' },
    async act(page) {
      await page.getByRole('button', { name: 'Work slowly' }).click();
      await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
    }
  },
  'first-welcome': { setting: { report: 'noPack', guide: 'fresh' } },
  'first-welcome-found': { setting: { report: 'found', guide: 'fresh' } },
  'first-looking': {
    setting: { report: 'never', guide: 'welcomed' },
    act: (page) => page.getByText('Checking the runtime and opening').waitFor()
  },
  'first-foreseen': { setting: { report: 'foreseen', guide: 'welcomed' } },
  'first-firmware': { setting: { report: 'linux-firmware', guide: 'welcomed' } },
  'first-downloading': {
    setting: { report: 'noPack', guide: 'fresh', pace: 1500 },
    async act(page) {
      await page.getByRole('button', { name: 'Get this computer ready' }).click();
      await page.getByText(/69 MB of 173 MB/).waitFor();
    }
  },
  'first-no-channel': { setting: { report: 'noPack', update: 'off', guide: 'welcomed' } },
  'first-chore': { setting: { guide: 'welcomed' } },
  'first-chore-slow': { setting: { report: 'slow', guide: 'welcomed' } },
  'first-chore-waits': { setting: { guide: 'welcomed', tasks: ['waiting'] } },
  'german-first-welcome': { setting: { report: 'noPack', guide: 'fresh' }, locale: 'de-DE' },
  'german-first-chore': { setting: { guide: 'welcomed' }, locale: 'de-DE' },
  'home-first': { setting: {} },
  home: {
    setting: { tasks: ALL },
    async act(page) {
      await page.getByLabel('Place of the folder').fill('/home/anna/Pictures/Summer at the sea');
      await page.getByRole('button', { name: 'Use this folder' }).click();
      await page.getByText('Options').click();
    }
  },
  'home-kept': { setting: { tasks: ALL, kept: true } },
  'home-slow': { setting: { tasks: ['done'], report: 'slow' } },
  'home-all': {
    setting: { tasks: ['done'] },
    act: (page) => page.getByRole('button', { name: /^All \d+ chores/ }).click()
  },
  'home-dropping': {
    setting: { tasks: ['done'] },
    async act(page) {
      // As a string: it runs in the page, which has what a mouse carries.
      await page.evaluate(`
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['x'], 'a.jpg'));
        window.dispatchEvent(new DragEvent('dragenter', { dataTransfer }));
      `);
      await page.getByText('Let go to use it here').first().waitFor();
    }
  },
  'home-refused': {
    setting: { tasks: ['done'] },
    async act(page) {
      await page.getByLabel('Place of the folder').fill('/');
      await page.getByRole('button', { name: 'Use this folder' }).click();
      await page.getByRole('button', { name: 'Show me the plan' }).click();
      await page.getByRole('alert').waitFor();
    }
  },
  'home-words': {
    setting: { tasks: ['done', 'answered'] },
    async act(page) {
      await page.getByLabel('In your own words').fill('Sort the letters by sender and make a list of them.');
      await page.getByLabel('Place of the folder').fill('/home/anna/Documents/Letters');
      await page.getByRole('button', { name: 'Use this folder' }).click();
      await page.getByRole('button', { name: 'Add another folder' }).click();
      await page.getByLabel('Place of another folder').fill('/home/anna/Documents/Club');
      await page.getByRole('button', { name: 'Add it' }).click();
      await page.getByText('More options').click();
    }
  },
  'home-folders': {
    setting: { tasks: ALL },
    async act(page) {
      await page.getByLabel('Place of the folder').fill('/home/anna/Pictures/Summer at the sea');
      await page.getByRole('button', { name: 'Use this folder' }).click();
      await page.getByRole('button', { name: 'Add another folder' }).click();
      await page.getByLabel('Place of another folder').fill('/home/anna/Pictures/Winter');
      await page.getByRole('button', { name: 'Add it' }).click();
      await page.getByRole('radio', { name: 'Only look' }).last().press('Space');
    }
  },
  'home-no-key': {
    setting: { tasks: ['done'], keyless: true },
    act: (page) => page.getByRole('heading', { name: 'Or in your own words' }).scrollIntoViewIfNeeded()
  },
  'task-talk': {
    setting: { tasks: ALL },
    hash: at('answered'),
    act: (page) => page.getByRole('table').waitFor()
  },
  'task-talk-working': {
    setting: { tasks: ALL },
    hash: at('talking'),
    async act(page, mock) {
      const { id } = examples.talking;
      mock.emit(id, 'delta', { id: 'a9', text: 'Now I write the list **in German**' });
      await page.getByText('in German', { exact: true }).waitFor();
      await page.getByText('Read 12 files').click();
    }
  },
  'task-model': {
    setting: { tasks: ALL },
    hash: at('talking'),
    async act(page) {
      await page.getByRole('button', { name: 'Change the model' }).click();
      await page.getByLabel('Model', { exact: true }).selectOption({ label: 'Claude Opus 4.5' });
      await page.getByLabel('How long it thinks').selectOption({ label: 'Longer' });
      await page.getByText('It holds from the next answer on.').scrollIntoViewIfNeeded();
    }
  },
  'german-task-model': {
    setting: { tasks: ALL },
    hash: at('answered'),
    locale: 'de-DE',
    async act(page) {
      await page.getByRole('button', { name: 'Das Modell ändern' }).click();
      await page.getByRole('button', { name: 'Früheres zusammenfassen' }).scrollIntoViewIfNeeded();
    }
  },
  'task-model-changed': {
    setting: { tasks: ALL },
    hash: at('answered'),
    async act(page) {
      await page.getByRole('button', { name: 'Change the model' }).click();
      await page.getByLabel('Model', { exact: true }).selectOption({ label: 'Claude Opus 4.5' });
      await page.getByLabel('How long it thinks').selectOption({ label: 'Longer' });
      await page.getByRole('button', { name: 'Use this' }).click();
      await page.getByText('It goes on with Claude Opus 4.5. It thinks for longer.').scrollIntoViewIfNeeded();
    }
  },
  'task-summarised': {
    setting: { tasks: ALL },
    hash: at('answered'),
    async act(page) {
      await page.getByRole('button', { name: 'Summarise earlier messages' }).click();
      await page.getByText('Earlier messages were summarised, to make room.').scrollIntoViewIfNeeded();
    }
  },
  'task-talk-tools': {
    setting: { tasks: ALL },
    hash: at('answered'),
    async act(page) {
      await page.getByText('Changed index.md').click();
      await page.getByText(/Ran a command: mkdir/).click();
      await page.getByText('What it thought').click();
      await page.getByRole('button', { name: 'Show raw event' }).first().click();
      await page.getByText('message_end').waitFor();
      await page.getByText('Changed index.md').scrollIntoViewIfNeeded();
    }
  },
  'task-asks-network': {
    setting: { tasks: ALL },
    hash: at('reaching'),
    act: (page) => page.getByText('It wants to reach musicbrainz.org.').waitFor()
  },
  'task-asks-command': {
    setting: { tasks: ALL },
    hash: at('commanding'),
    act: (page) => page.getByText('It wants to run a command.').waitFor()
  },
  'task-asks-choice': {
    setting: { tasks: ALL },
    hash: at('choosing'),
    act: (page) => page.getByRole('radio', { name: 'members 2026.csv' }).check()
  },
  'task-asks-words': {
    setting: { tasks: ALL },
    hash: at('wording'),
    act: (page) => page.getByRole('textbox', { name: 'What should the card say?' }).waitFor()
  },
  'task-loosened': {
    setting: { tasks: ALL },
    hash: at('commanding'),
    async act(page) {
      await page.getByText('What was allowed in this task').click();
      await page
        .getByRole('button', { name: /^Take it back/ })
        .first()
        .waitFor();
      await page.getByRole('heading', { name: 'With more allowed' }).scrollIntoViewIfNeeded();
    }
  },
  'task-talk-cut': { setting: { tasks: ALL }, hash: at('cut') },
  'task-opening': {
    setting: { tasks: ALL },
    hash: at('opening'),
    act: (page) => page.getByText('Opening the workroom.').waitFor()
  },
  'task-plan': { setting: { tasks: ALL }, hash: at('waiting') },
  'task-working': {
    setting: { tasks: ALL },
    hash: at('working'),
    async act(page, mock) {
      for (let done = 1; done <= 6; done++) {
        progress(mock, done);
        await page.waitForTimeout(1000);
      }
      await page.getByText('6 of 12 pictures').waitFor();
    }
  },
  'task-done': { setting: { tasks: ALL }, hash: at('done') },
  'task-many-changes': { setting: { tasks: ALL }, hash: at('many') },
  'task-undone': {
    setting: { tasks: ALL },
    hash: at('done'),
    async act(page) {
      await page.getByRole('button', { name: 'Put everything back' }).click();
      await page.getByText('Everything is as it was before.').waitFor();
    }
  },
  'task-conflict': {
    setting: { tasks: ALL, conflict: true },
    hash: at('many'),
    async act(page) {
      await page.getByRole('button', { name: 'Put everything back' }).click();
      await page.getByText(/was left alone/).waitFor();
    }
  },
  'task-review': { setting: { tasks: ALL }, hash: at('reviewed') },
  'changes-review': {
    setting: { tasks: ALL },
    hash: `${at('reviewed')}/changes`,
    act: (page) => page.getByText('Nothing in the folder has been changed yet').waitFor()
  },
  'changes-table': {
    setting: { tasks: ALL },
    hash: `${at('reviewed')}/changes`,
    async act(page) {
      await page.getByRole('button', { name: /members\.csv/ }).click();
      await page.getByText('2 rows changed').waitFor();
    }
  },
  'changes-text': {
    setting: { tasks: ALL },
    hash: `${at('reviewed')}/changes`,
    async act(page) {
      await page.getByRole('button', { name: /invitation\.txt/ }).click();
      await page.getByText('2 lines new, 1 line gone').waitFor();
    }
  },
  'changes-picture': {
    setting: { tasks: ALL },
    hash: `${at('reviewed')}/changes`,
    async act(page) {
      await page.getByRole('button', { name: /summer\.png/ }).click();
      await page.getByRole('img', { name: 'After' }).waitFor();
    }
  },
  'changes-many': {
    setting: { tasks: ALL },
    hash: `${at('huge')}/changes`,
    act: (page) => page.getByText('All (10,000)').waitFor()
  },
  'changes-chosen': {
    setting: { tasks: ALL },
    hash: `${at('many')}/changes`,
    async act(page) {
      await page.getByRole('checkbox', { name: 'Choose notes.txt' }).check();
      await page.getByRole('button', { name: 'Put back 1 change' }).click();
      await page.getByRole('button', { name: 'Bring back', exact: true }).waitFor();
    }
  },
  'changes-conflict': {
    setting: { tasks: ALL, conflict: true },
    hash: `${at('many')}/changes`,
    async act(page) {
      await page.getByRole('button', { name: 'Put everything back' }).click();
      await page.getByText('1 file is yours now').waitFor();
    }
  },
  'german-changes': {
    setting: { tasks: ALL },
    hash: `${at('reviewed')}/changes`,
    locale: 'de-DE',
    act: (page) => page.getByRole('button', { name: /members\.csv/ }).click()
  },
  'task-failed': { setting: { tasks: ALL }, hash: at('failed') },
  'task-empty-folder': { setting: { tasks: ALL }, hash: at('empty') },
  'task-stopped': { setting: { tasks: ALL }, hash: at('stopped') },
  'task-delete': {
    setting: { tasks: ALL },
    hash: at('done'),
    async act(page) {
      await page.getByRole('button', { name: 'Delete the task' }).click();
      await page.getByRole('alertdialog').waitFor();
    }
  },
  'list-found': {
    setting: { tasks: ALL },
    async act(page) {
      await page
        .getByRole('button', { name: 'Tasks' })
        .click({ timeout: 500 })
        .catch(() => undefined); // a narrow window
      const field = page.getByRole('searchbox', { name: 'Find a task' }).last();
      await field.fill('letters');
      await page
        .getByRole('link', { name: /^Sort the letters/ })
        .last()
        .waitFor();
    }
  },
  'preview-markdown': preview('Letters by sender.md', (page) =>
    page.getByText('Nothing is open any more.').waitFor()
  ),
  'preview-table': preview('Letters by sender.csv', (page) => page.getByText('41 rows, 4 columns').waitFor()),
  'preview-page': preview('Report.html', (page) =>
    page.frameLocator('iframe').getByText('12 files, 3 MB.').waitFor()
  ),
  'preview-picture': preview('Chart.png', (page) => page.getByRole('img', { name: 'Chart.png' }).waitFor()),
  'preview-pdf': preview('Letters.pdf', (page) => page.getByRole('dialog').waitFor()),
  'preview-none': preview('Read aloud.mp3', (page) => page.getByText('is not shown here').waitFor()),
  'task-rename': {
    setting: { tasks: ALL },
    hash: at('done'),
    act: (page) => page.getByRole('button', { name: 'Rename' }).click()
  },
  'home-chores': {
    setting: { tasks: ALL },
    async act(page) {
      await page.getByRole('button', { name: /^All \d+ chores/ }).click();
      await page.getByRole('heading', { name: 'PDFs and documents' }).scrollIntoViewIfNeeded();
    }
  },
  settings: { setting: { tasks: ALL }, hash: '#/settings/computer' },
  'settings-models': {
    setting: { tasks: ALL },
    hash: '#/settings',
    async act(page) {
      await page.getByRole('button', { name: 'Test Anthropic' }).click();
      await page.getByText('It works: 12 models.').waitFor();
      await page.getByRole('button', { name: 'Test Ollama' }).click();
      await page.getByText('There is no connection to it.').waitFor();
      await page.getByText('Add a key').click();
      await page.getByLabel('Service').selectOption({ label: 'Another server' });
    }
  },
  'settings-login': {
    setting: { tasks: ALL },
    hash: '#/settings',
    async act(page) {
      await page.getByRole('button', { name: 'Sign in to Anthropic' }).click();
      await page.getByText('WDJB-MJHT').waitFor();
    }
  },
  'settings-locked': {
    setting: { tasks: ALL, locked: true },
    hash: '#/settings',
    act: (page) => page.getByLabel('Passphrase').scrollIntoViewIfNeeded()
  },
  'settings-no-key': { setting: { keyless: true }, hash: '#/settings' },
  'settings-internet': {
    setting: { tasks: ALL },
    hash: '#/settings/network',
    act: (page) => page.getByText('Wikipedia', { exact: true }).waitFor()
  },
  'settings-decided': {
    setting: { tasks: ALL },
    hash: '#/settings/folders',
    act: (page) => page.getByText(/Tasks may change your files/).waitFor()
  },
  'settings-slow': { setting: { report: 'slow', tasks: ALL }, hash: '#/settings/computer' },
  'settings-resources': {
    setting: { tasks: ALL },
    hash: '#/settings/resources',
    act: (page) => page.getByText('This computer has 17 GB').waitFor()
  },
  'settings-storage': {
    setting: { tasks: ALL },
    hash: '#/settings/storage',
    async act(page) {
      await page.getByRole('checkbox', { name: 'Clean up Prepared starts' }).check();
      await page.getByRole('checkbox', { name: 'Clean up Downloads' }).check();
    }
  },
  'settings-storage-asks': {
    setting: { tasks: ALL },
    hash: '#/settings/storage',
    async act(page) {
      await page.getByRole('checkbox', { name: 'Clean up Kept for putting back' }).check();
      await page.getByRole('button', { name: 'Clean up 180 MB' }).click();
      await page.getByRole('alertdialog').waitFor();
    }
  },
  'settings-window': {
    setting: { tasks: ALL },
    hash: '#/settings/window',
    act: (page) => page.getByRole('radio', { name: 'Ask me' }).waitFor()
  },
  'settings-privacy': { setting: { tasks: ALL }, hash: '#/settings/privacy' },
  'settings-help': {
    setting: { tasks: ALL },
    hash: '#/settings/help',
    async act(page) {
      await page.getByRole('button', { name: 'Show what would be in it' }).click();
      await page.getByText('about.json').click();
      await page.getByRole('button', { name: 'Show the logs' }).click();
      await page.getByText('900 lines').waitFor();
    }
  },
  'settings-logs': {
    setting: { tasks: ALL },
    hash: '#/settings/help',
    async act(page) {
      await page.getByRole('button', { name: 'Show the logs' }).click();
      await page.getByText('900 lines').waitFor();
      await page.getByText('Warnings and errors').click();
      await page.getByRole('heading', { name: 'Logs' }).scrollIntoViewIfNeeded();
    }
  },
  'settings-about': {
    setting: { tasks: ALL },
    hash: '#/settings/about',
    act: (page) => page.getByText('63 parts').waitFor()
  },
  palette: {
    setting: { tasks: ALL },
    async act(page) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'What are you looking for?' }).fill('pdf');
      await page.keyboard.press('ArrowDown');
    }
  },
  shortcuts: {
    setting: { tasks: ALL },
    async act(page) {
      await page.keyboard.press('F1');
      await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    }
  },
  'cannot-start': {
    setting: { failed: 'place-gone' },
    act: (page) => page.getByRole('heading', { name: 'piwork cannot start' }).waitFor()
  },
  closing: {
    setting: { tasks: ALL },
    async act(page, mock) {
      mock.emit('', 'window', { what: 'close-asked', running: 3 });
      await page.getByRole('alertdialog').waitFor();
    }
  },
  tools: { setting: { tasks: ALL }, hash: '#/tools' },
  'tools-found': {
    setting: { tasks: ALL },
    hash: '#/tools',
    act: (page) => page.getByRole('searchbox', { name: 'Find a tool' }).fill('pdf')
  },
  tool: { setting: { tasks: ALL }, hash: '#/tools/image.convert' },
  'tool-ready': {
    setting: { tasks: ALL },
    hash: '#/tools/image.convert',
    async act(page) {
      await giveFiles(page, ['IMG_2041.jpg', 'IMG_2042.jpg']);
      await page.getByText('Into a folder').click();
      await page.getByText('More options').click();
    }
  },
  'tool-lists': {
    setting: { tasks: ALL },
    hash: '#/tools/lilypond.render',
    act: (page) => page.getByRole('checkbox', { name: 'PDF' }).check()
  },
  'tool-wrong': {
    setting: { tasks: ALL },
    hash: '#/tools/pdf.split',
    async act(page) {
      await giveFiles(page, ['Insurance 2026.pdf']);
      await page.getByLabel('Pages in each part').fill('0');
      await page.getByRole('button', { name: 'Do it' }).press('Enter');
    }
  },
  'tool-needs': { setting: { tasks: ALL }, hash: '#/tools/text.convert' },
  'tool-made': {
    setting: { tasks: ALL, pace: 50 },
    hash: '#/tools/pdf.merge',
    async act(page) {
      await giveFiles(page, ['May.pdf', 'June.pdf']);
      await page.getByRole('button', { name: 'Do it' }).click();
      await page.getByText('1 file made', { exact: true }).waitFor();
    }
  },
  'tool-told': {
    setting: { tasks: ALL, pace: 50 },
    hash: '#/tools/image.info',
    async act(page) {
      await giveFiles(page, ['IMG_2041.jpg', 'IMG_2042.jpg']);
      await page.getByRole('button', { name: 'Do it' }).click();
      await page.getByRole('heading', { name: 'What it found' }).waitFor();
    }
  },
  'german-tools': { setting: { tasks: ALL }, hash: '#/tools', locale: 'de-DE' },
  'german-tool': { setting: { tasks: ALL }, hash: '#/tools/file.cleanup', locale: 'de-DE' },
  'german-help': { setting: { tasks: ALL }, hash: '#/settings/help', locale: 'de-DE' },
  'german-storage': { setting: { tasks: ALL }, hash: '#/settings/storage', locale: 'de-DE' },
  'german-shortcuts': {
    setting: { tasks: ALL },
    locale: 'de-DE',
    act: (page) => page.keyboard.press('F1')
  },
  'settings-look': { setting: { tasks: ALL }, hash: '#/settings/appearance' },
  runtime: { setting: { tasks: ALL }, hash: '#/settings/runtime' },
  'runtime-available': { setting: { tasks: ALL, update: 'available' }, hash: '#/settings/runtime' },
  'runtime-downloading': {
    setting: { tasks: ALL, update: 'available', pace: 900 },
    hash: '#/settings/runtime',
    async act(page) {
      await page.getByRole('button', { name: 'Update now' }).click();
      await page.getByText(/13 MB of 31 MB/).waitFor();
    }
  },
  'runtime-trying': {
    setting: { tasks: ALL, update: 'available', pace: 120, halt: 'trying' },
    hash: '#/settings/runtime',
    async act(page) {
      await page.getByRole('button', { name: 'Update now' }).click();
      await page.getByText('Opening the workroom with it once').waitFor();
    }
  },
  'runtime-troubled': {
    setting: { tasks: ALL, update: 'rolledBack', troubled: true },
    hash: '#/settings/runtime'
  },
  'runtime-offline': {
    setting: { tasks: ALL, update: 'offline' },
    hash: '#/settings/runtime',
    act: (page) => page.getByRole('button', { name: 'See where updates come from' }).click()
  },
  'runtime-off': { setting: { tasks: ALL, update: 'off' }, hash: '#/settings/runtime' },
  'runtime-remove': {
    setting: { tasks: ALL },
    hash: '#/settings/runtime',
    async act(page) {
      await page.getByRole('button', { name: 'Remove version 0.0.9' }).click();
      await page.getByRole('alertdialog').waitFor();
    }
  },
  'german-setup-linux': { setting: { report: 'linux-group' }, locale: 'de-DE' },
  'german-setup-windows': { setting: { report: 'windows-firmware' }, locale: 'de-DE' },
  'german-setup-mac': { setting: { report: 'mac-translated' }, locale: 'de-DE' },
  'german-runtime': {
    setting: { tasks: ALL, update: 'available', troubled: true },
    hash: '#/settings/runtime',
    locale: 'de-DE'
  },
  'german-words': {
    setting: { tasks: ALL },
    locale: 'de-DE',
    act: (page) => page.getByLabel('In eigenen Worten').fill('Ordne die Briefe nach Absender.')
  },
  'german-talk': { setting: { tasks: ALL }, hash: at('talking'), locale: 'de-DE' },
  'german-models': { setting: { tasks: ALL }, hash: '#/settings', locale: 'de-DE' },
  'german-plan': { setting: { tasks: ALL }, hash: at('waiting'), locale: 'de-DE' },
  'german-done': { setting: { tasks: ALL }, hash: at('many'), locale: 'de-DE' }
};

export const looks = /** @type {const} */ ([
  ['light', { width: 1200, height: 860 }],
  ['dark', { width: 1200, height: 860 }],
  ['narrow', { width: 720, height: 900 }],
  ['huge', { width: 2560, height: 1300 }]
]);

/**
 * Opens a screen; show gets the page when the screen is there.
 * @param {import('playwright-core').Browser} browser
 * @param {string} name
 * @param {typeof looks[number]} look
 * @param {(page: Page) => Promise<void>} show
 */
export async function visit(browser, name, [look, viewport], show) {
  const screen = screens[name];
  if (!screen) throw new Error(`no screen ${name}; there are ${Object.keys(screens).join(', ')}`);
  const mock = await startMock(screen.setting);
  const context = await browser.newContext({
    viewport,
    locale: screen.locale ?? 'en-GB',
    colorScheme: look === 'dark' ? 'dark' : 'light',
    reducedMotion: 'reduce'
  });
  try {
    const page = await context.newPage();
    /** @type {string[]} */
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      // An answer that is an error is what some of these screens are about.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        errors.push(message.text());
    });
    await page.goto(mock.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (screen.hash) {
      await page.evaluate((hash) => (location.hash = hash), screen.hash);
      await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
    }
    await page.waitForTimeout(150); // what the screen asked for is there
    await screen.act?.(page, mock);
    await show(page);
    if (errors.length > 0) throw new Error(`${name}, ${look}: ${errors.join('; ')}`);
  } finally {
    await context.close();
    mock.close();
  }
}
