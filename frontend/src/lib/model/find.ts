/** Finding tasks by what is in sight of them. Case, accents and the order of words do not count. */
import type { Task, TaskState } from '$lib/api/types';

export const filters = ['all', 'active', 'waiting', 'done', 'stopped'] as const;
export type Filter = (typeof filters)[number];

const STATES: Record<Exclude<Filter, 'all'>, readonly TaskState[]> = {
  active: ['queued', 'preparing', 'running'],
  waiting: ['waiting'],
  done: ['done'],
  stopped: ['failed', 'cancelled']
};

export function fits(state: TaskState, filter: Filter): boolean {
  return filter === 'all' || STATES[filter].includes(state);
}

/** A text as it is compared: without case, without marks on its letters. */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss');
}

/** Whether each word of what is looked for is somewhere in the texts. */
export function hasWords(query: string, texts: readonly string[]): boolean {
  const all = folded(texts.join('\n'));
  return folded(query)
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** What a record says by itself; what was asked in words is found by the controller. */
export function textsOf(task: Task, title: string): string[] {
  return [
    title,
    task.title,
    ...task.folders.map((folder) => folder.name),
    ...(task.results ?? []).map((result) => result.path)
  ];
}
