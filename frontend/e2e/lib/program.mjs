// The real program: its places, a server for a browser, and its command line.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  rmSync
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How long a machine may take that opens in slow mode on a busy computer. */
export const SLOW_MS = 240_000;

/** Needed of the one who starts the tests: the program (built with the tag e2e) and a signed runtime pack. */
export function fromEnvironment() {
  const { PIWORK_BIN: program, PIWORK_TEST_PACK: pack } = process.env;
  if (!program || !pack) {
    console.error(
      'PIWORK_BIN names the program (built with the tag e2e), PIWORK_TEST_PACK a runtime pack for it'
    );
    process.exit(2);
  }
  return { program, pack };
}

/** What tests that run one after the other may use of the test before: packs, and what this computer learned of them. */
const SHARED = { data: ['runtime'], cache: ['proofs.json', 'templates'] };

/**
 * A directory of its own for one test, and the environment that keeps the program in it. PIWORK_E2E_SHARED names a
 * directory for the data of tests that run one after the other: the pack is installed and proven once.
 */
export class Scratch {
  /** What is known of an invented computer. */
  #computer;
  /** Where data and cache are. */
  #home;

  /**
   * @param {{ first?: boolean, invented?: boolean }} [options] first: piwork never ran here, otherwise it greets nobody
   * any more; invented: the computer is what become says (app/rehearse_e2e.go)
   */
  constructor({ first = false, invented = false } = {}) {
    this.dir = mkdtempSync(join(tmpdir(), 'piwork-e2e.'));
    this.#home = (!invented && process.env.PIWORK_E2E_SHARED) || this.dir;
    for (const [name, kept] of Object.entries(SHARED)) this.#clear(join(this.#home, name), first ? [] : kept);
    /** @type {NodeJS.ProcessEnv} */
    this.env = {
      ...process.env,
      PIWORK_ACCEL: 'tcg', // works on every machine
      PIWORK_DATA_DIR: join(this.#home, 'data'),
      PIWORK_CONFIG_DIR: this.#config(),
      PIWORK_CACHE_DIR: join(this.#home, 'cache')
    };
    this.#computer = join(this.dir, 'computer.json');
    if (invented) {
      this.env.PIWORK_E2E_COMPUTER = this.#computer;
      delete this.env.PIWORK_ACCEL; // it decides
    }
    if (first) return;
    const config = join(this.dir, 'config');
    mkdirSync(config, { recursive: true });
    const choices = {
      v: 1,
      wizard: { finished: new Date().toISOString() },
      // No machine is made ready in advance where there is no such computer.
      ...(invented ? { machines: { noInstant: true } } : {})
    };
    writeFileSync(join(config, 'config.json'), JSON.stringify(choices), { mode: 0o600 });
  }

  /** Removes everything in a directory that a test left, except what may stay. @param {string} dir @param {string[]} kept */
  #clear(dir, kept) {
    if (!existsSync(dir)) return;
    for (const name of readdirSync(dir))
      if (!kept.includes(name)) rmSync(join(dir, name), { recursive: true, force: true });
  }

  /** Installs a pack, unless a test before this one did. @param {string} program @param {string} pack */
  async install(program, pack) {
    const packs = await command(program, this.env, 'pack', 'list');
    if (packs.length === 0) await command(program, this.env, 'pack', 'install', pack);
  }

  /** The keys that packs of this computer are signed with, and none of the person's choices. */
  #config() {
    const { PIWORK_CONFIG_DIR, XDG_CONFIG_HOME } = process.env;
    const from = PIWORK_CONFIG_DIR ?? join(XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'piwork');
    const to = join(this.dir, 'config');
    if (existsSync(from))
      cpSync(from, to, { recursive: true, filter: (path) => basename(path) !== 'config.json' });
    return to;
  }

  /** @param {import('./computers.mjs').Computer} computer */
  become(computer) {
    writeFileSync(this.#computer, JSON.stringify(computer));
  }

  /** @param {string} name */
  folder(name) {
    const path = join(this.dir, 'folders', name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** Processes that were started for this test and still live, by their command line or environment. */
  processes() {
    return readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
      .flatMap((pid) => {
        try {
          const read = (/** @type {string} */ name) => readFileSync(`/proc/${pid}/${name}`, 'utf8');
          const [line, environment] = [read('cmdline'), read('environ')];
          const all = line + environment;
          const ours = all.includes(this.dir) || all.includes(`${this.#home}/`);
          return ours ? [`${pid} ${line.replaceAll('\0', ' ').slice(0, 1000)}`] : [];
        } catch {
          return []; // gone, or another user's
        }
      });
  }

  /** Nothing may be left after the end of what runs in the background: a second is the promise, a busy computer gets more. */
  async end() {
    await stop(this.env);
    const began = Date.now();
    let left = this.processes();
    for (; left.length > 0 && Date.now() < began + 20_000; left = this.processes())
      await new Promise((r) => setTimeout(r, 50));
    console.log(`  ${left.length} processes are left after ${Date.now() - began} ms`);
    if (process.env.PIWORK_E2E_KEEP) console.error(`kept: ${this.dir}`);
    else rmSync(this.dir, { recursive: true, force: true });
    assert.deepEqual(left, [], 'processes are left behind');
  }
}

/** The command line: prints one JSON document. @param {string} program @param {NodeJS.ProcessEnv} env @param {string[]} args */
export async function command(program, env, ...args) {
  const { stdout } = await run(program, [...args, '--json'], { env, maxBuffer: 64 << 20 });
  return JSON.parse(stdout);
}

/** Ends what runs in the background. @param {NodeJS.ProcessEnv} env */
export async function stop(env) {
  const { PIWORK_BIN: program } = process.env;
  if (program) await command(program, env, 'serve', '--stop', '--cancel');
}

/** Serves the window's pages to a browser. @param {string} program @param {NodeJS.ProcessEnv} env */
export async function serve(program, env) {
  const child = spawn(program, ['serve', '--http', '127.0.0.1:0', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit']
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`serve ended with ${code}`)))
  ]);
  const { page, http } = JSON.parse(line);
  return {
    page: /** @type {string} */ (page),
    origin: /** @type {string} */ (http),
    /** As a power cut does it. */
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  };
}
