/** The safest answer to a question that needs care has the focus: who presses Enter without looking says no. */
import type { Attachment } from 'svelte/attachments';
import { atRest } from '$lib/ui/atRest';

/**
 * Gives the focus to the button in what this is attached to when a question appears, or takes the place of
 * another. Whoever writes or is at another control is left there.
 */
export const safest =
  (question: string, risky: boolean): Attachment<HTMLElement> =>
  (place) => {
    if (!question || !risky) return;
    if (atRest() || place.closest('section')?.contains(document.activeElement))
      place.querySelector('button')?.focus({ preventScroll: true });
  };
