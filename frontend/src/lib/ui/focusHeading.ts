/** Moves the focus to the heading of a place that was just entered, so that reading goes on there. */
import type { Attachment } from 'svelte/attachments';

let first = true;

export const focusHeading: Attachment<HTMLElement> = (heading) => {
  heading.tabIndex = -1;
  if (!first) heading.focus({ preventScroll: true }); // the first place of all is read from its top
  first = false;
};
