/** What the window asks of the controller, one function each. Failures are always an [ApiFailure]. */
import createClient from 'openapi-fetch';
import type { paths } from './schema.gen';
import { send } from './transport';
import type {
  AddOnInfo,
  AnswerRequest,
  ApiEvent,
  ApplyReport,
  ApplyRequest,
  AuditReport,
  Change,
  ChoreInfo,
  Cleaned,
  CleanRequest,
  MoveRequest,
  CloseRequest,
  Comparison,
  Decision,
  Diagnostics,
  DiagnosticsFile,
  DiagnosticsRequest,
  DroppedFolder,
  FolderChoice,
  FolderRequest,
  Health,
  KeyInfo,
  KeyRequest,
  KeyStore,
  KeyStoreChoice,
  KeyTest,
  Licence,
  LogInfo,
  Login,
  LoginRequest,
  LoginState,
  Machines,
  MachineSettings,
  Mended,
  Models,
  ModelWord,
  NetworkPreset,
  NetworkRuleRequest,
  NetworkRules,
  PackInfo,
  Plan,
  Problem,
  RedoReport,
  Report,
  Rule,
  SamplesFolder,
  SaveChoreRequest,
  SavedChore,
  SayRequest,
  TaskModelRequest,
  StartRequest,
  Storage,
  StorageMove,
  Task,
  ToolInfo,
  ToolRequest,
  UndoKeeping,
  UndoReport,
  UndoRequest,
  UndoSettings,
  UndoSpace,
  UpdateSettings,
  UpdateState,
  WindowSettings,
  WindowState,
  Wizard,
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
  return { code: 'unknown', severity: 'error', cause: '', fix: [], details: String(failure) };
}

const http = createClient<paths>({ baseUrl: location.origin, fetch: send });

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'fix' in body;
}

function failure(code: 'unreachable' | 'unknown', details: string): ApiFailure {
  return new ApiFailure({ code, severity: 'error', cause: '', fix: [], details });
}

/** Waits for an answer; whatever is no success is thrown. */
async function success<T>(
  request: Promise<{ data?: T; error?: unknown; response: Response }>
): Promise<T | undefined> {
  const { data, error, response } = await request.catch((cause: unknown) => {
    throw failure('unreachable', String(cause));
  });
  if (response.ok) return data;
  if (isProblem(error)) throw new ApiFailure(error);
  throw failure('unknown', `${response.status} ${response.statusText} ${response.url}`);
}

async function answer<T>(
  request: Promise<{ data?: T; error?: unknown; response: Response }>
): Promise<NonNullable<T>> {
  const data = await success(request);
  if (data === undefined || data === null) throw failure('unknown', 'an answer without content');
  return data;
}

const task = (id: string) => ({ params: { path: { id } } });

