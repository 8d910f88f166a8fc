import { describe, expect, it, vi } from 'vitest';
import { api } from '$lib/api/client';
import type { ApiEvent, Task, UpdateState } from '$lib/api/types';
import { report, said, serve, task } from '../../test/controller';
import { computer } from './computer.svelte';
import { models } from './models.svelte';
import { runtime } from './runtime.svelte';
import { tasks } from './tasks.svelte';

/** Answers in the order that the test wants. */
function waiting() {
  const answers: ((value: unknown) => void)[] = [];
  return { answers, ask: () => new Promise((resolve) => answers.push(resolve)) };
}
const all = (id: string, record: unknown) => ({
  [`GET /v1/tasks/${id}`]: record,
  [`GET /v1/tasks/${id}/timeline`]: [],
  [`GET /v1/tasks/${id}/changes`]: []
});
const of = (state: string, more: object = {}) => ({ ...task, ...more, state }) as Task;
const event = (kind: string, data: object) =>
  ({ v: 1, seq: 1, time: '2026-01-02T03:04:05Z', task: task.id, kind, data }) as ApiEvent;

describe('what is known of tasks', () => {
  it('is not overwritten by an older answer about one', async () => {
    const { answers, ask } = waiting();
    serve(all(task.id, ask));
    const [first, second] = [tasks.open(task.id), tasks.read(task.id)];
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    answers[1]?.(of('done'));
    await second;
    answers[0]?.(of('running'));
    await first;
    expect(tasks.get(task.id)?.state).toBe('done');
    await vi.waitFor(() => expect(answers).toHaveLength(3)); // what was out of date is read again
    answers[2]?.(of('done'));
    tasks.close(task.id);
  });

  it('is not overwritten by an older list, which brings back no removed task and loses no new one', async () => {
    const { answers, ask } = waiting();
    const other = of('running', { id: '0193-2' });
    serve({
      'GET /v1/tasks': ask,
      'GET /v1/chores': [],
      'POST /v1/tasks': of('queued', { id: '0193-3' }),
      [`GET /v1/tasks/${task.id}`]: of('done'),
      [`DELETE /v1/tasks/${other.id}`]: null
    });
    tasks.list = [other, of('running')];
    const refreshed = tasks.refresh();
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    await tasks.read(task.id);
    await tasks.remove(other.id);
    await tasks.begin(api.startTask({ kind: 'chore', folders: [] }));
    answers[0]?.([other, of('running')]);
    await refreshed;
    expect(tasks.list?.map(({ id, state }) => `${id} ${state}`)).toEqual(['0193-3 queued', '0193-1 done']);
  });

  it('is not overwritten by a reading that an act overtook', async () => {
    const { answers, ask } = waiting();
    serve({ ...all(task.id, ask), [`POST /v1/tasks/${task.id}/cancel`]: of('cancelled') });
    const read = tasks.read(task.id);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    await tasks.act(api.cancelTask(task.id));
    answers[0]?.(of('running'));
    await read;
    expect(tasks.get(task.id)?.state).toBe('cancelled');
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    answers[1]?.(of('cancelled'));
  });

  it('is no more than its record when it was closed meanwhile', async () => {
    const { answers, ask } = waiting();
    const asked = serve({ ...all(task.id, ask), 'GET /v1/tasks': [of('running')], 'GET /v1/chores': [] });
    const opened = tasks.open(task.id);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    tasks.close(task.id);
    answers[0]?.(of('running'));
    await opened;
    expect(tasks.details.has(task.id)).toBe(false);
    const before = asked.length;
    await tasks.refresh();
    expect(asked.slice(before).map((a) => a.route)).not.toContain(`GET /v1/tasks/${task.id}/timeline`);
  });

  it('stays while one page of two is closed', async () => {
    serve(all(task.id, of('done')));
    await Promise.all([tasks.open(task.id), tasks.open(task.id)]);
    tasks.close(task.id);
    expect(tasks.details.has(task.id)).toBe(true);
    tasks.close(task.id);
    expect(tasks.details.has(task.id)).toBe(false);
  });

  it('says that one that is over does nothing, whatever comes late', async () => {
    const { answers, ask } = waiting();
    serve({ 'POST /v1/tasks': ask, ...all(task.id, of('done')) });
    const started = tasks.begin(api.startTask({ kind: 'chore', folders: [] }));
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    await tasks.read(task.id);
    answers[0]?.(of('queued'));
    await started;
    expect(tasks.get(task.id)?.state).toBe('done');
    tasks.event(event('progress', { done: 1, total: 2 }));
    expect(tasks.live.has(task.id)).toBe(false);
  });
});

describe('what is known of the computer', () => {
  it('is not overwritten by a look that began before', async () => {
    const { answers, ask } = waiting();
    serve({ 'GET /v1/status': ask });
    computer.report = report;
    const look = computer.look();
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    computer.statusEvent({ ...report, ready: false });
    answers[0]?.(report);
    await look;
    expect(computer.report.ready).toBe(false);
  });

  it('is not overwritten by a check that was overtaken by a repair', async () => {
    const { answers, ask } = waiting();
    const fixed = { ...report, version: 'mended' };
    serve({
      'POST /v1/status/check': ask,
      'POST /v1/status/mend': { declined: false, report: fixed }
    });
    const check = computer.check();
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    await computer.mend('join-kvm');
    answers[0]?.({ ...report, ready: false });
    await check;
    expect(computer.report).toEqual(said(fixed));
    expect(computer.since).toBeUndefined();
  });
});

it('what is known of updates is not overwritten by an older answer', async () => {
  const { answers, ask } = waiting();
  serve({ 'GET /v1/update': ask });
  const state = (phase: string) =>
    ({ phase, current: '1', settings: { auto: true, urls: [] } }) as unknown as UpdateState;
  const look = runtime.look();
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  runtime.event(state('downloading'));
  answers[0]?.(state('available'));
  await look;
  expect(runtime.update?.phase).toBe('downloading');
});

it('what is known of models is not overwritten by what was asked for before a change', async () => {
  const before = waiting();
  const changes = waiting();
  serve({ 'GET /v1/models': before.ask, 'PUT /v1/models/default': changes.ask });
  const known = (standard: string) => ({ default: standard, list: [] });
  const look = models.load();
  await vi.waitFor(() => expect(before.answers).toHaveLength(1));
  const chosen = [models.choose('a'), models.choose('b')];
  await vi.waitFor(() => expect(changes.answers).toHaveLength(2));
  changes.answers[1]?.(known('b'));
  await chosen[1];
  changes.answers[0]?.(known('a'));
  await chosen[0];
  before.answers[0]?.(known(''));
  await look;
  expect(models.known?.default).toBe('b');
});

describe('what is known', () => {
  it('of models stays when they cannot be read for once', async () => {
    const known = { default: 'a/one', chosen: false, list: [{ id: 'a/one', name: 'One', provider: 'a' }] };
    models.known = known;
    serve({});
    await models.load();
    expect(models.known).toEqual(known);
  });

  it('of the work of a task is forgotten when it ended while nobody told of it', async () => {
    serve({ 'GET /v1/tasks': [of('done')], 'GET /v1/chores': [] });
    tasks.list = [of('running')];
    tasks.event(event('progress', { done: 1, total: 2 }));
    expect(tasks.live.has(task.id)).toBe(true);
    await tasks.refresh();
    expect(tasks.live.has(task.id)).toBe(false);
  });
});
