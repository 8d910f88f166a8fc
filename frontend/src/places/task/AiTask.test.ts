import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { tick } from 'svelte';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiEvent, Task as Record_ } from '$lib/api/types';
import { computer } from '$lib/state/computer.svelte';
import { overlay } from '$lib/state/overlay.svelte';
import { tasks } from '$lib/state/tasks.svelte';
import { announcer } from '$lib/ui/announcer.svelte';
import { refuse, report, said, serve, task } from '../../test/controller';
import Task from './Task.svelte';

beforeEach(() => {
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
const url = `/v1/tasks/${task.id}`;
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
    expect(within(talk).getByText('Read Sea/notes.md')).toBeVisible();
    expect(await within(talk).findByText('Done')).toHaveProperty('tagName', 'STRONG');
    expect(within(talk).getByText('Hm.')).not.toBeVisible();
    expect(screen.getByText('$0.09 of $2.00')).toBeVisible();
    await userEvent.click(within(talk).getByRole('button', { name: 'Show technical details' }));
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
    expect(announcer.text).not.toBe('New answer.');
    tasks.event(line('message', { id: 'a1', role: 'assistant', text: 'I looked at them.' }));
    expect(await within(talk).findByText('I looked at them.')).toBeVisible();
    expect(within(talk).queryByText('I look at them.')).toBeNull();
    expect(announcer.text).toBe('New answer.');
    expect(requests).toHaveLength(reads); // nothing was read again for it
  });

  it('shows what MCP servers asked of services for it', async () => {
    const one = { service: 'github', method: 'GET', host: 'api.github.com', path: '/user', allowed: true };
    serve({
      ...routes({ ai: { model: 'anthropic/x', usage, servers: true } }, [run, prompt]),
      [`GET ${url}/requests`]: {
        list: [{ ...one, status: 200, count: 1, sent: 0, received: 9, last: task.created }]
      }
    });
    await open();
    expect(await screen.findByText('GET api.github.com/user')).toBeInTheDocument();
  });
});

