// The sections of the settings, without the runtime.
import { ALL } from './parts.mjs';

/** @type {import('./parts.mjs').Screens} */
export const settings = {
  settings: { setting: { tasks: ALL }, hash: '#/settings/computer' },
  'settings-models': {
    setting: { tasks: ALL },
    hash: '#/settings',
    async act(page) {
      await page.getByRole('button', { name: 'Test Anthropic' }).click();
      await page.getByText('Works: 12 models.').waitFor();
      await page.getByRole('button', { name: 'Test Ollama' }).click();
      await page.getByText(/The service can’t be reached/).waitFor();
      await page.getByText('Add a key').click();
      await page.getByLabel('Service').selectOption({ label: 'Another server' });
    }
  },
  'settings-login': {
    setting: { tasks: ALL },
    hash: '#/settings',
    async act(page) {
      await page.getByRole('button', { name: 'Sign in instead: Anthropic' }).click();
      await page.getByLabel('Code from the page').fill('k3Z');
    }
  },
  'settings-logins': {
    setting: { tasks: ALL, logins: true },
    hash: '#/settings',
    async act(page) {
      await page.getByText('Your company has its own GitHub').click();
      await page.getByText('Sign in on another device').click();
    }
  },
  'settings-login-code': {
    setting: { tasks: ALL, logins: true },
    hash: '#/settings',
    async act(page) {
      await page.getByRole('button', { name: 'Sign in to GitHub Copilot' }).click();
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
  'settings-search': {
    setting: { tasks: ALL },
    hash: '#/settings/network',
    async act(page) {
      await page.getByLabel('Address of the search service').fill('https://search.example.org');
      await page.getByRole('button', { name: 'Use it' }).click();
      await page.getByRole('button', { name: 'Stop using it' }).scrollIntoViewIfNeeded();
    }
  },
  'settings-servers': {
    setting: { tasks: ALL, servers: true },
    hash: '#/settings/servers',
    act: (page) => page.getByRole('checkbox', { name: 'Allow find_events of calendar' }).waitFor()
  },
  'settings-servers-reach': {
    setting: { services: true, tasks: ALL, servers: true },
    hash: '#/settings/servers',
    async act(page) {
      const reach = page.getByRole('region', { name: 'What calendar can reach' });
      await reach.getByText('Change', { exact: true }).click();
      await reach.getByRole('button', { name: 'Save' }).scrollIntoViewIfNeeded();
    }
  },
  'settings-servers-host': {
    setting: { tasks: ALL, servers: true },
    hash: '#/settings/servers',
    async act(page) {
      await page.getByRole('button', { name: 'Check notes' }).click();
      await page.getByRole('button', { name: 'Sign in to notes' }).click();
      await page.getByRole('button', { name: 'Agree and go on' }).scrollIntoViewIfNeeded();
    }
  },
  'settings-servers-login': {
    setting: { tasks: ALL, servers: true },
    hash: '#/settings/servers',
    async act(page) {
      await page.getByRole('button', { name: 'Check notes' }).click();
      await page.getByRole('button', { name: 'Sign in to notes' }).click();
      await page.getByRole('button', { name: 'Agree and go on' }).click();
      await page.getByText('Waiting for you to sign in').scrollIntoViewIfNeeded();
    }
  },
  'settings-servers-add': {
    setting: { tasks: ALL },
    hash: '#/settings/servers',
    async act(page) {
      await page.getByRole('textbox', { name: 'Name' }).fill('Calendar');
      await page.getByRole('button', { name: 'Add a variable' }).click();
    }
  },
  'settings-servers-address': {
    setting: { tasks: ALL },
    hash: '#/settings/servers',
    async act(page) {
      await page.getByRole('radio', { name: 'An address' }).check({ force: true });
      await page.getByRole('textbox', { name: 'Client ID' }).fill('piwork-1');
      await page.getByRole('textbox', { name: 'Client secret' }).scrollIntoViewIfNeeded();
    }
  },
  'settings-servers-json': {
    setting: { tasks: ALL },
    hash: '#/settings/servers',
    async act(page) {
      await page.getByRole('radio', { name: 'JSON from another app' }).check({ force: true });
      await page
        .getByRole('textbox', { name: 'JSON' })
        .fill('{ "mcpServers": { "notes": { "command": "npx" } } }');
    }
  },
  'german-servers': {
    setting: { tasks: ALL, servers: true },
    hash: '#/settings/servers',
    locale: 'de-DE',
    async act(page) {
      await page.getByRole('button', { name: 'notes prüfen' }).click();
      await page.getByText('Dieser Server verlangt').scrollIntoViewIfNeeded();
    }
  },
  'settings-services': {
    setting: { services: true, tasks: ALL },
    hash: '#/settings/network',
    async act(page) {
      await page.getByRole('button', { name: 'Test github' }).click();
      await page.getByText('api.github.com accepts the secret.').waitFor();
      await page.getByText('Add a service').click();
      await page.getByRole('button', { name: 'Add', exact: true }).scrollIntoViewIfNeeded();
    }
  },
  'settings-decided': {
    setting: { tasks: ALL },
    hash: '#/settings/rules',
    async act(page) {
      await page.getByText(/Tasks can change your files/).waitFor();
      await page.getByText('Change', { exact: true }).first().click();
      await page.getByRole('heading', { name: 'Your decisions' }).scrollIntoViewIfNeeded();
    }
  },
  'settings-folders': {
    setting: { tasks: ALL },
    hash: '#/settings/folders',
    act: (page) => page.getByRole('radio', { name: '90 days' }).waitFor()
  },
  'settings-rules': {
    setting: { tasks: ALL, ruled: true },
    hash: '#/settings/rules',
    act: (page) => page.getByRole('heading', { name: 'Refused to AIs' }).waitFor()
  },
  'settings-exceptions': {
    setting: { tasks: ALL, ruled: true },
    hash: '#/settings/rules',
    act: (page) => page.getByRole('heading', { name: 'Exceptions to your rules' }).scrollIntoViewIfNeeded()
  },
  'settings-rules-written': {
    setting: { tasks: ALL, ruled: true },
    hash: '#/settings/rules',
    async act(page) {
      await page
        .getByRole('region', { name: 'Your rules', exact: true })
        .getByText('As it is written')
        .first()
        .click();
      await page.getByRole('heading', { name: 'Your administrator’s rules' }).scrollIntoViewIfNeeded();
    }
  },
  'settings-computers': {
    setting: { remotes: true, tasks: ALL },
    hash: '#/settings/computer',
    async act(page) {
      await page.getByRole('button', { name: 'Test lab' }).click();
      await page.getByText('lab works:').waitFor();
      await page.getByText('Add a computer').click();
      await page.getByRole('textbox', { name: 'Name' }).fill('studio');
      await page.getByRole('textbox', { name: 'Address' }).fill('anna@studio.example.org');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('button', { name: 'The keys are the same' }).scrollIntoViewIfNeeded();
    }
  },
  'settings-cluster': {
    setting: { remotes: true, tasks: ALL },
    hash: '#/settings/computer',
    async act(page) {
      await page.getByRole('button', { name: 'Test club' }).click();
      await page.getByText('club works:').waitFor();
      await page.getByText('Add a computer').click();
      await page.getByRole('radio', { name: 'A Kubernetes cluster' }).check({ force: true });
      await page.getByRole('textbox', { name: 'Image' }).scrollIntoViewIfNeeded();
    }
  },
  'settings-places': {
    setting: { remotes: true, tasks: ALL, filed: ['vm', 'sandbox', 'remote:old'] },
    hash: '#/settings/computer',
    act: (page) => page.getByRole('checkbox', { name: 'Workroom' }).scrollIntoViewIfNeeded()
  },
  'settings-places-first': {
    setting: { tasks: ALL },
    hash: '#/settings/computer',
    async act(page) {
      const list = page.getByRole('combobox', { name: 'Sandbox: when tasks work there' });
      await list.selectOption('Before a workroom, without asking');
      await list.scrollIntoViewIfNeeded();
    }
  },
  'settings-access': {
    setting: { tasks: ALL, tokened: true },
    hash: '#/settings/access',
    act: (page) => page.getByText('home-automation').waitFor()
  },
  'settings-no-access': {
    setting: { tasks: ALL },
    hash: '#/settings/access',
    act: (page) => page.getByText('No program has a token.').waitFor()
  },
  'settings-no-sandbox': { setting: { fenced: true, tasks: ALL }, hash: '#/settings/computer' },
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
      await page.getByRole('checkbox', { name: 'Clean up Fast start' }).check();
      await page.getByRole('checkbox', { name: 'Clean up Downloads' }).check();
    }
  },
  'settings-storage-asks': {
    setting: { tasks: ALL },
    hash: '#/settings/storage',
    async act(page) {
      await page.getByRole('checkbox', { name: 'Clean up Undo data' }).check();
      await page.getByRole('button', { name: 'Clean up 180 MB' }).click();
      await page.getByRole('alertdialog').waitFor();
    }
  },
  'settings-storage-caches': {
    setting: { tasks: ALL },
    hash: '#/settings/storage',
    async act(page) {
      await page.getByRole('button', { name: 'Empty Club website' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Empty', exact: true }).click();
      await page.getByText('“Club website” is empty.').waitFor();
      await page.getByRole('button', { name: 'One step back for Travel diary' }).click();
      await page.getByRole('alertdialog').waitFor();
    }
  },
  'settings-window': {
    setting: { tasks: ALL },
    hash: '#/settings/window',
    act: (page) => page.getByRole('radio', { name: 'Ask me' }).waitFor()
  },
  'settings-privacy': { setting: { tasks: ALL }, hash: '#/settings/privacy' },
  'settings-privacy-sent': {
    setting: { tasks: ALL, measured: true },
    hash: '#/settings/privacy',
    act: (page) => page.getByRole('button', { name: 'Stop sending' }).scrollIntoViewIfNeeded()
  },
  'settings-help': {
    setting: { tasks: ALL },
    hash: '#/settings/help',
    async act(page) {
      await page.getByRole('button', { name: 'Preview report' }).click();
      await page.getByText('about.json').click();
      await page.getByRole('button', { name: 'Show logs' }).click();
      await page.getByText('900 lines').waitFor();
    }
  },
  'settings-logs': {
    setting: { tasks: ALL },
    hash: '#/settings/help',
    async act(page) {
      await page.getByRole('button', { name: 'Show logs' }).click();
      await page.getByText('900 lines').waitFor();
      await page.getByText('Warnings and errors').click();
      await page.getByRole('heading', { name: 'Logs' }).scrollIntoViewIfNeeded();
    }
  },
  'settings-about': {
    setting: { tasks: ALL },
    hash: '#/settings/about',
    act: (page) => page.getByText('63 components').waitFor()
  },
  'german-help': { setting: { tasks: ALL }, hash: '#/settings/help', locale: 'de-DE' },
  'german-storage': { setting: { tasks: ALL }, hash: '#/settings/storage', locale: 'de-DE' },
  'settings-look': { setting: { tasks: ALL }, hash: '#/settings/appearance' },
  'german-models': { setting: { tasks: ALL }, hash: '#/settings', locale: 'de-DE' }
};
