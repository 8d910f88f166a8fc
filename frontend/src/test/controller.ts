/** A controller for tests: answers by route, and remembers what it was asked. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { inject, vi } from 'vitest';
import type { ChoreInfo, Plan, Problem, Report, Task } from '$lib/api/types';
import { computer } from '$lib/state/computer.svelte';
import { finder } from '$lib/state/finder.svelte';
import { overlay } from '$lib/state/overlay.svelte';
import { forgetDrafts, tools } from '$lib/state/tools.svelte';
import { messages } from '$lib/state/messages.svelte';
import { answers } from '$lib/state/unsent';
import { writing } from '$lib/state/writing.svelte';
import { ask } from '$lib/state/ask.svelte';
import { chosen } from '$lib/state/chosen.svelte';
import { draft } from '$lib/state/draft.svelte';
import { models } from '$lib/state/models.svelte';
import { runtime } from '$lib/state/runtime.svelte';
import { tasks } from '$lib/state/tasks.svelte';
import { announcer } from '$lib/ui/announcer.svelte';
import { opening } from '$lib/state/windows';
import { guide, saved } from '$lib/state/wizard.svelte';

type Answer = unknown | ((body: unknown, request: Request) => unknown);

export interface Asked {
  route: string;
  body: unknown;
  /** The ETag that it is about, where it has one. */
  match?: string;
}

/** The same with the controller's words, in the language of the window or in another one. */
export function said<T>(answer: T, language = document.documentElement.lang): T {
  if (typeof answer !== 'object' || answer === null) return answer;
  const input = JSON.stringify({ language, answer });
  const kept = `${inject('said')}/${createHash('sha256').update(input).digest('hex')}`;
  if (!existsSync(kept)) {
    const mine = Math.random();
    const program = 'node_modules/.cache/words';
    const line = execFileSync(program, { input, encoding: 'utf8', maxBuffer: Infinity });
    writeFileSync(`${kept}.${mine}`, line);
    renameSync(`${kept}.${mine}`, kept);
  }
  return JSON.parse(readFileSync(kept, 'utf8')) as T;
}

/** Wraps an answer that is a failure. */
export function refuse(problem: Partial<Problem> & { code: string }, status = 422): Response {
  const body = { type: '', title: '', status, severity: 'error', cause: '', fix: [], ...problem };
  return new Response(JSON.stringify(said(body)), {
    status,
    headers: { 'Content-Type': 'application/problem+json' }
  });
}

/** What the window says and asks for by itself, at any time. */
const ASIDE = [
  'POST /v1/window/drawn',
  'GET /v1/wizard',
  'GET /v1/saved',
  'GET /v1/folders',
  'GET /v1/process',
  'GET /v1/programs',
  'GET /v1/runtimes',
  'POST /v1/runtimes/explain',
  'GET /v1/services'
];

/** Answers requests by "METHOD /path"; what is not listed is not found. */
export function serve(routes: Record<string, Answer>): Asked[] {
  const asked: Asked[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    const route = `${request.method} ${new URL(request.url).pathname}`;
    const text = await request.text();
    const body: unknown = text ? JSON.parse(text) : undefined;
    const match = request.headers.get('If-Match');
    if (!ASIDE.includes(route)) asked.push({ route, body, ...(match ? { match } : {}) });
    const answer = routes[route];
    if (answer === undefined) return refuse({ code: 'not-found' }, 404);
    const value: unknown =
      typeof answer === 'function'
        ? await (answer as (body: unknown, request: Request) => unknown)(body, request)
        : answer;
    if (value instanceof Response) return value;
    if (value === null) return new Response(null, { status: 204 });
    return new Response(JSON.stringify(said(value)), { headers: { 'Content-Type': 'application/json' } });
  });
  return asked;
}

/** Forgets what earlier tests left in the stores. */
export function reset(): void {
  for (const acting of [
    runtime,
    draft,
    ask,
    models,
    models.keys,
    tools,
    guide,
    saved,
    saved.removing,
    opening
  ]) {
    acting.busy = undefined;
    acting.failure = undefined;
    acting.byHand = false;
  }
  announcer.text = '';
  overlay.open = undefined;
  overlay.closing = undefined;
  overlay.tuning = undefined;
  finder.clear();
  tools.query = '';
  tools.known = undefined;
  forgetDrafts();
  messages.clear();
  answers.clear();
  ask.chosen = [];
  ask.network = 'restricted';
  writing.clear();
  computer.report = undefined;
  computer.since = undefined;
  computer.found = [];
  computer.mending = '';
  computer.failure = undefined;
  computer.installed = undefined;
  computer.connection = 'open';
  chosen.window.know({ close: 'ask', notify: false });
  runtime.update = undefined;
  runtime.packs = undefined;
  runtime.addOns = undefined;
  tasks.list = undefined;
  tasks.chores = undefined;
  tasks.failure = undefined;
  tasks.live.clear();
  tasks.details.clear();
  tasks.missing.clear();
  draft.folder = '';
  draft.mode = '';
  draft.more = [];
  draft.chore = '';
  draft.params = {};
  draft.places = {};
  draft.dropped = [];
  guide.known = undefined;
  guide.settled = true;
  guide.fetched = false;
  guide.samples = '';
  saved.list = [];
  models.known = undefined;
  models.keys.known = undefined;
  ask.prompt = '';
  ask.aside = false;
  ask.model = '';
  ask.program = '';
  ask.thinking = 'auto';
  models.programs.known = undefined;
  ask.budget = '';
  ask.unclear = 0;
  ask.pictures = [];
  ask.cache = false;
  ask.place = '';
  location.hash = '';
}

export const report: Report = said({
  ready: true,
  version: '0.1.0',
  os: 'linux',
  arch: 'amd64',
  pack: { installed: true, verified: true, developer: false, version: '0.1.0' },
  accel: { kind: 'kvm', native: 'kvm', proven: true, slowMode: false, bootMs: 900 },
  checks: [{ code: 'pack-installed', state: 'passed', tookMs: 1 }],
  problems: [],
  time: '2026-01-02T03:04:05Z'
});

export const chore: ChoreInfo = said({
  name: 'pictures-to-pdf',
  params: [
    { name: 'name', type: 'string', default: 'Pictures' },
    { name: 'order', type: 'choice', default: 'name', choices: ['name', 'date'] },
    { name: 'recursive', type: 'bool', default: false }
  ],
  effects: ['create'],
  needs: []
});

export const task: Task = said({
  v: 1,
  id: '0193-1',
  kind: 'chore',
  title: 'pictures-to-pdf: Sea',
  state: 'waiting',
  created: '2026-01-02T03:04:05Z',
  folders: [{ id: 'f1', path: '/home/anna/Sea', name: 'Sea', mode: 'rw' }],
  network: 'off',
  runtime: 'vm',
  pack: '0.1.0',
  chore: 'pictures-to-pdf',
  params: { name: 'Pictures' }
});

export const broken: Problem = said({
  code: 'input-broken',
  severity: 'warning',
  cause: '',
  params: { path: '/folders/Sea/torn.jpg' },
  fix: []
});

export const plan: Plan = said({
  v: 1,
  chore: 'pictures-to-pdf',
  params: {},
  operations: [
    {
      op: 'image.convert',
      in: [
        { path: '/folders/Sea/a.jpg', sha256: '', size: 1_000_000 },
        { path: '/folders/Sea/b.jpg', sha256: '', size: 2_000_000 }
      ],
      out: '/folders/Sea/Pictures.pdf',
      effect: 'create'
    }
  ],
  needs: [],
  skipped: [broken]
});
