/** Messages that are being written. Parts come many times a second; the window sees them once a frame. */
import { SvelteMap } from 'svelte/reactivity';
import type { DeltaData } from '$lib/api/types';

interface Written {
  id: string;
  text: string;
  thinking: string;
  /** The last part that came. */
  part: number;
}

const HIDDEN_MS = 500; // a window that nobody sees draws no frames

class Writing {
  /** By task; one message at a time is written. */
  readonly now = new SvelteMap<string, Written>();
  readonly #waiting = new Map<string, Written>();
  #planned = false;

  /** A message of which a part did not arrive is not shown before it is whole. */
  add(task: string, data: DeltaData): void {
    const before = this.#waiting.get(task) ?? this.now.get(task);
    const same = before?.id === data.id ? before : undefined;
    const part = data.part ?? (same?.part ?? 0) + 1;
    if (part !== (same?.part ?? 0) + 1) {
      this.end(task);
      return;
    }
    this.#waiting.set(task, {
      id: data.id,
      part,
      text: (same?.text ?? '') + (data.text ?? ''),
      thinking: (same?.thinking ?? '') + (data.thinking ?? '')
    });
    this.#plan();
  }

  /** Parts may be missing from now on. */
  clear(): void {
    this.#waiting.clear();
    this.now.clear();
  }

  /** The message is there, whole; or nothing more of it comes. */
  end(task: string, id?: string): void {
    if (id === undefined || this.#waiting.get(task)?.id === id) this.#waiting.delete(task);
    if (id === undefined || this.now.get(task)?.id === id) this.now.delete(task);
  }

  #plan(): void {
    if (this.#planned) return;
    this.#planned = true;
    if (document.hidden) setTimeout(() => this.#show(), HIDDEN_MS);
    else requestAnimationFrame(() => this.#show());
  }

  #show(): void {
    this.#planned = false;
    for (const [task, written] of this.#waiting) this.now.set(task, written);
    this.#waiting.clear();
  }
}

export const writing = new Writing();
