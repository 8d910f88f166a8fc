// A computer that is not ready yet, and the way to the first chore.
import { reports } from '../fixtures/computers.mjs';

/** @type {import('./parts.mjs').Screens} */
export const setup = {
  'setup-checking': {
    setting: { report: 'never' },
    act: (page) => page.getByText('Checking the runtime and opening').waitFor()
  },
  'setup-no-runtime': { setting: { report: 'noPack' } },
  'setup-installing': {
    setting: { report: 'noPack', steps: 3 },
    async act(page) {
      await page.getByText('I have a file').click();
      await page
        .getByRole('textbox', { name: 'File', exact: true })
        .fill('/home/anna/Downloads/piwork-runtime-linux-amd64-0.1.0.tar.zst');
      await page.getByRole('button', { name: 'Install', exact: true }).click();
      await page.getByText(/39 MB of 130 MB/).waitFor();
    }
  },
  'setup-no-channel': { setting: { report: 'noPack', update: 'off' } },
  'setup-found-bundle': { setting: { report: 'found' } },
  'setup-downloading': {
    setting: { report: 'noPack', steps: 4 },
    exemplary: true,
    async act(page) {
      await page.getByRole('button', { name: /^Download the runtime/ }).click();
      await page.getByText(/69 MB of 173 MB/).waitFor();
    }
  },
  'setup-paused': {
    setting: { report: 'noPack', steps: 2 },
    async act(page) {
      await page.getByRole('button', { name: /^Download the runtime/ }).click();
      await page.getByText(/35 MB of 173 MB/).waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByRole('button', { name: 'Resume' }).waitFor();
    }
  },
  ...Object.fromEntries(
    Object.keys(reports)
      .filter((name) => /^(linux|windows|mac|nothing|not)-/.test(name))
      .map((name) => [`setup-${name}`, { setting: { report: name } }])
  ),
  'setup-no-sandbox': {
    setting: { report: 'linux-firmware', fenced: true },
    async act(page) {
      await page.getByText('Work without a workroom').click();
      await page.getByText('AppArmor doesn’t allow').waitFor();
    }
  },
  'setup-instead': {
    setting: { report: 'linux-firmware' },
    async act(page) {
      await page.getByText('Work without a workroom').click();
      await page.getByRole('button', { name: 'Work there' }).waitFor();
    }
  },
  'home-instead': {
    setting: { report: 'linux-firmware' },
    async act(page) {
      await page.getByText('Work without a workroom').click();
      await page.getByRole('button', { name: 'Work there' }).click();
      await page.getByText('Tasks work in another place').waitFor();
    }
  },
  'setup-became-ready': {
    setting: { report: 'linux-broken' },
    async act(page) {
      await page.getByRole('button', { name: 'Work slowly' }).click();
      await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
    }
  },
  'first-welcome': { setting: { report: 'noPack', guide: 'fresh' }, exemplary: true },
  'first-welcome-found': { setting: { report: 'found', guide: 'fresh' } },
  'first-looking': {
    setting: { report: 'never', guide: 'welcomed' },
    act: (page) => page.getByText('Checking the runtime and opening').waitFor()
  },
  'first-foreseen': { setting: { report: 'foreseen', guide: 'welcomed' } },
  'first-firmware': { setting: { report: 'linux-firmware', guide: 'welcomed' }, exemplary: true },
  'first-downloading': {
    setting: { report: 'noPack', guide: 'fresh', steps: 4 },
    async act(page) {
      await page.getByRole('button', { name: 'Get this computer ready' }).click();
      await page.getByText(/69 MB of 173 MB/).waitFor();
    }
  },
  'first-no-channel': { setting: { report: 'noPack', update: 'off', guide: 'welcomed' } },
  'first-chore': { setting: { guide: 'welcomed' } },
  'first-chore-slow': { setting: { report: 'slow', guide: 'welcomed' } },
  'first-chore-waits': { setting: { guide: 'welcomed', tasks: ['waiting'] } },
  'german-first-welcome': { setting: { report: 'noPack', guide: 'fresh' }, locale: 'de-DE', exemplary: true },
  'german-first-chore': { setting: { guide: 'welcomed' }, locale: 'de-DE' },
  'german-setup-linux': { setting: { report: 'linux-group' }, locale: 'de-DE' },
  'german-setup-windows': { setting: { report: 'windows-firmware' }, locale: 'de-DE' },
  'german-setup-mac': { setting: { report: 'mac-translated' }, locale: 'de-DE' }
};
