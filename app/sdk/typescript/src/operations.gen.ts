// Made from the table of operations by `go run ./scripts/lib/sdk`. Do not edit.

import type * as T from './types.gen.ts';

/** What an operation needs of a way to the controller. */
export interface Asked {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  endless?: boolean; // a stream that goes on where the server ends it, until an event says that it is over
}

/** Where the page after a page of a list is, by the header Link of the answer (RFC 8288). */
export function nextPage(link: string | null | undefined): string | undefined {
  return /<(\/v1\/[^>]*)>; rel="next"/.exec(link ?? '')?.[1];
}

/** One function for each operation. */
export abstract class Operations {
  protected abstract call(method: string, path: string, asked?: Asked): Promise<unknown>;
  protected abstract stream(method: string, path: string, asked?: Asked): AsyncIterable<unknown>;
  /** The entries of a list; a page is asked for when the one before was used up. */
  protected abstract pages(method: string, path: string, asked?: Asked): AsyncIterable<unknown>;

  /** Do what the plan says. Problems of its own: not-found, record-damaged, task-not-waiting */
  acceptPlan(id: string): Promise<T.Task> {
    return this.call('POST', '/v1/tasks/{id}/accept', { path: { id } }) as Promise<T.Task>;
  }

  /** Change your rules as proposed. Problems of its own: not-found, policy-changed, policy-fault */
  acceptProposal(proposal: string, body?: T.Acceptance): Promise<T.Policy> {
    return this.call('POST', '/v1/policy/proposals/{proposal}/accept', { path: { proposal }, body }) as Promise<T.Policy>;
  }

  /** Finish, leave out, or do again a step. Problems of its own: not-found */
  actWizard(step: string, body: T.WizardRequest): Promise<T.Wizard> {
    return this.call('POST', '/v1/wizard/{step}', { path: { step }, body }) as Promise<T.Wizard>;
  }

  /** Let a task that runs have another folder. Problems of its own: denied, folder-overlap, folder-refused, folder-silent, folders-fixed, not-found, record-damaged, rule-denied, runtime-unfit, token-folder */
  addFolder(id: string, body: T.FolderRequest): Promise<T.Task> {
    return this.call('POST', '/v1/tasks/{id}/folders', { path: { id }, body }) as Promise<T.Task>;
  }

  /** Add an MCP server. Problems of its own: folder-refused, folder-silent, keychain, keys-locked, unknown-service */
  addMCPServer(body: T.MCPServerAddition): Promise<T.MCPServer> {
    return this.call('POST', '/v1/mcp-servers', { body }) as Promise<T.MCPServer>;
  }

  /** Allow or deny a name. Problems of its own: not-found, record-damaged */
  addNetworkRule(body: T.NetworkRuleRequest): Promise<T.Rule> {
    return this.call('POST', '/v1/network/rules', { body }) as Promise<T.Rule>;
  }

  /** Add another computer. Problems of its own: vm-failed */
  addRemote(body: T.RemoteAddition): Promise<T.Remote> {
    return this.call('POST', '/v1/remotes', { body }) as Promise<T.Remote>;
  }

  /** Allow a tool of an MCP server, or not any more. Problems of its own: not-found */
  allowMCPTool(name: string, body: T.MCPToolChoice): Promise<T.MCPServer> {
    return this.call('POST', '/v1/mcp-servers/{name}/tools', { path: { name }, body }) as Promise<T.MCPServer>;
  }

  /** Decide a question. Problems of its own: folder-overlap, folder-refused, folder-silent, not-found, question-over, record-damaged */
  answerQuestion(id: string, question: string, body: T.AnswerRequest): Promise<T.Decision> {
    return this.call('POST', '/v1/tasks/{id}/questions/{question}', { path: { id, question }, body }) as Promise<T.Decision>;
  }

  /** Decide about changes that wait in front of a folder. Problems of its own: folder-refused, folder-silent, list-changed, not-found, record-damaged, rule-denied, task-running */
  applyTask(id: string, body: T.ApplyRequest): Promise<T.ApplyReport> {
    return this.call('POST', '/v1/tasks/{id}/apply', { path: { id }, body }) as Promise<T.ApplyReport>;
  }

  /** Take what the last task changed out of the cache of a project. Problems of its own: cache-in-use, cache-no-way-back, not-found */
  backCache(id: string): Promise<void> {
    return this.call('POST', '/v1/caches/{id}/back', { path: { id } }) as Promise<void>;
  }

  /** Begin to sign in to a provider. Problems of its own: key-invalid, keys-locked, login-failed */
  beginLogin(provider: string, body?: T.LoginRequest): Promise<T.Login> {
    return this.call('POST', '/v1/keys/{provider}/login', { path: { provider }, body }) as Promise<T.Login>;
  }

  /** Write the one file for an installation without a network. Problems of its own: addon-unknown, bundle-incomplete, download-failed, download-invalid, key-revoked, output-exists, pack-corrupt, pack-invalid, pack-missing, pack-too-new, update-settings */
  bundlePack(body: T.BundleRequest): Promise<T.BundleInfo> {
    return this.call('POST', '/v1/packs/bundle', { body }) as Promise<T.BundleInfo>;
  }

  /** End a login. Problems of its own: not-found */
  cancelLogin(id: string): Promise<void> {
    return this.call('DELETE', '/v1/logins/{id}', { path: { id } }) as Promise<void>;
  }

  /** End a move of the data: everything is as it was */
  cancelMove(): Promise<T.StorageMove> {
    return this.call('DELETE', '/v1/storage/move') as Promise<T.StorageMove>;
  }

  /** Stop a task. Problems of its own: not-found */
  cancelTask(id: string, query: { held?: boolean } = {}): Promise<T.Task> {
    return this.call('POST', '/v1/tasks/{id}/cancel', { path: { id }, query }) as Promise<T.Task>;
  }

  /** Encrypt the file of keys with another passphrase. Problems of its own: keychain, keys-locked, passphrase */
  changePassphrase(body: T.PassphraseChange): Promise<T.KeyStore> {
    return this.call('POST', '/v1/settings/keys/passphrase', { body }) as Promise<T.KeyStore>;
  }

  /** Start an MCP server once, and list its tools. Problems of its own: accel-unavailable, boot-failed, denied, folder-refused, folder-silent, key-revoked, keychain, keys-locked, mcp-server, no-room, not-checked, not-found, pack-corrupt, pack-missing, pack-too-new, rule-denied, runtime-unfit, service-secret, share-failed, timeout, unknown-service, unsupported, vm-failed */
  checkMCPServer(name: string): Promise<T.MCPServer> {
    return this.call('POST', '/v1/mcp-servers/{name}/check', { path: { name } }) as Promise<T.MCPServer>;
  }

  /** What is wrong with a text of rules, and what does it say? */
  checkPolicy(body: T.PolicyText): Promise<T.PolicyCheck> {
    return this.call('POST', '/v1/policy/check', { body }) as Promise<T.PolicyCheck>;
  }

  /** Look at everything again, the proof boot included */
  checkStatus(): Promise<T.StatusReport> {
    return this.call('POST', '/v1/status/check') as Promise<T.StatusReport>;
  }

