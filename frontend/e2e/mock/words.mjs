// The words of an answer, as the real controller says them (./words, which needs Go).
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** @typedef {(line: string) => Promise<string>} Speaker */

/** @type {Speaker | undefined} */
let speaker;

/** Starts what says the words. It ends with node, which waits for no more than its answers. @returns {Speaker} */
function start() {
  const child = spawn('go', ['run', './frontend/e2e/mock/words'], {
    cwd: new URL('../../..', import.meta.url),
    stdio: ['pipe', 'pipe', 'inherit']
  });
  const { stdin } = child;
  const stdout = /** @type {import('node:net').Socket} */ (child.stdout);
  for (const each of [child, /** @type {import('node:net').Socket} */ (stdin), stdout]) each.unref();
  /** @type {((line: string) => void)[]} */
  const waiting = [];
  createInterface(stdout).on('line', (line) => {
    waiting.shift()?.(line);
    if (waiting.length === 0) stdout.unref();
  });
  return (line) =>
    new Promise((resolve) => {
      waiting.push(resolve);
      stdout.ref();
      stdin.write(line + '\n');
    });
}

/**
 * An answer with its words.
 * @template T
 * @param {T} answer @param {string} language @returns {Promise<T>}
 */
export async function inWords(answer, language) {
  if (typeof answer !== 'object' || answer === null) return answer;
  speaker ??= start();
  return JSON.parse(await speaker(JSON.stringify({ language, answer })));
}
