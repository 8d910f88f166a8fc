// Single operations on files.
import { ALL } from './parts.mjs';

/** Chooses files for a tool. @param {import('./parts.mjs').Page} page @param {string[]} names */
async function giveFiles(page, names) {
  for (const name of names) {
    await page.getByRole('textbox', { name: /^File/ }).fill(`/home/anna/Documents/${name}`);
    await page.getByRole('button', { name: 'Add it' }).click();
  }
}

/** @type {import('./parts.mjs').Screens} */
export const tools = {
  tools: { setting: { tasks: ALL }, hash: '#/tools' },
  'tools-found': {
    setting: { tasks: ALL },
    hash: '#/tools',
    act: (page) => page.getByRole('searchbox', { name: 'Find a tool' }).fill('pdf')
  },
  tool: { setting: { tasks: ALL }, hash: '#/tools/image.convert' },
  'tool-ready': {
    setting: { tasks: ALL },
    exemplary: true,
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
      await page.getByLabel('Pages per part').fill('0');
      await page.getByRole('button', { name: 'Do it' }).press('Enter');
    }
  },
  'tool-needs': { setting: { tasks: ALL }, hash: '#/tools/text.convert' },
  'tool-made': {
    setting: { tasks: ALL },
    hash: '#/tools/pdf.merge',
    async act(page) {
      await giveFiles(page, ['May.pdf', 'June.pdf']);
      await page.getByRole('button', { name: 'Do it' }).click();
      await page.getByText('1 file created', { exact: true }).waitFor();
    }
  },
  'tool-told': {
    setting: { tasks: ALL },
    hash: '#/tools/image.info',
    async act(page) {
      await giveFiles(page, ['IMG_2041.jpg', 'IMG_2042.jpg']);
      await page.getByRole('button', { name: 'Do it' }).click();
      await page.getByRole('heading', { name: 'Findings' }).waitFor();
    }
  },
  'german-tools': { setting: { tasks: ALL }, hash: '#/tools', locale: 'de-DE' },
  'german-tool': { setting: { tasks: ALL }, hash: '#/tools/file.cleanup', locale: 'de-DE' }
};
