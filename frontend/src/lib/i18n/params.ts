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

/** Whether something from outside is one of those that are known. */
export function isOneOf<T extends string>(list: readonly T[], code: unknown): code is T {
  return (list as readonly unknown[]).includes(code);
}
