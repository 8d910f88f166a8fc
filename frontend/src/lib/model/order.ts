/**
 * Which of several answers is the newest. A question takes a number when it is
 * asked; an answer counts unless a later question about the same was answered
 * before, or something newer became known in another way.
 */
export class Order {
  #last = 0;
  readonly #known = new Map<string, number>();

  /** A question is asked now. */
  ask(): number {
    return ++this.#last;
  }

  /** Whether the answer to a question says more than what is known about this. */
  isNews(about: string, asked: number): boolean {
    return (this.#known.get(about) ?? 0) <= asked;
  }

  /** Takes the answer to a question; false: it is out of date. */
  take(about: string, asked: number): boolean {
    if (!this.isNews(about, asked)) return false;
    this.#known.set(about, asked);
    return true;
  }

  /** What is known now is newer than the answer to any question that was asked so far. */
  know(about: string): void {
    this.#known.set(about, ++this.#last);
  }
}
