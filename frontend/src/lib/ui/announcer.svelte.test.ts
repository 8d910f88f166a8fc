import { flushSync } from 'svelte';
import { expect, it } from 'vitest';
import { announcer } from './announcer.svelte';

it('says the same twice as two pieces of news, and in an effect once', () => {
  announcer.say('');
  let times = 0;
  const end = $effect.root(() => {
    $effect(() => {
      times++;
      announcer.say('Done.');
    });
  });
  flushSync();
  expect(times).toBe(1);
  expect(announcer.text).toBe('Done.');
  announcer.say('Done.');
  flushSync();
  expect(announcer.text).toBe('Done.\u00a0');
  announcer.say('Done.');
  expect(announcer.text).toBe('Done.');
  expect(times).toBe(1);
  end();
});
