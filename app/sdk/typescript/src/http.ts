import { PiworkError, type Said, type Way } from './client.ts';

/** HTTP, or HTTPS, with a token (`piwork token create`). */
export class Http implements Way {
  readonly #url: string;
  readonly #token: string;
  readonly #atWork = new Set<AbortController>();

  constructor(url: string, token: string) {
    this.#url = url.replace(/\/$/, '');
    this.#token = token;
  }

  async *lines(method: string, path: string, body: unknown, more: Record<string, string> = {}): AsyncGenerator<Said, void> {
    const ended = new AbortController();
    this.#atWork.add(ended);
    const headers: Record<string, string> = { ...more, Authorization: `Bearer ${this.#token}` };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    try {
      const response = await fetch(this.#url + path, {
        method,
        headers,
        signal: ended.signal,
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      }).catch((error: unknown) => {
        throw new PiworkError(`piwork does not answer: ${String(error)}`);
      });
      const kind = response.headers.get('Content-Type')?.split(';')[0] ?? '';
      const status = response.status;
      const told: Record<string, string> = {};
      for (const name of ['Retry-After', 'Link', 'Etag']) {
        const value = response.headers.get(name);
        if (value) told[name] = value;
      }
      if (kind === 'text/event-stream' && response.body) {
        yield { status, stream: true };
        yield* events(response.body);
      } else if (kind === 'application/json' || kind.endsWith('+json')) {
        const text = await response.text();
        yield { status, headers: told, body: text ? JSON.parse(text) : undefined };
      } else {
        const data = new Uint8Array(await response.arrayBuffer());
        yield data.length > 0 ? { status, data } : { status };
      }
    } finally {
      this.#atWork.delete(ended);
      ended.abort();
    }
  }

  async close(): Promise<void> {
    for (const one of this.#atWork) one.abort();
  }
}

/** Server-sent events: each has one line of data. */
async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<Said, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for (const reader = body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data:')) yield { event: 'message', body: JSON.parse(line.slice(5)) };
  }
}
