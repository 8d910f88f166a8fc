import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import type { RuntimeStatus } from '$lib/api/types';
import { refuse, said, serve } from '../../test/controller';
import FilePlaces from './FilePlaces.svelte';

const kinds = ['vm', 'container', 'sandbox'].map((kind) =>
  said({ kind, isolation: 'hardware', works: true, allowance: 'always' })
) as RuntimeStatus[];

it('has files change everywhere, or only where a person says', async () => {
  let settings: object = { prefer: ['vm'] };
  const asked = serve({
    'GET /v1/settings/runtimes': () => settings,
    'POST /v1/settings/runtimes': (body: unknown) => (settings = body as object)
  });
  render(FilePlaces, { kinds });
  const files = () =>
    asked
      .filter(({ route }) => route.startsWith('POST'))
      .map(({ body }) => (body as { files: string[] }).files);
  expect(await screen.findByRole('radio', { name: 'Everywhere' })).toBeChecked();
  await userEvent.click(screen.getByRole('radio', { name: 'Only in these places' }));
  const vm = await screen.findByRole('checkbox', { name: 'Workroom' });
  expect(vm).toBeChecked();
  expect(vm).toBeDisabled(); // without any, all would be allowed
  await userEvent.click(screen.getByRole('checkbox', { name: 'Container' }));
  await waitFor(() => expect(vm).toBeEnabled());
  await userEvent.click(vm);
  await waitFor(() => expect(vm).not.toBeChecked());
  expect(screen.getByRole('checkbox', { name: 'Container' })).toBeDisabled();
  await userEvent.click(screen.getByRole('radio', { name: 'Everywhere' }));
  await waitFor(() => expect(screen.queryByRole('checkbox')).toBeNull());
  expect(files()).toEqual([['vm'], ['vm', 'container'], ['container'], []]);
  expect(asked.at(-1)?.body).toMatchObject({ prefer: ['vm'] }); // the rest stays
});

it('keeps a place that is gone until it is taken off, and shows what holds when it could not be', async () => {
  serve({
    'GET /v1/settings/runtimes': { files: ['vm', 'remote:gone'] },
    'POST /v1/settings/runtimes': refuse({ code: 'disk-full' }, 507)
  });
  render(FilePlaces, { kinds });
  const gone = await screen.findByRole('checkbox', { name: 'remote:gone (no longer there)' });
  await userEvent.click(gone);
  await screen.findByRole('alert');
  expect(gone).toBeChecked();
});