  /** Look at the channel now */
  checkUpdate(): Promise<T.UpdateState> {
    return this.call('POST', '/v1/update/check') as Promise<T.UpdateState>;
  }

  /** Is this window the first that would tell of an event? */
  claimNotice(body: T.NoticeClaim): Promise<T.NoticeClaimed> {
    return this.call('POST', '/v1/notices', { body }) as Promise<T.NoticeClaimed>;
  }

  /** End what runs on another computer, and remove all that piwork keeps there. Problems of its own: vm-failed */
  cleanRemote(name: string): Promise<void> {
    return this.call('POST', '/v1/remotes/{name}/clean', { path: { name } }) as Promise<void>;
  }

  /** Remove what can be made again, or is of no use any more. Problems of its own: cache-in-use */
  cleanStorage(body: T.CleanRequest): Promise<T.Cleaned> {
    return this.call('POST', '/v1/storage/clean', { body }) as Promise<T.Cleaned>;
  }

  /** End a session with everything that it started. Problems of its own: not-found */
  closeSession(session: string): Promise<T.Session> {
    return this.call('DELETE', '/v1/sessions/{session}', { path: { session } }) as Promise<T.Session>;
  }

  /** Have the older messages of an AI task summarised. Problems of its own: folder-refused, folder-silent, machine-settings, not-found, not-resumable, record-damaged, task-running, token-folder */
  compactTask(id: string, query: { detached?: boolean } = {}): Promise<T.Task> {
    return this.call('POST', '/v1/tasks/{id}/compact', { path: { id }, query }) as Promise<T.Task>;
  }

  /** What a change did to a file. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running */
  compareChange(id: string, change: string): Promise<T.Comparison> {
    return this.call('GET', '/v1/tasks/{id}/changes/{change}', { path: { id, change } }) as Promise<T.Comparison>;
  }

  /** Start a shell or a program in the workroom of a task, which stays when its clients go. Problems of its own: accel-unavailable, addon-missing, boot-failed, denied, folder-gone, folder-refused, folder-silent, key-revoked, keychain, keys-locked, model-failed, no-model, no-room, no-sessions, not-checked, not-found, pack-corrupt, pack-missing, pack-too-new, rule-denied, runtime-unfit, service-secret, session-busy, share-failed, start-failed, timeout, unknown-model, unknown-service, unsupported, vm-failed */
  createSession(id: string, body?: T.Request): Promise<T.Session> {
    return this.call('POST', '/v1/tasks/{id}/sessions', { path: { id }, body }) as Promise<T.Session>;
  }

  /** Make a token for another program. Problems of its own: folder-overlap, folder-refused, folder-silent, token-name */
  createToken(body: T.TokenRequest): Promise<T.NewToken> {
    return this.call('POST', '/v1/tokens', { body }) as Promise<T.NewToken>;
  }

  /** Delete the record, its journal and its results. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running, undo-waits */
  deleteTask(id: string, query: { abandonUndo?: boolean } = {}): Promise<void> {
    return this.call('DELETE', '/v1/tasks/{id}', { path: { id }, query }) as Promise<void>;
  }

  /** Let a task go on when its callers are gone. Problems of its own: not-found */
  detachTask(id: string): Promise<T.Task> {
    return this.call('POST', '/v1/tasks/{id}/detach', { path: { id } }) as Promise<T.Task>;
  }

  /** Refuse a proposal. Problems of its own: not-found */
  dropProposal(proposal: string): Promise<void> {
    return this.call('DELETE', '/v1/policy/proposals/{proposal}', { path: { proposal } }) as Promise<void>;
  }

  /** Empty the cache of a project. Problems of its own: cache-in-use, not-found */
  emptyCache(id: string): Promise<void> {
    return this.call('DELETE', '/v1/caches/{id}', { path: { id } }) as Promise<void>;
  }

  /** Say that a command of the command line is over, for its trace */
  endCommand(body: T.Command): Promise<T.Command> {
    return this.call('POST', '/v1/telemetry/command', { body }) as Promise<T.Command>;
  }

  /** End the process that answers. Problems of its own: controller-working, no-process */
  endProcess(body?: T.EndRequest): Promise<void> {
    return this.call('POST', '/v1/process/end', { body }) as Promise<void>;
  }

  /** What do the rules say to something, and which of them? */
  explainPolicy(body: T.ExplainRequest): Promise<T.Explanation> {
    return this.call('POST', '/v1/policy/explain', { body }) as Promise<T.Explanation>;
  }

  /** Where would a task work, and why not elsewhere? */
  explainRuntime(body: T.RuntimeNeed): Promise<T.RuntimeChoice> {
    return this.call('POST', '/v1/runtimes/explain', { body }) as Promise<T.RuntimeChoice>;
  }

  /** The audit log as a file that can be verified elsewhere */
  exportAudit(): Promise<Uint8Array> {
    return this.call('GET', '/v1/audit/export') as Promise<Uint8Array>;
  }

  /** Everything that is known of a task, as a ZIP file. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running */
  exportTask(id: string): Promise<Uint8Array> {
    return this.call('GET', '/v1/tasks/{id}/export', { path: { id } }) as Promise<Uint8Array>;
  }

  /** Get what is at an address of the web, in a task. Problems of its own: file-kind, file-missing, file-outside, file-too-large, input-online, network-off, not-at-work, not-found, pack-corrupt, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed, web-unreachable */
  fetch(id: string, body: T.FetchRequest): Promise<T.Fetched> {
    return this.call('POST', '/v1/tasks/{id}/fetch', { path: { id }, body }) as Promise<T.Fetched>;
  }

  /** Give a login the code that the page showed. Problems of its own: login-failed, not-found */
  finishLogin(id: string, body: T.LoginCode): Promise<T.LoginState> {
    return this.call('POST', '/v1/logins/{id}', { path: { id }, body }) as Promise<T.LoginState>;
  }

  /** Forget the secret of a service. Problems of its own: keychain, keys-locked, unknown-service */
  forgetServiceSecret(name: string): Promise<void> {
    return this.call('DELETE', '/v1/services/{name}/secret', { path: { name } }) as Promise<void>;
  }

  /** Give that up: the changes stay listed and cannot be taken back any more. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running, undo-waits */
  forgetUndo(id: string, query: { abandonUndo?: boolean } = {}): Promise<T.UndoSpace> {
    return this.call('DELETE', '/v1/tasks/{id}/undo', { path: { id }, query }) as Promise<T.UndoSpace>;
  }

  /** One event of the agent, untouched. Problems of its own: not-found, record-damaged */
  getAgentLine(id: string, line: string): Promise<unknown> {
    return this.call('GET', '/v1/tasks/{id}/agent/{line}', { path: { id, line } }) as Promise<unknown>;
  }

  /** Does the system start the process at login?. Problems of its own: at-login, no-process */
  getAtLogin(): Promise<T.AtLogin> {
    return this.call('GET', '/v1/settings/at-login') as Promise<T.AtLogin>;
  }

  /** For how long are records of the audit log kept? */
  getAuditKeeping(): Promise<T.AuditSettings> {
    return this.call('GET', '/v1/settings/audit') as Promise<T.AuditSettings>;
  }

