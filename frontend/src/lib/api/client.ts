/** What the window asks of the controller, one function each. Failures are always an [ApiFailure]. */
import createClient from 'openapi-fetch';
import { i18n } from '$lib/i18n/index.svelte';
import type { paths } from './schema.gen';
import { send } from './transport';
import type {
  AnswerRequest,
  ApplyRequest,
  CleanRequest,
  MoveRequest,
  CloseRequest,
  DiagnosticsRequest,
  FolderRequest,
  KeyRequest,
  KeyStoreChoice,
  LoginRequest,
  MachineSettings,
  ModelWord,
  NetworkRuleRequest,
  Problem,
  SaveChoreRequest,
  SayRequest,
  TaskModelRequest,
  StartRequest,
  Task,
  ToolRequest,
  UndoRequest,
  UndoSettings,
  UpdateSettings,
  WindowSettings,
  WizardAct,
  WizardStepId
} from './types';

/** A request that was not answered with what was asked for; the problem is ready to be shown. */
export class ApiFailure extends Error {
  override name = 'ApiFailure';
  constructor(readonly problem: Problem) {
    super(problem.code);
  }
}

/** The problem that a failure stands for, whatever it was. */
export function problemOf(failure: unknown): Problem {
  if (failure instanceof ApiFailure) return failure.problem;
  return own('unknown', String(failure));
}

/** For a removal: what is not there any more is removed. */
export async function gone(removal: Promise<void>): Promise<void> {
  await removal.catch((cause: unknown) => {
    if (problemOf(cause).code !== 'not-found') throw cause;
  });
}

const http = createClient<paths>({ baseUrl: location.origin, fetch: send });

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'fix' in body;
}

/** A problem of the window's own: the controller said nothing. */
function own(code: 'unreachable' | 'unknown', details: string): Problem {
  return { ...i18n.m.problem[code], code, severity: 'error', cause: '', fix: [], details };
}

/** Waits for an answer; whatever is no success is thrown. */
async function success<T>(
  request: Promise<{ data?: T; error?: unknown; response: Response }>
): Promise<T | undefined> {
  const { data, error, response } = await request.catch((cause: unknown) => {
    throw new ApiFailure(own('unreachable', String(cause)));
  });
  if (response.ok) return data;
  if (isProblem(error)) throw new ApiFailure(error);
  throw new ApiFailure(own('unknown', `${response.status} ${response.statusText} ${response.url}`));
}

/** For what is answered with no content. */
async function done(request: Promise<{ error?: unknown; response: Response }>): Promise<void> {
  await success(request);
}

async function answer<T>(
  request: Promise<{ data?: T; error?: unknown; response: Response }>
): Promise<NonNullable<T>> {
  const data = await success(request);
  if (data === undefined || data === null) throw new ApiFailure(own('unknown', 'an answer without content'));
  return data;
}

const at = <P>(path: P) => ({ params: { path } });
const task = (id: string) => at({ id });

