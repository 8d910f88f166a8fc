// Home: where a chore or words of one's own begin.
import { ALL } from './parts.mjs';

/** @type {import('./parts.mjs').Screens} */
export const home = {
  'home-first': { setting: {} },
  home: {
    setting: { tasks: ALL },
    exemplary: true,
    async act(page) {
      await page
        .getByRole('textbox', { name: 'Folder', exact: true })
        .fill('/home/anna/Pictures/Summer at the sea');
      await page.getByRole('button', { name: 'Use this folder' }).click();
      await page.getByText('Options').click();
    }
  },
  'home-place': {
    setting: { tasks: ALL, remotes: true },
    async act(page) {
      await page.getByText('Options').click();
      await page.getByText('Why not elsewhere?').click();
      const list = page.getByRole('combobox', { name: 'Where the task works' });
      await list.selectOption({ label: 'Sandbox' });
      await list.scrollIntoViewIfNeeded();
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
    exemplary: true,
    async act(page) {
      // As a string: it runs in the page, which has what a mouse carries.
      await page.evaluate(`
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['x'], 'a.jpg'));
        window.dispatchEvent(new DragEvent('dragenter', { dataTransfer }));
      `);
      await page.getByText('Drop to use here').first().waitFor();
    }
  },
  'home-refused': {
    setting: { tasks: ['done'] },
    async act(page) {
      await page.getByRole('textbox', { name: 'Folder', exact: true }).fill('/');
      await page.getByRole('button', { name: 'Use this folder' }).click();
      await page.getByRole('button', { name: 'Show plan' }).click();
      await page.getByRole('alert').waitFor();
    }
  },
  'home-words': {
    setting: { tasks: ['done', 'answered'], services: true },
    exemplary: true,
    async act(page) {
      await page.getByLabel('In your own words').fill('Sort the letters by sender and make a list of them.');
      await page.getByRole('textbox', { name: 'Folder', exact: true }).fill('/home/anna/Documents/Letters');
      await page.getByRole('button', { name: 'Use this folder' }).click();
      await page.getByRole('button', { name: 'Add another folder' }).click();
      await page
        .getByRole('textbox', { name: 'Another folder', exact: true })
        .fill('/home/anna/Documents/Club');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('More options').click();
      await page.getByRole('checkbox', { name: 'Keep what it downloads' }).check();
      await page.getByRole('checkbox', { name: 'github' }).check();
    }
  },
  'home-folders': {
    setting: { tasks: ALL },
    async act(page) {
      await page
        .getByRole('textbox', { name: 'Folder', exact: true })
        .fill('/home/anna/Pictures/Summer at the sea');
      await page.getByRole('button', { name: 'Use this folder' }).click();
      await page.getByRole('button', { name: 'Add another folder' }).click();
      await page
        .getByRole('textbox', { name: 'Another folder', exact: true })
        .fill('/home/anna/Pictures/Winter');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('radio', { name: 'Read only' }).last().press('Space');
    }
  },
  'home-no-key': {
    setting: { tasks: ['done'], keyless: true },
    act: (page) => page.getByRole('heading', { name: 'Or in your own words' }).scrollIntoViewIfNeeded()
  },
  'home-chores': {
    setting: { tasks: ALL },
    async act(page) {
      await page.getByRole('button', { name: /^All \d+ chores/ }).click();
      await page.getByRole('heading', { name: 'PDFs and documents' }).scrollIntoViewIfNeeded();
    }
  },
  'german-words': {
    setting: { tasks: ALL },
    locale: 'de-DE',
    act: (page) => page.getByLabel('In eigenen Worten').fill('Ordne die Briefe nach Absender.')
  }
};
