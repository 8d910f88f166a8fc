import { type Asked, nextPage, Operations } from './operations.gen.ts';
import type * as T from './types.gen.ts';

/** An answer that is no success, or none. `code` is what programs go by; '' where nothing answered. */
export class PiworkError extends Error {
  readonly status: number;
  readonly problem: Record<string, unknown>;
  readonly code: string;

  constructor(message: string, status = 0, problem: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.problem = problem;
    this.code = typeof problem.code === 'string' ? problem.code : '';
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
}

/** A way to the controller. */
export interface Way {
  lines(method: string, path: string, body: unknown, headers?: Record<string, string>): AsyncGenerator<Said, void>;
  close(): Promise<void>;
}

function result({ status = 0, body, data }: Said): unknown {
  if (status < 400) return data ?? body;
  const problem = (body ?? {}) as Record<string, unknown>;
  throw new PiworkError(sentences(problem) || `HTTP ${status}`, status, problem);
}

/** The sentences of a problem. */
export function sentences({ title, detail }: Record<string, unknown>): string {
  if (title && detail) return `${title}${/[.!?]$/.test(String(title)) ? '' : '.'} ${detail}`;
  return String(title || detail || '');
}

/** The ETags of records that were read, as long as somebody has the record. */
const tags = new WeakMap<object, string>();

function requestPath(path: string, { path: params = {}, query = {} }: Asked): string {
  for (const [name, value] of Object.entries(params)) path = path.replace(`{${name}}`, encodeURIComponent(value));
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text ? `${path}?${text}` : path;
}

/** A UUIDv7 (RFC 9562, section 5.7). */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  new DataView(bytes.buffer).setBigUint64(0, (BigInt(Date.now()) << 16n) | 0x7000n | BigInt(((bytes[6]! & 0xf) << 8) | bytes[7]!));
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** A stream of events that has begun. */
class Events implements AsyncIterableIterator<unknown> {
  readonly #lines: AsyncGenerator<Said, void>;

  constructor(lines: AsyncGenerator<Said, void>) {
    this.#lines = lines;
  }

  async next(): Promise<IteratorResult<unknown, void>> {
    for (;;) {
      const { done, value } = await this.#lines.next();
      if (done) return { done, value: undefined };
      if (value.event) return { done: false, value: value.body };
    }
  }

  async return(): Promise<IteratorResult<unknown, void>> {
    await this.#lines.return();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** What is asked of a task beside its program: as in StartRequest, with folders by path and mode. */
export type RunOptions = Partial<Omit<T.StartRequest, 'kind' | 'argv' | 'folders'>> & { folders?: Record<string, 'ro' | 'rw' | 'review'> };

const busyTries = 10;

/** piwork. Its methods are the operations of the API, and a few that make a first program short. */
export class Client extends Operations {
  readonly #way: Way;
  readonly #headers: Record<string, string> | undefined;

  constructor(way: Way, headers?: Record<string, string>) {
    super();
    this.#way = way;
    this.#headers = headers;
  }

  /**
   * The same, for changes of a record that are done only while it still is what was read: else nothing is, and the error
   * has the code 'changed'. The record is what an operation on it alone answered, such as getTask.
   */
  whileStill(record: object): Client {
    const tag = tags.get(record);
    if (!tag) throw new PiworkError('the record was not answered by itself: it has no ETag');
    return new Client(this.#way, { 'If-Match': tag });
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
      const wait = Number(said.headers?.['Retry-After'] ?? 0);
      if (said.status !== 429 || wait <= 0 || tries >= busyTries) return said;
      await new Promise((done) => setTimeout(done, wait * 1000)); // nothing was done: there was too much at once
    }
  }

  async #said(method: string, path: string, body: unknown): Promise<Said> {
    for await (const said of this.#way.lines(method, path, body, this.#headers)) return said;
    throw new PiworkError('piwork has ended');
  }

  protected async *stream(method: string, path: string, asked: Asked = {}): AsyncGenerator<unknown, void> {
    yield* await this.#open(method, path, asked);
  }

  /** Begins a stream of events: what happens from then on is in it. */
  async #open(method: string, path: string, asked: Asked): Promise<Events> {
    const lines = this.#way.lines(method, requestPath(path, asked), asked.body);
    const first = await lines.next();
    if (first.done || !first.value.stream) {
      await lines.return();
      if (!first.done) result(first.value);
      throw new PiworkError('the answer is no stream of events');
    }
    return new Events(lines);
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
    const events = await this.#open('GET', '/v1/events', { query }); // before there is anything to hear
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

  constructor(client: Client, id: string, events: Events) {
    this.id = id;
    this.#client = client;
    this.#events = events;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T.Event, void> {
    for await (const one of this.#events) {
      const event = one as T.Event;
      if (event.task !== this.id) continue;
      yield event;
      if (event.kind === 'state' && final.includes((event.data as { state: string }).state)) return;
    }
  }

  /** The record of the task, once it is over. */
  async wait(): Promise<T.Task> {
    for await (const _ of this);
    return this.#client.getTask(this.id);
  }

  /** What its program says until it is over, errors included. */
  async output(): Promise<string> {
    const said: Uint8Array[] = [];
    for await (const event of this) if (event.kind === 'output') said.push(fromBase64((event.data as { data: string }).data));
    return new TextDecoder().decode(await new Blob(said as BlobPart[]).arrayBuffer());
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
