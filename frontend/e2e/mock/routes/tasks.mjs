// Tasks: they are begun, decided about, stopped, done again, forgotten.
import { changes } from '../fixtures/changes.mjs';
import { chores, savedChores } from '../fixtures/chores.mjs';
import { contents, pictures } from '../fixtures/contents.mjs';
import { planFor, planOf } from '../fixtures/plans.mjs';
import { at, fixes } from '../fixtures/records.mjs';
import { examples } from '../fixtures/tasks.mjs';
import { notFound, refusal } from '../world.mjs';
import { startAsking } from './talk.mjs';

/** @typedef {import('../world.mjs').Task} Task */
/** @typedef {import('../world.mjs').World} World */

/** @param {World} world @param {any} body */
function start(world, body) {
  const path = body.folders[0].path;
  const name = path.split('/').pop();
  if (path === '/')
    return refusal(422, 'folder-refused', {
      cause: 'disk-root',
      params: { path },
      fix: fixes('pick-subfolder')
    });
  /** @type {Task} */
  const t = world.begin({
    ...structuredClone(examples.waiting),
    id: crypto.randomUUID(),
    title: `${body.chore}: ${name}`,
    chore: body.chore,
    state: 'queued',
    created: at(0),
    folders: [{ id: 'f1', path, name, mode: 'rw' }],
    params: planOf(body.chore, name, body.params).params,
    accel: world.status?.accel.kind ?? ''
  });
  const looks = planFor(name).operations[0]?.in.length ?? 0;
  world.play([
    () => (world.move(t, { state: 'preparing' }), world.emit(t.id, 'step', { step: 'verify' })),
    () => (world.move(t, { state: 'running' }), world.emit(t.id, 'step', { step: 'plan' })),
    ...['boot', 'machine', 'kernel', 'agent', 'prepare', 'mount'].map(
      (step) => () => world.emit(t.id, 'step', { step })
    ),
    () => world.emit(t.id, 'progress', { done: looks, total: 2 * looks, item: '' }),
    () => {
      if (t.state !== 'running') return;
      world.emit(t.id, 'plan', planOf(body.chore, name, body.params));
      world.move(t, { state: 'waiting' });
      world.emit(t.id, 'step', { step: 'accept' });
    }
  ]);
  return { status: 201, body: t };
}

/** @param {World} world @param {Task} t */
function accept(world, t) {
  const decision = { id: 'plan', answer: 'allow', scope: 'task', by: 'person', time: at(0) };
  world.emit(t.id, 'decision', decision);
  world.move(t, { state: 'running' });
  const inputs = planFor(t.folders[0]?.name ?? '').operations[0]?.in ?? [];
  world.play([
    ...['run', 'boot', 'mount'].map((step) => () => world.emit(t.id, 'step', { step })),
    ...inputs.map((input, i) => () => {
      if (t.state === 'running')
        world.emit(t.id, 'progress', { done: i + 1, total: inputs.length, item: input.path });
    }),
    () => {
      if (t.state !== 'running') return;
      t.results = structuredClone(examples.done.results ?? []);
      world.setChanged(t.id, structuredClone(changes[examples.done.id] ?? []));
      world.emit(t.id, 'result', t.results[0]);
      world.move(t, { state: 'done', ended: at(0) });
    }
  ]);
  return { body: t };
}

/** A new task that asks for the same. @param {World} world @param {Task} t */
function again(world, t) {
  const next = { ...structuredClone(t), id: crypto.randomUUID(), created: at(0) };
  delete next.ended;
  delete next.error;
  delete next.results;
  next.state = 'queued';
  return { status: 201, body: world.begin(next) };
}

