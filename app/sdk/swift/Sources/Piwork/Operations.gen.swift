// Made from the table of operations by `go run ./scripts/lib/sdk`. Do not edit.

import Foundation

extension Piwork {
  /// Do what the plan says. Problems of its own: not-found, record-damaged, task-not-waiting
  public func acceptPlan(_ id: String) async throws -> Task {
    try await answer("POST", "/v1/tasks/{id}/accept", path: ["id": id]).value()
  }

  /// Change your rules as proposed. Problems of its own: not-found, policy-changed, policy-fault
  public func acceptProposal(_ proposal: String, _ body: Acceptance? = nil) async throws -> Policy {
    try await answer("POST", "/v1/policy/proposals/{proposal}/accept", path: ["proposal": proposal], body: body).value()
  }

  /// Finish, leave out, or do again a step. Problems of its own: not-found
  public func actWizard(_ step: String, _ body: WizardRequest) async throws -> Wizard {
    try await answer("POST", "/v1/wizard/{step}", path: ["step": step], body: body).value()
  }

  /// Let a task that runs have another folder. Problems of its own: denied, folder-overlap, folder-refused, folder-silent, folders-fixed, not-found, record-damaged, rule-denied, runtime-unfit, token-folder
  public func addFolder(_ id: String, _ body: FolderRequest) async throws -> Task {
    try await answer("POST", "/v1/tasks/{id}/folders", path: ["id": id], body: body).value()
  }

  /// Add an MCP server. Problems of its own: folder-refused, folder-silent, keychain, keys-locked, unknown-service
  public func addMCPServer(_ body: MCPServerAddition) async throws -> MCPServer {
    try await answer("POST", "/v1/mcp-servers", body: body).value()
  }

  /// Allow or deny a name. Problems of its own: not-found, record-damaged
  public func addNetworkRule(_ body: NetworkRuleRequest) async throws -> Rule {
    try await answer("POST", "/v1/network/rules", body: body).value()
  }

  /// Add another computer. Problems of its own: vm-failed
  public func addRemote(_ body: RemoteAddition) async throws -> Remote {
    try await answer("POST", "/v1/remotes", body: body).value()
  }

  /// Allow a tool of an MCP server, or not any more. Problems of its own: not-found
  public func allowMCPTool(_ name: String, _ body: MCPToolChoice) async throws -> MCPServer {
    try await answer("POST", "/v1/mcp-servers/{name}/tools", path: ["name": name], body: body).value()
  }

  /// Decide a question. Problems of its own: folder-overlap, folder-refused, folder-silent, not-found, question-over, record-damaged
  public func answerQuestion(_ id: String, _ question: String, _ body: AnswerRequest) async throws -> Decision {
    try await answer("POST", "/v1/tasks/{id}/questions/{question}", path: ["id": id, "question": question], body: body).value()
  }

  /// Decide about changes that wait in front of a folder. Problems of its own: folder-refused, folder-silent, list-changed, not-found, record-damaged, rule-denied, task-running
  public func applyTask(_ id: String, _ body: ApplyRequest) async throws -> ApplyReport {
    try await answer("POST", "/v1/tasks/{id}/apply", path: ["id": id], body: body).value()
  }

  /// Take what the last task changed out of the cache of a project. Problems of its own: cache-in-use, cache-no-way-back, not-found
  public func backCache(_ id: String) async throws {
    _ = try await answer("POST", "/v1/caches/{id}/back", path: ["id": id])
  }

  /// Begin to sign in to a provider. Problems of its own: key-invalid, keys-locked, login-failed
  public func beginLogin(_ provider: String, _ body: LoginRequest? = nil) async throws -> Login {
    try await answer("POST", "/v1/keys/{provider}/login", path: ["provider": provider], body: body).value()
  }

  /// Write the one file for an installation without a network. Problems of its own: addon-unknown, bundle-incomplete, download-failed, download-invalid, key-revoked, output-exists, pack-corrupt, pack-invalid, pack-missing, pack-too-new, update-settings
  public func bundlePack(_ body: BundleRequest) async throws -> BundleInfo {
    try await answer("POST", "/v1/packs/bundle", body: body).value()
  }

  /// End a login. Problems of its own: not-found
  public func cancelLogin(_ id: String) async throws {
    _ = try await answer("DELETE", "/v1/logins/{id}", path: ["id": id])
  }

  /// End a move of the data: everything is as it was
  public func cancelMove() async throws -> StorageMove {
    try await answer("DELETE", "/v1/storage/move").value()
  }

  /// Stop a task. Problems of its own: not-found
  public func cancelTask(_ id: String, held: Bool? = nil) async throws -> Task {
    try await answer("POST", "/v1/tasks/{id}/cancel", path: ["id": id], query: ["held": held]).value()
  }

  /// Encrypt the file of keys with another passphrase. Problems of its own: keychain, keys-locked, passphrase
  public func changePassphrase(_ body: PassphraseChange) async throws -> KeyStore {
    try await answer("POST", "/v1/settings/keys/passphrase", body: body).value()
  }

  /// Start an MCP server once, and list its tools. Problems of its own: accel-unavailable, boot-failed, denied, folder-refused, folder-silent, key-revoked, keychain, keys-locked, mcp-server, no-room, not-checked, not-found, pack-corrupt, pack-missing, pack-too-new, rule-denied, runtime-unfit, service-secret, share-failed, timeout, unknown-service, unsupported, vm-failed
  public func checkMCPServer(_ name: String) async throws -> MCPServer {
    try await answer("POST", "/v1/mcp-servers/{name}/check", path: ["name": name]).value()
  }

  /// What is wrong with a text of rules, and what does it say?
  public func checkPolicy(_ body: PolicyText) async throws -> PolicyCheck {
    try await answer("POST", "/v1/policy/check", body: body).value()
  }

  /// Look at everything again, the proof boot included
  public func checkStatus() async throws -> StatusReport {
    try await answer("POST", "/v1/status/check").value()
  }

  /// Look at the channel now
  public func checkUpdate() async throws -> UpdateState {
    try await answer("POST", "/v1/update/check").value()
  }

  /// Is this window the first that would tell of an event?
  public func claimNotice(_ body: NoticeClaim) async throws -> NoticeClaimed {
    try await answer("POST", "/v1/notices", body: body).value()
  }

  /// End what runs on another computer, and remove all that piwork keeps there. Problems of its own: vm-failed
  public func cleanRemote(_ name: String) async throws {
    _ = try await answer("POST", "/v1/remotes/{name}/clean", path: ["name": name])
  }