  /** The bytes of a file before or after a change; ranges are honoured. Problems of its own: changed-since, folder-refused, folder-silent, not-found, record-damaged, task-running */
  getChangeContent(id: string, change: string, side: string): Promise<Uint8Array> {
    return this.call('GET', '/v1/tasks/{id}/changes/{change}/{side}', { path: { id, change, side } }) as Promise<Uint8Array>;
  }

  /** What a report for a fault would hold, without secrets and names of files */
  getDiagnostics(): Promise<T.Diagnostics> {
    return this.call('GET', '/v1/diagnostics') as Promise<T.Diagnostics>;
  }

  /** The program listens */
  getHealth(): Promise<T.Health> {
    return this.call('GET', '/_health') as Promise<T.Health>;
  }

  /** How does everything stand? */
  getHealthPage(): Promise<T.HealthPage> {
    return this.call('GET', '/v1/health') as Promise<T.HealthPage>;
  }

  /** Where keys are kept */
  getKeyStore(): Promise<T.KeyStore> {
    return this.call('GET', '/v1/settings/keys') as Promise<T.KeyStore>;
  }

  /** The end of a log. Problems of its own: not-found */
  getLog(name: string, query: { tail?: number } = {}): Promise<Uint8Array> {
    return this.call('GET', '/v1/logs/{name}', { path: { name }, query }) as Promise<Uint8Array>;
  }

  /** How a login stands. Problems of its own: not-found */
  getLogin(id: string): Promise<T.LoginState> {
    return this.call('GET', '/v1/logins/{id}', { path: { id } }) as Promise<T.LoginState>;
  }

  /** How is this computer shared out among the machines of tasks? */
  getMachines(): Promise<T.Machines> {
    return this.call('GET', '/v1/machines') as Promise<T.Machines>;
  }

  /** What this program is, and which tools its runtime has */
  getManifest(): Promise<T.About> {
    return this.call('GET', '/_manifest') as Promise<T.About>;
  }

  /** How often things happened, and how long they took, for Prometheus */
  getMetrics(): Promise<Uint8Array> {
    return this.call('GET', '/metrics') as Promise<Uint8Array>;
  }

  /** What was chosen about models and keys */
  getModelsChosen(): Promise<T.Chosen> {
    return this.call('GET', '/v1/settings/models') as Promise<T.Chosen>;
  }

  /** The token that the request came with. Problems of its own: not-found */
  getOwnToken(): Promise<T.Token> {
    return this.call('GET', '/v1/token') as Promise<T.Token>;
  }

  /** What a chore will do. Problems of its own: not-found, record-damaged */
  getPlan(id: string): Promise<T.Plan> {
    return this.call('GET', '/v1/tasks/{id}/plan', { path: { id } }) as Promise<T.Plan>;
  }

  /** Which written rules are there, and what do they say? */
  getPolicy(): Promise<T.Policy> {
    return this.call('GET', '/v1/policy') as Promise<T.Policy>;
  }

  /** What is the process that answers, and why does it run?. Problems of its own: no-process */
  getProcess(): Promise<T.ProcessStatus> {
    return this.call('GET', '/v1/process') as Promise<T.ProcessStatus>;
  }

  /** The bytes of a result; ranges are honoured. Problems of its own: changed-since, file-kind, folder-refused, folder-silent, not-found, record-damaged, task-running */
  getResult(id: string, index: string): Promise<Uint8Array> {
    return this.call('GET', '/v1/tasks/{id}/results/{index}', { path: { id, index } }) as Promise<Uint8Array>;
  }

  /** One decision for longer than once. Problems of its own: not-found */
  getRule(rule: string): Promise<T.Rule> {
    return this.call('GET', '/v1/rules/{rule}', { path: { rule } }) as Promise<T.Rule>;
  }

  /** Which kinds of places are preferred, and what is said to weaker ones? */
  getRuntimeSettings(): Promise<T.RuntimeSettings> {
    return this.call('GET', '/v1/settings/runtimes') as Promise<T.RuntimeSettings>;
  }

  /** A service, without its secret. Problems of its own: keychain, keys-locked, unknown-service */
  getService(name: string): Promise<T.Service> {
    return this.call('GET', '/v1/services/{name}', { path: { name } }) as Promise<T.Service>;
  }

  /** One session. Problems of its own: not-found */
  getSession(session: string): Promise<T.Session> {
    return this.call('GET', '/v1/sessions/{session}', { path: { session } }) as Promise<T.Session>;
  }

  /** Was it chosen to work without acceleration? */
  getSlowMode(): Promise<T.SlowMode> {
    return this.call('GET', '/v1/settings/slow-mode') as Promise<T.SlowMode>;
  }

  /** Can this computer work, and if not, what is the next step? */
  getStatus(): Promise<T.StatusReport> {
    return this.call('GET', '/v1/status') as Promise<T.StatusReport>;
  }

  /** What takes how much of the disk? */
  getStorage(): Promise<T.Storage> {
    return this.call('GET', '/v1/storage') as Promise<T.Storage>;
  }

  /** How a move of the data stands */
  getStorageMove(): Promise<T.StorageMove> {
    return this.call('GET', '/v1/storage/move') as Promise<T.StorageMove>;
  }

  /** The record of a task. Problems of its own: not-found */
  getTask(id: string): Promise<T.Task> {
    return this.call('GET', '/v1/tasks/{id}', { path: { id } }) as Promise<T.Task>;
  }

  /** What a task asked of services. Problems of its own: not-found, record-damaged */
  getTaskRequests(id: string): Promise<T.TaskRequests> {
    return this.call('GET', '/v1/tasks/{id}/requests', { path: { id } }) as Promise<T.TaskRequests>;
  }

  /** Where are traces and metrics sent? */
  getTelemetry(): Promise<T.Settings> {
    return this.call('GET', '/v1/settings/telemetry') as Promise<T.Settings>;
  }

  /** What happened; seq counts per task. Problems of its own: not-found, page by page */
  allTimeline(id: string, query: { limit?: number; cursor?: string; after?: number } = {}): AsyncIterable<T.Event> {
    return this.pages('GET', '/v1/tasks/{id}/timeline', { path: { id }, query }) as AsyncIterable<T.Event>;
  }

  /** What happened; seq counts per task. Problems of its own: not-found */
  getTimeline(id: string, query: { limit?: number; cursor?: string; after?: number } = {}): Promise<T.Event[]> {
    return this.call('GET', '/v1/tasks/{id}/timeline', { path: { id }, query }) as Promise<T.Event[]>;
  }

  /** For how long undo is kept, and how much all of it is */
  getUndoKeeping(): Promise<T.UndoKeeping> {
    return this.call('GET', '/v1/settings/undo') as Promise<T.UndoKeeping>;
  }

  /** What is kept for taking a task's changes back. Problems of its own: not-found, record-damaged */
  getUndoSpace(id: string): Promise<T.UndoSpace> {
    return this.call('GET', '/v1/tasks/{id}/undo', { path: { id } }) as Promise<T.UndoSpace>;
  }

  /** How does the runtime stand against its channel? */
  getUpdate(): Promise<T.UpdateState> {
    return this.call('GET', '/v1/update') as Promise<T.UpdateState>;
  }

