// What was decided for longer than once, on this computer and in the network.
import { at } from '../fixtures/records.mjs';
import { presets as groups } from '../fixtures/services.mjs';
import { notFound } from '../world.mjs';

/** @returns {import('../world.mjs').Routes} */
export function ruleRoutes() {
  let rules = [
    { id: 'r1', topic: 'hidden', answer: 'deny', created: '2026-01-02T03:04:05Z' },
    {
      id: 'r3',
      topic: 'git',
      answer: 'allow',
      created: '2026-01-03T03:04:05Z',
      narrows: 'folder',
      client: 'nightly'
    },
    {
      id: 'r2',
      topic: 'change',
      answer: 'allow',
      folder: '/home/sam/Pictures',
      created: '2026-01-12T03:04:05Z',
      expires: '2026-03-12T03:04:05Z'
    }
  ];
  let network = [
    { id: 'n1', topic: 'network/example.org', answer: 'allow', created: '2026-01-02T03:04:05Z' },
    {
      id: 'n3',
      topic: 'network/*.example.com',
      answer: 'allow',
      created: '2026-01-05T03:04:05Z',
      narrows: 'host'
    },
    { id: 'n2', topic: 'network/*.ads.example', answer: 'deny', created: '2026-01-02T03:04:05Z' }
  ];
  const presets = structuredClone(groups);
  let search = { kind: 'none' };
  const all = () => [...rules, ...network];

  return {
    'GET /v1/rules': () => ({ body: all() }),
    'GET /v1/rules/{rule}': ({ params }) => {
      const rule = all().find(({ id }) => id === params.rule);
      return rule ? { body: rule } : notFound;
    },
    'PUT /v1/rules/{rule}/end': ({ params, body }) => {
      const rule = all().find(({ id }) => id === params.rule);
      return rule ? { body: Object.assign(rule, { expires: body.expires }) } : notFound;
    },
    'PUT /v1/rules/{rule}/scope': ({ params, body }) => {
      const rule = all().find(({ id }) => id === params.rule);
      const to = body.host ? { topic: `network/${body.host}` } : body;
      return rule ? { body: Object.assign(rule, to, { narrows: undefined }) } : notFound;
    },
    'DELETE /v1/rules/{rule}': ({ params }) => {
      rules = rules.filter((rule) => rule.id !== params.rule);
      network = network.filter((rule) => rule.id !== params.rule);
      return { status: 204 };
    },
    'GET /v1/settings/search': () => ({ body: search }),
    'PUT /v1/settings/search': ({ body }) => ({ body: (search = body) }),
    'GET /v1/network/rules': () => ({ body: { rules: network, presets } }),
    'POST /v1/network/rules': ({ body }) => {
      const topic = body.preset ? `network/preset/${body.preset}` : `network/${body.host}`;
      const rule = { id: crypto.randomUUID(), topic, answer: body.answer, created: at(0) };
      network = [...network, rule];
      return { body: rule };
    },
    'PUT /v1/network/presets/{name}': ({ params, body }) => {
      const preset = presets.find((one) => one.code === params.name);
      return preset ? { body: Object.assign(preset, { on: body.on }) } : notFound;
    }
  };
}
