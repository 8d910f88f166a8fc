/** What is written and not sent yet: a look at another place loses none of it. */
import type { AnswerRequest } from '$lib/api/types';

const MOST = 100; // the oldest goes

class Unsent<T> {
  readonly #kept = new Map<string, { task: string; value: T }>();

  get(task: string, question = ''): T | undefined {
    return this.#kept.get(`${task} ${question}`)?.value;
  }

  /** Keeps it until something else is written; undefined is nothing. */
  keep(value: T | undefined, task: string, question = ''): void {
    const key = `${task} ${question}`;
    this.#kept.delete(key); // what was written last is the newest
    if (value === undefined) return;
    this.#kept.set(key, { task, value });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST) break;
      this.#kept.delete(oldest);
    }
  }

  /** The task is gone. */
  drop(task: string): void {
    for (const [key, one] of this.#kept) if (one.task === task) this.#kept.delete(key);
  }

  clear(): void {
    this.#kept.clear();
  }
}

/** In answer to what a task asks. */
export const answers = new Unsent<{
  typed: string | undefined;
  picked: AnswerRequest['choice'] | undefined;
  path: string;
}>();
