import { type Asked, nextPage, Operations } from './operations.gen.ts';
import type * as T from './types.gen.ts';

/** An answer that is no success, or none. `code` is what programs go by; '' where nothing answered. */
export class PiworkError extends Error {
  readonly status: number;
  readonly problem: Record<string, unknown>;
  readonly code: string;
  wait = 0; // seconds that the controller asks to wait

  constructor(message: string, status = 0, problem: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.problem = problem;
    this.code = typeof problem.code === 'string' ? problem.code : '';
  }
}

/** No answer, or one that broke off: it is worth another try. */
export class Broken extends PiworkError {
  constructor(why: unknown) {
    super(`piwork does not answer: ${why instanceof Error ? [why.message, why.cause].filter(Boolean).join(': ') : String(why)}`);
  }
}

/** What is said to a request, as `piwork serve --stdio` says it: one line, or those of a stream. */
export interface Said {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  data?: Uint8Array;
  stream?: boolean;
  event?: string;
  number?: number; // of the event, which Last-Event-ID names
}

/** A way to the controller. */
export abstract class Way {
  closed = false;
  readonly #resting = new Set<() => void>();

  abstract lines(method: string, path: string, body: unknown, headers?: Record<string, string>): AsyncGenerator<Said, void>;

  /** Waits, as long as the way is open. */
  rest(seconds: number): Promise<void> {
    return new Promise((done, fail) => {
      const end = () => {
        clearTimeout(timer);
        this.#resting.delete(end);
        if (this.closed) fail(new PiworkError('piwork was closed'));
        else done();
      };
      const timer = setTimeout(end, seconds * 1000);
      this.#resting.add(end);
      if (this.closed) end();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const end of this.#resting) end();
  }
}

function result({ status = 0, body, data }: Said): unknown {
  if (status < 400) return data ?? body;
  const problem = (body ?? {}) as Record<string, unknown>;
  throw new PiworkError(sentences(problem) || `HTTP ${status}`, status, problem);
}

/** The sentences of a problem, and which value was wrong. */
export function sentences({ title, detail, code, details }: Record<string, unknown>): string {
  const wrong = code === 'bad-request' && details ? ` (${details})` : '';
  if (title && detail) return `${title}${/[.!?]$/.test(String(title)) ? '' : '.'} ${detail}${wrong}`;
  return `${title || detail || ''}${wrong}`;
}

const languages = /^[A-Za-z0-9*,;=. -]{0,100}$/; // RFC 9110, section 12.5.4

/** The headers that ask for a language, such as 'de', or for several: 'de-AT, en;q=0.5'. */
export function inLanguage(language: string): Record<string, string> {
  if (!languages.test(language)) throw new PiworkError(`${JSON.stringify(language.slice(0, 100))} is not a language: write it as de, or as de-AT, en;q=0.5 (at most 100 characters)`);
  return language ? { 'Accept-Language': language } : {};
}

/** The ETags of records that were read, as long as somebody has the record. */
const tags = new WeakMap<object, string>();

function requestPath(path: string, { path: params = {}, query = {} }: Asked): string {
  for (const [name, value] of Object.entries(params)) path = path.replace(`{${name}}`, encodeURIComponent(value));
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text ? `${path}?${text}` : path;
}

/** A UUIDv7 (RFC 9562, section 5.7). */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  new DataView(bytes.buffer).setBigUint64(0, (BigInt(Date.now()) << 16n) | 0x7000n | BigInt(((bytes[6]! & 0xf) << 8) | bytes[7]!));
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const busyTries = 10;
const longestWait = 60; // seconds that a controller is believed

/**
 * How a stream is opened again: so often without an event in between, after so many seconds, and each time twice as many;
 * that it says nothing for so many is a break (one that stands says more often that it does). One that stood for so many
 * milliseconds without an event is no failure.
 */
export const again = { tries: 5, pause: 0.2, silence: 60, longStood: 30_000 };

/** The seconds that an answer asks to wait before the next request, 0 where it does not. */
function waitOf(said: Said): number {
  return Math.min(Math.max(Number(said.headers?.['Retry-After'] ?? 0) || 0, 0), longestWait);
}

/**
 * A stream of events that has begun. After a break it goes on behind the last event that came. Events without a number that
 * came meanwhile are missing then; the parts of output are counted. One that is endless goes on where the server ends it,
 * too, until an event says that it is over.
 */
class Events implements AsyncIterableIterator<unknown> {
  readonly #way: Way;
  readonly #begin: (last: string) => Promise<AsyncGenerator<Said, void>>;
  readonly #endless: boolean;
  #lines: AsyncGenerator<Said, void> | undefined;
  #last = ''; // what Last-Event-ID says
  #tries = 0; // to open it again, without an event in between
  #since = 0; // it stands
  #over = false;

  constructor(way: Way, begin: (last: string) => Promise<AsyncGenerator<Said, void>>, endless: boolean) {
    this.#way = way;
    this.#begin = begin;
    this.#endless = endless;
  }

  async begin(): Promise<this> {
    this.#lines = await this.#begin(this.#last);
    this.#since = Date.now();
    return this;
  }

  async next(): Promise<IteratorResult<unknown, void>> {
    while (!this.#over) {
      try {
        if (!this.#lines) await this.begin();
        const said = await this.#next(this.#lines!);
        if (said) return { done: false, value: said.body };
        this.#over = true;
      } catch (error) {
        if (this.#lines && Date.now() - this.#since > again.longStood) this.#tries = 0;
        this.#lines = undefined;
        const passes = error instanceof Broken || (error instanceof PiworkError && error.status >= 500);
        if (!passes || this.#tries === again.tries || this.#over || this.#way.closed) {
          this.#over = true;
          throw error;
        }
        await this.#way.rest(Math.max(again.pause * 2 ** this.#tries++, error.wait));
      }
    }
    return { done: true, value: undefined };
  }

  /** The next event; undefined where the server ended the stream. */
  async #next(lines: AsyncGenerator<Said, void>): Promise<Said | undefined> {
    for (let said = await lines.next(); !said.done; said = await lines.next()) {
      const { event, number, body } = said.value;
      if (!event) continue;
      const { kind, seq, what } = (body ?? {}) as { kind?: unknown; seq?: unknown; what?: unknown };
      const at = number || (event === 'message' && seq); // an older program says no numbers
      if (event === 'message' && kind === 'reset') this.#last = '0'; // the numbers were another controller's, or are too old
      else if (at) this.#last = String(at);
      else if (event.endsWith('.over')) return void (await this.return());
      if (event !== 'file.change' || (what !== 'ready' && what !== 'lost')) this.#tries = 0; // a watch begins with those
      return said.value;
    }
    if (this.#endless) throw new Broken('the stream ended early');
    return undefined;
  }

  async return(): Promise<IteratorResult<unknown, void>> {
    this.#over = true;
    await this.#lines?.return();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** What is asked of a task beside its program: as in StartRequest, with folders by path and mode. */
export type RunOptions = Partial<Omit<T.StartRequest, 'kind' | 'argv' | 'folders'>> & { folders?: Record<string, 'ro' | 'rw' | 'review'> };

/** piwork. Its methods are the operations of the API, and a few that make a first program short. */
export class Client extends Operations {
  readonly #way: Way;
  readonly #headers: Record<string, string>; // of each request
  readonly #still: Record<string, string>; // of those that are no stream

  constructor(way: Way, headers: Record<string, string> = {}, still: Record<string, string> = {}) {
    super();
    this.#way = way;
    this.#headers = headers;
    this.#still = still;
  }

  /**
   * The same, for changes of a record that are done only while it still is what was read: else nothing is, and the error
   * has the code 'changed'. The record is what an operation on it alone answered, such as getTask.
   */
  whileStill(record: object): Client {
    const tag = tags.get(record);
    if (!tag) throw new PiworkError('the record was not answered by itself: it has no ETag');
    return new Client(this.#way, this.#headers, { 'If-Match': tag });
  }

  /** Ends what it holds: tasks that are not detached end, too. */
  close(): Promise<void> {
    return this.#way.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  protected async call(method: string, path: string, asked: Asked = {}): Promise<unknown> {
    const said = await this.#answer(method, requestPath(path, asked), asked.body);
    const content = result(said);
    const tag = said.headers?.Etag;
    if (tag && typeof content === 'object' && content !== null) tags.set(content, tag);
    return content;
  }

  protected async *pages(method: string, path: string, asked: Asked = {}): AsyncGenerator<unknown, void> {
    for (let next: string | undefined = requestPath(path, asked); next; ) {
      const said: Said = await this.#answer(method, next, asked.body);
      yield* result(said) as unknown[];
      next = nextPage(said.headers?.Link);
    }
  }

  async #answer(method: string, path: string, body: unknown): Promise<Said> {
    for (let tries = 1; ; tries++) {
      const said = await this.#said(method, path, body);
      const wait = waitOf(said);
      if (said.status !== 429 || wait === 0 || tries >= busyTries) return said;
      await this.#way.rest(wait); // nothing was done: there was too much at once
    }
  }

  async #said(method: string, path: string, body: unknown): Promise<Said> {
    for await (const said of this.#way.lines(method, path, body, { ...this.#headers, ...this.#still })) return said;
    throw new PiworkError('piwork has ended');
  }

  protected async *stream(method: string, path: string, asked: Asked = {}): AsyncGenerator<unknown, void> {
    yield* await this.#open(method, path, asked);
  }

  /** Begins a stream of events: what happens from then on is in it. */
  #open(method: string, path: string, asked: Asked): Promise<Events> {
    const begin = (last: string) => this.#begin(method, requestPath(path, asked), asked.body, last ? { ...this.#headers, 'Last-Event-ID': last } : this.#headers);
    return new Events(this.#way, begin, asked.endless ?? false).begin();
  }

  /** What is said to a request for a stream, behind that it is one. */
  async #begin(method: string, path: string, body: unknown, headers?: Record<string, string>): Promise<AsyncGenerator<Said, void>> {
    for (let tries = 1; ; tries++) {
      const lines = this.#way.lines(method, path, body, headers);
      const { done, value } = await lines.next();
      if (!done && value.stream) return lines;
      await lines.return();
      if (done) throw new PiworkError('the answer is no stream of events');
      const wait = waitOf(value);
      if (value.status !== 429 || wait === 0 || tries >= busyTries) {
        try {
          result(value);
        } catch (error) {
          if (error instanceof PiworkError) error.wait = wait;
          throw error;
        }
        throw new PiworkError('the answer is no stream of events');
      }
      await this.#way.rest(wait); // there was too much at once
    }
  }

  /** Starts a program. */
  run(argv: string[], { folders = {}, ...more }: RunOptions = {}): Promise<Task> {
    const named = Object.entries(folders).map(([path, mode]) => ({ path, mode }));
    return this.start({ ...more, kind: 'exec', argv, folders: named });
  }

  /** Starts a task of any kind, which ends with this client unless it is detached. */
  async start(request: T.StartRequest): Promise<Task> {
    const id = request.id ?? newId();
    const query = { task: id, hold: !request.detached, wait: true };
    const events = await this.#open('GET', '/v1/events', { query, endless: true }); // before there is anything to hear
    try {
      await this.startTask({ ...request, id });
    } catch (error) {
      await events.return();
      throw error;
    }
    return new Task(this, id, events);
  }

  /** Does an operation on files, such as 'image.convert'; listTools says which there are. */
  tool(name: string, files: string[], { out, ...params }: Record<string, unknown> & { out?: string } = {}): Promise<unknown> {
    return this.call('POST', '/v1/tools/{name}', { path: { name }, body: { in: files, params, ...(out ? { out } : {}) } });
  }
}

const final = ['done', 'failed', 'cancelled'];

/** A task that was started here. Iterating over it gives its events until it is over. */
export class Task implements AsyncIterable<T.Event> {
  readonly id: string;
  readonly #client: Client;
  readonly #events: Events;
  #over = false;
  #part = 0; // of the output, that was heard last
  #lost = false; // a part of it did not come

  constructor(client: Client, id: string, events: Events) {
    this.id = id;
    this.#client = client;
    this.#events = events;
  }

  /** What is not heard by one iteration is heard by the next. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T.Event, void> {
    while (!this.#over) {
      const { done, value } = await this.#events.next();
      if (done) throw new PiworkError('the events of the task ended before it did');
      const event = value as T.Event;
      if (event.task !== this.id) continue;
      if (event.kind === 'output') this.#heard((event.data as T.OutputData).part);
      if (event.kind === 'state' && final.includes((event.data as { state: string }).state)) {
        this.#over = true;
        await this.#events.return();
      }
      yield event;
    }
  }

  #heard(part: number | undefined): void {
    if (!part) return;
    this.#lost ||= part !== this.#part + 1;
    this.#part = part;
  }

  /** The record of the task, once it is over. */
  async wait(): Promise<T.Task> {
    for await (const _ of this);
    return this.#client.getTask(this.id);
  }

  /** What its program says until it is over, errors included. Where a part of that was lost with a connection, it is an error. */
  async output(): Promise<string> {
    const said: Uint8Array[] = [];
    for await (const event of this) if (event.kind === 'output') said.push(fromBase64((event.data as { data: string }).data));
    if (this.#lost) throw new PiworkError('some of the output was lost while the connection was broken');
    return new TextDecoder().decode(joined(said));
  }

  changes(): Promise<T.Change[]> {
    return this.#client.listChanges(this.id);
  }

  undo(): Promise<T.UndoReport> {
    return this.#client.undoTask(this.id, {});
  }

  cancel(): Promise<T.Task> {
    return this.#client.cancelTask(this.id);
  }
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

/** All bytes of pieces, one behind the other. */
export function joined(pieces: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
