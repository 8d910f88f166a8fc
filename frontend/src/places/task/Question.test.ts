import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiEvent, Task as Record_ } from '$lib/api/types';
import { entriesOf } from '$lib/model/timeline';
import { openQuestion } from '$lib/model/question';
import { stageOf } from '$lib/model/stage';
import { computer } from '$lib/state/computer.svelte';
import { tasks } from '$lib/state/tasks.svelte';
import { announcer } from '$lib/ui/announcer.svelte';
import { plan, refuse, report, said, serve, task } from '../../test/controller';
import Task from './Task.svelte';

beforeEach(() => {
  computer.report = report;
});

const url = `/v1/tasks/${task.id}`;
let seq = 0;
const line = (kind: string, data: unknown) =>
  ({ v: 1, seq: ++seq, time: '2026-01-02T03:04:05Z', task: task.id, kind, data }) as ApiEvent;
const decision = (id: string, answer: string, by = 'person') =>
  line('decision', { id, answer, scope: 'task', by, time: '2026-01-02T03:04:05Z' });
const question = {
  id: 'q1',
  task: task.id,
  kind: 'mass-change' as const,
  text: {
    code: 'guard-delete-many',
    params: { topic: 'delete', folder: 'f1', name: 'Sea', count: 3, done: 5, next: 100 }
  },
  items: ['a.jpg', 'b.jpg'],
  scopes: ['once' as const, 'task' as const, 'folder' as const, 'always' as const]
};
const before = [
  line('step', { step: 'plan' }),
  line('plan', plan),
  decision('plan', 'allow'),
  line('step', { step: 'run' })
];
const asked = [...before, line('question', question), line('step', { step: 'accept' })];

function routes(record: Partial<Record_>, timeline: ApiEvent[]) {
  return {
    [`GET ${url}`]: { ...task, ...record },
    [`GET ${url}/plan`]: plan,
    [`GET ${url}/timeline`]: timeline,
    [`GET ${url}/changes`]: []
  };
}

async function open() {
  render(Task, { id: task.id });
  return await screen.findByRole('region', { name: 'The task has a question' });
}

describe('a question about the room for undo', () => {
  it('says how much is kept, and what more would be', async () => {
    const full = {
      ...question,
      kind: 'undo-space' as const,
      text: { code: 'undo-space', params: { topic: 'undo-space', bytes: 10_737_418_240, more: 64_000_000 } },
      items: []
    };
    serve(routes({ state: 'waiting' }, [...before, line('question', full)]));
    const card = await open();
    expect(card).toHaveTextContent('more than undo has space for: 11 GB are used');
    for (const name of ['No more changes', 'Use up to 64 MB more', 'Use as much as needed in this task']) {
      expect(within(card).getByRole('button', { name })).toBeVisible();
    }
  });
});

describe('a question about an archive that grows', () => {
  it('says how much, and a yes is for once', async () => {
    const grows = {
      ...question,
      kind: 'unpack' as const,
      text: { code: 'unpack-grows', params: { count: 1, bytes: 4_200_000, times: 1025 } },
      items: ['a.gz'],
      scopes: ['once' as const]
    };
    const requests = serve({
      ...routes({ state: 'waiting' }, [...before, line('question', grows)]),
      [`POST ${url}/questions/q1`]: {
        id: 'q1',
        answer: 'allow',
        scope: 'once',
        by: 'person',
        time: '2026-01-02T03:04:05Z'
      }
    });
    const card = await open();
    expect(card).toHaveTextContent('become up to 1,025 times as large, 4.2 MB in total');
    expect(card).toHaveTextContent('often made to fill a disk');
    expect(within(card).getByRole('button', { name: 'Skip' })).toBeVisible();
    expect(within(card).queryByRole('button', { name: 'Allow in this task' })).toBeNull();
    await userEvent.click(within(card).getByRole('button', { name: 'Unpack' }));
    expect(requests.filter((r) => r.route.startsWith('POST'))).toEqual([
      { route: `POST ${url}/questions/q1`, body: { answer: 'allow', scope: 'once', seen: 1 } }
    ]);
  });
});

