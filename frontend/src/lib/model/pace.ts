/** Guesses how long the rest takes, from how long the last pieces took. */

const WINDOW = 12; // samples: the pace of the last pieces says more than that of the first
const MIN_DONE = 3;
const MIN_MS = 4000;

export class Pace {
  #samples: { time: number; done: number }[] = [];

  add(time: number, done: number): void {
    const last = this.#samples.at(-1);
    if (last && (done <= last.done || time < last.time)) return;
    this.#samples.push({ time, done });
    if (this.#samples.length > WINDOW) this.#samples.shift();
  }

  /** Milliseconds left, or undefined while a guess would be worth nothing. */
  left(done: number, total: number): number | undefined {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (!first || !last || total <= done || done < MIN_DONE) return undefined;
    const time = last.time - first.time;
    const pieces = last.done - first.done;
    if (time < MIN_MS || pieces <= 0) return undefined;
    return (time / pieces) * (total - done);
  }
}
