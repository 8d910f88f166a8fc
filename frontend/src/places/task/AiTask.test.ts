import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiEvent, Task as Record_ } from '$lib/api/types';
import { computer } from '$lib/state/computer.svelte';
import { tasks } from '$lib/state/tasks.svelte';
import { announcer } from '$lib/ui/announcer.svelte';
import { report, reset, serve, task } from '../../test/controller';
import Task from './Task.svelte';

beforeEach(() => {
  reset();
  computer.report = report;
});

const usage = { requests: 2, input: 100, output: 50, cost: 86_400 };
const asked: Record_ = {
  ...task,
  kind: 'ai',
  title: 'Sort the letters',
  state: 'running',
  network: 'restricted',
  ai: { model: 'anthropic/x', usage, budget: 2_000_000 }
};
delete asked.chore;
const url = `/api/tasks/${task.id}`;
let seq = 0;
const line = (kind: string, data: unknown) =>
  ({ v: 1, seq: ++seq, time: '2026-01-02T03:04:05Z', task: task.id, kind, data }) as ApiEvent;
const run = line('step', { step: 'run' });
const prompt = line('message', { id: 'u1', role: 'user', text: 'Sort them', how: 'prompt' });

function routes(record: Partial<Record_>, timeline: ApiEvent[]) {
  return {
    [`GET ${url}`]: { ...asked, ...record },
    [`GET ${url}/timeline`]: timeline,
    [`GET ${url}/changes`]: []
  };
}
async function open() {
  render(Task, { id: task.id });
  await screen.findByRole('heading', { level: 1, name: 'Sort the letters' });
  return screen.findByRole('region', { name: 'Conversation' });
}

describe('a conversation', () => {
  it('says what was said and done in words, with everything else one click away', async () => {
    const requests = serve({
      ...routes({}, [
        run,
        prompt,
        line('tool', {
          id: 't1',
          name: 'read',
          verb: 'read',
          target: '/folders/Sea/notes.md',
          state: 'done'
        }),
        line('message', { id: 'a1', role: 'assistant', text: '**Done**', thinking: 'Hm.', raw: 7 })
      ]),
      [`GET ${url}/agent/7`]: { type: 'message_end' }
    });
    const talk = await open();
    expect(within(talk).getByText('Sort them')).toBeVisible();
    expect(within(talk).getByText('Read notes.md')).toBeVisible();
    expect(await within(talk).findByText('Done')).toHaveProperty('tagName', 'STRONG');
    expect(within(talk).getByText('Hm.')).not.toBeVisible();
    expect(screen.getByText('$0.09 of $2.00')).toBeVisible();
    await userEvent.click(within(talk).getByRole('button', { name: 'Show raw event' }));
    expect(await within(talk).findByText(/message_end/)).toBeVisible();
    expect(requests.filter((a) => a.route.endsWith('/agent/7'))).toHaveLength(1);
  });

  it('shows words as they are written, and tells of a message once', async () => {
    const requests = serve(routes({}, [run, prompt]));
    const talk = await open();
    const reads = requests.length;
    tasks.event(line('delta', { id: 'a1', text: 'I look ' }));
    tasks.event(line('delta', { id: 'a1', text: 'at them.' }));
    expect(await within(talk).findByText('I look at them.')).toBeVisible();
    expect(announcer.text).not.toBe('A new answer is there.');
    tasks.event(line('message', { id: 'a1', role: 'assistant', text: 'I looked at them.' }));
    expect(await within(talk).findByText('I looked at them.')).toBeVisible();
    expect(within(talk).queryByText('I look at them.')).toBeNull();
    expect(announcer.text).toBe('A new answer is there.');
    expect(requests).toHaveLength(reads); // nothing was read again for it
  });
});

