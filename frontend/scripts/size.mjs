// Prints how much the window loads, gzipped, with every language; fails above the budget. --json for a bench.
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const BUDGET = 150_000; // bytes
const dist = new URL('../dist/', import.meta.url);

const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(html|js|css|svg)$/.test(name))
  .map((name) => ({ name, bytes: gzipSync(readFileSync(new URL(name, dist)), { level: 9 }).length }))
  .sort((a, b) => b.bytes - a.bytes);
const total = files.reduce((sum, file) => sum + file.bytes, 0);

if (process.argv.includes('--json')) {
  console.log(
    JSON.stringify({ name: 'window/bundle/gzip', unit: 'bytes', value: total, budget: BUDGET, files })
  );
} else {
  for (const { name, bytes } of files) console.log(`${String(bytes).padStart(7)}  ${name}`);
  console.log(`${String(total).padStart(7)}  of ${BUDGET} bytes`);
}
if (files.length === 0 || total > BUDGET) {
  console.error(files.length === 0 ? 'nothing was built' : 'the window has grown over its budget');
  process.exit(1);
}
