// How quick and how large the window is: ./scripts/bench window [--json] [-n RUNS]. Needs PIWORK_BIN (tag e2e). Each
// figure stands beside a comparator that was measured in turn, in the same run; the medians are printed.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launch } from './lib/chromium.mjs';
import { startDisplay } from './lib/display.mjs';
import { inspect, inspectable } from './lib/inspector.mjs';
import { WINDOW } from './lib/page.mjs';
import { Scratch, serve } from './lib/program.mjs';
import { examples } from './mock/fixtures/tasks.mjs';
import { startMock } from './mock/server.mjs';

const ENTRIES = 10_000;
const SCROLL_MS = 3000;
const { values: options } = parseArgs({
  options: { json: { type: 'boolean' }, n: { type: 'string', short: 'n' } }
});
const runs = Math.max(1, Number(options.n ?? 5));
const program = process.env.PIWORK_BIN;
if (!program) {
  console.error('PIWORK_BIN names the program (built with the tag e2e)');
  process.exit(2);
}

/** @typedef {import('playwright-core').Page} Page */
/** @type {Map<string, { unit: string, beside: string, ours: number[], theirs: number[] }>} */
const rows = new Map();
/** @param {string} name @param {string} unit @param {string} beside @param {number} ours @param {number} theirs */
function note(name, unit, beside, ours, theirs) {
  const row = rows.get(name) ?? { unit, beside, ours: [], theirs: [] };
  row.ours.push(ours);
  row.theirs.push(theirs);
  rows.set(name, row);
}
/** @param {number[]} list @param {number} [part] */
const rank = (list, part = 0.5) =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * part))] ?? 0;

/** Proportional memory of processes, in MB (proc_pid_smaps_rollup(5)). @param {number[]} pids */
const memory = (pids) =>
  pids.reduce((sum, pid) => {
    try {
      const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      return sum + Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
    } catch {
      return sum; // gone meanwhile
    }
  }, 0);

/** A process and all below it. @param {number} root @returns {number[]} */
function family(root) {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return [{ pid: Number(name), parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) }];
      } catch {
        return [];
      }
    });
  const found = [root];
  for (const pid of found) found.push(...parents.filter((p) => p.parent === pid).map((p) => p.pid));
  return found;
}

/** When a page was first painted, and when there was something to act on, in ms from its start. */
const times = () =>
  new Promise((resolve) => {
    const look = () => {
      const paint = performance.getEntriesByName('first-contentful-paint')[0];
      const act = document.querySelector('main button, main input, pre');
      if (!paint || !act) return window.requestAnimationFrame(look);
      // What is asked for now is answered in the next frame.
      window.requestAnimationFrame(() =>
        resolve({ paint: paint.startTime, act: performance.now(), at: performance.timeOrigin })
      );
    };
    look();
  });

/** @param {Page} page @param {string} url @returns {Promise<{ paint: number, act: number, heap: number }>} */
async function opened(page, url) {
  await page.goto(url, { waitUntil: 'commit' });
  const { paint, act } = /** @type {any} */ (await page.evaluate(times));
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = /** @type {any} */ (await session.send('Runtime.getHeapUsage'));
  return { paint, act, heap: usedSize / 1e6 };
}

/** Frame times while a list is scrolled through, in ms. @param {Page} page @param {string} css */
const scrolled = (page, css) =>
  page.evaluate(
    ([css, ms]) =>
      /** @type {Promise<number[]>} */ (
        new Promise((resolve) => {
          const list = /** @type {HTMLElement} */ (document.querySelector(css));
          const began = performance.now();
          /** @type {number[]} */
          const frames = [];
          let last = began;
          const frame = (/** @type {number} */ now) => {
            frames.push(now - last);
            last = now;
            list.scrollTop = ((now - began) / ms) * (list.scrollHeight - list.clientHeight);
            if (now - began < ms) window.requestAnimationFrame(frame);
            else resolve(frames.slice(1));
          };
          window.requestAnimationFrame(frame);
        })
      ),
    /** @type {const} */ ([css, SCROLL_MS])
  );

