/**
 * Keeps the focus where the person is: when the control that has it goes away,
 * because it was pressed and did its work, the heading of its section gets the
 * focus, or that of the whole place. Otherwise the keyboard would start again
 * at the top of the window, and a screen reader would fall silent.
 */
import type { Attachment } from 'svelte/attachments';

export const keepFocus: Attachment<HTMLElement> = (area) => {
  let control: Element | undefined;
  let section: Element | null = null;

  function remember(event: FocusEvent) {
    if (!(event.target instanceof Element)) return;
    control = event.target;
    section = control.closest('section');
  }

  const observer = new MutationObserver(() => {
    if (!control || control.isConnected || document.activeElement !== document.body) return;
    control = undefined;
    const heading =
      (section?.isConnected ? section.querySelector<HTMLElement>('h1, h2, h3') : null) ??
      area.querySelector<HTMLElement>('h1');
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  });

  area.addEventListener('focusin', remember);
  observer.observe(area, { childList: true, subtree: true });
  return () => {
    area.removeEventListener('focusin', remember);
    observer.disconnect();
  };
};
