import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiEvent, Change, Task as Record_ } from '$lib/api/types';
import { computer } from '$lib/state/computer.svelte';
import { draft } from '$lib/state/draft.svelte';
import { tasks } from '$lib/state/tasks.svelte';
import { announcer } from '$lib/ui/announcer.svelte';
import { broken, chore, plan, refuse, report, serve, task } from '../../test/controller';
import Task from './Task.svelte';

beforeEach(() => {
  computer.report = report;
  tasks.chores = [chore];
});

const url = `/v1/tasks/${task.id}`;
let seq = 0;
const line = (kind: string, data: unknown) =>
  ({ v: 1, seq: ++seq, time: '2026-01-02T03:04:05Z', task: task.id, kind, data }) as ApiEvent;
const step = (name: string) => line('step', { step: name });
const agreed = line('decision', {
  id: 'plan',
  answer: 'allow',
  scope: 'task',
  by: 'person',
  time: '2026-01-02T03:04:05Z'
});

function routes(record: Partial<Record_>, timeline: ApiEvent[], changes: Change[] = []) {
  return {
    [`GET ${url}`]: { ...task, ...record },
    [`GET ${url}/plan`]: plan,
    [`GET ${url}/timeline`]: timeline,
    [`GET ${url}/changes`]: changes
  };
}
const created: Change = { id: 'c1', folder: 'f1', path: 'Pictures.pdf', effect: 'create' };
const deleted: Change = { id: 'c2', folder: 'f1', path: 'old.txt', effect: 'delete' };
const result = { folder: 'f1', path: 'Pictures.pdf', size: 1_234_567 };

async function open() {
  render(Task, { id: task.id });
  await screen.findByRole('heading', { level: 1, name: 'Sea → PDF' });
}
const stage = () =>
  screen.getByRole('list', { name: 'Progress of this task' }).querySelector('[aria-current=step]');

