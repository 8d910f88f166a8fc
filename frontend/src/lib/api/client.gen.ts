// Made by `npm run types` from app/api/openapi.yaml. Do not edit.

import { answer, done, http } from './request';
import type * as Schemas from './schema.gen';
import type { operations } from './schema.gen';

type Path<K extends keyof operations> = NonNullable<operations[K]['parameters']['path']>;
type Query<K extends keyof operations> = NonNullable<operations[K]['parameters']['query']>;

/** Add-ons that are installed or on offer */
export const listAddOns = () => answer(http.GET('/v1/addons'));
/** Delete an add-on */
export const removeAddOn = (name: Path<'removeAddOn'>['name']) => done(http.DELETE('/v1/addons/{name}', { params: { path: { name } } }));
/** Get an add-on from the channel */
export const installAddOn = (name: Path<'installAddOn'>['name']) => answer(http.POST('/v1/addons/{name}', { params: { path: { name } } }));
/** What was executed and decided, and what left this computer; the latest first */
export const listAudit = (query: Query<'listAudit'> = {}) => answer(http.GET('/v1/audit', { params: { query } }));
/** The audit log as a file that can be verified elsewhere */
export const exportAudit = (headers: Record<string, string> = {}) => answer(http.GET('/v1/audit/export', { headers, parseAs: 'blob' }));
/** Does the chain of the audit log hold? */
export const verifyAudit = () => answer(http.GET('/v1/audit/verify'));
/** Which projects have a cache, and how large is it? */
export const listCaches = () => answer(http.GET('/v1/caches'));
/** Empty the cache of a project */
export const emptyCache = (id: Path<'emptyCache'>['id']) => done(http.DELETE('/v1/caches/{id}', { params: { path: { id } } }));
/** Take what the last task changed out of the cache of a project */
export const backCache = (id: Path<'backCache'>['id']) => done(http.POST('/v1/caches/{id}/back', { params: { path: { id } } }));
/** Ready-made chores */
export const listChores = () => answer(http.GET('/v1/chores'));
/** What a report for a fault would hold, without secrets and names of files */
export const getDiagnostics = () => answer(http.GET('/v1/diagnostics'));
/** Write what was shown, byte for byte, into a zip file */
export const writeDiagnostics = (body: Schemas.DiagnosticsRequest) => answer(http.POST('/v1/diagnostics', { body }));
/** Which folders would a task get for what was dropped on the window? */
export const lookAtDropped = (body: Schemas.DroppedRequest) => answer(http.POST('/v1/dropped', { body }));
/** What may an AI do with which folders? */
export const listFolderChoices = () => answer(http.GET('/v1/folders'));
/** How does everything stand? */
export const getHealthPage = () => answer(http.GET('/v1/health'));
/** Providers of models, and whether there is a key */
export const listKeys = () => answer(http.GET('/v1/keys'));
/** Forget a key */
export const removeKey = (provider: Path<'removeKey'>['provider']) => done(http.DELETE('/v1/keys/{provider}', { params: { path: { provider } } }));
/** Keep a key in the keychain of this computer */
export const setKey = (provider: Path<'setKey'>['provider'], body: Schemas.KeyRequest) => answer(http.PUT('/v1/keys/{provider}', { params: { path: { provider } }, body }));
/** Begin to sign in to a provider */
export const beginLogin = (provider: Path<'beginLogin'>['provider'], body: Schemas.LoginRequest = {}) => answer(http.POST('/v1/keys/{provider}/login', { params: { path: { provider } }, body }));
/** Ask the provider whether it takes the key */
export const testKey = (provider: Path<'testKey'>['provider']) => answer(http.POST('/v1/keys/{provider}/test', { params: { path: { provider } } }));
/** What the program and its runtime are made of */
export const listLicences = () => answer(http.GET('/v1/licences'));
/** End a login */
export const cancelLogin = (id: Path<'cancelLogin'>['id']) => done(http.DELETE('/v1/logins/{id}', { params: { path: { id } } }));
/** How a login stands */
export const getLogin = (id: Path<'getLogin'>['id']) => answer(http.GET('/v1/logins/{id}', { params: { path: { id } } }));
/** Give a login the code that the page showed */
export const finishLogin = (id: Path<'finishLogin'>['id'], body: Schemas.LoginCode) => answer(http.POST('/v1/logins/{id}', { params: { path: { id } }, body }));
/** The logs of machines, the newest first */
export const listLogs = () => answer(http.GET('/v1/logs'));
/** The end of a log */
export const getLog = (name: Path<'getLog'>['name'], query: Query<'getLog'> = {}) => answer(http.GET('/v1/logs/{name}', { params: { path: { name }, query }, parseAs: 'text' }));
/** How is this computer shared out among the machines of tasks? */
export const getMachines = () => answer(http.GET('/v1/machines'));
/** Make ready, now, what lets machines be there at once */
export const prepareMachines = () => answer(http.POST('/v1/machines/prepare'));
/** What can do an AI task */
export const listModels = () => answer(http.GET('/v1/models'));
/** Which model is taken when none is named */
export const setModel = (body: Schemas.ModelChoice) => answer(http.PUT('/v1/models/default', { body }));
/** Say what a model of a service of one's own can do */
export const sayOfModel = (body: Schemas.ModelWord) => answer(http.PUT('/v1/models/said', { body }));
/** Have the system show a message */
export const notify = (body: Schemas.Notice) => answer(http.POST('/v1/native/notify', { body }));
/** Show a result in the person's own program */
export const openResult = (body: Schemas.OpenRequest) => answer(http.POST('/v1/native/open', { body }));
/** Let the person choose a file */
export const pickFile = (body: Schemas.PickRequest = {}) => answer(http.POST('/v1/native/pick-file', { body }));
/** Let the person choose files */
export const pickFiles = (body: Schemas.PickRequest = {}) => answer(http.POST('/v1/native/pick-files', { body }));
/** Let the person choose a folder */
export const pickFolder = (body: Schemas.PickRequest = {}) => answer(http.POST('/v1/native/pick-folder', { body }));
/** Let the person choose where to save a file, and save it */
export const saveAs = (body: Schemas.SaveRequest) => answer(http.POST('/v1/native/save-as', { body }));
/** Groups of hosts, and which are allowed everywhere */
export const listNetworkPresets = () => answer(http.GET('/v1/network/presets'));
/** Allow a group of hosts everywhere, or not any more */
export const setNetworkPreset = (name: Path<'setNetworkPreset'>['name'], body: Schemas.PresetChoice) => answer(http.PUT('/v1/network/presets/{name}', { params: { path: { name } }, body }));
/** What tasks may reach */
export const listNetworkRules = () => answer(http.GET('/v1/network/rules'));
/** Allow or deny a name */
export const addNetworkRule = (body: Schemas.NetworkRuleRequest) => answer(http.POST('/v1/network/rules', { body }));
/** Is this window the first that would tell of an event? */
export const claimNotice = (body: Schemas.NoticeClaim) => answer(http.POST('/v1/notices', { body }));
/** Installed runtime packs */
export const listPacks = () => answer(http.GET('/v1/packs'));
/** Write the one file for an installation without a network */
export const bundlePack = (body: Schemas.BundleRequest) => answer(http.POST('/v1/packs/bundle', { body }));
/** Verify and install a runtime pack */
export const installPack = (body: Schemas.FileRequest) => answer(http.POST('/v1/packs/install', { body }));
/** Bring the runtime in use back to what was signed */
export const repairPack = (body: Schemas.RepairRequest = {}) => answer(http.POST('/v1/packs/repair', { body }));
/** Use the previous runtime again */
export const rollbackPack = () => answer(http.POST('/v1/packs/rollback'));
/** Is every byte of this file covered by a trusted signature? */
export const verifyPack = (body: Schemas.FileRequest) => answer(http.POST('/v1/packs/verify', { body }));
/** Delete a runtime that is not in use */
export const removePack = (version: Path<'removePack'>['version']) => done(http.DELETE('/v1/packs/{version}', { params: { path: { version } } }));
/** What is the process that answers, and why does it run? */
export const getProcess = () => answer(http.GET('/v1/process'));
/** End the process that answers */
export const endProcess = (body: Schemas.EndRequest = {}) => done(http.POST('/v1/process/end', { body }));
/** What waits for a person, the riskiest first */
export const listQuestions = (query: Query<'listQuestions'> = {}) => answer(http.GET('/v1/questions', { params: { query } }));
/** Which other computers are there for tasks? */
export const listRemotes = () => answer(http.GET('/v1/remotes'));
/** Add another computer */
export const addRemote = (body: Schemas.RemoteAddition) => answer(http.POST('/v1/remotes', { body }));
/** Forget another computer */
export const removeRemote = (name: Path<'removeRemote'>['name']) => done(http.DELETE('/v1/remotes/{name}', { params: { path: { name } } }));
/** End what runs on another computer, and remove all that piwork keeps there */
export const cleanRemote = (name: Path<'cleanRemote'>['name']) => done(http.POST('/v1/remotes/{name}/clean', { params: { path: { name } } }));
/** How much does piwork have on another computer? */
export const remoteUsage = (name: Path<'remoteUsage'>['name']) => answer(http.GET('/v1/remotes/{name}/usage', { params: { path: { name } } }));
/** What was decided for longer than once */
export const listRules = () => answer(http.GET('/v1/rules'));
/** Take back what was decided */
export const removeRule = (rule: Path<'removeRule'>['rule']) => done(http.DELETE('/v1/rules/{rule}', { params: { path: { rule } } }));
/** Which kinds of places for tasks are there, and do they work here? */
export const listRuntimes = () => answer(http.GET('/v1/runtimes'));
/** Where would a task work, and why not elsewhere? */
export const explainRuntime = (body: Schemas.RuntimeNeed) => answer(http.POST('/v1/runtimes/explain', { body }));
/** Have a kind of place do a small task, now */
export const testRuntime = (kind: Path<'testRuntime'>['kind']) => answer(http.POST('/v1/runtimes/{kind}/test', { params: { path: { kind } } }));
/** Make a folder with pictures to try a chore on */
export const makeSamples = (body: Schemas.SamplesRequest = {}) => answer(http.POST('/v1/samples', { body }));
/** Chores with parameters and folders, to be done again */
export const listSavedChores = () => answer(http.GET('/v1/saved'));
/** Save a chore to do it again */
export const saveChore = (body: Schemas.SaveChoreRequest) => answer(http.POST('/v1/saved', { body }));
/** Forget a saved chore */
export const removeSavedChore = (id: Path<'removeSavedChore'>['id']) => done(http.DELETE('/v1/saved/{id}', { params: { path: { id } } }));
/** Sessions, the oldest first */
export const listSessions = (query: Query<'listSessions'> = {}) => answer(http.GET('/v1/sessions', { params: { query } }));
/** End a session with everything that it started */
export const closeSession = (session: Path<'closeSession'>['session']) => answer(http.DELETE('/v1/sessions/{session}', { params: { path: { session } } }));
/** One session */
export const getSession = (session: Path<'getSession'>['session']) => answer(http.GET('/v1/sessions/{session}', { params: { path: { session } } }));
/** Join the output, the input and the terminal of a session */
export const attachSession = (session: Path<'attachSession'>['session'], query: Query<'attachSession'> = {}) => done(http.GET('/v1/sessions/{session}/attach', { params: { path: { session }, query } }));
/** Type into a session where a WebSocket cannot pass */
export const writeSession = (session: Path<'writeSession'>['session'], body: Schemas.InputRequest) => answer(http.POST('/v1/sessions/{session}/input', { params: { path: { session } }, body }));
/** Read the output of a session where a WebSocket cannot pass */
export const readSession = (session: Path<'readSession'>['session'], query: Query<'readSession'>) => answer(http.GET('/v1/sessions/{session}/output', { params: { path: { session }, query } }));
/** Change the size of a session's terminal */
export const resizeSession = (session: Path<'resizeSession'>['session'], body: Schemas.TerminalSize) => answer(http.POST('/v1/sessions/{session}/resize', { params: { path: { session } }, body }));
/** Have a shell do a command, and wait for its end */
export const runInSession = (session: Path<'runInSession'>['session'], body: Schemas.RunRequest) => answer(http.POST('/v1/sessions/{session}/run', { params: { path: { session } }, body }));
/** Send a signal to the programs of a session */
export const signalSession = (session: Path<'signalSession'>['session'], body: Schemas.SignalRequest) => answer(http.POST('/v1/sessions/{session}/signal', { params: { path: { session } }, body }));
/** Does the system start the process at login? */
export const getAtLogin = () => answer(http.GET('/v1/settings/at-login'));
/** Have the system start the process at login, or not */
export const setAtLogin = (body: Schemas.AtLoginChoice) => answer(http.PUT('/v1/settings/at-login', { body }));
/** For how long are records of the audit log kept? */
export const getAuditKeeping = () => answer(http.GET('/v1/settings/audit'));
/** Choose for how long they are kept */
export const setAuditKeeping = (body: Schemas.AuditSettings) => answer(http.POST('/v1/settings/audit', { body }));
/** Where keys are kept */
export const getKeyStore = () => answer(http.GET('/v1/settings/keys'));
/** Choose where keys are kept, and move them there */
export const setKeyStore = (body: Schemas.KeyStoreChoice) => answer(http.PUT('/v1/settings/keys', { body }));
/** Encrypt the file of keys with another passphrase */
export const changePassphrase = (body: Schemas.PassphraseChange) => answer(http.POST('/v1/settings/keys/passphrase', { body }));
/** Open the file of keys until the program ends */
export const unlockKeys = (body: Schemas.Passphrase) => answer(http.POST('/v1/settings/keys/unlock', { body }));
/** Choose how much of this computer the machines of tasks get */
export const setMachines = (body: Schemas.MachineSettings) => answer(http.POST('/v1/settings/machines', { body }));
/** What was chosen about models and keys */
export const getModelsChosen = () => answer(http.GET('/v1/settings/models'));
/** Which kinds of places are preferred, and what is said to weaker ones? */
export const getRuntimeSettings = () => answer(http.GET('/v1/settings/runtimes'));
/** Choose which kinds of places are preferred, and what is said to weaker ones */
export const setRuntimes = (body: Schemas.RuntimeSettings) => answer(http.POST('/v1/settings/runtimes', { body }));
/** What searches the web in the place of tasks */
export const getWebSearch = () => answer(http.GET('/v1/settings/search'));
/** Choose what searches the web in the place of tasks */
export const setWebSearch = (body: Schemas.WebSearch) => answer(http.PUT('/v1/settings/search', { body }));
/** Was it chosen to work without acceleration? */
export const getSlowMode = () => answer(http.GET('/v1/settings/slow-mode'));
/** Work without acceleration, by choice */
export const setSlowMode = (body: Schemas.SlowMode) => answer(http.POST('/v1/settings/slow-mode', { body }));
/** For how long undo is kept, and how much all of it is */
export const getUndoKeeping = () => answer(http.GET('/v1/settings/undo'));
/** Choose for how long undo is kept */
export const setUndoKeeping = (body: Schemas.UndoSettings) => answer(http.POST('/v1/settings/undo', { body }));
/** Choose whether, where and how updates are looked for */
export const setUpdates = (body: Schemas.UpdateSettings) => answer(http.POST('/v1/settings/updates', { body }));
/** How does the window behave? */
export const getWindowSettings = () => answer(http.GET('/v1/settings/window'));
/** Choose how the window behaves */
export const setWindowSettings = (body: Schemas.WindowSettings) => answer(http.PUT('/v1/settings/window', { body }));
/** Can this computer work, and if not, what is the next step? */
export const getStatus = () => answer(http.GET('/v1/status'));
/** Look at everything again, the proof boot included */
export const checkStatus = () => answer(http.POST('/v1/status/check'));
/** Have the system ask for an administrator, and run what the last report says of a fix */
export const mend = (body: Schemas.MendRequest) => answer(http.POST('/v1/status/mend', { body }));
/** What takes how much of the disk? */
export const getStorage = () => answer(http.GET('/v1/storage'));
/** Remove what can be made again, or is of no use any more */
export const cleanStorage = (body: Schemas.CleanRequest) => answer(http.POST('/v1/storage/clean', { body }));
/** End a move of the data: everything is as it was */
export const cancelMove = () => answer(http.DELETE('/v1/storage/move'));
/** How a move of the data stands */
export const getStorageMove = () => answer(http.GET('/v1/storage/move'));
/** Move the data of piwork to another folder or disk */
export const moveStorage = (body: Schemas.MoveRequest) => answer(http.POST('/v1/storage/move', { body }));
/** Tasks, newest first */
export const listTasks = (query: Query<'listTasks'> = {}) => answer(http.GET('/v1/tasks', { params: { query } }));
/** Record a task and start it */
export const startTask = (body: Schemas.StartRequest) => answer(http.POST('/v1/tasks', { body }));
/** Delete the record, its journal and its results */
export const deleteTask = (id: Path<'deleteTask'>['id']) => done(http.DELETE('/v1/tasks/{id}', { params: { path: { id } } }));
/** The record of a task */
export const getTask = (id: Path<'getTask'>['id']) => answer(http.GET('/v1/tasks/{id}', { params: { path: { id } } }));
/** Give a task a title; an empty one brings the made one back */
export const renameTask = (id: Path<'renameTask'>['id'], body: Schemas.RenameRequest) => answer(http.PATCH('/v1/tasks/{id}', { params: { path: { id } }, body }));
/** Do what the plan says */
export const acceptPlan = (id: Path<'acceptPlan'>['id']) => answer(http.POST('/v1/tasks/{id}/accept', { params: { path: { id } } }));
/** Start a new task that asks for the same */
export const startAgain = (id: Path<'startAgain'>['id'], body: Schemas.AgainRequest = {}) => answer(http.POST('/v1/tasks/{id}/again', { params: { path: { id } }, body }));
/** One event of the agent, untouched */
export const getAgentLine = (id: Path<'getAgentLine'>['id'], line: Path<'getAgentLine'>['line']) => answer(http.GET('/v1/tasks/{id}/agent/{line}', { params: { path: { id, line } } }));
/** Decide about changes that wait in front of a folder */
export const applyTask = (id: Path<'applyTask'>['id'], body: Schemas.ApplyRequest) => answer(http.POST('/v1/tasks/{id}/apply', { params: { path: { id } }, body }));
/** Join the output, the input and the terminal of a program that runs */
export const attachTask = (id: Path<'attachTask'>['id'], query: Query<'attachTask'> = {}) => done(http.GET('/v1/tasks/{id}/attach', { params: { path: { id }, query } }));
/** Stop a task */
export const cancelTask = (id: Path<'cancelTask'>['id'], query: Query<'cancelTask'> = {}) => answer(http.POST('/v1/tasks/{id}/cancel', { params: { path: { id }, query } }));
/** What a task changed in the folders */
export const listChanges = (id: Path<'listChanges'>['id']) => answer(http.GET('/v1/tasks/{id}/changes', { params: { path: { id } } }));
/** What a change did to a file */
export const compareChange = (id: Path<'compareChange'>['id'], change: Path<'compareChange'>['change']) => answer(http.GET('/v1/tasks/{id}/changes/{change}', { params: { path: { id, change } } }));
/** The bytes of a file before or after a change; ranges are honoured */
export const getChangeContent = (id: Path<'getChangeContent'>['id'], change: Path<'getChangeContent'>['change'], side: Path<'getChangeContent'>['side'], headers: Record<string, string> = {}) => answer(http.GET('/v1/tasks/{id}/changes/{change}/{side}', { params: { path: { id, change, side } }, headers, parseAs: 'blob' }));
/** Have the older messages of an AI task summarised */
export const compactTask = (id: Path<'compactTask'>['id'], query: Query<'compactTask'> = {}) => answer(http.POST('/v1/tasks/{id}/compact', { params: { path: { id }, query } }));
/** Let a task go on when its callers are gone */
export const detachTask = (id: Path<'detachTask'>['id']) => answer(http.POST('/v1/tasks/{id}/detach', { params: { path: { id } } }));
/** Everything that is known of a task, as a ZIP file */
export const exportTask = (id: Path<'exportTask'>['id'], headers: Record<string, string> = {}) => answer(http.GET('/v1/tasks/{id}/export', { params: { path: { id } }, headers, parseAs: 'blob' }));
/** Get what is at an address of the web, in a task */
export const fetch = (id: Path<'fetch'>['id'], body: Schemas.FetchRequest) => answer(http.POST('/v1/tasks/{id}/fetch', { params: { path: { id } }, body }));
/** What is in a directory of a task? */
export const listFiles = (id: Path<'listFiles'>['id'], body: Schemas.ListRequest) => answer(http.POST('/v1/tasks/{id}/files/list', { params: { path: { id } }, body }));
/** Read a file of a task */
export const readFile = (id: Path<'readFile'>['id'], body: Schemas.ReadRequest) => answer(http.POST('/v1/tasks/{id}/files/read', { params: { path: { id } }, body }));
/** What is there at a path, and which digest has a file? */
export const statFile = (id: Path<'statFile'>['id'], body: Schemas.StatRequest) => answer(http.POST('/v1/tasks/{id}/files/stat', { params: { path: { id } }, body }));
/** Write a file of a task */
export const writeFile = (id: Path<'writeFile'>['id'], body: Schemas.WriteRequest) => answer(http.POST('/v1/tasks/{id}/files/write', { params: { path: { id } }, body }));
/** Let a task that runs have another folder */
export const addFolder = (id: Path<'addFolder'>['id'], body: Schemas.FolderRequest) => answer(http.POST('/v1/tasks/{id}/folders', { params: { path: { id } }, body }));
/** Take a folder from a task that runs */
export const removeFolder = (id: Path<'removeFolder'>['id'], folder: Path<'removeFolder'>['folder']) => answer(http.DELETE('/v1/tasks/{id}/folders/{folder}', { params: { path: { id, folder } } }));
/** End what the agent does at the moment */
export const interrupt = (id: Path<'interrupt'>['id']) => answer(http.POST('/v1/tasks/{id}/interrupt', { params: { path: { id } } }));
/** Give an AI task a message */
export const say = (id: Path<'say'>['id'], body: Schemas.SayRequest) => answer(http.POST('/v1/tasks/{id}/messages', { params: { path: { id } }, body }));
/** Take back a message that was not heard yet */
export const takeBack = (id: Path<'takeBack'>['id'], message: Path<'takeBack'>['message']) => answer(http.DELETE('/v1/tasks/{id}/messages/{message}', { params: { path: { id, message } } }));
/** Change the model of an AI task, or how long it thinks */
export const setTaskModel = (id: Path<'setTaskModel'>['id'], body: Schemas.TaskModelRequest) => answer(http.PUT('/v1/tasks/{id}/model', { params: { path: { id } }, body }));
/** What a chore will do */
export const getPlan = (id: Path<'getPlan'>['id']) => answer(http.GET('/v1/tasks/{id}/plan', { params: { path: { id } } }));
/** Decide a question */
export const answerQuestion = (id: Path<'answerQuestion'>['id'], question: Path<'answerQuestion'>['question'], body: Schemas.AnswerRequest) => answer(http.POST('/v1/tasks/{id}/questions/{question}', { params: { path: { id, question } }, body }));
/** Bring back what was taken back */
export const redoTask = (id: Path<'redoTask'>['id'], body: Schemas.RedoRequest) => answer(http.POST('/v1/tasks/{id}/redo', { params: { path: { id } }, body }));
/** The bytes of a result; ranges are honoured */
export const getResult = (id: Path<'getResult'>['id'], index: Path<'getResult'>['index'], headers: Record<string, string> = {}) => answer(http.GET('/v1/tasks/{id}/results/{index}', { params: { path: { id, index } }, headers, parseAs: 'blob' }));
/** Go on with a task that was interrupted, stopped or failed */
export const resumeTask = (id: Path<'resumeTask'>['id'], query: Query<'resumeTask'> = {}) => answer(http.POST('/v1/tasks/{id}/resume', { params: { path: { id }, query } }));
/** Start a shell or a program in the workroom of a task, which stays when its clients go */
export const createSession = (id: Path<'createSession'>['id'], body: Schemas.Request = {}) => answer(http.POST('/v1/tasks/{id}/sessions', { params: { path: { id } }, body }));
/** What happened; seq counts per task */
export const getTimeline = (id: Path<'getTimeline'>['id'], query: Query<'getTimeline'> = {}) => answer(http.GET('/v1/tasks/{id}/timeline', { params: { path: { id }, query } }));
/** Give that up: the changes stay listed and cannot be taken back any more */
export const forgetUndo = (id: Path<'forgetUndo'>['id']) => answer(http.DELETE('/v1/tasks/{id}/undo', { params: { path: { id } } }));
/** What is kept for taking a task's changes back */
export const getUndoSpace = (id: Path<'getUndoSpace'>['id']) => answer(http.GET('/v1/tasks/{id}/undo', { params: { path: { id } } }));
/** Take changes back */
export const undoTask = (id: Path<'undoTask'>['id'], body: Schemas.UndoRequest) => answer(http.POST('/v1/tasks/{id}/undo', { params: { path: { id } }, body }));
/** Visit the web with a browser, in a task */
export const visit = (id: Path<'visit'>['id'], body: Schemas.VisitRequest) => answer(http.POST('/v1/tasks/{id}/visit', { params: { path: { id } }, body }));
/** The tokens of other programs, without their secrets */
export const listTokens = () => answer(http.GET('/v1/tokens'));
/** Make a token for another program */
export const createToken = (body: Schemas.TokenRequest) => answer(http.POST('/v1/tokens', { body }));
/** Revoke a token */
export const revokeToken = (token: Path<'revokeToken'>['token']) => done(http.DELETE('/v1/tokens/{token}', { params: { path: { token } } }));
/** The operations on files */
export const listTools = () => answer(http.GET('/v1/tools'));
/** How does the runtime stand against its channel? */
export const getUpdate = () => answer(http.GET('/v1/update'));
/** Look at the channel now */
export const checkUpdate = () => answer(http.POST('/v1/update/check'));
/** Stop the download and keep what arrived */
export const pauseUpdate = () => answer(http.POST('/v1/update/pause'));
/** Download, install, try and use what is new, or go on after a pause */
export const startUpdate = (body: Schemas.UpdateRequest = {}) => answer(http.POST('/v1/update/start', { body }));
/** Answer a close that was asked about */
export const closeWindow = (body: Schemas.CloseRequest) => done(http.POST('/v1/window/close', { body }));
/** The page was drawn, or was not */
export const windowDrawn = (body: Schemas.DrawnReport) => done(http.POST('/v1/window/drawn', { body }));
/** Open another window, on a task */
export const newWindow = (body: Schemas.NewWindowRequest = {}) => done(http.POST('/v1/window/new', { body }));
/** The page listens: what was it asked to open? */
export const windowReady = () => answer(http.POST('/v1/window/ready'));
/** How far is the way to the first chore? */
export const getWizard = () => answer(http.GET('/v1/wizard'));
/** Finish, leave out, or do again a step */
export const actWizard = (step: Path<'actWizard'>['step'], body: Schemas.WizardRequest) => answer(http.POST('/v1/wizard/{step}', { params: { path: { step } }, body }));
