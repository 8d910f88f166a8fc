// The files of the built front end, as the program serves them.
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The path of axe-core: a browser keeps a script that is loaded compiled, one that is evaluated it does not. */
export const AXE = '/axe.min.js';
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
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

// Where controllers share an origin: no page finds what the one before it stored.
const FORGET = 'localStorage.clear(); sessionStorage.clear();\n';

/**
 * Sends a file of it. failed: the problem for which there is no controller, in each language; shared: see startServer.
 * @param {string} path @param {import('node:http').ServerResponse} response
 * @param {{ failed?: object | undefined, shared?: boolean }} [options]
 */
export function page(path, response, { failed, shared = false } = {}) {
  const file = path === AXE ? axe : join(DIST, normalize(path === '/' ? '/index.html' : path));
  if (!(file === axe || file.startsWith(DIST)) || !existsSync(file) || !statSync(file).isFile()) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, {
    'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
    'Content-Security-Policy': CSP,
    // A file with another name comes with another build.
    ...(shared && (path.startsWith('/assets/') || path === AXE)
      ? { 'Cache-Control': 'max-age=3600, immutable' }
      : {})
  });
  if (path === '/theme.js') response.write(shared ? FORGET + WATCH : WATCH);
  if (path === '/' && failed) {
    const why = `<script type="application/json" id="failed">${JSON.stringify(failed)}</script>`;
    response.end(readFileSync(file, 'utf8').replace('</head>', `${why}</head>`));
    return;
  }
  createReadStream(file).pipe(response);
}
