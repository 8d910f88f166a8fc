/** What is written to tasks, until it is sent: a look at another place loses none of it, nor what hindered its sending. */
import { Acting } from './acting.svelte';

const MOST = 100; // the oldest goes

export class Message extends Acting {
  text = $state('');
}

class Messages {
  readonly #kept = new Map<string, Message>();

  /** The one to this task. */
  of(task: string): Message {
    const message = this.#kept.get(task) ?? new Message();
    this.#kept.delete(task); // what is looked at last is the newest
    this.#kept.set(task, message);
    for (const [oldest, { busy }] of this.#kept) {
      if (this.#kept.size <= MOST) break;
      if (busy === undefined) this.#kept.delete(oldest);
    }
    return message;
  }

  /** The task is gone. */
  drop(task: string): void {
    this.#kept.delete(task);
  }

  clear(): void {
    this.#kept.clear();
  }
}

export const messages = new Messages();
