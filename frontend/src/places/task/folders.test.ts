import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { Question, Task } from '$lib/api/types';
import { takesFolders } from '$lib/model/folders';
import { refuse, said, serve, task } from '../../test/controller';
import QuestionCard from './Question.svelte';
import TaskFolders from './TaskFolders.svelte';

const letters = { id: 'f2', path: '/home/kim/Letters', name: 'Letters', mode: 'rw' as const };
const program: Task = { ...task, kind: 'exec', state: 'running', folders: [letters] };
delete program.chore;

describe('the folders of a task', () => {
  it('are fixed for a chore, for a tool, and when it is over', () => {
    expect(takesFolders(program)).toBe(true);
    expect(takesFolders({ ...program, state: 'done' })).toBe(false);
    expect(takesFolders({ ...program, kind: 'ai', chore: 'summarise-notes' })).toBe(false);
    expect(takesFolders({ ...program, kind: 'tool' })).toBe(false);
    render(TaskFolders, {
      task: { ...program, state: 'done', folders: [{ ...letters, removed: program.created }] }
    });
    expect(screen.getByText(/^\(removed/)).toBeVisible();
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('are added by hand where there is no dialog, with what may happen in them', async () => {
    const url = `POST /v1/tasks/${task.id}/folders`;
    const asked = serve({ [url]: program });
    render(TaskFolders, { task: { ...program, folders: [] } });
    expect(screen.getByText('none')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Add a folder' }));
    await userEvent.type(screen.getByRole('textbox', { name: 'Folder to add' }), '/home/kim/Letters{Enter}');
    expect(asked).toHaveLength(0);
    expect(screen.getByRole('radio', { checked: true })).toHaveAttribute('value', 'ro');
    await userEvent.click(screen.getByRole('radio', { name: 'Review first' }));
    await userEvent.click(screen.getByRole('button', { name: 'Add Letters' }));
    await waitFor(() =>
      expect(asked[0]).toEqual({ route: url, body: { path: '/home/kim/Letters', mode: 'review' } })
    );
  });

  it('are removed after it was said what that means; a failure is said', async () => {
    const url = `DELETE /v1/tasks/${task.id}/folders/f2`;
    const asked = serve({ [url]: refuse({ code: 'folders-fixed', cause: 'over' }, 409) });
    render(TaskFolders, { task: program });
    await userEvent.click(screen.getByRole('button', { name: 'Remove Letters' }));
    expect(screen.getByText(/you can undo them/)).toBeVisible();
    expect(asked).toHaveLength(0);
    await userEvent.click(screen.getByRole('button', { name: 'Remove Letters' }));
    expect(await screen.findByText(/The task is over/)).toBeVisible();
    expect(asked[0]?.route).toBe(url);
  });
});

describe('an AI that asks for a folder', () => {
  const question: Question = {
    id: 'q1',
    task: task.id,
    kind: 'folder',
    items: [],
    input: true,
    text: { code: 'agent-folder', params: { reason: 'For the letters', suggested: '~/Letters' } }
  };
  const url = `POST /v1/tasks/${task.id}/questions/q1`;
  const decision = { id: 'q1', answer: 'allow', scope: 'once', by: 'person', time: '' };

  it('gets the one that the person chooses; one that cannot be is said, and another one chosen', async () => {
    let first = true;
    const asked = serve({
      [url]: () => {
        if (!first) return decision;
        first = false;
        return refuse({ code: 'folder-overlap' });
      }
    });
    render(QuestionCard, { question: said(question) });
    expect(screen.getByText('For the letters').closest('blockquote')).not.toBeNull();
    for (const path of ['/home/kim', '/home/kim/Letters']) {
      const choose = screen.queryByRole('button', { name: 'Choose a folder' });
      if (choose) await userEvent.click(choose);
      await userEvent.type(screen.getByRole('textbox', { name: 'Folder' }), `${path}{Enter}`);
      await userEvent.click(screen.getByRole('button', { name: 'Give access to this folder' }));
      if (path === '/home/kim') expect(await screen.findByText('One folder is inside another')).toBeVisible();
    }
    await waitFor(() =>
      expect(asked.filter(({ route }) => route === url).at(-1)?.body).toEqual({
        answer: 'allow',
        scope: 'once',
        text: '/home/kim/Letters'
      })
    );
  });

  it('hears no', async () => {
    const asked = serve({ [url]: decision });
    render(QuestionCard, { question: said(question) });
    await userEvent.click(screen.getByRole('button', { name: 'Don’t give a folder' }));
    await waitFor(() => expect(asked[0]?.body).toEqual({ answer: 'deny' }));
  });
});
