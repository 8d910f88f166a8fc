/** Whether nobody is at a control: the focus is nowhere, or at the heading where reading began. */
export function atRest(): boolean {
  const at = document.activeElement;
  return !at || at === document.body || at.matches('h1, h2, h3');
}
