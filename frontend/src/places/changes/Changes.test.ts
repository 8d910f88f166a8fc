// The page of a task's changes: what is listed, what is looked at, and what is asked of the controller.
import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { Change, Comparison, Task } from '$lib/api/types';
import { tasks } from '$lib/state/tasks.svelte';
import { refuse, serve, task, type Asked } from '../../test/controller';
import Changes from './Changes.svelte';

const done: Task = { ...task, state: 'done', ended: '2026-01-02T03:05:05Z' };
const state = { size: 10, mode: 420, mtime: '2026-01-02T03:04:05Z' };
const list: Change[] = [
  {
    id: 'o1',
    folder: 'f1',
    path: 'a/notes.txt',
    kind: 'file',
    effect: 'change',
    before: state,
    after: state
  },
  { id: 'e2', folder: 'f1', path: 'b\u202egpj.exe', kind: 'file', effect: 'create', after: state },
  {
    id: 'o3',
    folder: 'f1',
    path: 'gone.txt',
    kind: 'file',
    effect: 'delete',
    before: state,
    undone: '2026-01-02T03:06:05Z'
  }
];
const waiting: Change = {
  id: 'f1.e1',
  folder: 'f1',
  path: 'new.txt',
  kind: 'file',
  effect: 'create',
  staged: true,
  after: state
};
const waits: Change[] = [
  waiting,
  {
    id: 'f1.n2',
    folder: 'f1',
    path: 'old.txt',
    kind: 'file',
    effect: 'change',
    staged: true,
    before: state,
    after: state
  }
];
const compared: Comparison = {
  change: list[0] as Change,
  kind: 'text',
  facts: [{ code: 'mode', before: '644', after: '755' }],
  before: { size: 10 },
  after: { size: 10 },
  text: {
    added: 1,
    removed: 1,
    hunks: [
      {
        before: 7,
        beforeLines: 2,
        after: 7,
        afterLines: 2,
        lines: [
          { op: 'same', text: 'same' },
          { op: 'removed', text: '<b>old</b> \u001b[31m' },
          { op: 'added', text: '<b>new</b> \u001b[31m' }
        ]
      }
    ]
  }
};

async function page(changes: Change[], more: Record<string, unknown> = {}): Promise<Asked[]> {
  const asked = serve({
    'GET /v1/tasks/0193-1': done,
    'GET /v1/tasks/0193-1/timeline': [],
    'GET /v1/tasks/0193-1/changes': changes,
    'GET /v1/tasks/0193-1/changes/o1': compared,
    'POST /v1/tasks/0193-1/undo': { undone: [list[0]], conflicts: [] },
    'POST /v1/tasks/0193-1/redo': { redone: [list[2]], conflicts: [] },
    'POST /v1/tasks/0193-1/apply': { applied: waits, discarded: [], conflicts: [] },
    ...more
  });
  tasks.list = [done];
  render(Changes, { id: done.id });
  await waitFor(() => expect(tasks.details.has(done.id)).toBe(true));
  return asked;
}
const sent = (asked: Asked[], route: string) => asked.filter((a) => a.route === route).map((a) => a.body);
const button = (name: string | RegExp) => screen.getByRole('button', { name });

