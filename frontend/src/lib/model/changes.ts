/** What a task changed, counted. */
import type { Change, Effect } from '$lib/api/types';

export interface ChangesView {
  /** What still stands. */
  standing: Change[];
  counts: Record<Effect, number>;
  undone: number;
}

export function viewChanges(changes: readonly Change[]): ChangesView {
  const counts: Record<Effect, number> = { create: 0, move: 0, change: 0, delete: 0 };
  const standing = changes.filter((change) => !change.undone);
  for (const change of standing) counts[change.effect]++;
  return { standing, counts, undone: changes.length - standing.length };
}
