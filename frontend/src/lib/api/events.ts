/** Events in order: numbers tell when one was missed, and then the listener reads everything again. */
import { listen } from './transport';
import type { ApiEvent } from './types';

export interface Listener {
  event(event: ApiEvent): void;
  /** Something may have been missed: read the state again. Also called once at the start. */
  resync(): void;
  connection(state: 'open' | 'lost' | 'refused'): void;
}

/**
 * Watches the numbers of a stream. A number that does not follow the last one
 * means a gap, or a controller that was started again and counts from one.
 */
export class Sequence {
  #last = 0;

  /** Reports whether an event with this number came without a gap. Deltas carry zero and never are one. */
  follows(seq: number): boolean {
    if (seq === 0) return true;
    const gap = this.#last !== 0 && seq !== this.#last + 1;
    this.#last = seq;
    return !gap;
  }

  restart(): void {
    this.#last = 0;
  }
}

function isEvent(data: unknown): data is ApiEvent {
  return typeof data === 'object' && data !== null && 'kind' in data && 'seq' in data;
}

/** Follows all events of the controller until the function it returns is called. */
export function follow(listener: Listener): () => void {
  const sequence = new Sequence();
  return listen({
    open() {
      sequence.restart();
      listener.connection('open');
      listener.resync();
    },
    event(data) {
      if (!isEvent(data)) return;
      const kind: string = data.kind;
      if (kind === 'lost') {
        listener.connection('lost'); // piwork's own window says so, and a reset when there is a controller again
        return;
      }
      if (kind === 'reset') listener.connection('open');
      // The controller itself says so, or the numbers do.
      if (kind === 'reset' || !sequence.follows(data.seq)) listener.resync();
      try {
        listener.event(data);
      } catch {
        listener.resync(); // what it would have told is read; the events after it are heard
      }
    },
    lost() {
      listener.connection('lost');
    },
    refused() {
      listener.connection('refused');
      listener.resync(); // the answers say why
    }
  });
}
