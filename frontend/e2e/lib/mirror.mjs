// A web server for the directory of an update channel, with ranges (RFC 9110, section 14) and the faults of real
// networks: it is slow, cuts off what it sends, or sends something else.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, normalize } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { end, listen } from './ports.mjs';

const ARCHIVE = /\.tar\.zst$/;

export class Mirror {
  /** How many bytes of archives were sent. */
  sent = 0;
  /** Archives are cut off when so many of their bytes were sent. */
  cutAt = Infinity;
  /** Nobody is there. */
  down = false;
  /** Archives are not what they should be. */
  wrong = false;
  /** Of archives, to all connections together; bytes per second. */
  rate = Infinity;

  #dir;
  #server = createServer((request, response) => {
    this.#answer(request, response).catch(() => response.destroy());
  });

  /** @param {string} dir */
  constructor(dir) {
    this.#dir = dir;
    this.#server.on('connection', (socket) => this.down && socket.destroy());
  }

  async start() {
    return `http://127.0.0.1:${await listen(this.#server)}`;
  }

  stop() {
    return end(this.#server);
  }

  /** As when the network goes away. */
  cut() {
    this.down = true;
    this.#server.closeAllConnections();
  }

  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
  async #answer(request, response) {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = join(this.#dir, normalize(decodeURIComponent(pathname)));
    const info = statSync(file, { throwIfNoEntry: false });
    if (!info?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    const from = Number(range?.[1] ?? 0);
    const to = Math.min(info.size - 1, range?.[2] ? Number(range[2]) : info.size - 1);
    response.writeHead(range ? 206 : 200, {
      'accept-ranges': 'bytes',
      'content-length': to - from + 1,
      'content-type': 'application/octet-stream',
      etag: `"${info.size}"`,
      ...(range ? { 'content-range': `bytes ${from}-${to}/${info.size}` } : {})
    });
    const source = createReadStream(file, { start: from, end: to });
    if (ARCHIVE.test(file)) await pipeline(source, this.#asItIs(), response);
    else await pipeline(source, response);
  }

  #asItIs() {
    return new Transform({
      transform: (/** @type {Buffer} */ chunk, _encoding, done) => {
        this.sent += chunk.length;
        if (this.sent > this.cutAt) {
          this.cutAt = Infinity;
          this.cut();
          return;
        }
        if (this.wrong) chunk = Buffer.from(chunk.map((byte) => byte ^ 1));
        setTimeout(() => done(null, chunk), (1000 * chunk.length) / this.rate);
      }
    });
  }
}
