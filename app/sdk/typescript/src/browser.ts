/** The package in a browser: HTTP by fetch, and nothing of Node. */
import { Client, inLanguage, PiworkError } from './client.ts';
import { Answer, Http, type Request } from './http.ts';

export { PiworkError, Task, type RunOptions } from './client.ts';
export type * from './types.gen.ts';

const unsaid = "A browser does not say why: check the address, and that the token is valid and names the origin of this page (`piwork token create --origin`)";

/**
 * Sends a request. A piece that came right before a break may be dropped with it, by the browser: events with a number are
 * asked for again.
 */
async function send({ url, ...request }: Request): Promise<Answer> {
  const response = await fetch(url, { ...request, body: request.body ?? null, cache: 'no-store', credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer' }).catch((why: unknown) => {
    throw new Error(`${why instanceof Error ? why.message : String(why)}. ${unsaid}`);
  });
  const answer = new Answer(response.status, (name) => response.headers.get(name) ?? undefined);
  const reader = response.body?.getReader();
  // Node forgets the signal of a request that was answered, when it collects garbage.
  request.signal.addEventListener('abort', () => {
    answer.fail(request.signal.reason);
    void reader?.cancel().catch(() => {});
  });
  void read(reader, answer);
  return answer;
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array> | undefined, answer: Answer): Promise<void> {
  try {
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) await answer.put(piece.value);
    answer.end();
  } catch (error) {
    answer.fail(error);
  }
}

export interface PiworkOptions {
  url: string;
  token: string;
  /** Of problems, plans and questions, such as 'de', or several: 'de-AT, en;q=0.5'. Without it they are in English. */
  language?: string;
}

/** piwork over HTTP, with a token that names the origin of the page (`piwork token create --origin https://app.example`). */
export class Piwork extends Client {
  constructor({ url, token, language = '' }: PiworkOptions) {
    if (!url) throw new PiworkError('a page of the web has no program to start: new Piwork({ url, token })');
    super(new Http(url, token, send), inLanguage(language));
  }
}
