// A stand-in for the controller, for work on the screens and for screenshots. It speaks the same HTTP and
// invents the work: nothing of it is evidence that piwork works, that is what e2e/browser.mjs is for.
import { randomBytes } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import {
  addOns,
  changes,
  chores,
  comparisonOf,
  contents,
  diagnostics,
  examples,
  keys,
  licences,
  logText,
  machines,
  models,
  packs,
  planFor,
  planOf,
  presets,
  reports,
  savedChores,
  storage,
  timelines,
  updates
} from './fixtures.mjs';
import { catalogue, outcomeOf, taskOf } from './tools.mjs';

/** @typedef {import('../../src/lib/api/types').Task} Task */

/** A picture of a colour with a line in it. @param {number[]} colour */
function png(colour) {
  /** @param {string} type @param {Buffer} data */
  const chunk = (type, data) => {
    const out = Buffer.alloc(12 + data.length);
    out.writeUInt32BE(data.length, 0);
    out.write(type, 4, 'latin1');
    data.copy(out, 8);
    out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(300, 0);
  head.writeUInt32BE(200, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const lines = Buffer.concat(
    Array.from({ length: 200 }, (_, y) =>
      Buffer.from([
        0,
        ...Array.from({ length: 300 }, (_, x) => (Math.abs(x - y - 50) < 6 ? [255, 255, 255] : colour)).flat()
      ])
    )
  );
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0))
  ]);
}

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' blob: data:; " +
  "font-src 'self'; connect-src 'self'; frame-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** @type {Record<string, string>} */
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml'
};

const pictures = { before: png([70, 110, 160]), after: png([210, 150, 60]) };

/**
 * @param {object} [options]
 * @param {string} [options.report] what is known of the computer; never: it is still being looked at
 * @param {keyof typeof updates} [options.update] how the runtime stands against its channel
 * @param {boolean} [options.troubled] there are versions and add-ons that do not work
 * @param {(keyof typeof examples)[]} [options.tasks] what is in the list
 * @param {number} [options.pace] ms that a step of invented work takes
 * @param {'trying'} [options.halt] the phase in which an update stays
 * @param {boolean} [options.keyless] there is no model and no key
 * @param {boolean} [options.conflict] undo leaves one change alone
 * @param {boolean} [options.locked] keys are in a file that is locked
 * @param {'over' | 'fresh' | 'welcomed'} [options.guide] how far the way to the first chore is
 * @param {boolean} [options.kept] there are chores that were kept
 * @param {string} [options.failed] code of the problem for which there is no controller
 */
