// The invented controller says what the real one could say: each of its answers and events has the shape of the
// controller's document.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Document } from './document.mjs';
import { changes } from './fixtures/changes.mjs';
import { reports } from './fixtures/computers.mjs';
import { updates } from './fixtures/runtime.mjs';
import { examples } from './fixtures/tasks.mjs';
import { startMock } from './server.mjs';

/** @typedef {import('./world.mjs').Setting} Setting */
/** @typedef {(keyof typeof examples)[]} Names */

const ALL = /** @type {Names} */ (Object.keys(examples));
const SEVERAL = { concurrency: 8 };
const RIGHT = { status: 200, faults: [] };
const document = new Document();
/** What was begun ends at the pace of a millisecond. */
const workIsOver = () => new Promise((resolve) => setTimeout(resolve, 60));

/** One that can be asked by route. @param {Awaited<ReturnType<typeof startMock>>} mock */
function asked(mock) {
  const headers = { authorization: `Bearer ${mock.token}` };
  /** What is wrong with an answer; values take the places of what the path leaves open. */
  const ask = async (
    /** @type {string} */ route,
    /** @type {Record<string, string>} */ values = {},
    /** @type {unknown} */ body = undefined
  ) => {
    const [method = '', path = ''] = route.split(' ');
    const full = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? 'x'));
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(mock.origin + full, { method, headers, ...sent });
    const { status } = response;
    const faults = await document.ofAnswer(route, response);
    return { status, faults: faults.map((fault) => `${method} ${full}: ${fault}`) };
  };
  /** What it tells from now on. */
  const hear = async () => {
    const { body } = await fetch(`${mock.origin}/v1/events`, { headers });
    let text = '';
    const read = async () => {
      for await (const piece of /** @type {any} */ (body)) text += Buffer.from(piece).toString();
    };
    read().catch(() => undefined); // it was closed
    return () => Array.from(text.matchAll(/^data: (.*)\n\n/gm), (line) => JSON.parse(line[1] ?? ''));
  };
  return { routes: mock.routes, ask, hear };
}

/** @param {Setting} setting @param {(one: ReturnType<typeof asked>) => Promise<void>} work */
async function meet(setting, work) {
  const mock = await startMock({ pace: 1, ...setting });
  try {
    await work(asked(mock));
  } finally {
    mock.close();
  }
}

const isPlain = (/** @type {string} */ route) => route.startsWith('GET ') && !route.includes('{');

test('it answers nothing that the controller does not', () =>
  meet({}, async ({ routes }) => {
    assert.deepEqual(
      routes.filter((route) => !document.has(route)),
      []
    );
  }));

test('each task has an id of its own', () => {
  const ids = Object.values(examples).map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});

