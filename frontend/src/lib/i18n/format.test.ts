import { describe, expect, it } from 'vitest';
import { compile } from './compile';
import germanWords from './de.json';
import englishWords from './en.json';
import type { Messages } from './messages.gen';
import { makeFormat } from './format';
import { matchLocale, regional } from './locale';

const en = compile<Messages>(englishWords, 'en');
const de = compile<Messages>(germanWords, 'de');

const f = makeFormat('en', en.time);

describe('format', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1 kB'],
    [1500, '1.5 kB'],
    [9990, '10 kB'],
    [999_999, '1,000 kB'],
    [28_400_000, '28 MB'],
    [1_234_000_000, '1.2 GB'],
    [3e15, '3,000 TB']
  ])('%d bytes are %s', (bytes, want) => expect(f.bytes(bytes)).toBe(want));

  it.each([
    [0, 'a moment'],
    [499, 'a moment'],
    [1000, '1 second'],
    [59_000, '59 seconds'],
    [61_000, 'about 1 minute'],
    [170_000, 'about 3 minutes'],
    [3_600_000, 'about 1 hour']
  ])('%d ms lasted %s', (ms, want) => expect(f.duration(ms)).toBe(want));

  it.each([
    [0, 'about 5 seconds'],
    [11_000, 'about 15 seconds'],
    [58_000, 'about 1 minute'],
    [7_300_000, 'about 2 hours']
  ])('%d ms to go are %s', (ms, want) => expect(f.estimate(ms)).toBe(want));

  it('says when something was', () => {
    const now = Date.parse('2026-03-10T12:00:00Z');
    expect(f.ago('2026-03-10T12:00:05Z', now)).toBe('just now'); // clocks differ a little
    expect(f.ago('2026-03-10T11:55:00Z', now)).toBe('5 minutes ago');
    expect(f.ago('2026-03-09T11:00:00Z', now)).toBe('yesterday');
    expect(f.ago('2026-01-02T12:00:00Z', now)).toContain('2026');
    expect(makeFormat('de', de.time).ago('2026-03-10T11:55:00Z', now)).toBe('vor 5 Minuten');
  });

  it('takes the first language that it has', () => {
    expect(matchLocale(['de-AT', 'en'])).toBe('de');
    expect(matchLocale(['fr', 'en-US', 'de'])).toBe('en');
    expect(matchLocale(['ja'])).toBe('en');
    expect(matchLocale([])).toBe('en');
  });

  it('writes dates and times as where the person lives', () => {
    expect(regional('en', ['de-DE', 'en-GB', 'en'])).toBe('en-GB');
    expect(regional('de', ['en-GB'])).toBe('de');
    expect(makeFormat('en-GB', en.time).day('2026-01-02T12:00:00Z')).toBe('2 Jan 2026');
  });
});
