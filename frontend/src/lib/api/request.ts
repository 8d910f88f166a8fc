/** How the controller is asked; failures are always an [ApiFailure]. The operations and their records are those of the SDK. */
import { i18n } from '$lib/i18n/index.svelte';
import { type Asked, nextPage, Operations } from '$sdk/operations.gen';
import { send } from './transport';
import type { Problem, Task, ToolRequest } from './types';
import { WindowOperations } from './window.gen';

/** A request that was not answered with what was asked for; the problem is ready to be shown. */
export class ApiFailure extends Error {
  override name = 'ApiFailure';
  constructor(readonly problem: Problem) {
    super(problem.code);
  }
}

/** The problem that a failure stands for, whatever it was. */
export function problemOf(failure: unknown): Problem {
  if (failure instanceof ApiFailure) return failure.problem;
  return own('unknown', String(failure));
}

/** Whether no controller answered: nothing does, or what is left of one says that it ends. */
export const isAway = (problem: Problem | undefined): boolean =>
  problem?.code === 'unreachable' || problem?.code === 'shutting-down';

/** For a removal: what is not there any more is removed. */
export async function gone(removal: Promise<void>): Promise<void> {
  await removal.catch((cause: unknown) => {
    if (problemOf(cause).code !== 'not-found') throw cause;
  });
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'fix' in body;
}

/** A problem of the window's own: the controller said nothing. */
function own(code: 'unreachable' | 'unknown' | 'unfinished', details: string): Problem {
  return { ...i18n.m.problem[code], code, severity: 'error', cause: '', fix: [], details };
}

export const UNFINISHED = 'unfinished';

/** Another act has to end first, so this one was not begun. */
export const unfinished = (): Problem => own(UNFINISHED, '');

/** A name as a part of a path; one that would lead elsewhere is none. */
function segment(name: string): string {
  if (/^\.{0,2}$/.test(name)) throw new ApiFailure(own('unknown', `no name: "${name}"`));
  return encodeURIComponent(name);
}

/** The address of an operation: what stands in braces in its path is named by the request. */
function addressOf(path: string, { path: named = {}, query = {} }: Asked): URL {
  const address = new URL(
    path.replace(/\{(\w+)\}/g, (_, name: string) => segment(named[name] ?? '')),
    location.origin
  );
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) address.searchParams.set(name, String(value));
  }
  return address;
}

/** Asks, and waits for an answer; whatever is no success is thrown. */
async function ask(
  method: string,
  path: string,
  asked: Asked = {},
  headers: Record<string, string> = {}
): Promise<Response> {
  const body = asked.body === undefined ? {} : { body: JSON.stringify(asked.body) };
  const typed = asked.body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' };
  const request = new Request(addressOf(path, asked), { method, headers: typed, ...body });
  const response = await send(request).catch((cause: unknown) => {
    throw new ApiFailure(own('unreachable', String(cause)));
  });
  if (response.ok) return response;
  const error: unknown = await response.json().catch(() => undefined);
  throw new ApiFailure(
    isProblem(error) ? error : own('unknown', `${response.status} ${response.statusText} ${response.url}`)
  );
}

/** What an answer holds. */
async function contentOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  return response.json().catch((cause: unknown) => {
    throw new ApiFailure(own('unknown', `an answer without content: ${String(cause)}`));
  });
}

/** The ETags of records that were read, as long as somebody has the record. */
const tags = new WeakMap<object, string>();

class Controller extends WindowOperations {
  readonly #seen: object | undefined;

  constructor(seen?: object) {
    super();
    this.#seen = seen;
    // A method is also handed on by itself: read(api.listTasks).
    for (const { prototype } of [Operations, WindowOperations]) {
      for (const name of Object.getOwnPropertyNames(prototype) as (keyof WindowOperations)[]) {
        if (name.toString() !== 'constructor')
          Object.assign(this, { [name]: (this[name] as CallableFunction).bind(this) });
      }
    }
  }

  protected override async call(method: string, path: string, asked?: Asked): Promise<unknown> {
    const seen = this.#seen && tags.get(this.#seen);
    let response = await ask(method, path, asked, seen ? { 'If-Match': seen } : {});
    const content = await contentOf(response);
    const tag = response.headers.get('ETag');
    if (tag && typeof content === 'object' && content !== null) tags.set(content, tag);
    if (!Array.isArray(content) || asked?.query?.limit) return content;
    const list: unknown[] = content; // a list is asked for as a whole, also where it comes in pages
    for (let next; (next = nextPage(response.headers.get('Link')));) {
      response = await ask(method, next);
      list.push(...((await contentOf(response)) as unknown[]));
    }
    return list;
  }

  protected override pages(): never {
    throw new Error('lists are asked for as a whole');
  }

  protected override stream(): never {
    throw new Error('events come through the transport');
  }
}

export const api = new Controller();

/** The same, for changes of a record that are done only while it still is what was read: else nothing is (`changed`). */
export const whileStill = (record: object): Controller => new Controller(record);

/** Files, as they are. */
export const files = {
  result: async (id: string, index: number, headers?: Record<string, string>): Promise<Blob> =>
    (
      await ask('GET', '/v1/tasks/{id}/results/{index}', { path: { id, index: String(index) } }, headers)
    ).blob(),
  change: async (id: string, change: string, side: string): Promise<Blob> =>
    (await ask('GET', '/v1/tasks/{id}/changes/{change}/{side}', { path: { id, change, side } })).blob(),
  task: async (id: string): Promise<Blob> =>
    (await ask('GET', '/v1/tasks/{id}/export', { path: { id } })).blob(),
  log: async (name: string, query: { tail: number }): Promise<string> =>
    (await ask('GET', '/v1/logs/{name}', { path: { name }, query })).text()
};

/** Begins an operation on files. Each has a route of its own: the form is made of the schema that the controller checks it with. */
export const runTool = async (name: string, body: ToolRequest): Promise<Task> =>
  contentOf(
    await ask('POST', '/v1/tools/{name}', { path: { name }, body }, { Prefer: 'respond-async' })
  ) as Promise<Task>;
