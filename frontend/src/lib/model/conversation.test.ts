import { describe, expect, it } from 'vitest';
import type { ApiEvent, Task } from '$lib/api/types';
import { conversationOf, isSaid, joinTimeline, mayChange, queueOf, waitingOf } from './conversation';

let seq = 0;
const line = (kind: string, data: unknown) =>
  ({ v: 1, seq: ++seq, time: '2026-01-02T03:04:05Z', task: 't', kind, data }) as ApiEvent;
const tool = (id: string, verb: string, state = 'done') =>
  line('tool', { id, verb, name: verb, target: `/folders/a/${id}.txt`, state });
const message = (id: string, text: string, role = 'assistant') => line('message', { id, role, text });

const heard = (pending: string, text: string) =>
  line('message', { id: `u${pending}`, role: 'user', text, pending });

describe('a conversation', () => {
  it('has files that are read one after the other in one entry', () => {
    const entries = conversationOf([
      message('u', 'look', 'user'),
      ...['1', '2', '3'].map((id) => tool(id, 'read')),
      tool('4', 'run'),
      tool('5', 'read')
    ]);
    expect(entries.map((e) => (e.kind === 'tools' ? e.tools.map((t) => t.id).join('') : e.kind))).toEqual([
      'message',
      '123',
      '4',
      '5'
    ]);
  });

  it('has one line of what began and ended, also in a group', () => {
    const entries = conversationOf([
      tool('1', 'read', 'started'),
      tool('2', 'read', 'started'),
      tool('1', 'read'),
      message('a', 'so'),
      tool('2', 'read', 'failed')
    ]);
    expect(entries).toHaveLength(2);
    expect(entries[0]?.kind === 'tools' && entries[0].tools.map((t) => t.state)).toEqual(['done', 'failed']);
  });

  it('has a message once, as it was said last, and leaves out what says nothing', () => {
    const entries = conversationOf([
      line('notice', { code: 'turn' }),
      message('a', 'be'),
      message('a', 'better'),
      line('notice', { code: 'compacted' })
    ]);
    expect(entries.map((e) => (e.kind === 'message' ? e.message.text : e.kind))).toEqual([
      'better',
      'notice'
    ]);
    expect(new Set(entries.map((e) => e.key)).size).toBe(entries.length);
  });

  it('is quick when it is long', () => {
    const long = Array.from({ length: 10_000 }, (_, i) =>
      i % 3 ? tool(`${i}`, 'run') : message(`${i}`, 'x')
    );
    expect(conversationOf(long)).toHaveLength(10_000);
  });

  it('knows what waits to be heard', () => {
    expect(queueOf([])).toEqual({ steering: [], followUp: [] });
    const queue = { steering: ['a'], followUp: [] };
    expect(queueOf([line('queue', { steering: [], followUp: ['b'] }), line('queue', queue)])).toEqual(queue);
  });
});

describe('what arrives', () => {
  it('joins what was read, once', () => {
    const read = [message('a', 'x'), tool('1', 'read')];
    const same = { ...tool('1', 'read'), seq: 99 };
    const more = message('b', 'y');
    expect(joinTimeline(read, [same, more])).toEqual([...read, more]);
  });

  it('is more news when the same is said again later', () => {
    const first = line('notice', { code: 'retry' });
    const again = { ...line('notice', { code: 'retry' }), time: '2026-01-02T03:05:00Z' };
    expect(joinTimeline([first], [again])).toEqual([first, again]);
  });

  it('is whole in itself, or has the record read again', () => {
    expect(isSaid(message('a', 'x'))).toBe(true);
    expect(isSaid(line('state', { state: 'done' }))).toBe(false);
    expect(mayChange(tool('1', 'write'))).toBe(true);
    expect(mayChange(tool('1', 'write', 'started'))).toBe(false);
    expect(mayChange(tool('1', 'read'))).toBe(false);
  });
});

describe('what the agent does not have yet', () => {
  const task = {
    created: '2026-01-02T03:04:05Z',
    ai: {
      pending: [
        { id: '1', text: 'look', how: 'prompt' },
        { id: '2', text: 'and this ', how: 'steer', images: ['12345678-1-a-b.png'] }
      ]
    }
  } as Task;

  it('is in sight until it has it', () => {
    expect(waitingOf(task, []).map((e) => e.kind === 'message' && e.message.text)).toEqual([
      'look',
      'and this '
    ]);
    const rest = waitingOf(task, [
      heard('1', 'look'),
      message('a', 'and this'),
      message('u', 'and this', 'user')
    ]);
    expect(rest.map((e) => e.kind === 'message' && e.message.images)).toEqual([['a-b.png']]);
    expect(waitingOf(task, [heard('1', 'look'), heard('2', 'and this')])).toEqual([]);
    expect(waitingOf({ created: task.created } as Task, [])).toEqual([]);
  });
});
