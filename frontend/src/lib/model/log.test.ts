import { describe, expect, it } from 'vitest';
import { linesOf } from './log';

describe('a log', () => {
  const text =
    'booting\r\n\u001b[31mERROR\u001b[0m: no disk\n\nuser \u202egnp.exe\nterror is no error word alone';

  it('is lines without what steers a terminal or turns text around', () => {
    expect(linesOf(text, '', false).map((line) => line.text)).toEqual([
      'booting',
      'ERROR: no disk',
      'user \ufffdgnp.exe',
      'terror is no error word alone'
    ]);
  });

  it('is searched by words and by weight', () => {
    expect(linesOf(text, 'DISK no', false)).toHaveLength(1);
    expect(linesOf('a terror\nb failed', '', true).map((line) => line.text)).toEqual(['b failed']);
  });
});
