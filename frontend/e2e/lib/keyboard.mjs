// The way through a page without a mouse.

/** Runs in the page: the name of what has the focus. */
function focused() {
  const active = document.activeElement;
  const label = active instanceof HTMLInputElement ? active.labels?.[0]?.textContent : '';
  return (active?.getAttribute('aria-label') || label || active?.textContent || '').trim();
}

/**
 * Goes on to the control of a name with the keyboard alone.
 * @param {string} name @param {() => Promise<unknown>} tab presses the key
 * @param {(work: () => string) => Promise<string>} ask the page
 */
export async function tabTo(name, tab, ask) {
  /** @type {string[]} */
  const passed = [];
  while (passed.length < 60) {
    await tab();
    const text = await ask(focused);
    if (text === name) return;
    passed.push(text);
  }
  throw new Error(`the keyboard does not reach ${name}, but: ${passed.join(' | ')}`);
}
