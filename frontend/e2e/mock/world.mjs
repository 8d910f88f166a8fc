// What the invented controller knows, whom it tells, and how its work goes on.
import { changes } from './fixtures/changes.mjs';
import { reports } from './fixtures/computers.mjs';
import { at } from './fixtures/records.mjs';
import { examples } from './fixtures/tasks.mjs';
import { timelines } from './fixtures/timelines.mjs';
import { inWords } from './words.mjs';

const AGAIN_MS = 500; // after which work that stands still says how far it is

/** @typedef {import('../../src/lib/api/types').Task} Task */

/**
 * @typedef {object} Setting
 * @property {string} [report] what is known of the computer; never: it is still being looked at
 * @property {keyof typeof import('./fixtures/runtime.mjs').updates} [update] how the runtime stands against its channel
 * @property {boolean} [troubled] there are versions and add-ons that do not work
 * @property {(keyof typeof examples)[]} [tasks] what is in the list
 * @property {number} [pace] ms that a step of invented work takes
 * @property {number} [steps] so many steps are done, then the work stands still
 * @property {'trying'} [halt] the phase in which an update stays
 * @property {boolean} [keyless] there is no model and no key
 * @property {boolean} [conflict] undo leaves one change alone
 * @property {boolean} [logins] there are services that one signs in to
 * @property {boolean} [locked] keys are in a file that is locked
 * @property {'over' | 'fresh' | 'welcomed'} [guide] how far the way to the first chore is
 * @property {boolean} [kept] there are chores that were kept
 * @property {boolean} [remotes] there are another computer and a cluster
 * @property {boolean} [tokened] there are programs with a token
 * @property {boolean} [measured] measurements are sent somewhere
 * @property {string[]} [filed] the only places where files may be changed
 * @property {boolean} [servers] there are MCP servers
 * @property {boolean} [services] there are services of the web that tasks can use
 * @property {'watched'} [terminal] another window types in the terminal
 * @property {boolean} [ruled] an administrator and the person wrote rules, which refused something to an AI
 * @property {boolean} [fenced] the system allows no sandboxes
 * @property {string} [failed] code of the problem for which there is no controller
 */

/** @typedef {{ status?: number, body?: unknown, bytes?: Buffer, type?: string }} Answer */
/** @typedef {{ params: Record<string, string>, body: any, query: URLSearchParams }} Ask */
/** @typedef {(ask: Ask) => Answer | Promise<Answer>} Route */
/** @typedef {Record<string, Route>} Routes by method and path, as the controller's document writes them */

/** An answer that is an error. @param {number} status @param {string} code @param {object} [more] @returns {Answer} */
export const refusal = (status, code, more = {}) => ({
  status,
  body: {
    type: `urn:piwork:problem:${code}`,
    title: code,
    status,
    code,
    severity: 'error',
    cause: '',
    fix: [],
    ...more
  }
});

export const notFound = refusal(404, 'not-found');

export class World {
  #pace;
  #steps;
  #seq = Date.now() * 1000;
  /** @type {Map<import('node:http').ServerResponse, string>} their languages */
  #streams = new Map();
  #told = Promise.resolve();
  #listened = () => {};
  #last = () => {}; // says again what was said last and is not kept
  /** Resolves once somebody has listened: what happens before is nobody's to hear. @type {Promise<void>} */
  heard = new Promise((resolve) => (this.#listened = resolve));
  /** @type {Set<NodeJS.Timeout>} */
  #timers = new Set();
  /** @type {typeof timelines} */
  #lines = {};
  /** @type {typeof changes} */
  #changed = {};

  /** @param {Setting} setting */
  constructor({
    report = 'ready',
    tasks = [],
    pace = 900,
    steps = Infinity,
    fenced = false,
    remotes = false,
    filed
  }) {
    this.fenced = fenced;
    /** @type {import('../../src/lib/api/types').Remote[]} */
    this.remotes = remotes
      ? [
          { name: 'lab', address: 'anna@lab.example.org' },
          {
            name: 'club',
            address: 'club-cluster',
            cluster: { image: 'debian:stable' }
          }
        ]
      : [];
    /** @type {import('../../src/lib/api/types').RuntimeSettings} */
    this.places = filed ? { files: filed } : {};
    this.#pace = pace;
    this.#steps = steps;
    /** There is no runtime yet. */
    this.bare = ['noPack', 'found', 'foreseen'].includes(report);
    this.status = report === 'never' ? undefined : structuredClone(reports[report]);
    /** @type {Map<string, Task>} */
    this.records = new Map(tasks.map((name) => [examples[name].id, structuredClone(examples[name])]));
  }

  /** What happened in a task. @param {string} id */
  lines(id) {
    return (this.#lines[id] ??= structuredClone(timelines[id] ?? []));
  }

  /** What a task changed. @param {string} id */
  changed(id) {
    return (this.#changed[id] ??= structuredClone(changes[id] ?? []));
  }

  /** @param {string} id @param {import('../../src/lib/api/types').Change[]} list */
  setChanged(id, list) {
    this.#changed[id] = list;
  }

  /** Answers for a task, if there is such a one. @param {(t: Task, ask: Ask) => Answer} route @returns {Route} */
  ofTask(route) {
    return (ask) => {
      const t = this.records.get(ask.params.id);
      return t ? route(t, ask) : notFound;
    };
  }

  /** @param {string} task @param {string} kind @param {unknown} data */
  emit(task, kind, data) {
    const volatile = kind === 'progress' || kind === 'delta' || kind === 'pack' || kind === 'update';
    const time = at(0);
    if (task && !volatile) {
      const all = this.lines(task);
      all.push(/** @type {any} */ ({ v: 1, seq: all.length + 1, time, task, kind, data }));
    }
    if (volatile && kind !== 'delta') this.#last = () => this.emit(task, kind, data);
    const event = { v: 1, seq: volatile ? 0 : ++this.#seq, time, task, kind, data };
    // The words of many events are asked for at once, and told in their order.
    const said = [...this.#streams].map(([stream, language]) => ({
      stream,
      event: inWords(event, language)
    }));
    this.#told = this.#told.then(async () => {
      for (const { stream, event } of said) stream.write(`data: ${JSON.stringify(await event)}\n\n`);
    });
  }

  /** Tells it what happens from now on. @param {import('node:http').ServerResponse} stream @param {string} language */
  tell(stream, language) {
    this.#streams.set(stream, language);
    this.#listened();
    stream.on('close', () => this.#streams.delete(stream));
  }

  /** A new task, from its first state on. @param {Task} t */
  begin(t) {
    this.records.set(t.id, t);
    this.emit(t.id, 'state', { state: t.state });
    return t;
  }

  /** @param {Task} t @param {Partial<Task>} more */
  move(t, more) {
    Object.assign(t, more);
    if (more.state) this.emit(t.id, 'state', { state: more.state });
  }

  /**
   * Does one after the other, each after a while. What stands still says how far it is again and again, as work
   * does: a page may hear it before the answer to what began it.
   * @param {(() => void)[]} steps
   */
  play(steps) {
    const [first, ...rest] = steps;
    if (!first) return;
    if (this.#steps-- <= 0) {
      this.#timers.add(setInterval(() => this.#last(), AGAIN_MS));
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      first();
      this.play(rest);
    }, this.#pace);
    this.#timers.add(timer);
  }

  /** Resolves after a step. @returns {Promise<void>} */
  pause() {
    return new Promise((resolve) => this.play([resolve]));
  }

  close() {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
