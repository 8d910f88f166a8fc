import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { serve } from '../../test/controller';
import Logs from './Logs.svelte';

describe('the logs', () => {
  it('are shown under their own names, however fast another one is chosen', async () => {
    const waiting = new Map<string, (text: Response) => void>();
    const late = (name: string) => () => new Promise<Response>((resolve) => waiting.set(name, resolve));
    serve({
      'GET /v1/logs': {
        logs: ['a', 'b', 'c'].map((name) => ({ name, bytes: 10, changed: '2026-01-02T03:04:05Z' }))
      },
      'GET /v1/logs/a': () => new Response('of a'),
      'GET /v1/logs/b': late('b'),
      'GET /v1/logs/c': late('c')
    });
    render(Logs);
    await userEvent.click(screen.getByRole('button', { name: 'Show logs' }));
    expect(await screen.findByText('of a')).toBeInTheDocument();
    const which = screen.getByRole('combobox', { name: 'Log' });
    await userEvent.selectOptions(which, 'b');
    await waitFor(() => expect(waiting.has('b')).toBe(true));
    await userEvent.selectOptions(which, 'c');
    waiting.get('b')?.(new Response('of b'));
    await waitFor(() => expect(waiting.has('c')).toBe(true));
    waiting.get('c')?.(new Response('of c'));
    expect(await screen.findByText('of c')).toBeInTheDocument();
    expect(which).toHaveValue('c');
    expect(screen.queryByText('of b')).toBeNull();
  });

  it('say that they were copied only of what was, and when they cannot be', async () => {
    const copy = vi.fn(() => Promise.resolve(true));
    window.runtime = { EventsOn: () => () => undefined, ClipboardSetText: copy };
    serve({
      'GET /v1/logs': { logs: [{ name: 'a', bytes: 10, changed: '2026-01-02T03:04:05Z' }] },
      'GET /v1/logs/a': () => new Response('one\ntwo')
    });
    render(Logs);
    await userEvent.click(screen.getByRole('button', { name: 'Show logs' }));
    await screen.findByText('one');
    await userEvent.click(screen.getByRole('button', { name: 'Copy lines' }));
    expect(await screen.findByRole('button', { name: 'Copied' })).toBeVisible();
    await userEvent.type(screen.getByRole('searchbox'), 'two'); // these were not copied
    expect(await screen.findByRole('button', { name: 'Copy lines' })).toBeVisible();
    copy.mockImplementation(() => Promise.reject(new Error('not allowed')));
    await userEvent.click(screen.getByRole('button', { name: 'Copy lines' }));
    expect(await screen.findByText('Copying isn’t allowed here.')).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Copied' })).toBeNull();
  });
});
