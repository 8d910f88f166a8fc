import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ApiEvent, Change, Task } from '$lib/api/types';
import { broken, plan, said, task } from '../../test/controller';
import { viewChanges } from './changes';
import { groupChores } from './chores';
import { leftOut, placeOf, viewPlan } from './plan';
import { reached, stageOf } from './stage';
import { entriesOf } from './timeline';

let seq = 0;
const event = (kind: string, data: unknown) =>
  ({ v: 1, seq: ++seq, time: '2026-01-02T03:04:05Z', task: 't', kind, data }) as ApiEvent;
const step = (name: string) => event('step', { step: name });
const agreed = event('decision', {
  id: 'plan',
  answer: 'allow',
  scope: 'task',
  by: 'person',
  time: '2026-01-02T03:04:05Z'
});

describe('stage', () => {
  it.each<[string, Task['state'], ApiEvent[], string]>([
    ['waits its turn', 'queued', [], 'plan'],
    ['opens the workroom', 'preparing', [step('verify'), step('boot')], 'plan'],
    ['looks through the folder', 'running', [step('plan')], 'plan'],
    ['waits for the person', 'waiting', [step('plan'), step('accept')], 'plan'],
    ['opens the workroom again', 'running', [step('accept'), agreed, step('boot')], 'working'],
    ['works without having asked', 'running', [step('boot'), step('run')], 'working'],
    ['is done', 'done', [step('run'), step('finish')], 'done'],
    ['failed', 'failed', [step('boot')], 'done']
  ])('a task that %s', (_name, state, timeline, want) => {
    expect(stageOf({ ...task, state }, timeline)).toBe(want);
  });

  it('knows how far a failed task had come', () => {
    expect(reached([step('boot'), step('plan')])).toBe('plan');
    expect(reached([step('accept'), agreed, step('boot')])).toBe('working');
  });
});

describe('plan', () => {
  it('names places as the person knows them', () => {
    const folders = [
      { id: 'f1', path: '/a/Sea', name: 'Sea', mode: 'rw' as const },
      { id: 'f2', path: '/b/Sea 2', name: 'Sea 2', mode: 'rw' as const }
    ];
    expect(placeOf('/folders/Sea/x/a.jpg', folders)).toEqual({ folder: 'Sea', path: 'x/a.jpg' });
    expect(placeOf('/folders/Sea 2/a.jpg', folders)).toEqual({ folder: 'Sea 2', path: 'a.jpg' });
    expect(placeOf('/work/out/a.pdf', folders)).toEqual({ folder: '', path: '/work/out/a.pdf' });
    expect(placeOf('', folders)).toEqual({ folder: '', path: '' });
  });

  it('counts and puts the strongest effect first', () => {
    const operation = plan.operations[0];
    if (!operation) throw new Error('no operation');
    const view = viewPlan(
      {
        ...plan,
        operations: [
          operation,
          { ...operation, in: [], out: '/folders/Sea/old.txt', effect: 'delete' },
          {
            ...operation,
            in: [{ path: '/folders/Sea/a.txt', size: 3 }],
            out: '/folders/Sea/b.txt',
            effect: 'move'
          }
        ]
      },
      task.folders
    );
    expect(view.outputs.map((o) => o.effect)).toEqual(['delete', 'create']);
    expect(view.counts).toEqual({ create: 1, move: 1, change: 0, delete: 1 });
    expect(view.safe).toBe(false);
    expect(viewPlan(plan, task.folders)).toMatchObject({
      safe: true,
      inputs: [{ path: 'a.jpg' }, { path: 'b.jpg' }]
    });
  });

  it('counts a file once, whatever is made of it', () => {
    const of = (out: string) => ({
      op: 'table.clean',
      in: [{ path: '/folders/Sea/2024.xlsx', size: 3 }],
      out,
      effect: 'create' as const
    });
    const view = viewPlan(
      { ...plan, operations: [of('/folders/Sea/May.csv'), of('/folders/Sea/June.csv')] },
      task.folders
    );
    expect(view.inputs).toEqual([{ folder: 'Sea', path: '2024.xlsx', size: 3 }]);
    expect(view.outputs).toHaveLength(2);
  });

  it('shows moves by where they go, and new names apart', () => {
    const move = (from: string, to: string, size: number) => ({
      op: 'file.move',
      in: [{ path: `/folders/Sea/${from}`, size }],
      out: `/folders/Sea/${to}`,
      effect: 'move' as const
    });
    const view = viewPlan(
      {
        ...plan,
        operations: [
          move('a.jpg', 'Pictures/a.jpg', 1),
          move('b.jpg', 'Pictures/b (2).jpg', 2),
          move('in/c.txt', 'c.txt', 4),
          move('d.txt', 'e.txt', 8)
        ]
      },
      task.folders
    );
    expect(view.moves).toEqual([
      {
        folder: 'Sea',
        to: 'Pictures',
        renames: false,
        size: 3,
        items: [
          { from: 'a.jpg', name: 'a.jpg', size: 1 },
          { from: 'b.jpg', name: 'b (2).jpg', size: 2 }
        ]
      },
      {
        folder: 'Sea',
        to: '',
        renames: false,
        size: 4,
        items: [{ from: 'in/c.txt', name: 'c.txt', size: 4 }]
      },
      { folder: 'Sea', to: '', renames: true, size: 8, items: [{ from: 'd.txt', name: 'e.txt', size: 8 }] }
    ]);
    expect(view.outputs).toEqual([]);
    expect(view.safe).toBe(false);
  });

  it('lists each file that was left out once', () => {
    const late = { ...broken, code: 'tool-failed', params: { path: '/folders/Sea/b.jpg' } };
    const left = leftOut(plan, { ...task, problems: [broken, late] });
    expect(left.map((problem) => problem.params?.path)).toEqual([
      '/folders/Sea/torn.jpg',
      '/folders/Sea/b.jpg'
    ]);
    expect(leftOut(undefined, task)).toEqual([]);
  });

  it('lists each entry of an archive that was left out', () => {
    const entry = (entry: string) => ({
      ...broken,
      code: 'entry-left-out',
      cause: 'outside',
      params: { path: '/folders/Sea/b.jpg', entry }
    });
    const left = leftOut(plan, { ...task, problems: [entry('../a'), entry('/b'), entry('/b')] });
    expect(left.map((problem) => problem.params?.entry)).toEqual([undefined, '../a', '/b']);
  });
});