export const api = {
  /** The last report on this computer; the first one takes as long as opening the workroom. */
  status: (): Promise<Report> => answer(http.GET('/api/status')),
  check: (): Promise<Report> => answer(http.POST('/api/status/check')),
  slowMode: (on: boolean): Promise<Report> => answer(http.POST('/api/settings/slow-mode', { body: { on } })),
  /** How far the way to the first chore is; nothing is looked at for it. */
  mend: (fix: string): Promise<Mended> => answer(http.POST('/api/status/mend', { body: { fix } })),
  wizard: (): Promise<Wizard> => answer(http.GET('/api/wizard')),
  actWizard: (step: WizardStepId, act: WizardAct): Promise<Wizard> =>
    answer(http.POST('/api/wizard/{step}', { params: { path: { step } }, body: { act } })),
  /** A folder with pictures to try a chore on, fresh each time. */
  samples: (language: 'en' | 'de'): Promise<SamplesFolder> =>
    answer(http.POST('/api/samples', { body: { language } })),
  /** Which folders a task would get for what was dropped: files by the folder that they lie in. */
  dropped: (paths: string[]): Promise<DroppedFolder[]> =>
    answer(http.POST('/api/dropped', { body: { paths } })),
  /** What the person chose that an AI may do with folders. */
  folderChoices: (): Promise<FolderChoice[]> => answer(http.GET('/api/folders')),
  saved: (): Promise<SavedChore[]> => answer(http.GET('/api/saved')),
  saveChore: (body: SaveChoreRequest): Promise<SavedChore> => answer(http.POST('/api/saved', { body })),
  removeSaved: async (id: string): Promise<void> =>
    void (await success(http.DELETE('/api/saved/{id}', { params: { path: { id } } }))),

  installPack: (file: string): Promise<PackInfo> =>
    answer(http.POST('/api/packs/install', { body: { file } })),

  packs: (): Promise<PackInfo[]> => answer(http.GET('/api/packs')),
  rollback: (): Promise<PackInfo> => answer(http.POST('/api/packs/rollback')),
  /** From a file, or, with an empty one, from a bundle beside the program or the channel. */
  repair: (file: string): Promise<PackInfo> => answer(http.POST('/api/packs/repair', { body: { file } })),
  removePack: async (version: string): Promise<void> =>
    void (await success(http.DELETE('/api/packs/{version}', { params: { path: { version } } }))),

  update: (): Promise<UpdateState> => answer(http.GET('/api/update')),
  checkUpdate: (): Promise<UpdateState> => answer(http.POST('/api/update/check')),
  /** Begins, or goes on after a pause; what follows are events. */
  startUpdate: (): Promise<UpdateState> => answer(http.POST('/api/update/start', { body: {} })),
  pauseUpdate: (): Promise<UpdateState> => answer(http.POST('/api/update/pause')),
  setUpdates: (body: UpdateSettings): Promise<UpdateState> =>
    answer(http.POST('/api/settings/updates', { body })),

  addOns: (): Promise<AddOnInfo[]> => answer(http.GET('/api/addons')),
  installAddOn: (name: string): Promise<UpdateState> =>
    answer(http.POST('/api/addons/{name}', { params: { path: { name } } })),
  removeAddOn: async (name: string): Promise<void> =>
    void (await success(http.DELETE('/api/addons/{name}', { params: { path: { name } } }))),

  chores: (): Promise<ChoreInfo[]> => answer(http.GET('/api/chores')),
  /** The operations on files, with the schema of what each can be told. */
  tools: (): Promise<ToolInfo[]> => answer(http.GET('/api/tools')),
  /** Begins one. Each has a route of its own: the form is made of the schema that the controller checks it with. */
  runTool: (name: string, body: ToolRequest): Promise<Task> =>
    answer(
      http.POST(`/api/tools/${name}` as '/api/tools/image.convert', {
        params: { header: { Prefer: 'respond-async' } },
        body: body as never
      }) as Promise<{ data?: unknown; error?: unknown; response: Response }>
    ) as Promise<Task>,
  tasks: (): Promise<Task[]> => answer(http.GET('/api/tasks')),
  task: (id: string): Promise<Task> => answer(http.GET('/api/tasks/{id}', task(id))),
  start: (body: StartRequest): Promise<Task> => answer(http.POST('/api/tasks', { body })),
  accept: (id: string): Promise<Task> => answer(http.POST('/api/tasks/{id}/accept', task(id))),
  /** Decides what a task asks in the middle of its work. */
  answer: (id: string, question: string, body: AnswerRequest): Promise<Decision> =>
    answer(http.POST('/api/tasks/{id}/questions/{question}', { params: { path: { id, question } }, body })),
  cancel: (id: string): Promise<Task> => answer(http.POST('/api/tasks/{id}/cancel', task(id))),
  plan: (id: string): Promise<Plan> => answer(http.GET('/api/tasks/{id}/plan', task(id))),
  timeline: (id: string): Promise<ApiEvent[]> => answer(http.GET('/api/tasks/{id}/timeline', task(id))),
  changes: (id: string): Promise<Change[]> => answer(http.GET('/api/tasks/{id}/changes', task(id))),
  /** What one change did to a file, bounded. */
  compare: (id: string, change: string): Promise<Comparison> =>
    answer(http.GET('/api/tasks/{id}/changes/{change}', { params: { path: { id, change } } })),
  /** The bytes of a file before or after a change. */
  content: (id: string, change: string, side: 'before' | 'after'): Promise<Blob> =>
    answer(
      http.GET('/api/tasks/{id}/changes/{change}/{side}', {
        params: { path: { id, change, side } },
        parseAs: 'blob'
      })
    ),
  /** Goes on with a task that did not get to its end; it does not need this window. */
  resume: (id: string): Promise<Task> =>
    answer(http.POST('/api/tasks/{id}/resume', { params: { path: { id }, query: { detached: true } } })),
  undo: (id: string, body: UndoRequest): Promise<UndoReport> =>
    answer(http.POST('/api/tasks/{id}/undo', { ...task(id), body })),
  redo: (id: string, ids: string[]): Promise<RedoReport> =>
    answer(http.POST('/api/tasks/{id}/redo', { ...task(id), body: { ids } })),
  /** Decides about changes that wait in front of a folder. */
  apply: (id: string, body: ApplyRequest): Promise<ApplyReport> =>
    answer(http.POST('/api/tasks/{id}/apply', { ...task(id), body })),
  undoSpace: (id: string): Promise<UndoSpace> => answer(http.GET('/api/tasks/{id}/undo', task(id))),
  forgetUndo: (id: string): Promise<UndoSpace> => answer(http.DELETE('/api/tasks/{id}/undo', task(id))),
  undoKeeping: (): Promise<UndoKeeping> => answer(http.GET('/api/settings/undo')),
  keepUndo: (body: UndoSettings): Promise<UndoKeeping> => answer(http.POST('/api/settings/undo', { body })),
  /** What was decided for longer than once. */
  rules: (): Promise<Rule[]> => answer(http.GET('/api/rules')),
  removeRule: async (rule: string): Promise<void> =>
    void (await success(http.DELETE('/api/rules/{rule}', { params: { path: { rule } } }))),
  /** The bytes of a result, for a browser to show or keep. */
  result: (id: string, index: number): Promise<Blob> =>
    answer(http.GET('/api/tasks/{id}/results/{index}', { params: { path: { id, index } }, parseAs: 'blob' })),
  /** The beginning of a result, for a look at it; bytes that there are no more are not missed. */
  resultStart: (id: string, index: number, bytes: number): Promise<Blob> =>
    answer(
      http.GET('/api/tasks/{id}/results/{index}', {
        params: { path: { id, index } },
        headers: { Range: `bytes=0-${bytes - 1}` },
        parseAs: 'blob'
      })
    ),
  remove: async (id: string): Promise<void> => void (await success(http.DELETE('/api/tasks/{id}', task(id)))),
  /** Tasks with these words in what was asked, their titles, folders or results. */
  findTasks: (q: string): Promise<Task[]> => answer(http.GET('/api/tasks', { params: { query: { q } } })),
  rename: (id: string, title: string): Promise<Task> =>
    answer(http.PATCH('/api/tasks/{id}', { ...task(id), body: { title } })),
  /** A new task that asks for the same. */
  again: (id: string): Promise<Task> =>
    answer(http.POST('/api/tasks/{id}/again', { ...task(id), body: { detached: true } })),
  /** Lets a task that runs have another folder; without a mode as the controller has it for this kind of task. */
  addFolder: (id: string, body: FolderRequest): Promise<Task> =>
    answer(http.POST('/api/tasks/{id}/folders', { ...task(id), body })),
  removeFolder: (id: string, folder: string): Promise<Task> =>
    answer(http.DELETE('/api/tasks/{id}/folders/{folder}', { params: { path: { id, folder } } })),
  /** Everything that is known of a task, as one file. */
  exported: (id: string): Promise<Blob> =>
    answer(http.GET('/api/tasks/{id}/export', { ...task(id), parseAs: 'blob' })),

  /** Tells an AI task something; one that is over goes on with it. */
  say: (id: string, body: SayRequest): Promise<Task> =>
    answer(http.POST('/api/tasks/{id}/messages', { ...task(id), body })),
  /** Takes back a message that an AI task has not heard yet. */
  takeBack: (id: string, message: string): Promise<Task> =>
    answer(http.DELETE('/api/tasks/{id}/messages/{message}', { params: { path: { id, message } } })),
  /** Another model for an AI task, or another time to think; also while it works. */
  tune: (id: string, body: TaskModelRequest): Promise<Task> =>
    answer(http.PUT('/api/tasks/{id}/model', { ...task(id), body })),
  /** Has a summary take the place of the older messages of a task that is over. */
  compact: (id: string): Promise<Task> =>
    answer(http.POST('/api/tasks/{id}/compact', { params: { path: { id }, query: { detached: true } } })),
  /** Ends what an AI task does at the moment; it can be told something else afterwards. */
  interrupt: (id: string): Promise<Task> => answer(http.POST('/api/tasks/{id}/interrupt', task(id))),
  /** One event of the agent, untouched. */
  agentLine: (id: string, line: number): Promise<unknown> =>
    answer(http.GET('/api/tasks/{id}/agent/{line}', { params: { path: { id, line } } })),

  models: (): Promise<Models> => answer(http.GET('/api/models')),
  sayOfModel: (word: ModelWord): Promise<Models> => answer(http.PUT('/api/models/said', { body: word })),
  setModel: (model: string): Promise<Models> => answer(http.PUT('/api/models/default', { body: { model } })),
  keys: (): Promise<KeyInfo[]> => answer(http.GET('/api/keys')),
  setKey: (provider: string, body: KeyRequest): Promise<KeyInfo> =>
    answer(http.PUT('/api/keys/{provider}', { params: { path: { provider } }, body })),
  removeKey: async (provider: string): Promise<void> =>
    void (await success(http.DELETE('/api/keys/{provider}', { params: { path: { provider } } }))),
  testKey: (provider: string): Promise<KeyTest> =>
    answer(http.POST('/api/keys/{provider}/test', { params: { path: { provider } } })),

  beginLogin: (provider: string, body: LoginRequest = {}): Promise<Login> =>
    answer(http.POST('/api/keys/{provider}/login', { params: { path: { provider } }, body })),
  login: (id: string): Promise<LoginState> => answer(http.GET('/api/logins/{id}', task(id))),
  loginCode: (id: string, code: string): Promise<LoginState> =>
    answer(http.POST('/api/logins/{id}', { ...task(id), body: { code } })),
  endLogin: async (id: string): Promise<void> =>
    void (await success(http.DELETE('/api/logins/{id}', task(id)))),
  keyStore: (): Promise<KeyStore> => answer(http.GET('/api/settings/keys')),
  setKeyStore: (body: KeyStoreChoice): Promise<KeyStore> => answer(http.PUT('/api/settings/keys', { body })),
  unlockKeys: (passphrase: string): Promise<KeyStore> =>
    answer(http.POST('/api/settings/keys/unlock', { body: { passphrase } })),
  changePassphrase: (passphrase: string, next: string): Promise<KeyStore> =>
    answer(http.POST('/api/settings/keys/passphrase', { body: { passphrase, new: next } })),
  setPreset: (name: string, on: boolean): Promise<NetworkPreset> =>
    answer(http.PUT('/api/network/presets/{name}', { params: { path: { name } }, body: { on } })),

  networkRules: (): Promise<NetworkRules> => answer(http.GET('/api/network/rules')),
  addNetworkRule: (body: NetworkRuleRequest): Promise<Rule> =>
    answer(http.POST('/api/network/rules', { body })),

  /** Native acts; in a browser they fail with the code `no-window`. An empty path means that nothing was chosen. */
  async pickFolder(title: string): Promise<string> {
    return (await answer(http.POST('/api/native/pick-folder', { body: { title } }))).path;
  },
  async pickFile(title: string, patterns: string[]): Promise<string> {
    return (await answer(http.POST('/api/native/pick-file', { body: { title, patterns } }))).path;
  },
  async pickFiles(title: string, patterns: string[]): Promise<string[]> {
    return (await answer(http.POST('/api/native/pick-files', { body: { title, patterns } }))).paths;
  },
  async open(id: string, index: number, reveal = false): Promise<'opened' | 'revealed'> {
    return (await answer(http.POST('/api/native/open', { body: { task: id, index, reveal } }))).how;
  },
  /** Lets the person choose where to save a file; nothing is written. */
  async pickSave(title: string, name: string): Promise<string> {
    return (await answer(http.POST('/api/native/save-as', { body: { title, name } }))).path;
  },
  /** Lets the person choose where to save it, and has the controller write there what it answers at `from`. */
  async saveFrom(title: string, name: string, from: string): Promise<string> {
    return (await answer(http.POST('/api/native/save-as', { body: { title, name, from } }))).path;
  },
  /** Has the system show a message; a click on it shows the task. */
  notify: async (title: string, body: string, task: string): Promise<void> =>
    void (await success(
      http.POST('/api/native/notify', { body: { title, body, ...(task ? { task } : {}) } })
    )),

  /** Whether this window is the first that would tell of an event. */
  claimNotice: async (event: number): Promise<boolean> =>
    (await answer(http.POST('/api/notices', { body: { event } }))).first,
  /** Another window, on a task or on home. */
  newWindow: async (task: string): Promise<void> =>
    void (await success(http.POST('/api/window/new', { body: task ? { task } : {} }))),
  /** The page listens: what was it asked to open before? */
  windowReady: (): Promise<WindowState> => answer(http.POST('/api/window/ready')),
  closeWindow: async (body: CloseRequest): Promise<void> =>
    void (await success(http.POST('/api/window/close', { body }))),
  windowSettings: (): Promise<WindowSettings> => answer(http.GET('/api/settings/window')),
  setWindow: (body: WindowSettings): Promise<WindowSettings> =>
    answer(http.PUT('/api/settings/window', { body })),

  machines: (): Promise<Machines> => answer(http.GET('/api/machines')),
  setMachines: (body: MachineSettings): Promise<Machines> =>
    answer(http.POST('/api/settings/machines', { body })),
  storage: (): Promise<Storage> => answer(http.GET('/api/storage')),
  clean: (body: CleanRequest): Promise<Cleaned> => answer(http.POST('/api/storage/clean', { body })),
  storageMove: (): Promise<StorageMove> => answer(http.GET('/api/storage/move')),
  moveStorage: (body: MoveRequest): Promise<StorageMove> => answer(http.POST('/api/storage/move', { body })),
  cancelMove: (): Promise<StorageMove> => answer(http.DELETE('/api/storage/move')),

  health: (): Promise<Health> => answer(http.GET('/api/health')),
  verifyAudit: (): Promise<AuditReport> => answer(http.GET('/api/audit/verify')),
  licences: async (): Promise<Licence[]> => (await answer(http.GET('/api/licences'))).items,
  diagnostics: (): Promise<Diagnostics> => answer(http.GET('/api/diagnostics')),
  /** Writes what was shown, byte for byte. */
  saveDiagnostics: (body: DiagnosticsRequest): Promise<DiagnosticsFile> =>
    answer(http.POST('/api/diagnostics', { body })),
  logs: async (): Promise<LogInfo[]> => (await answer(http.GET('/api/logs'))).logs,
  /** The end of a log, with what may not be trusted in it. */
  log: (name: string, tail: number): Promise<string> =>
    answer(http.GET('/api/logs/{name}', { params: { path: { name }, query: { tail } }, parseAs: 'text' }))
};
