import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { KeyInfo } from '$lib/api/types';
import { refuse, serve } from '../../test/controller';
import ModelsKeys from './ModelsKeys.svelte';
import Reachable from './Reachable.svelte';
import WebSearch from './WebSearch.svelte';

const models = { default: 'a/one', chosen: false, list: [{ id: 'a/one', name: 'One', provider: 'a' }] };
const set: KeyInfo = {
  provider: 'a',
  name: 'Ada',
  has: true,
  kind: 'key',
  place: 'keychain',
  ending: 'wxyz'
};
const unset: KeyInfo = { provider: 'b', name: 'Bob', has: false };

describe('models and keys', () => {
  const routes = {
    'GET /v1/models': models,
    'GET /v1/settings/keys': { store: 'keychain', locked: false, keychain: true },
    'GET /v1/keys': [set, unset]
  };

  it('test a key and say the result in words', async () => {
    serve({ ...routes, 'POST /v1/keys/a/test': { ok: false, reason: 'key-refused', detail: '401' } });
    render(ModelsKeys);
    expect(await screen.findByText('key · in this computer’s keychain · ends in wxyz')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Test Ada' }));
    expect(await screen.findByText(/Failed\. The service rejected the key/)).toBeVisible();
    serve({ ...routes, 'POST /v1/keys/a/test': { ok: true, models: 3 } });
    await userEvent.click(screen.getByRole('button', { name: 'Test Ada' }));
    expect(await screen.findByText('Works: 3 models.')).toBeVisible();
  });

  it('take a key, and do not keep it on the screen, also when it was not taken', async () => {
    const asked = serve({ ...routes, 'PUT /v1/keys/b': refuse({ code: 'key-invalid', cause: 'key' }) });
    render(ModelsKeys);
    await userEvent.click(await screen.findByText('Add a key'));
    await userEvent.selectOptions(screen.getByLabelText('Service'), 'Bob');
    const field = screen.getByLabelText('Key');
    expect(field).toHaveAttribute('type', 'password');
    await userEvent.type(field, ' secret-1234 {Enter}');
    expect(await screen.findByRole('alert')).toHaveTextContent('This isn’t a valid key');
    expect(field).toHaveValue('');
    expect(asked.find((a) => a.route === 'PUT /v1/keys/b')?.body).toEqual({ key: 'secret-1234' });
  });

  it('set up a server of one’s own', async () => {
    const asked = serve({
      ...routes,
      'PUT /v1/keys/my-server': { ...set, provider: 'my-server', name: 'My Server' }
    });
    render(ModelsKeys);
    await userEvent.click(await screen.findByText('Add a key'));
    await userEvent.selectOptions(screen.getByLabelText('Service'), 'Another server');
    await userEvent.type(screen.getByLabelText('Name'), 'My Server');
    await userEvent.type(screen.getByLabelText('Address'), 'http://localhost:1/v1');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText('My Server is set up.')).toBeVisible();
    expect(asked.find((a) => a.route.startsWith('PUT'))?.body).toEqual({
      baseUrl: 'http://localhost:1/v1',
      protocol: 'openai',
      name: 'My Server'
    });
  });

  it('say why a server cannot be set up under a name', async () => {
    serve(routes);
    render(ModelsKeys);
    await userEvent.click(await screen.findByText('Add a key'));
    await userEvent.selectOptions(screen.getByLabelText('Service'), 'Another server');
    await userEvent.type(screen.getByLabelText('Name'), 'мой');
    expect(screen.getByLabelText('Name')).toHaveAccessibleDescription(
      'Use at least one letter from A to Z, or a digit.'
    );
    await userEvent.type(screen.getByLabelText('Name'), ' 1');
    expect(screen.getByLabelText('Name')).toHaveAccessibleDescription('Choose any name.');
  });

  it('are told what a model of one’s own can do, and that is taken back', async () => {
    const model = (said?: object) => ({
      ...models,
      list: [...models.list, { id: 'own/m', name: 'M', provider: 'own', own: true, ...said }]
    });
    const said = { images: true, said: { images: true, context: 5000 } };
    const asked = serve({ ...routes, 'GET /v1/models': model(), 'PUT /v1/models/said': model(said) });
    render(ModelsKeys);
    await userEvent.click(await screen.findByText('Abilities of your own models'));
    const group = () => within(screen.getByRole('group', { name: 'Supports pictures' }));
    expect(group().getByRole('radio', { name: 'Automatic' })).toBeChecked();
    await userEvent.click(group().getByRole('radio', { name: 'Supported' }));
    expect(await screen.findByText('Supports pictures.')).toBeVisible();
    await userEvent.click(group().getByRole('radio', { name: 'Automatic' }));
    await waitFor(() => expect(asked.filter((a) => a.route === 'PUT /v1/models/said')).toHaveLength(2));
    expect(asked.filter((a) => a.route.startsWith('PUT')).map((a) => a.body)).toEqual([
      { model: 'own/m', images: true },
      { model: 'own/m', context: 5000 }
    ]);
  });

  it('remove a key after a question, and choose the model of new tasks', async () => {
    const asked = serve({ ...routes, 'DELETE /v1/keys/a': null, 'PUT /v1/models/default': models });
    render(ModelsKeys);
    await userEvent.selectOptions(await screen.findByLabelText('Model for new tasks'), 'One');
    expect(asked.find((a) => a.route === 'PUT /v1/models/default')?.body).toEqual({ model: 'a/one' });
    await userEvent.click(screen.getByRole('button', { name: 'Remove Ada' }));
    const dialog = await screen.findByRole('alertdialog');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(asked.map((a) => a.route)).toContain('DELETE /v1/keys/a'));
  });
});