describe('a question in the middle of the work', () => {
  it.each([
    ['Keep my files', { answer: 'deny', seen: 3 }], // as is usual: in this task
    ['Refuse everything else in this task', { answer: 'deny', rest: true, seen: 3 }],
    ['Only 100 more', { answer: 'allow', scope: 'once', seen: 3 }],
    ['Allow deleting in this task', { answer: 'allow', scope: 'task', seen: 3 }]
  ])('says what it is about and is answered with %s', async (button, body) => {
    const requests = serve({
      ...routes({ state: 'waiting' }, asked),
      [`POST ${url}/questions/q1`]: {
        id: 'q1',
        answer: body.answer,
        scope: 'task',
        by: 'person',
        time: '2026-01-02T03:04:05Z'
      }
    });
    const card = await open();
    expect(card).toHaveTextContent('The task has deleted 5 of your files in “Sea” and wants to delete more.');
    expect(within(card).getByRole('list', { name: 'Files' })).toHaveTextContent('a.jpg');
    expect(card).toHaveTextContent('and 1 more file');
    expect(card).toHaveTextContent('undo its changes later');
    expect(announcer.text).toBe('The task has a question.');
    expect(screen.queryByRole('region', { name: 'Plan' })).toBeNull();
    expect(screen.getByRole('button', { name: 'Stop' })).toBeVisible();
    await userEvent.click(within(card).getByRole('button', { name: button }));
    expect(requests.filter((r) => r.route.startsWith('POST'))).toEqual([
      { route: `POST ${url}/questions/q1`, body }
    ]);
  });

  it('is reached and answered with the keyboard alone', async () => {
    const requests = serve({
      ...routes({ state: 'waiting' }, asked),
      [`POST ${url}/questions/q1`]: {
        id: 'q1',
        answer: 'deny',
        scope: 'task',
        by: 'person',
        time: '2026-01-02T03:04:05Z'
      }
    });
    const card = await open();
    const button = within(card).getByRole('button', { name: 'Keep my files' });
    for (let i = 0; i < 40 && document.activeElement !== button; i++) await userEvent.tab();
    expect(button).toHaveFocus();
    await userEvent.keyboard('{Enter}');
    expect(requests.some((r) => r.route === `POST ${url}/questions/q1`)).toBe(true);
  });

  it('shows what hinders an answer, and nothing when somebody else gave it', async () => {
    serve({
      ...routes({ state: 'waiting' }, asked),
      [`POST ${url}/questions/q1`]: refuse({ code: 'audit-failed' }, 422)
    });
    let card = await open();
    await userEvent.click(within(card).getByRole('button', { name: 'Keep my files' }));
    expect(await within(card).findByRole('alert')).toBeVisible();
    serve({
      ...routes({ state: 'running' }, [...asked, decision('q1', 'deny')]),
      [`POST ${url}/questions/q1`]: refuse({ code: 'question-over' }, 409)
    });
    card = screen.getByRole('region', { name: 'The task has a question' });
    await userEvent.click(within(card).getByRole('button', { name: 'Keep my files' }));
    await screen.findByRole('region', { name: 'Working' });
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('the risk of a question', () => {
  const of = (id: string, risk: 'low' | 'high' | undefined, code = 'guard-delete-many') => ({
    ...question,
    id,
    ...(risk ? { risk } : {}),
    text: { ...question.text, code }
  });

  it.each(['high', undefined] as const)(
    'is a sign with words where it is %s, and no is at hand',
    async (risk) => {
      serve(routes({ state: 'waiting' }, [...before, line('question', of('q1', risk))]));
      const card = await open();
      const badge = within(card).getByText(/^High risk/);
      expect(badge).toBeVisible();
      expect(badge.querySelector('svg')).toHaveAttribute('aria-hidden', 'true'); // a shape, beside the words
      const no = within(card).getByRole('button', { name: 'Keep my files' });
      expect(no).toHaveAccessibleDescription(/^High risk\. If you’re not sure, don’t allow it/);
      await waitFor(() => expect(no).toHaveFocus());
      for (const yes of ['Only 100 more', 'Allow deleting in this task'])
        expect(within(card).getByRole('button', { name: yes })).not.toHaveAccessibleDescription();
    }
  );

  it('is no topic where it is low, and the focus stays where it is', async () => {
    serve(routes({ state: 'waiting' }, [...before, line('question', of('q1', 'low', 'guard-change-many'))]));
    const card = await open();
    expect(within(card).queryByText(/^High risk/)).toBeNull();
    const no = within(card).getByRole('button', { name: 'Don’t change them' });
    expect(no).not.toHaveAccessibleDescription();
    expect(card).not.toContainElement(document.activeElement as HTMLElement);
  });

  it('does not take the focus from who is at something else', async () => {
    serve(routes({ state: 'running' }, before));
    render(Task, { id: task.id });
    const stop = await screen.findByRole('button', { name: 'Stop' });
    stop.focus();
    serve(routes({ state: 'waiting' }, [...before, line('question', of('q1', 'high'))]));
    await tasks.read(task.id);
    await screen.findByText(/^High risk/);
    expect(stop).toHaveFocus();
  });

  it('brings the focus from the yes to one question to the no to the next', async () => {
    let timeline = [...before, line('question', of('q1', 'low')), line('question', of('q2', 'high'))];
    const served = {
      ...routes({ state: 'waiting' }, []),
      [`GET ${url}/timeline`]: () => timeline,
      [`POST ${url}/questions/q1`]: () => {
        timeline = [...timeline, decision('q1', 'allow')];
        return { id: 'q1', answer: 'allow', scope: 'task', by: 'person', time: '2026-01-02T03:04:05Z' };
      }
    };
    const requests = serve(served);
    const card = await open();
    expect(within(card).queryByText(/^High risk/)).toBeNull(); // what was asked first stays
    await userEvent.click(within(card).getByRole('button', { name: 'Allow deleting in this task' }));
    await tasks.read(task.id);
    await screen.findByText(/^High risk/);
    await waitFor(() => expect(screen.getByRole('button', { name: 'Keep my files' })).toHaveFocus());
    expect(requests.filter((r) => r.route.startsWith('POST'))).toHaveLength(1);
  });
});

describe('the model of questions', () => {
  it('knows which one is open', () => {
    const waiting = { ...task, state: 'waiting' as const };
    expect(openQuestion(waiting, asked)).toEqual(question);
    expect(openQuestion({ ...task, state: 'running' }, asked)).toBeUndefined();
    expect(openQuestion(waiting, [...asked, decision('q1', 'deny')])).toBeUndefined();
    expect(openQuestion(waiting, before)).toBeUndefined();
    // Of several the first stays until it is decided, also while it grows.
    const second = line('question', { ...question, id: 'q2' });
    const grown = line('question', { ...question, items: ['a.jpg', 'b.jpg', 'c.jpg'] });
    expect(openQuestion(waiting, [...asked, second])?.id).toBe('q1');
    expect(openQuestion(waiting, [...asked, second, grown])).toMatchObject({
      id: 'q1',
      items: { length: 3 }
    });
    expect(openQuestion(waiting, [...asked, second, decision('q1', 'allow')])?.id).toBe('q2');
    // A task that goes on later begins its ids anew, and what it asked before is over.
    const anew = [...asked, second, decision('q1', 'deny'), line('state', { state: 'failed' })];
    expect(openQuestion(waiting, anew)).toBeUndefined();
    expect(openQuestion(waiting, [...anew, line('question', question)])?.id).toBe('q1');
    expect(stageOf(waiting, asked)).toBe('working');
  });

  it('is told in the timeline, with who decided', () => {
    const timeline = [...asked, decision('q1', 'deny', 'default'), decision('r', 'allow', 'rule')];
    const list = entriesOf(said(timeline));
    expect(list.map((entry) => entry.kind)).toEqual([
      'step',
      'plan',
      'decision',
      'step',
      'question',
      'decision',
      'decision'
    ]);
    expect(list.at(-2)?.said).toBe('Not allowed because nobody answered');
    expect(list.at(-1)?.said).toBe('Allowed by an earlier decision');
  });
});
