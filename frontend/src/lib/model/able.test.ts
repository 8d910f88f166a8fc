import { expect, it } from 'vitest';
import type { ModelInfo } from '$lib/api/types';
import { ableWords } from './able';

it.each<[Partial<ModelInfo>, string]>([
  [{}, ''],
  [{ images: false }, 'Doesn’t support pictures.'],
  [{ thinks: false }, ''],
  [
    { images: true, thinks: true, context: 200000 },
    'Supports pictures, adjustable thinking time, reads up to 200,000 tokens at once.'
  ]
])('of %j is said: %s', (known, line) => {
  expect(ableWords({ id: 'a/b', name: 'b', provider: 'a', ...known })).toBe(line);
});