export async function startMock({
  report = 'ready',
  update = ['noPack', 'found', 'foreseen'].includes(report) ? 'fresh' : 'upToDate',
  troubled = false,
  tasks = [],
  pace = 900,
  conflict = false,
  locked = false,
  keyless = false,
  halt = undefined,
  guide = 'over',
  kept = false,
  failed = undefined
} = {}) {
  const token = randomBytes(16).toString('base64url');
  /** @type {import('../../src/lib/api/types').UpdateState} */
  let state = structuredClone(updates[update]);
  let installed = ['noPack', 'found', 'foreseen'].includes(report)
    ? []
    : structuredClone(troubled ? packs : packs.slice(1, 3));
  const extras = structuredClone(troubled ? addOns : addOns.filter((a) => !a.problem));
  let status = report === 'never' ? undefined : structuredClone(reports[report]);
  /** @type {Map<string, Task>} */
  const records = new Map(tasks.map((name) => [examples[name].id, structuredClone(examples[name])]));
  const lines = structuredClone(timelines);
  const changed = structuredClone(changes);
  /** @type {Record<string, import('../../src/lib/api/types').UndoSpace>} */
  const space = {};
  let rules = [
    { id: 'r1', topic: 'hidden', answer: 'deny', created: '2026-01-02T03:04:05Z' },
    {
      id: 'r2',
      topic: 'change',
      answer: 'allow',
      folder: '/home/sam/Pictures',
      created: '2026-01-12T03:04:05Z'
    }
  ];
  /** @type {import('../../src/lib/api/types').Models} */
  let known = keyless ? { default: '', chosen: false, list: [] } : structuredClone(models);
  let providers = structuredClone(keyless ? keys.filter((k) => !k.has && !k.local) : keys);
  let networkRules = [
    { id: 'n1', topic: 'network/example.org', answer: 'allow', created: '2026-01-02T03:04:05Z' },
    { id: 'n2', topic: 'network/*.ads.example', answer: 'deny', created: '2026-01-02T03:04:05Z' }
  ];
  let keyStore = { store: locked ? 'file' : 'keychain', locked, keychain: true };
  let behaviour = { close: 'ask', notify: true };
  let shares = structuredClone(machines);
  let stored = structuredClone(storage);
  const keeping = { settings: { days: 90, spaceMb: 10_000 }, bytes: 212_000_000, tasks: 7 };
  /** @type {Set<import('node:http').ServerResponse>} */
  const streams = new Set();
  /** @type {Set<NodeJS.Timeout>} */
  const timers = new Set();
  let seq = Date.now() * 1000;

  /** @param {string} task @param {string} kind @param {unknown} data */
  function emit(task, kind, data) {
    const volatile = kind === 'progress' || kind === 'delta' || kind === 'pack' || kind === 'update';
    const time = new Date().toISOString();
    if (task && !volatile) {
      const all = (lines[task] ??= []);
      all.push(/** @type {any} */ ({ v: 1, seq: all.length + 1, time, task, kind, data }));
    }
    const event = { v: 1, seq: volatile ? 0 : ++seq, time, task, kind, data };
    for (const stream of streams) stream.write(`data: ${JSON.stringify(event)}\n\n`);
  }

  /** @param {Partial<typeof state>} more */
  function stand(more) {
    state = { ...state, ...more };
    emit('', 'update', state);
    return state;
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
    play([
      ...pieces.map((done) => () => {
        if (state.phase === 'downloading')
          stand({ done, rate: 6_200_000, eta: Math.round((total - done) / 6_200_000) });
      }),
      () => state.phase === 'downloading' && stand({ phase: 'installing' }),
      () => state.phase === 'installing' && stand({ phase: 'trying' }),
      () => {
        if (state.phase !== 'trying' || halt === 'trying') return;
        status = structuredClone(reports.ready);
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
          checked: new Date().toISOString()
        });
      }
    ]);
    return from;
  }

  /** @param {Task} t @param {Partial<Task>} more */
  function move(t, more) {
    Object.assign(t, more);
    if (more.state) emit(t.id, 'state', { state: more.state });
  }

  /** @param {(() => void)[]} steps */
  function play(steps) {
    const [first, ...rest] = steps;
    if (!first) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      first();
      play(rest);
    }, pace);
    timers.add(timer);
  }

  /** @param {any} body */
  function start(body) {
    const path = body.folders[0].path;
    const name = path.split('/').pop();
    if (path === '/') {
      return {
        code: 'folder-refused',
        severity: 'error',
        cause: 'disk-root',
        params: { path },
        fix: [{ kind: 'action', code: 'pick-subfolder' }]
      };
    }
    /** @type {Task} */
    const t = {
      ...structuredClone(examples.waiting),
      id: crypto.randomUUID(),
      title: `${body.chore}: ${name}`,
      chore: body.chore,
      state: 'queued',
      created: new Date().toISOString(),
      folders: [{ id: 'f1', path, name, mode: 'rw' }],
      params: planOf(body.chore, name, body.params).params,
      accel: status?.accel.kind ?? ''
    };
    records.set(t.id, t);
    emit(t.id, 'state', { state: 'queued' });
    const looks = planFor(name).operations[0]?.in.length ?? 0;
    play([
      () => (move(t, { state: 'preparing' }), emit(t.id, 'step', { step: 'verify' })),
      () => (move(t, { state: 'running' }), emit(t.id, 'step', { step: 'plan' })),
      ...['boot', 'machine', 'kernel', 'agent', 'prepare', 'mount'].map(
        (step) => () => emit(t.id, 'step', { step })
      ),
      () => emit(t.id, 'progress', { done: looks, total: 2 * looks, item: '' }),
      () => {
        if (t.state !== 'running') return;
        emit(t.id, 'plan', planOf(body.chore, name, body.params));
        move(t, { state: 'waiting' });
        emit(t.id, 'step', { step: 'accept' });
      }
    ]);
    return t;
  }

  /** One operation on files. @param {string} op @param {any} body */
  function startTool(op, body) {
    const t = taskOf(op, body);
    records.set(t.id, t);
    emit(t.id, 'state', { state: 'queued' });
    play([
      () => (move(t, { state: 'running' }), emit(t.id, 'step', { step: 'boot' })),
      () => emit(t.id, 'step', { step: 'run' }),
      ...body.in.map((/** @type {string} */ item, /** @type {number} */ i) => () => {
        if (t.state === 'running') emit(t.id, 'progress', { done: i + 1, total: body.in.length, item });
      }),
      () => {
        if (t.state !== 'running') return;
        Object.assign(t, outcomeOf(t, body));
        for (const result of t.results ?? []) emit(t.id, 'result', result);
        move(t, { state: 'done', ended: new Date().toISOString() });
      }
    ]);
    return t;
  }

  /** What is asked for in own words is answered in a few. @param {any} body */
  function startAsking(body) {
    /** @type {Task} */
    const t = {
      ...structuredClone(examples.talking),
      id: crypto.randomUUID(),
      title: body.prompt,
      state: 'queued',
      created: new Date().toISOString(),
      network: body.network,
      folders: body.folders.map((/** @type {any} */ f, /** @type {number} */ i) => ({
        id: `f${i + 1}`,
        path: f.path,
        name: f.path.split('/').pop(),
        mode: f.mode
      }))
    };
    records.set(t.id, t);
    emit(t.id, 'state', { state: 'queued' });
    emit(t.id, 'message', { id: 'u0', role: 'user', text: body.prompt, how: 'prompt' });
    play([
      () => (move(t, { state: 'running' }), emit(t.id, 'step', { step: 'boot' })),
      () => emit(t.id, 'step', { step: 'run' }),
      () => reply(t, 'I looked through the folder. **There is nothing to do.**')
    ]);
    return t;
  }

  /** @param {Task} t @param {string} text */
  function reply(t, text) {
    const id = `a${(lines[t.id] ?? []).length}`;
    play([
      ...text.split(/(?<= )/).map((word) => () => emit(t.id, 'delta', { id, text: word })),
      () => {
        emit(t.id, 'message', { id, role: 'assistant', text });
        move(t, { state: 'done', ended: new Date().toISOString() });
      }
    ]);
  }

  /** @param {Task} t @param {any} body */
  function hear(t, body) {
    if (t.state === 'running' && body.how === 'followUp') {
      const last = (lines[t.id] ?? []).findLast((e) => e.kind === 'queue');
      const queue = /** @type {any} */ (last?.data ?? { steering: [], followUp: [] });
      emit(t.id, 'queue', { ...queue, followUp: [...queue.followUp, body.text] });
      return t;
    }
    emit(t.id, 'message', {
      id: `u${(lines[t.id] ?? []).length}`,
      role: 'user',
      text: body.text,
      how: body.how
    });
    if (t.state !== 'running') {
      delete t.error;
      move(t, { state: 'running' });
      reply(t, 'That is done too.');
    }
    return t;
  }

  /** @param {Task} t @param {any} body */
  function tune(t, body) {
    const provider = (/** @type {string} */ model) => model.split('/')[0];
    const now = t.ai?.model ?? '';
    if (!t.ended && provider(body.model ?? now) !== provider(now))
      return { status: 409, body: problem('task-running', 'provider') };
    t.ai = Object.assign(t.ai ?? { model: now, usage: { requests: 0, input: 0, output: 0 } }, body);
    emit(t.id, 'notice', { code: 'model', params: body });
    return { body: t };
  }

  /** It goes on for a summary, and is as it was. @param {Task} t */
  function compact(t) {
    const was = t.state;
    move(t, { state: 'queued' });
    emit(t.id, 'notice', { code: 'compacting' });
    play([
      () => emit(t.id, 'step', { step: 'boot' }),
      () => {
        move(t, { state: 'running' });
        emit(t.id, 'step', { step: 'run' });
      },
      () => {
        emit(t.id, 'notice', { code: 'compacted', params: { before: 52_000 } });
        move(t, { state: was });
      }
    ]);
    return t;
  }

  /** @param {Task} t */
  function accept(t) {
    emit(t.id, 'decision', {
      id: 'plan',
      answer: 'allow',
      scope: 'task',
      by: 'person',
      time: new Date().toISOString()
    });
    move(t, { state: 'running' });
    const inputs = planFor(t.folders[0]?.name ?? '').operations[0]?.in ?? [];
    play([
      ...['run', 'boot', 'mount'].map((step) => () => emit(t.id, 'step', { step })),
      ...inputs.map((input, i) => () => {
        if (t.state === 'running')
          emit(t.id, 'progress', { done: i + 1, total: inputs.length, item: input.path });
      }),
      () => {
        if (t.state !== 'running') return;
        t.results = structuredClone(examples.done.results ?? []);
        changed[t.id] = structuredClone(changes[examples.done.id] ?? []);
        emit(t.id, 'result', t.results[0]);
        move(t, { state: 'done', ended: new Date().toISOString() });
      }
    ]);
    return t;
  }

  /** @param {Task} t @param {any} body */
  function undo(t, body) {
    const ids = body.ids ?? [];
    const wanted = (changed[t.id] ?? []).filter(
      (c) => !c.undone && !c.staged && (ids.length === 0 || ids.includes(c.id))
    );
    const [first] = wanted;
    const left = conflict && first && !body.resolve?.[first.id] ? [first] : [];
    const kept = wanted.filter((c) => body.resolve?.[c.id] === 'keep');
    const undone = wanted.filter((c) => !left.includes(c) && !kept.includes(c));
    for (const change of undone) change.undone = new Date().toISOString();
    emit(t.id, 'undo', { undone: undone.map((c) => c.id), conflicts: left.map((c) => c.id) });
    return { undone, kept, conflicts: left.map((change) => ({ change, reason: 'changed-since' })) };
  }

  /** @param {Task} t @param {any} body */
  function redo(t, body) {
    const ids = body.ids ?? [];
    const redone = (changed[t.id] ?? []).filter((c) => c.undone && (ids.length === 0 || ids.includes(c.id)));
    for (const change of redone) delete change.undone;
    emit(t.id, 'redo', { redone: redone.map((c) => c.id), conflicts: [] });
    return { redone, conflicts: [] };
  }

  /** @param {Task} t @param {any} body */
  function apply(t, body) {
    const ids = body.ids ?? [];
    const wanted = (changed[t.id] ?? []).filter((c) => c.staged && (ids.length === 0 || ids.includes(c.id)));
    if (body.discard) changed[t.id] = (changed[t.id] ?? []).filter((c) => !wanted.includes(c));
    else for (const change of wanted) delete change.staged;
    const [applied, discarded] = body.discard ? [[], wanted] : [wanted, []];
    emit(t.id, 'apply', {
      applied: applied.map((c) => c.id),
      discarded: discarded.map((c) => c.id),
      conflicts: []
    });
    return { applied, discarded, conflicts: [] };
  }

  const notFound = { status: 404, body: problem('not-found') };
  /** @param {string} code */
  function problem(code, cause = '') {
    return {
      type: `urn:piwork:problem:${code}`,
      title: code,
      status: 404,
      code,
      severity: 'error',
      cause,
      fix: []
    };
  }

  let welcomed = guide !== 'fresh';
  let first = guide === 'over' ? 'done' : 'open';
  let unproven = false;
  const over = guide === 'over';
  let saved = kept ? structuredClone(savedChores) : [];

  /** As app/setup/wizard does, in short. */
  function wizard() {
    const problems = status && !status.ready ? status.problems : [];
    /** @param {boolean} check */
    const own = (check) =>
      problems.flatMap((p, i) =>
        (p.code === 'accel-unavailable') === check && p.severity === 'blocking' ? [i] : []
      );
    const ready = status?.ready === true;
    const foreseen = status !== undefined && !ready && !status.pack.verified;
    const admin = problems.some((p) =>
      p.fix.some((f) => /^(load-kvm|kvm-|windows-feature|hypervisor-start)/.test(f.code))
    );
    /** @type {any[]} */
    const steps = [
      { id: 'welcome', state: welcomed ? 'done' : 'open', problems: [], acts: ['done'] },
      {
        id: 'check',
        state: status && own(true).length === 0 ? 'done' : unproven && foreseen ? 'skipped' : 'open',
        problems: own(true),
        acts: foreseen ? ['skip'] : [],
        ...(own(true).length > 0 && admin ? { admin } : {})
      },
      {
        id: 'runtime',
        state: ready || (status?.pack.verified && own(false).length === 0) ? 'done' : 'open',
        problems: own(false),
        acts: []
      },
      { id: 'first', state: first, problems: [], acts: ['done', 'skip'] }
    ];
    const now = steps.find((step) => step.state === 'open');
    for (const step of steps) if (step !== now) step.acts = [];
    if (now) now.state = 'now';
    return { steps, done: !now, again: over && now !== undefined };
  }

  /** @param {string} method @param {string} path @param {any} body @param {URLSearchParams} query */
  async function answer(method, path, body, query) {
    const route = `${method} ${path}`;
    const [, id = '', act = ''] = /^\/api\/tasks\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
    const t = records.get(id);
    switch (route) {
      case 'GET /api/status':
      case 'POST /api/status/check':
        if (!status) {
          for (const check of reports.ready.checks.slice(0, 2)) emit('', 'check', check);
          return new Promise(() => undefined);
        }
        return { body: { ...status, time: new Date().toISOString() } };
      case 'POST /api/status/mend':
        status = structuredClone(reports.ready);
        return { body: { declined: false, report: status } };
      case 'GET /api/wizard':
        return { body: wizard() };
      case 'POST /api/wizard/welcome':
        welcomed = true;
        return { body: wizard() };
      case 'POST /api/wizard/check':
        unproven = true;
        return { body: wizard() };
      case 'POST /api/wizard/first':
        first = body.act === 'skip' ? 'skipped' : 'done';
        return { body: wizard() };
      case 'POST /api/samples':
        return { body: { path: '/home/anna/.cache/piwork/samples/Sample photos', files: 5 } };
      case 'GET /api/saved':
        return { body: saved };
      case 'POST /api/saved': {
        const task = records.get(body.task);
        const one = {
          id: crypto.randomUUID(),
          name: body.name,
          chore: task?.chore ?? body.chore,
          params: task?.params ?? body.params ?? {},
          folders: (task?.folders ?? body.folders ?? []).map((/** @type {any} */ f) => ({
            path: f.path,
            mode: f.mode
          })),
          created: new Date().toISOString()
        };
        saved = [one, ...saved.filter((other) => other.name !== one.name)];
        return { body: one };
      }
      case 'POST /api/settings/slow-mode':
        status = structuredClone(body.on ? reports.slow : reports['linux-broken']);
        return { body: status };
      case 'POST /api/packs/install':
        if (!/\.tar(\.zst)?$/.test(body.file))
          return {
            status: 422,
            body: { ...problem('pack-invalid'), cause: 'not-a-pack', params: { path: body.file } }
          };
        for (let i = 1; i <= 10; i++) {
          await new Promise((resolve) => setTimeout(resolve, pace));
          emit('', 'pack', { done: i * 13e6, total: 130e6 });
        }
        status = structuredClone(reports.ready);
        return { body: { name: 'runtime', version: '0.1.0', installed: true, current: true } };
      case 'GET /api/packs':
        return { body: installed };
      case 'POST /api/packs/repair':
        await new Promise((resolve) => setTimeout(resolve, pace));
        return { body: installed.find((p) => p.current) };
      case 'POST /api/packs/rollback': {
        const back = installed.find((p) => p.previous);
        if (!back) return { status: 409, body: problem('no-previous') };
        installed = installed.map((p) => ({ ...p, current: p === back, previous: p.current }));
        stand({ current: back.version });
        return { body: back };
      }
      case 'GET /api/addons':
        return { body: extras };
      case 'GET /api/update':
        return { body: state };
      case 'POST /api/update/check':
        await new Promise((resolve) => setTimeout(resolve, pace));
        return { body: stand({ checked: new Date().toISOString() }) };
      case 'POST /api/update/start':
        return { body: fetchAll(state.phase === 'paused' ? state.what : 'runtime') };
      case 'POST /api/update/pause':
        return { body: stand({ phase: 'paused', rate: 0, eta: -1 }) };
      case 'POST /api/settings/updates':
        return { body: stand({ settings: body }) };
      case 'GET /api/settings/undo':
        return { body: keeping };
      case 'POST /api/settings/undo':
        keeping.settings.days = body.days;
        if (body.spaceMb > 0) keeping.settings.spaceMb = body.spaceMb;
        return { body: keeping };
      case 'GET /api/settings/keys':
        return { body: keyStore };
      case 'PUT /api/settings/keys':
        return { body: (keyStore = { ...keyStore, store: body.store }) };
      case 'POST /api/settings/keys/unlock':
        return { body: (keyStore = { ...keyStore, locked: false }) };
      case 'POST /api/keys/anthropic/login':
        return {
          body: {
            id: 'l1',
            url: 'https://login.example/device',
            userCode: 'WDJB-MJHT',
            needs: 'code',
            expires: new Date(Date.now() + 600_000).toISOString()
          }
        };
      case 'GET /api/logins/l1':
        return { body: { state: 'waiting' } };
      case 'POST /api/logins/l1':
        return { body: { state: 'done' } };
      case 'DELETE /api/logins/l1':
        return { status: 204 };
      case 'GET /api/settings/window':
        return { body: behaviour };
      case 'PUT /api/settings/window':
        return { body: (behaviour = body) };
      case 'GET /api/machines':
        return { body: shares };
      case 'POST /api/settings/machines':
        return { body: (shares = { ...shares, settings: body }) };
      case 'GET /api/storage':
        return { body: stored };
      case 'GET /api/storage/move':
        return {
          body: {
            phase: 'none',
            from: '/home/anna/.local/share/piwork',
            bytes: 0,
            files: 0,
            done: 0,
            needBytes: 0,
            freeBytes: 0
          }
        };
      case 'POST /api/storage/clean': {
        const gone = stored.items.filter((item) => body.what.includes(item.what));
        stored = {
          ...stored,
          items: stored.items.map((item) =>
            gone.includes(item) ? { ...item, bytes: item.bytes - item.frees, frees: 0 } : item
          )
        };
        return { body: { freed: gone.reduce((sum, item) => sum + item.frees, 0) } };
      }
      case 'GET /api/licences':
        return { body: { items: licences } };
      case 'GET /api/diagnostics':
        return { body: diagnostics };
      case 'POST /api/diagnostics':
        return { body: { path: body.path, bytes: 41_000 } };
      case 'GET /api/logs':
        return {
          body: {
            logs: ['task-0012.log', 'task-0009.log'].map((name) => ({
              name,
              bytes: 640_000,
              changed: new Date(Date.now() - 600_000).toISOString()
            }))
          }
        };
      case 'GET /api/logs/task-0012.log':
      case 'GET /api/logs/task-0009.log':
        return { bytes: Buffer.from(logText), type: 'text/plain; charset=utf-8' };
      case 'GET /api/health':
        return {
          body: {
            version: '0.1.0',
            uptimeMs: 9_400_000,
            problems: [],
            status,
            machines: shares,
            audit: { ok: true, records: 1204 }
          }
        };
      case 'GET /api/rules':
        return { body: [...rules, ...networkRules] };
      case 'GET /api/models':
        return { body: known };
      case 'PUT /api/models/default':
        known = { ...known, default: body.model || models.default, chosen: body.model !== '' };
        return { body: known };
      case 'PUT /api/models/said': {
        const { model, ...said } = body;
        const list = known.list.map((one) => (one.id === model ? { ...one, ...said, said } : one));
        known = { ...known, list };
        return { body: known };
      }
      case 'GET /api/keys':
        return { body: providers };
      case 'GET /api/network/rules':
        return { body: { rules: networkRules, presets } };
      case 'POST /api/network/rules': {
        const topic = body.preset ? `network/preset/${body.preset}` : `network/${body.host}`;
        const rule = {
          id: crypto.randomUUID(),
          topic,
          answer: body.answer,
          created: new Date().toISOString()
        };
        networkRules = [...networkRules, rule];
        return { body: rule };
      }
      case 'GET /api/chores':
        return { body: chores };
      case 'GET /api/tools':
        return { body: catalogue };
      case 'GET /api/tasks':
        return {
          body: [...records.values()]
            .filter((r) =>
              JSON.stringify(r)
                .toLowerCase()
                .includes((query.get('q') ?? '').toLowerCase())
            )
            .sort((a, b) => (a.created < b.created ? 1 : -1))
        };
      case 'POST /api/tasks': {
        if (body.kind === 'ai') return { status: 201, body: startAsking(body) };
        const started = start(body);
        return 'code' in started ? { status: 422, body: started } : { status: 201, body: started };
      }
      case 'POST /api/native/pick-folder':
      case 'POST /api/native/pick-file':
      case 'POST /api/native/pick-files':
      case 'POST /api/native/open':
      case 'POST /api/native/save-as':
        return { status: 501, body: problem('no-window') };
    }
    const [, group = ''] = /^\/api\/network\/presets\/([^/]+)$/.exec(path) ?? [];
    const preset = presets.find((one) => one.code === group);
    if (preset && method === 'PUT') return { body: Object.assign(preset, { on: body.on }) };
    const [, provider = '', test] = /^\/api\/keys\/([^/]+)(\/test)?$/.exec(path) ?? [];
    if (provider && test) {
      await new Promise((resolve) => setTimeout(resolve, pace));
      return {
        body:
          provider === 'anthropic'
            ? { ok: true, models: 12 }
            : {
                ok: false,
                reason: 'unreachable',
                detail: 'dial tcp 127.0.0.1:11434: connect: connection refused'
              }
      };
    }
    if (provider && method === 'PUT') {
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
    }
    if (provider && method === 'DELETE') {
      providers = providers.map((p) =>
        p.provider === provider ? { provider, name: p.name, has: false } : p
      );
      return { status: 204 };
    }
    const [, op] = /^\/api\/tools\/([a-z]+\.[A-Za-z]+)$/.exec(path) ?? [];
    if (op && method === 'POST') return { status: 202, body: startTool(op, body) };
    const [, kind, name = ''] = /^\/api\/(packs|addons|rules|saved)\/([^/]+)$/.exec(path) ?? [];
    if (kind === 'rules' && method === 'DELETE') {
      rules = rules.filter((rule) => rule.id !== name);
      networkRules = networkRules.filter((rule) => rule.id !== name);
      return { status: 204 };
    }
    if (kind === 'saved' && method === 'DELETE') {
      saved = saved.filter((one) => one.id !== name);
      return { status: 204 };
    }
    if (kind === 'packs' && method === 'DELETE') {
      installed = installed.filter((p) => p.version !== decodeURIComponent(name));
      return { status: 204 };
    }
    if (kind === 'addons' && method === 'POST') return { body: fetchAll(name) };
    if (kind === 'addons' && method === 'DELETE') {
      for (const extra of extras) if (extra.name === name) extra.installed = false;
      return { status: 204 };
    }
    if (!t) return notFound;
    if (act.startsWith('agent/'))
      return {
        body: { type: 'message_end', message: { role: 'assistant', stopReason: 'stop', content: [] } }
      };
    const [, changeId = '', side = ''] = /^changes\/([^/]+)(?:\/(before|after))?$/.exec(act) ?? [];
    const change = (changed[id] ?? []).find((c) => c.id === decodeURIComponent(changeId));
    if (change && side) return { bytes: side === 'before' ? pictures.before : pictures.after };
    if (change) return { body: comparisonOf(change) };
    const [, position] = /^results\/(\d+)$/.exec(act) ?? [];
    if (position) {
      const end = t.results?.[Number(position)]?.path.split('.').pop() ?? '';
      const text = contents[end];
      return text === undefined ? { bytes: pictures.after } : { bytes: Buffer.from(text) };
    }
    switch (`${method} ${act}`) {
      case 'GET ':
        return { body: t };
      case 'PATCH ':
        move(t, { title: body.title || t.title });
        return { body: t };
      case 'POST again': {
        const next = { ...structuredClone(t), id: crypto.randomUUID(), created: new Date().toISOString() };
        delete next.ended;
        delete next.error;
        delete next.results;
        records.set(next.id, next);
        move(next, { state: 'queued' });
        return { status: 201, body: next };
      }
      case 'GET export':
        return { bytes: Buffer.from('PK\x05\x06'.padEnd(22, '\0'), 'latin1'), type: 'application/zip' };
      case 'DELETE ':
        records.delete(id);
        return { status: 204 };
      case 'GET plan':
        return lines[id]?.some((e) => e.kind === 'plan')
          ? { body: planFor(t.folders[0]?.name ?? '') }
          : notFound;
      case 'GET timeline':
        return { body: lines[id] ?? [] };
      case 'GET changes':
        return { body: changed[id] ?? [] };
      case 'POST messages':
        return { body: hear(t, body) };
      case 'PUT model':
        return tune(t, body);
      case 'POST compact':
        return { body: compact(t) };
      case 'POST resume':
        delete t.error;
        move(t, { state: 'running' });
        emit(t.id, 'notice', { code: 'resumed' });
        return { body: t };
      case 'POST interrupt':
        emit(t.id, 'notice', { code: 'aborted' });
        move(t, { state: 'done', ended: new Date().toISOString() });
        return { body: t };
      case 'POST questions/q1':
        emit(t.id, 'decision', { id: 'q1', ...body, by: 'person', time: new Date().toISOString() });
        move(t, { state: 'running' });
        return { body: { id: 'q1', ...body, by: 'person', time: new Date().toISOString() } };
      case 'POST accept':
        return { body: accept(t) };
      case 'POST cancel':
        move(t, {
          state: 'cancelled',
          ended: new Date().toISOString(),
          ...(examples.stopped.error ? { error: examples.stopped.error } : {})
        });
        return { body: t };
      case 'POST undo':
        return { body: undo(t, body) };
      case 'POST redo':
        return { body: redo(t, body) };
      case 'POST apply':
        return { body: apply(t, body) };
      case 'GET undo':
        return {
          body: space[id] ?? {
            bytes: 48_000_000,
            expires: new Date(Date.now() + 60 * 86_400_000).toISOString()
          }
        };
      case 'DELETE undo':
        return { body: (space[id] = { bytes: 0, forgotten: true }) };
    }
    return notFound;
  }

  /** @param {import('node:http').IncomingMessage} request */
  async function bodyOf(request) {
    let text = '';
    for await (const piece of request) text += piece;
    return text ? JSON.parse(text) : {};
  }

  // Before anything else of a page runs: what goes wrong in it, for an engine whose driver does not tell.
  const WATCH = `window.faults = [];
    addEventListener('error', (e) => faults.push(e.message ?? 'not loaded: ' + (e.target.src ?? e.target.href)), true);
    addEventListener('unhandledrejection', (e) => faults.push(String(e.reason)));
    addEventListener('securitypolicyviolation', (e) => faults.push(e.violatedDirective + ': ' + e.blockedURI));
    console.error = (...words) => faults.push(words.join(' '));
  `;

  /** @param {string} path @param {import('node:http').ServerResponse} response */
  function page(path, response) {
    const file = join(DIST, normalize(path === '/' ? '/index.html' : path));
    if (!file.startsWith(DIST) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
      'Content-Security-Policy': CSP
    });
    if (path === '/theme.js') response.write(WATCH);
    if (path === '/' && failed) {
      const why = `<script type="application/json" id="failed">${JSON.stringify(problem(failed))}</script>`;
      response.end(readFileSync(file, 'utf8').replace('</head>', `${why}</head>`));
      return;
    }
    createReadStream(file).pipe(response);
  }

  const server = createServer(async (request, response) => {
    const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (!path.startsWith('/api/')) return page(path, response);
    if (request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401, { 'Content-Type': 'application/problem+json' });
      response.end(JSON.stringify(problem('unauthorized')));
      return;
    }
    if (path === '/api/events') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
      response.write(': mock\n\n');
      streams.add(response);
      response.on('close', () => streams.delete(response));
      return;
    }
    const outcome = /** @type {{ status?: number, body?: unknown, bytes?: Buffer, type?: string }} */ (
      await answer(request.method ?? 'GET', path, await bodyOf(request), searchParams)
    );
    if (outcome.bytes) {
      response.writeHead(200, { 'Content-Type': outcome.type ?? 'image/png' });
      response.end(outcome.bytes);
      return;
    }
    response.writeHead(outcome.status ?? 200, {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store'
    });
    response.end(outcome.body === undefined ? undefined : JSON.stringify(outcome.body));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const origin = `http://127.0.0.1:${port}`;

  return {
    origin,
    /** The address to open, with the token in it. */
    url: `${origin}/#token=${token}`,
    emit,
    close() {
      for (const timer of timers) clearTimeout(timer);
      server.closeAllConnections();
      server.close();
    }
  };
}
