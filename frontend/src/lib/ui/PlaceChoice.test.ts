import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import type { RuntimeNeed, RuntimeStatus } from '$lib/api/types';
import { serve } from '../../test/controller';
import PlaceChoice from './PlaceChoice.svelte';

const kind = (name: string, more: Partial<RuntimeStatus> = {}) => ({
  kind: name,
  isolation: 'namespace',
  works: true,
  allowance: 'ask',
  ...more
});
const all = [
  kind('vm', { isolation: 'hardware' }),
  kind('sandbox'),
  kind('host', { isolation: 'none' }),
  kind('container', { works: false }),
  kind('remote:lab', { works: false, problem: { code: 'vm-failed', cause: '', severity: 'error', fix: [] } })
];
const reasons = {
  vm: 'strongest',
  sandbox: 'weaker',
  host: 'weaker',
  container: 'off',
  'remote:lab': 'unnamed'
};

/** Opens it; returns what it asked about, and what was chosen. */
function open(need: RuntimeNeed, value = '', said: Record<string, string> = reasons, best = 'vm') {
  const about: unknown[] = [];
  serve({
    'GET /v1/runtimes': all,
    'POST /v1/runtimes/explain': (body: unknown) => {
      about.push(body);
      return {
        kind: best,
        ask: false,
        verdicts: Object.entries(said).map(([kind, reason]) => ({ kind, reason, taken: kind === best }))
      };
    }
  });
  const onchange = vi.fn();
  const { rerender } = render(PlaceChoice, { need, value, onchange });
  return { about, onchange, rerender };
}
const names = () => screen.getAllByRole('option').map((one) => one.textContent);

describe('where a task works', () => {
  it('is chosen by piwork, unless a person names a place that can do it', async () => {
    const need = { work: 'chore', folders: true, changes: true } as const;
    const { about, onchange, rerender } = open(need);
    const list = await screen.findByRole('combobox', { name: 'Where the task works' });
    expect(names()).toEqual(['Chosen by piwork (Workroom)', 'Workroom', 'Sandbox', 'This computer']);
    expect(list).toHaveAccessibleDescription('Workroom is used: it keeps a task apart best.');
    expect(about).toEqual([need]);
    await userEvent.selectOptions(list, 'This computer');
    expect(onchange).toHaveBeenCalledWith('host');
    await rerender({ need: { ...need }, value: 'host', onchange });
    expect(list).toHaveAccessibleDescription(/nothing keeps a task apart/);
    expect(screen.getByText('Not isolated')).toBeVisible();
    expect(about).toHaveLength(1); // it is about the same
  });

  it('says why the others cannot', async () => {
    open({ work: 'chore' });
    await userEvent.click(await screen.findByText('Why not elsewhere?'));
    expect(screen.getByText('Container is not used: it is switched off.')).toBeVisible();
    expect(screen.getByText(/^Computer lab doesn’t work: /)).toBeVisible();
  });

  it('is no choice where one place alone can do the task', async () => {
    open({ work: 'ai' }, '', { ...reasons, sandbox: 'work', host: 'work' });
    expect(await screen.findByText(/No other place can do this task/)).toBeVisible();
    expect(screen.queryByRole('combobox')).toBeNull();
  });

  it('shows what was chosen before, also when it cannot be any more', async () => {
    open({ work: 'chore' }, 'remote:gone');
    const list = await screen.findByRole('combobox');
    expect(list).toHaveValue('remote:gone');
    expect(list).toHaveAccessibleDescription(/isn’t there anymore/);
  });

  it('asks again when the task is about something else', async () => {
    const { about, onchange, rerender } = open({ work: 'ai', network: 'off' });
    await waitFor(() => expect(about).toHaveLength(1));
    await rerender({ need: { work: 'ai', network: 'on' }, value: '', onchange });
    await waitFor(() => expect(about).toEqual([expect.anything(), { work: 'ai', network: 'on' }]));
  });
});