  /** What searches the web in the place of tasks */
  getWebSearch(): Promise<T.WebSearch> {
    return this.call('GET', '/v1/settings/search') as Promise<T.WebSearch>;
  }

  /** How does the window behave? */
  getWindowSettings(): Promise<T.WindowSettings> {
    return this.call('GET', '/v1/settings/window') as Promise<T.WindowSettings>;
  }

  /** How far is the way to the first chore? */
  getWizard(): Promise<T.Wizard> {
    return this.call('GET', '/v1/wizard') as Promise<T.Wizard>;
  }

  /** Add the MCP servers of a file as other programs have it. Problems of its own: folder-refused, folder-silent, keychain, keys-locked */
  importMCPServers(body: T.MCPServerImport): Promise<T.MCPServer[]> {
    return this.call('POST', '/v1/mcp-servers/import', { body }) as Promise<T.MCPServer[]>;
  }

  /** Get an add-on from the channel. Problems of its own: addon-unknown, update-invalid, update-off, update-settings */
  installAddOn(name: string): Promise<T.UpdateState> {
    return this.call('POST', '/v1/addons/{name}', { path: { name } }) as Promise<T.UpdateState>;
  }

  /** Verify and install a runtime pack. Problems of its own: accel-unavailable, addon-mismatch, input-missing, input-unreadable, pack-corrupt, pack-in-use, pack-invalid, update-not-booting, vm-failed */
  installPack(body: T.FileRequest): Promise<T.PackInfo> {
    return this.call('POST', '/v1/packs/install', { body }) as Promise<T.PackInfo>;
  }

  /** End what the agent does at the moment. Problems of its own: agent-failed, not-found, not-resumable, record-damaged */
  interrupt(id: string): Promise<T.Task> {
    return this.call('POST', '/v1/tasks/{id}/interrupt', { path: { id } }) as Promise<T.Task>;
  }

  /** Add-ons that are installed or on offer */
  listAddOns(): Promise<T.AddOnInfo[]> {
    return this.call('GET', '/v1/addons') as Promise<T.AddOnInfo[]>;
  }

  /** What was executed and decided, and what left this computer; the latest first */
  listAudit(query: { task?: string; client?: string; request?: string; event?: "begin" | "end" | "decision" | "folder" | "traffic" | "request" | "recovered" | "expired" | "broken"; about?: string; since?: string; before?: number; limit?: number } = {}): Promise<T.AuditPage> {
    return this.call('GET', '/v1/audit', { query }) as Promise<T.AuditPage>;
  }

  /** Which projects have a cache, and how large is it?, page by page */
  allCaches(query: { limit?: number; cursor?: string } = {}): AsyncIterable<T.Cache> {
    return this.pages('GET', '/v1/caches', { query }) as AsyncIterable<T.Cache>;
  }

  /** Which projects have a cache, and how large is it? */
  listCaches(query: { limit?: number; cursor?: string } = {}): Promise<T.Cache[]> {
    return this.call('GET', '/v1/caches', { query }) as Promise<T.Cache[]>;
  }

  /** What a task changed in the folders. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running, page by page */
  allChanges(id: string, query: { limit?: number; cursor?: string } = {}): AsyncIterable<T.Change> {
    return this.pages('GET', '/v1/tasks/{id}/changes', { path: { id }, query }) as AsyncIterable<T.Change>;
  }

  /** What a task changed in the folders. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running */
  listChanges(id: string, query: { limit?: number; cursor?: string } = {}): Promise<T.Change[]> {
    return this.call('GET', '/v1/tasks/{id}/changes', { path: { id }, query }) as Promise<T.Change[]>;
  }

  /** Ready-made chores */
  listChores(): Promise<T.ChoreInfo[]> {
    return this.call('GET', '/v1/chores') as Promise<T.ChoreInfo[]>;
  }

  /** Which exceptions do your rules have?, page by page */
  allExceptions(query: { limit?: number; cursor?: string } = {}): AsyncIterable<T.RuleException> {
    return this.pages('GET', '/v1/policy/exceptions', { query }) as AsyncIterable<T.RuleException>;
  }

  /** Which exceptions do your rules have? */
  listExceptions(query: { limit?: number; cursor?: string } = {}): Promise<T.RuleException[]> {
    return this.call('GET', '/v1/policy/exceptions', { query }) as Promise<T.RuleException[]>;
  }

  /** What is in a directory of a task?. Problems of its own: file-kind, file-missing, file-outside, input-online, not-at-work, not-found, pack-corrupt, rule-denied, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed */
  listFiles(id: string, body: T.ListRequest): Promise<T.TaskFileList> {
    return this.call('POST', '/v1/tasks/{id}/files/list', { path: { id }, body }) as Promise<T.TaskFileList>;
  }

  /** What may an AI do with which folders?, page by page */
  allFolderChoices(query: { limit?: number; cursor?: string } = {}): AsyncIterable<T.FolderChoice> {
    return this.pages('GET', '/v1/folders', { query }) as AsyncIterable<T.FolderChoice>;
  }

  /** What may an AI do with which folders? */
  listFolderChoices(query: { limit?: number; cursor?: string } = {}): Promise<T.FolderChoice[]> {
    return this.call('GET', '/v1/folders', { query }) as Promise<T.FolderChoice[]>;
  }

  /** Providers of models, and whether there is a key. Problems of its own: keychain, keys-locked */
  listKeys(): Promise<T.KeyInfo[]> {
    return this.call('GET', '/v1/keys') as Promise<T.KeyInfo[]>;
  }

  /** What the program and its runtime are made of */
  listLicences(): Promise<T.Licences> {
    return this.call('GET', '/v1/licences') as Promise<T.Licences>;
  }

  /** The logs of machines, the newest first */
  listLogs(): Promise<T.Logs> {
    return this.call('GET', '/v1/logs') as Promise<T.Logs>;
  }

  /** The MCP servers that an AI may use, and which of their tools, page by page */
  allMCPServers(query: { limit?: number; cursor?: string } = {}): AsyncIterable<T.MCPServer> {
    return this.pages('GET', '/v1/mcp-servers', { query }) as AsyncIterable<T.MCPServer>;
  }

  /** The MCP servers that an AI may use, and which of their tools */
  listMCPServers(query: { limit?: number; cursor?: string } = {}): Promise<T.MCPServer[]> {
    return this.call('GET', '/v1/mcp-servers', { query }) as Promise<T.MCPServer[]>;
  }

  /** What can do an AI task. Problems of its own: keys-locked, model-failed */
  listModels(): Promise<T.Models> {
    return this.call('GET', '/v1/models') as Promise<T.Models>;
  }

  /** Groups of hosts, and which are allowed everywhere */
  listNetworkPresets(): Promise<T.NetworkPreset[]> {
    return this.call('GET', '/v1/network/presets') as Promise<T.NetworkPreset[]>;
  }

  /** What tasks may reach */
  listNetworkRules(): Promise<T.NetworkRules> {
    return this.call('GET', '/v1/network/rules') as Promise<T.NetworkRules>;
  }

