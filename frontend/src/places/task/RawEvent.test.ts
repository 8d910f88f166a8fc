import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { refuse, serve, task } from '../../test/controller';
import RawEvent from './RawEvent.svelte';

it('says what hindered the last reading, not one before', async () => {
  let answer: unknown = refuse({ code: 'internal' });
  serve({ [`GET /v1/tasks/${task.id}/agent/7`]: () => answer });
  render(RawEvent, { task: task.id, line: 7 });
  await userEvent.click(screen.getByRole('button'));
  expect(await screen.findByRole('status')).toBeVisible();
  answer = { type: 'message_end' };
  await userEvent.click(screen.getByRole('button'));
  expect(await screen.findByText(/message_end/)).toBeVisible();
  expect(screen.queryByRole('status')).toBeNull();
});
