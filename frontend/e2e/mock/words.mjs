// The words of an answer, as the real controller says them (./words, which needs Go).
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** @typedef {{ ask: (line: string) => Promise<string>, end: () => void }} Speaker */

/** @type {Speaker | undefined} */
let speaker;

/** @returns {Speaker} */
function start() {
  const { stdin, stdout } = spawn('go', ['run', './frontend/e2e/mock/words'], {
    cwd: new URL('../../..', import.meta.url),
    stdio: ['pipe', 'pipe', 'inherit']
  });
  /** @type {((line: string) => void)[]} */
  const waiting = [];
  createInterface(stdout).on('line', (line) => waiting.shift()?.(line));
  return {
    ask: (line) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        stdin.write(line + '\n');
      }),
    end: () => stdin.end()
  };
}

/** Ends what says the words; without that, node does not end. */
export function silence() {
  speaker?.end();
  speaker = undefined;
}

/**
 * An answer with its words.
 * @template T
 * @param {T} answer @param {string} language @returns {Promise<T>}
 */
export async function inWords(answer, language) {
  if (typeof answer !== 'object' || answer === null) return answer;
  speaker ??= start();
  return JSON.parse(await speaker.ask(JSON.stringify({ language, answer })));
}
