import { describe, expect, it } from 'vitest';
import { task } from '../../test/controller';
import { fits, folded, hasWords, textsOf } from './find';

describe('finding tasks', () => {
  it('does not mind case, accents, ß and the order of words', () => {
    expect(folded('Grüße aus Łódź')).toBe(folded('GRUSSE AUS ŁODZ'));
    expect(hasWords('PDF  stra', ['Straße → pdf'])).toBe(true);
    expect(hasWords('café', ['Cafe'])).toBe(true);
    expect(hasWords('カ\u3099', ['ガ'])).toBe(true); // one letter, written in two ways
    expect(hasWords('pdf word', ['Straße → pdf'])).toBe(false);
  });

  it('looks at the title, the folders and the results', () => {
    const results = [{ folder: 'f1', path: 'made/Receipts.csv', size: 1, sha256: '' }];
    const texts = textsOf({ ...task, results }, 'Sea → PDF');
    for (const words of ['sea pdf', 'receipts', 'Sea csv']) expect(hasWords(words, texts), words).toBe(true);
    expect(hasWords('mountains', texts)).toBe(false);
  });

  it('sorts states into what a person looks for', () => {
    expect(fits('preparing', 'active')).toBe(true);
    expect(fits('waiting', 'active')).toBe(false);
    expect(fits('waiting', 'waiting')).toBe(true);
    expect(fits('cancelled', 'stopped')).toBe(true);
    expect(fits('failed', 'done')).toBe(false);
    expect(fits('failed', 'all')).toBe(true);
  });
});