describe('a plan', () => {
  const timeline = [step('plan'), line('plan', plan), step('accept')];

  it('can be read in ten seconds and is carried out by a button that says what it does', async () => {
    const asked = serve({
      ...routes({ state: 'waiting' }, timeline),
      [`POST ${url}/accept`]: { ...task, state: 'running' }
    });
    await open();
    const card = await screen.findByRole('region', { name: 'Plan' });
    expect(card).toHaveTextContent('2 pictures → 1 PDF');
    expect(card).toHaveTextContent('Your existing files won’t be changed, moved or deleted.');
    expect(within(card).getByRole('list', { name: 'Creates' })).toHaveTextContent('Pictures.pdf');
    expect(within(card).getByRole('list', { name: 'Skipped' })).toHaveTextContent('torn.jpg is damaged');
    expect(within(card).getByText('Reads 2 files, 3 MB')).toBeVisible();
    expect(stage()).toHaveTextContent('Plan');
    expect(announcer.text).toBe('The plan is ready.');
    await userEvent.click(screen.getByRole('button', { name: 'Create PDF' }));
    expect(asked.filter((a) => a.route.startsWith('POST'))).toEqual([
      { route: `POST ${url}/accept`, body: undefined }
    ]);
  });

  it('says what is downloaded for it', async () => {
    const note = '3 of these files (40 MB) are only online. piwork downloads those that are read.';
    const online = { ...plan, online: { files: 3, bytes: 40e6, note } };
    serve({
      ...routes({ state: 'waiting' }, [step('plan'), line('plan', online), step('accept')]),
      [`GET ${url}/plan`]: online
    });
    await open();
    expect(await screen.findByRole('region', { name: 'Plan' })).toHaveTextContent(note);
  });

  it('can be refused', async () => {
    const asked = serve({
      ...routes({ state: 'waiting' }, timeline),
      [`POST ${url}/cancel`]: { ...task, state: 'cancelled' }
    });
    await open();
    await userEvent.click(await screen.findByRole('button', { name: 'Not now' }));
    expect(asked.some((a) => a.route === `POST ${url}/cancel`)).toBe(true);
  });

  it('has a name of its own until the work that was agreed to begins', async () => {
    serve(routes({ state: 'running' }, timeline));
    await open();
    expect(await screen.findByRole('region', { name: 'Plan' })).toHaveTextContent('2 pictures → 1 PDF');
    expect(screen.getByRole('region', { name: 'Working' })).toBeVisible();
  });

  it('says when it is too late', async () => {
    serve({
      ...routes({ state: 'waiting' }, timeline),
      [`POST ${url}/accept`]: refuse({ code: 'task-not-waiting' }, 409)
    });
    await open();
    await userEvent.click(await screen.findByRole('button', { name: 'Create PDF' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('no longer waits for an answer');
  });
});

describe('work', () => {
  const timeline = [step('plan'), line('plan', plan), step('accept'), agreed, step('run'), step('mount')];

  it('shows how far it is, what it works on, and can be stopped', async () => {
    const asked = serve({
      ...routes({ state: 'running' }, timeline),
      [`POST ${url}/cancel`]: { ...task, state: 'cancelled' }
    });
    await open();
    await waitFor(() => expect(stage()).toHaveTextContent('Working'));
    tasks.event(line('progress', { done: 1, total: 2, item: '/folders/Sea/a.jpg' }));
    const bar = await screen.findByRole('progressbar');
    expect(bar).toHaveAttribute('aria-valuetext', '1 of 2 pictures');
    expect(screen.getByText('Now: a.jpg')).toBeVisible();
    expect(screen.queryByText(/left|almost done/)).toBeNull(); // nobody knows
    tasks.event(line('progress', { done: 1, total: 2, bytes: 3_000_000, totalBytes: 9_000_000, eta: 120 }));
    expect(await screen.findByText(/^3 MB of 9 MB · .* so far · about 2 minutes left$/)).toBeVisible();
    expect(screen.getByText('No results yet.')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Stop' }));
    expect(asked.some((a) => a.route === `POST ${url}/cancel`)).toBe(true);
  });

  it('follows events by reading the record again', async () => {
    const answers = routes({ state: 'running' }, timeline);
    serve(answers);
    await open();
    await waitFor(() => expect(stage()).toHaveTextContent('Working'));
    serve(routes({ state: 'done', results: [result] }, timeline, [created]));
    tasks.event(line('state', { state: 'done' }));
    expect(await screen.findByText('2 pictures → 1 PDF')).toBeVisible();
    expect(announcer.text).toBe('Done. 1 file created.');
  });

  it('does not count files while it only looks', async () => {
    serve(routes({ state: 'running' }, [step('plan'), step('mount')]));
    await open();
    await waitFor(() => expect(tasks.live.get(task.id)?.step).toBe('mount'));
    tasks.event(line('progress', { done: 3, total: 24, item: '' }));
    expect(await screen.findByRole('progressbar')).toHaveAttribute('aria-valuetext', 'Reading the folder');
  });
});

describe('the end', () => {
  const timeline = [
    step('plan'),
    line('plan', plan),
    agreed,
    step('run'),
    line('result', result),
    line('state', { state: 'done' })
  ];
  const done = {
    state: 'done' as const,
    results: [result],
    problems: [broken],
    ended: '2026-01-02T03:05:05Z'
  };

  it('lists what came out, what was left out and what changed', async () => {
    serve(routes(done, timeline, [created, deleted]));
    await open();
    const changes = await screen.findByRole('region', { name: /^Changes/ });
    await waitFor(() => expect(changes).toHaveTextContent('1 deleted, 1 new'));
    expect(screen.getByRole('region', { name: 'Results' })).toHaveTextContent('Pictures.pdf 1.2 MB · in Sea');
    expect(screen.getByRole('region', { name: '1 file was skipped' })).toHaveTextContent(
      'torn.jpg is damaged'
    );
    expect(screen.getByText('Created “Pictures.pdf”')).toBeVisible();
    expect(screen.getByRole('region', { name: 'Access' })).toHaveTextContent('/home/anna/Sea');
  });

  it('says of changes that wait that they do', async () => {
    serve({
      ...routes(
        { state: 'done' },
        [step('run'), line('state', { state: 'done' })],
        [{ ...deleted, staged: true }]
      ),
      [`GET ${url}/plan`]: { ...plan, summary: undefined }
    });
    await open();
    expect(await screen.findByText('1 change to review')).toBeVisible();
  });

  it('puts everything back', async () => {
    const answers = routes(done, timeline, [created]);
    const asked = serve({
      ...answers,
      [`POST ${url}/undo`]: () => {
        answers[`GET ${url}/changes`] = [{ ...created, undone: '2026-01-02T03:06:00Z' }];
        serve(answers);
        return { undone: [created], conflicts: [] };
      }
    });
    await open();
    await userEvent.click(await screen.findByRole('button', { name: 'Undo everything' }));
    expect(asked.find((a) => a.route === `POST ${url}/undo`)?.body).toEqual({ ids: [created.id] });
    expect(await screen.findByText('1 change undone.')).toBeVisible();
    expect(screen.getByText('All changes are undone.')).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Undo everything' })).toBeNull();
    expect(screen.getByText('Undone: the created files were removed.')).toBeVisible();
  });

  it('is deleted although its undo waits for a folder, when the person knows what is lost', async () => {
    const asked: string[] = [];
    serve({
      ...routes(done, timeline, [created]),
      [`DELETE ${url}`]: (_: unknown, request: Request) => {
        const { search } = new URL(request.url);
        asked.push(search);
        return search
          ? null
          : refuse(
              {
                code: 'undo-waits',
                cause: 'missing',
                params: { path: '/media/kim/Photos', task: task.id },
                fix: [{ kind: 'action', code: 'delete-anyway' }]
              },
              409
            );
      }
    });
    await open();
    await userEvent.click(await screen.findByRole('button', { name: 'Delete task' }));
    await userEvent.click(
      within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' })
    );
    const card = await screen.findByRole('alert');
    expect(card).toHaveTextContent(/An undo or redo isn’t finished: .*Photos.* doesn’t exist/);
    expect(card).toHaveTextContent(/Connect the drive.*lost for good, you can delete anyway/);
    await userEvent.click(within(card).getByRole('button', { name: 'Delete anyway' }));
    const dialog = await screen.findByRole('alertdialog', { name: /anyway\?$/ });
    expect(dialog).toHaveTextContent(/half undone/);
    expect(asked).toEqual(['']);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete anyway' }));
    await waitFor(() => expect(asked).toEqual(['', '?abandonUndo=true']));
    await waitFor(() => expect(tasks.get(task.id)).toBeUndefined());
  });

  it('is kept as a chore of one’s own', async () => {
    const asked = serve({
      ...routes(done, timeline, [created]),
      'POST /v1/saved': { id: 's1', name: 'My pictures', chore: 'pictures-to-pdf', params: {}, folders: [] }
    });
    await open();
    await userEvent.click(await screen.findByRole('button', { name: 'Save for next time' }));
    const name = screen.getByLabelText('Name');
    await userEvent.clear(name);
    await userEvent.type(name, 'My pictures');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(asked.find((a) => a.route === 'POST /v1/saved')?.body).toEqual({
        name: 'My pictures',
        task: task.id
      })
    );
  });

  it('puts one change back', async () => {
    const asked = serve({
      ...routes(done, timeline, [created, deleted]),
      [`POST ${url}/undo`]: { undone: [deleted], conflicts: [] }
    });
    await open();
    await userEvent.click(await screen.findByRole('button', { name: 'Undo old.txt' }));
    expect(asked.find((a) => a.route === `POST ${url}/undo`)?.body).toEqual({ ids: ['c2'] });
  });

  it('says what was left alone, and why', async () => {
    serve({
      ...routes(done, timeline, [created]),
      [`POST ${url}/undo`]: { undone: [], conflicts: [{ change: created, reason: 'changed-since' }] }
    });
    await open();
    await userEvent.click(await screen.findByRole('button', { name: 'Undo everything' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('Pictures.pdf: changed since then');
  });

  it('goes on with what was agreed to', async () => {
    const interrupted = { code: 'interrupted', severity: 'error' as const, cause: 'interrupted', fix: [] };
    const broken = [...timeline.slice(0, 4), line('state', { state: 'failed', error: interrupted })];
    const asked = serve({
      ...routes({ state: 'failed', error: interrupted }, broken),
      [`POST ${url}/resume`]: { ...task, state: 'queued' }
    });
    tasks.chores = [{ name: task.chore ?? '', params: [], effects: ['create'], needs: [] }];
    await open();
    await userEvent.click(await screen.findByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(asked.some((a) => a.route.startsWith(`POST ${url}/resume`))).toBe(true));
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull());
  });

  it('has nothing to go on with where nobody agreed', async () => {
    serve(
      routes(
        { state: 'cancelled', error: { code: 'cancelled', severity: 'error', cause: 'person', fix: [] } },
        [step('plan')]
      )
    );
    tasks.chores = [{ name: task.chore ?? '', params: [], effects: ['create'], needs: [] }];
    await open();
    await screen.findByText('You stopped this task');
    expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull();
  });

  it.each([
    ['start-again', 'Start again', { detached: true }],
    ['start-elsewhere', 'Start in a workroom', { detached: true, runtime: 'vm' }]
  ])('says what went wrong and starts the same again: %s', async (code, title, body) => {
    const asked = serve({
      ...routes(
        {
          state: 'failed',
          error: {
            code: 'disk-full',
            severity: 'error',
            cause: '',
            fix: [{ kind: 'action', code, title }]
          }
        },
        [step('plan')]
      ),
      [`POST ${url}/again`]: { ...task, id: '0193-2', state: 'queued' }
    });
    await open();
    expect(screen.getByRole('heading', { name: 'The disk is full' })).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: title }));
    await waitFor(() => expect(location.hash).toBe('#/tasks/0193-2'));
    expect(asked.find((a) => a.route.endsWith('/again'))?.body).toEqual(body);
  });

  it('goes home for what has to be typed once more', async () => {
    serve(routes(done, timeline));
    tasks.chores = [
      {
        name: 'pictures-to-pdf',
        params: [{ name: 'password', type: 'password', default: '' }],
        effects: [],
        needs: []
      }
    ];
    await open();
    await userEvent.click(screen.getByRole('button', { name: 'Run again' }));
    expect(location.hash).toBe('#/');
    expect(draft.folder).toBe('/home/anna/Sea');
  });

  it('gets another name where it stands, and keeps the old one when the new one is not taken', async () => {
    const asked = serve({
      ...routes(done, timeline),
      [`PATCH ${url}`]: (body: unknown) => ({ ...task, ...done, ...(body as object), titled: true })
    });
    await open();
    await userEvent.click(screen.getByRole('button', { name: 'Rename' }));
    const field = screen.getByRole('textbox', { name: 'Name of the task' });
    expect(field).toHaveFocus();
    await userEvent.clear(field);
    await userEvent.type(field, 'Holidays{Enter}');
    expect(await screen.findByRole('heading', { level: 1, name: 'Holidays' })).toBeVisible();
    expect(asked.at(-1)).toEqual({ route: `PATCH ${url}`, body: { title: 'Holidays' } });
    expect(screen.getByRole('button', { name: 'Rename' })).toHaveFocus();

    serve({ ...routes(done, timeline), [`PATCH ${url}`]: () => refuse({ code: 'internal' }) });
    await userEvent.click(screen.getByRole('button', { name: 'Rename' }));
    await userEvent.type(screen.getByRole('textbox', { name: 'Name of the task' }), '!{Enter}');
    expect(await screen.findByRole('alert')).toBeVisible();
    expect(screen.getByRole('heading', { level: 1, name: 'Holidays' })).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Rename' }));
    await userEvent.type(screen.getByRole('textbox', { name: 'Name of the task' }), 'x{Escape}');
    expect(screen.getByRole('heading', { level: 1, name: 'Holidays' })).toBeVisible();
  });

  it('is deleted only after a question that says what is lost', async () => {
    const results = [
      { folder: 'f1', path: 'Pictures.pdf', size: 1, sha256: '' },
      { folder: '', path: 'notes.md', size: 1, sha256: '' }
    ];
    const asked = serve({ ...routes({ ...done, results }, timeline), [`DELETE ${url}`]: null });
    await open();
    await userEvent.click(screen.getByRole('button', { name: 'Delete task' }));
    const dialog = await screen.findByRole('alertdialog', { name: 'Delete “Sea → PDF”?' });
    expect(
      within(dialog).getByText(/It also deletes 1 result that is in none of your folders/)
    ).toBeVisible();
    expect(within(dialog).getByText(/Your folders stay as they are/)).toBeVisible();
    expect(asked.some((a) => a.route.startsWith('DELETE'))).toBe(false);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(asked.some((a) => a.route.startsWith('DELETE'))).toBe(true));
    await waitFor(() => expect(location.hash).toBe('#/'));
  });

  it('says first that deleting it discards the changes that wait for review', async () => {
    const staged = [created, deleted].map((change) => ({ ...change, staged: true }));
    serve(routes(done, timeline, staged));
    await open();
    await userEvent.click(screen.getByRole('button', { name: 'Delete task' }));
    const dialog = await screen.findByRole('alertdialog');
    expect(within(dialog).getByText(/^This discards 2 changes that wait for your review/)).toBeVisible();
    expect(dialog).not.toHaveTextContent('You can’t undo');
  });

  it('says when the task is not there', async () => {
    serve({});
    render(Task, { id: task.id });
    expect(await screen.findByRole('heading', { name: 'This task no longer exists.' })).toBeVisible();
  });
});

describe('deleting a task', () => {
  it('that is not possible closes the question, so that the reason is in sight', async () => {
    serve({
      ...routes({ state: 'done', results: [result] }, [step('plan'), line('plan', plan)], [created]),
      [`DELETE ${url}`]: refuse({ code: 'task-running' }, 409)
    });
    await open();
    await userEvent.click(await screen.findByRole('button', { name: 'Delete task' }));
    const dialog = await screen.findByRole('alertdialog');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));
    expect(await screen.findByRole('alert')).toBeVisible();
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  });
});

it('says where the terminal of a task is', async () => {
  for (const [runtime, words] of [
    ['vm', /in this task’s workroom/],
    ['sandbox', /where this task works.*In a sandbox on this computer, which keeps it apart less well/s],
    ['host', /where this task works.*nothing keeps it apart from your files and programs\./s]
  ] as const) {
    serve(routes({ kind: 'exec', state: 'running', runtime, chore: '', params: {} }, []));
    tasks.details.clear();
    const { unmount } = render(Task, { id: task.id });
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Terminal' })).toHaveAccessibleDescription(words)
    );
    if (runtime !== 'vm') expect(screen.queryByText(/in this task’s workroom/)).toBeNull();
    unmount();
  }
});
