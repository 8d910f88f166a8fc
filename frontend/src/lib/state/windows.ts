/** Further windows: of piwork itself, or of the browser, which gets its own way to the controller. */
import { api, problemOf } from '$lib/api/client';
import { addressFor, inWindow } from '$lib/api/transport';
import type { EventOf, OpenWish } from '$lib/api/types';
import { Acting } from './acting.svelte';
import { draft } from './draft.svelte';
import { overlay } from './overlay.svelte';
import { hrefOf, where } from './place.svelte';

/** Opens a window on a task, or on home. */
export async function openWindow(task = ''): Promise<void> {
  if (inWindow()) {
    await api.newWindow({ task });
    return;
  }
  open(addressFor(hrefOf(task ? { name: 'task', id: task } : { name: 'home' })), '_blank', 'noopener');
}

/** What hindered the last window that was opened from the list or by a key: these have no place to say it. */
export const opening = new Acting();

export async function openBeside(task = ''): Promise<void> {
  opening.failure = undefined;
  await openWindow(task).catch((cause: unknown) => (opening.failure = problemOf(cause)));
}

let dropping = Promise.resolve();

/** Shows what a link, an argument or a drop on the icon asks for. Nothing is started by it. */
function follow(wish: OpenWish): void {
  if (wish.task) {
    where.go({ name: 'task', id: wish.task });
    return;
  }
  if (wish.chore) draft.chore = wish.chore;
  const paths = wish.paths ?? [];
  if (wish.chore || paths.length > 0) where.go({ name: 'home' });
  // Files, too: the controller says which folder each stands for. One drop after the other: the last one
  // counts, whichever drive answers first.
  if (paths.length > 0) dropping = dropping.then(async () => void (await draft.drop(paths)));
}

/** Tells piwork's own window that this page listens, and shows what it was asked to open meanwhile. */
export async function ready(): Promise<void> {
  if (!inWindow()) return;
  try {
    const state = await api.windowReady();
    if (state.task) where.go({ name: 'task', id: state.task });
    for (const wish of state.open) follow(wish);
  } catch {
    // A window that cannot be asked to open anything opens at home.
  }
}

/** What the program around the page says. */
export function windowEvent(data: EventOf<'window'>['data']): void {
  if (data.what === 'close-asked') overlay.closing = data.running ?? 1;
  else follow(data);
}
