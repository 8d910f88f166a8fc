import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { ask } from '$lib/state/ask.svelte';
import { draft } from '$lib/state/draft.svelte';
import { tasks } from '$lib/state/tasks.svelte';
import { saved } from '$lib/state/wizard.svelte';
import { chore, serve, task } from '../../test/controller';
import ChoreForm from './ChoreForm.svelte';
import SavedChores from './SavedChores.svelte';

const status = (kind: string) => ({ kind, isolation: 'namespace', works: true, allowance: 'ask' });
const places = {
  'GET /v1/runtimes': [status('vm'), status('sandbox')],
  'POST /v1/runtimes/explain': {
    kind: 'vm',
    ask: false,
    verdicts: [
      { kind: 'vm', reason: 'strongest', taken: true },
      { kind: 'sandbox', reason: 'weaker', taken: false }
    ]
  }
};
const one = {
  id: 's1',
  name: 'Sea',
  chore: chore.name,
  params: {},
  created: '2026-01-02T03:04:05Z',
  folders: [{ path: '/sea' }]
};

describe('the place of a chore', () => {
  it('is that of the next task alone, and kept with a chore that is kept', async () => {
    tasks.chores = [chore];
    draft.use('/sea');
    const asked = serve({
      ...places,
      'POST /v1/tasks': task,
      'POST /v1/saved': { ...one, runtime: 'sandbox' }
    });
    render(ChoreForm, { id: 'form', open: true });
    await userEvent.selectOptions(await screen.findByRole('combobox'), 'Sandbox');
    await saved.keep('Sea', 'draft');
    await draft.start();
    await draft.start();
    const bodies = asked.map(({ body }) => body);
    expect(bodies).toMatchObject([{ runtime: 'sandbox' }, { runtime: 'sandbox' }, {}]);
    expect(bodies[2]).not.toHaveProperty('runtime');
  });

  it('is taken over from one that was kept, or from a task, and said', async () => {
    tasks.chores = [chore];
    serve({ 'POST /v1/tasks': task });
    saved.list = [{ ...one, runtime: 'sandbox', where: 'in a sandbox' }];
    render(SavedChores, { onstart: (kept) => draft.take(kept) });
    expect(screen.getByText('in a sandbox')).toBeVisible();
    await userEvent.click(screen.getByText('Sea'));
    expect(draft.place).toBe('sandbox');
    draft.take(one);
    expect(draft.place).toBe('');
    draft.like({ ...task, asked: { runtime: 'host' } });
    expect(draft.place).toBe('host');
    draft.choose(chore.name);
    expect(draft.place).toBe('');
  });
});

it('goes with words of one’s own, once', async () => {
  const asked = serve({ 'POST /v1/tasks': task });
  for (const place of ['vm', '']) {
    ask.prompt = 'Sort them';
    if (place) ask.place = place;
    await ask.start();
  }
  expect(asked.map(({ body }) => (body as { runtime?: string }).runtime)).toEqual(['vm', undefined]);
});
