// Waiting for what is not there yet.

/**
 * Waits for something to be so, and says what it was when it never is.
 * @template T
 * @param {string} what @param {() => T | Promise<T>} holds @param {number} [ms] @param {number} [every] ms
 * @returns {Promise<NonNullable<T>>}
 */
export async function until(what, holds, ms = 60_000, every = 150) {
  for (const deadline = Date.now() + ms; ;) {
    const value = await holds();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`it never was so: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, every));
  }
}
