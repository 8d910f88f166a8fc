// What a task changed.
import { ALL, at } from './parts.mjs';

/** @type {import('./parts.mjs').Screens} */
export const changes = {
  'changes-review': {
    setting: { tasks: ALL },
    hash: `${at('reviewed')}/changes`,
    act: (page) => page.getByText('3 changes to review').first().waitFor()
  },
  'changes-table': {
    setting: { tasks: ALL },
    hash: `${at('reviewed')}/changes`,
    exemplary: true,
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
      await page.getByText('2 lines new, 1 line removed').waitFor();
    }
  },
  'changes-picture': {
    setting: { tasks: ALL },
    hash: `${at('reviewed')}/changes`,
    exemplary: true,
    async act(page) {
      await page.getByRole('button', { name: /summer\.png/ }).click();
      await page.getByRole('img', { name: 'After' }).waitFor();
    }
  },
  'changes-many': {
    setting: { tasks: ALL },
    hash: `${at('huge')}/changes`,
    exemplary: true,
    act: (page) => page.getByText('All (10,000)').waitFor()
  },
  'changes-chosen': {
    setting: { tasks: ALL },
    hash: `${at('many')}/changes`,
    async act(page) {
      await page.getByRole('checkbox', { name: 'Select notes.txt' }).check();
      await page.getByRole('button', { name: 'Undo 1 change' }).click();
      await page.getByRole('button', { name: 'Redo', exact: true }).waitFor();
    }
  },
  'changes-conflict': {
    setting: { tasks: ALL, conflict: true },
    hash: `${at('many')}/changes`,
    async act(page) {
      await page.getByRole('button', { name: 'Undo everything' }).click();
      await page.getByText('You changed 1 file after this task').waitFor();
    }
  },
  'german-changes': {
    setting: { tasks: ALL },
    hash: `${at('reviewed')}/changes`,
    locale: 'de-DE',
    act: (page) => page.getByRole('button', { name: /members\.csv/ }).click()
  }
};
