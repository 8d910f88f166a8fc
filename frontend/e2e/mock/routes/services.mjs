// Models, the services that they come from, and the keys of those.
import { at } from '../fixtures/records.mjs';
import { keys, logins, models, programs } from '../fixtures/services.mjs';

/** @param {import('../world.mjs').World} world @param {import('../world.mjs').Setting} setting @returns {import('../world.mjs').Routes} */
export function serviceRoutes(world, { keyless = false, locked = false, logins: withLogins = false }) {
  /** @type {import('../../../src/lib/api/types').Models} */
  let known = keyless ? { default: '', chosen: false, list: [] } : structuredClone(models);
  let providers = structuredClone(keyless ? keys.filter((k) => !k.has && !k.local) : keys);
  if (withLogins) providers = [...providers, ...structuredClone(logins)];
  let store = { store: locked ? 'file' : 'keychain', locked, keychain: true };

  return {
    'GET /v1/models': () => ({ body: known }),
    'GET /v1/programs': () => ({ body: programs }),
    'PUT /v1/models/default': ({ body }) => {
      known = { ...known, default: body.model || models.default, chosen: body.model !== '' };
      return { body: known };
    },
    'PUT /v1/models/said': ({ body }) => {
      const { model, ...said } = body;
      const list = known.list.map((one) => (one.id === model ? { ...one, ...said, said } : one));
      known = { ...known, list };
      return { body: known };
    },
    'GET /v1/keys': () => ({ body: providers }),
    'PUT /v1/keys/{provider}': ({ params: { provider }, body }) => {
      const info = {
        provider,
        name: body.name ?? providers.find((p) => p.provider === provider)?.name ?? provider,
        has: true,
        kind: body.key ? 'key' : 'none',
        place: 'keychain',
        ...(body.key ? { ending: body.key.slice(-4) } : {}),
        ...(body.baseUrl ? { baseUrl: body.baseUrl, protocol: body.protocol } : {})
      };
      providers = [info, ...providers.filter((p) => p.provider !== provider)];
      known = structuredClone(models);
      return { body: info };
    },
    'DELETE /v1/keys/{provider}': ({ params: { provider } }) => {
      providers = providers.map((p) =>
        p.provider === provider ? { provider, name: p.name, has: false } : p
      );
      return { status: 204 };
    },
    'POST /v1/keys/{provider}/test': async ({ params }) => {
      await world.pause();
      return {
        body:
          params.provider === 'anthropic'
            ? { ok: true, models: 12 }
            : {
                ok: false,
                reason: 'unreachable',
                detail: 'dial tcp 127.0.0.1:11434: connect: connection refused'
              }
      };
    },
    'POST /v1/keys/{provider}/login': ({ params: { provider }, body }) => {
      const login = { id: 'l1', url: 'https://login.example/device', expires: at(-600_000) };
      const copilot = provider === 'github-copilot';
      if (!copilot && !body?.device) return { body: { ...login, needs: 'code' } };
      return {
        body: { ...login, needs: 'nothing', userCode: 'WDJB-MJHT', ...(copilot ? { terms: true } : {}) }
      };
    },
    'GET /v1/logins/{id}': () => ({ body: { state: 'waiting' } }),
    'POST /v1/logins/{id}': () => ({ body: { state: 'done' } }),
    'DELETE /v1/logins/{id}': () => ({ status: 204 }),
    'GET /v1/settings/models': () => ({
      body: { model: known.chosen ? known.default : '', store: store.store }
    }),
    'GET /v1/settings/keys': () => ({ body: store }),
    'PUT /v1/settings/keys': ({ body }) => ({ body: (store = { ...store, store: body.store }) }),
    'POST /v1/settings/keys/unlock': () => ({ body: (store = { ...store, locked: false }) })
  };
}
