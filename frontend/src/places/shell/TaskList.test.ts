import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { finder } from '$lib/state/finder.svelte';
import { tasks } from '$lib/state/tasks.svelte';
import { said, serve, task } from '../../test/controller';
import TaskList from './TaskList.svelte';

const titles = ['Letters', 'Photos of the sea', 'Taxes', 'Club', 'Garden', 'Recipes'];
const list = said(
  titles.map((title, i) => ({
    ...task,
    id: `0193-${i}`,
    title,
    titled: true,
    state: (['done', 'running', 'waiting', 'failed', 'cancelled', 'done'] as const)[i] ?? 'done',
    folders: []
  }))
);

beforeEach(() => {
  finder.clear();
  tasks.list = list;
});

const shown = () =>
  screen.queryAllByRole('link').map((link) => link.getAttribute('aria-label')?.split(',')[0]);

describe('the list of tasks', () => {
  it('shows those with the words at once, and those the controller finds', async () => {
    const asked = serve({ 'GET /v1/tasks': [list[2]] });
    render(TaskList, { line: '' });
    expect(shown()).toEqual(titles);
    await userEvent.type(screen.getByRole('searchbox', { name: 'Find a task' }), 'SEA');
    expect(shown()).toEqual(['Photos of the sea']);
    await waitFor(() => expect(shown()).toEqual(['Photos of the sea', 'Taxes']));
    expect(asked).toHaveLength(1);
    await userEvent.keyboard('{Escape}');
    expect(shown()).toEqual(titles);
  });

  it('opens a task in a new window, as links are', async () => {
    window.runtime = { EventsOn: () => () => undefined };
    const asked = serve({ 'POST /v1/window/new': null });
    render(TaskList, { line: '' });
    const user = userEvent.setup();
    await user.keyboard('{Control>}');
    await user.click(screen.getByRole('link', { name: /^Letters/ }));
    await user.keyboard('{/Control}');
    await user.pointer({ keys: '[MouseMiddle]', target: screen.getByRole('link', { name: /^Club/ }) });
    delete window.runtime;
    expect(asked.map(({ body }) => body)).toEqual([{ task: '0193-0' }, { task: '0193-3' }]);
    expect(location.hash).toBe('');
  });

  it('goes by state, and says when nothing fits', async () => {
    serve({ 'GET /v1/tasks': [] });
    render(TaskList, { line: '' });
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Filter tasks' }), 'Not finished');
    expect(shown()).toEqual(['Club', 'Garden']);
    await userEvent.type(screen.getByRole('searchbox'), 'letters');
    expect(screen.getByText('No matching tasks.')).toBeVisible();
    await userEvent.click(screen.getAllByRole('button', { name: 'Show all tasks' })[1] as HTMLElement);
    expect(shown()).toEqual(titles);
  });

  it('says how far those at work are, all of them', () => {
    const since = Date.now();
    for (const id of ['0193-1', '0193-2'])
      tasks.live.set(id, { step: 'run', since, heard: since, progress: { done: 3, total: 12, item: '' } });
    render(TaskList, { line: '' });
    expect(screen.getByText('working, 3 of 12')).toBeVisible();
    expect(screen.getByRole('link', { name: 'Photos of the sea, working, 3 of 12' })).toBeVisible();
    expect(screen.getByText('waiting for you')).toBeVisible();
  });

  it('shows very many a part at a time', async () => {
    tasks.list = said(
      Array.from({ length: 350 }, (_, i) => ({ ...task, id: `0193-${i}`, title: `Task ${i}`, titled: true }))
    );
    render(TaskList, { line: '' });
    expect(shown()).toHaveLength(100);
    await userEvent.click(screen.getByRole('button', { name: 'Show 100 more' }));
    expect(shown()).toHaveLength(200);
  });
});
