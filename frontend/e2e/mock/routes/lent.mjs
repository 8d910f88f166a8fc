// Services of the web that tasks use with a secret of the person, and what tasks asked of them.
import { notFound } from '../world.mjs';

/** @typedef {import('../../../src/lib/api/types').Service} Service */

/** @type {import('../../../src/lib/api/types').Preset[]} */
const presets = [
  {
    code: 'github',
    hosts: [
      { host: 'api.github.com', rules: ['allow GET /**'], test: '/user' },
      { host: 'github.com', rules: ['allow GET /**', 'allow POST /*/*/git-upload-pack'] }
    ]
  },
  {
    code: 'npm',
    hosts: [
      {
        host: 'registry.npmjs.org',
        rules: ['allow GET /**', 'allow POST /-/npm/v1/security/**'],
        test: '/-/whoami'
      }
    ]
  },
  { code: 'pypi-upload', hosts: [{ host: 'upload.pypi.org', rules: ['allow POST /legacy/'] }] }
];

/** @type {import('../../../src/lib/api/types').TaskRequests} */
const requests = {
  list: [
    { method: 'GET', path: '/repos/anna/letters/issues', allowed: true, status: 200, count: 12 },
    {
      method: 'POST',
      path: '/repos/anna/letters/issues',
      allowed: false,
      reason: /** @type {const} */ ('no-rule'),
      count: 2
    },
    { method: 'GET', path: '/repos/anna/letters/releases', allowed: true, status: 404, count: 1 }
  ].map((request) => ({
    service: 'github',
    host: 'api.github.com',
    sent: 0,
    received: 48_000,
    last: '2026-07-14T10:02:00Z',
    ...request
  })),
  more: 3
};

/** @param {import('../world.mjs').Setting} setting @returns {import('../world.mjs').Routes} */
export function lentRoutes({ services = false }) {
  /** @type {Service[]} */
  let all = services
    ? presets.slice(0, 2).map(({ code, hosts }, at) => ({
        name: code,
        hosts,
        ...(at === 0 ? { secret: 'set', ending: 'x7Qk' } : { secret: 'missing' })
      }))
    : [];
  const find = (/** @type {string} */ name) => all.find((one) => one.name === name);

  return {
    'GET /v1/service-presets': () => ({ body: presets }),
    'GET /v1/services': () => ({ body: all }),
    'PUT /v1/services/{name}': ({ params: { name }, body }) => {
      const hosts = presets.find(({ code }) => code === body.preset)?.hosts ?? [];
      all = [...all.filter((one) => one.name !== name), { name, hosts, secret: 'missing' }];
      return { body: find(name) };
    },
    'PUT /v1/services/{name}/secret': ({ params: { name }, body }) => {
      all = all.map((one) =>
        one.name === name ? { ...one, secret: 'set', ending: String(body.secret).slice(-4) } : one
      );
      return find(name) ? { body: find(name) } : notFound;
    },
    'POST /v1/services/{name}/test': ({ params: { name } }) => ({
      body: (find(name)?.hosts ?? [])
        .filter(({ test }) => test)
        .map(({ host, test }) => ({ host, path: test, status: 200, ok: true }))
    }),
    'DELETE /v1/services/{name}': ({ params: { name } }) => {
      all = all.filter((one) => one.name !== name);
      return { status: 204 };
    },
    'GET /v1/tasks/{id}/requests': () => ({ body: requests })
  };
}
