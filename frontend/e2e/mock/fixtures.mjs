// Records as the controller writes them, for screenshots and for work on the screens without a controller.
import { readFileSync } from 'node:fs';

/** @typedef {import('../../src/lib/api/types').Task} Task */
/** @typedef {import('../../src/lib/api/types').Plan} Plan */
/** @typedef {import('../../src/lib/api/types').Change} Change */
/** @typedef {import('../../src/lib/api/types').Report} Report */
/** @typedef {import('../../src/lib/api/types').Problem} Problem */
/** @typedef {import('../../src/lib/api/types').ApiEvent} ApiEvent */

const HASH = 'a'.repeat(64);

/** @param {number} msAgo */
const at = (msAgo) => new Date(Date.now() - msAgo).toISOString();

/** @param {string[]} codes @returns {import('../../src/lib/api/types').Fix[]} */
const fixes = (...codes) => codes.map((code) => ({ kind: 'action', code }));

/** @type {Report} */
const ready = {
  ready: true,
  version: '0.1.0',
  os: 'linux',
  arch: 'amd64',
  pack: {
    installed: true,
    verified: true,
    developer: false,
    version: '0.1.0',
    dir: '/home/anna/.local/share/piwork/runtime/0.1.0'
  },
  accel: { kind: 'kvm', native: 'kvm', proven: true, slowMode: false, bootMs: 820, slowMs: 7400 },
  checks: [
    { code: 'pack-installed', state: 'passed', tookMs: 2 },
    { code: 'pack-verified', state: 'passed', tookMs: 640 },
    { code: 'accel-device', state: 'passed', tookMs: 1, params: { device: '/dev/kvm' } },
    { code: 'accel-boot', state: 'passed', tookMs: 1240, params: { accel: 'kvm' } }
  ],
  problems: [],
  time: at(0)
};

/** @type {Report} */
const slow = {
  ...ready,
  accel: { kind: 'tcg', native: 'kvm', proven: true, slowMode: true, chosenBy: 'settings', bootMs: 7400 },
  checks: [
    { code: 'pack-installed', state: 'passed', tookMs: 2 },
    { code: 'pack-verified', state: 'passed', tookMs: 640 },
    { code: 'accel-device', state: 'failed', tookMs: 1 },
    { code: 'slow-mode', state: 'passed', tookMs: 0, params: { by: 'settings' } },
    { code: 'accel-boot', state: 'passed', tookMs: 7400, params: { accel: 'tcg' } }
  ],
  problems: [{ code: 'slow-mode', severity: 'warning', cause: 'settings', fix: fixes('fast-mode') }]
};

/** @type {Report} */
const noPack = {
  ...ready,
  ready: false,
  pack: { installed: false, verified: false, developer: false },
  accel: { kind: '', native: 'kvm', proven: false, slowMode: false },
  checks: [
    { code: 'pack-installed', state: 'failed', tookMs: 1 },
    { code: 'pack-verified', state: 'skipped', tookMs: 0 },
    { code: 'accel-device', state: 'passed', tookMs: 1 },
    { code: 'accel-boot', state: 'skipped', tookMs: 0 }
  ],
  problems: [
    {
      code: 'pack-missing',
      severity: 'blocking',
      cause: 'pack-missing',
      fix: fixes('install-pack', 'get-pack')
    }
  ]
};

/** @type {Report} */
const found = {
  ...noPack,
  problems: noPack.problems.map((problem) => ({
    ...problem,
    params: { found: '/media/anna/STICK/piwork-bundle-linux-amd64-0.1.0.tar' }
  }))
};

/**
 * Computers that are not ready, each for another reason, as app/setup reports them.
 * @type {Record<string, Report>}
 */
const computers = JSON.parse(
  readFileSync(new URL('../../../app/setup/testdata/computers.json', import.meta.url), 'utf8')
);

/** @type {Report} */
const foreseen = {
  ...noPack,
  checks: noPack.checks.map((check) =>
    check.code === 'accel-device' ? { ...check, state: 'failed' } : check
  ),
  problems: [
    ...noPack.problems,
    ...(computers['linux-group']?.problems ?? []).map((problem) => ({
      ...problem,
      params: { ...problem.params, foreseen: true },
      fix: problem.fix.filter((fix) => fix.code !== 'slow-mode')
    }))
  ]
};

/** @type {Record<'ready' | 'slow' | 'noPack' | 'found', Report> & Record<string, Report>} */
export const reports = { ready, slow, noPack, found, foreseen, ...computers };

/** @type {import('../../src/lib/api/types').SavedChore[]} */
export const savedChores = [
  {
    id: 's1',
    name: 'Tidy up on Fridays',
    chore: 'cleanup-downloads',
    params: {},
    folders: [{ path: '/home/anna/Downloads', mode: 'review' }],
    created: '2026-01-02T03:04:05Z'
  },
  {
    id: 's2',
    name: 'Receipts for the tax office',
    chore: 'receipts-to-table',
    params: {},
    folders: [{ path: '/home/anna/Documents/Receipts 2026' }],
    created: '2026-01-02T03:04:05Z'
  }
];

/** @typedef {import('../../src/lib/api/types').UpdateState} UpdateState */

