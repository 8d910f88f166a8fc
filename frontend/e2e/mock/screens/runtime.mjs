// The settings of the runtime.
import { ALL } from './parts.mjs';

/** @type {import('./parts.mjs').Screens} */
export const runtime = {
  runtime: { setting: { tasks: ALL }, hash: '#/settings/runtime' },
  'runtime-available': { setting: { tasks: ALL, update: 'available' }, hash: '#/settings/runtime' },
  'runtime-downloading': {
    setting: { tasks: ALL, update: 'available', steps: 4 },
    hash: '#/settings/runtime',
    async act(page) {
      await page.getByRole('button', { name: 'Update now' }).click();
      await page.getByText(/13 MB of 31 MB/).waitFor();
    }
  },
  'runtime-trying': {
    setting: { tasks: ALL, update: 'available', halt: 'trying' },
    hash: '#/settings/runtime',
    async act(page) {
      await page.getByRole('button', { name: 'Update now' }).click();
      await page.getByText('Testing the new version').waitFor();
    }
  },
  'runtime-troubled': {
    setting: { tasks: ALL, update: 'rolledBack', troubled: true },
    hash: '#/settings/runtime'
  },
  'runtime-offline': {
    setting: { tasks: ALL, update: 'offline' },
    hash: '#/settings/runtime',
    act: (page) => page.getByRole('button', { name: 'Open update settings' }).click()
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
  'german-runtime': {
    setting: { tasks: ALL, update: 'available', troubled: true },
    hash: '#/settings/runtime',
    locale: 'de-DE'
  }
};
