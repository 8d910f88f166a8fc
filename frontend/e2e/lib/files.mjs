// Pictures to work on, and a way to tell what happened to a folder.
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** @param {string} type @param {Buffer} data */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

/**
 * A PNG (RFC 2083) of 8-bit RGB.
 * @param {number} width @param {number} height @param {(x: number, y: number) => [number, number, number]} colour
 */
export function png(width, height, colour) {
  const rows = Buffer.alloc(height * (1 + width * 3));
  let at = 0;
  for (let y = 0; y < height; y++) {
    rows[at++] = 0; // no filter
    for (let x = 0; x < width; x++) for (const value of colour(x, y)) rows[at++] = value;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0))
  ]);
}

/** A picture unlike the others. @param {number} seed */
export function picture(seed) {
  return png(160 + seed * 8, 120, (x, y) => [
    (x * 3 + seed * 40) % 256,
    (y * 2) % 256,
    (x + y + seed * 70) % 256
  ]);
}

/** JPEG files, as a browser encodes them. @param {import('playwright-core').Page} page @param {number} count */
export async function jpegs(page, count) {
  const made = await page.evaluate((count) => {
    const canvas = document.createElement('canvas');
    canvas.width = 640;
    canvas.height = 480;
    const c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    return Array.from({ length: count }, (_, i) => {
      const fill = c.createLinearGradient(0, 0, 640, 480);
      fill.addColorStop(0, `hsl(${i * 47} 70% 60%)`);
      fill.addColorStop(1, `hsl(${i * 47 + 120} 70% 30%)`);
      c.fillStyle = fill;
      c.fillRect(0, 0, 640, 480);
      c.fillStyle = 'white';
      c.font = '200px sans-serif';
      c.fillText(String(i + 1), 240, 320);
      return canvas.toDataURL('image/jpeg', 0.8).split(',')[1] ?? '';
    });
  }, count);
  return made.map((text) => Buffer.from(text, 'base64'));
}

/** @param {string} folder @param {Record<string, Buffer | string>} files */
export function fill(folder, files) {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
}

/** How many pages a PDF has (ISO 32000-1 §7.7.3.3), also where its objects are packed. @param {Buffer} pdf */
export function pagesOf(pdf) {
  const text = pdf.toString('latin1');
  const parts = [text];
  for (const match of text.matchAll(/\bstream\r?\n/g)) {
    const from = match.index + match[0].length;
    try {
      const packed = pdf.subarray(from, text.indexOf('endstream', from));
      parts.push(inflateSync(packed, { finishFlush: 2 }).toString('latin1'));
    } catch {
      // A picture, or packed in another way.
    }
  }
  return parts.join('\n').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}

/** The picture itself in a JPEG file, without what stands before it. @param {Buffer} jpeg */
export function scanOf(jpeg) {
  return jpeg.subarray(jpeg.indexOf(Buffer.from([0xff, 0xda])));
}

/** What is in a folder: content, mode and time of every file, to compare. @param {string} folder */
export function snapshot(folder) {
  /** @type {Record<string, string>} */
  const found = {};
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    const { mode, mtimeMs } = lstatSync(path);
    found[name] =
      `${createHash('sha256').update(readFileSync(path)).digest('hex')} ${mode.toString(8)} ${mtimeMs}`;
  }
  return found;
}