  /// Remove what can be made again, or is of no use any more. Problems of its own: cache-in-use
  public func cleanStorage(_ body: CleanRequest) async throws -> Cleaned {
    try await answer("POST", "/v1/storage/clean", body: body).value()
  }

  /// End a session with everything that it started. Problems of its own: not-found
  public func closeSession(_ session: String) async throws -> Session {
    try await answer("DELETE", "/v1/sessions/{session}", path: ["session": session]).value()
  }

  /// Have the older messages of an AI task summarised. Problems of its own: folder-refused, folder-silent, machine-settings, not-found, not-resumable, record-damaged, task-running, token-folder
  public func compactTask(_ id: String, detached: Bool? = nil) async throws -> Task {
    try await answer("POST", "/v1/tasks/{id}/compact", path: ["id": id], query: ["detached": detached]).value()
  }

  /// What a change did to a file. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running
  public func compareChange(_ id: String, _ change: String) async throws -> Comparison {
    try await answer("GET", "/v1/tasks/{id}/changes/{change}", path: ["id": id, "change": change]).value()
  }

  /// Start a shell or a program in the workroom of a task, which stays when its clients go. Problems of its own: accel-unavailable, addon-missing, boot-failed, denied, folder-gone, folder-refused, folder-silent, key-revoked, keychain, keys-locked, model-failed, no-model, no-room, no-sessions, not-checked, not-found, pack-corrupt, pack-missing, pack-too-new, rule-denied, runtime-unfit, service-secret, session-busy, share-failed, start-failed, timeout, unknown-model, unknown-service, unsupported, vm-failed
  public func createSession(_ id: String, _ body: Request? = nil) async throws -> Session {
    try await answer("POST", "/v1/tasks/{id}/sessions", path: ["id": id], body: body).value()
  }

  /// Make a token for another program. Problems of its own: folder-overlap, folder-refused, folder-silent, token-name
  public func createToken(_ body: TokenRequest) async throws -> NewToken {
    try await answer("POST", "/v1/tokens", body: body).value()
  }

  /// Delete the record, its journal and its results. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running, undo-waits
  public func deleteTask(_ id: String, abandonUndo: Bool? = nil) async throws {
    _ = try await answer("DELETE", "/v1/tasks/{id}", path: ["id": id], query: ["abandonUndo": abandonUndo])
  }

  /// Let a task go on when its callers are gone. Problems of its own: not-found
  public func detachTask(_ id: String) async throws -> Task {
    try await answer("POST", "/v1/tasks/{id}/detach", path: ["id": id]).value()
  }

  /// Refuse a proposal. Problems of its own: not-found
  public func dropProposal(_ proposal: String) async throws {
    _ = try await answer("DELETE", "/v1/policy/proposals/{proposal}", path: ["proposal": proposal])
  }

  /// Empty the cache of a project. Problems of its own: cache-in-use, not-found
  public func emptyCache(_ id: String) async throws {
    _ = try await answer("DELETE", "/v1/caches/{id}", path: ["id": id])
  }

  /// Say that a command of the command line is over, for its trace
  public func endCommand(_ body: Command) async throws -> Command {
    try await answer("POST", "/v1/telemetry/command", body: body).value()
  }

  /// End the process that answers. Problems of its own: controller-working, no-process
  public func endProcess(_ body: EndRequest? = nil) async throws {
    _ = try await answer("POST", "/v1/process/end", body: body)
  }

  /// What do the rules say to something, and which of them?
  public func explainPolicy(_ body: ExplainRequest) async throws -> Explanation {
    try await answer("POST", "/v1/policy/explain", body: body).value()
  }

  /// Where would a task work, and why not elsewhere?
  public func explainRuntime(_ body: RuntimeNeed) async throws -> RuntimeChoice {
    try await answer("POST", "/v1/runtimes/explain", body: body).value()
  }

  /// The audit log as a file that can be verified elsewhere
  public func exportAudit() async throws -> Data {
    try await answer("GET", "/v1/audit/export").bytes()
  }

  /// Everything that is known of a task, as a ZIP file. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running
  public func exportTask(_ id: String) async throws -> Data {
    try await answer("GET", "/v1/tasks/{id}/export", path: ["id": id]).bytes()
  }

  /// Get what is at an address of the web, in a task. Problems of its own: file-kind, file-missing, file-outside, file-too-large, input-online, network-off, not-at-work, not-found, pack-corrupt, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed, web-unreachable
  public func fetch(_ id: String, _ body: FetchRequest) async throws -> Fetched {
    try await answer("POST", "/v1/tasks/{id}/fetch", path: ["id": id], body: body).value()
  }

  /// Give a login the code that the page showed. Problems of its own: login-failed, not-found
  public func finishLogin(_ id: String, _ body: LoginCode) async throws -> LoginState {
    try await answer("POST", "/v1/logins/{id}", path: ["id": id], body: body).value()
  }

  /// Forget the secret of a service. Problems of its own: keychain, keys-locked, unknown-service
  public func forgetServiceSecret(_ name: String) async throws {
    _ = try await answer("DELETE", "/v1/services/{name}/secret", path: ["name": name])
  }

  /// Give that up: the changes stay listed and cannot be taken back any more. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running, undo-waits
  public func forgetUndo(_ id: String, abandonUndo: Bool? = nil) async throws -> UndoSpace {
    try await answer("DELETE", "/v1/tasks/{id}/undo", path: ["id": id], query: ["abandonUndo": abandonUndo]).value()
  }

  /// One event of the agent, untouched. Problems of its own: not-found, record-damaged
  public func getAgentLine(_ id: String, _ line: String) async throws -> JSON {
    try await answer("GET", "/v1/tasks/{id}/agent/{line}", path: ["id": id, "line": line]).value()
  }

  /// Does the system start the process at login?. Problems of its own: at-login, no-process
  public func getAtLogin() async throws -> AtLogin {
    try await answer("GET", "/v1/settings/at-login").value()
  }

  /// For how long are records of the audit log kept?
  public func getAuditKeeping() async throws -> AuditSettings {
    try await answer("GET", "/v1/settings/audit").value()
  }

  /// The bytes of a file before or after a change; ranges are honoured. Problems of its own: changed-since, folder-refused, folder-silent, not-found, record-damaged, task-running
  public func getChangeContent(_ id: String, _ change: String, _ side: String) async throws -> Data {
    try await answer("GET", "/v1/tasks/{id}/changes/{change}/{side}", path: ["id": id, "change": change, "side": side]).bytes()
  }

  /// What a report for a fault would hold, without secrets and names of files
  public func getDiagnostics() async throws -> Diagnostics {
    try await answer("GET", "/v1/diagnostics").value()
  }

  /// The program listens
  public func getHealth() async throws -> Health {
    try await answer("GET", "/_health").value()
  }

