import { describe, expect, it } from 'vitest';
import { refuse, report, serve } from '../../test/controller';
import { computer } from './computer.svelte';
import { runtime } from './runtime.svelte';

describe('a controller that is gone', () => {
  it('is no trouble any more once another one answers', async () => {
    const gone = refuse({ code: 'shutting-down' }, 503);
    let there = false;
    const answer = (fine: unknown) => () => (there ? fine : gone.clone());
    serve({
      'GET /v1/status': answer(report),
      'GET /v1/update': answer({ phase: 'idle', current: '1' }),
      'GET /v1/packs': answer([]),
      'GET /v1/addons': answer([])
    });
    await Promise.all([computer.look(), runtime.open()]);
    expect([computer.failure?.code, runtime.failure?.code]).toEqual(['shutting-down', 'shutting-down']);
    there = true;
    await Promise.all([computer.look(), runtime.open()]);
    expect([computer.failure, runtime.failure]).toEqual([undefined, undefined]);
    await computer.look();
    there = false;
    await computer.look();
    computer.statusEvent(report);
    expect(computer.failure).toBeUndefined();
  });
});
