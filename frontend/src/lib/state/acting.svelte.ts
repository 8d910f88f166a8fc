/** One act at a time: which is under way, and what stood in the way of the last. */
import { problemOf } from '$lib/api/client';
import type { Problem } from '$lib/api/types';

export class Acting<What extends string = 'working'> {
  busy = $state<What>();
  failure = $state.raw<Problem>();

  /** Nothing is begun while another act is under way. */
  async run(what: What, work: () => Promise<unknown>): Promise<void> {
    if (this.busy) return;
    this.busy = what;
    this.failure = undefined;
    try {
      await work();
    } catch (cause) {
      this.failure = problemOf(cause);
    } finally {
      this.busy = undefined;
    }
  }
}
