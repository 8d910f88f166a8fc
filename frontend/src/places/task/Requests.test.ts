import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import type { Task } from '$lib/api/types';
import { serve, task } from '../../test/controller';
import Requests from './Requests.svelte';

const lent = { ...task, services: ['github'] };
const one = {
  service: 'github',
  host: 'api.github.com',
  path: '/user',
  sent: 0,
  received: 9,
  last: '2026-07-14T10:02:00Z'
};

describe('requests of a task', () => {
  it('are listed with how they ended, and how many are not', async () => {
    serve({
      [`GET /v1/tasks/${task.id}/requests`]: {
        list: [
          { ...one, method: 'GET', allowed: true, status: 200, count: 3 },
          { ...one, method: 'DELETE', allowed: false, reason: 'no-rule', said: 'no rule allows it', count: 1 }
        ],
        more: 2
      }
    });
    render(Requests, { task: lent });
    expect(screen.getByText('This task can use: github')).toBeVisible();
    await userEvent.click(await screen.findByText('2 kinds of requests'));
    expect(screen.getByText('GET api.github.com/user')).toBeVisible();
    expect(screen.getByText(/Answer 200\s*· 3 times/)).toBeVisible();
    expect(screen.getByText('no rule allows it')).toBeVisible();
    expect(screen.getByText('And 2 more.')).toBeVisible();
  });

  it('are shown of MCP servers while the task is open, and afterwards if there were some', async () => {
    let list: unknown[] = [];
    const requests = serve({ [`GET /v1/tasks/${task.id}/requests`]: () => ({ list }) });
    const ai = { ...task, state: 'running', ai: { model: 'a/b', servers: true, usage: {} } } as Task;
    const { rerender } = render(Requests, { task: ai });
    expect(await screen.findByText('No requests yet.')).toBeVisible();
    await rerender({ task: { ...ai, state: 'done' } });
    await vi.waitFor(() => expect(requests).toHaveLength(2));
    expect(screen.queryByText('Requests to services')).toBeNull();
    await rerender({ task: { ...ai, state: 'running' } });
    await vi.waitFor(() => expect(requests).toHaveLength(3));
    list = [{ ...one, method: 'GET', allowed: true, status: 200, count: 1 }];
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
    expect(await screen.findByText('1 kind of request')).toBeVisible();
    await rerender({ task: { ...ai, state: 'done' } });
    expect(screen.getByText('What MCP servers asked of your services for this task.')).toBeVisible();
  });

  it('are said to be none', async () => {
    serve({ [`GET /v1/tasks/${task.id}/requests`]: { list: [] } });
    render(Requests, { task: lent });
    expect(await screen.findByText('No requests yet.')).toBeVisible();
  });
});