describe('a person', () => {
  it('steers by Enter, and leaves something for afterwards', async () => {
    const requests = serve({
      ...routes({}, [run, prompt, line('queue', { steering: [], followUp: ['Then count them.'] })]),
      [`POST ${url}/messages`]: asked
    });
    await open();
    expect(screen.getByRole('region', { name: 'Queued' })).toHaveTextContent('Then count them.');
    const field = screen.getByRole('textbox', { name: 'Message' });
    await userEvent.type(field, 'In German{Shift>}{Enter}{/Shift}please{Enter}');
    await waitFor(() => expect(field).toHaveValue(''));
    await userEvent.click(screen.getByRole('radio', { name: 'When it’s done' }));
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
    await userEvent.click(screen.getByRole('button', { name: 'Withdraw: Count them' }));
    await waitFor(() => expect(requests.at(-1)?.route).toBe(`DELETE ${url}/messages/p2`));
    await waitFor(() => expect(screen.getByRole('textbox', { name: 'Message' })).toHaveFocus());
    expect(screen.queryByRole('button', { name: 'Withdraw: Count them' })).toBeNull();
    expect(screen.getByRole('button', { name: 'Withdraw: In German' })).toBeVisible();
  });

  it('gives it another model while it works, of the same service', async () => {
    const list = ['anthropic/x', 'anthropic/y', 'here/z'].map((id) => ({
      id,
      name: id.replace(/.*\//, 'Model '),
      provider: id.replace(/\/.*/, '')
    }));
    let refused = true;
    const requests = serve({
      ...routes({}, [run, prompt]),
      'GET /v1/models': { default: 'anthropic/x', chosen: false, list },
      [`PUT ${url}/model`]: () =>
        refused
          ? refuse({ code: 'unknown-model' })
          : { ...asked, ai: { ...asked.ai, model: 'anthropic/y', thinking: 'high' } }
    });
    const talk = await open();
    await userEvent.click(await screen.findByRole('button', { name: 'Change model' }));
    const form = within(await screen.findByRole('group', { name: 'Model of this task' }));
    const choice = form.getByRole('combobox', { name: 'Model' });
    await waitFor(() => expect(choice).toHaveFocus());
    expect(
      form
        .getAllByRole('option')
        .slice(0, 2)
        .map((option) => option.textContent)
    ).toEqual(['Model x', 'Model y']);
    expect(choice).toHaveAccessibleDescription(
      'You can choose models of other services when the task is over.'
    );
    expect(form.getByText(/next answer on\. The spending limit of \$2\.00 stays/)).toBeVisible();
    await userEvent.click(form.getByRole('button', { name: 'Apply' })); // nothing was chosen
    await userEvent.selectOptions(choice, 'Model y');
    await userEvent.selectOptions(form.getByRole('combobox', { name: 'Thinking time' }), 'Long');
    await userEvent.click(form.getByRole('button', { name: 'Apply' }));
    expect(await form.findByRole('alert')).toHaveTextContent('There is no key for this model');
    refused = false;
    await userEvent.click(form.getByRole('button', { name: 'Apply' }));
    await waitFor(() => expect(screen.getByRole('button', { name: 'Change model' })).toHaveFocus());
    expect(requests.filter((a) => a.route === `PUT ${url}/model`).map((a) => a.body)).toEqual(
      Array(2).fill({ model: 'anthropic/y', thinking: 'high' })
    );
    expect(screen.getByText(/Model y/)).toBeVisible();
    expect(announcer.text).toBe('Used from the next answer on.');
    tasks.event(line('notice', { code: 'model', params: { model: 'anthropic/y' } }));
    expect(await within(talk).findByText('Continuing with Model y.')).toBeVisible();
    // The record is read again: it may have been changed in another window.
    await waitFor(() => expect(requests.at(-1)?.route).toBe(`GET ${url}`));
  });

  it('keeps what was being chosen when the window becomes wide, and forgets it with the task', async () => {
    const wide = Object.assign(new EventTarget(), { matches: false, media: '', onchange: null });
    const other = Object.assign(new EventTarget(), { matches: false, media: '', onchange: null });
    vi.stubGlobal('matchMedia', (query: string) => (query.includes('70rem') ? wide : other));
    const become = (matches: boolean) => {
      wide.matches = matches;
      wide.dispatchEvent(new Event('change'));
    };
    const list = ['x', 'y'].map((id) => ({
      id: `anthropic/${id}`,
      name: `Model ${id}`,
      provider: 'anthropic'
    }));
    serve({
      ...routes({}, [run, prompt]),
      'GET /v1/models': { default: 'anthropic/x', chosen: false, list },
      [`PUT ${url}/model`]: refuse({ code: 'unknown-model' })
    });
    const { unmount } = render(Task, { id: task.id });
    await userEvent.click(await screen.findByRole('button', { name: 'Change model' }));
    const before = await screen.findByRole('combobox', { name: 'Model' });
    await userEvent.selectOptions(before, 'Model y');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Thinking time' }), 'Long');
    await userEvent.click(screen.getByRole('button', { name: 'Apply' }));
    await screen.findByRole('alert');
    for (const matches of [true, false, true]) {
      become(matches);
      await waitFor(() => expect(before).not.toBeInTheDocument());
      expect(screen.getByRole('combobox', { name: 'Model' })).toHaveDisplayValue('Model y');
      expect(screen.getByRole('combobox', { name: 'Thinking time' })).toHaveDisplayValue('Long');
      expect(screen.getByRole('alert')).toHaveTextContent('There is no key for this model');
      const side = screen.queryByRole('region', { name: 'Usage' });
      if (matches) expect(side).toContainElement(screen.getByRole('combobox', { name: 'Model' }));
    }
    // Who writes meanwhile goes on writing.
    const composer = screen.getByRole('textbox', { name: 'Message' });
    composer.focus();
    become(false);
    await waitFor(() => expect(screen.getAllByRole('combobox', { name: 'Model' })).toHaveLength(1));
    await tick();
    expect(composer).toHaveFocus();
    unmount();
    await waitFor(() => expect(overlay.tuning).toBeUndefined());
  });

  it('leaves the model as it is by Escape', async () => {
    const requests = serve({
      ...routes({ state: 'done' }, [run, prompt]),
      'GET /v1/models': { default: '', chosen: false, list: [] }
    });
    await open();
    await userEvent.click(await screen.findByRole('button', { name: 'Change model' }));
    await waitFor(() => expect(screen.getByRole('combobox', { name: 'Model' })).toHaveFocus());
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(screen.getByRole('button', { name: 'Change model' })).toHaveFocus());
    expect(requests.some((a) => a.route.startsWith('PUT'))).toBe(false);
  });

  it('has earlier messages summarised when it is over, and only then', async () => {
    let refused = true;
    const requests = serve({
      ...routes({ state: 'done' }, [run, prompt]),
      [`POST ${url}/compact`]: () =>
        refused ? refuse({ code: 'task-running' }, 409) : { ...asked, state: 'queued' }
    });
    const talk = await open();
    const summarise = screen.getByRole('button', { name: 'Summarise earlier messages' });
    expect(summarise).toHaveAccessibleDescription(/^The model writes a summary/);
    await userEvent.click(summarise);
    expect(await screen.findByRole('alert')).toHaveTextContent('The task is still running');
    refused = false;
    await userEvent.click(summarise);
    await waitFor(() => expect(summarise).not.toBeInTheDocument());
    expect(screen.queryByRole('alert')).toBeNull();
    expect(requests.filter((a) => a.route === `POST ${url}/compact`)).toHaveLength(2);
    tasks.event(said(line('notice', { code: 'short' })));
    expect(await within(talk).findByText(/conversation is short/)).toBeVisible();
  });

  it('stops what it does, and has it go on', async () => {
    const requests = serve({
      ...routes({}, [run, prompt]),
      [`POST ${url}/interrupt`]: { ...asked, state: 'cancelled' },
      [`POST ${url}/resume`]: asked
    });
    await open();
    await userEvent.click(screen.getByRole('button', { name: 'Stop' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(requests.at(-1)?.route).toBe(`POST ${url}/resume`));
    expect(requests.some((a) => a.route.endsWith('/cancel'))).toBe(false);
  });

  it.each([
    ['Never allow', { answer: 'deny', scope: 'always' }],
    ['Allow this time', { answer: 'allow', scope: 'once' }],
    ['Allow in this task', { answer: 'allow', scope: 'task' }],
    ['Always allow', { answer: 'allow', scope: 'always' }],
    ['Don’t allow', { answer: 'deny' }], // as is usual: this time
    ['Refuse everything else in this task', { answer: 'deny', rest: true }]
  ])('decides about an address: %s', async (name, body) => {
    const question = line('question', {
      id: 'q1',
      task: task.id,
      kind: 'network',
      items: [],
      scopes: ['once', 'task', 'always'],
      text: {
        code: 'network-connect',
        params: { host: 'example.org', port: 443, pattern: '*.example.org', claimedProgram: '<b>npm' }
      }
    });
    const requests = serve({
      ...routes({ state: 'waiting' }, [run, prompt, question]),
      [`POST ${url}/questions/q1`]: { id: 'q1', ...body, by: 'person', time: '' }
    });
    await open();
    const card = await screen.findByRole('region', { name: 'The task has a question' });
    expect(card).toHaveTextContent('The task wants to connect to example.org.');
    expect(screen.getByText(/longer answer covers \*\.example\.org/)).toBeVisible();
    expect(screen.getByText('Requested by “<b>npm” (not verified)')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name }));
    await waitFor(() =>
      expect(requests.find((a) => a.route === `POST ${url}/questions/q1`)?.body).toEqual(body)
    );
  });

  it.each([
    [
      'web-fetch',
      'address',
      'https://example.org/?q=my+name',
      'The task wants to read a page of example.org.'
    ],
    ['web-search', 'query', 'my name', 'The task wants to search the web with example.org.']
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
    const card = await screen.findByRole('region', { name: 'The task has a question' });
    expect(card).toHaveTextContent(title);
    expect(card).toHaveTextContent(leaves);
    expect(card).toHaveTextContent('can’t be taken back');
    expect(card).toHaveTextContent('redirects there');
    expect(within(card).getByRole('button', { name: 'Allow this time' })).toBeVisible();
    expect(within(card).queryByRole('button', { name: 'Allow in this task' })).toBeNull(); // not offered
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
    const card = await screen.findByRole('region', { name: 'The task has a question' });
    expect(card).toHaveTextContent('rm a.txt');
    expect(card).toHaveTextContent('The command can delete files');
  });
});