/** @type {UpdateState} */
const upToDate = {
  phase: 'up-to-date',
  what: 'runtime',
  channel: 'stable',
  current: '0.1.0',
  done: 0,
  total: 0,
  reused: 0,
  rate: 0,
  eta: -1,
  checked: at(2 * 3_600_000),
  settings: { auto: true, urls: [] }
};

/** @type {UpdateState} */
const available = {
  ...upToDate,
  phase: 'available',
  version: '0.2.0',
  total: 31_400_000,
  reused: 142_000_000,
  notes: 'Reads pictures of the newest phones.\nTurns pages the right way up.'
};

/** @type {UpdateState} */
const fresh = { ...available, current: '', version: '0.1.0', total: 173_000_000, reused: 0, notes: '' };

/** @type {UpdateState} */
const offline = {
  ...upToDate,
  phase: 'offline',
  problem: {
    code: 'update-offline',
    severity: 'error',
    cause: 'proxy-auth',
    params: { proxy: 'proxy.example:3128', host: 'updates.example' },
    fix: [
      { kind: 'action', code: 'update-settings' },
      { kind: 'action', code: 'update-now' }
    ],
    details:
      'update channel: unreachable: metadata/timestamp.json: proxy-auth: updates.example (through proxy.example:3128): HTTP status 407'
  }
};

/** @type {UpdateState} */
const rolledBack = {
  ...upToDate,
  problem: {
    code: 'rolled-back',
    severity: 'warning',
    cause: '',
    params: { version: '0.1.0', failed: '0.2.0' },
    fix: [{ kind: 'action', code: 'show-details' }],
    details: 'proof boot of 0.2.0 with kvm: no answer of the agent within 90 s'
  }
};

export const updates = {
  upToDate,
  available,
  fresh,
  offline,
  rolledBack,
  off: { ...upToDate, phase: /** @type {const} */ ('off'), channel: '', checked: undefined }
};

/** @param {string} version @param {Partial<import('../../src/lib/api/types').PackInfo>} more */
const pack = (version, more) => ({
  name: 'piwork-runtime',
  version,
  os: 'linux',
  arch: 'amd64',
  guestArch: 'amd64',
  built: at(20 * 86_400_000),
  files: 412,
  bytes: 640_000_000,
  signedBy: 'piwork release 2026',
  developer: false,
  installed: true,
  current: false,
  kind: /** @type {const} */ ('runtime'),
  ...more
});

/** @type {import('../../src/lib/api/types').PackInfo[]} */
export const packs = [
  pack('0.2.0', {
    failed: true,
    problem: {
      code: 'update-not-booting',
      severity: 'warning',
      cause: '',
      params: { version: '0.2.0', current: '0.1.0' },
      fix: fixes('update-now', 'show-details'),
      details: 'first boot of 0.2.0 with kvm: no answer of the agent within 90 s'
    }
  }),
  pack('0.1.0', { current: true, inUse: true }),
  pack('0.0.9', { previous: true, built: at(90 * 86_400_000) }),
  pack('0.0.8', { inUse: true, built: at(140 * 86_400_000) })
];

/** @type {import('../../src/lib/api/types').AddOnInfo[]} */
export const addOns = [
  { name: 'media', version: '0.1.0', installed: true, usable: true, bytes: 96_000_000 },
  { name: 'office', version: '0.1.0', installed: false, usable: true, download: 310_000_000 },
  {
    name: 'music',
    version: '0.0.9',
    installed: true,
    usable: false,
    bytes: 88_000_000,
    problem: {
      code: 'addon-mismatch',
      severity: 'error',
      cause: '',
      params: { name: 'music', version: '0.0.9' },
      fix: fixes('update-now')
    }
  },
  { name: 'browser', version: '0.1.0', installed: false, usable: true, download: 190_000_000 }
];

/** @typedef {import('../../src/lib/api/types').ParamInfo} ParamInfo */

/** @param {string} name @param {string} byDefault @returns {ParamInfo} */
const text = (name, byDefault = '') => ({ name, type: 'string', default: byDefault });
/** @param {string} name @param {boolean} [byDefault] @returns {ParamInfo} */
const flag = (name, byDefault = false) => ({ name, type: 'bool', default: byDefault });
/** @param {string} name @param {...string} choices the first is the default @returns {ParamInfo} */
const choice = (name, ...choices) => ({ name, type: 'choice', default: choices[0], choices });
/** @param {string} name @param {number} byDefault @param {number} min @param {number} max @returns {ParamInfo} */
const number = (name, byDefault, min, max) => ({ name, type: 'int', default: byDefault, min, max });
const language = choice('language', 'en', 'de');
const order = choice('order', 'name', 'date');
const recursive = flag('recursive');

/**
 * @param {string} name @param {ParamInfo[]} params @param {import('../../src/lib/api/types').ChoreInfo['effects']} [effects]
 * @returns {import('../../src/lib/api/types').ChoreInfo}
 */
const chore = (name, params, effects = ['create']) => ({ name, params, effects, needs: [] });

