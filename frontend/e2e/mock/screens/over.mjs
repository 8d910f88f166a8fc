// What lies over every place, or stands instead of all of them.
import { ALL } from './parts.mjs';

/** @type {import('./parts.mjs').Screens} */
export const over = {
  'list-found': {
    setting: { tasks: ALL },
    async act(page) {
      // In a narrow window the list is behind a button.
      if (await page.evaluate(() => window.innerWidth < 864))
        await page.getByRole('button', { name: 'Tasks' }).click();
      const field = page.getByRole('searchbox', { name: 'Find a task' }).last();
      await field.fill('letters');
      await page
        .getByRole('link', { name: /^Sort the letters/ })
        .last()
        .waitFor();
    }
  },
  palette: {
    setting: { tasks: ALL },
    exemplary: true,
    async act(page) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'What are you looking for?' }).fill('pdf');
      await page.keyboard.press('ArrowDown');
    }
  },
  shortcuts: {
    setting: { tasks: ALL },
    exemplary: true,
    async act(page) {
      await page.keyboard.press('F1');
      await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    }
  },
  'cannot-start': {
    setting: { failed: 'place-gone' },
    exemplary: true,
    act: (page) => page.getByRole('heading', { name: 'piwork can’t start' }).waitFor()
  },
  closing: {
    setting: { tasks: ALL },
    exemplary: true,
    async act(page, mock) {
      await mock.emit('', 'window', { what: 'close-asked', running: 3 });
      await page.getByRole('alertdialog').waitFor();
    }
  },
  'german-shortcuts': {
    setting: { tasks: ALL },
    locale: 'de-DE',
    act: (page) => page.keyboard.press('F1')
  }
};
