// Runs the end-to-end tests in two rows, which go at the same time: node e2e/run.mjs [--all] [NAME…]
// Tests with a machine run one after the other, because a machine keeps a processor busy, and share an installed pack.
// The others run beside them. --all hands --all to each. Prints what each test printed when it ends, and how long it
// took. Needs PIWORK_BIN and PIWORK_TEST_PACK.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromEnvironment } from './lib/program.mjs';

/** Each test and what it shows. browser comes first: it begins on a computer without a runtime. */
const rows = {
  machine: {
    browser: 'the window in Chromium with a real machine, from no runtime to a PDF and back',
    ai: 'a task in own words, with a model that answers by a script',
    window: 'the real window, by mouse and keyboard'
  },
  page: {
    download: 'the runtime is downloaded over a network that fails',
    setup: 'what stands in the way on Linux, Windows and macOS has its card',
    webkit: 'screens in the engine of the window',
    axe: 'every screen: for everybody, enlarged, in both languages'
  }
};

fromEnvironment();
const all = process.argv.includes('--all');
const wanted = process.argv.slice(2).filter((name) => name !== '--all');
const known = Object.values(rows).flatMap((row) => Object.keys(row));
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`no test ${unknown.join(', ')}; there are ${known.join(', ')}`);
  process.exit(2);
}
const shared = mkdtempSync(join(tmpdir(), 'piwork-e2e-shared.'));

/** @param {string} name @param {string} what it shows @param {NodeJS.ProcessEnv} env */
async function test(name, what, env) {
  const began = Date.now();
  const path = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  const child = spawn(process.execPath, [path, ...(all ? ['--all'] : [])], {
    env,
    stdio: ['ignore', 'pipe', 'pipe']
  });
  let printed = '';
  child.stdout.on('data', (part) => (printed += part));
  child.stderr.on('data', (part) => (printed += part));
  const [code] = await once(child, 'close');
  const took = `${Math.round((Date.now() - began) / 1000)} s`;
  process.stdout.write(printed.replace(/^(?=.)/gm, '  '));
  console.log(`${code === 0 ? 'ok' : 'FAILED'}: ${name}: ${what} (${took})`);
  if (code !== 0) process.exitCode = 1;
}

/** @param {Record<string, string>} row @param {NodeJS.ProcessEnv} env */
async function inTurn(row, env) {
  for (const [name, what] of Object.entries(row))
    if (wanted.length === 0 || wanted.includes(name)) await test(name, what, env);
}

const began = Date.now();
try {
  await Promise.all([
    inTurn(rows.machine, { ...process.env, PIWORK_E2E_SHARED: shared }),
    inTurn(rows.page, process.env)
  ]);
} finally {
  rmSync(shared, { recursive: true, force: true });
}
console.log(`end-to-end tests: ${Math.round((Date.now() - began) / 1000)} s`);
