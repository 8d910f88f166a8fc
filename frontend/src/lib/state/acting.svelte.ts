/** One act at a time: which is under way, and what stood in the way of the last. */
import { ApiFailure, problemOf, UNFINISHED, unfinished } from '$lib/api/client';
import type { Problem } from '$lib/api/types';
import { i18n } from '$lib/i18n/index.svelte';

export class Acting<What extends string = 'working'> {
  busy = $state<What>();
  failure = $state.raw<Problem>();
  /** There is no native dialog: paths are written by hand. */
  byHand = $state(false);

  /**
   * Resolves to what came of the act: undefined when it failed. Nothing is begun while another act is under way: that is
   * said until the other one ends, because the person who pressed something would wait for it. The same act pressed
   * twice is one.
   */
  async run<R>(what: What, work: () => Promise<R>): Promise<R | undefined> {
    if (this.busy !== undefined) {
      if (this.busy !== what) this.failure = unfinished();
      return undefined;
    }
    this.busy = what;
    this.failure = undefined;
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof ApiFailure && cause.problem.code === 'no-window') this.byHand = true;
      else this.failure = problemOf(cause);
      return undefined;
    } finally {
      this.busy = undefined;
      if (this.failure?.code === UNFINISHED) this.failure = undefined;
    }
  }
}

/**
 * A value of the controller: read, changed by acts, and told by events. An answer counts unless one to a later
 * question came before, or an act or event told something newer meanwhile.
 *
 * TanStack Query was tried: its core alone is more than twice what the size budget has left, and it needs a client
 * around every component. runed's `resource` takes whichever answer comes last, also over what an event told.
 */
export class Resource<T, What extends string = 'working'> extends Acting<What> {
  known = $state.raw<T>();
  /** A question is waiting for its answer. */
  loading = $state(false);
  #asked = 0;
  #taken = 0;
  #told = 0;
  #unread: Problem | undefined;

  /** Reports whether the answer was taken. */
  async read(ask: () => Promise<T>): Promise<boolean> {
    const turn = ++this.#asked;
    this.loading = true;
    try {
      const value = await ask();
      if (turn < this.#taken) return false;
      this.#take(turn, value);
      return true;
    } catch (cause) {
      if (turn >= this.#taken) this.failure = this.#unread = problemOf(cause);
      return false;
    } finally {
      if (turn === this.#asked) this.loading = false;
    }
  }

  /**
   * Reads it now, and again when it is about something else, or when the words come in another language; what it returns
   * reads it once more. Call it while a component is set up.
   */
  keep(ask: () => Promise<T>): () => Promise<boolean> {
    const load = () => this.read(ask);
    $effect(() => {
      if (i18n.locale) void load();
    });
    return load;
  }

  /** What an act answers is newer than every question asked before it was answered. Reports whether it was taken. */
  async change(act: () => Promise<T>): Promise<boolean> {
    const turn = ++this.#told;
    try {
      const value = await act();
      if (turn !== this.#told) return false;
      this.know(value);
      this.failure = undefined;
      return true;
    } catch (cause) {
      this.failure = problemOf(cause);
      return false;
    }
  }

  /** The value as it is now: an event told it. */
  know(value: T): void {
    this.#take(++this.#asked, value);
  }

  #take(turn: number, value: T): void {
    this.#taken = turn;
    this.known = value;
    if (this.failure === this.#unread) this.failure = undefined; // an act that failed is still told of
  }
}
