/** Tells piwork's own window whether this page is drawn: some graphics drivers leave it blank while its scripts run. */
import { api } from '$lib/api/client';
import { inWindow } from '$lib/api/transport';

/** How long a visible page may take to its second frame. */
const STALL_MS = 10_000;

/** The second frame is asked for once the first is through; a page that nobody can see draws none, and waits. */
export function reportDrawn(): void {
  if (!inWindow()) return;
  let frames = 0;
  let told = false;
  let stalled: ReturnType<typeof setTimeout> | undefined;

  function tell(drawn: boolean) {
    if (told) return;
    told = true;
    clearTimeout(stalled);
    document.removeEventListener('visibilitychange', watch);
    api.windowDrawn({ drawn }).catch(() => {}); // its window ends, or is of another version
  }
  function frame() {
    if (++frames === 2) tell(true);
    else requestAnimationFrame(frame);
  }
  function watch() {
    clearTimeout(stalled);
    if (document.visibilityState === 'visible') stalled = setTimeout(() => tell(false), STALL_MS);
  }
  document.addEventListener('visibilitychange', watch);
  watch();
  requestAnimationFrame(frame);
}
