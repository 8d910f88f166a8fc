import { render, screen, waitFor } from '@testing-library/svelte';
import { expect, it } from 'vitest';
import type { Task } from '$lib/api/types';
import { Opener } from '$lib/state/opener.svelte';
import { serve, task } from '../../test/controller';
import Preview from './Preview.svelte';

const ROUTE = `GET /v1/tasks/${task.id}/results/0`;

it('stays as it is when the record of its task is read again, and is another one when the file is', async () => {
  let text = 'a long text';
  const asked = serve({ [ROUTE]: () => new Response(text) });
  const read = () => asked.filter(({ route }) => route === ROUTE).length;
  const record = (sha256: string): Task => ({
    ...task,
    results: [{ path: 'notes.txt', size: 11, sha256 }]
  });
  const opener = new Opener();
  opener.look(0);
  const { rerender } = render(Preview, { task: record('a'), opener });
  const shown = await screen.findByText('a long text');
  await rerender({ task: record('a') });
  await new Promise((later) => setTimeout(later, 20));
  expect(shown).toBeVisible(); // the same element: it was scrolled
  expect(read()).toBe(1);
  text = 'another text';
  await rerender({ task: record('b') });
  expect(await screen.findByText('another text')).toBeVisible();
  await waitFor(() => expect(read()).toBe(2));
});
