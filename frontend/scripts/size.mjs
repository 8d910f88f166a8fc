// Prints how much the window loads at its start, gzipped: the page, its styles, and the scripts that are reached from
// it without waiting for an act of the person; of the languages, the largest. Fails above the budget. --json for a bench.
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const BUDGET = 150_000; // bytes
const dist = new URL('../dist/', import.meta.url);
const words = new URL('../src/lib/i18n/', import.meta.url);

const languages = readdirSync(words)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.replace('.json', ''));
const LANGUAGE = new RegExp(`^assets[/\\\\](${languages.join('|')})-[\\w-]{8}\\.js$`);
const APP = /^assets[/\\]App-[\w-]{8}\.js$/; // main.ts imports it as soon as a language is there

const names = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.(html|js|css|svg)$/.test(name)
);
/** @param {string} name */
const read = (name) => readFileSync(new URL(name, dist));

/** What a script imports before it runs. @param {string} name @returns {string[]} */
const imports = (name) =>
  [
    ...read(name)
      .toString()
      .matchAll(/\b(?:import|from)\s*["']\.\/([\w.-]+\.js)["']/g)
  ].map((match) => `assets/${match[1]}`);

/** @type {Set<string>} */
const start = new Set();
/** @param {string} name */
function reach(name) {
  if (start.has(name)) return;
  start.add(name);
  for (const next of imports(name)) reach(next);
}
for (const match of read('index.html')
  .toString()
  .matchAll(/(?:src|href)="\/([^"]+)"/g))
  if (match[1]?.endsWith('.js')) reach(match[1]);
for (const name of names) if (APP.test(name) || /\.(html|css|svg)$/.test(name)) reach(name);

/** @param {string} name @returns {'start' | 'language' | 'later'} */
const when = (name) => (LANGUAGE.test(name) ? 'language' : start.has(name) ? 'start' : 'later');

const files = names
  .map((name) => ({ name, bytes: gzipSync(read(name), { level: 9 }).length, when: when(name) }))
  .sort((a, b) => b.bytes - a.bytes);
const spoken = files.find((file) => file.when === 'language');
const app = files.some((file) => APP.test(file.name));
const total =
  files.reduce((sum, file) => sum + (file.when === 'start' ? file.bytes : 0), 0) + (spoken?.bytes ?? 0);

if (process.argv.includes('--json')) {
  console.log(
    JSON.stringify({ name: 'window/bundle/gzip', unit: 'bytes', value: total, budget: BUDGET, files })
  );
} else {
  for (const file of files)
    console.log(
      `${String(file.bytes).padStart(7)}  ${file.name}${file.when === 'start' ? '' : ` (${file.when})`}`
    );
  console.log(`${String(total).padStart(7)}  of ${BUDGET} bytes at the start`);
}
if (!app || !spoken || total > BUDGET) {
  console.error(app && spoken ? 'the window has grown over its budget' : 'nothing was built');
  process.exit(1);
}