  /// How does everything stand?
  public func getHealthPage() async throws -> HealthPage {
    try await answer("GET", "/v1/health").value()
  }

  /// Where keys are kept
  public func getKeyStore() async throws -> KeyStore {
    try await answer("GET", "/v1/settings/keys").value()
  }

  /// The end of a log. Problems of its own: not-found
  public func getLog(_ name: String, tail: Int? = nil) async throws -> Data {
    try await answer("GET", "/v1/logs/{name}", path: ["name": name], query: ["tail": tail]).bytes()
  }

  /// How a login stands. Problems of its own: not-found
  public func getLogin(_ id: String) async throws -> LoginState {
    try await answer("GET", "/v1/logins/{id}", path: ["id": id]).value()
  }

  /// How is this computer shared out among the machines of tasks?
  public func getMachines() async throws -> Machines {
    try await answer("GET", "/v1/machines").value()
  }

  /// What this program is, and which tools its runtime has
  public func getManifest() async throws -> About {
    try await answer("GET", "/_manifest").value()
  }

  /// How often things happened, and how long they took, for Prometheus
  public func getMetrics() async throws -> Data {
    try await answer("GET", "/metrics").bytes()
  }

  /// What was chosen about models and keys
  public func getModelsChosen() async throws -> Chosen {
    try await answer("GET", "/v1/settings/models").value()
  }

  /// The token that the request came with. Problems of its own: not-found
  public func getOwnToken() async throws -> Token {
    try await answer("GET", "/v1/token").value()
  }

  /// What a chore will do. Problems of its own: not-found, record-damaged
  public func getPlan(_ id: String) async throws -> Plan {
    try await answer("GET", "/v1/tasks/{id}/plan", path: ["id": id]).value()
  }

  /// Which written rules are there, and what do they say?
  public func getPolicy() async throws -> Policy {
    try await answer("GET", "/v1/policy").value()
  }

  /// What is the process that answers, and why does it run?. Problems of its own: no-process
  public func getProcess() async throws -> ProcessStatus {
    try await answer("GET", "/v1/process").value()
  }

  /// The bytes of a result; ranges are honoured. Problems of its own: changed-since, file-kind, folder-refused, folder-silent, not-found, record-damaged, task-running
  public func getResult(_ id: String, _ index: String) async throws -> Data {
    try await answer("GET", "/v1/tasks/{id}/results/{index}", path: ["id": id, "index": index]).bytes()
  }

  /// One decision for longer than once. Problems of its own: not-found
  public func getRule(_ rule: String) async throws -> Rule {
    try await answer("GET", "/v1/rules/{rule}", path: ["rule": rule]).value()
  }

  /// Which kinds of places are preferred, and what is said to weaker ones?
  public func getRuntimeSettings() async throws -> RuntimeSettings {
    try await answer("GET", "/v1/settings/runtimes").value()
  }

  /// A service, without its secret. Problems of its own: keychain, keys-locked, unknown-service
  public func getService(_ name: String) async throws -> Service {
    try await answer("GET", "/v1/services/{name}", path: ["name": name]).value()
  }

  /// One session. Problems of its own: not-found
  public func getSession(_ session: String) async throws -> Session {
    try await answer("GET", "/v1/sessions/{session}", path: ["session": session]).value()
  }

  /// Was it chosen to work without acceleration?
  public func getSlowMode() async throws -> SlowMode {
    try await answer("GET", "/v1/settings/slow-mode").value()
  }

  /// Can this computer work, and if not, what is the next step?
  public func getStatus() async throws -> StatusReport {
    try await answer("GET", "/v1/status").value()
  }

  /// What takes how much of the disk?
  public func getStorage() async throws -> Storage {
    try await answer("GET", "/v1/storage").value()
  }

  /// How a move of the data stands
  public func getStorageMove() async throws -> StorageMove {
    try await answer("GET", "/v1/storage/move").value()
  }

  /// The record of a task. Problems of its own: not-found
  public func getTask(_ id: String) async throws -> Task {
    try await answer("GET", "/v1/tasks/{id}", path: ["id": id]).value()
  }

  /// What a task asked of services. Problems of its own: not-found, record-damaged
  public func getTaskRequests(_ id: String) async throws -> TaskRequests {
    try await answer("GET", "/v1/tasks/{id}/requests", path: ["id": id]).value()
  }

  /// Where are traces and metrics sent?
  public func getTelemetry() async throws -> Settings {
    try await answer("GET", "/v1/settings/telemetry").value()
  }

  /// What happened; seq counts per task. Problems of its own: not-found, page by page
  public func allTimeline(_ id: String, limit: Int? = nil, cursor: String? = nil, after: Int? = nil) -> Pages<Event> {
    Pages(self, requestPath("/v1/tasks/{id}/timeline", path: ["id": id], query: ["limit": limit, "cursor": cursor, "after": after]))
  }

  /// What happened; seq counts per task. Problems of its own: not-found
  public func getTimeline(_ id: String, limit: Int? = nil, cursor: String? = nil, after: Int? = nil) async throws -> [Event] {
    try await answer("GET", "/v1/tasks/{id}/timeline", path: ["id": id], query: ["limit": limit, "cursor": cursor, "after": after]).value()
  }

  /// For how long undo is kept, and how much all of it is
  public func getUndoKeeping() async throws -> UndoKeeping {
    try await answer("GET", "/v1/settings/undo").value()
  }

  /// What is kept for taking a task's changes back. Problems of its own: not-found, record-damaged
  public func getUndoSpace(_ id: String) async throws -> UndoSpace {
    try await answer("GET", "/v1/tasks/{id}/undo", path: ["id": id]).value()
  }

  /// How does the runtime stand against its channel?
  public func getUpdate() async throws -> UpdateState {
    try await answer("GET", "/v1/update").value()
  }

  /// What searches the web in the place of tasks
  public func getWebSearch() async throws -> WebSearch {
    try await answer("GET", "/v1/settings/search").value()
  }

  /// How does the window behave?
  public func getWindowSettings() async throws -> WindowSettings {
    try await answer("GET", "/v1/settings/window").value()
  }

  /// How far is the way to the first chore?
  public func getWizard() async throws -> Wizard {
    try await answer("GET", "/v1/wizard").value()
  }

  /// Add the MCP servers of a file as other programs have it. Problems of its own: folder-refused, folder-silent, keychain, keys-locked
  public func importMCPServers(_ body: MCPServerImport) async throws -> [MCPServer] {
    try await answer("POST", "/v1/mcp-servers/import", body: body).value()
  }

