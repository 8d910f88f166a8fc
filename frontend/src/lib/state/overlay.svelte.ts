import { tick } from 'svelte';
import type { Level } from '$lib/model/tune';
import { Acting } from './acting.svelte';

/**
 * Another model for a task, while it is chosen. It is kept here, because the control has two places by the
 * width of the window: what was chosen in one stands in the other.
 */
export class Tuning extends Acting {
  /** What the task has, until something else is chosen. */
  model = $state<string>();
  level = $state<Level>();
  /** Its form has to take the focus, and has not yet. */
  fresh = true;

  constructor(readonly task: string) {
    super();
  }
}

/** What is opened from anywhere in the window: the palette, the list of shortcuts, the question of who closes it, another model for a task. */
class Overlay {
  open = $state<'palette' | 'shortcuts'>();
  /** How many tasks are at work while somebody wants to close the window. */
  closing = $state<number>();
  /** Of the task whose model is about to be changed. */
  tuning = $state.raw<Tuning>();

  /** The tasks whose control is there, each as often as it is. */
  readonly #controls: string[] = [];

  /** Begins to choose another model for a task, or goes on with that. */
  tune(task: string): void {
    if (this.tuning?.task !== task) this.tuning = new Tuning(task);
    this.tuning.fresh = true;
  }

  /** Says that the control of a task is there, until the answer is called; what is chosen ends with the last. */
  control(task: string): () => void {
    this.#controls.push(task);
    return () => {
      this.#controls.splice(this.#controls.indexOf(task), 1);
      void tick().then(() => {
        if (this.tuning?.task === task && !this.#controls.includes(task)) this.tuning = undefined;
      });
    };
  }
}
export const overlay = new Overlay();