describe('the file of keys', () => {
  const routes = {
    'GET /v1/models': models,
    'GET /v1/keys': [set],
    'GET /v1/settings/keys': { store: 'file', locked: false, keychain: true }
  };

  async function type(now: string, next: string, again: string) {
    await userEvent.type(screen.getByLabelText('Current passphrase'), now);
    await userEvent.type(screen.getByLabelText('New passphrase'), next);
    await userEvent.type(screen.getByLabelText('Repeat new passphrase'), again);
  }

  it('gets another passphrase, which is typed twice and kept nowhere', async () => {
    const route = 'POST /v1/settings/keys/passphrase';
    const asked = serve({ ...routes, [route]: { store: 'file', locked: false, keychain: true } });
    render(ModelsKeys);
    await userEvent.click(await screen.findByText('Change passphrase'));
    await type('old words', 'new words', 'new wordz{Enter}');
    expect(screen.getByText('The passphrases don’t match.')).toBeVisible();
    expect(asked.map((a) => a.route)).not.toContain(route);
    await userEvent.type(screen.getByLabelText('Repeat new passphrase'), '{Backspace}s{Enter}');
    expect(await screen.findByText('The passphrase is changed.')).toBeVisible();
    expect(asked.find((a) => a.route === route)?.body).toEqual({ passphrase: 'old words', new: 'new words' });
    for (const field of ['Current passphrase', 'New passphrase', 'Repeat new passphrase'])
      expect(screen.getByLabelText(field)).toHaveValue('');
  });

  it('keeps the one it has when that was not known', async () => {
    serve({
      ...routes,
      'POST /v1/settings/keys/passphrase': refuse({ code: 'passphrase', cause: 'wrong' })
    });
    render(ModelsKeys);
    await userEvent.click(await screen.findByText('Change passphrase'));
    await type('x', 'new words', 'new words');
    await userEvent.click(screen.getByRole('button', { name: 'Change' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('Wrong passphrase');
    expect(screen.getByLabelText('Current passphrase')).toHaveValue('');
  });
});

describe('the internet', () => {
  const presets = [
    { code: 'python', hosts: ['pypi.org'], default: false, on: false },
    { code: 'wikipedia', hosts: ['*.wikipedia.org'], default: true, on: false }
  ];
  const rule = (id: string, topic: string, answer: string) => ({
    id,
    topic,
    answer,
    created: '2026-01-02T03:04:05Z'
  });

  it('turns groups on and off; one that is not turned stays as it is', async () => {
    let all = presets;
    const asked = serve({
      'GET /v1/network/rules': () => ({ rules: [], presets: all }),
      'PUT /v1/network/presets/wikipedia': () => {
        all = all.map((one) => ({ ...one, on: one.code === 'wikipedia' || one.on }));
        return all[1];
      },
      'PUT /v1/network/presets/python': () => refuse({ code: 'internal' })
    });
    render(Reachable);
    const wikipedia = await screen.findByRole('checkbox', { name: 'Wikipedia' });
    expect(wikipedia).not.toBeChecked();
    await userEvent.click(wikipedia);
    await waitFor(() => expect(wikipedia).toBeChecked());
    expect(asked.find((a) => a.route.startsWith('PUT'))?.body).toEqual({ on: true });
    const python = screen.getByRole('checkbox', { name: 'Python packages' });
    await userEvent.click(python);
    expect(await screen.findByRole('alert')).toBeVisible();
    await waitFor(() => expect(python).not.toBeChecked());
  });

  it('lists names, takes them back, and adds one', async () => {
    let rules = [rule('r1', 'network/example.org', 'allow'), rule('r2', 'network/*.ads.example', 'deny')];
    const asked = serve({
      'GET /v1/network/rules': () => ({ rules, presets }),
      'POST /v1/network/rules': rule('r3', 'network/x.example', 'deny'),
      'DELETE /v1/rules/r1': () => {
        rules = rules.filter((one) => one.id !== 'r1');
        return null;
      }
    });
    render(Reachable);
    expect(await screen.findByText('Tasks can’t connect to *.ads.example, everywhere')).toBeVisible();
    await userEvent.click(
      screen.getByRole('button', { name: 'Remove: Tasks can connect to example.org, everywhere' })
    );
    await waitFor(() =>
      expect(screen.queryByText('Tasks can connect to example.org, everywhere')).toBeNull()
    );
    await userEvent.type(screen.getByLabelText('Address'), ' x.example ');
    await userEvent.click(screen.getByRole('button', { name: 'Block' }));
    await waitFor(() =>
      expect(asked.find((a) => a.route.startsWith('POST'))?.body).toEqual({
        host: 'x.example',
        answer: 'deny'
      })
    );
  });
});

describe('searching without a network', () => {
  it('sets up a service, says which one is used, and gives it up', async () => {
    const asked = serve({
      'GET /v1/settings/search': { kind: 'none' },
      'PUT /v1/settings/search': (choice: unknown) => choice
    });
    render(WebSearch);
    expect(await screen.findByText('No search service is set up.')).toBeVisible();
    await userEvent.type(
      screen.getByLabelText('Address of the search service'),
      ' https://search.example.org '
    );
    await userEvent.click(screen.getByRole('button', { name: 'Use it' }));
    expect(await screen.findByText('Searches go to this address:')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Stop using it' }));
    expect(await screen.findByText('No search service is set up.')).toBeVisible();
    expect(asked.filter((a) => a.route.startsWith('PUT')).map((a) => a.body)).toEqual([
      { kind: 'searxng', url: 'https://search.example.org' },
      { kind: 'none' }
    ]);
  });

  it('says what is wrong with an address', async () => {
    serve({
      'GET /v1/settings/search': { kind: 'none' },
      'PUT /v1/settings/search': () => refuse({ code: 'bad-request' }, 400)
    });
    render(WebSearch);
    await userEvent.type(await screen.findByLabelText('Address of the search service'), 'x{Enter}');
    expect(await screen.findByRole('alert')).toBeVisible();
    expect(screen.getByLabelText('Address of the search service')).toHaveValue('x');
  });
});
