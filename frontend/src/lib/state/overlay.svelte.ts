/** What lies over the window: the palette, or the list of shortcuts. */
class Overlay {
  open = $state<'palette' | 'shortcuts'>();
}
export const overlay = new Overlay();