  /** Installed runtime packs */
  listPacks(): Promise<T.PackInfo[]> {
    return this.call('GET', '/v1/packs') as Promise<T.PackInfo[]>;
  }

  /** AI programs that can work on a task, and whose models each can use. Problems of its own: keys-locked, model-failed, update-settings */
  listPrograms(): Promise<T.Program[]> {
    return this.call('GET', '/v1/programs') as Promise<T.Program[]>;
  }

  /** What was refused to AIs, and which change of your rules would allow it?, page by page */
  allProposals(query: { limit?: number; cursor?: string } = {}): AsyncIterable<T.Proposal> {
    return this.pages('GET', '/v1/policy/proposals', { query }) as AsyncIterable<T.Proposal>;
  }

  /** What was refused to AIs, and which change of your rules would allow it? */
  listProposals(query: { limit?: number; cursor?: string } = {}): Promise<T.Proposal[]> {
    return this.call('GET', '/v1/policy/proposals', { query }) as Promise<T.Proposal[]>;
  }

  /** What waits for a person, the riskiest first, page by page */
  allQuestions(query: { limit?: number; cursor?: string; task?: string } = {}): AsyncIterable<T.Question> {
    return this.pages('GET', '/v1/questions', { query }) as AsyncIterable<T.Question>;
  }

  /** What waits for a person, the riskiest first */
  listQuestions(query: { limit?: number; cursor?: string; task?: string } = {}): Promise<T.Question[]> {
    return this.call('GET', '/v1/questions', { query }) as Promise<T.Question[]>;
  }

  /** Which other computers are there for tasks?, page by page */
  allRemotes(query: { limit?: number; cursor?: string } = {}): AsyncIterable<T.Remote> {
    return this.pages('GET', '/v1/remotes', { query }) as AsyncIterable<T.Remote>;
  }

  /** Which other computers are there for tasks? */
  listRemotes(query: { limit?: number; cursor?: string } = {}): Promise<T.Remote[]> {
    return this.call('GET', '/v1/remotes', { query }) as Promise<T.Remote[]>;
  }

  /** What was decided for longer than once, page by page */
  allRules(query: { limit?: number; cursor?: string } = {}): AsyncIterable<T.Rule> {
    return this.pages('GET', '/v1/rules', { query }) as AsyncIterable<T.Rule>;
  }

  /** What was decided for longer than once */
  listRules(query: { limit?: number; cursor?: string } = {}): Promise<T.Rule[]> {
    return this.call('GET', '/v1/rules', { query }) as Promise<T.Rule[]>;
  }

  /** Which kinds of places for tasks are there, and do they work here? */
  listRuntimes(): Promise<T.RuntimeStatus[]> {
    return this.call('GET', '/v1/runtimes') as Promise<T.RuntimeStatus[]>;
  }

  /** Chores with parameters and folders, to be done again, page by page */
  allSavedChores(query: { limit?: number; cursor?: string } = {}): AsyncIterable<T.SavedChore> {
    return this.pages('GET', '/v1/saved', { query }) as AsyncIterable<T.SavedChore>;
  }

  /** Chores with parameters and folders, to be done again */
  listSavedChores(query: { limit?: number; cursor?: string } = {}): Promise<T.SavedChore[]> {
    return this.call('GET', '/v1/saved', { query }) as Promise<T.SavedChore[]>;
  }

  /** Services that many people use */
  listServicePresets(): Promise<T.Preset[]> {
    return this.call('GET', '/v1/service-presets') as Promise<T.Preset[]>;
  }

  /** The services that tasks can use with a secret. Problems of its own: keychain, keys-locked, page by page */
  allServices(query: { limit?: number; cursor?: string } = {}): AsyncIterable<T.Service> {
    return this.pages('GET', '/v1/services', { query }) as AsyncIterable<T.Service>;
  }

  /** The services that tasks can use with a secret. Problems of its own: keychain, keys-locked */
  listServices(query: { limit?: number; cursor?: string } = {}): Promise<T.Service[]> {
    return this.call('GET', '/v1/services', { query }) as Promise<T.Service[]>;
  }

  /** Sessions, the oldest first, page by page */
  allSessions(query: { limit?: number; cursor?: string; task?: string } = {}): AsyncIterable<T.Session> {
    return this.pages('GET', '/v1/sessions', { query }) as AsyncIterable<T.Session>;
  }

  /** Sessions, the oldest first */
  listSessions(query: { limit?: number; cursor?: string; task?: string } = {}): Promise<T.Session[]> {
    return this.call('GET', '/v1/sessions', { query }) as Promise<T.Session[]>;
  }

  /** Tasks, newest first, page by page */
  allTasks(query: { q?: string; state?: T.TaskState[]; kind?: T.TaskKind[]; folder?: string; since?: string; before?: string; limit?: number; cursor?: string } = {}): AsyncIterable<T.Task> {
    return this.pages('GET', '/v1/tasks', { query }) as AsyncIterable<T.Task>;
  }

  /** Tasks, newest first */
  listTasks(query: { q?: string; state?: T.TaskState[]; kind?: T.TaskKind[]; folder?: string; since?: string; before?: string; limit?: number; cursor?: string } = {}): Promise<T.Task[]> {
    return this.call('GET', '/v1/tasks', { query }) as Promise<T.Task[]>;
  }

  /** The tokens of other programs, without their secrets, page by page */
  allTokens(query: { limit?: number; cursor?: string } = {}): AsyncIterable<T.Token> {
    return this.pages('GET', '/v1/tokens', { query }) as AsyncIterable<T.Token>;
  }

  /** The tokens of other programs, without their secrets */
  listTokens(query: { limit?: number; cursor?: string } = {}): Promise<T.Token[]> {
    return this.call('GET', '/v1/tokens', { query }) as Promise<T.Token[]>;
  }

  /** The operations on files */
  listTools(): Promise<T.ToolDescription[]> {
    return this.call('GET', '/v1/tools') as Promise<T.ToolDescription[]>;
  }

  /** Sign in to a remote MCP server. Problems of its own: keychain, keys-locked, mcp-server, not-found, rule-denied, timeout */
  loginMCPServer(name: string, body: T.MCPLoginRequest): Promise<T.MCPLogin> {
    return this.call('POST', '/v1/mcp-servers/{name}/login', { path: { name }, body }) as Promise<T.MCPLogin>;
  }

  /** Break off a sign-in to an MCP server, or forget the last one. Problems of its own: keychain, keys-locked, not-found */
  logoutMCPServer(name: string): Promise<T.Logout> {
    return this.call('DELETE', '/v1/mcp-servers/{name}/login', { path: { name } }) as Promise<T.Logout>;
  }

  /** Which folders would a task get for what was dropped on the window? */
  lookAtDropped(body: T.DroppedRequest): Promise<T.DroppedFolder[]> {
    return this.call('POST', '/v1/dropped', { body }) as Promise<T.DroppedFolder[]>;
  }

  /** Make a folder with pictures to try a chore on */
  makeSamples(body?: T.SamplesRequest): Promise<T.SamplesFolder> {
    return this.call('POST', '/v1/samples', { body }) as Promise<T.SamplesFolder>;
  }

