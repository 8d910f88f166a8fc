import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { serve } from '../../test/controller';
import Storage from './Storage.svelte';

describe('storage', () => {
  const item = (what: string, bytes: number, more: object = {}) => ({
    what,
    bytes,
    frees: bytes,
    path: `/data/${what}`,
    cleanable: true,
    ...more
  });
  const items = [
    item('logs', 1_000_000),
    item('journals', 5_000_000, { losesUndo: true }),
    item('tasks', 9_000_000, { cleanable: false }),
    item('images', 0, { silent: true, path: '' })
  ];

  it('cleans what was chosen, and says what is lost with it', async () => {
    const asked = serve({
      'GET /v1/storage': { items, freeBytes: 1 },
      'POST /v1/storage/clean': { freed: 6_000_000 }
    });
    render(Storage);
    expect(await screen.findByText('15 MB in total')).toBeVisible();
    expect(screen.getByText('Docker or Podman doesn’t answer, so this isn’t complete.')).toBeVisible();
    expect(screen.queryByText('nothing')).toBeNull();
    expect(screen.queryByRole('checkbox', { name: 'Clean up Tasks' })).toBeNull();
    await userEvent.click(screen.getByRole('checkbox', { name: 'Clean up Logs' }));
    await userEvent.click(screen.getByRole('checkbox', { name: 'Clean up Undo data' }));
    await userEvent.click(screen.getByRole('button', { name: 'Clean up 6 MB' }));
    const dialog = await screen.findByRole('alertdialog');
    expect(within(dialog).getByText(/can’t undo changes of earlier tasks/)).toBeVisible();
    expect(asked.some((a) => a.route.startsWith('POST'))).toBe(false);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Clean up' }));
    expect(await screen.findByText('6 MB freed.')).toBeVisible();
    expect(asked.find((a) => a.route.startsWith('POST'))?.body).toEqual({
      what: ['logs', 'journals'],
      loseUndo: true
    });
  });

  it('says which undo data stays, because an undo waits for its folder', async () => {
    serve({
      'GET /v1/storage': { items, freeBytes: 1 },
      'POST /v1/storage/clean': { freed: 0, waiting: ['0195abcd'] }
    });
    render(Storage);
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Clean up Undo data' }));
    await userEvent.click(screen.getByRole('button', { name: 'Clean up 5 MB' }));
    await userEvent.click(
      within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Clean up' })
    );
    expect(
      await screen.findByText(/The undo data of 1 task stays: an undo or redo waits for its folder/)
    ).toBeVisible();
    expect(screen.getByRole('link', { name: '0195abcd' })).toHaveAttribute('href', '#/tasks/0195abcd');
  });
});