const scratch = new Scratch();
const server = await serve(program, scratch.env);
const browser = await launch();
try {
  for (let i = 0; i < runs; i++) {
    console.error(`run ${i + 1} of ${runs}`);
    const context = await browser.newContext({ viewport: WINDOW, locale: 'en-GB' });
    const plain = await opened(await context.newPage(), `${server.origin}/theme.js`);
    const ours = await opened(await context.newPage(), server.page);
    const bare = 'a bare text of the same server';
    note('first paint', 'ms', bare, ours.paint, plain.paint);
    note('something to act on', 'ms', bare, ours.act, plain.act);
    note('memory of its objects', 'MB', bare, ours.heap, plain.heap);
    await context.close();

    // The timeline of a task, while it grows and when it is scrolled through.
    const mock = await startMock({ tasks: ['done'] });
    const long = await browser.newContext({ viewport: WINDOW, locale: 'en-GB' });
    const page = await long.newPage();
    await page.goto(mock.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate((hash) => (location.hash = hash), `#/tasks/${examples.done.id}`);
    const fold = page.locator('summary', { hasText: 'Activity' });
    await fold.waitFor();
    const began = Date.now();
    for (let e = 0; e < ENTRIES; e++)
      await mock.emit(examples.done.id, 'notice', { code: 'resumed', params: { each: e } });
    const open = await fold.evaluate((summary) => summary.parentElement?.hasAttribute('open'));
    if (!open) await fold.click();
    const list = 'ul[aria-label="Activity"]';
    await page.waitForFunction(
      ([css, height]) => (document.querySelector(css)?.scrollHeight ?? 0) >= height,
      /** @type {const} */ ([list, ENTRIES * 32]),
      { polling: 20 }
    );
    const grown = Date.now() - began;
    const frames = await scrolled(page, list);
    // The same lines, all of them at once, in a list of the same size.
    const all = await page.evaluate(([css, count]) => {
      const list = /** @type {HTMLElement} */ (document.querySelector(css));
      const line = /** @type {Element} */ (list.querySelector('li:not([aria-hidden])'));
      const copy = /** @type {HTMLElement} */ (list.cloneNode(false));
      copy.id = 'all';
      const began = performance.now();
      for (let i = 0; i < count; i++) copy.append(line.cloneNode(true));
      list.replaceWith(copy);
      copy.getBoundingClientRect();
      return performance.now() - began;
    }, /** @type {const} */ ([list, ENTRIES]));
    const theirs = await scrolled(page, '#all');
    const whole = 'the same lines without virtualisation';
    note(`${ENTRIES} events arrive and are shown`, 'ms', `${whole}, only put in`, grown, all);
    note(`a frame while ${ENTRIES} lines are scrolled`, 'ms', whole, rank(frames), rank(theirs));
    note('  the slowest of twenty', 'ms', whole, rank(frames, 0.95), rank(theirs, 0.95));
    note('  the slowest of all', 'ms', whole, rank(frames, 1), rank(theirs, 1));
    await long.close();
    mock.close();
  }
  await server.stop();

  // The real window: from the start of the program.
  const display = await startDisplay(scratch.dir, { ...scratch.env, LANG: 'C.UTF-8' });
  try {
    for (let i = 0; i < runs; i++) {
      const inspection = await inspectable();
      const began = Date.now();
      const shell = spawn(program, [], { env: { ...display.env, ...inspection.env }, stdio: 'ignore' });
      const ended = once(shell, 'exit');
      try {
        const page = await inspect(inspection.at);
        const { paint, act, at } = await page.evaluate(times);
        const pids = family(shell.pid ?? 0);
        const total = memory(pids);
        const alone = memory(pids.slice(0, 1));
        page.close();
        const own = 'of that its page alone';
        note('window: the program starts, first paint', 'ms', own, at - began + paint, paint);
        note('window: the program starts, something to act on', 'ms', own, at - began + act, act);
        note('window: memory of all its processes', 'MB', 'of that the engine’s', total, total - alone);
      } finally {
        shell.kill('SIGTERM');
        await ended;
      }
    }
  } finally {
    await display.stop();
  }
} finally {
  await browser.close();
  await server.stop();
  await scratch.end();
}
const { value: bytes, budget } = JSON.parse(
  execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/size.mjs', import.meta.url)), '--json'], {
    encoding: 'utf8',
    maxBuffer: 16 << 20
  })
);
note('what is loaded at the start, gzip', 'kB', 'its budget', bytes / 1000, budget / 1000);

const result = Array.from(rows, ([name, { unit, beside, ours, theirs }]) => {
  const [a, b] = [rank(ours), rank(theirs)];
  return {
    name,
    unit,
    ours: a,
    comparator_name: beside,
    comparator: b,
    ratio: b > 0 ? a / b : 0,
    better: 'lower',
    runs: ours.length
  };
});
if (options.json) console.log(JSON.stringify({ bench: 'window', rows: result }, undefined, 2));
else
  for (const row of result)
    console.log(
      `${row.name.padEnd(52)} ${row.ours.toFixed(1).padStart(9)} ${row.unit.padEnd(3)} ${row.comparator.toFixed(1).padStart(9)}  ${row.comparator_name}`
    );
