/** Which chores stand together. */
import type { ChoreInfo } from '$lib/api/types';

export type ChoreGroup = 'pictures' | 'documents' | 'folders' | 'tables' | 'other';

const GROUPS: Record<Exclude<ChoreGroup, 'other'>, readonly string[]> = {
  pictures: ['pictures-to-pdf', 'convert-pictures', 'strip-metadata', 'sort-photos', 'rename-photos'],
  documents: [
    'merge-pdf',
    'split-pdf',
    'compress-pdf',
    'unlock-pdf',
    'searchable-scans',
    'extract-text',
    'receipts-to-table',
    'save-web-page',
    'check-receipts',
    'summarise-notes',
    'contract-summary'
  ],
  folders: [
    'cleanup-downloads',
    'find-duplicates',
    'rename-files',
    'unpack-archives',
    'folder-report',
    'folder-dashboard'
  ],
  tables: ['clean-table', 'clean-csv', 'join-tables', 'fill-table']
};

/** The chores by group, in the order in which they came; a group without any is left out. */
export function groupChores(chores: readonly ChoreInfo[]): { group: ChoreGroup; chores: ChoreInfo[] }[] {
  const known = Object.values(GROUPS).flat();
  const named = (Object.keys(GROUPS) as (keyof typeof GROUPS)[]).map((group) => ({
    group: group as ChoreGroup,
    chores: chores.filter((chore) => GROUPS[group].includes(chore.name))
  }));
  const other = { group: 'other' as const, chores: chores.filter((chore) => !known.includes(chore.name)) };
  return [...named, other].filter((part) => part.chores.length > 0);
}
