import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import type { Change, Task } from '$lib/api/types';
import { refuse, serve, task } from '../../test/controller';
import Changes from './Changes.svelte';

it('lists some of what an undo left alone, and counts the rest', async () => {
  const done: Task = { ...task, state: 'done' };
  const state = { size: 1, mode: 420, mtime: task.created };
  const changes = Array.from({ length: 1000 }, (_, i): Change => ({
    id: `c${i}`,
    folder: 'f1',
    path: `${i}.txt`,
    kind: 'file',
    effect: 'create',
    after: state
  }));
  serve({
    [`POST /v1/tasks/${task.id}/undo`]: {
      undone: [],
      conflicts: changes.map((change) => ({ change, reason: 'changed-since', said: 'You changed it.' }))
    },
    [`GET /v1/tasks/${task.id}`]: done
  });
  render(Changes, { task: done, changes });
  await userEvent.click(screen.getByRole('button', { name: 'Undo everything' }));
  const card = await screen.findByRole('alert');
  expect(card.querySelectorAll('li')).toHaveLength(21);
  expect(card).toHaveTextContent(/980/);
});

it('gives up an undo that waits for its folder, when the person knows what is lost', async () => {
  const done: Task = { ...task, state: 'done' };
  const asked: string[] = [];
  serve({
    [`GET /v1/tasks/${task.id}`]: done,
    [`GET /v1/tasks/${task.id}/undo`]: { bytes: 5_000_000, unfinished: true },
    [`DELETE /v1/tasks/${task.id}/undo`]: (_: unknown, request: Request) => {
      const { search } = new URL(request.url);
      asked.push(search);
      return search
        ? { bytes: 0, forgotten: true }
        : refuse(
            {
              code: 'undo-waits',
              cause: 'silent',
              params: { path: '/media/kim/Photos' },
              fix: [{ kind: 'action', code: 'abandon-undo' }]
            },
            409
          );
    }
  });
  render(Changes, { task: done, changes: [{ id: 'c1', folder: 'f1', path: 'a', effect: 'create' }] });
  expect(await screen.findByText(/An undo or redo is still running or was interrupted/)).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Free up space' }));
  await userEvent.click(
    within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete undo data' })
  );
  const card = await screen.findByRole('alert');
  expect(card).toHaveTextContent(/the drive of .*Photos.* doesn’t answer/);
  await userEvent.click(within(card).getByRole('button', { name: 'Delete its undo data anyway' }));
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete undo data anyway?' });
  expect(dialog).toHaveTextContent(/half undone/);
  await userEvent.click(within(dialog).getByRole('button', { name: 'Delete anyway' }));
  expect(await screen.findByText('The undo data of this task was deleted.')).toBeVisible();
  expect(asked).toEqual(['', '?abandonUndo=true']);
});
