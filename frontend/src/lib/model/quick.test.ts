import { describe, expect, it } from 'vitest';
import { chore, task } from '../../test/controller';
import { quickChores } from './quick';

const named = (...names: string[]) => names.map((name) => ({ ...chore, name }));

describe('the chores on top', () => {
  it('are those that most people begin with', () => {
    const all = named('split-pdf', 'a', 'b', 'c', 'd', 'e', 'merge-pdf', 'pictures-to-pdf');
    expect(quickChores(all, []).map((one) => one.name)).toEqual([
      'pictures-to-pdf',
      'merge-pdf',
      'split-pdf',
      'a',
      'b',
      'c'
    ]);
  });

  it('begin with three that were used last, each once, and none that is not there', () => {
    const used = ['removed', 'split-pdf', 'split-pdf', 'a', 'b'].map((name) => ({ ...task, chore: name }));
    const names = quickChores(named('pictures-to-pdf', 'a', 'b', 'split-pdf'), used).map((one) => one.name);
    expect(names).toEqual(['split-pdf', 'a', 'pictures-to-pdf', 'b']);
  });
});
