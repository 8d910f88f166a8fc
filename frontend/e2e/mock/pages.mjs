// The files of the built front end, as the program serves them.
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { refusal } from './world.mjs';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' blob: data:; " +
  "font-src 'self'; connect-src 'self'; frame-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** @type {Record<string, string>} */
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml'
};

// Before anything else of a page runs: what goes wrong in it, for an engine whose driver does not tell.
const WATCH = `window.faults = [];
    addEventListener('error', (e) => faults.push(e.message ?? 'not loaded: ' + (e.target.src ?? e.target.href)), true);
    addEventListener('unhandledrejection', (e) => faults.push(String(e.reason)));
    addEventListener('securitypolicyviolation', (e) => faults.push(e.violatedDirective + ': ' + e.blockedURI));
    console.error = (...words) => faults.push(words.join(' '));
  `;

/**
 * Sends a file of it. failed: the code of the problem for which there is no controller.
 * @param {string} path @param {import('node:http').ServerResponse} response @param {string} [failed]
 */
export function page(path, response, failed) {
  const file = join(DIST, normalize(path === '/' ? '/index.html' : path));
  if (!file.startsWith(DIST) || !existsSync(file) || !statSync(file).isFile()) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, {
    'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
    'Content-Security-Policy': CSP
  });
  if (path === '/theme.js') response.write(WATCH);
  if (path === '/' && failed) {
    const problem = JSON.stringify(refusal(404, failed).body);
    const why = `<script type="application/json" id="failed">${problem}</script>`;
    response.end(readFileSync(file, 'utf8').replace('</head>', `${why}</head>`));
    return;
  }
  createReadStream(file).pipe(response);
}
