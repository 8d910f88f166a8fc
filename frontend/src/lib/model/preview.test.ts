import { describe, expect, it } from 'vitest';
import { decodeText, delimiterOf, parseTable, previewKind } from './preview';

const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(parts.flatMap((p) => (typeof p === 'string' ? [...new TextEncoder().encode(p)] : p)));

describe('how a file is shown', () => {
  it('goes by its ending, and not by a folder with a point', () => {
    expect(previewKind('a/b.JPEG', 1)).toBe('image');
    expect(previewKind('Report.html', 1)).toBe('html');
    expect(previewKind('list.csv', 1)).toBe('table');
    expect(previewKind('my.pdf/readme', 1)).toBe('none');
    expect(previewKind('song.mp3', 1)).toBe('none');
  });

  it('does not read what is too large to be shown whole', () => {
    expect(previewKind('scan.pdf', 59_000_000)).toBe('pdf');
    expect(previewKind('scan.pdf', 61_000_000)).toBe('none');
    expect(previewKind('log.txt', 900_000_000)).toBe('text'); // of which the beginning is read
  });
});

describe('text', () => {
  it('is read as it was written', () => {
    expect(decodeText(bytes('Grüße 海'), false)).toBe('Grüße 海');
    expect(decodeText(bytes([0xef, 0xbb, 0xbf], 'a'), false)).toBe('a');
    expect(decodeText(bytes([0xff, 0xfe, 0x47, 0, 0xfc, 0]), false)).toBe('Gü');
    expect(decodeText(bytes('Gr', [0xfc, 0xdf]), false)).toBe('Grüß');
  });

  it('is not taken for something else because its last letter was cut', () => {
    const cut = bytes('Gr').length + 1;
    expect(decodeText(bytes('Grü').slice(0, cut), true)).toBe('Gr');
  });
});

describe('a table', () => {
  it('knows its sign, also beside quotes', () => {
    expect(delimiterOf('a;b;c\n1,5;2,5')).toBe(';');
    expect(delimiterOf('"a;b;c;d",x\n')).toBe(',');
    expect(delimiterOf('a\tb')).toBe('\t');
  });

  it('has cells with quotes, signs and line ends in them', () => {
    expect(parseTable('\ufeffName,Note\r\n"Li, Wei","said ""no""\nand left"\r\n\r\nTom,', 10)).toEqual([
      ['Name', 'Note'],
      ['Li, Wei', 'said "no"\nand left'],
      ['Tom', '']
    ]);
  });

  it('ends where it was told to', () => {
    expect(parseTable('a,b\n'.repeat(5000), 100)).toHaveLength(100);
  });
});
