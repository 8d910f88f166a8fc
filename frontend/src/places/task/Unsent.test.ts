import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { Question, Task } from '$lib/api/types';
import { tasks } from '$lib/state/tasks.svelte';
import { refuse, said, serve, task } from '../../test/controller';
import Composer from './Composer.svelte';
import QuestionCard from './Question.svelte';

const talk: Task = { ...task, kind: 'ai', state: 'running' };
const props = { task: talk, over: false, queue: { steering: [], followUp: [] } };
const say = `POST /v1/tasks/${task.id}/messages`;
const field = () => screen.getByRole('textbox', { name: 'Message' });

describe('what is typed and not sent', () => {
  it('to a task is there after a look at another place, until it is sent', async () => {
    let fine = false;
    serve({ [say]: () => (fine ? talk : refuse({ code: 'internal' })) });
    let { unmount } = render(Composer, props);
    await userEvent.type(field(), 'Sort them by year');
    unmount();
    ({ unmount } = render(Composer, props));
    expect(field()).toHaveValue('Sort them by year');
    await userEvent.click(screen.getByRole('button', { name: 'Send' }));
    await screen.findByRole('alert');
    expect(field()).toHaveValue('Sort them by year');
    fine = true;
    await userEvent.click(screen.getByRole('button', { name: 'Send' }));
    await waitFor(() => expect(field()).toHaveValue(''));
    unmount();
    render(Composer, props);
    expect(field()).toHaveValue('');
  });

  it('while the last message is on its way stays', async () => {
    let arrive: (task: Task) => void = () => undefined;
    serve({ [say]: () => new Promise<Task>((resolve) => (arrive = resolve)) });
    render(Composer, props);
    await userEvent.type(field(), 'One{Enter}');
    await userEvent.type(field(), ' and two');
    arrive(talk);
    await waitFor(() => expect(screen.getByRole('button', { name: 'Send' })).toBeVisible());
    expect(field()).toHaveValue('One and two');
  });

  it('and cannot be sent is there with what hindered it, also for who went elsewhere and came back', async () => {
    let arrive: (answer: unknown) => void = () => undefined;
    const answer = new Promise((resolve) => (arrive = resolve));
    serve({ [say]: () => answer });
    const { unmount } = render(Composer, props);
    await userEvent.type(field(), 'Sort them{Enter}');
    unmount();
    render(Composer, props);
    expect(screen.getByRole('button', { name: 'Sending…' })).toBeVisible();
    arrive(refuse({ code: 'internal' }));
    await screen.findByRole('alert');
    expect(field()).toHaveValue('Sort them');
    await userEvent.type(field(), ' by year');
    expect(field()).toHaveValue('Sort them by year');
  });

  it('goes with its task', async () => {
    serve({ [`DELETE /v1/tasks/${task.id}`]: null });
    const { unmount } = render(Composer, props);
    await userEvent.type(field(), 'Sort them');
    unmount();
    await tasks.remove(task.id);
    render(Composer, props);
    expect(field()).toHaveValue('');
  });

  it('in answer to a question is there again, also when the question is read anew', async () => {
    serve({});
    const question = said<Question>({
      id: 'q1',
      task: task.id,
      kind: 'command',
      items: [],
      input: true,
      text: { code: 'agent-editor', params: { title: 'Which list?', text: 'the ' } }
    });
    const { unmount, rerender } = render(QuestionCard, { question });
    const answer = () => screen.getByRole('textbox', { name: 'Which list?' });
    await userEvent.type(answer(), 'second');
    await rerender({ question: structuredClone(question) });
    expect(answer()).toHaveValue('the second');
    unmount();
    render(QuestionCard, { question });
    expect(answer()).toHaveValue('the second');
  });
});
