import { render, screen } from '@testing-library/svelte';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProcessStatus } from '$lib/api/types';
import { background } from '$lib/state/background.svelte';
import { computer } from '$lib/state/computer.svelte';
import { serve } from '../../test/controller';
import Background from './Background.svelte';

const now = { version: '1.2.3', background: true, idleEnd: 600, working: 0, held: [] as string[] };

beforeEach(() => {
  computer.connection = 'open';
  background.now = undefined;
});

async function said(more: Partial<ProcessStatus>): Promise<string | null> {
  serve({ 'GET /v1/process': { ...now, ...more } });
  await background.look();
  const { unmount } = render(Background);
  const text = screen.queryByRole('note')?.textContent?.replace(/\s+/g, ' ').trim() ?? null;
  unmount();
  return text;
}

describe('what runs in the background', () => {
  it('says its version, what it does and how long it stays', async () => {
    expect(await said({})).toBe(
      'piwork 1.2.3 runs in the background. It quits 10 minutes after its last use.'
    );
    expect(await said({ working: 1 })).toBe(
      '1 unfinished task piwork 1.2.3 stays in the background until it’s done.'
    );
    expect(await said({ working: 3, held: ['a'] })).toBe(
      '3 unfinished tasks, 1 of them on a command line piwork 1.2.3 stays in the background until they’re done.'
    );
    expect(await said({ idleEnd: 0 })).toBe('piwork 1.2.3 runs in the background until you log out.');
    expect(await said({ background: false })).toBe('piwork 1.2.3 runs in a terminal.');
  });

  it('says nothing of one that does not answer', async () => {
    background.now = now as unknown as ProcessStatus;
    computer.connection = 'lost';
    expect(await said({})).toBeNull();
    computer.connection = 'open';
    serve({});
    await background.look();
    expect(background.now).toBeUndefined();
  });
});
