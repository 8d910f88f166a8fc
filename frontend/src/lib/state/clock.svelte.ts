/** The present time, once a second, for those who show how long something takes. It stands still unless read. */
import { createSubscriber } from 'svelte/reactivity';

class Clock {
  readonly #subscribe = createSubscriber((update) => {
    const timer = setInterval(update, 1000);
    return () => clearInterval(timer);
  });

  get now(): number {
    this.#subscribe();
    return Date.now();
  }
}

export const clock = new Clock();
