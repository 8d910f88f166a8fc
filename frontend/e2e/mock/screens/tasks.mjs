// Tasks in each of their states, and the look at their results.
import { examples } from '../fixtures/tasks.mjs';
import { ALL, at } from './parts.mjs';

/** @typedef {import('./parts.mjs').Page} Page */

/** @param {import('./parts.mjs').Mock} mock @param {number} done */
function progress(mock, done) {
  const { id, folders } = examples.working;
  return mock.emit(id, 'progress', {
    done,
    total: 12,
    item: `/folders/${folders[0]?.name}/IMG_20${40 + done}.jpg`,
    bytes: done * 2_400_000,
    totalBytes: 12 * 2_400_000,
    eta: 10 * (12 - done)
  });
}

/** Opens the look at a result. @param {string} name @param {(page: Page) => Promise<unknown>} seen */
const preview = (name, seen) => ({
  setting: { tasks: ALL },
  hash: at('answered'),
  async act(/** @type {Page} */ page) {
    await page.getByRole('button', { name: `Preview ${name}` }).click();
    await seen(page);
  }
});

/** @type {import('./parts.mjs').Screens} */
export const tasks = {
  'task-opening': {
    setting: { tasks: ALL },
    hash: at('opening'),
    act: (page) => page.getByText('Opening the workroom').first().waitFor()
  },
  'task-plan': { setting: { tasks: ALL }, hash: at('waiting'), exemplary: true },
  'task-working': {
    setting: { tasks: ALL },
    hash: at('working'),
    async act(page, mock) {
      // A task that works says it again and again: the page may read its state after the first time.
      const seen = page
        .getByText('6 of 12 pictures')
        .waitFor()
        .then(() => true);
      const again = () => progress(mock, 6).then(() => new Promise((resolve) => setTimeout(resolve, 500)));
      while (!(await Promise.race([seen, again()])));
    }
  },
  'task-done': { setting: { tasks: ALL }, hash: at('done'), exemplary: true },
  'task-many-changes': { setting: { tasks: ALL }, hash: at('many') },
  'task-undone': {
    setting: { tasks: ALL },
    hash: at('done'),
    async act(page) {
      await page.getByRole('button', { name: 'Undo everything' }).click();
      await page.getByText('All changes are undone.').waitFor();
    }
  },
  'task-conflict': {
    setting: { tasks: ALL, conflict: true },
    hash: at('many'),
    async act(page) {
      await page.getByRole('button', { name: 'Undo everything' }).click();
      await page.getByText(/wasn’t undone/).waitFor();
    }
  },
  'task-review': { setting: { tasks: ALL }, hash: at('reviewed'), exemplary: true },
  'task-failed': { setting: { tasks: ALL }, hash: at('failed') },
  'task-empty-folder': { setting: { tasks: ALL }, hash: at('empty') },
  'task-stopped': { setting: { tasks: ALL }, hash: at('stopped') },
  'task-delete': {
    setting: { tasks: ALL },
    hash: at('done'),
    async act(page) {
      await page.getByRole('button', { name: 'Delete task' }).click();
      await page.getByRole('alertdialog').waitFor();
    }
  },
  'preview-markdown': preview('Letters by sender.md', (page) =>
    page.getByText('Nothing is open any more.').waitFor()
  ),
  'preview-table': preview('Letters by sender.csv', (page) => page.getByText('41 rows, 4 columns').waitFor()),
  'preview-page': {
    ...preview('Report.html', (page) => page.frameLocator('iframe').getByText('12 files, 3 MB.').waitFor()),
    exemplary: true
  },
  'preview-picture': preview('Chart.png', (page) => page.getByRole('img', { name: 'Chart.png' }).waitFor()),
  'preview-pdf': preview('Letters.pdf', (page) => page.getByRole('dialog').waitFor()),
  'preview-none': preview('Read aloud.mp3', (page) =>
    page.getByText('No preview for this kind of file').waitFor()
  ),
  'task-rename': {
    setting: { tasks: ALL },
    hash: at('done'),
    act: (page) => page.getByRole('button', { name: 'Rename' }).click()
  },
  'german-plan': { setting: { tasks: ALL }, hash: at('waiting'), locale: 'de-DE' },
  'german-done': { setting: { tasks: ALL }, hash: at('many'), locale: 'de-DE' }
};
