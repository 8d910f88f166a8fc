/** What is looked for in the list of tasks. What is known here is found at once; what was asked in words, by the controller. */
import { api } from '$lib/api/client';
import type { Task } from '$lib/api/types';
import { fits, hasWords, textsOf, type Filter } from '$lib/model/find';
import { taskTitle } from '$lib/model/stage';
import { tasks } from './tasks.svelte';

const PAUSE_MS = 200; // of who types

class Finder {
  query = $state('');
  filter = $state<Filter>('all');
  /** Ids that the controller found for the present words. */
  #found = $state.raw<ReadonlySet<string>>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  get active(): boolean {
    return this.query.trim() !== '' || this.filter !== 'all';
  }

  get shown(): Task[] {
    const query = this.query.trim();
    return (tasks.list ?? []).filter(
      (task) =>
        fits(task.state, this.filter) &&
        (!query || this.#found?.has(task.id) || hasWords(query, textsOf(task, taskTitle(task))))
    );
  }

  look(query: string): void {
    this.query = query;
    this.#found = undefined;
    clearTimeout(this.#timer);
    const words = query.trim();
    if (words) this.#timer = setTimeout(() => void this.#ask(words), PAUSE_MS);
  }

  clear(): void {
    this.filter = 'all';
    this.look('');
  }

  async #ask(words: string): Promise<void> {
    try {
      const found = await api.listTasks({ q: words });
      if (this.query.trim() === words) this.#found = new Set(found.map((task) => task.id));
    } catch {
      // What the window knows itself is shown.
    }
  }
}

export const finder = new Finder();
