import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { Session, Task as Record_ } from '$lib/api/types';
import { TaskPage } from '../task/page.svelte';
import { tasks } from '$lib/state/tasks.svelte';
import { serve, task } from '../../test/controller';
import TerminalPanel from './TerminalPanel.svelte';

vi.mock('./surface', () => ({
  Screen: class {
    write = () => Promise.resolve();
    clear = () => undefined;
    size = () => ({ columns: 80, rows: 24 });
    fit = () => undefined;
    focus = () => undefined;
    close = () => undefined;
  }
}));

const running: Record_ = { ...task, kind: 'ai', state: 'running' };
delete running.chore;
const session: Session = {
  id: 's1',
  task: task.id,
  shell: true,
  terminal: true,
  state: 'idle',
  created: '2026-01-02T03:04:05Z',
  output: 0,
  kept: 0,
  readers: 1,
  writer: true
};
const output = (more: Partial<Session>, writes: boolean) => async () => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  return { session: { ...session, ...more }, at: 0, data: '', turn: 1, writes };
};

it('says that another window types, and takes over', async () => {
  let mine = false;
  const asked = serve({
    'GET /v1/sessions': [session],
    'GET /v1/sessions/s1/output': () => output({}, mine)(),
    'POST /v1/sessions/s1/resize': session,
    'POST /v1/sessions/s1/input': () => {
      mine = true;
      return session;
    }
  });
  const { unmount } = render(TerminalPanel, { task: running, onclose: () => undefined });
  await userEvent.click(await screen.findByRole('button', { name: 'Take over' }));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Take over' })).toBeNull());
  expect(screen.getByRole('region', { name: 'Terminal' })).toHaveTextContent('Press F6 to leave');
  expect(asked.filter((one) => one.route.endsWith('/input'))[0]?.body).toMatchObject({ take: true });
  unmount();
});

it('says how the shell ended, and goes when it is hidden', async () => {
  const close = vi.fn();
  const ending = { ended: '2026-01-02T03:04:06Z', exitCode: 3, wallMs: 1, cpuMs: 1 };
  serve({
    'GET /v1/sessions': [session],
    'GET /v1/sessions/s1/output': output({ state: 'terminated', reason: 'exited', ending }, false)
  });
  render(TerminalPanel, { task: running, onclose: close });
  expect(await screen.findByText('The shell ended with status 3.')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Open another' })).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Hide' }));
  expect(close).toHaveBeenCalledOnce();
});

it('offers none where the task took its shell along', async () => {
  const ended: Record_ = { ...running, state: 'done' };
  serve({ 'GET /v1/sessions': [session] }); // and no output: it is gone
  render(TerminalPanel, { task: ended, onclose: () => undefined });
  expect(await screen.findByText('The task has ended, and the shell with it.')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Open another' })).toBeNull();
});

it.each([
  ['a program that runs', { kind: 'exec', state: 'running' }, true],
  ['an AI at work', { kind: 'ai', state: 'running' }, true],
  ['an AI that waits for an answer', { kind: 'ai', state: 'waiting' }, true],
  ['an AI that is done', { kind: 'ai', state: 'done' }, false],
  ['an AI that does a chore', { kind: 'ai', state: 'running', chore: 'letters' }, false],
  ['a chore', { kind: 'chore', state: 'running', chore: 'pictures-to-pdf' }, false],
  ['a tool', { kind: 'tool', state: 'running' }, false]
] as [string, Partial<Record_>, boolean][])('%s can have one: %s', (_, more, can) => {
  tasks.list = [{ ...running, ...more }];
  expect(new TaskPage(() => task.id).terminals).toBe(can);
});