export const api = {
  /** The last report on this computer; the first one takes as long as opening the workroom. */
  status: () => answer(http.GET('/api/status')),
  check: () => answer(http.POST('/api/status/check')),
  slowMode: (on: boolean) => answer(http.POST('/api/settings/slow-mode', { body: { on } })),
  mend: (fix: string) => answer(http.POST('/api/status/mend', { body: { fix } })),
  /** How far the person is on the way to the first chore; no check runs for it. */
  wizard: () => answer(http.GET('/api/wizard')),
  actWizard: (step: WizardStepId, act: WizardAct) =>
    answer(http.POST('/api/wizard/{step}', { ...at({ step }), body: { act } })),
  /** A folder with pictures to try a chore on, fresh each time. */
  samples: (language: 'en' | 'de') => answer(http.POST('/api/samples', { body: { language } })),
  /** Which folders a task would get for what was dropped: files by the folder that they lie in. */
  dropped: (paths: string[]) => answer(http.POST('/api/dropped', { body: { paths } })),
  /** What the person chose that an AI may do with folders. */
  folderChoices: () => answer(http.GET('/api/folders')),
  saved: () => answer(http.GET('/api/saved')),
  saveChore: (body: SaveChoreRequest) => answer(http.POST('/api/saved', { body })),
  removeSaved: (id: string) => done(http.DELETE('/api/saved/{id}', at({ id }))),

  installPack: (file: string) => answer(http.POST('/api/packs/install', { body: { file } })),

  packs: () => answer(http.GET('/api/packs')),
  rollback: () => answer(http.POST('/api/packs/rollback')),
  /** From a file, or, with an empty one, from a bundle beside the program or the channel. */
  repair: (file: string) => answer(http.POST('/api/packs/repair', { body: { file } })),
  removePack: (version: string) => done(http.DELETE('/api/packs/{version}', at({ version }))),

  update: () => answer(http.GET('/api/update')),
  checkUpdate: () => answer(http.POST('/api/update/check')),
  /** Begins, or goes on after a pause; what follows are events. */
  startUpdate: () => answer(http.POST('/api/update/start', { body: {} })),
  pauseUpdate: () => answer(http.POST('/api/update/pause')),
  setUpdates: (body: UpdateSettings) => answer(http.POST('/api/settings/updates', { body })),

  addOns: () => answer(http.GET('/api/addons')),
  installAddOn: (name: string) => answer(http.POST('/api/addons/{name}', at({ name }))),
  removeAddOn: (name: string) => done(http.DELETE('/api/addons/{name}', at({ name }))),

  chores: () => answer(http.GET('/api/chores')),
  /** The operations on files, with the schema of what each can be told. */
  tools: () => answer(http.GET('/api/tools')),
  /** Begins one. Each has a route of its own: the form is made of the schema that the controller checks it with. */
  runTool: (name: string, body: ToolRequest) =>
    answer(
      http.POST(`/api/tools/${name}` as '/api/tools/image.convert', {
        params: { header: { Prefer: 'respond-async' } },
        body: body as never
      }) as Promise<{ data?: unknown; error?: unknown; response: Response }>
    ) as Promise<Task>,
  tasks: () => answer(http.GET('/api/tasks')),
  task: (id: string) => answer(http.GET('/api/tasks/{id}', task(id))),
  start: (body: StartRequest) => answer(http.POST('/api/tasks', { body })),
  accept: (id: string) => answer(http.POST('/api/tasks/{id}/accept', task(id))),
  /** Decides what a task asks in the middle of its work. */
  answer: (id: string, question: string, body: AnswerRequest) =>
    answer(http.POST('/api/tasks/{id}/questions/{question}', { ...at({ id, question }), body })),
  cancel: (id: string) => answer(http.POST('/api/tasks/{id}/cancel', task(id))),
  plan: (id: string) => answer(http.GET('/api/tasks/{id}/plan', task(id))),
  timeline: (id: string) => answer(http.GET('/api/tasks/{id}/timeline', task(id))),
  changes: (id: string) => answer(http.GET('/api/tasks/{id}/changes', task(id))),
  /** What one change did to a file, bounded. */
  compare: (id: string, change: string) =>
    answer(http.GET('/api/tasks/{id}/changes/{change}', at({ id, change }))),
  /** The bytes of a file before or after a change. */
  content: (id: string, change: string, side: 'before' | 'after') =>
    answer(
      http.GET('/api/tasks/{id}/changes/{change}/{side}', {
        params: { path: { id, change, side } },
        parseAs: 'blob'
      })
    ),
  /** Goes on with a task that did not get to its end; it does not need this window. */
  resume: (id: string) =>
    answer(http.POST('/api/tasks/{id}/resume', { params: { path: { id }, query: { detached: true } } })),
  undo: (id: string, body: UndoRequest) => answer(http.POST('/api/tasks/{id}/undo', { ...task(id), body })),
  redo: (id: string, ids: string[]) =>
    answer(http.POST('/api/tasks/{id}/redo', { ...task(id), body: { ids } })),
  /** Decides about changes that wait in front of a folder. */
  apply: (id: string, body: ApplyRequest) =>
    answer(http.POST('/api/tasks/{id}/apply', { ...task(id), body })),
  undoSpace: (id: string) => answer(http.GET('/api/tasks/{id}/undo', task(id))),
  forgetUndo: (id: string) => answer(http.DELETE('/api/tasks/{id}/undo', task(id))),
  undoKeeping: () => answer(http.GET('/api/settings/undo')),
  keepUndo: (body: UndoSettings) => answer(http.POST('/api/settings/undo', { body })),
  /** What was decided for longer than once. */
  rules: () => answer(http.GET('/api/rules')),
  removeRule: (rule: string) => done(http.DELETE('/api/rules/{rule}', at({ rule }))),
  /** The bytes of a result, for a browser to show or keep. */
  result: (id: string, index: number) =>
    answer(http.GET('/api/tasks/{id}/results/{index}', { ...at({ id, index }), parseAs: 'blob' })),
  /** The beginning of a result, for a look at it; bytes that there are no more are not missed. */
  resultStart: (id: string, index: number, bytes: number) =>
    answer(
      http.GET('/api/tasks/{id}/results/{index}', {
        params: { path: { id, index } },
        headers: { Range: `bytes=0-${bytes - 1}` },
        parseAs: 'blob'
      })
    ),
  remove: (id: string) => done(http.DELETE('/api/tasks/{id}', task(id))),
  /** Tasks with these words in what was asked, their titles, folders or results. */
  findTasks: (q: string) => answer(http.GET('/api/tasks', { params: { query: { q } } })),
  rename: (id: string, title: string) =>
    answer(http.PATCH('/api/tasks/{id}', { ...task(id), body: { title } })),
  /** A new task that asks for the same. */
  again: (id: string) =>
    answer(http.POST('/api/tasks/{id}/again', { ...task(id), body: { detached: true } })),
  /** Lets a task that runs have another folder; without a mode as the controller has it for this kind of task. */
  addFolder: (id: string, body: FolderRequest) =>
    answer(http.POST('/api/tasks/{id}/folders', { ...task(id), body })),
  removeFolder: (id: string, folder: string) =>
    answer(http.DELETE('/api/tasks/{id}/folders/{folder}', at({ id, folder }))),
  /** Everything that is known of a task, as one file. */
  exported: (id: string) => answer(http.GET('/api/tasks/{id}/export', { ...task(id), parseAs: 'blob' })),

  /** Tells an AI task something; one that is over goes on with it. */
  say: (id: string, body: SayRequest) => answer(http.POST('/api/tasks/{id}/messages', { ...task(id), body })),
  /** Takes back a message that an AI task has not heard yet. */
  takeBack: (id: string, message: string) =>
    answer(http.DELETE('/api/tasks/{id}/messages/{message}', at({ id, message }))),
  /** Another model for an AI task, or another time to think; also while it works. */
  tune: (id: string, body: TaskModelRequest) =>
    answer(http.PUT('/api/tasks/{id}/model', { ...task(id), body })),
  /** Has a summary take the place of the older messages of a task that is over. */
  compact: (id: string) =>
    answer(http.POST('/api/tasks/{id}/compact', { params: { path: { id }, query: { detached: true } } })),
  /** Ends what an AI task does at the moment; it can be told something else afterwards. */
  interrupt: (id: string) => answer(http.POST('/api/tasks/{id}/interrupt', task(id))),
  /** One event of the agent, untouched. */
  agentLine: (id: string, line: number) => answer(http.GET('/api/tasks/{id}/agent/{line}', at({ id, line }))),

  models: () => answer(http.GET('/api/models')),
  sayOfModel: (word: ModelWord) => answer(http.PUT('/api/models/said', { body: word })),
  setModel: (model: string) => answer(http.PUT('/api/models/default', { body: { model } })),
  keys: () => answer(http.GET('/api/keys')),
  setKey: (provider: string, body: KeyRequest) =>
    answer(http.PUT('/api/keys/{provider}', { ...at({ provider }), body })),
  removeKey: (provider: string) => done(http.DELETE('/api/keys/{provider}', at({ provider }))),
  testKey: (provider: string) => answer(http.POST('/api/keys/{provider}/test', at({ provider }))),

  beginLogin: (provider: string, body: LoginRequest = {}) =>
    answer(http.POST('/api/keys/{provider}/login', { ...at({ provider }), body })),
  login: (id: string) => answer(http.GET('/api/logins/{id}', task(id))),
  loginCode: (id: string, code: string) =>
    answer(http.POST('/api/logins/{id}', { ...task(id), body: { code } })),
  endLogin: (id: string) => done(http.DELETE('/api/logins/{id}', task(id))),
  keyStore: () => answer(http.GET('/api/settings/keys')),
  setKeyStore: (body: KeyStoreChoice) => answer(http.PUT('/api/settings/keys', { body })),
  unlockKeys: (passphrase: string) =>
    answer(http.POST('/api/settings/keys/unlock', { body: { passphrase } })),
  changePassphrase: (passphrase: string, next: string) =>
    answer(http.POST('/api/settings/keys/passphrase', { body: { passphrase, new: next } })),
  setPreset: (name: string, on: boolean) =>
    answer(http.PUT('/api/network/presets/{name}', { ...at({ name }), body: { on } })),

  networkRules: () => answer(http.GET('/api/network/rules')),
  addNetworkRule: (body: NetworkRuleRequest) => answer(http.POST('/api/network/rules', { body })),

  /** Native acts; in a browser they fail with the code `no-window`. An empty path means that nothing was chosen. */
  pickFolder: async (title: string) =>
    (await answer(http.POST('/api/native/pick-folder', { body: { title } }))).path,
  pickFile: async (title: string, patterns: string[]) =>
    (await answer(http.POST('/api/native/pick-file', { body: { title, patterns } }))).path,
  pickFiles: async (title: string, patterns: string[]) =>
    (await answer(http.POST('/api/native/pick-files', { body: { title, patterns } }))).paths,
  open: async (id: string, index: number, reveal = false) =>
    (await answer(http.POST('/api/native/open', { body: { task: id, index, reveal } }))).how,
  /** Lets the person choose where to save a file; nothing is written. */
  pickSave: async (title: string, name: string) =>
    (await answer(http.POST('/api/native/save-as', { body: { title, name } }))).path,
  /** Lets the person choose where to save it, and has the controller write there what it answers at `from`. */
  saveFrom: async (title: string, name: string, from: string) =>
    (await answer(http.POST('/api/native/save-as', { body: { title, name, from } }))).path,
  /** Has the system show a message; a click on it shows the task. */
  notify: (title: string, body: string, task: string) =>
    done(http.POST('/api/native/notify', { body: { title, body, ...(task ? { task } : {}) } })),

  /** Whether this window is the first that would tell of an event. */
  claimNotice: async (event: number) => (await answer(http.POST('/api/notices', { body: { event } }))).first,
  /** Another window, on a task or on home. */
  newWindow: (task: string) => done(http.POST('/api/window/new', { body: task ? { task } : {} })),
  /** The page listens: what was it asked to open before? */
  windowReady: () => answer(http.POST('/api/window/ready')),
  closeWindow: (body: CloseRequest) => done(http.POST('/api/window/close', { body })),
  windowSettings: () => answer(http.GET('/api/settings/window')),
  setWindow: (body: WindowSettings) => answer(http.PUT('/api/settings/window', { body })),

  machines: () => answer(http.GET('/api/machines')),
  setMachines: (body: MachineSettings) => answer(http.POST('/api/settings/machines', { body })),
  storage: () => answer(http.GET('/api/storage')),
  clean: (body: CleanRequest) => answer(http.POST('/api/storage/clean', { body })),
  storageMove: () => answer(http.GET('/api/storage/move')),
  moveStorage: (body: MoveRequest) => answer(http.POST('/api/storage/move', { body })),
  cancelMove: () => answer(http.DELETE('/api/storage/move')),

  health: () => answer(http.GET('/api/health')),
  licences: async () => (await answer(http.GET('/api/licences'))).items,
  diagnostics: () => answer(http.GET('/api/diagnostics')),
  /** Writes what was shown, byte for byte. */
  saveDiagnostics: (body: DiagnosticsRequest) => answer(http.POST('/api/diagnostics', { body })),
  logs: async () => (await answer(http.GET('/api/logs'))).logs,
  /** The end of a log, with what may not be trusted in it. */
  log: (name: string, tail: number) =>
    answer(http.GET('/api/logs/{name}', { params: { path: { name }, query: { tail } }, parseAs: 'text' }))
};
