// Checks the front end's types, style and tests, as many at once as there are processors, and says how long each took:
// node scripts/verify.mjs [check|lint|test]…   Without an argument: all of them.
// What did not change since it was right is not checked again: the caches are keyed by content and go with node_modules.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const home = fileURLToPath(new URL('..', import.meta.url));
const cores = availableParallelism();
const cache = 'node_modules/.cache';
const cached = (/** @type {string} */ name) =>
  `--cache --cache-strategy content --cache-location ${cache}/${name}`;
// The order of class names, which prettier checks, depends on the style sheet.
const styles = createHash('sha256')
  .update(readFileSync(`${home}/src/app.css`))
  .digest('hex')
  .slice(0, 16);

/** @typedef {{ part: string, name: string, line: string }} Job */
/** What takes longest comes first. @type {Job[]} */
const jobs = [
  // The other checks have the rest of the processors.
  { part: 'test', name: 'vitest', line: `vitest run --reporter=dot --maxWorkers=${Math.max(1, cores - 1)}` },
  {
    part: 'check',
    name: 'svelte-check',
    line: 'svelte-check --tsconfig ./tsconfig.json --fail-on-warnings --incremental'
  },
  { part: 'lint', name: 'prettier', line: `prettier --check . ${cached(`prettier-${styles}`)}` },
  { part: 'lint', name: 'eslint', line: `eslint . ${cached('eslint')}` },
  {
    part: 'check',
    name: 'tsc',
    line: `tsc -p tsconfig.node.json --incremental --tsBuildInfoFile ${cache}/tsc.tsbuildinfo`
  },
  { part: 'check', name: 'the SDK', line: 'tsc -p ../app/sdk/typescript' },
  // For browsers: without the types of Node, an import of it is an error.
  {
    part: 'check',
    name: 'the SDK for browsers',
    line: 'tsc -p ../app/sdk/typescript/tsconfig.browser.json'
  },
  {
    part: 'test',
    name: 'invented controller',
    line: 'node --test --test-reporter=dot e2e/mock/document.test.mjs'
  },
  { part: 'check', name: 'types of the words', line: 'node scripts/messages.mjs --check' }
];

/** Runs a job; what it prints comes in one piece. @param {Job} job */
async function run({ name, line }) {
  const began = Date.now();
  const [command = '', ...args] = line.split(' ');
  const path = command === 'node' ? process.execPath : `${home}/node_modules/.bin/${command}`;
  const child = spawn(path, args, { cwd: home, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  child.stdout.on('data', (part) => (printed += part));
  child.stderr.on('data', (part) => (printed += part));
  const [code] = await once(child, 'close');
  const took = `${((Date.now() - began) / 1000).toFixed(1)} s`;
  console.log(code === 0 ? `ok: ${name} (${took})` : `FAILED: ${name} (${took})\n${printed}`);
  if (code !== 0) process.exitCode = 1;
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((part) => !jobs.some((job) => job.part === part));
if (unknown.length > 0) {
  console.error(`no part ${unknown.join(', ')}; there are check, lint and test`);
  process.exit(2);
}
const queue = jobs.filter(({ part }) => wanted.length === 0 || wanted.includes(part));
const lanes = Array.from({ length: cores }, async () => {
  for (let job = queue.shift(); job; job = queue.shift()) await run(job);
});
await Promise.all(lanes);
