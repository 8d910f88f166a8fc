import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiEvent, Task } from '$lib/api/types';
import { serve, task } from '../../test/controller';
import { chosen } from './chosen.svelte';
import { Notices } from './notices.svelte';
import { tasks } from './tasks.svelte';

beforeEach(() => {
  vi.useFakeTimers();
  chosen.window.know({ close: 'ask', notify: true });
  tasks.list = [{ ...task, state: 'done' } as Task];
  window.runtime = { EventsOn: () => () => undefined };
});
afterEach(() => {
  vi.useRealTimers();
  delete window.runtime;
});

const done = {
  v: 1,
  seq: 7,
  time: '2026-01-02T03:04:05Z',
  task: task.id,
  kind: 'state',
  data: { state: 'done' }
} as ApiEvent;

/** The same event in windows of which each is in front or not; how many messages there were. */
async function messages(...inFront: boolean[]): Promise<number> {
  const claimed = new Set<number>();
  const asked = serve({
    'POST /v1/notices': (body: unknown) => {
      const { event } = body as { event: number };
      const first = !claimed.has(event);
      claimed.add(event);
      return { first };
    },
    'POST /v1/native/notify': null
  });
  const told = inFront.map((front) => {
    vi.spyOn(document, 'hasFocus').mockReturnValue(front);
    return new Notices().event(done);
  });
  vi.spyOn(document, 'hasFocus').mockReturnValue(false);
  await vi.advanceTimersByTimeAsync(1000);
  await Promise.all(told);
  return asked.filter((a) => a.route === 'POST /v1/native/notify').length;
}

describe('a message of the system', () => {
  it('comes once when no window is in front', async () => {
    expect(await messages(false)).toBe(1);
    expect(await messages(false, false)).toBe(1);
  });

  it('does not come while a window is in front, also from one beside it', async () => {
    vi.spyOn(document, 'hasFocus').mockReturnValue(true);
    expect(await messages(false, true)).toBe(0);
  });

  it('comes for a state that is new, not for another name or model of the task', async () => {
    const asked = serve({ 'POST /v1/notices': { first: true }, 'POST /v1/native/notify': null });
    vi.spyOn(document, 'hasFocus').mockReturnValue(false);
    const told = async (state: Task['state']) => {
      const before = asked.length;
      const event = notices.event({ ...done, data: { state } } as ApiEvent);
      await vi.advanceTimersByTimeAsync(1000);
      await event;
      return asked.slice(before).some((a) => a.route === 'POST /v1/native/notify');
    };
    const notices = new Notices();
    await notices.learn(Promise.resolve()); // it is done since last week
    expect(await told('done')).toBe(false);
    expect(await told('waiting')).toBe(true);
    expect(await told('waiting')).toBe(false);
    expect(await told('running')).toBe(false);
    expect(await told('done')).toBe(true);
  });
});
