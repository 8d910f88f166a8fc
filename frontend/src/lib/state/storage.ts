/** This window's own memory. A window without storage remembers as long as it is open, elsewhere. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // What is remembered lasts as long as the window.
  }
}
