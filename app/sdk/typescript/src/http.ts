import { type IncomingMessage, request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { again, Broken, PiworkError, type Said, Way } from './client.ts';

const maxEvent = 128 << 20; // characters
const maxAhead = 1 << 20; // bytes of an answer that nobody took yet

/** HTTP, or HTTPS, with a token (`piwork token create`). */
export class Http extends Way {
  readonly #url: string;
  readonly #token: string;
  readonly #atWork = new Set<AbortController>();

  constructor(url: string, token: string) {
    super();
    this.#url = url.replace(/\/$/, '');
    this.#token = token;
  }

  async *lines(method: string, path: string, body: unknown, more: Record<string, string> = {}): AsyncGenerator<Said, void> {
    const ended = new AbortController();
    this.#atWork.add(ended);
    const headers: Record<string, string> = { ...more, Authorization: `Bearer ${this.#token}` };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    try {
      const answer = await ask(this.#url + path, { method, headers, signal: ended.signal }, body);
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

/** Sends a request. That is not done by fetch: what came just before a break would be dropped with it. */
function ask(url: string, options: { method: string; headers: Record<string, string>; signal: AbortSignal }, body: unknown): Promise<Answer> {
  return new Promise((done, fail) => {
    const begin = url.startsWith('https:') ? secure : plain;
    const asked = begin(url, { ...options, agent: false }, (response) => done(new Answer(response)));
    asked.on('error', fail);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** An answer that comes in pieces, and all of them before its end, or before it broke. */
class Answer {
  readonly #response: IncomingMessage;
  readonly #pieces: Uint8Array[] = [];
  #ahead = 0;
  #over = false;
  #error: Error | undefined;
  #wake = () => {};

  constructor(response: IncomingMessage) {
    this.#response = response;
    response.on('data', (piece: Uint8Array) => {
      this.#pieces.push(piece);
      this.#ahead += piece.length;
      if (this.#ahead > maxAhead) response.pause();
      this.#wake();
    });
    response.on('end', () => {
      this.#over = true;
      this.#wake();
    });
    response.on('error', (error) => {
      this.#error = error;
      this.#wake();
    });
  }

  get status(): number {
    return this.#response.statusCode ?? 0;
  }

  header(name: string): string | undefined {
    const value = this.#response.headers[name.toLowerCase()];
    return typeof value === 'string' ? value : value?.join(', ');
  }

  /** Takes it for broken when it says nothing for so long, but for the time in which nobody takes what it says. */
  breaksAfter(seconds: number): void {
    this.#response.setTimeout(seconds * 1000, () => {
      if (!this.#response.isPaused()) this.#response.destroy(new Error('timed out'));
    });
  }

  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece) {
        this.#ahead -= piece.length;
        if (this.#ahead === 0) this.#response.resume();
        return piece;
      }
      if (this.#error) throw this.#error;
      if (this.#over) return undefined;
      await new Promise<void>((wake) => (this.#wake = wake));
    }
  }

  async all(): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for (let piece = await this.next(); piece; piece = await this.next()) pieces.push(piece);
    return new Uint8Array(Buffer.concat(pieces));
  }
}

/** Server-sent events (WHATWG HTML, section 9.2.6). One that is cut off is none. */
async function* events(answer: Answer): AsyncGenerator<Said, void> {
  answer.breaksAfter(again.silence);
  const decoder = new TextDecoder();
  let [rest, name, data] = ['', '', ''];
  for (let piece = await answer.next(); piece; piece = await answer.next()) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const whole of lines) {
      const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
      const [, field, content = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (field === 'event') name = content;
      else if (field === 'data') data += `${content}\n`;
      else if (line === '') {
        if (data) yield { event: name || 'message', body: JSON.parse(data) };
        [name, data] = ['', ''];
      }
    }
    if (rest.length + data.length > maxEvent) throw new PiworkError(`an event has more than ${maxEvent} characters`);
  }
}
