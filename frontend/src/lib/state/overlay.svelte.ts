/** What lies over the window: the palette, the list of shortcuts, the question of who closes it. */
class Overlay {
  open = $state<'palette' | 'shortcuts'>();
  /** How many tasks are at work while somebody wants to close the window. */
  closing = $state<number>();
}
export const overlay = new Overlay();
