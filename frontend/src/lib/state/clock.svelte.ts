/** The present time, once a second, for those who show how long something takes. It stands still unless read. */
import { createSubscriber } from 'svelte/reactivity';

class Clock {
  #now = Date.now();
  readonly #subscribe = createSubscriber((update) => {
    const timer = setInterval(() => {
      this.#now = Date.now();
      update();
    }, 1000);
    return () => clearInterval(timer);
  });

  get now(): number {
    this.#subscribe();
    this.#now = Math.max(this.#now, Date.now());
    return this.#now;
  }
}

export const clock = new Clock();
