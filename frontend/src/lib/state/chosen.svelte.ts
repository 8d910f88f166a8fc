/**
 * What a person chose is one for all windows. An event tells that something was chosen, in whichever window or by the
 * command line; what is shown of it is read again.
 */
import { api } from '$lib/api/client';
import type { WindowSettings } from '$lib/api/types';
import { Resource } from './acting.svelte';

const SETTLE_MS = 40; // events come in bursts; one reading serves all of them

class Chosen {
  /** How windows behave and look. */
  readonly window = new Resource<WindowSettings>();
  #turn = $state(0);
  #choosing: Promise<boolean> = Promise.resolve(true);
  #again: ReturnType<typeof setTimeout> | undefined;

  /** Reads what is chosen. In an effect: again when something was chosen. */
  read<T>(ask: () => Promise<T>): Promise<T> {
    void this.#turn;
    return ask();
  }

  /** Something was chosen: `then` reads what is not read by an effect. */
  event(then: () => void): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => {
      this.#turn++;
      then();
    }, SETTLE_MS);
  }

  /** What is shown may be out of date: all of it is read again. */
  again(): void {
    this.#turn++;
  }

  async look(): Promise<void> {
    await this.window.read(() => api.getWindowSettings());
  }

  /**
   * Chooses some of it for all windows; the rest stays as it is. Reports whether it is kept: else it holds in this
   * window. All of it is read and written each time, so one choice waits for the other.
   */
  choose(some: Partial<WindowSettings>): Promise<boolean> {
    this.#choosing = this.#choosing.then(async () => {
      try {
        this.window.know(await api.setWindowSettings({ ...(await api.getWindowSettings()), ...some }));
        return true;
      } catch {
        return false;
      }
    });
    return this.#choosing;
  }
}

export const chosen = new Chosen();