/** As app/chore has them. */
export const chores = [
  chore('pictures-to-pdf', [text('name', 'Pictures'), order, recursive, choice('page', 'fit', 'a4')]),
  chore('convert-pictures', [
    choice('format', 'jpeg', 'png', 'webp'),
    number('side', 0, 0, 30_000),
    number('quality', 85, 1, 100),
    recursive,
    language
  ]),
  chore('strip-metadata', [flag('keepDate'), recursive, language]),
  chore(
    'cleanup-downloads',
    [
      flag('months', true),
      flag('installers', true),
      flag('archives', true),
      number('days', 30, 0, 10_000),
      flag('empty', true),
      language
    ],
    ['move', 'delete']
  ),
  chore('sort-photos', [choice('by', 'taken-month', 'taken-year'), recursive], ['move']),
  chore('find-duplicates', [flag('similar'), language], ['move']),
  chore(
    'rename-files',
    [
      text('pattern', '{name}{ext}'),
      text('find'),
      text('with'),
      choice('case', 'keep', 'lower', 'upper'),
      choice('spaces', 'keep', 'dash', 'underscore'),
      number('start', 1, 0, 1_000_000)
    ],
    ['move']
  ),
  chore('unpack-archives', [recursive]),
  chore('merge-pdf', [text('name', 'Merged'), order, recursive]),
  chore('split-pdf', [number('every', 1, 1, 100_000), recursive]),
  chore('compress-pdf', [choice('quality', 'reading', 'screen', 'printing'), recursive, language]),
  chore('unlock-pdf', [{ name: 'password', type: 'password', default: '' }, recursive, language]),
  chore('searchable-scans', [
    flag('text', true),
    choice('reads', 'eng+deu', 'eng', 'deu'),
    recursive,
    language
  ]),
  chore('extract-text', [
    flag('layout', true),
    choice('reads', 'eng+deu', 'eng', 'deu'),
    recursive,
    language
  ]),
  chore('receipts-to-table', [
    text('name', 'Receipts'),
    choice('format', 'csv', 'xlsx'),
    choice('dates', 'auto', 'dmy', 'mdy'),
    choice('reads', 'eng+deu', 'eng', 'deu'),
    recursive,
    language
  ]),
  chore('folder-report', [
    text('name', 'Report'),
    choice('format', 'html', 'md', 'csv', 'xlsx'),
    number('top', 20, 1, 100),
    language
  ]),
  chore('clean-table', [
    choice('format', 'same', 'csv', 'xlsx'),
    flag('trim', true),
    flag('dropEmpty', true),
    flag('duplicates', true),
    recursive,
    language
  ]),
  chore('join-tables', [
    text('name', 'Joined'),
    choice('format', 'csv', 'xlsx'),
    flag('source'),
    order,
    recursive,
    language
  ]),
  chore('voice-memo', [
    choice('quality', 'speech', 'music'),
    flag('mono', true),
    flag('level'),
    recursive,
    language
  ])
];

const NAMES = [
  'IMG_2041.jpg',
  'IMG_2042.jpg',
  'IMG_2043.jpg',
  'Strand bei Ebbe.png',
  'Grüße aus Kiel.jpg',
  '海辺の写真.jpg',
  '- first day -.jpg',
  "Anna's boat.jpg",
  'IMG_2050.jpg',
  'IMG_2051.jpg',
  'IMG_2052.jpg',
  'Zoo.webp'
];

/** @param {string} folder @returns {Problem} */
const broken = (folder) => ({
  code: 'input-broken',
  severity: 'warning',
  cause: '',
  params: { path: `/folders/${folder}/IMG_2047.jpg`, name: 'IMG_2047.jpg' },
  fix: fixes('replace-input', 'remove-input'),
  details: 'image.info: Premature end of JPEG file'
});

/** @param {string} folder @returns {Plan} */
export const planFor = (folder) => ({
  v: 1,
  chore: 'pictures-to-pdf',
  params: { name: 'Pictures', order: 'name', recursive: false, page: 'fit' },
  operations: [
    {
      op: 'image.convert',
      in: NAMES.map((name, i) => ({
        path: `/folders/${folder}/${name}`,
        sha256: HASH,
        size: 2_400_000 + i * 310_000
      })),
      out: `/folders/${folder}/Pictures.pdf`,
      effect: 'create'
    }
  ],
  needs: [],
  skipped: [
    broken(folder),
    {
      code: 'input-link',
      severity: 'warning',
      cause: '',
      params: { path: `/folders/${folder}/latest.jpg`, name: 'latest.jpg' },
      fix: fixes('replace-input')
    }
  ]
});

/**
 * The plan of any chore: it moves each file, or makes one of each.
 * @param {string} name @param {string} folder @param {Plan['params']} params @returns {Plan}
 */
export function planOf(name, folder, params) {
  const plan = planFor(folder);
  const info = chores.find((c) => c.name === name);
  const inputs = plan.operations[0]?.in ?? [];
  if (!info || name === plan.chore) return { ...plan, params };
  if (info.params.some((param) => param.name === 'name'))
    return {
      ...plan,
      chore: name,
      params,
      operations: [{ op: name, in: inputs, out: `/folders/${folder}/${params.name}`, effect: 'create' }]
    };
  const effect = info.effects[0] ?? 'create';
  return {
    ...plan,
    chore: name,
    params: Object.fromEntries(Object.entries(params).filter(([key]) => key !== 'password')),
    operations: inputs.map((input) => ({
      op: name,
      in: [input],
      out: input.path.replace(`/${folder}/`, `/${folder}/2026-06/`),
      effect
    }))
  };
}