it('counts the changes that still stand', () => {
  const change = (id: string, effect: Change['effect'], undone?: string): Change => ({
    id,
    path: id,
    effect,
    ...(undone ? { undone } : {})
  });
  const view = viewChanges([
    change('a', 'create'),
    change('b', 'delete', '2026-01-02'),
    change('c', 'change')
  ]);
  expect(view.counts).toEqual({ create: 1, move: 0, change: 1, delete: 0 });
  expect(view.standing.map((c) => c.id)).toEqual(['a', 'c']);
  expect(view.undone).toBe(1);
});

it('the timeline says what a person understands, and leaves the rest out', () => {
  const timeline = said([
    event('state', { state: 'queued' }),
    event('state', { state: 'preparing' }),
    step('verify'),
    step('kernel'),
    event('plan', plan),
    step('accept'),
    agreed,
    step('run'),
    event('problem', broken),
    event('problem', broken),
    event('result', { path: 'Pictures.pdf', size: 1 }),
    event('state', { state: 'done' }),
    event('undo', { undone: ['c1'], conflicts: [] }),
    event('something-new', {})
  ]);
  const entries = entriesOf(timeline);
  expect(entries.map(({ said, count }) => (count > 1 ? count : said))).toEqual([
    'Queued',
    'Verifying the runtime',
    'Plan: 2 pictures → 1 PDF; 1 file skipped',
    'Plan accepted by you',
    'Working',
    2,
    'Created “Pictures.pdf”',
    'Done',
    'Undone: 1 change'
  ]);
});

describe('the chores by group', () => {
  const chore = (name: string) => ({ name, params: [], effects: [], needs: [] });

  it('keeps their order, leaves empty groups out, and has a place for later ones', () => {
    const parts = groupChores(['new-one', 'merge-pdf', 'sort-photos', 'pictures-to-pdf'].map(chore));
    expect(parts.map(({ group, chores }) => [group, ...chores.map((c) => c.name)])).toEqual([
      ['pictures', 'sort-photos', 'pictures-to-pdf'],
      ['documents', 'merge-pdf'],
      ['other', 'new-one']
    ]);
  });

  it('has a group for every chore that has words', () => {
    const chores = readFileSync('../app/words/en/chores.toml', 'utf8').matchAll(/^\[chore\.([\w-]+)\]$/gm);
    const names = [...chores].map(([, name = '']) => name).filter((name) => name !== 'voice-memo');
    expect(names.length).toBeGreaterThan(20);
    expect(groupChores(names.map(chore)).map((part) => part.group)).not.toContain('other');
  });
});
