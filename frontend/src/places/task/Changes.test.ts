import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import type { Change, Task } from '$lib/api/types';
import { serve, task } from '../../test/controller';
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
