// Tasks in a person's own words.
import { examples } from '../fixtures/tasks.mjs';
import { ALL, at } from './parts.mjs';

/** @param {import('playwright-core').Page} page @param {string} name */
async function openTerminal(page, name) {
  await page.getByRole('button', { name, exact: true }).click();
  await page.locator('.xterm-rows', { hasText: '412 Letters' }).waitFor();
}

/** Types once that is possible. @param {import('playwright-core').Page} page @param {(keys: import('playwright-core').Keyboard) => Promise<void>} type */
async function typeThere(page, type) {
  await page.locator('.xterm-helper-textarea:not([readonly])').waitFor({ state: 'attached' });
  await type(page.keyboard);
}

/** @type {import('./parts.mjs').Screens} */
export const talk = {
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
      await mock.emit(id, 'delta', { id: 'a9', text: 'Now I write the list **in German**' });
      await page.getByText('in German', { exact: true }).waitFor();
      await page.getByText('Read 12 files').click();
    }
  },
  'task-model': {
    setting: { tasks: ALL },
    hash: at('talking'),
    async act(page) {
      await page.getByRole('button', { name: 'Change model' }).click();
      await page.getByLabel('Model', { exact: true }).selectOption({ label: 'Claude Opus 4.5' });
      await page.getByLabel('Thinking time').selectOption({ label: 'Medium' });
      await page.getByText('Used from the next answer on.').scrollIntoViewIfNeeded();
    }
  },
  'german-task-model': {
    setting: { tasks: ALL },
    hash: at('answered'),
    locale: 'de-DE',
    async act(page) {
      await page.getByRole('button', { name: 'Modell ändern' }).click();
      await page.getByRole('button', { name: 'Frühere Nachrichten zusammenfassen' }).scrollIntoViewIfNeeded();
    }
  },
  'task-model-changed': {
    setting: { tasks: ALL },
    hash: at('answered'),
    async act(page) {
      await page.getByRole('button', { name: 'Change model' }).click();
      await page.getByLabel('Model', { exact: true }).selectOption({ label: 'Claude Opus 4.5' });
      await page.getByLabel('Thinking time').selectOption({ label: 'Medium' });
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('Continuing with Claude Opus 4.5. It thinks longer.').scrollIntoViewIfNeeded();
    }
  },
  'task-summarised': {
    setting: { tasks: ALL },
    hash: at('answered'),
    async act(page) {
      await page.getByRole('button', { name: 'Summarise earlier messages' }).click();
      await page.getByText('Older messages were summarised').scrollIntoViewIfNeeded();
    }
  },
  'task-talk-tools': {
    setting: { tasks: ALL },
    hash: at('answered'),
    exemplary: true,
    async act(page) {
      await page.getByText('Changed Letters/index.md').click();
      await page.getByText(/Ran mkdir/).click();
      await page.getByText('Thoughts').click();
      await page.getByRole('button', { name: 'Show technical details' }).first().click();
      await page.getByText('message_end').waitFor();
      await page.getByText('Changed Letters/index.md').scrollIntoViewIfNeeded();
    }
  },
  'task-asks-network': {
    setting: { tasks: ALL },
    hash: at('reaching'),
    act: (page) => page.getByText('The task wants to connect to musicbrainz.org.').first().waitFor()
  },
  'task-asks-command': {
    setting: { tasks: ALL },
    hash: at('commanding'),
    exemplary: true,
    act: (page) => page.getByText('The task wants to run a command.').first().waitFor()
  },
  'task-asks-server': {
    setting: { tasks: ALL },
    hash: at('calling'),
    act: (page) => page.getByRole('region', { name: 'The task has a question' }).waitFor()
  },
  'german-task-asks-server': {
    setting: { tasks: ALL },
    hash: at('calling'),
    locale: 'de-DE',
    act: (page) => page.getByRole('region', { name: 'Die Aufgabe hat eine Frage' }).waitFor()
  },
  'task-asks-unpack': {
    setting: { tasks: ALL },
    hash: at('unpacking'),
    act: (page) => page.getByRole('button', { name: 'Skip' }).waitFor()
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
  'task-asks-folder': {
    setting: { tasks: ALL },
    hash: at('lacking'),
    async act(page) {
      await page.getByRole('button', { name: 'Choose a folder' }).click();
      await page.getByRole('textbox', { name: 'Folder', exact: true }).fill('/home/kim/Contracts');
    }
  },
  'german-task-asks-folder': {
    setting: { tasks: ALL },
    hash: at('lacking'),
    locale: 'de-DE',
    act: (page) => page.getByRole('button', { name: 'Ordner auswählen' }).waitFor()
  },
  'task-folders': {
    setting: { tasks: ALL },
    hash: at('talking'),
    async act(page) {
      await page.getByRole('button', { name: 'Add a folder' }).click();
      await page.getByRole('textbox', { name: 'Folder to add' }).fill('/home/kim/Contracts');
      await page.getByRole('button', { name: 'Choose', exact: true }).click();
      await page.getByRole('button', { name: 'Add Contracts' }).click();
      await page.getByRole('button', { name: 'Remove Contracts' }).click();
      await page.getByRole('button', { name: 'Remove Contracts' }).click();
      await page.getByText('(removed').waitFor();
      await page.getByRole('button', { name: 'Add a folder' }).click();
      await page.getByRole('textbox', { name: 'Folder to add' }).fill('/home/kim/Bank');
      await page.getByRole('button', { name: 'Choose', exact: true }).click();
      await page
        .getByRole('button', { name: /^Remove/ })
        .first()
        .click();
      await page.getByRole('button', { name: 'Add Bank' }).scrollIntoViewIfNeeded();
    }
  },
  'german-task-folders': {
    setting: { tasks: ALL },
    hash: at('talking'),
    locale: 'de-DE',
    async act(page) {
      await page
        .getByRole('button', { name: /entfernen$/ })
        .first()
        .click();
      await page.getByRole('button', { name: 'Ordner hinzufügen' }).scrollIntoViewIfNeeded();
    }
  },
  'task-loosened': {
    setting: { tasks: ALL },
    hash: at('commanding'),
    async act(page) {
      await page.getByText('Permissions of this task').click();
      await page
        .getByRole('button', { name: /^Revoke/ })
        .first()
        .waitFor();
      await page.getByRole('heading', { name: 'Extra permissions' }).scrollIntoViewIfNeeded();
    }
  },
  'task-terminal': {
    setting: { tasks: ALL },
    hash: at('talking'),
    exemplary: true,
    async act(page) {
      await openTerminal(page, 'Terminal');
      await typeThere(page, (keys) => keys.type('echo hällo 海'));
      await page.locator('.xterm-rows', { hasText: 'hällo 海' }).waitFor();
    }
  },
  'task-terminal-watched': {
    setting: { tasks: ALL, terminal: 'watched' },
    hash: at('talking'),
    async act(page) {
      await openTerminal(page, 'Terminal');
      await page.getByRole('button', { name: 'Take over' }).waitFor();
    }
  },
  'task-terminal-ended': {
    setting: { tasks: ALL },
    hash: at('talking'),
    async act(page) {
      await openTerminal(page, 'Terminal');
      await typeThere(page, (keys) => keys.press('Control+d'));
      await page.getByText('The shell ended with status 0.').waitFor();
    }
  },
  'german-task-terminal': {
    setting: { tasks: ALL, terminal: 'watched' },
    hash: at('talking'),
    locale: 'de-DE',
    async act(page) {
      await openTerminal(page, 'Terminal');
      await page.getByRole('button', { name: 'Übernehmen' }).waitFor();
    }
  },
  'task-talk-cut': { setting: { tasks: ALL }, hash: at('cut') },
  'german-talk': { setting: { tasks: ALL }, hash: at('talking'), locale: 'de-DE' }
};
