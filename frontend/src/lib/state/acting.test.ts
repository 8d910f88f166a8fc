import { describe, expect, it, vi } from 'vitest';
import { ApiFailure } from '$lib/api/client';
import { Acting, Resource } from './acting.svelte';

/** Answers in the order that the test wants. */
function waiting() {
  const answers: { resolve: (value: string) => void; reject: (cause: unknown) => void }[] = [];
  const ask = () => new Promise<string>((resolve, reject) => answers.push({ resolve, reject }));
  return { answers, ask };
}
const refused = (code: string) => new ApiFailure({ code, severity: 'error', cause: '', fix: [] });

describe('an act', () => {
  it('is the only one, and leaves what came of it', async () => {
    const acting = new Acting<'a' | 'b'>();
    const { answers, ask } = waiting();
    const other = vi.fn(ask);
    const first = acting.run('a', ask);
    expect(await acting.run('b', other)).toBeUndefined();
    expect(other).not.toHaveBeenCalled();
    expect(acting.busy).toBe('a');
    answers[0]?.resolve('done');
    expect(await first).toBe('done');
    expect(acting.busy).toBeUndefined();
  });

  it('says that another one has to end first, until it does; pressed twice it is one', async () => {
    const acting = new Acting<'a' | 'b'>();
    const { answers, ask } = waiting();
    const first = acting.run('a', ask);
    await acting.run('a', ask);
    expect(acting.failure).toBeUndefined();
    await acting.run('b', ask);
    expect(acting.failure?.title).toBe('Something else isn’t finished yet');
    answers[0]?.resolve('done');
    await first;
    expect(acting.failure).toBeUndefined();
    expect(answers).toHaveLength(1);
  });

  it('says why it failed until the next one begins', async () => {
    const acting = new Acting();
    await acting.run('working', () => Promise.reject(refused('internal')));
    expect(acting.failure?.code).toBe('internal');
    const next = acting.run('working', () => Promise.resolve());
    expect(acting.failure).toBeUndefined();
    await next;
  });

  it('that needs a native dialog goes on by hand where there is none', async () => {
    const acting = new Acting();
    await acting.run('working', () => Promise.reject(refused('no-window')));
    expect(acting.byHand).toBe(true);
    expect(acting.failure).toBeUndefined();
  });
});

describe('a resource', () => {
  it('keeps the answer to the later question, in whichever order they come', async () => {
    const resource = new Resource<string>();
    const { answers, ask } = waiting();
    const [first, second] = [resource.read(ask), resource.read(ask)];
    answers[1]?.resolve('new');
    expect(await second).toBe(true);
    answers[0]?.resolve('old');
    expect(await first).toBe(false);
    expect(resource.known).toBe('new');
    expect(resource.loading).toBe(false);
  });

  it('shows an earlier answer while a later question waits', async () => {
    const resource = new Resource<string>();
    const { answers, ask } = waiting();
    const [first, second] = [resource.read(ask), resource.read(ask)];
    answers[0]?.resolve('old');
    await first;
    expect(resource.known).toBe('old');
    expect(resource.loading).toBe(true);
    answers[1]?.resolve('new');
    await second;
    expect(resource.known).toBe('new');
  });

  it('is not read over by what was asked before an event told it', async () => {
    const resource = new Resource<string>();
    const { answers, ask } = waiting();
    const read = resource.read(ask);
    resource.know('told');
    answers[0]?.resolve('old');
    await read;
    expect(resource.known).toBe('told');
  });

  it('is what the last act answered, not what was read or answered before', async () => {
    const resource = new Resource<string>();
    const { answers, ask } = waiting();
    const all = [resource.change(ask), resource.read(ask), resource.change(ask), resource.read(ask)];
    answers[2]?.resolve('changed');
    expect(await all[2]).toBe(true);
    for (const at of [0, 1, 3]) answers[at]?.resolve('old');
    expect(await Promise.all(all)).toEqual([false, false, true, false]);
    expect(resource.known).toBe('changed');
  });

  it('does not tell of a question that failed after a newer answer', async () => {
    const resource = new Resource<string>();
    const { answers, ask } = waiting();
    const [first, second] = [resource.read(ask), resource.read(ask)];
    answers[1]?.resolve('new');
    await second;
    answers[0]?.reject(refused('unreachable'));
    await first;
    expect(resource.failure).toBeUndefined();
  });

  it('forgets that it could not be read as soon as it is, but not that an act failed', async () => {
    const resource = new Resource<string>();
    await resource.read(() => Promise.reject(refused('unreachable')));
    expect(resource.failure?.code).toBe('unreachable');
    await resource.read(() => Promise.resolve('a'));
    expect(resource.failure).toBeUndefined();
    await resource.change(() => Promise.reject(refused('internal')));
    await resource.read(() => Promise.resolve('b'));
    expect([resource.known, resource.failure?.code]).toEqual(['b', 'internal']);
  });
});
