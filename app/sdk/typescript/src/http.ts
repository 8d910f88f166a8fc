import { again, Broken, joined, PiworkError, type Said, Way } from './client.ts';

const maxEvent = 128 << 20; // characters
const maxAhead = 1 << 20; // bytes of an answer that nobody took yet

/** A request as it is sent. */
export interface Request {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  signal: AbortSignal;
}

/** HTTP, or HTTPS, with a token (`piwork token create`). How a request is sent is Node's, or a browser's. */
export class Http extends Way {
  readonly #url: string;
  readonly #token: string;
  readonly #send: (request: Request) => Promise<Answer>;
  readonly #atWork = new Set<AbortController>();

  constructor(url: string, token: string, send: (request: Request) => Promise<Answer>) {
    super();
    this.#url = url.replace(/\/$/, '');
    this.#token = token;
    this.#send = send;
  }

  async *lines(method: string, path: string, body: unknown, more: Record<string, string> = {}): AsyncGenerator<Said, void> {
    const ended = new AbortController();
    this.#atWork.add(ended);
    const headers: Record<string, string> = { ...more, Authorization: `Bearer ${this.#token}` };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    try {
      const answer = await this.#send({ url: this.#url + path, method, headers, body: body === undefined ? body : JSON.stringify(body), signal: ended.signal });
      const kind = answer.header('Content-Type')?.split(';')[0] ?? '';
      const status = answer.status;
      const told: Record<string, string> = {};
      for (const name of ['Retry-After', 'Link', 'Etag']) {
        const value = answer.header(name);
        if (value) told[name] = value;
      }
      if (kind === 'text/event-stream') {
        yield { status, stream: true };
        yield* events(answer);
        return;
      }
      const data = await answer.all();
      if (kind !== 'application/json' && !kind.endsWith('+json')) yield data.length > 0 ? { status, headers: told, data } : { status, headers: told };
      else yield { status, headers: told, body: data.length > 0 ? JSON.parse(new TextDecoder().decode(data)) : undefined };
    } catch (error) {
      if (error instanceof PiworkError) throw error;
      throw this.closed ? new PiworkError('piwork was closed') : new Broken(error);
    } finally {
      this.#atWork.delete(ended);
      ended.abort();
    }
  }

  override async close(): Promise<void> {
    await super.close();
    for (const one of this.#atWork) one.abort();
  }
}

/** An answer that comes in pieces, and all of them before its end, or before it broke. */
export class Answer {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  /** Seconds without a piece after which it is taken for broken, but for the time in which nobody takes what came. */
  silence = Infinity;
  readonly #pieces: Uint8Array[] = [];
  #ahead = 0;
  #over = false;
  #error: unknown;
  #wake = () => {};
  #room = () => {};

  constructor(status: number, header: (name: string) => string | undefined) {
    this.status = status;
    this.header = header;
  }

  /** A piece that came. Where it is too much, more is to come only after what is answered. */
  put(piece: Uint8Array): Promise<void> | undefined {
    this.#pieces.push(piece);
    this.#ahead += piece.length;
    this.#wake();
    return this.#ahead > maxAhead ? new Promise((room) => (this.#room = room)) : undefined;
  }

  end(): void {
    this.#over = true;
    this.#wake();
  }

  fail(error: unknown): void {
    this.#error ??= error;
    this.#wake();
  }

  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece) {
        this.#ahead -= piece.length;
        if (this.#ahead === 0) this.#room();
        return piece;
      }
      if (this.#error) throw this.#error;
      if (this.#over) return undefined;
      const timer = this.silence < Infinity ? setTimeout(() => this.fail(new Error('timed out')), this.silence * 1000) : undefined;
      await new Promise<void>((wake) => (this.#wake = wake));
      clearTimeout(timer);
    }
  }

  async all(): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for (let piece = await this.next(); piece; piece = await this.next()) pieces.push(piece);
    return joined(pieces);
  }
}

/** Server-sent events (WHATWG HTML, section 9.2.6). One that is cut off is none. */
async function* events(answer: Answer): AsyncGenerator<Said, void> {
  answer.silence = again.silence;
  const decoder = new TextDecoder();
  let [rest, name, number, data] = ['', '', 0, ''];
  for (let piece = await answer.next(); piece; piece = await answer.next()) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const whole of lines) {
      const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
      const [, field, content = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (field === 'event') name = content;
      else if (field === 'id') number = Number(content) || 0;
      else if (field === 'data') data += `${content}\n`;
      else if (line === '') {
        if (data) yield { event: name || 'message', number, body: JSON.parse(data) };
        [name, number, data] = ['', 0, ''];
      }
    }
    if (rest.length + data.length > maxEvent) throw new PiworkError(`an event has more than ${maxEvent} characters`);
  }
}
