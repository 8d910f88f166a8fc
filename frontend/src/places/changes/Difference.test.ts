import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import type { Change, Task } from '$lib/api/types';
import { tasks } from '$lib/state/tasks.svelte';
import { refuse, serve, task } from '../../test/controller';
import Changes from './Changes.svelte';

const done: Task = { ...task, state: 'done', ended: '2026-01-02T03:05:05Z' };
const state = { size: 10, mode: 420, mtime: '2026-01-02T03:04:05Z' };
const of = (id: string, path: string): Change => ({
  id,
  folder: 'f1',
  path,
  kind: 'file',
  effect: 'create',
  after: state
});
const list = [of('a', 'a.bin'), of('b', 'b.bin')];
const compared = (change?: Change) => ({ change, kind: 'other', facts: [], after: { size: 10 } });

async function page(more: Record<string, unknown> = {}) {
  const asked = serve({
    'GET /v1/tasks/0193-1': done,
    'GET /v1/tasks/0193-1/timeline': [],
    'GET /v1/tasks/0193-1/changes': list,
    'GET /v1/tasks/0193-1/changes/a': compared(list[0]),
    'GET /v1/tasks/0193-1/changes/b': compared(list[1]),
    ...more
  });
  tasks.list = [done];
  render(Changes, { id: done.id });
  await waitFor(() => expect(tasks.details.has(done.id)).toBe(true));
  return asked;
}
const look = async (name: string) => {
  await userEvent.click(await screen.findByRole('button', { name: new RegExp(name) }));
  return screen.findByRole('region', { name });
};

it('is compared once, however often the list of changes is read', async () => {
  const asked = await page();
  const count = () => asked.filter(({ route }) => route.endsWith('/changes/a')).length;
  await within(await look('a.bin')).findByRole('button', { name: /Save/ });
  await tasks.read(done.id);
  await new Promise((later) => setTimeout(later, 20));
  expect(count()).toBe(1);
  const undone = list.map((change) => ({ ...change, undone: task.created }));
  tasks.details.set(done.id, { timeline: [], changes: undone });
  await waitFor(() => expect(count()).toBe(2)); // it is another one then
});

it('says of no other file what hindered the saving of this one', async () => {
  await page({ 'GET /v1/tasks/0193-1/changes/a/after': () => refuse({ code: 'internal' }) });
  await userEvent.click(await within(await look('a.bin')).findByRole('button', { name: /Save/ }));
  expect(await screen.findByRole('alert')).toBeVisible();
  await within(await look('b.bin')).findByRole('button', { name: /Save/ });
  expect(screen.queryByRole('alert')).toBeNull();
});
