import { ReadableStream } from 'node:stream/web';
import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { useLocale } from '$lib/i18n/index.svelte';
import { reset } from './controller';

// What jsdom lacks and every browser has.
window.matchMedia ??= (query: string) =>
  Object.assign(new EventTarget(), {
    matches: false,
    media: query,
    onchange: null
  }) as unknown as MediaQueryList;
globalThis.ReadableStream ??= ReadableStream as typeof globalThis.ReadableStream;
Element.prototype.scrollIntoView ??= () => undefined;
globalThis.ResizeObserver ??= class {
  observe = () => undefined;
  unobserve = () => undefined;
  disconnect = () => undefined;
};
// Nothing comes into sight where nothing is laid out.
globalThis.IntersectionObserver ??= class {
  observe = () => undefined;
  disconnect = () => undefined;
} as unknown as typeof IntersectionObserver;

configure({ asyncUtilTimeout: 20_000 }); // on a busy computer

/** Whether clicks on an element come to nothing, as behind a dialog until shortly after its end. */
function covered(element: Element | null): boolean {
  const own = (element as HTMLElement | null)?.style.pointerEvents;
  return !!element && (own ? own === 'none' : covered(element.parentElement));
}
// A click waits until its element takes clicks, as a person does.
const click = userEvent.click;
Object.assign(userEvent, {
  click: async (element: Element) => {
    if (covered(element)) await vi.waitUntil(() => !covered(element), { timeout: 20_000 });
    await click(element);
  }
});

beforeAll(() => useLocale('en'));
beforeEach(reset);

// All files share a window: what one leaves behind, another one would find.
afterEach(async () => {
  cleanup();
  vi.unstubAllGlobals(); // first: what a test replaced may have been a timer that is not real
  vi.useRealTimers();
  document.body.replaceChildren();
  delete window.runtime;
  // A dialog takes clicks from what is behind it until shortly after its end.
  await vi.waitUntil(() => document.body.style.pointerEvents === '');
});
