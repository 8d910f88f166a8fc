// Prints how much the window loads at its start, gzipped: everything but the languages that are not spoken (the
// largest counts) and what comes later. Fails above the budget. --json for a bench.
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const BUDGET = 150_000; // bytes
const dist = new URL('../dist/', import.meta.url);
const words = new URL('../src/lib/i18n/', import.meta.url);

const languages = readdirSync(words, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);
const LANGUAGE = new RegExp(`^assets[/\\\\](${languages.join('|')})-[\\w-]{8}\\.js$`);
const LATER = /^assets[/\\]markdown-[\w-]{8}\.js$/; // imported when there is something to show with it

/** @param {string} name @returns {'start' | 'language' | 'later'} */
const when = (name) => (LANGUAGE.test(name) ? 'language' : LATER.test(name) ? 'later' : 'start');

const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(html|js|css|svg)$/.test(name))
  .map((name) => ({
    name,
    bytes: gzipSync(readFileSync(new URL(name, dist)), { level: 9 }).length,
    when: when(name)
  }))
  .sort((a, b) => b.bytes - a.bytes);
const spoken = files.find((file) => file.when === 'language');
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
if (files.length === 0 || !spoken || total > BUDGET) {
  console.error(files.length === 0 || !spoken ? 'nothing was built' : 'the window has grown over its budget');
  process.exit(1);
}
