import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { refuse, serve } from '../../test/controller';
import Access from './Access.svelte';

const token = (name: string, more: object = {}) => ({
  id: `id-${name}`,
  name,
  scopes: ['tasks'],
  folders: [],
  created: '2026-01-02T03:04:05Z',
  expires: '2999-01-02T03:04:05Z',
  ...more
});

it('says what each program may, with which folders and until when', async () => {
  serve({
    'GET /v1/tokens': [
      token('ci', {
        scopes: ['tools', 'ai'],
        folders: [{ path: '/lists', mode: 'rw' }],
        used: '2026-01-02T03:00:00Z'
      }),
      token('all', { scopes: ['manage', 'read'], expires: '2020-01-02T03:04:05Z' })
    ]
  });
  render(Access);
  const [ci, all] = (await screen.findAllByRole('heading', { level: 2 })).map((one) => one.closest('li'));
  expect(ci).toHaveTextContent(/Valid until .*2999.*last used/);
  expect(ci).toHaveTextContent(/run tools on files.*start AI tasks.*\/lists.*Make changes/);
  expect(all).toHaveTextContent(/Expired on .*2020.*never used/);
  expect(all).toHaveTextContent(/do nearly everything that you can.*not tokens.*all that you can choose/);
  expect(all).not.toHaveTextContent(/see all tasks/);
});

it('takes access away only when a person says so twice, and says so when it could not', async () => {
  let list = [token('ci')];
  let works = false;
  const asked = serve({
    'GET /v1/tokens': () => list,
    'DELETE /v1/tokens/id-ci': () => {
      if (!works) return refuse({ code: 'disk-full' }, 507);
      list = [];
      return null;
    }
  });
  render(Access);
  const remove = async (answer: string) => {
    await userEvent.click(await screen.findByRole('button', { name: 'Remove access of ci' }));
    const dialog = await screen.findByRole('alertdialog');
    await userEvent.click(within(dialog).getByRole('button', { name: answer }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  };
  await remove('Keep');
  expect(asked.some(({ route }) => route.startsWith('DELETE'))).toBe(false);
  await remove('Remove access');
  expect(await screen.findByRole('alert')).toBeVisible();
  expect(screen.queryByText('ci has no access anymore.')).toBeNull();
  works = true;
  await remove('Remove access');
  expect(await screen.findByText('ci has no access anymore.')).toBeVisible();
  expect(await screen.findByText('No program has a token.')).toBeVisible();
});
