import { describe, expect, it, vi } from 'vitest';
import { refuse, report, serve } from '../../test/controller';
import { api, ApiFailure, problemOf } from './client';

async function failure(request: Promise<unknown>): Promise<ApiFailure> {
  const outcome = await request.then(
    () => undefined,
    (cause: unknown) => cause
  );
  expect(outcome).toBeInstanceOf(ApiFailure);
  return outcome as ApiFailure;
}

describe('api', () => {
  it('returns what was asked for', async () => {
    const asked = serve({ 'GET /v1/status': report, 'POST /v1/settings/slow-mode': report });
    expect((await api.getStatus()).version).toBe('0.1.0');
    await api.setSlowMode({ on: true });
    expect(asked[1]).toEqual({ route: 'POST /v1/settings/slow-mode', body: { on: true } });
  });

  it('turns problem details into a problem', async () => {
    serve({ 'POST /v1/tasks/t/accept': refuse({ code: 'task-not-waiting' }, 409) });
    expect((await failure(api.acceptPlan('t'))).problem).toMatchObject({ code: 'task-not-waiting', fix: [] });
  });

  it('knows an answer that is none of ours', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('<html>', { status: 502 })));
    const { problem } = await failure(api.listTasks());
    expect(problem.code).toBe('unknown');
    expect(problem.details).toContain('502');
  });

  it('says when nobody answers', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('refused')));
    expect((await failure(api.listTasks())).problem.code).toBe('unreachable');
  });

  it('removes a task, and says when it could not', async () => {
    serve({ 'DELETE /v1/tasks/t': null });
    await expect(api.deleteTask('t')).resolves.toBeUndefined();
    serve({});
    expect((await failure(api.deleteTask('t'))).problem.code).toBe('not-found');
  });

  it('has a list as a whole, on however many pages it comes', async () => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', (request: Request) => {
      const { pathname, search } = new URL(request.url);
      asked.push(pathname + search);
      const page = asked.length;
      const headers = new Headers();
      if (page < 3) headers.set('Link', `</v1/rules?cursor=${page}.ab>; rel="next"`);
      return Promise.resolve(Response.json([{ id: String(page) }], { headers }));
    });
    expect((await api.listRules()).map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(asked).toEqual(['/v1/rules', '/v1/rules?cursor=1.ab', '/v1/rules?cursor=2.ab']);
    await api.listTasks({ limit: 1 });
    expect(asked.length).toBe(4);
  });

  it('asks nothing under a name that leads elsewhere', async () => {
    const asked = serve({ 'DELETE /v1/tasks/t': null, 'DELETE /v1/tasks/a%2Fb': null });
    for (const name of ['', '.', '..'])
      expect((await failure(api.deleteTask(name))).problem.code).toBe('unknown');
    await api.deleteTask('a/b');
    expect(asked.map(({ route }) => route)).toEqual(['DELETE /v1/tasks/a%2Fb']);
  });

  it('makes a problem of any failure', () => {
    expect(problemOf(new Error('what')).details).toContain('what');
  });
});
