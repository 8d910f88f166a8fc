/** What a task changed, counted, sorted into folders and made safe to show. */
import type { Change, Effect, Folder } from '$lib/api/types';

export interface ChangesView {
  /** What still stands in the folders. */
  standing: Change[];
  /** What waits in front of them for a yes. */
  waiting: Change[];
  counts: Record<Effect, number>;
  undone: number;
}

export function viewChanges(changes: readonly Change[]): ChangesView {
  const counts: Record<Effect, number> = { create: 0, move: 0, change: 0, delete: 0 };
  const waiting = changes.filter((change) => change.staged);
  const standing = changes.filter((change) => !change.undone && !change.staged);
  for (const change of changes) if (!change.undone) counts[change.effect]++;
  return { standing, waiting, counts, undone: changes.filter((change) => change.undone).length };
}

export type Filter = 'all' | Effect | 'undone';

export const filters: readonly Filter[] = ['all', 'delete', 'change', 'move', 'create', 'undone'];

/** How many changes each filter shows. */
export function countFilters(changes: readonly Change[]): Record<Filter, number> {
  const view = viewChanges(changes);
  return { ...view.counts, all: changes.length, undone: view.undone };
}

/** A line of the list: a folder, or a change in it. */
export type Line =
  | { kind: 'folder'; key: string; folder: Folder | undefined; count: number }
  | { kind: 'change'; key: string; change: Change };

/** The lines of the list: what the filter shows, by folder where there are several. */
export function linesOf(
  changes: readonly Change[],
  folders: readonly Folder[],
  filter: Filter,
  find = ''
): Line[] {
  const wanted = find.trim().toLocaleLowerCase();
  const shown = changes.filter(
    (change) =>
      (filter === 'all' ||
        (filter === 'undone' ? change.undone : !change.undone && change.effect === filter)) &&
      (wanted === '' || `${change.path}\n${change.from ?? ''}`.toLocaleLowerCase().includes(wanted))
  );
  const lines: Line[] = [];
  const ids = [...new Set(shown.map((change) => change.folder ?? ''))];
  for (const id of ids) {
    const inside = shown.filter((change) => (change.folder ?? '') === id);
    if (folders.length > 1)
      lines.push({
        kind: 'folder',
        key: `folder ${id}`,
        folder: folders.find((folder) => folder.id === id),
        count: inside.length
      });
    for (const change of inside) lines.push({ kind: 'change', key: change.id, change });
  }
  return lines;
}

/** The name of a file and where it lies, for two lines of one row. */
export function splitPath(path: string): { name: string; dir: string } {
  const at = path.lastIndexOf('/');
  return at < 0 ? { name: path, dir: '' } : { name: path.slice(at + 1), dir: path.slice(0, at) };
}

/**
 * Makes visible what would steer the screen instead of being read: control
 * characters, and marks that turn the direction of writing.
 */
export function visible(text: string): string {
  // eslint-disable-next-line no-control-regex -- they are what this is about
  return text.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]/g, (c) => {
    const code = c.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return '\u2421';
    return `\u27e8${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
  });
}

/** What two lines have in common at both ends, so that only the middle is marked. */
export function middle(a: string, b: string): { start: number; endA: number; endB: number } {
  const from = [...a];
  const to = [...b];
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start++;
  let end = 0;
  while (
    end < from.length - start &&
    end < to.length - start &&
    from[from.length - 1 - end] === to[to.length - 1 - end]
  )
    end++;
  const length = (points: string[], n: number) => points.slice(0, n).join('').length;
  return {
    start: length(from, start),
    endA: length(from, from.length - end),
    endB: length(to, to.length - end)
  };
}

/** So many of what an undo left alone are listed; the rest is counted. */
export const FEW_CONFLICTS = 20;
