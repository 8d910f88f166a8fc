// What the computer gives and stores, what goes into a report for help, and what only a window of the program can do.
import { at } from '../fixtures/records.mjs';
import {
  diagnostics,
  explain,
  licences,
  logText,
  machines,
  placeAt,
  placesOf,
  projectCaches,
  storage,
  tokens
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

/** @param {import('../world.mjs').World} world @param {import('../world.mjs').Setting} setting @returns {import('../world.mjs').Routes} */
export function upkeepRoutes(world, { tokened = false, measured = false }) {
  /** All kinds of places, the strongest first. */
  const places = () => [
    ...placesOf(world.places, world.status?.ready !== false, world.fenced),
    ...world.remotes.map(placeAt)
  ];
  let programs = tokened ? structuredClone(tokens) : [];
  let sent = { endpoint: measured ? 'http://collector.example.org:4318' : '' };
  let behaviour = { close: 'ask', notify: true };
  let login = { on: false, possible: true };
  let shares = structuredClone(machines);
  let stored = structuredClone(storage);
  let caches = structuredClone(projectCaches);
  const noWindow = () => refusal(501, 'no-window');

  return {
    'GET /v1/settings/window': () => ({ body: behaviour }),
    'GET /v1/settings/at-login': () => ({ body: login }),
    'PUT /v1/settings/at-login': ({ body }) => ({ body: (login = { ...login, on: body.on }) }),
    'GET /v1/process': () => ({ body: processOf(world) }),
    'POST /v1/notices': () => ({ body: { first: true } }),
    'PUT /v1/settings/window': ({ body }) => {
      behaviour = { ...behaviour, ...body };
      world.emit('', 'settings', {});
      return { body: behaviour };
    },
    'GET /v1/machines': () => ({ body: shares }),
    'POST /v1/settings/machines': ({ body }) => ({ body: (shares = { ...shares, settings: body }) }),
    'GET /v1/runtimes': () => ({ body: places() }),
    'POST /v1/runtimes/explain': ({ body }) => ({ body: explain(places(), world.places, body) }),
    'POST /v1/runtimes/{kind}/test': ({ params }) => ({
      body: places().find(({ kind }) => kind === params.kind)
    }),
    'GET /v1/tokens': () => ({ body: programs }),
    'DELETE /v1/tokens/{token}': ({ params }) => {
      programs = programs.filter(({ id }) => id !== params.token);
      return { status: 204 };
    },
    'GET /v1/settings/telemetry': () => ({ body: sent }),
    'PUT /v1/settings/telemetry': ({ body }) => ({ body: (sent = body) }),
    'GET /v1/remotes': () => ({ body: world.remotes }),
    'GET /v1/caches': () => ({ body: caches }),
    'DELETE /v1/caches/{id}': ({ params }) => {
      caches = caches.filter(({ id }) => id !== params.id);
      return { status: 204 };
    },
    'POST /v1/caches/{id}/back': ({ params }) => {
      caches = caches.map((one) => (one.id === params.id ? { ...one, canBack: false } : one));
      return { status: 204 };
    },
    'POST /v1/remotes': ({ body }) => {
      const { name, address, confirm, cluster } = body;
      if (!confirm && !cluster)
        return refusal(422, 'vm-failed', {
          cause: 'host-key-unknown',
          params: {
            address: 'lab.example.org:22',
            fingerprint: 'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU'
          }
        });
      const added = { name, address, ...(cluster ? { cluster } : {}) };
      world.remotes = [...world.remotes, added];
      return { body: added };
    },
    'DELETE /v1/remotes/{name}': ({ params }) => {
      world.remotes = world.remotes.filter(({ name }) => name !== params.name);
      return { status: 204 };
    },
    'GET /v1/remotes/{name}/usage': ({ params }) => ({
      body: {
        bytes: world.remotes.some(({ name, cluster }) => name === params.name && cluster) ? 0 : 910_000_000,
        places: 0
      }
    }),
    'POST /v1/remotes/{name}/clean': () => ({ status: 204 }),
    'GET /v1/settings/runtimes': () => ({ body: world.places }),
    'POST /v1/settings/runtimes': ({ body }) => ({ body: (world.places = body) }),
    'GET /v1/storage': () => ({ body: stored }),
    'POST /v1/storage/clean': ({ body }) => {
      const gone = stored.items.filter((item) => body.what.includes(item.what));
      stored = {
        ...stored,
        items: stored.items.map((item) =>
          gone.includes(item) ? { ...item, bytes: item.bytes - item.frees, frees: 0 } : item
        )
      };
      return { body: { freed: gone.reduce((sum, item) => sum + item.frees, 0) } };
    },
    'GET /v1/storage/move': () => ({
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
    'GET /v1/licences': () => ({ body: { items: licences } }),
    'GET /v1/diagnostics': () => ({ body: diagnostics }),
    'POST /v1/diagnostics': ({ body }) => ({ body: { path: body.path, bytes: 41_000 } }),
    'GET /v1/logs': () => ({
      body: {
        logs: ['task-0012.log', 'task-0009.log'].map((name) => ({
          name,
          bytes: 640_000,
          changed: at(600_000)
        }))
      }
    }),
    'GET /v1/logs/{name}': () => ({ bytes: Buffer.from(logText), type: 'text/plain; charset=utf-8' }),
    'GET /v1/health': () => ({
      body: {
        version: '0.1.0',
        uptimeMs: 9_400_000,
        problems: [],
        status: world.status,
        machines: shares,
        audit: { ok: true, records: 1204 }
      }
    }),
    'POST /v1/native/pick-folder': noWindow,
    'POST /v1/native/pick-file': noWindow,
    'POST /v1/native/pick-files': noWindow,
    'POST /v1/native/open': noWindow,
    'POST /v1/native/save-as': noWindow
  };
}