describe('the page of changes', () => {
  it('lists what was changed, counted, and shows hidden marks of names', async () => {
    await page(list);
    await screen.findByRole('radio', { name: 'All (3)' });
    for (const name of ['Changed (1)', 'New (1)', 'Undone (1)']) screen.getByRole('radio', { name });
    expect(screen.queryByRole('radio', { name: /Moved/ })).toBeNull();
    expect(screen.getByText('b⟨202E⟩gpj.exe')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('radio', { name: 'New (1)' }));
    expect(screen.queryByText('notes.txt')).toBeNull();
  });

  it('shows the lines that differ as text, and nothing of it as a page', async () => {
    await page(list);
    await userEvent.click(await screen.findByRole('button', { name: /notes\.txt/ }));
    const pane = await screen.findByRole('region', { name: 'notes.txt' });
    await within(pane).findByText('1 line new, 1 line removed');
    expect(pane.textContent).toContain('<b>old</b> ␛[31m');
    expect(pane.querySelectorAll('bdi b')).toHaveLength(2);
    expect([...pane.querySelectorAll('bdi b')].map((b) => b.textContent)).toEqual(['old', 'new']);
    within(pane).getByText(/644, now 755/);
    expect(within(pane).getAllByText('8')).toHaveLength(2);
    await userEvent.click(within(pane).getByRole('button', { name: 'Close' }));
    expect(screen.queryByRole('region', { name: 'notes.txt' })).toBeNull();
    await waitFor(() => expect(document.activeElement).toHaveAttribute('data-change', 'o1'));
  });

  it('puts back what was chosen, and brings it back again', async () => {
    const asked = await page(list);
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select a/notes.txt' }));
    await userEvent.click(button('Undo 1 change'));
    expect(sent(asked, 'POST /v1/tasks/0193-1/undo')).toEqual([{ ids: ['o1'] }]);
    await screen.findByText('1 change undone.');
    await userEvent.click(button('Redo'));
    expect(sent(asked, 'POST /v1/tasks/0193-1/redo')).toEqual([{ ids: ['o1'] }]);
    await userEvent.click(button('Undo everything'));
    expect(sent(asked, 'POST /v1/tasks/0193-1/undo')[1]).toEqual({ ids: ['o1', 'e2'] });
  });

  it('asks what should become of what is the person’s now', async () => {
    const conflict = { change: list[0], reason: 'changed-since' };
    const asked = await page(list, {
      'POST /v1/tasks/0193-1/undo': (body: unknown) =>
        JSON.stringify(body).includes('resolve')
          ? { undone: [list[0]], conflicts: [], beside: { o1: 'a/notes (before).txt' } }
          : { undone: [], conflicts: [conflict] }
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Undo everything' }));
    const card = await screen.findByRole('alert');
    within(card).getByText('You changed 1 file after this task');
    await userEvent.click(within(card).getByRole('radio', { name: 'Keep both' }));
    await userEvent.click(within(card).getByRole('button', { name: 'Apply choices' }));
    expect(sent(asked, 'POST /v1/tasks/0193-1/undo')[1]).toEqual({ ids: ['o1'], resolve: { o1: 'both' } });
    await screen.findByText(/the other version is now a\/notes \(before\)\.txt/);
  });

  it('says that nothing was changed yet, and applies or throws away', async () => {
    const asked = await page(waits);
    await screen.findByText('The folder is unchanged so far');
    expect(screen.queryByRole('button', { name: /Undo everything/ })).toBeNull();
    await userEvent.click(button('Apply all'));
    await screen.findByText(/2 changes applied/);
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select old.txt' }));
    await userEvent.click(button('Discard 1 change'));
    await userEvent.click(
      within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Discard' })
    );
    expect(sent(asked, 'POST /v1/tasks/0193-1/apply')).toEqual([
      { ids: waits.map((change) => change.id) },
      { ids: ['f1.n2'], discard: true }
    ]);
  });

  it('goes by the keyboard, and has of ten thousand lines only a few', async () => {
    const many = Array.from({ length: 10_000 }, (_, i): Change => ({
      id: `e${i}`,
      folder: 'f1',
      path: `f${i}.txt`,
      kind: 'file',
      effect: 'create',
      after: state
    }));
    await page(many);
    const first = await screen.findByRole('button', { name: /^f0\.txt/ });
    expect(screen.getAllByRole('listitem').length).toBeLessThan(100);
    first.focus();
    await userEvent.keyboard('{ArrowDown} ');
    await waitFor(() => expect(document.activeElement).toHaveAttribute('data-change', 'e1'));
    expect(screen.getByRole('checkbox', { name: 'Select f1.txt' })).toBeChecked();
    await userEvent.click(screen.getByRole('checkbox', { name: '1 selected' }));
    screen.getByRole('button', { name: 'Undo 10,000 changes' });
  });

  it('says what went wrong, and when nothing was changed', async () => {
    await page([]);
    await screen.findByText('The task changed nothing in your folders.');
  });
});

describe('what is not answered', () => {
  const url = `/v1/tasks/${task.id}`;

  it('is said, and asked for again', async () => {
    serve({ [`GET ${url}`]: refuse({ code: 'internal' }, 500) });
    render(Changes, { id: task.id });
    const again = await screen.findByRole('button', { name: 'Check again' });
    serve({ [`GET ${url}`]: done, [`GET ${url}/timeline`]: [], [`GET ${url}/changes`]: list });
    await userEvent.click(again);
    expect(await screen.findByText('notes.txt')).toBeVisible();
  });

  it('is not waited for when the task is gone', async () => {
    serve({});
    render(Changes, { id: task.id });
    expect(await screen.findByText('It may have been deleted in another window.')).toBeVisible();
    expect(screen.getByRole('link', { name: 'Start a new task' })).toBeVisible();
  });

  /** The page of what waits; become is what another window makes of it. */
  function waitingPage() {
    let left = waits;
    const asked = serve({
      [`GET /v1/tasks/${task.id}`]: done,
      [`GET /v1/tasks/${task.id}/timeline`]: [],
      [`GET /v1/tasks/${task.id}/changes`]: () => left,
      [`POST /v1/tasks/${task.id}/apply`]: { applied: [], discarded: [], conflicts: [] }
    });
    render(Changes, { id: task.id });
    const become = async (now: Change[]) => {
      left = now;
      await tasks.read(task.id);
    };
    return { asked, become };
  }

  it.each([
    ['what was chosen', ['Select new.txt', 'Select old.txt'], 'Discard 2 changes', ['f1.e1']],
    ['all that waited', [], 'Discard all', ['f1.e1']]
  ])('discards %s, and nothing that came or went meanwhile', async (_, boxes, name, ids) => {
    const { asked, become } = waitingPage();
    await screen.findByText('new.txt');
    for (const box of boxes) await userEvent.click(screen.getByRole('checkbox', { name: box }));
    await userEvent.click(screen.getByRole('button', { name }));
    const dialog = await screen.findByRole('alertdialog', { name: 'Discard 2 changes?' });
    await become([
      waiting,
      ...waits.slice(1).map((one) => ({ ...one, staged: false })),
      { ...waiting, id: 'f1.e9', path: 'came.txt' }
    ]);
    expect(dialog).toHaveAccessibleName('Discard 2 changes?');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Discard' }));
    await waitFor(() => expect(asked.at(-1)?.route).toMatch(/changes$/));
    expect(asked.find((one) => one.route.endsWith('/apply'))?.body).toEqual({ ids, discard: true });
  });

  it('discards nothing when all of it was decided meanwhile', async () => {
    const { asked, become } = waitingPage();
    await userEvent.click(await screen.findByRole('button', { name: 'Discard all' }));
    const dialog = await screen.findByRole('alertdialog');
    await become([{ ...waiting, id: 'f1.e9', path: 'came.txt' }]);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Discard' }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    expect(asked.some((one) => one.route.endsWith('/apply'))).toBe(false);
  });
});
