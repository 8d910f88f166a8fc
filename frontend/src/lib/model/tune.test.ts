import { beforeAll, describe, expect, it } from 'vitest';
import type { ModelInfo, Task } from '$lib/api/types';
import { useLocale } from '$lib/i18n/index.svelte';
import { task } from '../../test/controller';
import { holdsFrom, levelOf, levelsOf, offersOf, requestOf, tunedWords } from './tune';

beforeAll(() => useLocale('en'));

const usage = { requests: 0, input: 0, output: 0 };
const has = (state: Task['state'], model: string, thinking?: string): Task => ({
  ...task,
  kind: 'ai',
  state,
  ai: { model, usage, ...(thinking ? { thinking } : {}) }
});
const info = (id: string): ModelInfo => ({ id, name: id, provider: id.replace(/\/.*/, '') });
const known = ['here/a', 'there/b', 'here/c/d'].map(info);
const ids = (offers: ReturnType<typeof offersOf>) =>
  offers.services.map(({ provider, models }) => [provider, ...models.map((one) => one.id)].join(' '));

describe('the models that a task can have', () => {
  it.each(['queued', 'preparing', 'running', 'waiting'] as const)(
    'are those of its service while it is %s',
    (state) => {
      const offers = offersOf(has(state, 'here/a'), known);
      expect(ids(offers)).toEqual(['here here/a here/c/d']);
      expect(offers.more).toBe(true);
    }
  );

  it.each(['done', 'failed', 'cancelled'] as const)(
    'are all of them when it is %s, its own first',
    (state) => {
      const offers = offersOf(has(state, 'there/b'), known);
      expect(ids(offers)).toEqual(['there there/b', 'here here/a here/c/d']);
      expect(offers.more).toBe(false);
    }
  );

  it('are not more where there is one service, and include one that its service does not list', () => {
    const offers = offersOf(has('running', 'here/gone/x'), [info('here/a')]);
    expect(ids(offers)).toEqual(['here here/gone/x here/a']);
    expect(offers.services[0]?.models[0]?.name).toBe('gone/x');
    expect(offers.more).toBe(false);
  });
});

describe('how long it thinks', () => {
  it('stands for what a record says', () => {
    expect([undefined, 'off', 'minimal', 'low', 'medium', 'high'].map(levelOf)).toEqual([
      'auto',
      'off',
      'low',
      'low',
      'medium',
      'high'
    ]);
  });

  it('is not left to the model again once it was chosen', () => {
    expect(levelsOf(has('done', 'here/a'))).toContain('auto');
    expect(levelsOf(has('done', 'here/a', 'low'))).not.toContain('auto');
  });
});

describe('what is asked for', () => {
  it('is only what differs', () => {
    const now = has('running', 'here/a', 'minimal');
    expect(requestOf(now, 'here/a', 'low')).toBeUndefined();
    expect(requestOf(now, 'here/c', 'low')).toEqual({ model: 'here/c' });
    expect(requestOf(now, 'here/a', 'high')).toEqual({ thinking: 'high' });
    expect(requestOf(has('running', 'here/a'), 'here/c', 'auto')).toEqual({ model: 'here/c' });
    expect(requestOf(has('running', 'here/a'), 'here/c', 'off')).toEqual({
      model: 'here/c',
      thinking: 'off'
    });
  });

  it('holds from when the task takes it', () => {
    expect(
      (['queued', 'running', 'waiting', 'failed'] as const).map((s) => holdsFrom(has(s, 'here/a')))
    ).toEqual(['beginning', 'answer', 'answer', 'message']);
  });
});

it('says what the conversation goes on with', () => {
  const say = (params?: Record<string, unknown>) =>
    tunedWords({ code: 'model', ...(params ? { params } : {}) }, (model) => `<${model}>`);
  expect(say({ model: 'here/a' })).toBe('Continuing with <here/a>.');
  expect(say({ model: 'here/a', thinking: 'high' })).toBe(
    'Continuing with <here/a>. It thinks for a long time.'
  );
  expect(say({ thinking: 'off' })).toBe('It answers without thinking.');
  expect(say({ thinking: 'off', wanted: 'high' })).toBe(
    'You can’t set the thinking time of this model. It answers without thinking.'
  );
  expect(say({ thinking: 'constructor' })).toBe('');
  expect(say()).toBe('');
});