/**
 * @param {string} id @param {string} path @param {Task['state']} state @param {number} age ms
 * @param {Partial<Task>} [more] @returns {Task}
 */
function task(id, path, state, age, more = {}) {
  const name = path.split('/').pop() ?? path;
  return {
    v: 1,
    id: `0193${id}-0000-7000-8000-000000000000`,
    kind: 'chore',
    title: `pictures-to-pdf: ${name}`,
    state,
    created: at(age),
    started: at(age - 200),
    folders: [{ id: 'f1', path, name, mode: 'rw' }],
    network: 'off',
    runtime: 'vm',
    pack: '0.1.0',
    accel: 'kvm',
    chore: 'pictures-to-pdf',
    params: planFor(name).params,
    ...more
  };
}

const result = { folder: 'f1', path: 'Pictures.pdf', size: 28_400_000, sha256: HASH };
const waiting = task('0010', '/home/anna/Pictures/Summer at the sea', 'waiting', 50_000);
const working = task('0011', '/home/anna/Documents/Receipts 2026', 'running', 65_000);
const opening = task('0012', '/home/anna/Documents/Letters', 'preparing', 14_000);
const done = task('0009', '/home/anna/Pictures/Birthday', 'done', 3 * 3_600_000, {
  ended: at(3 * 3_600_000 - 64_000),
  results: [result],
  problems: [broken('Birthday')]
});
const many = task(
  '0008',
  '/home/anna/Documents/A folder with quite a long name, as people have them',
  'done',
  26 * 3_600_000,
  {
    ended: at(26 * 3_600_000 - 64_000),
    results: [result]
  }
);
const failed = task('0007', '/home/anna/Scans', 'failed', 2 * 86_400_000, {
  ended: at(2 * 86_400_000 - 30_000),
  error: {
    code: 'disk-full',
    severity: 'error',
    cause: '',
    fix: fixes('free-space', 'start-again'),
    details: 'image.convert: write /folders/Scans/.Pictures.pdf.part: no space left on device'
  }
});
const empty = task('0006', '/home/anna/Empty', 'failed', 4 * 86_400_000, {
  ended: at(4 * 86_400_000 - 9_000),
  error: {
    code: 'no-pictures',
    severity: 'error',
    cause: '',
    params: { folders: ['Empty'], recursive: false },
    fix: fixes('include-subdirs', 'add-pictures', 'pick-folder')
  }
});
const stopped = task('0005', '/home/anna/Pictures/Winter', 'cancelled', 9 * 86_400_000, {
  ended: at(9 * 86_400_000 - 9_000),
  error: {
    code: 'cancelled',
    severity: 'error',
    cause: 'person',
    fix: fixes('review-changes', 'start-again')
  }
});

const reviewed = task('0004', '/home/anna/Documents/Club', 'done', 40 * 60_000, {
  kind: 'exec',
  title: 'tidy the list of members',
  ended: at(39 * 60_000),
  folders: [
    { id: 'f1', path: '/home/anna/Documents/Club', name: 'Club', mode: 'review' },
    { id: 'f2', path: '/home/anna/Pictures/Club', name: 'Pictures', mode: 'rw' }
  ]
});
delete reviewed.chore;
const huge = task('0003', '/home/anna/Archive', 'done', 50 * 60_000, { ended: at(49 * 60_000) });

/**
 * A task in a person's own words.
 * @param {string} id @param {string} title @param {Task['state']} state @param {number} age @param {Partial<Task>} [more]
 */
function asking(id, title, state, age, more = {}) {
  const t = task(id, '/home/anna/Documents/Letters', state, age, {
    kind: 'ai',
    title,
    network: 'restricted',
    ai: {
      model: 'anthropic/claude-sonnet-4-5',
      budget: 2_000_000,
      usage: { requests: 7, input: 4_210, output: 3_890, cacheRead: 48_300, cost: 86_400 }
    },
    ...more
  });
  delete t.chore;
  delete t.params;
  return t;
}
const talking = asking('0020', 'Sort the letters by sender', 'running', 3 * 60_000);
const reaching = asking('0021', 'Which of these songs are on Wikipedia?', 'waiting', 2 * 60_000);
const commanding = asking('0022', 'Throw away the drafts', 'waiting', 2 * 60_000, {
  loosened: ['preset', 'allowed-always']
});
const choosing = asking('0025', 'Clean up the list of members', 'waiting', 4 * 60_000);
const wording = asking('0026', 'Write a greeting card', 'waiting', 5 * 60_000);
const answered = asking('0023', 'Make a list of the letters', 'done', 50 * 60_000, {
  ended: at(45 * 60_000),
  results: [
    { folder: 'f1', path: 'Letters by sender.md', size: 2_400, sha256: HASH },
    { folder: 'f1', path: 'Letters by sender.csv', size: 1_100, sha256: HASH },
    { folder: 'f1', path: 'Report.html', size: 8_000, sha256: HASH },
    { folder: 'f1', path: 'Chart.png', size: 3_000, sha256: HASH },
    { folder: 'f1', path: 'Letters.pdf', size: 900, sha256: HASH },
    { folder: 'f1', path: 'Read aloud.mp3', size: 4_800_000, sha256: HASH }
  ]
});
const cut = asking('0024', 'Summarise the notes of the club', 'failed', 30 * 60_000, {
  ended: at(28 * 60_000),
  error: { code: 'interrupted', severity: 'error', cause: 'interrupted', fix: fixes('start-again') }
});

