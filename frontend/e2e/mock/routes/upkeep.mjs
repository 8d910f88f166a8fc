// What the computer gives and stores, what goes into a report for help, and what only a window of the program can do.
import { at } from '../fixtures/records.mjs';
import {
  diagnostics,
  licences,
  logText,
  machines,
  placeAt,
  placesOf,
  projectCaches,
  storage
} from '../fixtures/upkeep.mjs';
import { refusal } from '../world.mjs';

/** What runs in the background. @param {import('../world.mjs').World} world */
function processOf(world) {
  const over = ['done', 'failed', 'cancelled'];
  const working = [...world.records.values()]
    .filter(({ state }) => !over.includes(state))
    .map(({ id }) => id);
  return {
    pid: 4711,
    version: '0.1.0',
    program: '/usr/bin/piwork',
    built: at(0),
    since: at(0),
    background: true,
    idleEnd: 600,
    env: '',
    pages: true,
    working: working.length,
    held: working.slice(-1),
    clients: 1,
    windows: 1
  };
}

/** @param {import('../world.mjs').World} world @returns {import('../world.mjs').Routes} */
export function upkeepRoutes(world) {
  let behaviour = { close: 'ask', notify: true };
  let login = { on: false, possible: true };
  let shares = structuredClone(machines);
  let stored = structuredClone(storage);
  let caches = structuredClone(projectCaches);
  const noWindow = () => refusal(501, 'no-window');

  return {
    'GET /api/settings/window': () => ({ body: behaviour }),
    'GET /api/settings/at-login': () => ({ body: login }),
    'PUT /api/settings/at-login': ({ body }) => ({ body: (login = { ...login, on: body.on }) }),
    'GET /api/process': () => ({ body: processOf(world) }),
    'POST /api/notices': () => ({ body: { first: true } }),
    'PUT /api/settings/window': ({ body }) => {
      behaviour = { ...behaviour, ...body };
      world.emit('', 'settings', {});
      return { body: behaviour };
    },
    'GET /api/machines': () => ({ body: shares }),
    'POST /api/settings/machines': ({ body }) => ({ body: (shares = { ...shares, settings: body }) }),
    'GET /api/runtimes': () => ({
      body: placesOf(world.places, world.status?.ready !== false, world.fenced)
    }),
    'POST /api/runtimes/{kind}/test': ({ params }) => ({
      body: [
        ...placesOf(world.places, world.status?.ready !== false, world.fenced),
        ...world.remotes.map(placeAt)
      ].find(({ kind }) => kind === params.kind)
    }),
    'GET /api/remotes': () => ({ body: world.remotes }),
    'GET /api/caches': () => ({ body: caches }),
    'DELETE /api/caches/{id}': ({ params }) => {
      caches = caches.filter(({ id }) => id !== params.id);
      return { status: 204 };
    },
    'POST /api/caches/{id}/back': ({ params }) => {
      caches = caches.map((one) => (one.id === params.id ? { ...one, canBack: false } : one));
      return { status: 204 };
    },
    'POST /api/remotes': ({ body }) => {
      const { name, address, confirm } = body;
      if (!confirm)
        return refusal(422, 'vm-failed', {
          cause: 'host-key-unknown',
          params: {
            address: 'lab.example.org:22',
            fingerprint: 'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU'
          }
        });
      const added = { name, address };
      world.remotes = [...world.remotes, added];
      return { body: added };
    },
    'DELETE /api/remotes/{name}': ({ params }) => {
      world.remotes = world.remotes.filter(({ name }) => name !== params.name);
      return { status: 204 };
    },
    'GET /api/remotes/{name}/usage': () => ({ body: { bytes: 910_000_000, places: 0 } }),
    'POST /api/remotes/{name}/clean': () => ({ status: 204 }),
    'GET /api/settings/runtimes': () => ({ body: world.places }),
    'POST /api/settings/runtimes': ({ body }) => ({ body: (world.places = body) }),
    'GET /api/storage': () => ({ body: stored }),
    'POST /api/storage/clean': ({ body }) => {
      const gone = stored.items.filter((item) => body.what.includes(item.what));
      stored = {
        ...stored,
        items: stored.items.map((item) =>
          gone.includes(item) ? { ...item, bytes: item.bytes - item.frees, frees: 0 } : item
        )
      };
      return { body: { freed: gone.reduce((sum, item) => sum + item.frees, 0) } };
    },
    'GET /api/storage/move': () => ({
      body: {
        phase: 'none',
        from: '/home/anna/.local/share/piwork',
        bytes: 0,
        files: 0,
        done: 0,
        needBytes: 0,
        freeBytes: 0
      }
    }),
    'GET /api/licences': () => ({ body: { items: licences } }),
    'GET /api/diagnostics': () => ({ body: diagnostics }),
    'POST /api/diagnostics': ({ body }) => ({ body: { path: body.path, bytes: 41_000 } }),
    'GET /api/logs': () => ({
      body: {
        logs: ['task-0012.log', 'task-0009.log'].map((name) => ({
          name,
          bytes: 640_000,
          changed: at(600_000)
        }))
      }
    }),
    'GET /api/logs/{name}': () => ({ bytes: Buffer.from(logText), type: 'text/plain; charset=utf-8' }),
    'GET /api/health': () => ({
      body: {
        version: '0.1.0',
        uptimeMs: 9_400_000,
        problems: [],
        status: world.status,
        machines: shares,
        audit: { ok: true, records: 1204 }
      }
    }),
    'POST /api/native/pick-folder': noWindow,
    'POST /api/native/pick-file': noWindow,
    'POST /api/native/pick-files': noWindow,
    'POST /api/native/open': noWindow,
    'POST /api/native/save-as': noWindow
  };
}
