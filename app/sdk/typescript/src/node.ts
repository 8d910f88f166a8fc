import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { Broken, Client, fromBase64, inLanguage, PiworkError, type Said, Way } from './client.ts';
import { Http } from './http.ts';
import { send } from './node-http.ts';

export { PiworkError, Task, type RunOptions } from './client.ts';
export type * from './types.gen.ts';

type Line = Omit<Said, 'data'> & { id: number; data?: string; end?: boolean; error?: string };

/** Lines that wait to be read. */
class Queue {
  readonly #lines: (Line | undefined)[] = [];
  #wake = () => {};

  put(line: Line | undefined): void {
    this.#lines.push(line);
    this.#wake();
  }

  async take(): Promise<Line | undefined> {
    while (this.#lines.length === 0) await new Promise<void>((wake) => (this.#wake = wake));
    return this.#lines.shift();
  }
}

const gone = '`piwork serve --stdio` has ended, and with it its requests and streams. Make a new Piwork()';

/** `piwork serve --stdio`, and lines of JSON. */
class Pipes extends Way {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<number, Queue>();
  readonly #over: Promise<unknown>;
  #last = 0;
  #ended = ''; // why it has

  constructor(program: string, env: NodeJS.ProcessEnv) {
    super();
    this.#process = spawn(program, ['serve', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'], env });
    this.#process.stdin.on('error', () => {}); // its end is seen by that of its output
    createInterface({ input: this.#process.stdout }).on('line', (text) => {
      const line = JSON.parse(text) as Line;
      this.#waiting.get(line.id)?.put(line);
    });
    const failed = (error: unknown) => `cannot start ${program}: ${error instanceof Error ? error.message : String(error)}. Name the program: new Piwork({ program: … })`;
    this.#over = once(this.#process, 'close') // which fails with the event 'error'
      .then(() => gone, failed)
      .then((why) => {
        this.#ended = why;
        for (const queue of this.#waiting.values()) queue.put(undefined);
      });
  }

  async *lines(method: string, path: string, body: unknown, headers?: Record<string, string>): AsyncGenerator<Said, void> {
    if (this.#ended) throw new PiworkError(this.#ended);
    const id = ++this.#last;
    const queue = new Queue();
    let over = false;
    this.#waiting.set(id, queue);
    try {
      this.#send({ id, method, path, body, headers });
      while (!over) {
        const line = await queue.take();
        over = !line || !(line.stream || line.event);
        if (!line) throw new PiworkError(this.#ended);
        if (line.error) throw line.status ? new PiworkError(line.error, line.status) : new Broken(line.error);
        const { data, ...said } = line;
        yield data === undefined ? said : { ...said, data: fromBase64(data) };
      }
    } finally {
      this.#waiting.delete(id);
      if (!over) this.#send({ id, cancel: true });
    }
  }

  #send(request: unknown): void {
    if (this.#process.stdin.writable) this.#process.stdin.write(`${JSON.stringify(request)}\n`);
  }

  override async close(): Promise<void> {
    await super.close();
    this.#process.stdin.end();
    await this.#over;
  }
}

export interface PiworkOptions {
  program?: string;
  env?: NodeJS.ProcessEnv;
  url?: string;
  token?: string;
  /** Of problems, plans and questions, such as 'de', or several: 'de-AT, en;q=0.5'. Without it they are in English. */
  language?: string;
}

/**
 * piwork. Without a url it starts `program serve --stdio`, which starts piwork in the background where it does not run.
 * With a url and a token (`piwork token create`) it uses HTTP.
 */
export class Piwork extends Client {
  constructor({ program = 'piwork', env = process.env, url = '', token = '', language = '' }: PiworkOptions = {}) {
    const headers = inLanguage(language); // before a program is started
    super(url ? new Http(url, token, send) : new Pipes(program, env), headers);
  }
}