export const examples = {
  waiting,
  working,
  opening,
  done,
  many,
  failed,
  empty,
  stopped,
  reviewed,
  huge,
  talking,
  reaching,
  commanding,
  choosing,
  wording,
  answered,
  cut
};

/** @type {import('../../src/lib/api/types').Models} */
export const models = {
  default: 'anthropic/claude-sonnet-4-5',
  chosen: false,
  list: [
    {
      id: 'anthropic/claude-sonnet-4-5',
      name: 'Claude Sonnet 4.5',
      provider: 'anthropic',
      images: true,
      thinks: true,
      inputPrice: 3_000_000,
      outputPrice: 15_000_000
    },
    {
      id: 'anthropic/claude-opus-4-5',
      name: 'Claude Opus 4.5',
      provider: 'anthropic',
      images: true,
      thinks: true,
      inputPrice: 5_000_000,
      outputPrice: 25_000_000
    },
    { id: 'ollama/qwen3', name: 'Qwen 3', provider: 'ollama', local: true, own: true }
  ]
};

/** @type {import('../../src/lib/api/types').KeyInfo[]} */
export const keys = [
  {
    provider: 'anthropic',
    name: 'Anthropic',
    has: true,
    kind: 'key',
    place: 'keychain',
    ending: 'x7Qa',
    canLogin: true
  },
  {
    provider: 'ollama',
    name: 'Ollama',
    has: false,
    kind: 'none',
    local: true,
    baseUrl: 'http://127.0.0.1:11434/v1',
    protocol: 'openai'
  },
  { provider: 'openai', name: 'OpenAI', has: false },
  { provider: 'openrouter', name: 'OpenRouter', has: false }
];

/** @type {import('../../src/lib/api/types').NetworkPreset[]} */
export const presets = [
  { code: 'python', hosts: ['pypi.org', 'files.pythonhosted.org'], default: false, on: false },
  { code: 'npm', hosts: ['registry.npmjs.org', 'registry.yarnpkg.com'], default: false, on: false },
  {
    code: 'wikipedia',
    hosts: ['wikipedia.org', '*.wikipedia.org', '*.wikimedia.org'],
    default: true,
    on: true
  }
];

/** @param {Task} t @param {Record<string, unknown>[]} lines @returns {ApiEvent[]} */
function timeline(t, lines) {
  return lines.map(
    ({ kind, ...data }, i) =>
      /** @type {ApiEvent} */ (
        /** @type {unknown} */ ({
          v: 1,
          seq: i + 1,
          time: new Date(Date.parse(t.created) + i * 4000).toISOString(),
          task: t.id,
          kind,
          data: 'value' in data ? data.value : data
        })
      )
  );
}

const planned = [
  { kind: 'state', state: 'queued' },
  { kind: 'state', state: 'preparing' },
  { kind: 'step', step: 'verify' },
  { kind: 'step', step: 'plan' },
  { kind: 'step', step: 'boot' },
  { kind: 'step', step: 'mount' }
];
/** @param {Task} t */
const asked = (t) => [
  ...planned,
  { kind: 'plan', value: planFor(t.folders[0]?.name ?? '') },
  { kind: 'state', state: 'waiting' },
  { kind: 'step', step: 'accept' }
];
/** @param {Task} t */
const begun = (t) => [
  ...asked(t),
  { kind: 'decision', id: 'plan', answer: 'allow', scope: 'task', by: 'person', time: t.created },
  { kind: 'state', state: 'running' },
  { kind: 'step', step: 'run' },
  { kind: 'step', step: 'boot' },
  { kind: 'step', step: 'mount' }
];
/** @param {Task} t */
const ended = (t) => [
  ...begun(t),
  { kind: 'problem', value: broken(t.folders[0]?.name ?? '') },
  { kind: 'result', value: result },
  { kind: 'step', step: 'finish' },
  { kind: 'state', state: t.state }
];

/** @param {string} id @param {string} verb @param {string} name @param {string} target @param {Record<string, unknown>} [more] */
const tool = (id, verb, name, target, more = {}) => ({
  kind: 'tool',
  id,
  verb,
  name,
  target,
  state: 'done',
  raw: 4,
  ...more
});
/** @param {string} id @param {string} role @param {string} text @param {Record<string, unknown>} [more] */
const said = (id, role, text, more = {}) => ({ kind: 'message', id, role, text, ...more });

