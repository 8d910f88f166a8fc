/** How the controller is asked: client.gen.ts has a function for each of its operations. Failures are always an [ApiFailure]. */
import createClient from 'openapi-fetch';
import { i18n } from '$lib/i18n/index.svelte';
import type { paths } from './schema.gen';
import { send } from './transport';
import type { Problem, Task, ToolRequest } from './types';

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

/** For a removal: what is not there any more is removed. */
export async function gone(removal: Promise<void>): Promise<void> {
  await removal.catch((cause: unknown) => {
    if (problemOf(cause).code !== 'not-found') throw cause;
  });
}

export const http = createClient<paths>({ baseUrl: location.origin, fetch: send });

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'fix' in body;
}

/** A problem of the window's own: the controller said nothing. */
function own(code: 'unreachable' | 'unknown', details: string): Problem {
  return { ...i18n.m.problem[code], code, severity: 'error', cause: '', fix: [], details };
}

/** Waits for an answer; whatever is no success is thrown. */
async function success<T>(
  request: Promise<{ data?: T; error?: unknown; response: Response }>
): Promise<T | undefined> {
  const { data, error, response } = await request.catch((cause: unknown) => {
    throw new ApiFailure(own('unreachable', String(cause)));
  });
  if (response.ok) return data;
  if (isProblem(error)) throw new ApiFailure(error);
  throw new ApiFailure(own('unknown', `${response.status} ${response.statusText} ${response.url}`));
}

/** For what is answered with no content. */
export async function done(request: Promise<{ error?: unknown; response: Response }>): Promise<void> {
  await success(request);
}

export async function answer<T>(
  request: Promise<{ data?: T; error?: unknown; response: Response }>
): Promise<NonNullable<T>> {
  const data = await success(request);
  if (data === undefined || data === null) throw new ApiFailure(own('unknown', 'an answer without content'));
  return data;
}

/** Begins an operation on files. Each has a route of its own: the form is made of the schema that the controller checks it with. */
export const runTool = (name: string, body: ToolRequest): Promise<Task> =>
  answer(
    http.POST(`/v1/tools/${name}` as '/v1/tools/image.convert', {
      params: { header: { Prefer: 'respond-async' } },
      body: body as never
    }) as Promise<{ data?: unknown; error?: unknown; response: Response }>
  ) as Promise<Task>;
