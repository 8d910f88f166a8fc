// Makes src/lib/i18n/messages.gen.ts, the types of the words, from en.json; with --check it only says whether it is current.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const source = new URL('../src/lib/i18n/en.json', import.meta.url);
const target = new URL('../src/lib/i18n/messages.gen.ts', import.meta.url);

const plural = (/** @type {object} */ text) =>
  'other' in text && Object.keys(text).every((key) => /^(\d+|zero|one|two|few|many|other)$/.test(key));
const quote = (/** @type {string} */ key) => (/^[A-Za-z_]\w*$/.test(key) ? key : `'${key}'`);

/** The type of a text, or of an object of texts. @param {unknown} text @param {string} indent @returns {string} */
function typeOf(text, indent) {
  if (typeof text !== 'string' && (typeof text !== 'object' || text === null))
    throw new Error(`no text: ${text}`);
  if (typeof text === 'object' && !plural(text))
    return `{\n${Object.entries(text)
      .map(([key, inner]) => `${indent}  ${quote(key)}: ${typeOf(inner, `${indent}  `)};\n`)
      .join('')}${indent}}`;
  const counted = typeof text === 'object';
  const all = counted ? Object.values(text).join(' ') : text;
  const names = new Set([...all.matchAll(/\{\{\w+\}\}|\{(\w+)\}/g)].flatMap((match) => match[1] ?? []));
  if (counted) names.delete('n');
  const params = [...names].map((name) => `${name}: string | number`);
  if (counted) params.unshift('n: number');
  return params.length > 0 ? `(values: { ${params.join('; ')} }) => string` : 'string';
}

const words = JSON.parse(readFileSync(source, 'utf8'));
const text = `// Made by \`npm run types\` from en.json. Do not edit.\n\nexport type Messages = ${typeOf(words, '')};\n`;
if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error(`${fileURLToPath(target)} is not what en.json says: run "npm run types"`);
  process.exit(1);
}
