/** Further windows: of piwork itself, or of the browser, which gets its own way to the controller. */
import { api } from '$lib/api/client';
import { addressFor, inWindow } from '$lib/api/transport';
import type { EventOf, OpenWish } from '$lib/api/types';
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

/** Shows what a link, an argument or a drop on the icon asks for. Nothing is started by it. */
async function follow(wish: OpenWish): Promise<void> {
  if (wish.task) {
    where.go({ name: 'task', id: wish.task });
    return;
  }
  if (wish.chore) draft.chore = wish.chore;
  const paths = wish.paths ?? [];
  if (wish.chore || paths.length > 0) where.go({ name: 'home' });
  if (paths.length > 0) await draft.drop(paths); // files, too: the controller says which folder each stands for
}

let last = Promise.resolve();

/** One wish after the other: the last one counts, whichever is answered first. */
function inTurn(wish: OpenWish): void {
  last = last.then(() => follow(wish));
}

/** Tells piwork's own window that this page listens, and shows what it was asked to open meanwhile. */
export async function ready(): Promise<void> {
  if (!inWindow()) return;
  try {
    const state = await api.windowReady();
    if (state.task) where.go({ name: 'task', id: state.task });
    for (const wish of state.open) inTurn(wish);
  } catch {
    // A window that cannot be asked to open anything opens at home.
  }
}

/** What the program around the page says. */
export function windowEvent(data: EventOf<'window'>['data']): void {
  if (data.what === 'close-asked') overlay.closing = data.running ?? 1;
  else inTurn(data);
}
