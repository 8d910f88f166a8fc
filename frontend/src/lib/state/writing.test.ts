import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { writing } from './writing.svelte';

beforeEach(() => {
  vi.useFakeTimers();
  writing.clear();
});
afterEach(() => vi.runAllTimers());

const drawn = () => {
  vi.advanceTimersByTime(1000);
  return writing.now.get('t')?.text;
};

it('shows what is written as it comes', () => {
  writing.add('t', { id: 'a', part: 1, text: 'One ' });
  expect(drawn()).toBe('One ');
  writing.add('t', { id: 'a', part: 2, text: 'two' });
  expect(drawn()).toBe('One two');
  writing.add('t', { id: 'b', part: 1, text: 'Next' });
  expect(drawn()).toBe('Next');
});

it('shows no message with a hole', () => {
  writing.add('t', { id: 'a', part: 1, text: 'One ' });
  writing.add('t', { id: 'a', part: 3, text: 'three' });
  expect(drawn()).toBeUndefined();
  writing.add('t', { id: 'a', part: 4, text: ' four' });
  expect(drawn()).toBeUndefined();
});

it('shows no half of what was being written when the stream was lost', () => {
  writing.add('t', { id: 'a', part: 1, text: 'One ' });
  expect(drawn()).toBe('One ');
  writing.clear();
  expect(drawn()).toBeUndefined();
  writing.add('t', { id: 'a', part: 2, text: 'two' });
  expect(drawn()).toBeUndefined();
  writing.add('t', { id: 'b', part: 1, text: 'Next' });
  expect(drawn()).toBe('Next');
});
