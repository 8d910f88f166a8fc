/** Which chores stand on top: those used last, then those that most people begin with. */
import type { ChoreInfo, Task } from '$lib/api/types';

const QUICK = 6;
const RECENT = 3;
const FIRST = [
  'pictures-to-pdf',
  'cleanup-downloads',
  'find-duplicates',
  'merge-pdf',
  'searchable-scans',
  'receipts-to-table'
];

/** At most six, in an order that does not depend on what is chosen: nothing jumps under the pointer. */
export function quickChores(chores: readonly ChoreInfo[], tasks: readonly Task[]): ChoreInfo[] {
  const used = new Set(tasks.flatMap((task) => task.chore ?? []));
  const names = [...[...used].slice(0, RECENT), ...FIRST, ...chores.map((chore) => chore.name)];
  return [...new Set(names)]
    .flatMap((name) => chores.find((chore) => chore.name === name) ?? [])
    .slice(0, QUICK);
}
