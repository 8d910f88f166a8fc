import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { Report } from '$lib/api/types';
import { chosen } from '$lib/state/chosen.svelte';
import { computer } from '$lib/state/computer.svelte';
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

  it('is said to be tested while it is, also when it was to be removed before', async () => {
    let arrive: (status: object) => void = () => undefined;
    serve({
      'GET /v1/settings/runtimes': {},
      'GET /v1/remotes': [lab],
      'POST /v1/runtimes/remote%3Alab/test': () => new Promise((resolve) => (arrive = resolve))
    });
    render(OtherComputers);
    await userEvent.click(await screen.findByRole('button', { name: 'Remove lab' }));
    const dialog = await screen.findByRole('alertdialog');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Keep' }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    await userEvent.click(screen.getByRole('button', { name: 'Test lab' }));
    expect(await screen.findByRole('button', { name: 'Testing…' })).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Removing…' })).toBeNull();
    arrive({ kind: 'remote:lab', works: true });
    expect(await screen.findByText(/lab works/)).toBeVisible();
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

describe('a cluster', () => {
  const club = { name: 'club', address: 'club-context', cluster: { image: 'debian' } };

  it('is tested as what it is, and has no chores and tools', async () => {
    const asked = serve({
      'GET /v1/settings/runtimes': {},
      'GET /v1/remotes': [club],
      'POST /v1/runtimes/kubernetes%3Aclub/test': { kind: 'kubernetes:club', works: true },
      'GET /v1/remotes/club/usage': { bytes: 0, places: 0 }
    });
    render(OtherComputers);
    await userEvent.click(await screen.findByRole('button', { name: 'Test club' }));
    expect(await screen.findByText(/club works/)).toBeVisible();
    expect(asked.map(({ route }) => route)).toContain('POST /v1/runtimes/kubernetes%3Aclub/test');
    expect(screen.queryByRole('checkbox')).toBeNull();
    expect(screen.getByText(/--runtime kubernetes:club/)).toBeVisible();
    expect(screen.queryByText(/No piwork was found/)).toBeNull();
  });

  it('is added with a context and an image', async () => {
    computer.report = { os: 'linux' } as Report;
    const asked = serve({ 'GET /v1/settings/runtimes': {}, 'GET /v1/remotes': [], 'POST /v1/remotes': club });
    render(OtherComputers);
    await userEvent.click(await screen.findByRole('radio', { name: 'A Kubernetes cluster' }));
    await userEvent.type(screen.getByLabelText('Name'), 'Club');
    await userEvent.type(screen.getByLabelText('Context'), 'club-context{Enter}');
    expect(asked.some(({ route }) => route.startsWith('POST'))).toBe(false); // not without an image
    await userEvent.type(screen.getByLabelText('Image'), 'debian{Enter}');
    expect(await screen.findByText(/club is added/)).toBeVisible();
    expect(asked.find(({ route }) => route.startsWith('POST'))?.body).toEqual(club);
  });
});
