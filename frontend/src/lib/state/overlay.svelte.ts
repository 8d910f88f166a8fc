/** What is opened from anywhere in the window: the palette, the list of shortcuts, the question of who closes it, another model for a task. */
class Overlay {
  open = $state<'palette' | 'shortcuts'>();
  /** How many tasks are at work while somebody wants to close the window. */
  closing = $state<number>();
  /** The task whose model is about to be changed. */
  tuning = $state<string>();
}
export const overlay = new Overlay();
