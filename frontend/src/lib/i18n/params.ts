/** Reads the parameters of a problem or a check, which come from outside and may lack anything. */
import type { Params } from '$lib/api/types';

export function text(p: Params, key: string): string {
  const value = p[key];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function number(p: Params, key: string): number | undefined {
  const value = p[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The last part of a path, of any system. */
export function baseName(path: string): string {
  return (
    path
      .replace(/[/\\]+$/, '')
      .split(/[/\\]/)
      .pop() ?? path
  );
}

/** What several folders are called together: by the first one. */
export function namesOf(folders: readonly { path: string }[]): string {
  const name = baseName(folders[0]?.path ?? '');
  return folders.length > 1 ? `${name} + ${folders.length - 1}` : name;
}

/** The name of the file or folder that the parameters are about. */
export function fileName(p: Params): string {
  return baseName(text(p, 'path') || text(p, 'out'));
}

/** The words for those of a list of names that have any. */
export function wordsOf(p: Params, key: string, words: Record<string, string>): string[] {
  const value = p[key];
  return Array.isArray(value)
    ? value.flatMap((v) => (typeof v === 'string' && Object.hasOwn(words, v) ? [words[v] ?? ''] : []))
    : [];
}

/** The first of a list of names. */
export function firstOf(p: Params, key: string): string {
  const value = p[key];
  return Array.isArray(value) && typeof value[0] === 'string' ? value[0] : '';
}