describe('what it is asked for', SEVERAL, () => {
  /** @type {Record<string, Setting>} */
  const settings = {
    ...Object.fromEntries(Object.keys(reports).map((report) => [report, { report }])),
    ...Object.fromEntries(
      Object.keys(updates).map((update) => [update, { update: /** @type {any} */ (update) }])
    ),
    tasks: {
      tasks: ALL,
      servers: true,
      services: true,
      kept: true,
      troubled: true,
      locked: true,
      logins: true,
      ruled: true,
      remotes: true,
      tokened: true,
      measured: true,
      filed: ['vm']
    },
    'no key': { keyless: true, guide: 'fresh' }
  };
  for (const [name, setting] of Object.entries(settings))
    test(name, () =>
      meet(setting, async ({ routes, ask }) => {
        for (const route of routes.filter(isPlain)) assert.deepEqual(await ask(route), RIGHT);
      })
    );

  for (const name of ALL)
    test(`of the task ${name}`, () =>
      meet({ tasks: [name] }, async ({ routes, ask }) => {
        const { id } = examples[name];
        for (const route of routes.filter((one) => /^GET \/v1\/tasks\/\{id\}(\/[^{]+)?$/.test(one)))
          assert.deepEqual((await ask(route, { id })).faults, []);
        // Of a great many changes some are like the others.
        for (const { id: change } of (changes[id] ?? []).slice(0, 20))
          assert.deepEqual(await ask('GET /v1/tasks/{id}/changes/{change}', { id, change }), RIGHT);
      }));
});

describe('what is done', SEVERAL, () => {
  const id = (/** @type {keyof typeof examples} */ name) => ({ id: examples[name].id });
  const [file, folders] = [
    '/home/anna/a.pdf',
    [{ path: '/home/anna/Letters', mode: /** @type {const} */ ('rw') }]
  ];
  const fetched = { auto: false, urls: ['https://updates.example/'] };
  const word = { model: 'ollama/qwen3', images: true };
  const chore = { kind: 'chore', chore: 'merge-pdf', params: { name: 'All' }, folders };
  const own = { kind: 'ai', prompt: 'Sort them', network: 'off', folders };
  const decision = { answer: 'allow', scope: 'task' };
  const mine = { name: 'Mine', baseUrl: 'http://127.0.0.1:1/v1', protocol: 'openai' };

  /** Route, what the path leaves open, body, status. @type {[string, Record<string, string>, unknown, number?][]} */
  const acts = [
    ['POST /v1/status/check', {}, undefined],
    ['POST /v1/status/mend', {}, { fix: 'load-kvm' }],
    ['POST /v1/settings/slow-mode', {}, { on: true }],
    ['POST /v1/wizard/{step}', { step: 'first' }, { act: 'skip' }],
    ['POST /v1/samples', {}, { language: 'en' }],
    ['POST /v1/saved', {}, { name: 'Mine', task: id('done').id }],
    ['DELETE /v1/saved/{id}', { id: 's1' }, undefined, 204],
    ['POST /v1/packs/install', {}, { file: '/home/anna/notes.txt' }, 422],
    ['POST /v1/packs/install', {}, { file: '/home/anna/piwork.tar' }],
    ['POST /v1/packs/repair', {}, { file: '' }],
    ['POST /v1/packs/rollback', {}, undefined],
    ['DELETE /v1/packs/{version}', { version: '0.0.9' }, undefined, 204],
    ['POST /v1/update/check', {}, undefined],
    ['POST /v1/update/start', {}, {}],
    ['POST /v1/update/pause', {}, undefined],
    ['POST /v1/settings/updates', {}, fetched],
    ['POST /v1/addons/{name}', { name: 'office' }, undefined],
    ['DELETE /v1/addons/{name}', { name: 'media' }, undefined, 204],
    ['POST /v1/tasks', {}, chore, 201],
    ['POST /v1/tasks', {}, { ...chore, folders: [{ path: '/' }] }, 422],
    ['POST /v1/tasks', {}, own, 201],
    ['PATCH /v1/tasks/{id}', id('done'), { title: 'Another one' }],
    ['POST /v1/tasks/{id}/again', id('done'), { detached: true }, 201],
    ['POST /v1/tasks/{id}/folders', id('talking'), { path: '/home/anna/Bank', mode: 'review' }],
    ['DELETE /v1/tasks/{id}/folders/{folder}', { ...id('lacking'), folder: 'f1' }, undefined],
    ['POST /v1/tasks/{id}/accept', id('waiting'), undefined],
    ['POST /v1/tasks/{id}/questions/{question}', { ...id('commanding'), question: 'q1' }, decision],
    ['POST /v1/tasks/{id}/resume', id('cut'), undefined],
    ['POST /v1/tasks/{id}/cancel', id('working'), undefined],
    ['POST /v1/tasks/{id}/messages', id('talking'), { text: 'And that', how: 'followUp' }],
    ['POST /v1/tasks/{id}/messages', id('answered'), { text: 'And that', how: 'followUp' }],
    ['PUT /v1/tasks/{id}/model', id('talking'), { model: 'ollama/qwen3' }, 409],
    ['PUT /v1/tasks/{id}/model', id('talking'), { model: 'anthropic/claude-opus-4-5', thinking: 'high' }],
    ['POST /v1/tasks/{id}/compact', id('answered'), undefined],
    ['POST /v1/tasks/{id}/sessions', id('talking'), { terminal: { columns: 80, rows: 24 } }, 201],
    ['POST /v1/tasks/{id}/interrupt', id('talking'), undefined],
    ['POST /v1/tasks/{id}/undo', id('many'), { ids: [] }],
    ['POST /v1/tasks/{id}/undo', id('many'), { ids: [], resolve: { c1: 'keep' } }],
    ['POST /v1/tasks/{id}/redo', id('many'), { ids: ['c2'] }],
    ['POST /v1/tasks/{id}/apply', id('reviewed'), { ids: ['f1.n1'] }],
    ['POST /v1/tasks/{id}/apply', id('reviewed'), { ids: [], discard: true }],
    ['DELETE /v1/tasks/{id}/undo', id('many'), undefined],
    ['DELETE /v1/tasks/{id}', id('failed'), undefined, 204],
    ['POST /v1/settings/undo', {}, { days: 30, spaceMb: 1000 }],
    ['PUT /v1/models/default', {}, { model: 'ollama/qwen3' }],
    ['PUT /v1/models/said', {}, word],
    ['PUT /v1/keys/{provider}', { provider: 'openai' }, { key: 'sk-0123456789' }],
    ['PUT /v1/keys/{provider}', { provider: 'mine' }, mine],
    ['POST /v1/keys/{provider}/test', { provider: 'anthropic' }, undefined],
    ['POST /v1/keys/{provider}/test', { provider: 'ollama' }, undefined],
    ['DELETE /v1/keys/{provider}', { provider: 'openai' }, undefined, 204],
    ['POST /v1/keys/{provider}/login', { provider: 'anthropic' }, undefined],
    ['POST /v1/logins/{id}', { id: 'l1' }, { code: '1234' }],
    ['DELETE /v1/logins/{id}', { id: 'l1' }, undefined, 204],
    ['PUT /v1/settings/keys', {}, { store: 'file', passphrase: 'correct horse' }],
    ['POST /v1/settings/keys/unlock', {}, { passphrase: 'correct horse' }],
    ['DELETE /v1/rules/{rule}', { rule: 'r1' }, undefined, 204],
    ['PUT /v1/rules/{rule}/end', { rule: 'r3' }, { expires: '2027-01-02T03:04:05Z' }],
    ['PUT /v1/rules/{rule}/scope', { rule: 'r3' }, { folder: '/home/sam/Pictures' }],
    ['PUT /v1/policy', {}, { text: '' }],
    ['POST /v1/policy/proposals/{proposal}/accept', { proposal: 'p1' }, undefined],
    ['DELETE /v1/policy/proposals/{proposal}', { proposal: 'p2' }, undefined, 204],
    ['DELETE /v1/policy/exceptions/{exception}', { exception: 'aa01' }, undefined, 204],
    ['POST /v1/network/rules', {}, { host: 'example.org', answer: 'allow' }],
    ['POST /v1/network/rules', {}, { preset: 'npm', answer: 'allow' }],
    ['PUT /v1/network/presets/{name}', { name: 'npm' }, { on: true }],
    ['POST /v1/notices', {}, { event: 1 }],
    ['PUT /v1/settings/window', {}, { close: 'ask', notify: false }],
    ['PUT /v1/settings/at-login', {}, { on: true }],
    ['POST /v1/runtimes/{kind}/test', { kind: 'sandbox' }, undefined],
    ['POST /v1/runtimes/explain', {}, { work: 'chore', folders: true, changes: true }],
    ['DELETE /v1/tokens/{token}', { token: '0193-t1' }, undefined, 204],
    ['PUT /v1/settings/search', {}, { kind: 'searxng', url: 'https://search.example.org/' }],
    ['PUT /v1/settings/telemetry', {}, { endpoint: 'http://127.0.0.1:4318' }],
    ['POST /v1/remotes', {}, { name: 'club', address: 'club', cluster: { image: 'debian' } }],
    ['POST /v1/remotes', {}, { name: 'lab', address: 'anna@lab', confirm: ['SHA256:x'] }],
    ['PUT /v1/services/{name}', { name: 'pypi-upload' }, { preset: 'pypi-upload' }],
    ['PUT /v1/services/{name}/secret', { name: 'npm' }, { secret: 'x0123456789' }],
    ['POST /v1/services/{name}/test', { name: 'github' }, undefined],
    ['DELETE /v1/services/{name}', { name: 'github' }, undefined, 204],
    ['POST /v1/mcp-servers', {}, { name: 'mine', command: 'node', env: { KEY: 'x' } }, 201],
    ['POST /v1/mcp-servers/import', {}, { config: '{"mcpServers":{"mine":{"command":"node"}}}' }, 201],
    ['POST /v1/mcp-servers/{name}/check', { name: 'calendar' }, undefined],
    ['POST /v1/mcp-servers/{name}/check', { name: 'notes' }, undefined, 422],
    ['POST /v1/mcp-servers/{name}/tools', { name: 'calendar' }, { tool: 'add_event', allow: true }],
    [
      'PUT /v1/mcp-servers/{name}/reach',
      { name: 'calendar' },
      { hosts: ['api.example.org'], services: ['github'] }
    ],
    ['POST /v1/mcp-servers/{name}/login', { name: 'notes' }, {}, 422],
    ['POST /v1/mcp-servers/{name}/login', { name: 'notes' }, { confirm: ['login.notes.example'] }],
    ['GET /v1/mcp-servers/{name}/login', { name: 'notes' }, undefined],
    ['DELETE /v1/mcp-servers/{name}/login', { name: 'notes' }, undefined],
    ['DELETE /v1/mcp-servers/{name}', { name: 'notes' }, undefined, 204],
    ['POST /v1/remotes/{name}/clean', { name: 'lab' }, undefined, 204],
    ['DELETE /v1/remotes/{name}', { name: 'lab' }, undefined, 204],
    ['DELETE /v1/caches/{id}', { id: 'build' }, undefined, 204],
    ['POST /v1/caches/{id}/back', { id: 'build' }, undefined, 204],
    ['POST /v1/settings/runtimes', {}, { prefer: [], weaker: { sandbox: 'always' } }],
    ['POST /v1/settings/machines', {}, { memoryMb: 2048, cpus: 2, totalMb: 0, atOnce: 2, instant: true }],
    ['POST /v1/storage/clean', {}, { what: ['downloads'] }],
    ['POST /v1/diagnostics', {}, { id: 'd1', path: '/home/anna/report.zip' }],
    ['POST /v1/native/pick-folder', {}, { title: 'A folder' }, 501],
    ['POST /v1/native/pick-file', {}, { title: 'A file', patterns: ['*.tar'] }, 501],
    ['POST /v1/native/pick-files', {}, { title: 'Files', patterns: [] }, 501],
    ['POST /v1/native/open', {}, { task: id('done').id, index: 0, reveal: false }, 501],
    ['POST /v1/native/save-as', {}, { title: 'Save', name: 'a.pdf' }, 501]
  ];
  const typed = { client: '0123456789abcdef', data: 'eA==' };
  /** Likewise, once there is a session. @type {typeof acts} */
  const ofSession = [
    ['GET /v1/sessions/{session}/output', {}, undefined],
    ['POST /v1/sessions/{session}/input', {}, typed],
    ['POST /v1/sessions/{session}/input', {}, { ...typed, client: 'another0123456789' }, 409],
    ['POST /v1/sessions/{session}/input', {}, { ...typed, client: 'another0123456789', take: true }],
    ['POST /v1/sessions/{session}/resize', {}, { columns: 90, rows: 30 }],
    ['DELETE /v1/sessions/{session}', {}, undefined],
    ['GET /v1/sessions/{session}/output', {}, undefined]
  ];
  const isTool = (/** @type {string} */ route) => route.startsWith('POST /v1/tools/');

  test('nothing is left out', () =>
    meet({}, async ({ routes }) => {
      const tried = new Set([...acts, ...ofSession].map(([route]) => route));
      const left = routes.filter((one) => !one.startsWith('GET ') && !isTool(one) && !tried.has(one));
      assert.deepEqual(left, []);
    }));

  for (const [route, values, body, status = 200] of acts)
    test(`${route} ${JSON.stringify(body) ?? ''}`, () =>
      meet(
        {
          tasks: ALL,
          servers: true,
          services: true,
          kept: true,
          ruled: true,
          update: 'available',
          conflict: true
        },
        async ({ ask, hear }) => {
          assert.deepEqual(document.ofRequest(route, body), [], 'the request');
          const heard = await hear();
          assert.deepEqual(await ask(route, values, body), { status, faults: [] });
          await workIsOver();
          for (const event of heard()) assert.deepEqual(document.ofEvent(event), [], JSON.stringify(event));
          // What came of it is as it should be, too.
          assert.deepEqual(await ask('GET /v1/tasks'), RIGHT);
        }
      ));

  test('a terminal', () =>
    meet({ tasks: ALL }, async ({ ask }) => {
      await ask('POST /v1/tasks/{id}/sessions', id('talking'), { terminal: { columns: 80, rows: 24 } });
      for (const [route, , body, status = 200] of ofSession) {
        assert.deepEqual(document.ofRequest(route, body), [], `the request ${route}`);
        assert.deepEqual(await ask(route, { session: 's1' }, body), { status, faults: [] });
      }
      assert.deepEqual(await ask('GET /v1/sessions'), RIGHT);
    }));

  test('every tool', () =>
    meet({}, async ({ routes, ask }) => {
      for (const route of routes.filter(isTool))
        assert.deepEqual(await ask(route, {}, { in: [file], params: {} }), { status: 202, faults: [] });
      await workIsOver();
      assert.deepEqual(await ask('GET /v1/tasks'), RIGHT);
    }));
});