  /// Get an add-on from the channel. Problems of its own: addon-unknown, update-invalid, update-off, update-settings
  public func installAddOn(_ name: String) async throws -> UpdateState {
    try await answer("POST", "/v1/addons/{name}", path: ["name": name]).value()
  }

  /// Verify and install a runtime pack. Problems of its own: accel-unavailable, addon-mismatch, input-missing, input-unreadable, pack-corrupt, pack-in-use, pack-invalid, update-not-booting, vm-failed
  public func installPack(_ body: FileRequest) async throws -> PackInfo {
    try await answer("POST", "/v1/packs/install", body: body).value()
  }

  /// End what the agent does at the moment. Problems of its own: agent-failed, not-found, not-resumable, record-damaged
  public func interrupt(_ id: String) async throws -> Task {
    try await answer("POST", "/v1/tasks/{id}/interrupt", path: ["id": id]).value()
  }

  /// Add-ons that are installed or on offer
  public func listAddOns() async throws -> [AddOnInfo] {
    try await answer("GET", "/v1/addons").value()
  }

  /// What was executed and decided, and what left this computer; the latest first
  public func listAudit(task: String? = nil, client: String? = nil, request: String? = nil, event: String? = nil, about: String? = nil, since: Date? = nil, before: Int? = nil, limit: Int? = nil) async throws -> AuditPage {
    try await answer("GET", "/v1/audit", query: ["task": task, "client": client, "request": request, "event": event, "about": about, "since": since, "before": before, "limit": limit]).value()
  }

  /// Which projects have a cache, and how large is it?, page by page
  public func allCaches(limit: Int? = nil, cursor: String? = nil) -> Pages<Cache> {
    Pages(self, requestPath("/v1/caches", query: ["limit": limit, "cursor": cursor]))
  }

  /// Which projects have a cache, and how large is it?
  public func listCaches(limit: Int? = nil, cursor: String? = nil) async throws -> [Cache] {
    try await answer("GET", "/v1/caches", query: ["limit": limit, "cursor": cursor]).value()
  }

  /// What a task changed in the folders. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running, page by page
  public func allChanges(_ id: String, limit: Int? = nil, cursor: String? = nil) -> Pages<Change> {
    Pages(self, requestPath("/v1/tasks/{id}/changes", path: ["id": id], query: ["limit": limit, "cursor": cursor]))
  }

  /// What a task changed in the folders. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running
  public func listChanges(_ id: String, limit: Int? = nil, cursor: String? = nil) async throws -> [Change] {
    try await answer("GET", "/v1/tasks/{id}/changes", path: ["id": id], query: ["limit": limit, "cursor": cursor]).value()
  }

  /// Ready-made chores
  public func listChores() async throws -> [ChoreInfo] {
    try await answer("GET", "/v1/chores").value()
  }

  /// Which exceptions do your rules have?, page by page
  public func allExceptions(limit: Int? = nil, cursor: String? = nil) -> Pages<RuleException> {
    Pages(self, requestPath("/v1/policy/exceptions", query: ["limit": limit, "cursor": cursor]))
  }

  /// Which exceptions do your rules have?
  public func listExceptions(limit: Int? = nil, cursor: String? = nil) async throws -> [RuleException] {
    try await answer("GET", "/v1/policy/exceptions", query: ["limit": limit, "cursor": cursor]).value()
  }

  /// What is in a directory of a task?. Problems of its own: file-kind, file-missing, file-outside, input-online, not-at-work, not-found, pack-corrupt, rule-denied, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed
  public func listFiles(_ id: String, _ body: ListRequest) async throws -> TaskFileList {
    try await answer("POST", "/v1/tasks/{id}/files/list", path: ["id": id], body: body).value()
  }

  /// What may an AI do with which folders?, page by page
  public func allFolderChoices(limit: Int? = nil, cursor: String? = nil) -> Pages<FolderChoice> {
    Pages(self, requestPath("/v1/folders", query: ["limit": limit, "cursor": cursor]))
  }

  /// What may an AI do with which folders?
  public func listFolderChoices(limit: Int? = nil, cursor: String? = nil) async throws -> [FolderChoice] {
    try await answer("GET", "/v1/folders", query: ["limit": limit, "cursor": cursor]).value()
  }

  /// Providers of models, and whether there is a key. Problems of its own: keychain, keys-locked
  public func listKeys() async throws -> [KeyInfo] {
    try await answer("GET", "/v1/keys").value()
  }

  /// What the program and its runtime are made of
  public func listLicences() async throws -> Licences {
    try await answer("GET", "/v1/licences").value()
  }

  /// The logs of machines, the newest first
  public func listLogs() async throws -> Logs {
    try await answer("GET", "/v1/logs").value()
  }

  /// The MCP servers that an AI may use, and which of their tools, page by page
  public func allMCPServers(limit: Int? = nil, cursor: String? = nil) -> Pages<MCPServer> {
    Pages(self, requestPath("/v1/mcp-servers", query: ["limit": limit, "cursor": cursor]))
  }

  /// The MCP servers that an AI may use, and which of their tools
  public func listMCPServers(limit: Int? = nil, cursor: String? = nil) async throws -> [MCPServer] {
    try await answer("GET", "/v1/mcp-servers", query: ["limit": limit, "cursor": cursor]).value()
  }

  /// What can do an AI task. Problems of its own: keys-locked, model-failed
  public func listModels() async throws -> Models {
    try await answer("GET", "/v1/models").value()
  }

  /// Groups of hosts, and which are allowed everywhere
  public func listNetworkPresets() async throws -> [NetworkPreset] {
    try await answer("GET", "/v1/network/presets").value()
  }

  /// What tasks may reach
  public func listNetworkRules() async throws -> NetworkRules {
    try await answer("GET", "/v1/network/rules").value()
  }

  /// Installed runtime packs
  public func listPacks() async throws -> [PackInfo] {
    try await answer("GET", "/v1/packs").value()
  }

  /// AI programs that can work on a task, and whose models each can use. Problems of its own: keys-locked, model-failed, update-settings
  public func listPrograms() async throws -> [Program] {
    try await answer("GET", "/v1/programs").value()
  }

  /// What was refused to AIs, and which change of your rules would allow it?, page by page
  public func allProposals(limit: Int? = nil, cursor: String? = nil) -> Pages<Proposal> {
    Pages(self, requestPath("/v1/policy/proposals", query: ["limit": limit, "cursor": cursor]))
  }

  /// What was refused to AIs, and which change of your rules would allow it?
  public func listProposals(limit: Int? = nil, cursor: String? = nil) async throws -> [Proposal] {
    try await answer("GET", "/v1/policy/proposals", query: ["limit": limit, "cursor": cursor]).value()
  }