  /** How does the sign-in to an MCP server stand?. Problems of its own: not-found */
  mcpServerLogin(name: string): Promise<T.MCPLogin> {
    return this.call('GET', '/v1/mcp-servers/{name}/login', { path: { name } }) as Promise<T.MCPLogin>;
  }

  /** Have the system ask for an administrator, and run what the last report says of a fix. Problems of its own: not-mended */
  mend(body: T.MendRequest): Promise<T.Mended> {
    return this.call('POST', '/v1/status/mend', { body }) as Promise<T.Mended>;
  }

  /** Move the data of piwork to another folder or disk. Problems of its own: move-refused */
  moveStorage(body: T.MoveRequest): Promise<T.StorageMove> {
    return this.call('POST', '/v1/storage/move', { body }) as Promise<T.StorageMove>;
  }

  /** Have a decision hold for less. Problems of its own: not-found, record-damaged */
  narrowRule(rule: string, body: T.RuleScope): Promise<T.Rule> {
    return this.call('PUT', '/v1/rules/{rule}/scope', { path: { rule }, body }) as Promise<T.Rule>;
  }

  /** Stop the download and keep what arrived */
  pauseUpdate(): Promise<T.UpdateState> {
    return this.call('POST', '/v1/update/pause') as Promise<T.UpdateState>;
  }

  /** Make ready, now, what lets machines be there at once. Problems of its own: accel-unavailable, boot-failed, key-revoked, no-instant, no-room, not-checked, pack-corrupt, pack-missing, pack-too-new */
  prepareMachines(): Promise<T.Machines> {
    return this.call('POST', '/v1/machines/prepare') as Promise<T.Machines>;
  }

  /** List what an undo, redo, apply or discard would do, with what goes along. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running, undo-waits */
  previewChanges(id: string, body: T.PreviewRequest): Promise<T.Preview> {
    return this.call('POST', '/v1/tasks/{id}/changes/preview', { path: { id }, body }) as Promise<T.Preview>;
  }

  /** Add a service, or change one. Problems of its own: keychain, keys-locked */
  putService(name: string, body: T.Definition): Promise<T.Service> {
    return this.call('PUT', '/v1/services/{name}', { path: { name }, body }) as Promise<T.Service>;
  }

  /** Read a file of a task. Problems of its own: file-kind, file-missing, file-outside, input-online, not-at-work, not-found, pack-corrupt, rule-denied, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed */
  readFile(id: string, body: T.ReadRequest): Promise<T.TaskFileContent> {
    return this.call('POST', '/v1/tasks/{id}/files/read', { path: { id }, body }) as Promise<T.TaskFileContent>;
  }

  /** Read the output of a session where a WebSocket cannot pass. Problems of its own: not-found, session-busy */
  readSession(session: string, query: { client: string; from?: number; seen?: number; waitMs?: number }): Promise<T.Output> {
    return this.call('GET', '/v1/sessions/{session}/output', { path: { session }, query }) as Promise<T.Output>;
  }

  /** Bring back what was taken back. Problems of its own: folder-silent, list-changed, not-found, record-damaged, rule-denied, task-running, undo-waits */
  redoTask(id: string, body: T.RedoRequest): Promise<T.RedoReport> {
    return this.call('POST', '/v1/tasks/{id}/redo', { path: { id }, body }) as Promise<T.RedoReport>;
  }

  /** How much does piwork have on another computer?. Problems of its own: vm-failed */
  remoteUsage(name: string): Promise<T.RemoteUsage> {
    return this.call('GET', '/v1/remotes/{name}/usage', { path: { name } }) as Promise<T.RemoteUsage>;
  }

  /** Delete an add-on. Problems of its own: addon-unknown, pack-in-use */
  removeAddOn(name: string): Promise<void> {
    return this.call('DELETE', '/v1/addons/{name}', { path: { name } }) as Promise<void>;
  }

  /** Take an exception back. Problems of its own: exception-changed, policy-changed, policy-fault */
  removeException(exception: string): Promise<void> {
    return this.call('DELETE', '/v1/policy/exceptions/{exception}', { path: { exception } }) as Promise<void>;
  }

  /** Take a folder from a task that runs. Problems of its own: folders-fixed, not-found, record-damaged */
  removeFolder(id: string, folder: string): Promise<T.Task> {
    return this.call('DELETE', '/v1/tasks/{id}/folders/{folder}', { path: { id, folder } }) as Promise<T.Task>;
  }

  /** Forget a key. Problems of its own: key-invalid, keychain, keys-locked, not-found */
  removeKey(provider: string): Promise<void> {
    return this.call('DELETE', '/v1/keys/{provider}', { path: { provider } }) as Promise<void>;
  }

  /** Remove an MCP server, and what is kept for it. Problems of its own: keychain, keys-locked, not-found */
  removeMCPServer(name: string): Promise<void> {
    return this.call('DELETE', '/v1/mcp-servers/{name}', { path: { name } }) as Promise<void>;
  }

  /** Delete a runtime that is not in use. Problems of its own: not-found, pack-in-use */
  removePack(version: string): Promise<void> {
    return this.call('DELETE', '/v1/packs/{version}', { path: { version } }) as Promise<void>;
  }

  /** Forget another computer */
  removeRemote(name: string): Promise<void> {
    return this.call('DELETE', '/v1/remotes/{name}', { path: { name } }) as Promise<void>;
  }

  /** Take back what was decided. Problems of its own: not-found */
  removeRule(rule: string): Promise<void> {
    return this.call('DELETE', '/v1/rules/{rule}', { path: { rule } }) as Promise<void>;
  }

  /** Forget a saved chore. Problems of its own: not-found */
  removeSavedChore(id: string): Promise<void> {
    return this.call('DELETE', '/v1/saved/{id}', { path: { id } }) as Promise<void>;
  }

  /** Remove a service and its secret. Problems of its own: keychain, keys-locked, unknown-service */
  removeService(name: string): Promise<void> {
    return this.call('DELETE', '/v1/services/{name}', { path: { name } }) as Promise<void>;
  }

  /** Give a task a title; an empty one brings the made one back. Problems of its own: not-found, record-damaged */
  renameTask(id: string, body: T.RenameRequest): Promise<T.Task> {
    return this.call('PATCH', '/v1/tasks/{id}', { path: { id }, body }) as Promise<T.Task>;
  }

  /** Bring the runtime in use back to what was signed. Problems of its own: accel-unavailable, addon-mismatch, download-failed, download-invalid, input-missing, input-unreadable, key-revoked, not-checked, not-found, pack-busy, pack-corrupt, pack-in-use, pack-invalid, pack-missing, pack-too-new, update-invalid, update-not-booting, update-not-offered, update-off, update-offline, update-settings, vm-failed */
  repairPack(body?: T.RepairRequest): Promise<T.PackInfo> {
    return this.call('POST', '/v1/packs/repair', { body }) as Promise<T.PackInfo>;
  }

  /** Change the size of a session's terminal. Problems of its own: not-found, session-unfit */
  resizeSession(session: string, body: T.TerminalSize): Promise<T.Session> {
    return this.call('POST', '/v1/sessions/{session}/resize', { path: { session }, body }) as Promise<T.Session>;
  }

