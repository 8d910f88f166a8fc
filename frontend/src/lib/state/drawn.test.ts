import { beforeEach, describe, expect, it, vi } from 'vitest';
import { serve } from '../../test/controller';
import { reportDrawn } from './drawn';

let frames: FrameRequestCallback[] = [];
let visible = true;

beforeEach(() => {
  frames = [];
  visible = true;
  vi.useFakeTimers();
  vi.stubGlobal('requestAnimationFrame', (work: FrameRequestCallback) => frames.push(work));
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => (visible ? 'visible' : 'hidden'));
  window.runtime = { EventsOn: () => () => undefined };
});

function told(): unknown[] {
  const bodies: unknown[] = [];
  serve({ 'POST /v1/window/drawn': (body: unknown) => void bodies.push(body) });
  reportDrawn();
  return bodies;
}
const frame = () => frames.shift()?.(0);
function show(is: boolean) {
  visible = is;
  document.dispatchEvent(new Event('visibilitychange'));
}

describe('whether the page is drawn', () => {
  it('is told with the second frame, once', async () => {
    const said = told();
    frame();
    await vi.advanceTimersByTimeAsync(9_000);
    expect(said).toEqual([]);
    frame();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(said).toEqual([{ drawn: true }]);
  });

  it('is denied when no second frame comes, also when one comes later', async () => {
    const said = told();
    frame();
    await vi.advanceTimersByTimeAsync(10_000);
    frame();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(said).toEqual([{ drawn: false }]);
  });

  it('is not asked while nobody can see the page', async () => {
    const said = told();
    show(false);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(said).toEqual([]);
    show(true);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(said).toEqual([{ drawn: false }]);
  });

  it('is of no use in a browser', async () => {
    delete window.runtime;
    const said = told();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([said, frames]).toEqual([[], []]);
  });
});
