// What tasks changed: it is looked at, put back, brought again, decided about.
import { comparisonOf } from '../fixtures/comparisons.mjs';
import { pictures } from '../fixtures/contents.mjs';
import { at } from '../fixtures/records.mjs';
import { notFound } from '../world.mjs';

/** @typedef {import('../world.mjs').Task} Task */
/** @typedef {import('../../../src/lib/api/types').Change} Change */

/** Those that are named, or all where none is. @param {any} body */
const named = (body) => {
  const ids = body.ids ?? [];
  return (/** @type {Change} */ c) => ids.length === 0 || ids.includes(c.id);
};
/** @param {Change[]} list */
const idsOf = (list) => list.map((c) => c.id);

/** @param {import('../world.mjs').World} world @param {import('../world.mjs').Setting} setting @returns {import('../world.mjs').Routes} */
export function changeRoutes(world, { conflict = false }) {
  /** @type {Record<string, import('../../../src/lib/api/types').UndoSpace>} */
  const space = {};
  const keeping = { settings: { days: 90, spaceMb: 10_000, writeMb: 4_000 }, bytes: 212_000_000, tasks: 7 };

  /** @param {Task} t @param {any} body */
  function undo(t, body) {
    const wanted = world.changed(t.id).filter((c) => !c.undone && !c.staged && named(body)(c));
    const [first] = wanted;
    const left = conflict && first && !body.resolve?.[first.id] ? [first] : [];
    const kept = wanted.filter((c) => body.resolve?.[c.id] === 'keep');
    const undone = wanted.filter((c) => !left.includes(c) && !kept.includes(c));
    for (const change of undone) change.undone = at(0);
    world.emit(t.id, 'undo', { undone: idsOf(undone), conflicts: idsOf(left) });
    return { undone, kept, conflicts: left.map((change) => ({ change, reason: 'changed-since' })) };
  }

  /** @param {Task} t @param {any} body */
  function redo(t, body) {
    const redone = world.changed(t.id).filter((c) => c.undone && named(body)(c));
    for (const change of redone) delete change.undone;
    world.emit(t.id, 'redo', { redone: idsOf(redone), conflicts: [] });
    return { redone, conflicts: [] };
  }

  /** @param {Task} t @param {any} body */
  function apply(t, body) {
    const all = world.changed(t.id);
    const wanted = all.filter((c) => c.staged && named(body)(c));
    if (body.discard)
      world.setChanged(
        t.id,
        all.filter((c) => !wanted.includes(c))
      );
    else for (const change of wanted) delete change.staged;
    const [applied, discarded] = body.discard ? [[], wanted] : [wanted, []];
    world.emit(t.id, 'apply', { applied: idsOf(applied), discarded: idsOf(discarded), conflicts: [] });
    return { applied, discarded, conflicts: [] };
  }

  /** Answers for a change, if there is such a one. @param {(change: Change, side: string) => import('../world.mjs').Answer} route */
  const ofChange = (route) =>
    world.ofTask((t, { params }) => {
      const change = world.changed(t.id).find((c) => c.id === params.change);
      return change ? route(change, params.side) : notFound;
    });

  return {
    'GET /v1/tasks/{id}/changes': world.ofTask((t) => ({ body: world.changed(t.id) })),
    'GET /v1/tasks/{id}/changes/{change}': ofChange((change) => ({ body: comparisonOf(change) })),
    'GET /v1/tasks/{id}/changes/{change}/{side}': ofChange((_, side) => ({
      bytes: side === 'before' ? pictures.before : pictures.after
    })),
    'POST /v1/tasks/{id}/undo': world.ofTask((t, { body }) => ({ body: undo(t, body) })),
    'POST /v1/tasks/{id}/redo': world.ofTask((t, { body }) => ({ body: redo(t, body) })),
    'POST /v1/tasks/{id}/apply': world.ofTask((t, { body }) => ({ body: apply(t, body) })),
    'GET /v1/tasks/{id}/undo': world.ofTask((t) => ({
      body: space[t.id] ?? { bytes: 48_000_000, expires: at(-60 * 86_400_000) }
    })),
    'DELETE /v1/tasks/{id}/undo': world.ofTask((t) => ({
      body: (space[t.id] = { bytes: 0, forgotten: true })
    })),
    'GET /v1/settings/undo': () => ({ body: keeping }),
    'POST /v1/settings/undo': ({ body }) => {
      keeping.settings.days = body.days;
      if (body.spaceMb > 0) keeping.settings.spaceMb = body.spaceMb;
      if (body.writeMb > 0) keeping.settings.writeMb = body.writeMb;
      return { body: keeping };
    }
  };
}