describe('a person', () => {
  it('steers by Enter, and leaves something for afterwards', async () => {
    const requests = serve({
      ...routes({}, [run, prompt, line('queue', { steering: [], followUp: ['Then count them.'] })]),
      [`POST ${url}/messages`]: asked
    });
    await open();
    expect(screen.getByRole('region', { name: 'Waits to be heard' })).toHaveTextContent('Then count them.');
    const field = screen.getByRole('textbox', { name: 'Tell it something' });
    await userEvent.type(field, 'In German{Shift>}{Enter}{/Shift}please{Enter}');
    await waitFor(() => expect(field).toHaveValue(''));
    await userEvent.click(screen.getByRole('radio', { name: 'When it is done' }));
    await userEvent.type(field, 'Count them{Enter}');
    await waitFor(() => expect(field).toHaveValue(''));
    expect(requests.filter((a) => a.route === `POST ${url}/messages`).map((a) => a.body)).toEqual([
      { text: 'In German\nplease', how: 'steer', detached: true },
      { text: 'Count them', how: 'followUp', detached: true }
    ]);
  });

  it('takes back what it has not heard yet', async () => {
    const ai = {
      model: 'anthropic/x',
      usage,
      pending: [
        { id: 'p1', text: 'In German', how: 'steer' },
        { id: 'p2', text: 'Count them', how: 'followUp' }
      ]
    };
    const requests = serve({
      ...routes({ ai }, [run, prompt, line('queue', { steering: ['In German'], followUp: ['Count them'] })]),
      [`DELETE ${url}/messages/p2`]: { ...asked, ai: { ...ai, pending: ai.pending.slice(0, 1) } }
    });
    await open();
    await userEvent.click(screen.getByRole('button', { name: 'Take back: Count them' }));
    await waitFor(() => expect(requests.at(-1)?.route).toBe(`DELETE ${url}/messages/p2`));
    await waitFor(() => expect(screen.getByRole('textbox', { name: 'Tell it something' })).toHaveFocus());
    expect(screen.queryByRole('button', { name: 'Take back: Count them' })).toBeNull();
    expect(screen.getByRole('button', { name: 'Take back: In German' })).toBeVisible();
  });

  it('stops what it does, and has it go on', async () => {
    const requests = serve({
      ...routes({}, [run, prompt]),
      [`POST ${url}/interrupt`]: { ...asked, state: 'cancelled' },
      [`POST ${url}/resume`]: asked
    });
    await open();
    await userEvent.click(screen.getByRole('button', { name: 'Stop' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Go on' }));
    await waitFor(() => expect(requests.at(-1)?.route).toBe(`POST ${url}/resume`));
    expect(requests.some((a) => a.route.endsWith('/cancel'))).toBe(false);
  });

  it.each([
    ['Never', { answer: 'deny', scope: 'always' }],
    ['This time', { answer: 'allow', scope: 'once' }],
    ['In this task', { answer: 'allow', scope: 'task' }],
    ['Always', { answer: 'allow', scope: 'always' }],
    ['Not now', { answer: 'deny', scope: 'once' }]
  ])('decides about an address: %s', async (name, body) => {
    const question = line('question', {
      id: 'q1',
      task: task.id,
      kind: 'network',
      items: [],
      text: { code: 'network-connect', params: { host: 'example.org', port: 443, pattern: '*.example.org' } }
    });
    const requests = serve({
      ...routes({ state: 'waiting' }, [run, prompt, question]),
      [`POST ${url}/questions/q1`]: { id: 'q1', ...body, by: 'person', time: '' }
    });
    await open();
    expect(await screen.findByText('It wants to reach example.org.')).toBeVisible();
    expect(screen.getByText(/is about \*\.example\.org/)).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name }));
    await waitFor(() =>
      expect(requests.find((a) => a.route === `POST ${url}/questions/q1`)?.body).toEqual(body)
    );
  });

  it.each([
    ['web-fetch', 'address', 'https://example.org/?q=my+name', 'It wants to read a page of example.org.'],
    ['web-search', 'query', 'my name', 'It wants to search the web with example.org.']
  ])('sees all that leaves before the host reads the web: %s', async (code, key, leaves, title) => {
    const params = {
      program: 'piwork',
      host: 'example.org',
      port: 443,
      pattern: 'example.org',
      reason: 'redirect'
    };
    const question = line('question', {
      id: 'q3',
      task: task.id,
      kind: 'network',
      items: [],
      text: { code, params: { ...params, [key]: leaves } }
    });
    serve(routes({ state: 'waiting' }, [run, question]));
    await open();
    const card = await screen.findByRole('region', { name: 'A question before it goes on' });
    expect(card).toHaveTextContent(title);
    expect(card).toHaveTextContent(leaves);
    expect(card).toHaveTextContent('cannot be taken back');
    expect(card).toHaveTextContent('sends it there');
  });

  it('sees a command and what it does before it runs', async () => {
    const question = line('question', {
      id: 'q2',
      task: task.id,
      kind: 'command',
      items: [],
      text: { code: 'agent-command', params: { tool: 'bash', command: 'rm a.txt', effects: ['delete'] } }
    });
    serve(routes({ state: 'waiting' }, [run, question]));
    await open();
    const card = await screen.findByRole('region', { name: 'A question before it goes on' });
    expect(card).toHaveTextContent('rm a.txt');
    expect(card).toHaveTextContent('deletes files');
  });
});
