import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { chosen } from '$lib/state/chosen.svelte';
import { refuse, serve } from '../../test/controller';
import OtherComputers from './OtherComputers.svelte';

const lab = { name: 'lab', address: 'anna@lab' };

describe('a computer that a person keeps', () => {
  it('is not offered to be dropped because something else failed', async () => {
    serve({
      'GET /v1/settings/runtimes': {},
      'GET /v1/remotes': [lab],
      'POST /v1/runtimes/remote:lab/test': refuse({ code: 'vm-failed' }, 502),
      'POST /v1/remotes/lab/clean': refuse({ code: 'vm-failed' }, 502)
    });
    render(OtherComputers);
    const remove = async (answer: string) => {
      await userEvent.click(await screen.findByRole('button', { name: 'Remove lab' }));
      const dialog = await screen.findByRole('alertdialog');
      await userEvent.click(within(dialog).getByRole('button', { name: answer }));
      await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    };
    const drop = () => screen.queryByRole('button', { name: 'Remove from the list only' });
    await remove('Keep');
    await userEvent.click(screen.getByRole('button', { name: 'Test lab' }));
    await screen.findByRole('alert');
    expect(drop()).toBeNull();
    await remove('Remove');
    await waitFor(() => expect(drop()).toBeVisible());
    await userEvent.click(screen.getByRole('button', { name: 'Test lab' }));
    await waitFor(() => expect(drop()).toBeNull());
  });

  it('is read again when something was chosen elsewhere', async () => {
    let list = [lab];
    serve({ 'GET /v1/settings/runtimes': {}, 'GET /v1/remotes': () => list });
    render(OtherComputers);
    await screen.findByText('· anna@lab');
    list = [lab, { name: 'big', address: 'anna@big' }];
    chosen.event(() => undefined);
    expect(await screen.findByText('· anna@big')).toBeVisible();
  });
});