const talk = [
  ...planned.slice(0, 1),
  { kind: 'step', step: 'boot' },
  { kind: 'step', step: 'run' },
  said(
    'u1',
    'user',
    'Sort the letters in this folder by sender, and make a list of them.\nDo not touch the drafts.',
    { how: 'prompt', images: ['letterhead.png'] }
  ),
  { kind: 'notice', code: 'turn' },
  said('a1', 'assistant', 'I will first read the letters to see who wrote them.', {
    thinking:
      'The folder has letters of several years. The senders stand at the top right, so reading the start is enough.',
    raw: 3
  }),
  ...Array.from({ length: 12 }, (_, i) =>
    tool(`r${i}`, 'read', 'read', `/folders/Letters/2026-0${1 + (i % 9)}-letter.txt`)
  ),
  tool('c1', 'run', 'bash', "mkdir -p 'Town hall' 'Health insurance' && mv 2026-01* 'Town hall'/", {
    output: 'renamed 4 files',
    wallMs: 2_400
  }),
  tool('e1', 'edit', 'edit', '/folders/Letters/index.md', {
    diff: '@@ -1,3 +1,4 @@\n # Letters\n-3 senders\n+4 senders\n+- Town hall\n'
  }),
  tool('w1', 'write', 'write', '/folders/Letters/Letters by sender.md'),
  tool('x1', 'run', 'bash', 'pdftotext broken.pdf', { state: 'failed', output: 'Syntax Error: no trailer' }),
  { kind: 'notice', code: 'retry', text: '529 overloaded', params: { attempt: 1 } },
  said(
    'a2',
    'assistant',
    '### Done\n\nThe **12 letters** are in folders of their senders:\n\n| Sender | Letters |\n| --- | --- |\n| Town hall | 4 |\n| Health insurance | 8 |\n\n1. The list is in `Letters by sender.md`.\n2. One file could not be read: `broken.pdf`.\n\nMore about [reading old PDFs](https://example.org/pdf).',
    { raw: 9 }
  ),
  { kind: 'usage', ...talking.ai?.usage }
];

/** @param {Task} t @param {Record<string, unknown>} about */
const question = (t, about) => ({ kind: 'question', value: { id: 'q1', task: t.id, items: [], ...about } });

/** @type {Record<string, ApiEvent[]>} */
export const timelines = {
  [talking.id]: timeline(talking, [
    ...talk.slice(0, -2),
    said('u2', 'user', 'Please write the list in German.', { how: 'steer' }),
    { kind: 'queue', steering: ['And put the oldest first.'], followUp: ['Then tell me what is still open.'] }
  ]),
  [reaching.id]: timeline(reaching, [
    ...talk.slice(0, 6),
    question(reaching, {
      kind: 'network',
      text: {
        code: 'network-connect',
        params: {
          host: 'musicbrainz.org',
          port: 443,
          pattern: 'musicbrainz.org',
          reason: 'new-name',
          claimedProgram: 'beets.py'
        }
      }
    })
  ]),
  [commanding.id]: timeline(commanding, [
    ...talk.slice(0, 6),
    question(commanding, {
      kind: 'command',
      items: ['/folders/Letters/draft 1.txt', '/folders/Letters/draft 2.txt'],
      text: {
        code: 'agent-command',
        params: { tool: 'bash', command: 'rm "draft 1.txt" "draft 2.txt"', effects: ['delete'] }
      }
    })
  ]),
  [choosing.id]: timeline(choosing, [
    ...talk.slice(0, 6),
    question(choosing, {
      kind: 'command',
      choices: [
        { label: 'members 2025.csv' },
        { label: 'members 2026.csv' },
        { label: 'Both, one after the other' }
      ],
      text: { code: 'agent-select', params: { title: 'Which list is the right one?' } }
    })
  ]),
  [wording.id]: timeline(wording, [
    ...talk.slice(0, 6),
    question(wording, {
      kind: 'command',
      input: true,
      text: {
        code: 'agent-input',
        params: { title: 'What should the card say?', hint: 'Dear Änne, …' }
      }
    })
  ]),
  [answered.id]: timeline(answered, [
    ...talk,
    { kind: 'notice', code: 'settled' },
    { kind: 'state', state: 'done' }
  ]),
  [cut.id]: timeline(cut, [...talk.slice(0, 10), { kind: 'state', state: 'failed' }]),
  [waiting.id]: timeline(waiting, asked(waiting)),
  [working.id]: timeline(working, begun(working)),
  [opening.id]: timeline(opening, planned.slice(0, 5)),
  [done.id]: timeline(done, ended(done)),
  [many.id]: timeline(many, ended(many)),
  [failed.id]: timeline(failed, begun(failed)),
  [empty.id]: timeline(empty, planned),
  [stopped.id]: timeline(stopped, planned),
  [reviewed.id]: timeline(reviewed, [
    { kind: 'state', state: 'queued' },
    { kind: 'state', state: 'done' }
  ]),
  [huge.id]: timeline(huge, ended(huge))
};

const state = (size = 1_200_000) => ({ size, mode: 0o644, mtime: at(9e6), sha256: HASH });

