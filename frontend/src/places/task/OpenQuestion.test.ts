import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { Question } from '$lib/api/types';
import { said, serve, task } from '../../test/controller';
import Loosened from './Loosened.svelte';
import QuestionCard from './Question.svelte';

const question: Question = {
  id: 'q1',
  task: task.id,
  kind: 'command',
  items: [],
  text: { code: 'agent-select', params: { title: 'Which list?' } }
};
const url = `POST /v1/tasks/${task.id}/questions/q1`;
const decision = { id: 'q1', answer: 'allow', scope: 'once', by: 'person', time: '' };

describe('what a part of the AI program asks', () => {
  it('is answered by one of its choices, and by none before one is chosen', async () => {
    const asked = serve({ [url]: decision });
    render(QuestionCard, {
      question: said({ ...question, choices: [{ label: 'Old' }, { label: 'New' }] })
    });
    expect(screen.getByRole('group', { name: 'Which list?' })).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Send answer' }));
    expect(asked).toHaveLength(0);
    await userEvent.click(screen.getByRole('radio', { name: 'New' }));
    await userEvent.click(screen.getByRole('button', { name: 'Send answer' }));
    await waitFor(() =>
      expect(asked[0]).toEqual({ route: url, body: { answer: 'allow', scope: 'once', choice: 1 } })
    );
  });

  it('is quoted, never a heading of the window, and everything else can be refused', async () => {
    const asked = serve({ [url]: decision });
    const title = 'piwork asks: your password?';
    render(QuestionCard, {
      question: said({ ...question, input: true, text: { code: 'agent-input', params: { title } } })
    });
    expect(screen.getByText(title).closest('blockquote')).not.toBeNull();
    expect(screen.getByText('An extension of the AI program asks:')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Refuse everything else in this task' }));
    await waitFor(() => expect(asked[0]?.body).toEqual({ answer: 'deny', rest: true }));
  });

  it('is answered in words, or not at all', async () => {
    const asked = serve({ [url]: decision });
    const words = { code: 'agent-editor', params: { title: 'Which list?', text: 'the ' } };
    render(QuestionCard, { question: said({ ...question, input: true, text: words }) });
    await userEvent.type(
      screen.getByRole('textbox', { name: 'Which list?' }),
      'second{Control>}{Enter}{/Control}'
    );
    await waitFor(() =>
      expect(asked[0]?.body).toEqual({ answer: 'allow', scope: 'once', text: 'the second' })
    );
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Don’t answer' })).not.toHaveAttribute('aria-disabled')
    );
    await userEvent.click(screen.getByRole('button', { name: 'Don’t answer' }));
    await waitFor(() =>
      expect(asked.filter((a) => a.route === url).at(-1)?.body).toEqual({ answer: 'deny' })
    );
  });
});

describe('what was allowed beyond the usual', () => {
  it('is said, shown by a click, and taken back', async () => {
    const created = '2026-01-02T03:04:05Z';
    let rules = [
      { id: 'r1', topic: 'network/example.org', answer: 'allow', created },
      { id: 'r2', topic: 'change', answer: 'allow', folder: '/elsewhere', created },
      { id: 'r3', topic: 'hidden', answer: 'deny', created }
    ];
    const asked = serve({
      'GET /v1/rules': () => rules,
      'DELETE /v1/rules/r1': () => {
        rules = rules.slice(1);
        return null;
      }
    });
    render(Loosened, { task: { ...task, loosened: ['allowed-always', 'brand-new'] } });
    expect(screen.getByText('The task can do what you always allow.')).toBeVisible();
    expect(screen.getByText('The task has another permission from you.')).toBeVisible();
    await userEvent.click(screen.getByText('Permissions of this task'));
    await userEvent.click(
      await screen.findByRole('button', { name: 'Revoke: Tasks can connect to example.org, everywhere' })
    );
    await screen.findByText(/has no extra permissions/);
    expect(asked.map((a) => a.route)).toContain('DELETE /v1/rules/r1');
  });

  it('is no topic where there is none', () => {
    const { container } = render(Loosened, { task });
    expect(container.querySelector('section')).toBeNull();
  });
});
