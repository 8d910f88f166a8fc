import { describe, expect, it } from 'vitest';
import { Decoder, fromBase64, newName, pastable, toBase64 } from './terminal';

describe('what a program writes', () => {
  it('is text also where a sign comes in pieces', () => {
    const decoder = new Decoder();
    const all = new TextEncoder().encode('hällo 海 👩‍👩‍👧');
    expect(Array.from(all, (byte) => decoder.next(Uint8Array.of(byte))).join('')).toBe('hällo 海 👩‍👩‍👧');
  });

  it('has no sign that grows without an end', () => {
    const said = (text: string) => new Decoder().next(new TextEncoder().encode(text));
    expect(said(`e${'\u0301'.repeat(100_000)}x`)).toBe(`e${'\u0301'.repeat(16)}x`);
    expect(said(`x${'\u200d'.repeat(100)}`)).toBe(`x${'\u200d'.repeat(16)}`);
    expect(said('\xff\xfe')).toBe('\xff\xfe');
    const decoder = new Decoder();
    const pieces = Array.from({ length: 1000 }, () => decoder.next(new TextEncoder().encode('\u0301')));
    expect(pieces.join('')).toHaveLength(16);
  });
});

it('what is pasted has nothing that ends its brackets or acts as a key', () => {
  expect(pastable('a\x1b[201~\nrm -rf ~\n\tb\x00\x03\x7f\u009b201~ä海')).toBe('a[201~\nrm -rf ~\n\tb201~ä海');
});

it('bytes pass as they are', () => {
  const all = Uint8Array.from({ length: 256 }, (_, i) => i);
  expect(fromBase64(toBase64(all))).toEqual(all);
  expect(newName()).toMatch(/^[0-9a-f]{32}$/);
});