  /// What waits for a person, the riskiest first, page by page
  public func allQuestions(limit: Int? = nil, cursor: String? = nil, task: String? = nil) -> Pages<Question> {
    Pages(self, requestPath("/v1/questions", query: ["limit": limit, "cursor": cursor, "task": task]))
  }

  /// What waits for a person, the riskiest first
  public func listQuestions(limit: Int? = nil, cursor: String? = nil, task: String? = nil) async throws -> [Question] {
    try await answer("GET", "/v1/questions", query: ["limit": limit, "cursor": cursor, "task": task]).value()
  }

  /// Which other computers are there for tasks?, page by page
  public func allRemotes(limit: Int? = nil, cursor: String? = nil) -> Pages<Remote> {
    Pages(self, requestPath("/v1/remotes", query: ["limit": limit, "cursor": cursor]))
  }

  /// Which other computers are there for tasks?
  public func listRemotes(limit: Int? = nil, cursor: String? = nil) async throws -> [Remote] {
    try await answer("GET", "/v1/remotes", query: ["limit": limit, "cursor": cursor]).value()
  }

  /// What was decided for longer than once, page by page
  public func allRules(limit: Int? = nil, cursor: String? = nil) -> Pages<Rule> {
    Pages(self, requestPath("/v1/rules", query: ["limit": limit, "cursor": cursor]))
  }

  /// What was decided for longer than once
  public func listRules(limit: Int? = nil, cursor: String? = nil) async throws -> [Rule] {
    try await answer("GET", "/v1/rules", query: ["limit": limit, "cursor": cursor]).value()
  }

  /// Which kinds of places for tasks are there, and do they work here?
  public func listRuntimes() async throws -> [RuntimeStatus] {
    try await answer("GET", "/v1/runtimes").value()
  }

  /// Chores with parameters and folders, to be done again, page by page
  public func allSavedChores(limit: Int? = nil, cursor: String? = nil) -> Pages<SavedChore> {
    Pages(self, requestPath("/v1/saved", query: ["limit": limit, "cursor": cursor]))
  }

  /// Chores with parameters and folders, to be done again
  public func listSavedChores(limit: Int? = nil, cursor: String? = nil) async throws -> [SavedChore] {
    try await answer("GET", "/v1/saved", query: ["limit": limit, "cursor": cursor]).value()
  }

  /// Services that many people use
  public func listServicePresets() async throws -> [Preset] {
    try await answer("GET", "/v1/service-presets").value()
  }

  /// The services that tasks can use with a secret. Problems of its own: keychain, keys-locked, page by page
  public func allServices(limit: Int? = nil, cursor: String? = nil) -> Pages<Service> {
    Pages(self, requestPath("/v1/services", query: ["limit": limit, "cursor": cursor]))
  }

  /// The services that tasks can use with a secret. Problems of its own: keychain, keys-locked
  public func listServices(limit: Int? = nil, cursor: String? = nil) async throws -> [Service] {
    try await answer("GET", "/v1/services", query: ["limit": limit, "cursor": cursor]).value()
  }

  /// Sessions, the oldest first, page by page
  public func allSessions(limit: Int? = nil, cursor: String? = nil, task: String? = nil) -> Pages<Session> {
    Pages(self, requestPath("/v1/sessions", query: ["limit": limit, "cursor": cursor, "task": task]))
  }

  /// Sessions, the oldest first
  public func listSessions(limit: Int? = nil, cursor: String? = nil, task: String? = nil) async throws -> [Session] {
    try await answer("GET", "/v1/sessions", query: ["limit": limit, "cursor": cursor, "task": task]).value()
  }

  /// Tasks, newest first, page by page
  public func allTasks(q: String? = nil, state: [TaskState]? = nil, kind: [TaskKind]? = nil, folder: String? = nil, since: Date? = nil, before: Date? = nil, limit: Int? = nil, cursor: String? = nil) -> Pages<Task> {
    Pages(self, requestPath("/v1/tasks", query: ["q": q, "state": state, "kind": kind, "folder": folder, "since": since, "before": before, "limit": limit, "cursor": cursor]))
  }

  /// Tasks, newest first
  public func listTasks(q: String? = nil, state: [TaskState]? = nil, kind: [TaskKind]? = nil, folder: String? = nil, since: Date? = nil, before: Date? = nil, limit: Int? = nil, cursor: String? = nil) async throws -> [Task] {
    try await answer("GET", "/v1/tasks", query: ["q": q, "state": state, "kind": kind, "folder": folder, "since": since, "before": before, "limit": limit, "cursor": cursor]).value()
  }

  /// The tokens of other programs, without their secrets, page by page
  public func allTokens(limit: Int? = nil, cursor: String? = nil) -> Pages<Token> {
    Pages(self, requestPath("/v1/tokens", query: ["limit": limit, "cursor": cursor]))
  }

  /// The tokens of other programs, without their secrets
  public func listTokens(limit: Int? = nil, cursor: String? = nil) async throws -> [Token] {
    try await answer("GET", "/v1/tokens", query: ["limit": limit, "cursor": cursor]).value()
  }

  /// The operations on files
  public func listTools() async throws -> [ToolDescription] {
    try await answer("GET", "/v1/tools").value()
  }

  /// Sign in to a remote MCP server. Problems of its own: keychain, keys-locked, mcp-server, not-found, rule-denied, timeout
  public func loginMCPServer(_ name: String, _ body: MCPLoginRequest) async throws -> MCPLogin {
    try await answer("POST", "/v1/mcp-servers/{name}/login", path: ["name": name], body: body).value()
  }

  /// Break off a sign-in to an MCP server, or forget the last one. Problems of its own: keychain, keys-locked, not-found
  public func logoutMCPServer(_ name: String) async throws -> Logout {
    try await answer("DELETE", "/v1/mcp-servers/{name}/login", path: ["name": name]).value()
  }

  /// Which folders would a task get for what was dropped on the window?
  public func lookAtDropped(_ body: DroppedRequest) async throws -> [DroppedFolder] {
    try await answer("POST", "/v1/dropped", body: body).value()
  }

  /// Make a folder with pictures to try a chore on
  public func makeSamples(_ body: SamplesRequest? = nil) async throws -> SamplesFolder {
    try await answer("POST", "/v1/samples", body: body).value()
  }

  /// How does the sign-in to an MCP server stand?. Problems of its own: not-found
  public func mcpServerLogin(_ name: String) async throws -> MCPLogin {
    try await answer("GET", "/v1/mcp-servers/{name}/login", path: ["name": name]).value()
  }

