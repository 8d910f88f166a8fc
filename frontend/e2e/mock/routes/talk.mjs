// Tasks in a person's own words: they are told something, answer, and get another model.
import { at } from '../fixtures/records.mjs';
import { examples } from '../fixtures/tasks.mjs';
import { refusal } from '../world.mjs';

/** @typedef {import('../world.mjs').Task} Task */
/** @typedef {import('../world.mjs').World} World */

/** What is asked for in own words is answered in a few. @param {World} world @param {any} body */
export function startAsking(world, body) {
  /** @type {Task} */
  const t = world.begin({
    ...structuredClone(examples.talking),
    id: crypto.randomUUID(),
    title: body.prompt,
    state: 'queued',
    created: at(0),
    network: body.network,
    folders: body.folders.map((/** @type {any} */ f, /** @type {number} */ i) => ({
      id: `f${i + 1}`,
      path: f.path,
      name: f.path.split('/').pop(),
      mode: f.mode
    }))
  });
  world.emit(t.id, 'message', { id: 'u0', role: 'user', text: body.prompt, how: 'prompt' });
  world.play([
    () => (world.move(t, { state: 'running' }), world.emit(t.id, 'step', { step: 'boot' })),
    () => world.emit(t.id, 'step', { step: 'run' }),
    () => reply(world, t, 'I looked through the folder. **There is nothing to do.**')
  ]);
  return { status: 201, body: t };
}

/** @param {World} world @param {Task} t @param {string} text */
function reply(world, t, text) {
  const id = `a${world.lines(t.id).length}`;
  world.play([
    ...text.split(/(?<= )/).map((word) => () => world.emit(t.id, 'delta', { id, text: word })),
    () => {
      world.emit(t.id, 'message', { id, role: 'assistant', text });
      world.move(t, { state: 'done', ended: at(0) });
    }
  ]);
}

/** @param {World} world @param {Task} t @param {any} body */
function hear(world, t, body) {
  if (t.state === 'running' && body.how === 'followUp') {
    const last = world.lines(t.id).findLast((e) => e.kind === 'queue');
    const queue = /** @type {any} */ (last?.data ?? { steering: [], followUp: [] });
    world.emit(t.id, 'queue', { ...queue, followUp: [...queue.followUp, body.text] });
    return { body: t };
  }
  world.emit(t.id, 'message', {
    id: `u${world.lines(t.id).length}`,
    role: 'user',
    text: body.text,
    how: body.how
  });
  if (t.state !== 'running') {
    delete t.error;
    world.move(t, { state: 'running' });
    reply(world, t, 'That is done too.');
  }
  return { body: t };
}

/** @param {World} world @param {Task} t @param {any} body */
function tune(world, t, body) {
  const provider = (/** @type {string} */ model) => model.split('/')[0];
  const now = t.ai?.model ?? '';
  if (!t.ended && provider(body.model ?? now) !== provider(now))
    return refusal(409, 'task-running', { cause: 'provider' });
  t.ai = Object.assign(t.ai ?? { model: now, usage: { requests: 0, input: 0, output: 0 } }, body);
  world.emit(t.id, 'notice', { code: 'model', params: body });
  return { body: t };
}

/** It goes on for a summary, and is as it was. @param {World} world @param {Task} t */
function compact(world, t) {
  const was = t.state;
  world.move(t, { state: 'queued' });
  world.emit(t.id, 'notice', { code: 'compacting' });
  world.play([
    () => world.emit(t.id, 'step', { step: 'boot' }),
    () => {
      world.move(t, { state: 'running' });
      world.emit(t.id, 'step', { step: 'run' });
    },
    () => {
      world.emit(t.id, 'notice', { code: 'compacted', params: { before: 52_000 } });
      world.move(t, { state: was });
    }
  ]);
  return { body: t };
}

/** @param {World} world @returns {import('../world.mjs').Routes} */
export const talkRoutes = (world) => ({
  'POST /v1/tasks/{id}/messages': world.ofTask((t, { body }) => hear(world, t, body)),
  'PUT /v1/tasks/{id}/model': world.ofTask((t, { body }) => tune(world, t, body)),
  'POST /v1/tasks/{id}/compact': world.ofTask((t) => compact(world, t)),
  'POST /v1/tasks/{id}/interrupt': world.ofTask((t) => {
    world.emit(t.id, 'notice', { code: 'aborted' });
    world.move(t, { state: 'done', ended: at(0) });
    return { body: t };
  }),
  'GET /v1/tasks/{id}/agent/{line}': world.ofTask(() => ({
    body: { type: 'message_end', message: { role: 'assistant', stopReason: 'stop', content: [] } }
  }))
});
