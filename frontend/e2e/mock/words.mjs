// The words of problems, as the real controller says them (./words, which needs Go).
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** @typedef {import('../../src/lib/api/types').Problem} Problem */

/** @type {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, import('node:stream').Readable, null> | undefined} */
let speaker;
/** @type {((line: string) => void)[]} */
const waiting = [];

function started() {
  if (speaker) return speaker;
  speaker = spawn('go', ['run', './frontend/e2e/mock/words'], {
    cwd: new URL('../../..', import.meta.url),
    stdio: ['pipe', 'pipe', 'inherit']
  });
  createInterface(speaker.stdout).on('line', (line) => waiting.shift()?.(line));
  return speaker;
}

/** Ends what says the words; without that, node does not end. */
export function silence() {
  speaker?.stdin.end();
  speaker = undefined;
}

/** @param {unknown} value @param {Problem[]} found */
function collect(value, found) {
  if (typeof value !== 'object' || value === null) return found;
  if ('code' in value && 'fix' in value && Array.isArray(value.fix))
    found.push(/** @type {Problem} */ (value));
  else for (const inner of Object.values(value)) collect(inner, found);
  return found;
}

/**
 * A copy of an answer with the words of its problems.
 * @template T
 * @param {T} body @param {string} language @returns {Promise<T>}
 */
export async function inWords(body, language) {
  const copy = structuredClone(body);
  const problems = collect(copy, []);
  if (problems.length === 0) return copy;
  const { stdin } = started();
  /** @type {string} */
  const line = await new Promise((resolve) => {
    waiting.push(resolve);
    stdin.write(JSON.stringify({ language, problems }) + '\n');
  });
  JSON.parse(line).forEach((/** @type {Problem} */ said, /** @type {number} */ i) =>
    Object.assign(problems[i] ?? {}, said)
  );
  return copy;
}
