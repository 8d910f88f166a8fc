import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { SavedChore } from '$lib/api/types';
import { saved } from '$lib/state/wizard.svelte';
import { refuse, serve, task } from '../../test/controller';
import KeepChore from './KeepChore.svelte';
import SavedChores from './SavedChores.svelte';

const kept = (id: string, name: string) =>
  ({ id, name, chore: 'pictures-to-pdf', params: {}, folders: [], created: task.created }) as SavedChore;
const names = () => saved.list.map(({ name }) => name);

async function remove(name: string, answer = 'Remove') {
  await userEvent.click(screen.getByRole('button', { name: `Remove ${name}` }));
  const dialog = await screen.findByRole('alertdialog', { name: `Remove “${name}”?` });
  await userEvent.click(within(dialog).getByRole('button', { name: answer }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
}

describe('a saved chore', () => {
  it('is removed after a yes, and says what stands in the way', async () => {
    let answer: unknown = refuse({ code: 'internal' });
    const asked = serve({ 'DELETE /v1/saved/1': () => answer });
    saved.list = [kept('1', 'Monthly'), kept('2', 'Yearly')];
    render(SavedChores, { onstart: () => undefined });
    await remove('Monthly', 'Keep');
    expect(asked).toEqual([]);
    await remove('Monthly');
    expect(await screen.findByRole('alert')).toBeVisible();
    expect(names()).toEqual(['Monthly', 'Yearly']);
    answer = null;
    await remove('Monthly');
    expect(names()).toEqual(['Yearly']);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('that was removed elsewhere does not come back', async () => {
    serve({});
    saved.list = [kept('1', 'Monthly'), kept('2', 'Yearly')];
    render(SavedChores, { onstart: () => undefined });
    await remove('Monthly');
    expect(names()).toEqual(['Yearly']);
  });

  it('is not replaced by one of the same name without a yes', async () => {
    const asked = serve({
      'GET /v1/saved': [kept('1', 'Monthly')], // by another window
      'POST /v1/saved': (body: unknown) => kept('2', (body as SavedChore).name)
    });
    render(KeepChore, { of: task });
    await userEvent.click(screen.getByRole('button', { name: 'Save for next time' }));
    await userEvent.clear(screen.getByLabelText('Name'));
    await userEvent.type(screen.getByLabelText('Name'), ' monthly {Enter}');
    const question = () => screen.findByRole('alertdialog', { name: 'Replace “monthly”?' });
    await userEvent.click(within(await question()).getByRole('button', { name: 'Choose another name' }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    expect(asked).toEqual([]);
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await userEvent.click(within(await question()).getByRole('button', { name: 'Replace' }));
    expect(await screen.findByText(/monthly saved/)).toBeVisible();
    expect(asked.map(({ body }) => body)).toEqual([{ name: 'monthly', task: task.id }]);
    expect(names()).toEqual(['monthly']);
  });

  it('says of the next one nothing that hindered the last', async () => {
    serve({ 'GET /v1/saved': [], 'POST /v1/saved': refuse({ code: 'internal' }) });
    render(KeepChore, { of: task });
    await userEvent.click(screen.getByRole('button', { name: 'Save for next time' }));
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByRole('alert')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Don’t save' }));
    await userEvent.click(screen.getByRole('button', { name: 'Save for next time' }));
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
