// The runtime: its versions, its add-ons, and what comes over the channel.
import { reports } from '../fixtures/computers.mjs';
import { at } from '../fixtures/records.mjs';
import { addOns, packs, updates } from '../fixtures/runtime.mjs';
import { refusal } from '../world.mjs';

/** @param {import('../world.mjs').World} world @param {import('../world.mjs').Setting} setting @returns {import('../world.mjs').Routes} */
export function runtimeRoutes(
  world,
  { update = world.bare ? 'fresh' : 'upToDate', troubled = false, halt = undefined }
) {
  /** @type {import('../../../src/lib/api/types').UpdateState} */
  let state = structuredClone(updates[update]);
  let installed = world.bare ? [] : structuredClone(troubled ? packs : packs.slice(1, 3));
  const extras = structuredClone(troubled ? addOns : addOns.filter((a) => !a.problem));

  /** @param {Partial<typeof state>} more */
  function stand(more) {
    state = { ...state, ...more };
    world.emit('', 'update', state);
    return { body: state };
  }

  /** Downloads what is on offer. @param {string} what */
  function fetchAll(what) {
    delete state.problem;
    const total = state.total || 310_000_000;
    const first = state.phase === 'paused' ? state.done : 0;
    const version = state.version ?? state.current;
    const from = stand({ phase: 'downloading', what, version, total, done: first, rate: 0, eta: -1 });
    const pieces = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
      .map((i) => (total / 10) * i)
      .filter((done) => done > first);
    world.play([
      ...pieces.map((done) => () => {
        if (state.phase === 'downloading')
          stand({ done, rate: 6_200_000, eta: Math.round((total - done) / 6_200_000) });
      }),
      () => state.phase === 'downloading' && stand({ phase: 'installing' }),
      () => state.phase === 'installing' && stand({ phase: 'trying' }),
      () => {
        if (state.phase === 'trying' && halt !== 'trying') take(what, version);
      }
    ]);
    return from;
  }

  /** What was downloaded is used from now on. @param {string} what @param {string} version */
  function take(what, version) {
    world.status = structuredClone(reports.ready);
    if (what === 'runtime') {
      const [sample] = packs.filter((p) => p.current);
      installed = [
        { .../** @type {any} */ (sample), version, current: true },
        ...installed
          .filter((p) => p.version !== version)
          .map((p) => ({ ...p, current: false, previous: p.current }))
      ];
    }
    for (const extra of extras) if (extra.name === what) extra.installed = extra.usable = true;
    stand({
      phase: 'up-to-date',
      current: what === 'runtime' ? version : state.current,
      checked: at(0)
    });
  }

  return {
    'POST /v1/packs/install': async ({ body }) => {
      if (!/\.tar(\.zst)?$/.test(body.file))
        return refusal(422, 'pack-invalid', { cause: 'not-a-pack', params: { path: body.file } });
      for (let i = 1; i <= 10; i++) {
        await world.pause();
        world.emit('', 'pack', { done: i * 13e6, total: 130e6 });
      }
      world.status = structuredClone(reports.ready);
      return { body: packs.find((p) => p.current) };
    },
    'GET /v1/packs': () => ({ body: installed }),
    'POST /v1/packs/repair': async () => {
      await world.pause();
      return { body: installed.find((p) => p.current) };
    },
    'POST /v1/packs/rollback': () => {
      const back = installed.find((p) => p.previous);
      if (!back) return refusal(409, 'no-previous');
      installed = installed.map((p) => ({ ...p, current: p === back, previous: p.current }));
      stand({ current: back.version });
      return { body: back };
    },
    'DELETE /v1/packs/{version}': ({ params }) => {
      installed = installed.filter((p) => p.version !== params.version);
      return { status: 204 };
    },
    'GET /v1/addons': () => ({ body: extras }),
    'POST /v1/addons/{name}': ({ params }) => fetchAll(params.name),
    'DELETE /v1/addons/{name}': ({ params }) => {
      for (const extra of extras) if (extra.name === params.name) extra.installed = false;
      return { status: 204 };
    },
    'GET /v1/update': () => ({ body: state }),
    'POST /v1/update/check': async () => {
      await world.pause();
      return stand({ checked: at(0) });
    },
    'POST /v1/update/start': () => fetchAll(state.phase === 'paused' ? state.what : 'runtime'),
    'POST /v1/update/pause': () => stand({ phase: 'paused', rate: 0, eta: -1 }),
    'POST /v1/settings/updates': ({ body }) => stand({ settings: body })
  };
}
