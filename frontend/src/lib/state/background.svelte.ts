/** What runs in the background, and why. */
import { api } from '$lib/api/client';
import type { ProcessStatus } from '$lib/api/types';

const SETTLE_MS = 300; // events come in bursts; one reading serves all of them

class Background {
  now = $state.raw<ProcessStatus>();
  #again: ReturnType<typeof setTimeout> | undefined;

  async look(): Promise<void> {
    try {
      this.now = await api.getProcess();
    } catch {
      this.now = undefined; // part of another program, or nobody answers
    }
  }

  /** Tasks are others than they were. */
  changed(): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => void this.look(), SETTLE_MS);
  }
}

export const background = new Background();
