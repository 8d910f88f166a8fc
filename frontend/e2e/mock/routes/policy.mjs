// Rules that are written, and what an AI was refused by one of the person's.
import { readFileSync } from 'node:fs';
import { at } from '../fixtures/records.mjs';
import { examples } from '../fixtures/tasks.mjs';
import { notFound } from '../world.mjs';

const PATH = '/home/sam/.config/piwork/policy.cedar';
const LETTERS = `@id("letters-stay")
@note("The originals.")
forbid (principal, action in [Action::"write", Action::"delete"], resource in Path::"/home/sam/Letters");`;

/** The rules of a text, each as one that begins with its id. @param {'managed' | 'yours' | 'default'} layer @param {string} text */
const rulesOf = (layer, text) =>
  [...text.matchAll(/@id\("([a-z-]+)"\)[^;]*;/g)].map(({ 0: cedar, 1: id = '' }, n) => ({
    id,
    layer,
    line: n + 1,
    cedar,
    effect: cedar.includes('@effect("ask")') ? 'ask' : cedar.includes('forbid') ? 'deny' : 'allow',
    ...(cedar.includes('@note') ? { note: /@note\("([^"]*)"\)/.exec(cedar)?.[1] } : {})
  }));

const managed = `@id("no-mining") forbid (principal, action == Action::"connect", resource in Host::"pool.example");`;
const defaults = readFileSync(new URL('../../../../app/policy/defaults.cedar', import.meta.url), 'utf8');

/** @param {import('../world.mjs').Setting} setting @returns {import('../world.mjs').Routes} */
export function policyRoutes({ ruled }) {
  let text = ruled ? `${LETTERS}\n` : '';
  const answer = () => ({
    files: [
      { layer: 'managed', path: '/etc/piwork/policy.cedar', there: Boolean(ruled) },
      { layer: 'yours', path: PATH, there: text !== '' }
    ],
    rules: [
      ...rulesOf('managed', ruled ? managed : ''),
      ...rulesOf('yours', text),
      ...rulesOf('default', defaults)
    ],
    text
  });
  /** @param {string} what */
  const excepted = (what) =>
    LETTERS.replace(
      /;$/,
      ` unless { principal in Agent::"pi" && principal in Person::"you" && ${what} && context.runtime == "vm" };`
    );
  const about = { agent: 'pi', kind: 'ai' };
  let proposals = !ruled
    ? []
    : [
        {
          id: 'p1',
          action: 'write',
          path: '/home/sam/Letters/2026/to-anna.txt',
          what: 'action == Action::"write" && resource is Path && resource.path == "/home/sam/Letters/2026/to-anna.txt"'
        },
        {
          id: 'p2',
          action: 'delete',
          path: '/home/sam/Letters/old',
          what: 'action == Action::"delete" && resource is Path && (resource.path == "/home/sam/Letters/old" || resource.path like "/home/sam/Letters/old/*")'
        }
      ].map(({ id, action, path, what }) => ({
        id,
        task: examples.talking.id,
        created: at(3_600_000),
        about: { ...about, action, path },
        rule: 'letters-stay',
        was: LETTERS,
        cedar: excepted(what),
        then: 'allow'
      }));

  /** @param {string} what */
  const condition = (what) =>
    `principal in Agent::"pi" && principal in Person::"you" && ${what} && context.runtime == "vm"`;
  let exceptions = !ruled
    ? []
    : [
        {
          id: 'aa01',
          rule: 'letters-stay',
          cedar: condition(
            'action == Action::"write" && resource is Path && (resource.path == "/home/sam/Letters/drafts" || resource.path like "/home/sam/Letters/drafts/*")'
          ),
          since: at(7_200_000),
          until: at(-7_200_000)
        },
        {
          id: 'aa02',
          rule: 'letters-stay',
          cedar: condition(
            'action == Action::"delete" && resource is Path && resource.path == "/home/sam/Letters/2025/copy.txt"'
          ),
          task: examples.talking.id
        },
        {
          id: 'aa03',
          rule: 'letters-stay',
          cedar: condition(
            'action == Action::"write" && resource is Path && resource.path == "/home/sam/Letters/list.csv"'
          ),
          since: at(9 * 86_400_000),
          until: at(8 * 86_400_000),
          ended: true
        },
        {
          id: 'aa04',
          rule: 'letters-stay',
          cedar:
            'principal in Agent::"pi" && action == Action::"read" && resource in Path::"/home/sam/Letters/2024"',
          edited: true
        }
      ];

  return {
    'GET /v1/policy': () => ({ body: answer() }),
    'PUT /v1/policy': ({ body }) => {
      text = body.text;
      return { body: answer() };
    },
    'GET /v1/policy/proposals': () => ({ body: proposals }),
    'POST /v1/policy/proposals/{proposal}/accept': ({ params }) => {
      const one = proposals.find(({ id }) => id === params.proposal);
      if (!one) return notFound;
      text = text.replace(one.was, () => one.cedar);
      proposals = proposals.filter((other) => other !== one);
      return { body: answer() };
    },
    'GET /v1/policy/exceptions': () => ({ body: exceptions }),
    'DELETE /v1/policy/exceptions/{exception}': ({ params }) => {
      exceptions = exceptions.filter(({ id }) => id !== params.exception);
      return { status: 204 };
    },
    'DELETE /v1/policy/proposals/{proposal}': ({ params }) => {
      proposals = proposals.filter(({ id }) => id !== params.proposal);
      return { status: 204 };
    }
  };
}
