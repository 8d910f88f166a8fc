import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { refuse, serve } from '../../test/controller';
import Services from './Services.svelte';

describe('services', () => {
  const hosts = [{ host: 'api.github.com', rules: ['allow GET /**'], test: '/user' }];
  const hub = (secret: string) => ({
    name: 'github',
    hosts,
    secret,
    ...(secret === 'set' ? { ending: 'cdef' } : {})
  });

  it('adds one, and sends its secret once', async () => {
    let list: object[] = [];
    const asked = serve({
      'GET /v1/service-presets': [{ code: 'github', hosts }],
      'GET /v1/services': () => list,
      'PUT /v1/services/github': () => (list = [hub('missing')])[0],
      'PUT /v1/services/github/secret': () => (list = [hub('set')])[0]
    });
    render(Services);
    await userEvent.click(await screen.findByRole('button', { name: 'Add' }));
    const field = await screen.findByLabelText('Secret of github');
    await userEvent.type(field, 'ghp_0123456789{Enter}');
    expect(await screen.findByText(/The secret of github is saved/)).toBeVisible();
    expect(asked.filter((a) => a.route.startsWith('PUT')).map((a) => a.body)).toEqual([
      { preset: 'github' },
      { secret: 'ghp_0123456789' }
    ]);
    expect(screen.queryByDisplayValue('ghp_0123456789')).toBeNull();
    expect(screen.getByText('Secret saved, ending in cdef')).toBeVisible();
  });

  it('says what a preset allows before it is added', async () => {
    serve({
      'GET /v1/service-presets': [{ code: 'github-write', hosts }],
      'GET /v1/services': []
    });
    render(Services);
    expect(await screen.findByText(/merge pull requests.*push .*releases/)).toBeVisible();
  });

  it('says when a service does not accept the secret', async () => {
    serve({
      'GET /v1/service-presets': [],
      'GET /v1/services': [hub('set')],
      'POST /v1/services/github/test': [{ host: 'api.github.com', path: '/user', status: 401, ok: false }]
    });
    render(Services);
    await userEvent.click(await screen.findByRole('button', { name: 'Test github' }));
    expect(await screen.findByText(/api.github.com answers 401/)).toBeVisible();
    expect(screen.getByText(/piwork service add NAME --host HOST/)).toBeVisible(); // also where no preset is left
  });

  it('removes one after a yes, and says what stands in the way', async () => {
    const asked = serve({
      'GET /v1/service-presets': [],
      'GET /v1/services': [hub('set')],
      'DELETE /v1/services/github': () => refuse({ code: 'keychain' })
    });
    render(Services);
    await userEvent.click(await screen.findByRole('button', { name: 'Remove github' }));
    expect(asked.some((a) => a.route.startsWith('DELETE'))).toBe(false);
    await userEvent.click(
      within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Remove' })
    );
    expect(await screen.findByText('piwork can’t use the key store')).toBeVisible();
    expect(screen.getByText('Secret saved, ending in cdef')).toBeVisible();
  });
});