/** @param {World} world @param {import('../world.mjs').Setting} setting @returns {import('../world.mjs').Routes} */
export function taskRoutes(world, { kept = false }) {
  let saved = kept ? structuredClone(savedChores) : [];

  return {
    'GET /v1/chores': () => ({ body: chores }),
    'GET /v1/folders': () => ({ body: [] }),
    'GET /v1/saved': () => ({ body: saved }),
    'POST /v1/saved': ({ body }) => {
      const task = world.records.get(body.task);
      const one = {
        id: crypto.randomUUID(),
        name: body.name,
        chore: task?.chore ?? body.chore,
        params: task?.params ?? body.params ?? {},
        folders: (task?.folders ?? body.folders ?? []).map((/** @type {any} */ f) => ({
          path: f.path,
          mode: f.mode
        })),
        ...(body.runtime ? { runtime: body.runtime } : {}),
        created: at(0)
      };
      saved = [one, ...saved.filter((other) => other.name !== one.name)];
      return { body: one };
    },
    'DELETE /v1/saved/{id}': ({ params }) => {
      saved = saved.filter((one) => one.id !== params.id);
      return { status: 204 };
    },
    'GET /v1/tasks': ({ query }) => ({
      body: [...world.records.values()]
        .filter((r) =>
          JSON.stringify(r)
            .toLowerCase()
            .includes((query.get('q') ?? '').toLowerCase())
        )
        .sort((a, b) => (a.created < b.created ? 1 : -1))
    }),
    'POST /v1/tasks': ({ body }) => (body.kind === 'ai' ? startAsking : start)(world, body),
    'GET /v1/tasks/{id}': world.ofTask((t) => ({ body: t })),
    'PATCH /v1/tasks/{id}': world.ofTask((t, { body }) => {
      world.move(t, { title: body.title || t.title, titled: body.title !== '' });
      return { body: t };
    }),
    'DELETE /v1/tasks/{id}': world.ofTask((t) => {
      world.records.delete(t.id);
      return { status: 204 };
    }),
    'GET /v1/tasks/{id}/plan': world.ofTask((t) =>
      world.lines(t.id).some((e) => e.kind === 'plan')
        ? { body: planFor(t.folders[0]?.name ?? '') }
        : notFound
    ),
    'GET /v1/tasks/{id}/timeline': world.ofTask((t) => ({ body: world.lines(t.id) })),
    'GET /v1/tasks/{id}/results/{index}': world.ofTask((t, { params }) => {
      const end = t.results?.[Number(params.index)]?.path.split('.').pop() ?? '';
      const text = contents[end];
      return { bytes: text === undefined ? pictures.after : Buffer.from(text) };
    }),
    'GET /v1/tasks/{id}/export': world.ofTask(() => ({
      bytes: Buffer.from('PK\x05\x06'.padEnd(22, '\0'), 'latin1'),
      type: 'application/zip'
    })),
    'POST /v1/tasks/{id}/again': world.ofTask((t) => again(world, t)),
    'POST /v1/tasks/{id}/folders': world.ofTask((t, { body }) => {
      const folder = {
        id: `f${t.folders.length + 1}`,
        path: body.path,
        name: body.path.split('/').pop(),
        mode: body.mode ?? 'ro'
      };
      t.folders = [...t.folders, folder];
      world.emit(t.id, 'folder', { folder, by: 'person' });
      return { body: t };
    }),
    'DELETE /v1/tasks/{id}/folders/{folder}': world.ofTask((t, { params }) => {
      const folder = t.folders.find(({ id, removed }) => id === params.folder && !removed);
      if (!folder) return notFound;
      folder.removed = at(0);
      world.emit(t.id, 'folder', { folder, by: 'person' });
      return { body: t };
    }),
    'POST /v1/tasks/{id}/accept': world.ofTask((t) => accept(world, t)),
    'POST /v1/tasks/{id}/questions/{question}': world.ofTask((t, { params, body }) => {
      const decision = { id: params.question, ...body, by: 'person', time: at(0) };
      world.emit(t.id, 'decision', decision);
      world.move(t, { state: 'running' });
      return { body: decision };
    }),
    'POST /v1/tasks/{id}/resume': world.ofTask((t) => {
      delete t.error;
      world.move(t, { state: 'running' });
      world.emit(t.id, 'notice', { code: 'resumed' });
      return { body: t };
    }),
    'POST /v1/tasks/{id}/cancel': world.ofTask((t) => {
      const { error } = examples.stopped;
      world.move(t, { state: 'cancelled', ended: at(0), ...(error ? { error } : {}) });
      return { body: t };
    })
  };
}
