// A display without a screen, with a session bus and a window manager; what is on it can be seen and clicked.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { png } from './files.mjs';

const run = promisify(execFile);
const SIZE = { width: 1280, height: 860 };

/** @typedef {{ width: number, height: number, at: (x: number, y: number) => [number, number, number] }} Shot */

/**
 * Starts everything; stop ends it.
 * @param {string} dir for the picture of the display @param {NodeJS.ProcessEnv} base @param {typeof SIZE} size
 */
export async function startDisplay(dir, base, size = SIZE) {
  const frames = join(dir, 'display');
  mkdirSync(frames, { recursive: true });
  /** @type {import('node:child_process').ChildProcess[]} */
  const children = [];
  const stop = async () => {
    for (const child of children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  };
  try {
    const screen = `${size.width}x${size.height}x24`;
    const xvfb = spawn(
      'Xvfb',
      ['-displayfd', '3', '-screen', '0', screen, '-fbdir', frames, '-nolisten', 'tcp', '-noreset'],
      { env: base, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] }
    );
    children.push(xvfb);
    const display = `:${await firstLine(xvfb, /** @type {import('node:stream').Readable} */ (xvfb.stdio[3]))}`;

    const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address'], {
      env: base,
      stdio: ['ignore', 'pipe', 'ignore']
    });
    children.push(bus);
    const address = await firstLine(bus, bus.stdout);

    /** @type {NodeJS.ProcessEnv} */
    const env = {
      ...base,
      DISPLAY: display,
      DBUS_SESSION_BUS_ADDRESS: address,
      GDK_BACKEND: 'x11',
      GTK_THEME: 'Adwaita',
      LIBGL_ALWAYS_SOFTWARE: '1',
      NO_AT_BRIDGE: '1',
      WEBKIT_DISABLE_COMPOSITING_MODE: '1',
      WEBKIT_DISABLE_DMABUF_RENDERER: '1'
    };
    children.push(spawn('openbox', [], { env, stdio: 'ignore' }));

    /** @param {string[]} args */
    const xdotool = async (...args) => (await run('xdotool', args, { env })).stdout.trim();
    return {
      env,
      xdotool,
      /** What is on the display now. */
      look: () => readFrame(join(frames, 'Xvfb_screen0')),
      /** @param {number} x @param {number} y */
      click: (x, y) => xdotool('mousemove', '--sync', String(x), String(y), 'click', '1'),
      /** It is gone at once, as at a log-out. */
      lose: () => void xvfb.kill('SIGKILL'),
      stop
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @param {import('node:child_process').ChildProcess} child @param {import('node:stream').Readable} stream */
async function firstLine(child, stream) {
  const [line] = await Promise.race([
    once(createInterface({ input: stream }), 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${child.spawnfile} ended with ${code}`))),
    once(child, 'error').then(([error]) => Promise.reject(error))
  ]);
  return String(line).trim();
}

/** Reads the X window dump that Xvfb keeps its memory in (XWDFile.h). @param {string} file @returns {Shot} */
function readFrame(file) {
  const dump = readFileSync(file);
  const field = (/** @type {number} */ index) => dump.readUInt32BE(index * 4);
  const [headerSize, width, height] = [field(0), field(4), field(5)];
  const [bitsPerPixel, bytesPerLine, colours] = [field(11), field(12), field(19)];
  if (bitsPerPixel !== 32) throw new Error(`a display of ${bitsPerPixel} bits`);
  const start = headerSize + colours * 12;
  return {
    width,
    height,
    at(x, y) {
      const i = start + y * bytesPerLine + x * 4;
      return [dump[i + 2] ?? 0, dump[i + 1] ?? 0, dump[i] ?? 0];
    }
  };
}

/** @param {Shot} shot */
export function toPNG(shot) {
  return png(shot.width, shot.height, shot.at);
}

/**
 * Where the largest button in the accent colour is: the one thing to do next
 * on a screen. Undefined when there is none.
 * @param {Shot} shot @returns {{ x: number, y: number } | undefined}
 */
export function findPrimary(shot) {
  const MIN_WIDTH = 90;
  const MIN_HEIGHT = 6; // of the part above the words, where the colour is not interrupted
  /** @type {{ x: number, y: number, area: number } | undefined} */
  let best;
  /** @type {{ from: number, to: number, top: number } | undefined} */
  let box;
  for (let y = 0; y < shot.height; y++) {
    const row = longestRun(shot, y);
    const same = box && row && Math.abs(row.from - box.from) < 12 && Math.abs(row.to - box.to) < 12;
    if (box && !same) {
      const area = (box.to - box.from) * (y - box.top);
      if (y - box.top >= MIN_HEIGHT && (!best || area > best.area))
        best = { x: Math.round((box.from + box.to) / 2), y: box.top + Math.round((y - box.top) / 2), area };
      box = undefined;
    }
    if (!box && row && row.to - row.from >= MIN_WIDTH) box = { ...row, top: y };
  }
  return best && { x: best.x, y: best.y };
}

/** @param {Shot} shot @param {number} y */
function longestRun(shot, y) {
  /** @type {{ from: number, to: number } | undefined} */
  let best;
  let from = -1;
  for (let x = 0; x <= shot.width; x++) {
    const [r, g, b] = x < shot.width ? shot.at(x, y) : [0, 0, 0];
    const accent = b - r > 90 && b - g > 40 && b > 130;
    if (accent && from < 0) from = x;
    if (!accent && from >= 0) {
      if (!best || x - from > best.to - best.from) best = { from, to: x };
      from = -1;
    }
  }
  return best;
}