/** @type {Record<string, Change[]>} */
export const changes = {
  [done.id]: [
    { id: 'c1', folder: 'f1', path: 'Pictures.pdf', kind: 'file', effect: 'create', after: state(28_400_000) }
  ],
  [many.id]: [
    { id: 'c1', folder: 'f1', path: 'old/letter.txt', kind: 'file', effect: 'delete', before: state() },
    {
      id: 'c2',
      folder: 'f1',
      path: 'notes.txt',
      kind: 'file',
      effect: 'change',
      before: state(),
      after: state()
    },
    {
      id: 'c3',
      folder: 'f1',
      path: 'sorted/IMG_2041.jpg',
      from: 'IMG_2041.jpg',
      kind: 'file',
      effect: 'move'
    },
    ...NAMES.map((name, i) => ({
      id: `n${i}`,
      folder: 'f1',
      path: `made/${name}.pdf`,
      kind: 'file',
      effect: /** @type {const} */ ('create'),
      after: state()
    }))
  ],
  [reviewed.id]: [
    {
      id: 'f1.n1',
      folder: 'f1',
      path: 'members.csv',
      kind: 'file',
      effect: 'change',
      staged: true,
      before: state(812),
      after: state(930)
    },
    {
      id: 'f1.n2',
      folder: 'f1',
      path: 'letters/invitation.txt',
      kind: 'file',
      effect: 'change',
      staged: true,
      before: state(640),
      after: state(655)
    },
    {
      id: 'f1.x3',
      folder: 'f1',
      path: 'old list.doc',
      kind: 'file',
      effect: 'delete',
      staged: true,
      before: state(24_000)
    },
    {
      id: 'o4',
      folder: 'f2',
      path: 'sorted/summer.png',
      from: 'IMG_2041.png',
      kind: 'file',
      effect: 'move',
      before: state(3_100),
      after: { ...state(4_200), sha256: 'b'.repeat(64) }
    },
    { id: 'e5', folder: 'f2', path: 'sorted', kind: 'dir', effect: 'create', after: state(0) }
  ],
  [huge.id]: Array.from({ length: 10_000 }, (_, i) => ({
    id: `h${i}`,
    folder: 'f1',
    path: `year ${2000 + (i % 25)}/scan ${String(i).padStart(5, '0')}.pdf`,
    kind: 'file',
    effect: /** @type {Change['effect'][]} */ (['create', 'change', 'delete'])[i % 3] ?? 'create',
    ...(i % 3 ? { before: state(80_000 + i) } : {}),
    ...(i % 3 < 2 ? { after: state(90_000 + i) } : {})
  }))
};

/** @param {'same' | 'added' | 'removed'} op @param {string} text */
const line = (op, text) => ({ op, text });

/** @param {import('../../src/lib/api/types').TableRow['op']} op @param {number} before @param {number} after @param {string[]} cells @param {Record<number, string>} [was] */
const row = (op, before, after, cells, was = {}) => ({
  op,
  ...(before ? { before } : {}),
  ...(after ? { after } : {}),
  cells: cells.map((text, i) =>
    was[i] === undefined
      ? { op: op === 'changed' ? /** @type {const} */ ('same') : op, text }
      : { op: /** @type {const} */ ('changed'), text, was: was[i] }
  )
});

/** What changes did, as the controller tells it. @param {Change} change @returns {import('../../src/lib/api/types').Comparison} */
export function comparisonOf(change) {
  /** @param {{ size: number } | undefined} s */
  const side = (s) => (s ? { size: s.size } : undefined);
  const sides = {
    ...(change.before ? { before: side(change.before) } : {}),
    ...(change.after ? { after: side(change.after) } : {})
  };
  const facts = change.from
    ? [{ code: /** @type {const} */ ('moved'), before: change.from, after: change.path }]
    : [];
  const about = { change, facts, ...sides };
  if (change.path.endsWith('.csv'))
    return {
      ...about,
      kind: 'table',
      table: {
        columns: 4,
        added: 1,
        removed: 0,
        changed: 2,
        rows: [
          row('same', 1, 1, ['Name', 'Street', 'Town', 'Fee']),
          { ...row('same', 8, 8, ['Grünberg, Änne', 'Hafenstraße 3', 'Kiel', '24']), gap: 6 },
          row('changed', 9, 9, ['Hansen, Ole', 'Am Deich 12', 'Husum', '30'], { 3: '24' }),
          row('changed', 10, 10, ['Li, Wei 李伟', 'Ringweg 7', 'Kiel', '30'], { 1: 'Ringweg 1', 3: '24' }),
          row('added', 0, 11, ['Meyer, Tom', 'Marktplatz 1', 'Flensburg', '30'])
        ]
      },
      text: { hunks: [], added: 3, removed: 2 }
    };
  if (change.path.endsWith('.txt') && change.effect === 'change')
    return {
      ...about,
      kind: 'text',
      text: {
        added: 2,
        removed: 1,
        hunks: [
          {
            before: 4,
            beforeLines: 4,
            after: 4,
            afterLines: 5,
            lines: [
              line('same', 'Dear members,'),
              line('same', ''),
              line('removed', 'we meet on Saturday, 3 May at 15:00 in the club house.'),
              line('added', 'we meet on Saturday, 10 May at 15:00 in the club house.'),
              line('added', 'Whoever brings a cake is welcome twice.'),
              line('same', 'Hidden marks are shown: \u202Egpj.exe')
            ]
          }
        ]
      }
    };
  if (change.path.endsWith('.png') || change.path.endsWith('.jpg')) {
    /** @param {{ size: number } | undefined} s */
    const picture = (s) =>
      s ? { size: s.size, type: 'image/png', width: 300, height: 200, show: true } : undefined;
    return { ...about, kind: 'image', before: picture(change.before), after: picture(change.after) };
  }
  if (change.kind === 'dir') return { change, facts, kind: 'none' };
  return { ...about, kind: change.effect === 'move' ? 'none' : 'other' };
}