  /// Have the system ask for an administrator, and run what the last report says of a fix. Problems of its own: not-mended
  public func mend(_ body: MendRequest) async throws -> Mended {
    try await answer("POST", "/v1/status/mend", body: body).value()
  }

  /// Move the data of piwork to another folder or disk. Problems of its own: move-refused
  public func moveStorage(_ body: MoveRequest) async throws -> StorageMove {
    try await answer("POST", "/v1/storage/move", body: body).value()
  }

  /// Have a decision hold for less. Problems of its own: not-found, record-damaged
  public func narrowRule(_ rule: String, _ body: RuleScope) async throws -> Rule {
    try await answer("PUT", "/v1/rules/{rule}/scope", path: ["rule": rule], body: body).value()
  }

  /// Stop the download and keep what arrived
  public func pauseUpdate() async throws -> UpdateState {
    try await answer("POST", "/v1/update/pause").value()
  }

  /// Make ready, now, what lets machines be there at once. Problems of its own: accel-unavailable, boot-failed, key-revoked, no-instant, no-room, not-checked, pack-corrupt, pack-missing, pack-too-new
  public func prepareMachines() async throws -> Machines {
    try await answer("POST", "/v1/machines/prepare").value()
  }

  /// List what an undo, redo, apply or discard would do, with what goes along. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running, undo-waits
  public func previewChanges(_ id: String, _ body: PreviewRequest) async throws -> Preview {
    try await answer("POST", "/v1/tasks/{id}/changes/preview", path: ["id": id], body: body).value()
  }

  /// Add a service, or change one. Problems of its own: keychain, keys-locked
  public func putService(_ name: String, _ body: Definition) async throws -> Service {
    try await answer("PUT", "/v1/services/{name}", path: ["name": name], body: body).value()
  }

  /// Read a file of a task. Problems of its own: file-kind, file-missing, file-outside, input-online, not-at-work, not-found, pack-corrupt, rule-denied, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed
  public func readFile(_ id: String, _ body: ReadRequest) async throws -> TaskFileContent {
    try await answer("POST", "/v1/tasks/{id}/files/read", path: ["id": id], body: body).value()
  }

  /// Read the output of a session where a WebSocket cannot pass. Problems of its own: not-found, session-busy
  public func readSession(_ session: String, client: String, from: Int? = nil, seen: Int? = nil, waitMs: Int? = nil) async throws -> Output {
    try await answer("GET", "/v1/sessions/{session}/output", path: ["session": session], query: ["client": client, "from": from, "seen": seen, "waitMs": waitMs]).value()
  }

  /// Bring back what was taken back. Problems of its own: folder-silent, list-changed, not-found, record-damaged, rule-denied, task-running, undo-waits
  public func redoTask(_ id: String, _ body: RedoRequest) async throws -> RedoReport {
    try await answer("POST", "/v1/tasks/{id}/redo", path: ["id": id], body: body).value()
  }

  /// How much does piwork have on another computer?. Problems of its own: vm-failed
  public func remoteUsage(_ name: String) async throws -> RemoteUsage {
    try await answer("GET", "/v1/remotes/{name}/usage", path: ["name": name]).value()
  }

  /// Delete an add-on. Problems of its own: addon-unknown, pack-in-use
  public func removeAddOn(_ name: String) async throws {
    _ = try await answer("DELETE", "/v1/addons/{name}", path: ["name": name])
  }

  /// Take an exception back. Problems of its own: exception-changed, policy-changed, policy-fault
  public func removeException(_ exception: String) async throws {
    _ = try await answer("DELETE", "/v1/policy/exceptions/{exception}", path: ["exception": exception])
  }

  /// Take a folder from a task that runs. Problems of its own: folders-fixed, not-found, record-damaged
  public func removeFolder(_ id: String, _ folder: String) async throws -> Task {
    try await answer("DELETE", "/v1/tasks/{id}/folders/{folder}", path: ["id": id, "folder": folder]).value()
  }

  /// Forget a key. Problems of its own: key-invalid, keychain, keys-locked, not-found
  public func removeKey(_ provider: String) async throws {
    _ = try await answer("DELETE", "/v1/keys/{provider}", path: ["provider": provider])
  }

  /// Remove an MCP server, and what is kept for it. Problems of its own: keychain, keys-locked, not-found
  public func removeMCPServer(_ name: String) async throws {
    _ = try await answer("DELETE", "/v1/mcp-servers/{name}", path: ["name": name])
  }

  /// Delete a runtime that is not in use. Problems of its own: not-found, pack-in-use
  public func removePack(_ version: String) async throws {
    _ = try await answer("DELETE", "/v1/packs/{version}", path: ["version": version])
  }

  /// Forget another computer
  public func removeRemote(_ name: String) async throws {
    _ = try await answer("DELETE", "/v1/remotes/{name}", path: ["name": name])
  }

  /// Take back what was decided. Problems of its own: not-found
  public func removeRule(_ rule: String) async throws {
    _ = try await answer("DELETE", "/v1/rules/{rule}", path: ["rule": rule])
  }

  /// Forget a saved chore. Problems of its own: not-found
  public func removeSavedChore(_ id: String) async throws {
    _ = try await answer("DELETE", "/v1/saved/{id}", path: ["id": id])
  }

  /// Remove a service and its secret. Problems of its own: keychain, keys-locked, unknown-service
  public func removeService(_ name: String) async throws {
    _ = try await answer("DELETE", "/v1/services/{name}", path: ["name": name])
  }

  /// Give a task a title; an empty one brings the made one back. Problems of its own: not-found, record-damaged
  public func renameTask(_ id: String, _ body: RenameRequest) async throws -> Task {
    try await answer("PATCH", "/v1/tasks/{id}", path: ["id": id], body: body).value()
  }

  /// Bring the runtime in use back to what was signed. Problems of its own: accel-unavailable, addon-mismatch, download-failed, download-invalid, input-missing, input-unreadable, key-revoked, not-checked, not-found, pack-busy, pack-corrupt, pack-in-use, pack-invalid, pack-missing, pack-too-new, update-invalid, update-not-booting, update-not-offered, update-off, update-offline, update-settings, vm-failed
  public func repairPack(_ body: RepairRequest? = nil) async throws -> PackInfo {
    try await answer("POST", "/v1/packs/repair", body: body).value()
  }

  /// Change the size of a session's terminal. Problems of its own: not-found, session-unfit
  public func resizeSession(_ session: String, _ body: TerminalSize) async throws -> Session {
    try await answer("POST", "/v1/sessions/{session}/resize", path: ["session": session], body: body).value()
  }

