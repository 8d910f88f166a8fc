// Single operations on files.
import { at } from '../fixtures/records.mjs';
import { catalogue, outcomeOf, taskOf } from '../fixtures/tools.mjs';

/** @param {import('../world.mjs').World} world @param {string} op @param {any} body */
function start(world, op, body) {
  const t = world.begin(taskOf(op, body));
  world.play([
    () => (world.move(t, { state: 'running' }), world.emit(t.id, 'step', { step: 'boot' })),
    () => world.emit(t.id, 'step', { step: 'run' }),
    ...body.in.map((/** @type {string} */ item, /** @type {number} */ i) => () => {
      if (t.state === 'running') world.emit(t.id, 'progress', { done: i + 1, total: body.in.length, item });
    }),
    () => {
      if (t.state !== 'running') return;
      Object.assign(t, outcomeOf(t, body));
      for (const result of t.results ?? []) world.emit(t.id, 'result', result);
      world.move(t, { state: 'done', ended: at(0) });
    }
  ]);
  return { status: 202, body: t };
}

/** @param {import('../world.mjs').World} world @returns {import('../world.mjs').Routes} */
export const toolRoutes = (world) => ({
  'GET /v1/tools': () => ({ body: catalogue }),
  ...Object.fromEntries(
    catalogue.map(({ name }) => [
      `POST /v1/tools/${name}`,
      (/** @type {import('../world.mjs').Ask} */ { body }) => start(world, name, body)
    ])
  )
});