/** What results hold, by their ending. @type {Record<string, string>} */
export const contents = {
  md: '# Letters by sender\n\nThe **12 letters** of this year.\n\n- Town hall: 4\n- Health insurance: 8\n\n> Nothing is open any more.\n',
  csv:
    'Sender;Subject;Date;Amount\r\n' +
    Array.from(
      { length: 40 },
      (_, i) => `"Town hall; desk ${i + 1}";Notice of charges;2026-0${1 + (i % 9)}-14;${12 + i},50`
    ).join('\r\n'),
  html: `<!doctype html><html lang="en"><head><title>Report</title><style>
    body { font-family: sans-serif; margin: 2rem; color: #222 }
    h1 { color: #1b5e8c; border-bottom: 2px solid #1b5e8c }
    td, th { border: 1px solid #bbb; padding: .3rem .8rem; text-align: left }
    tr:hover { background: red }
    .note { background: url(https://tracker.example/a.png) #fff4d6; padding: 1rem }
    </style><script>document.body.textContent = 'A script ran.'</script></head>
    <body><h1>The folder Letters</h1><p class="note">12 files, 3 MB.</p>
    <img src="https://tracker.example/b.png" alt="a picture of another place">
    <table><tr><th>Kind</th><th>Files</th></tr><tr><td>Text</td><td>12</td></tr></table>
    <p><a href="https://example.org/">More</a></p><form action="https://example.org/"><input name="x"></form></body></html>`,
  pdf:
    '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj ' +
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]>>endobj trailer<</Root 1 0 R>>'
};

/** @type {import('../../src/lib/api/types').Storage} */
export const storage = {
  freeBytes: 48_000_000_000,
  items: [
    {
      what: 'runtime',
      bytes: 1_280_000_000,
      frees: 640_000_000,
      cleanable: true,
      path: '/home/anna/.local/share/piwork/runtime'
    },
    {
      what: 'addons',
      bytes: 96_000_000,
      frees: 0,
      cleanable: false,
      path: '/home/anna/.local/share/piwork/addons'
    },
    {
      what: 'templates',
      bytes: 410_000_000,
      frees: 410_000_000,
      cleanable: true,
      path: '/home/anna/.cache/piwork/templates'
    },
    {
      what: 'downloads',
      bytes: 31_000_000,
      frees: 31_000_000,
      cleanable: true,
      path: '/home/anna/.cache/piwork/downloads'
    },
    {
      what: 'tasks',
      bytes: 58_000_000,
      frees: 0,
      cleanable: false,
      path: '/home/anna/.local/share/piwork/tasks'
    },
    {
      what: 'journals',
      bytes: 212_000_000,
      frees: 180_000_000,
      cleanable: true,
      losesUndo: true,
      path: '/home/anna/.local/share/piwork/undo'
    },
    { what: 'logs', bytes: 0, frees: 0, cleanable: true, path: '/home/anna/.local/state/piwork/logs' }
  ]
};

/** @type {import('../../src/lib/api/types').Machines} */
export const machines = {
  host: { memoryMb: 16_011, freeMb: 9_200, cpus: 8 },
  size: { memoryMb: 2048, cpus: 4 },
  totalMb: 8192,
  atOnce: 3,
  running: 2,
  queued: 1,
  instant: { state: 'ready', mode: 'template', bytes: 410_000_000 },
  share: { kind: '9p' },
  settings: { memoryMb: 0, cpus: 0, totalMb: 0, atOnce: 0, instant: true }
};

/** @type {import('../../src/lib/api/types').Licence[]} */
export const licences = [
  {
    name: 'piwork',
    version: '0.1.0',
    licence: 'MIT',
    of: 'program',
    text: 'MIT License\n\nPermission is hereby granted, free of charge, …'
  },
  { name: 'Svelte', version: '5.57.3', licence: 'MIT', of: 'window', text: 'Copyright (c) 2016 …' },
  {
    name: 'Linux',
    version: '6.12',
    licence: 'GPL-2.0-only WITH Linux-syscall-note',
    of: 'runtime',
    source: 'https://kernel.org/'
  },
  ...Array.from({ length: 60 }, (_, i) => ({
    name: `library ${i + 1}`,
    version: '1.0',
    licence: i % 3 ? 'MIT' : 'Apache-2.0',
    of: /** @type {const} */ ('program')
  }))
];

/** @type {import('../../src/lib/api/types').Diagnostics} */
export const diagnostics = {
  id: 'd1',
  files: [
    {
      name: 'about.json',
      bytes: 210,
      text: '{\n  "version": "0.1.0",\n  "os": "linux",\n  "arch": "amd64"\n}'
    },
    { name: 'checks.json', bytes: 1_420, text: '{\n  "ready": true\n}' },
    { name: 'log.txt', bytes: 38_000, text: 'the workroom opened in 820 ms' }
  ]
};

export const logText = Array.from({ length: 900 }, (_, i) =>
  i % 97 === 96
    ? `[${i}.2] WARNING: a port did not answer, trying again`
    : `[${i}.1] the guest said something about its work, number ${i}`
).join('\n');
