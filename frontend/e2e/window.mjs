// The real window on a display without a screen: it starts, the chore is done by mouse and keyboard, the changes are
// put back, and after closing it nothing is left. Only the mouse and the keyboard of the display act; what has the focus
// and what is written on the page is asked of the engine: node e2e/window.mjs [--all]. Needs PIWORK_BIN (with its
// window, tag e2e) and PIWORK_TEST_PACK; pictures go to PIWORK_E2E_SHOTS.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPrimary, startDisplay, toPNG } from './lib/display.mjs';
import { fill, picture, snapshot } from './lib/files.mjs';
import { inspect, inspectable } from './lib/inspector.mjs';
import { tabTo } from './lib/keyboard.mjs';
import { command, fromEnvironment, Scratch, SLOW_MS, stop } from './lib/program.mjs';
import { Story } from './lib/story.mjs';
import { until } from './lib/until.mjs';
import { startWayland } from './lib/wayland.mjs';

const { program, pack } = fromEnvironment();
const shots = process.env.PIWORK_E2E_SHOTS ?? join(tmpdir(), 'piwork-e2e-shots');
mkdirSync(shots, { recursive: true });

const scratch = new Scratch();
const folder = scratch.folder('Bilder für Oma');
fill(folder, {
  'b 2.png': picture(2),
  'b 10.png': picture(3),
  "a'1.png": picture(1),
  'torn.jpg': 'this is no picture'
});
const before = snapshot(folder);
const pdf = join(folder, 'Pictures.pdf');
scratch.env.PIWORK_E2E_FOLDER = folder; // what the person chooses in the dialog
scratch.env.LANG = 'C.UTF-8';
scratch.env.XDG_CACHE_HOME = join(scratch.dir, 'xdg-cache'); // of the web view

const tasks = () => command(program, scratch.env, 'task', 'list');
const state = async () => (await tasks())[0]?.state;

const story = new Story('window');
const { step, more } = story;

await scratch.install(program, pack);
const display = await startDisplay(scratch.dir, scratch.env);
const inspection = await inspectable();
/** Starts the program as a person does, with a page that can be asked. */
const start = () =>
  spawn(program, [], { env: { ...display.env, ...inspection.env }, stdio: ['ignore', 'inherit', 'inherit'] });
let window = start();
let ended = once(window, 'exit');
function openWindow() {
  window = start();
  ended = once(window, 'exit');
}
/** @type {Awaited<ReturnType<typeof inspect>>} */
let page;

/** @param {string} name */
function shoot(name) {
  const path = join(shots, `piwork-window-${name}.png`);
  writeFileSync(path, toPNG(display.look()));
  console.log(`  ${path}`);
}

/** @type {{ x: number, y: number }} */
let clicked = { x: -1, y: -1 };

/** Clicks the one thing to do next, when the screen has come to rest. @param {string} what */
async function clickPrimary(what) {
  /** @type {{ x: number, y: number } | undefined} */
  let last;
  await until(
    `a button to ${what}`,
    () => {
      const found = findPrimary(display.look());
      const still = found && last && found.x === last.x && found.y === last.y;
      const other = found && Math.abs(found.x - clicked.x) + Math.abs(found.y - clicked.y) > 20;
      last = found;
      return still && other;
    },
    60_000
  );
  assert(last);
  clicked = last;
  const there = () => {
    const found = findPrimary(display.look());
    return found && Math.abs(found.x - clicked.x) + Math.abs(found.y - clicked.y) <= 20;
  };
  // On a busy computer a page may move between the look and the click.
  for (let tries = 0; tries < 3; tries++) {
    await display.click(last.x, last.y);
    await display.xdotool('mousemove', '2', '2');
    const taken = await until('the click is taken', () => !there(), 8000).catch(() => false);
    if (taken) return;
  }
}