  /** Go on with a task that was interrupted, stopped or failed. Problems of its own: folder-refused, folder-silent, machine-settings, not-found, not-resumable, record-damaged, task-running, token-folder, unknown-chore */
  resumeTask(id: string, query: { detached?: boolean } = {}): Promise<T.Task> {
    return this.call('POST', '/v1/tasks/{id}/resume', { path: { id }, query }) as Promise<T.Task>;
  }

  /** Revoke a token. Problems of its own: not-found, token-unwritten */
  revokeToken(token: string): Promise<void> {
    return this.call('DELETE', '/v1/tokens/{token}', { path: { token } }) as Promise<void>;
  }

  /** Use the previous runtime again. Problems of its own: key-revoked, no-previous, pack-invalid, pack-too-new */
  rollbackPack(): Promise<T.PackInfo> {
    return this.call('POST', '/v1/packs/rollback') as Promise<T.PackInfo>;
  }

  /** Have a shell do a command, and wait for its end. Problems of its own: not-found, runtime-unfit, session-busy, session-over, session-unfit */
  runInSession(session: string, body: T.RunRequest): Promise<T.RunResult> {
    return this.call('POST', '/v1/sessions/{session}/run', { path: { session }, body }) as Promise<T.RunResult>;
  }

  /** Save a chore to do it again. Problems of its own: not-found, unknown-chore */
  saveChore(body: T.SaveChoreRequest): Promise<T.SavedChore> {
    return this.call('POST', '/v1/saved', { body }) as Promise<T.SavedChore>;
  }

  /** Give an AI task a message. Problems of its own: folder-refused, folder-silent, machine-settings, not-found, not-resumable, record-damaged, task-running, token-folder */
  say(id: string, body: T.SayRequest): Promise<T.Task> {
    return this.call('POST', '/v1/tasks/{id}/messages', { path: { id }, body }) as Promise<T.Task>;
  }

  /** Say what a model of a service of one's own can do. Problems of its own: keys-locked, model-failed, no-model, unknown-model */
  sayOfModel(body: T.ModelWord): Promise<T.Models> {
    return this.call('PUT', '/v1/models/said', { body }) as Promise<T.Models>;
  }

  /** Have the system start the process at login, or not. Problems of its own: at-login, at-login-elsewhere, no-process */
  setAtLogin(body: T.AtLoginChoice): Promise<T.AtLogin> {
    return this.call('PUT', '/v1/settings/at-login', { body }) as Promise<T.AtLogin>;
  }

  /** Choose for how long they are kept */
  setAuditKeeping(body: T.AuditSettings): Promise<T.AuditSettings> {
    return this.call('POST', '/v1/settings/audit', { body }) as Promise<T.AuditSettings>;
  }

  /** Keep a key in the keychain of this computer. Problems of its own: key-invalid, keychain, keys-locked */
  setKey(provider: string, body: T.KeyRequest): Promise<T.KeyInfo> {
    return this.call('PUT', '/v1/keys/{provider}', { path: { provider }, body }) as Promise<T.KeyInfo>;
  }

  /** Choose where keys are kept, and move them there. Problems of its own: keychain, keys-locked, passphrase */
  setKeyStore(body: T.KeyStoreChoice): Promise<T.KeyStore> {
    return this.call('PUT', '/v1/settings/keys', { body }) as Promise<T.KeyStore>;
  }

  /** Change what an MCP server may connect to. Problems of its own: not-found, unknown-service */
  setMCPServerReach(name: string, body: T.MCPServerReach): Promise<T.MCPServer> {
    return this.call('PUT', '/v1/mcp-servers/{name}/reach', { path: { name }, body }) as Promise<T.MCPServer>;
  }

  /** Choose how much of this computer the machines of tasks get. Problems of its own: machine-settings */
  setMachines(body: T.MachineSettings): Promise<T.Machines> {
    return this.call('POST', '/v1/settings/machines', { body }) as Promise<T.Machines>;
  }

  /** Which model is taken when none is named. Problems of its own: keys-locked, model-failed, unknown-model */
  setModel(body: T.ModelChoice): Promise<T.Models> {
    return this.call('PUT', '/v1/models/default', { body }) as Promise<T.Models>;
  }

  /** Allow a group of hosts everywhere, or not any more. Problems of its own: not-found */
  setNetworkPreset(name: string, body: T.PresetChoice): Promise<T.NetworkPreset> {
    return this.call('PUT', '/v1/network/presets/{name}', { path: { name }, body }) as Promise<T.NetworkPreset>;
  }

  /** Replace your file of rules. Problems of its own: policy-changed, policy-fault */
  setPolicy(body: T.PolicyText): Promise<T.Policy> {
    return this.call('PUT', '/v1/policy', { body }) as Promise<T.Policy>;
  }

  /** Say when a decision ends. Problems of its own: not-found */
  setRuleEnd(rule: string, body: T.RuleEnd): Promise<T.Rule> {
    return this.call('PUT', '/v1/rules/{rule}/end', { path: { rule }, body }) as Promise<T.Rule>;
  }

  /** Choose which kinds of places are preferred, and what is said to weaker ones. Problems of its own: not-found */
  setRuntimes(body: T.RuntimeSettings): Promise<T.RuntimeSettings> {
    return this.call('POST', '/v1/settings/runtimes', { body }) as Promise<T.RuntimeSettings>;
  }

  /** Keep the secret of a service in the keychain of this computer. Problems of its own: key-invalid, keychain, keys-locked, unknown-service */
  setServiceSecret(name: string, body: T.SecretRequest): Promise<T.Service> {
    return this.call('PUT', '/v1/services/{name}/secret', { path: { name }, body }) as Promise<T.Service>;
  }

  /** Work without acceleration, by choice */
  setSlowMode(body: T.SlowMode): Promise<T.StatusReport> {
    return this.call('POST', '/v1/settings/slow-mode', { body }) as Promise<T.StatusReport>;
  }

  /** Change the model of an AI task, or how long it thinks. Problems of its own: agent-failed, agent-model, keys-locked, model-failed, no-model, not-found, not-resumable, record-damaged, task-running, unknown-model */
  setTaskModel(id: string, body: T.TaskModelRequest): Promise<T.Task> {
    return this.call('PUT', '/v1/tasks/{id}/model', { path: { id }, body }) as Promise<T.Task>;
  }

  /** Choose where traces and metrics are sent, or nowhere */
  setTelemetry(body: T.Settings): Promise<T.Settings> {
    return this.call('PUT', '/v1/settings/telemetry', { body }) as Promise<T.Settings>;
  }

  /** Choose for how long undo is kept */
  setUndoKeeping(body: T.UndoSettings): Promise<T.UndoKeeping> {
    return this.call('POST', '/v1/settings/undo', { body }) as Promise<T.UndoKeeping>;
  }

  /** Choose whether, where and how updates are looked for. Problems of its own: update-settings */
  setUpdates(body: T.UpdateSettings): Promise<T.UpdateState> {
    return this.call('POST', '/v1/settings/updates', { body }) as Promise<T.UpdateState>;
  }