  /// Go on with a task that was interrupted, stopped or failed. Problems of its own: folder-refused, folder-silent, machine-settings, not-found, not-resumable, record-damaged, task-running, token-folder, unknown-chore
  public func resumeTask(_ id: String, detached: Bool? = nil) async throws -> Task {
    try await answer("POST", "/v1/tasks/{id}/resume", path: ["id": id], query: ["detached": detached]).value()
  }

  /// Revoke a token. Problems of its own: not-found, token-unwritten
  public func revokeToken(_ token: String) async throws {
    _ = try await answer("DELETE", "/v1/tokens/{token}", path: ["token": token])
  }

  /// Use the previous runtime again. Problems of its own: key-revoked, no-previous, pack-invalid, pack-too-new
  public func rollbackPack() async throws -> PackInfo {
    try await answer("POST", "/v1/packs/rollback").value()
  }

  /// Have a shell do a command, and wait for its end. Problems of its own: not-found, runtime-unfit, session-busy, session-over, session-unfit
  public func runInSession(_ session: String, _ body: RunRequest) async throws -> RunResult {
    try await answer("POST", "/v1/sessions/{session}/run", path: ["session": session], body: body).value()
  }

  /// Save a chore to do it again. Problems of its own: not-found, unknown-chore
  public func saveChore(_ body: SaveChoreRequest) async throws -> SavedChore {
    try await answer("POST", "/v1/saved", body: body).value()
  }

  /// Give an AI task a message. Problems of its own: folder-refused, folder-silent, machine-settings, not-found, not-resumable, record-damaged, task-running, token-folder
  public func say(_ id: String, _ body: SayRequest) async throws -> Task {
    try await answer("POST", "/v1/tasks/{id}/messages", path: ["id": id], body: body).value()
  }

  /// Say what a model of a service of one's own can do. Problems of its own: keys-locked, model-failed, no-model, unknown-model
  public func sayOfModel(_ body: ModelWord) async throws -> Models {
    try await answer("PUT", "/v1/models/said", body: body).value()
  }

  /// Have the system start the process at login, or not. Problems of its own: at-login, at-login-elsewhere, no-process
  public func setAtLogin(_ body: AtLoginChoice) async throws -> AtLogin {
    try await answer("PUT", "/v1/settings/at-login", body: body).value()
  }

  /// Choose for how long they are kept
  public func setAuditKeeping(_ body: AuditSettings) async throws -> AuditSettings {
    try await answer("POST", "/v1/settings/audit", body: body).value()
  }

  /// Keep a key in the keychain of this computer. Problems of its own: key-invalid, keychain, keys-locked
  public func setKey(_ provider: String, _ body: KeyRequest) async throws -> KeyInfo {
    try await answer("PUT", "/v1/keys/{provider}", path: ["provider": provider], body: body).value()
  }

  /// Choose where keys are kept, and move them there. Problems of its own: keychain, keys-locked, passphrase
  public func setKeyStore(_ body: KeyStoreChoice) async throws -> KeyStore {
    try await answer("PUT", "/v1/settings/keys", body: body).value()
  }

  /// Change what an MCP server may connect to. Problems of its own: not-found, unknown-service
  public func setMCPServerReach(_ name: String, _ body: MCPServerReach) async throws -> MCPServer {
    try await answer("PUT", "/v1/mcp-servers/{name}/reach", path: ["name": name], body: body).value()
  }

  /// Choose how much of this computer the machines of tasks get. Problems of its own: machine-settings
  public func setMachines(_ body: MachineSettings) async throws -> Machines {
    try await answer("POST", "/v1/settings/machines", body: body).value()
  }

  /// Which model is taken when none is named. Problems of its own: keys-locked, model-failed, unknown-model
  public func setModel(_ body: ModelChoice) async throws -> Models {
    try await answer("PUT", "/v1/models/default", body: body).value()
  }

  /// Allow a group of hosts everywhere, or not any more. Problems of its own: not-found
  public func setNetworkPreset(_ name: String, _ body: PresetChoice) async throws -> NetworkPreset {
    try await answer("PUT", "/v1/network/presets/{name}", path: ["name": name], body: body).value()
  }

  /// Replace your file of rules. Problems of its own: policy-changed, policy-fault
  public func setPolicy(_ body: PolicyText) async throws -> Policy {
    try await answer("PUT", "/v1/policy", body: body).value()
  }

  /// Say when a decision ends. Problems of its own: not-found
  public func setRuleEnd(_ rule: String, _ body: RuleEnd) async throws -> Rule {
    try await answer("PUT", "/v1/rules/{rule}/end", path: ["rule": rule], body: body).value()
  }

  /// Choose which kinds of places are preferred, and what is said to weaker ones. Problems of its own: not-found
  public func setRuntimes(_ body: RuntimeSettings) async throws -> RuntimeSettings {
    try await answer("POST", "/v1/settings/runtimes", body: body).value()
  }

  /// Keep the secret of a service in the keychain of this computer. Problems of its own: key-invalid, keychain, keys-locked, unknown-service
  public func setServiceSecret(_ name: String, _ body: SecretRequest) async throws -> Service {
    try await answer("PUT", "/v1/services/{name}/secret", path: ["name": name], body: body).value()
  }

  /// Work without acceleration, by choice
  public func setSlowMode(_ body: SlowMode) async throws -> StatusReport {
    try await answer("POST", "/v1/settings/slow-mode", body: body).value()
  }

  /// Change the model of an AI task, or how long it thinks. Problems of its own: agent-failed, agent-model, keys-locked, model-failed, no-model, not-found, not-resumable, record-damaged, task-running, unknown-model
  public func setTaskModel(_ id: String, _ body: TaskModelRequest) async throws -> Task {
    try await answer("PUT", "/v1/tasks/{id}/model", path: ["id": id], body: body).value()
  }

  /// Choose where traces and metrics are sent, or nowhere
  public func setTelemetry(_ body: Settings) async throws -> Settings {
    try await answer("PUT", "/v1/settings/telemetry", body: body).value()
  }

  /// Choose for how long undo is kept
  public func setUndoKeeping(_ body: UndoSettings) async throws -> UndoKeeping {
    try await answer("POST", "/v1/settings/undo", body: body).value()
  }

  /// Choose whether, where and how updates are looked for. Problems of its own: update-settings
  public func setUpdates(_ body: UpdateSettings) async throws -> UpdateState {
    try await answer("POST", "/v1/settings/updates", body: body).value()
  }

  /// Choose what searches the web in the place of tasks
  public func setWebSearch(_ body: WebSearch) async throws -> WebSearch {
    try await answer("PUT", "/v1/settings/search", body: body).value()
  }

