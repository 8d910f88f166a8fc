import { describe, expect, it, vi } from 'vitest';
import { follow, Sequence } from './events';

describe('Sequence', () => {
  it.each([
    ['numbers in a row', [7, 8, 9], [true, true, true]],
    ['deltas without a number', [7, 0, 0, 8], [true, true, true, true]],
    ['a missing number', [7, 9, 10], [true, false, true]],
    ['a controller that counts anew', [7, 8, 1, 2], [true, true, false, true]],
    ['the same number twice', [7, 7], [true, false]]
  ])('%s', (_name, numbers, want) => {
    const sequence = new Sequence();
    expect(numbers.map((n) => sequence.follows(n))).toEqual(want);
  });
});

describe('follow, in the window', () => {
  function start() {
    let emit: (data: unknown) => void = () => undefined;
    const stopped = vi.fn();
    window.runtime = {
      EventsOn: (name, take) => {
        expect(name).toBe('api:event');
        emit = take;
        return stopped;
      }
    };
    const listener = { event: vi.fn(), resync: vi.fn(), connection: vi.fn() };
    const stop = follow(listener);
    delete window.runtime;
    return { emit: (data: unknown) => emit(data), listener, stop, stopped };
  }
  const event = (seq: number, kind = 'state') => ({ v: 1, seq, time: '', task: 't', kind, data: {} });

  it('reads the state once, then hears events', () => {
    const { emit, listener, stop, stopped } = start();
    expect(listener.resync).toHaveBeenCalledTimes(1);
    emit(event(41));
    emit(event(42));
    expect(listener.event).toHaveBeenCalledTimes(2);
    expect(listener.resync).toHaveBeenCalledTimes(1);
    stop();
    expect(stopped).toHaveBeenCalled();
  });

  it('reads the state again after a gap, and when it is told to', () => {
    const { emit, listener } = start();
    emit(event(41));
    emit(event(44));
    expect(listener.resync).toHaveBeenCalledTimes(2);
    emit(event(0, 'reset'));
    expect(listener.resync).toHaveBeenCalledTimes(3);
  });

  it('hears what comes after an event that cannot be taken, and reads the state again', () => {
    const { emit, listener } = start();
    listener.event.mockImplementationOnce(() => {
      throw new TypeError('no data');
    });
    expect(() => emit(event(41))).not.toThrow();
    expect(listener.resync).toHaveBeenCalledTimes(2);
    emit(event(42));
    expect(listener.event).toHaveBeenCalledTimes(2);
  });

  it('hears that piwork’s own window lost its controller, and that another one is there', () => {
    const { emit, listener } = start();
    const own = (kind: string) => ({ v: 1, seq: 0, time: '', task: '', kind, data: {} });
    emit(own('lost'));
    expect(listener.connection).toHaveBeenLastCalledWith('lost');
    expect(listener.event).not.toHaveBeenCalled();
    emit(own('reset'));
    expect(listener.connection).toHaveBeenLastCalledWith('open');
    expect(listener.resync).toHaveBeenCalledTimes(2);
  });

  it('ignores what is no event', () => {
    const { emit, listener } = start();
    for (const nonsense of [null, 'x', 7, {}, { seq: 1 }]) emit(nonsense);
    expect(listener.event).not.toHaveBeenCalled();
  });
});