  /** Choose what searches the web in the place of tasks */
  setWebSearch(body: T.WebSearch): Promise<T.WebSearch> {
    return this.call('PUT', '/v1/settings/search', { body }) as Promise<T.WebSearch>;
  }

  /** Choose how the window behaves */
  setWindowSettings(body: T.WindowSettings): Promise<T.WindowSettings> {
    return this.call('PUT', '/v1/settings/window', { body }) as Promise<T.WindowSettings>;
  }

  /** Send a signal to the programs of a session. Problems of its own: not-found, session-over */
  signalSession(session: string, body: T.SignalRequest): Promise<T.Session> {
    return this.call('POST', '/v1/sessions/{session}/signal', { path: { session }, body }) as Promise<T.Session>;
  }

  /** Start a new task that asks for the same. Problems of its own: agent-model, folder-refused, folder-silent, keys-locked, machine-settings, model-failed, no-model, not-found, not-repeatable, record-damaged, token-folder, unknown-chore, unknown-model, unknown-service, unsupported */
  startAgain(id: string, body?: T.AgainRequest): Promise<T.Task> {
    return this.call('POST', '/v1/tasks/{id}/again', { path: { id }, body }) as Promise<T.Task>;
  }

  /** Record a task and start it. Problems of its own: agent-model, folder-overlap, folder-refused, folder-silent, keys-locked, machine-settings, model-failed, no-model, token-folder, unknown-chore, unknown-model, unknown-service, unsupported */
  startTask(body: T.StartRequest): Promise<T.Task> {
    return this.call('POST', '/v1/tasks', { body }) as Promise<T.Task>;
  }

  /** Download, install, try and use what is new, or go on after a pause. Problems of its own: addon-unknown, update-invalid, update-off, update-settings */
  startUpdate(body?: T.UpdateRequest): Promise<T.UpdateState> {
    return this.call('POST', '/v1/update/start', { body }) as Promise<T.UpdateState>;
  }

  /** What is there at a path, and which digest has a file?. Problems of its own: file-kind, file-missing, file-outside, input-online, not-at-work, not-found, pack-corrupt, rule-denied, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed */
  statFile(id: string, body: T.StatRequest): Promise<T.TaskFile> {
    return this.call('POST', '/v1/tasks/{id}/files/stat', { path: { id }, body }) as Promise<T.TaskFile>;
  }

  /** The agent's own events, untouched, as they come. Problems of its own: not-found */
  streamAgentEvents(id: string): AsyncIterable<unknown> {
    return this.stream('GET', '/v1/tasks/{id}/agent', { path: { id }, endless: true }) as AsyncIterable<unknown>;
  }

  /** What happens, as it happens. Problems of its own: not-found */
  streamEvents(query: { after?: number; task?: string; kind?: string[]; wait?: boolean; hold?: boolean } = {}): AsyncIterable<T.Event> {
    return this.stream('GET', '/v1/events', { query }) as AsyncIterable<T.Event>;
  }

  /** Take back a message that was not heard yet. Problems of its own: agent-failed, message-heard, not-found, not-resumable, record-damaged, task-running */
  takeBack(id: string, message: string): Promise<T.Task> {
    return this.call('DELETE', '/v1/tasks/{id}/messages/{message}', { path: { id, message } }) as Promise<T.Task>;
  }

  /** Ask the provider whether it takes the key. Problems of its own: keys-locked */
  testKey(provider: string): Promise<T.KeyTest> {
    return this.call('POST', '/v1/keys/{provider}/test', { path: { provider } }) as Promise<T.KeyTest>;
  }

  /** Have a kind of place do a small task, now. Problems of its own: runtime-unfit */
  testRuntime(kind: string): Promise<T.RuntimeStatus> {
    return this.call('POST', '/v1/runtimes/{kind}/test', { path: { kind } }) as Promise<T.RuntimeStatus>;
  }

  /** Ask the hosts of a service whether they take the secret. Problems of its own: keychain, keys-locked, service-secret, timeout, unknown-service */
  testService(name: string): Promise<T.HostTest[]> {
    return this.call('POST', '/v1/services/{name}/test', { path: { name } }) as Promise<T.HostTest[]>;
  }

  /** Take changes back. Problems of its own: folder-refused, folder-silent, list-changed, not-found, record-damaged, rule-denied, task-running, undo-waits */
  undoTask(id: string, body: T.UndoRequest): Promise<T.UndoReport> {
    return this.call('POST', '/v1/tasks/{id}/undo', { path: { id }, body }) as Promise<T.UndoReport>;
  }

  /** Open the file of keys until the program ends. Problems of its own: keychain, passphrase */
  unlockKeys(body: T.Passphrase): Promise<T.KeyStore> {
    return this.call('POST', '/v1/settings/keys/unlock', { body }) as Promise<T.KeyStore>;
  }

  /** Does the chain of the audit log hold? */
  verifyAudit(): Promise<T.AuditReport> {
    return this.call('GET', '/v1/audit/verify') as Promise<T.AuditReport>;
  }

  /** Is every byte of this file covered by a trusted signature?. Problems of its own: input-missing, input-unreadable, pack-invalid */
  verifyPack(body: T.FileRequest): Promise<T.PackInfo> {
    return this.call('POST', '/v1/packs/verify', { body }) as Promise<T.PackInfo>;
  }

  /** Visit the web with a browser, in a task. Problems of its own: addon-missing, file-changed, file-kind, file-missing, file-outside, file-too-large, input-online, network-off, not-at-work, not-found, pack-corrupt, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed, web-unreachable */
  visit(id: string, body: T.VisitRequest): Promise<T.PageResult> {
    return this.call('POST', '/v1/tasks/{id}/visit', { path: { id }, body }) as Promise<T.PageResult>;
  }

  /** Hear what changes in a directory of a task. Problems of its own: file-kind, file-missing, file-outside, input-online, not-at-work, not-found, pack-corrupt, rule-denied, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed */
  watchFiles(id: string, query: { path: string; depth?: number; seconds?: number; limit?: number; requires?: string[] }): AsyncIterable<unknown> {
    return this.stream('GET', '/v1/tasks/{id}/files/watch', { path: { id }, query, endless: true }) as AsyncIterable<unknown>;
  }

  /** Write what was shown, byte for byte, into a zip file. Problems of its own: changed-since, output-exists */
  writeDiagnostics(body: T.DiagnosticsRequest): Promise<T.DiagnosticsFile> {
    return this.call('POST', '/v1/diagnostics', { body }) as Promise<T.DiagnosticsFile>;
  }

  /** Write a file of a task. Problems of its own: file-changed, file-kind, file-missing, file-outside, file-too-large, input-online, not-at-work, not-found, pack-corrupt, rule-denied, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed */
  writeFile(id: string, body: T.WriteRequest): Promise<T.TaskFile> {
    return this.call('POST', '/v1/tasks/{id}/files/write', { path: { id }, body }) as Promise<T.TaskFile>;
  }

  /** Type into a session where a WebSocket cannot pass. Problems of its own: not-found, session-busy, session-over */
  writeSession(session: string, body: T.InputRequest): Promise<T.Session> {
    return this.call('POST', '/v1/sessions/{session}/input', { path: { session }, body }) as Promise<T.Session>;
  }
}