/** The windows of the program, a line each. */
const windows = () => display.xdotool('search', '--onlyvisible', '--name', '^piwork$').catch(() => '');
const windowPID = async () => {
  const [id] = (await until('a window', windows, 60_000)).split('\n');
  return Number(await display.xdotool('getwindowpid', id ?? ''));
};
/** Closes a window as the window manager does. @param {string} id */
const closeWindow = (id) => display.xdotool('windowactivate', '--sync', id, 'key', 'alt+F4');
const gone = (/** @type {number} */ pid) => until('it ended', () => !existsSync(`/proc/${pid}`), 60_000);
const machines = () => scratch.processes().filter((one) => one.includes('qemu-system'));

try {
  await step('the window is there, and its page', async () => {
    await until('a window', windows);
    page = await inspect(inspection.at);
    await until('the page is painted', () => findPrimary(display.look()), SLOW_MS); // the proof boot comes first
    shoot('home');
  });

  await step('a folder is chosen, and the plan comes without a change', async () => {
    await clickPrimary('choose a folder');
    await clickPrimary('see the plan');
    await until('the task', async () => (await tasks()).length === 1);
    await until('the plan waits', async () => (await state()) === 'waiting', SLOW_MS);
    assert.deepEqual(snapshot(folder), before, 'planning changed the folder');
    await until('the plan is on the screen', () => findPrimary(display.look()));
    shoot('plan');
  });

  await step('the PDF is made', async () => {
    await clickPrimary('make the PDF');
    await until('the task is done', async () => (await state()) === 'done', SLOW_MS);
    assert.equal(readFileSync(pdf).subarray(0, 5).toString(), '%PDF-');
    const { 'Pictures.pdf': made, ...rest } = snapshot(folder);
    assert(made);
    assert.deepEqual(rest, before, 'something else was changed');
    await until('the end is on the screen', () => findPrimary(display.look()));
    shoot('done');
  });

  await step('everything is put back, by keyboard', async () => {
    await clickPrimary('look at the PDF');
    await until('the look at the PDF', () => page.evaluate(() => !!document.querySelector('[role=dialog]')));
    shoot('preview');
    await display.xdotool('key', 'Escape');
    await until('the look is closed', () => page.evaluate(() => !document.querySelector('[role=dialog]')));
    await tabTo(
      'Undo everything',
      () => display.xdotool('key', 'Tab'),
      (work) => page.evaluate(work)
    );
    await display.xdotool('key', 'Return');
    await until('the PDF is gone', () => !existsSync(pdf));
    assert.deepEqual(snapshot(folder), before);
    await until('the window says so', () => !findPrimary(display.look()));
    shoot('undone');
  });

  await step('nothing but its own pages is shown, whatever is dropped', async () => {
    const here = () => page.evaluate(() => location.href);
    const before = await here();
    for (const other of ['file:///etc/hostname', 'https://localhost:1/', 'data:text/html,x']) {
      await page.evaluate((/** @type {string} */ other) => void (location.href = other), other);
      await page.evaluate((/** @type {string} */ other) => void globalThis.open(other), other);
      await new Promise((resolve) => setTimeout(resolve, 300)); // it would be gone by now
      assert.equal(await here(), before, other);
    }
    page.faults.length = 0; // the engine says that it was not allowed
  });

  const wait = scratch.folder('Warten');
  /** Starts a task in the window that works until a file is there. @param {string} file @returns {Promise<string>} */
  const startWork = (file) =>
    page.evaluate(
      async (/** @type {string} */ path, /** @type {string} */ file) => {
        const script = 'until [ -e "$1" ]; do sleep 0.1; done';
        const answer = await fetch('/v1/tasks', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({
            kind: 'exec',
            argv: ['sh', '-c', script, 'sh', file],
            folders: [{ path }],
            detached: true
          })
        });
        return (await answer.json()).id;
      },
      wait,
      `/folders/Warten/${file}`
    );
  const asks = () => page.evaluate(() => !!document.querySelector('[role=alertdialog]'));
  const stateOf = async (/** @type {string} */ id) =>
    (await tasks()).find((/** @type {{ id: string }} */ one) => one.id === id)?.state;

  await step('two windows: only the last one asks what becomes of its task, which goes on', async () => {
    const first = await windows();
    const id = await startWork('go');
    await until('it works', async () => (await stateOf(id)) === 'running', SLOW_MS);
    await display.xdotool('windowactivate', '--sync', first, 'key', 'ctrl+n');
    const both = await until(
      'another window',
      async () => {
        const all = (await windows()).split('\n');
        return all.length === 2 ? all : undefined;
      },
      60_000
    );
    const listening = async () => (await command(program, scratch.env, 'serve', '--status')).windows === 2;
    await until('it listens', listening, 60_000);
    await closeWindow(both.find((one) => one !== first) ?? '');
    await until('it is closed', async () => (await windows()) === first);
    assert(!(await asks()), 'it was asked while another window was there');
    await until('only one listens', async () => !(await listening()));
    await closeWindow(first);
    await until('the question', asks);
    shoot('closing');
    await clickPrimary('go on in the background');
    await until('the window is closed', async () => !(await windows()));
    assert.equal(await stateOf(id), 'running');
    assert.deepEqual(page.faults, [], 'the page reported faults');
    page.close();
    writeFileSync(join(wait, 'go'), '');
    assert.deepEqual(await ended, [0, null], 'it is there after its last task');
    assert.equal(await stateOf(id), 'done');
    openWindow();
    await until('the next window', windows, 60_000);
    page = await inspect(inspection.at);
    const shown = () =>
      page.evaluate((/** @type {string} */ id) => !!document.querySelector(`a[href$="${id}"]`), id);
    await until('the task in it', shown, 60_000);
  });

  await more('the last window is closed in the middle of its own task, which is stopped', async () => {
    const id = await startWork('never');
    await until('it works', async () => (await stateOf(id)) === 'running', SLOW_MS);
    await closeWindow(await windows());
    await until('the question', asks);
    await page.evaluate(() => {
      const buttons = Array.from(document.querySelectorAll('[role=alertdialog] button'));
      /** @type {any} */ (buttons.find((one) => one.textContent?.trim() === 'Stop and close')).click();
    });
    await until('the window is closed', async () => !(await windows()));
    page.close();
    assert.deepEqual(await ended, [0, null]);
    assert.equal(await stateOf(id), 'cancelled');
    assert.deepEqual(machines(), [], 'its machine is left');
    openWindow();
    await until('the next window', windows, 60_000);
    page = await inspect(inspection.at);
  });

  await step('a window that dies ends nothing', async () => {
    assert.deepEqual(page.faults, [], 'the page reported faults');
    page.close();
    const before = await command(program, scratch.env, 'status');
    const script = 'until [ -e /folders/Warten/dead ]; do sleep 0.1; done';
    const order = spawn(program, ['exec', '--folder', wait, '--', 'sh', '-c', script], {
      env: scratch.env,
      stdio: 'ignore'
    });
    const carried = once(order, 'exit');
    await until('it works', async () => (await state()) === 'running', SLOW_MS);
    window.kill('SIGKILL');
    await ended;
    assert.equal(await state(), 'running', 'the work ended with the window');
    writeFileSync(join(wait, 'dead'), '');
    assert.deepEqual(await carried, [0, null], 'the work ended with the window');
    const after = await command(program, scratch.env, 'status');
    assert.equal(after.pid, before.pid, 'another process has the data');
    window = spawn(program, [], { env: display.env, stdio: ['ignore', 'inherit', 'inherit'] });
    ended = once(window, 'exit');
    await until('the next window', windows);
    await until('its page', () => findPrimary(display.look()), SLOW_MS);
  });

  await step('closing the window ends its program', async () => {
    await closeWindow((await windows()).split('\n')[0] ?? '');
    const [code] = await Promise.race([
      ended,
      new Promise((resolve) => setTimeout(() => resolve(['nothing: it still runs']), 60_000))
    ]);
    assert.equal(code, 0, `it ended with ${code}`);
  });

  await step('data that is not where it was moved to: a window says so, and starts anew', async () => {
    const config = join(scratch.dir, 'moved');
    const data = join(config, 'data');
    const pointer = join(config, 'piwork', 'place.json');
    const away = join(scratch.dir, 'away', 'piwork');
    mkdirSync(join(config, 'piwork'), { recursive: true });
    const place = { v: 1, id: 'x', data: join(away, 'data'), cache: join(away, 'cache') };
    writeFileSync(pointer, JSON.stringify(place));
    const kept = Object.entries(display.env).filter(([name]) => !/^PIWORK_.*_DIR$/.test(name));
    const env = { ...Object.fromEntries(kept), XDG_CONFIG_HOME: config, XDG_DATA_HOME: data };
    const stuck = spawn(program, [], { env, stdio: ['ignore', 'inherit', 'pipe'] });
    const over = once(stuck, 'exit');
    let said = '';
    stuck.stderr.on('data', (part) => (said += part));
    await until('its window', async () => (await windowPID()) === stuck.pid, 60_000); // not what the last one drew
    await until('its one button', () => findPrimary(display.look()), 60_000);
    shoot('cannot-start');
    rmSync(pointer); // as if the disk were there
    await clickPrimary('start it anew');
    await until('the first one ended', () => stuck.exitCode !== null || stuck.signalCode, 60_000);
    assert.deepEqual(await over, [1, null], said);
    assert.match(said, /the data of piwork is not at/);
    await until('the new window has data', () => existsSync(join(data, 'piwork')), 60_000);
    const [id] = (await until('the new window', windows, 60_000)).split('\n');
    const pid = Number(await display.xdotool('getwindowpid', id ?? ''));
    assert.notEqual(pid, stuck.pid);
    process.kill(pid, 'SIGTERM'); // as a session that ends
    await until('it ended', () => !existsSync(`/proc/${pid}`), 60_000);
    await stop(env);
  });

  const usual = { ...display.env, WEBKIT_DISABLE_DMABUF_RENDERER: '' }; // the way to draw that piwork begins with
  const learned = join(scratch.env.PIWORK_CONFIG_DIR ?? '', 'renderer.json');
  const open = (/** @type {NodeJS.ProcessEnv} */ env) =>
    spawn(program, [], { env, stdio: ['ignore', 'inherit', 'inherit'] });

  await step(
    'a page that reaches no screen: the window comes back, and the next one is drawn so at once',
    async () => {
      const env = { ...usual, PIWORK_E2E_BLANK: 'screen' };
      const blank = open(env);
      assert.deepEqual(await once(blank, 'exit'), [0, null]);
      await until('its page', () => findPrimary(display.look()), SLOW_MS);
      await until('it is remembered', () => existsSync(learned), 60_000);
      assert.equal(JSON.parse(readFileSync(learned, 'utf8')).helped, true);
      const pid = await windowPID();
      assert.notEqual(pid, blank.pid);
      process.kill(pid, 'SIGTERM');
      await gone(pid);
      const next = open(env);
      await until('a page', () => findPrimary(display.look()), SLOW_MS);
      assert.equal(next.exitCode, null);
      next.kill('SIGTERM');
      await once(next, 'exit');
      rmSync(learned);
    }
  );

  await more(
    'a page without a frame, in no way there is: the person hears where else piwork is',
    async () => {
      const env = { ...usual, PIWORK_E2E_BLANK: 'frames' };
      const first = open(env);
      assert.deepEqual(await once(first, 'exit'), [0, null]);
      const pid = await windowPID();
      const title = 'The window of piwork stays blank';
      const dialog = () => display.xdotool('search', '--onlyvisible', '--name', title).catch(() => ''); // 1: none yet
      await until('the dialog', dialog, 60_000);
      shoot('blank');
      process.kill(pid, 'SIGTERM');
      await gone(pid);
      rmSync(learned);
    }
  );

  await more('a page whose process dies: the window comes back, drawn in another way', async () => {
    const blank = open(usual);
    await until('a window', windows);
    await until('its page', () => findPrimary(display.look()), SLOW_MS);
    const engine = scratch.processes().find((one) => one.includes('WebKitWebProcess'));
    process.kill(Number.parseInt(engine ?? ''), 'SIGKILL');
    assert.deepEqual(await once(blank, 'exit'), [0, null]);
    const pid = await windowPID();
    await until('its page', () => findPrimary(display.look()), SLOW_MS);
    assert.match(readFileSync(`/proc/${pid}/environ`, 'utf8'), /WEBKIT_DISABLE_DMABUF_RENDERER=1/);
    process.kill(pid, 'SIGTERM');
    await gone(pid);
  });

  await more('on Wayland: the page is drawn, and one that stays blank comes back', async () => {
    const wayland = await startWayland(scratch.dir, usual);
    /** Starts a window, and waits for what it logs. @param {NodeJS.ProcessEnv} more @param {string} words */
    const logs = async (more, words) => {
      const child = spawn(program, [], {
        env: { ...wayland.env, PIWORK_LOG: '1', ...more },
        stdio: ['ignore', 'inherit', 'pipe']
      });
      let said = '';
      child.stderr.on('data', (part) => (said += part));
      await until(words, () => said.includes(words), SLOW_MS);
      return child;
    };
    try {
      const drawn = await logs({}, 'window: the page is drawn');
      assert.equal(drawn.exitCode, null);
      assert(!existsSync(learned), 'it was drawn in another way');
      drawn.kill('SIGTERM');
      await once(drawn, 'exit');
      const blank = await logs({ PIWORK_E2E_BLANK: 'screen' }, 'the window is opened once more');
      await until('the first one ended', () => blank.exitCode === 0);
      await until('it is remembered', () => existsSync(learned), SLOW_MS);
      assert.equal(JSON.parse(readFileSync(learned, 'utf8')).helped, true);
      const again = scratch.processes().filter((one) => one.trim().endsWith(` ${program}`));
      assert.equal(again.length, 1, again.join('\n'));
      const pid = Number.parseInt(again[0] ?? '');
      process.kill(pid, 'SIGTERM');
      await gone(pid);
      rmSync(learned);
    } finally {
      await wayland.stop();
    }
  });

  await more('a display that is gone ends what is at work in order', async () => {
    const last = spawn(program, [], { env: display.env, stdio: ['ignore', 'inherit', 'inherit'] });
    const over = once(last, 'exit');
    await until('a window', windows);
    const order = ['run', 'pictures-to-pdf', '--folder', folder, '--yes'];
    const asked = spawn(program, order, { env: scratch.env, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    asked.stderr.on('data', (part) => (said += part));
    const answered = once(asked, 'exit');
    const working = () =>
      tasks().then((all) => all.find((/** @type {{ state: string }} */ one) => one.state !== 'done'));
    await until('a machine is at work', async () => (await working()) && machines().length > 0, SLOW_MS);
    display.lose();
    await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 60_000))]);
    assert(last.exitCode !== null || last.signalCode !== null, 'it still runs without a display');
    assert.notEqual((await answered)[0], 0, `the order was carried out: ${said}`);
    assert.deepEqual(machines(), []);
    const left = await working();
    assert.equal(left?.state, 'cancelled', JSON.stringify(left));
    assert.deepEqual(snapshot(folder), before, 'half a result is left');
    // Those of the engine find out by themselves, a moment after the program.
    const engine = () => scratch.processes().filter((one) => one.includes('WebKit'));
    await until('no process of the engine', () => engine().length === 0, 60_000);
  });
} catch (error) {
  await story.failed(error);
  try {
    shoot('failed');
  } catch {
    // There is no display to look at.
  }
  window.kill('SIGTERM');
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 10_000))]);
} finally {
  await display.stop();
}
await scratch.end();