  /// Choose how the window behaves
  public func setWindowSettings(_ body: WindowSettings) async throws -> WindowSettings {
    try await answer("PUT", "/v1/settings/window", body: body).value()
  }

  /// Send a signal to the programs of a session. Problems of its own: not-found, session-over
  public func signalSession(_ session: String, _ body: SignalRequest) async throws -> Session {
    try await answer("POST", "/v1/sessions/{session}/signal", path: ["session": session], body: body).value()
  }

  /// Start a new task that asks for the same. Problems of its own: agent-model, folder-refused, folder-silent, keys-locked, machine-settings, model-failed, no-model, not-found, not-repeatable, record-damaged, token-folder, unknown-chore, unknown-model, unknown-service, unsupported
  public func startAgain(_ id: String, _ body: AgainRequest? = nil) async throws -> Task {
    try await answer("POST", "/v1/tasks/{id}/again", path: ["id": id], body: body).value()
  }

  /// Record a task and start it. Problems of its own: agent-model, folder-overlap, folder-refused, folder-silent, keys-locked, machine-settings, model-failed, no-model, token-folder, unknown-chore, unknown-model, unknown-service, unsupported
  public func startTask(_ body: StartRequest) async throws -> Task {
    try await answer("POST", "/v1/tasks", body: body).value()
  }

  /// Download, install, try and use what is new, or go on after a pause. Problems of its own: addon-unknown, update-invalid, update-off, update-settings
  public func startUpdate(_ body: UpdateRequest? = nil) async throws -> UpdateState {
    try await answer("POST", "/v1/update/start", body: body).value()
  }

  /// What is there at a path, and which digest has a file?. Problems of its own: file-kind, file-missing, file-outside, input-online, not-at-work, not-found, pack-corrupt, rule-denied, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed
  public func statFile(_ id: String, _ body: StatRequest) async throws -> TaskFile {
    try await answer("POST", "/v1/tasks/{id}/files/stat", path: ["id": id], body: body).value()
  }

  /// The agent's own events, untouched, as they come. Problems of its own: not-found
  public func streamAgentEvents(_ id: String) -> EventStream<JSON> {
    EventStream(self, requestPath("/v1/tasks/{id}/agent", path: ["id": id]), endless: true)
  }

  /// What happens, as it happens. Problems of its own: not-found
  public func streamEvents(after: Int? = nil, task: String? = nil, kind: [String]? = nil, wait: Bool? = nil, hold: Bool? = nil) -> EventStream<Event> {
    EventStream(self, requestPath("/v1/events", query: ["after": after, "task": task, "kind": kind, "wait": wait, "hold": hold]))
  }

  /// Take back a message that was not heard yet. Problems of its own: agent-failed, message-heard, not-found, not-resumable, record-damaged, task-running
  public func takeBack(_ id: String, _ message: String) async throws -> Task {
    try await answer("DELETE", "/v1/tasks/{id}/messages/{message}", path: ["id": id, "message": message]).value()
  }

  /// Ask the provider whether it takes the key. Problems of its own: keys-locked
  public func testKey(_ provider: String) async throws -> KeyTest {
    try await answer("POST", "/v1/keys/{provider}/test", path: ["provider": provider]).value()
  }

  /// Have a kind of place do a small task, now. Problems of its own: runtime-unfit
  public func testRuntime(_ kind: String) async throws -> RuntimeStatus {
    try await answer("POST", "/v1/runtimes/{kind}/test", path: ["kind": kind]).value()
  }

  /// Ask the hosts of a service whether they take the secret. Problems of its own: keychain, keys-locked, service-secret, timeout, unknown-service
  public func testService(_ name: String) async throws -> [HostTest] {
    try await answer("POST", "/v1/services/{name}/test", path: ["name": name]).value()
  }

  /// Take changes back. Problems of its own: folder-refused, folder-silent, list-changed, not-found, record-damaged, rule-denied, task-running, undo-waits
  public func undoTask(_ id: String, _ body: UndoRequest) async throws -> UndoReport {
    try await answer("POST", "/v1/tasks/{id}/undo", path: ["id": id], body: body).value()
  }

  /// Open the file of keys until the program ends. Problems of its own: keychain, passphrase
  public func unlockKeys(_ body: Passphrase) async throws -> KeyStore {
    try await answer("POST", "/v1/settings/keys/unlock", body: body).value()
  }

  /// Does the chain of the audit log hold?
  public func verifyAudit() async throws -> AuditReport {
    try await answer("GET", "/v1/audit/verify").value()
  }

  /// Is every byte of this file covered by a trusted signature?. Problems of its own: input-missing, input-unreadable, pack-invalid
  public func verifyPack(_ body: FileRequest) async throws -> PackInfo {
    try await answer("POST", "/v1/packs/verify", body: body).value()
  }

  /// Visit the web with a browser, in a task. Problems of its own: addon-missing, file-changed, file-kind, file-missing, file-outside, file-too-large, input-online, network-off, not-at-work, not-found, pack-corrupt, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed, web-unreachable
  public func visit(_ id: String, _ body: VisitRequest) async throws -> PageResult {
    try await answer("POST", "/v1/tasks/{id}/visit", path: ["id": id], body: body).value()
  }

  /// Hear what changes in a directory of a task. Problems of its own: file-kind, file-missing, file-outside, input-online, not-at-work, not-found, pack-corrupt, rule-denied, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed
  public func watchFiles(_ id: String, path: String, depth: Int? = nil, seconds: Int? = nil, limit: Int? = nil, requires: [String]? = nil) -> EventStream<JSON> {
    EventStream(self, requestPath("/v1/tasks/{id}/files/watch", path: ["id": id], query: ["path": path, "depth": depth, "seconds": seconds, "limit": limit, "requires": requires]), endless: true)
  }

  /// Write what was shown, byte for byte, into a zip file. Problems of its own: changed-since, output-exists
  public func writeDiagnostics(_ body: DiagnosticsRequest) async throws -> DiagnosticsFile {
    try await answer("POST", "/v1/diagnostics", body: body).value()
  }

  /// Write a file of a task. Problems of its own: file-changed, file-kind, file-missing, file-outside, file-too-large, input-online, not-at-work, not-found, pack-corrupt, rule-denied, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed
  public func writeFile(_ id: String, _ body: WriteRequest) async throws -> TaskFile {
    try await answer("POST", "/v1/tasks/{id}/files/write", path: ["id": id], body: body).value()
  }

  /// Type into a session where a WebSocket cannot pass. Problems of its own: not-found, session-busy, session-over
  public func writeSession(_ session: String, _ body: InputRequest) async throws -> Session {
    try await answer("POST", "/v1/sessions/{session}/input", path: ["session": session], body: body).value()
  }
}
