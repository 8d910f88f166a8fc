import { describe, expect, it } from 'vitest';
import { EventStreamParser } from './sse';

const all = (...pieces: string[]) => {
  const parser = new EventStreamParser();
  return pieces.flatMap((piece) => parser.push(piece));
};

describe('EventStreamParser', () => {
  it.each([
    ['one event', 'data: {"a":1}\n\n', ['{"a":1}']],
    ['no space after the colon', 'data:x\n\n', ['x']],
    ['only one space is taken', 'data:  x\n\n', [' x']],
    ['several lines of data', 'data: a\ndata: b\n\n', ['a\nb']],
    ['an empty line of data', 'data\n\n', ['']],
    ['comments and ids', ': hello\n\nid: 7\ndata: x\n\n', ['x']],
    ['carriage returns', 'data: a\r\rdata: b\r\n\r\n', ['a', 'b']],
    ['an event that is not over', 'data: a\n\ndata: b\n', ['a']],
    ['other fields', 'event: x\nretry: 5\ndata: y\n\n', ['y']]
  ])('%s', (_name, text, want) => {
    expect(all(text, ': end\n')).toEqual(want);
  });

  it('gives the same for every way to cut a stream', () => {
    const text = ': hi\r\n\r\nid: 1\r\ndata: {"a":"ü"}\r\n\r\ndata: b\n\ndata: c\r\r';
    const want = JSON.stringify(['{"a":"ü"}', 'b', 'c']);
    const wrong = [];
    for (let i = 0; i <= text.length; i++) {
      for (let j = i; j <= text.length; j++) {
        const got = all(text.slice(0, i), text.slice(i, j), text.slice(j), '\n');
        if (JSON.stringify(got) !== want) wrong.push([i, j, got]);
      }
    }
    expect(wrong).toEqual([]);
  });
});
