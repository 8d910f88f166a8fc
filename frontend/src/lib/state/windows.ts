/** Further windows: of piwork itself, or of the browser, which gets its own way to the controller. */
import { api } from '$lib/api/client';
import { addressFor, inWindow } from '$lib/api/transport';
import { hrefOf } from './place.svelte';

/** Opens a window on a task, or on home. */
export async function openWindow(task = ''): Promise<void> {
  if (inWindow()) {
    await api.newWindow(task);
    return;
  }
  open(addressFor(hrefOf(task ? { name: 'task', id: task } : { name: 'home' })), '_blank', 'noopener');
}
