# Made from the table of operations by `go run ./scripts/lib/sdk`. Do not edit.
# ruff: noqa
from __future__ import annotations

from typing import Any, AsyncIterator, Union

from ._types import *


class AsyncOperations:
    _call: Any
    _stream: Any
    _pages: Any

    async def accept_plan(self, id: str) -> Task:
        "Do what the plan says. Problems of its own: not-found, record-damaged, task-not-waiting"
        return await self._call("POST", "/v1/tasks/{id}/accept", path={"id": id})

    async def accept_proposal(self, proposal: str, body: Union[Acceptance, None] = None) -> Policy:
        "Change your rules as proposed. Problems of its own: not-found, policy-changed, policy-fault"
        return await self._call("POST", "/v1/policy/proposals/{proposal}/accept", body=body, path={"proposal": proposal})

    async def act_wizard(self, step: str, body: WizardRequest) -> Wizard:
        "Finish, leave out, or do again a step. Problems of its own: not-found"
        return await self._call("POST", "/v1/wizard/{step}", body=body, path={"step": step})

    async def add_folder(self, id: str, body: FolderRequest) -> Task:
        "Let a task that runs have another folder. Problems of its own: denied, folder-overlap, folder-refused, folder-silent, folders-fixed, not-found, record-damaged, rule-denied, runtime-unfit, token-folder"
        return await self._call("POST", "/v1/tasks/{id}/folders", body=body, path={"id": id})

    async def add_m_c_p_server(self, body: MCPServerAddition) -> MCPServer:
        "Add an MCP server. Problems of its own: folder-refused, folder-silent, keychain, keys-locked, unknown-service"
        return await self._call("POST", "/v1/mcp-servers", body=body)

    async def add_network_rule(self, body: NetworkRuleRequest) -> Rule:
        "Allow or deny a name. Problems of its own: not-found, record-damaged"
        return await self._call("POST", "/v1/network/rules", body=body)

    async def add_remote(self, body: RemoteAddition) -> Remote:
        "Add another computer. Problems of its own: vm-failed"
        return await self._call("POST", "/v1/remotes", body=body)

    async def allow_m_c_p_tool(self, name: str, body: MCPToolChoice) -> MCPServer:
        "Allow a tool of an MCP server, or not any more. Problems of its own: not-found"
        return await self._call("POST", "/v1/mcp-servers/{name}/tools", body=body, path={"name": name})

    async def answer_question(self, id: str, question: str, body: AnswerRequest) -> Decision:
        "Decide a question. Problems of its own: folder-overlap, folder-refused, folder-silent, not-found, question-over, record-damaged"
        return await self._call("POST", "/v1/tasks/{id}/questions/{question}", body=body, path={"id": id, "question": question})

    async def apply_task(self, id: str, body: ApplyRequest) -> ApplyReport:
        "Decide about changes that wait in front of a folder. Problems of its own: folder-refused, folder-silent, list-changed, not-found, record-damaged, rule-denied, task-running"
        return await self._call("POST", "/v1/tasks/{id}/apply", body=body, path={"id": id})

    async def back_cache(self, id: str) -> None:
        "Take what the last task changed out of the cache of a project. Problems of its own: cache-in-use, cache-no-way-back, not-found"
        return await self._call("POST", "/v1/caches/{id}/back", path={"id": id})

    async def begin_login(self, provider: str, body: Union[LoginRequest, None] = None) -> Login:
        "Begin to sign in to a provider. Problems of its own: key-invalid, keys-locked, login-failed"
        return await self._call("POST", "/v1/keys/{provider}/login", body=body, path={"provider": provider})

    async def bundle_pack(self, body: BundleRequest) -> BundleInfo:
        "Write the one file for an installation without a network. Problems of its own: addon-unknown, bundle-incomplete, download-failed, download-invalid, key-revoked, output-exists, pack-corrupt, pack-invalid, pack-missing, pack-too-new, update-settings"
        return await self._call("POST", "/v1/packs/bundle", body=body)

    async def cancel_login(self, id: str) -> None:
        "End a login. Problems of its own: not-found"
        return await self._call("DELETE", "/v1/logins/{id}", path={"id": id})

    async def cancel_move(self) -> StorageMove:
        "End a move of the data: everything is as it was"
        return await self._call("DELETE", "/v1/storage/move")

    async def cancel_task(self, id: str, *, held: Union[bool, None] = None) -> Task:
        "Stop a task. Problems of its own: not-found"
        return await self._call("POST", "/v1/tasks/{id}/cancel", query={"held": held}, path={"id": id})

    async def change_passphrase(self, body: PassphraseChange) -> KeyStore:
        "Encrypt the file of keys with another passphrase. Problems of its own: keychain, keys-locked, passphrase"
        return await self._call("POST", "/v1/settings/keys/passphrase", body=body)

    async def check_m_c_p_server(self, name: str) -> MCPServer:
        "Start an MCP server once, and list its tools. Problems of its own: accel-unavailable, boot-failed, denied, folder-refused, folder-silent, key-revoked, keychain, keys-locked, mcp-server, no-room, not-checked, not-found, pack-corrupt, pack-missing, pack-too-new, rule-denied, runtime-unfit, service-secret, share-failed, timeout, unknown-service, unsupported, vm-failed"
        return await self._call("POST", "/v1/mcp-servers/{name}/check", path={"name": name})

    async def check_policy(self, body: PolicyText) -> PolicyCheck:
        "What is wrong with a text of rules, and what does it say?"
        return await self._call("POST", "/v1/policy/check", body=body)

    async def check_status(self) -> StatusReport:
        "Look at everything again, the proof boot included"
        return await self._call("POST", "/v1/status/check")

    async def check_update(self) -> UpdateState:
        "Look at the channel now"
        return await self._call("POST", "/v1/update/check")

    async def claim_notice(self, body: NoticeClaim) -> NoticeClaimed:
        "Is this window the first that would tell of an event?"
        return await self._call("POST", "/v1/notices", body=body)

    async def clean_remote(self, name: str) -> None:
        "End what runs on another computer, and remove all that piwork keeps there. Problems of its own: vm-failed"
        return await self._call("POST", "/v1/remotes/{name}/clean", path={"name": name})

    async def clean_storage(self, body: CleanRequest) -> Cleaned:
        "Remove what can be made again, or is of no use any more. Problems of its own: cache-in-use"
        return await self._call("POST", "/v1/storage/clean", body=body)

    async def close_session(self, session: str) -> Session:
        "End a session with everything that it started. Problems of its own: not-found"
        return await self._call("DELETE", "/v1/sessions/{session}", path={"session": session})

    async def compact_task(self, id: str, *, detached: Union[bool, None] = None) -> Task:
        "Have the older messages of an AI task summarised. Problems of its own: folder-refused, folder-silent, machine-settings, not-found, not-resumable, record-damaged, task-running, token-folder"
        return await self._call("POST", "/v1/tasks/{id}/compact", query={"detached": detached}, path={"id": id})

    async def compare_change(self, id: str, change: str) -> Comparison:
        "What a change did to a file. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running"
        return await self._call("GET", "/v1/tasks/{id}/changes/{change}", path={"id": id, "change": change})

    async def create_session(self, id: str, body: Union[Request, None] = None) -> Session:
        "Start a shell or a program in the workroom of a task, which stays when its clients go. Problems of its own: accel-unavailable, addon-missing, boot-failed, denied, folder-gone, folder-refused, folder-silent, key-revoked, keychain, keys-locked, model-failed, no-model, no-room, no-sessions, not-checked, not-found, pack-corrupt, pack-missing, pack-too-new, rule-denied, runtime-unfit, service-secret, session-busy, share-failed, start-failed, timeout, unknown-model, unknown-service, unsupported, vm-failed"
        return await self._call("POST", "/v1/tasks/{id}/sessions", body=body, path={"id": id})

    async def create_token(self, body: TokenRequest) -> NewToken:
        "Make a token for another program. Problems of its own: folder-overlap, folder-refused, folder-silent, token-name"
        return await self._call("POST", "/v1/tokens", body=body)

    async def delete_task(self, id: str, *, abandon_undo: Union[bool, None] = None) -> None:
        "Delete the record, its journal and its results. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running, undo-waits"
        return await self._call("DELETE", "/v1/tasks/{id}", query={"abandonUndo": abandon_undo}, path={"id": id})

    async def detach_task(self, id: str) -> Task:
        "Let a task go on when its callers are gone. Problems of its own: not-found"
        return await self._call("POST", "/v1/tasks/{id}/detach", path={"id": id})

    async def drop_proposal(self, proposal: str) -> None:
        "Refuse a proposal. Problems of its own: not-found"
        return await self._call("DELETE", "/v1/policy/proposals/{proposal}", path={"proposal": proposal})

    async def empty_cache(self, id: str) -> None:
        "Empty the cache of a project. Problems of its own: cache-in-use, not-found"
        return await self._call("DELETE", "/v1/caches/{id}", path={"id": id})

    async def end_command(self, body: Command) -> Command:
        "Say that a command of the command line is over, for its trace"
        return await self._call("POST", "/v1/telemetry/command", body=body)

    async def end_process(self, body: Union[EndRequest, None] = None) -> None:
        "End the process that answers. Problems of its own: controller-working, no-process"
        return await self._call("POST", "/v1/process/end", body=body)

    async def explain_policy(self, body: ExplainRequest) -> Explanation:
        "What do the rules say to something, and which of them?"
        return await self._call("POST", "/v1/policy/explain", body=body)

    async def explain_runtime(self, body: RuntimeNeed) -> RuntimeChoice:
        "Where would a task work, and why not elsewhere?"
        return await self._call("POST", "/v1/runtimes/explain", body=body)

    async def export_audit(self) -> bytes:
        "The audit log as a file that can be verified elsewhere"
        return await self._call("GET", "/v1/audit/export")

    async def export_task(self, id: str) -> bytes:
        "Everything that is known of a task, as a ZIP file. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running"
        return await self._call("GET", "/v1/tasks/{id}/export", path={"id": id})

    async def fetch(self, id: str, body: FetchRequest) -> Fetched:
        "Get what is at an address of the web, in a task. Problems of its own: file-kind, file-missing, file-outside, file-too-large, input-online, network-off, not-at-work, not-found, pack-corrupt, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed, web-unreachable"
        return await self._call("POST", "/v1/tasks/{id}/fetch", body=body, path={"id": id})

    async def finish_login(self, id: str, body: LoginCode) -> LoginState:
        "Give a login the code that the page showed. Problems of its own: login-failed, not-found"
        return await self._call("POST", "/v1/logins/{id}", body=body, path={"id": id})

    async def forget_service_secret(self, name: str) -> None:
        "Forget the secret of a service. Problems of its own: keychain, keys-locked, unknown-service"
        return await self._call("DELETE", "/v1/services/{name}/secret", path={"name": name})

    async def forget_undo(self, id: str, *, abandon_undo: Union[bool, None] = None) -> UndoSpace:
        "Give that up: the changes stay listed and cannot be taken back any more. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running, undo-waits"
        return await self._call("DELETE", "/v1/tasks/{id}/undo", query={"abandonUndo": abandon_undo}, path={"id": id})

    async def get_agent_line(self, id: str, line: str) -> Any:
        "One event of the agent, untouched. Problems of its own: not-found, record-damaged"
        return await self._call("GET", "/v1/tasks/{id}/agent/{line}", path={"id": id, "line": line})

    async def get_at_login(self) -> AtLogin:
        "Does the system start the process at login?. Problems of its own: at-login, no-process"
        return await self._call("GET", "/v1/settings/at-login")

    async def get_audit_keeping(self) -> AuditSettings:
        "For how long are records of the audit log kept?"
        return await self._call("GET", "/v1/settings/audit")

    async def get_change_content(self, id: str, change: str, side: str) -> bytes:
        "The bytes of a file before or after a change; ranges are honoured. Problems of its own: changed-since, folder-refused, folder-silent, not-found, record-damaged, task-running"
        return await self._call("GET", "/v1/tasks/{id}/changes/{change}/{side}", path={"id": id, "change": change, "side": side})

    async def get_diagnostics(self) -> Diagnostics:
        "What a report for a fault would hold, without secrets and names of files"
        return await self._call("GET", "/v1/diagnostics")

    async def get_health(self) -> Health:
        "The program listens"
        return await self._call("GET", "/_health")

    async def get_health_page(self) -> HealthPage:
        "How does everything stand?"
        return await self._call("GET", "/v1/health")

    async def get_key_store(self) -> KeyStore:
        "Where keys are kept"
        return await self._call("GET", "/v1/settings/keys")

    async def get_log(self, name: str, *, tail: Union[int, None] = None) -> bytes:
        "The end of a log. Problems of its own: not-found"
        return await self._call("GET", "/v1/logs/{name}", query={"tail": tail}, path={"name": name})

    async def get_login(self, id: str) -> LoginState:
        "How a login stands. Problems of its own: not-found"
        return await self._call("GET", "/v1/logins/{id}", path={"id": id})

    async def get_machines(self) -> Machines:
        "How is this computer shared out among the machines of tasks?"
        return await self._call("GET", "/v1/machines")

    async def get_manifest(self) -> About:
        "What this program is, and which tools its runtime has"
        return await self._call("GET", "/_manifest")

    async def get_metrics(self) -> bytes:
        "How often things happened, and how long they took, for Prometheus"
        return await self._call("GET", "/metrics")

    async def get_models_chosen(self) -> Chosen:
        "What was chosen about models and keys"
        return await self._call("GET", "/v1/settings/models")

    async def get_own_token(self) -> Token:
        "The token that the request came with. Problems of its own: not-found"
        return await self._call("GET", "/v1/token")

    async def get_plan(self, id: str) -> Plan:
        "What a chore will do. Problems of its own: not-found, record-damaged"
        return await self._call("GET", "/v1/tasks/{id}/plan", path={"id": id})

    async def get_policy(self) -> Policy:
        "Which written rules are there, and what do they say?"
        return await self._call("GET", "/v1/policy")

    async def get_process(self) -> ProcessStatus:
        "What is the process that answers, and why does it run?. Problems of its own: no-process"
        return await self._call("GET", "/v1/process")

    async def get_result(self, id: str, index: str) -> bytes:
        "The bytes of a result; ranges are honoured. Problems of its own: changed-since, file-kind, folder-refused, folder-silent, not-found, record-damaged, task-running"
        return await self._call("GET", "/v1/tasks/{id}/results/{index}", path={"id": id, "index": index})

    async def get_rule(self, rule: str) -> Rule:
        "One decision for longer than once. Problems of its own: not-found"
        return await self._call("GET", "/v1/rules/{rule}", path={"rule": rule})

    async def get_runtime_settings(self) -> RuntimeSettings:
        "Which kinds of places are preferred, and what is said to weaker ones?"
        return await self._call("GET", "/v1/settings/runtimes")

    async def get_service(self, name: str) -> Service:
        "A service, without its secret. Problems of its own: keychain, keys-locked, unknown-service"
        return await self._call("GET", "/v1/services/{name}", path={"name": name})

    async def get_session(self, session: str) -> Session:
        "One session. Problems of its own: not-found"
        return await self._call("GET", "/v1/sessions/{session}", path={"session": session})

    async def get_slow_mode(self) -> SlowMode:
        "Was it chosen to work without acceleration?"
        return await self._call("GET", "/v1/settings/slow-mode")

    async def get_status(self) -> StatusReport:
        "Can this computer work, and if not, what is the next step?"
        return await self._call("GET", "/v1/status")

    async def get_storage(self) -> Storage:
        "What takes how much of the disk?"
        return await self._call("GET", "/v1/storage")

    async def get_storage_move(self) -> StorageMove:
        "How a move of the data stands"
        return await self._call("GET", "/v1/storage/move")

    async def get_task(self, id: str) -> Task:
        "The record of a task. Problems of its own: not-found"
        return await self._call("GET", "/v1/tasks/{id}", path={"id": id})

    async def get_task_requests(self, id: str) -> TaskRequests:
        "What a task asked of services. Problems of its own: not-found, record-damaged"
        return await self._call("GET", "/v1/tasks/{id}/requests", path={"id": id})

    async def get_telemetry(self) -> Settings:
        "Where are traces and metrics sent?"
        return await self._call("GET", "/v1/settings/telemetry")

    def all_timeline(self, id: str, *, limit: Union[int, None] = None, cursor: Union[str, None] = None, after: Union[int, None] = None) -> AsyncIterator[Event]:
        "What happened; seq counts per task. Problems of its own: not-found, page by page"
        return self._pages("GET", "/v1/tasks/{id}/timeline", query={"limit": limit, "cursor": cursor, "after": after}, path={"id": id})

    async def get_timeline(self, id: str, *, limit: Union[int, None] = None, cursor: Union[str, None] = None, after: Union[int, None] = None) -> list[Event]:
        "What happened; seq counts per task. Problems of its own: not-found"
        return await self._call("GET", "/v1/tasks/{id}/timeline", query={"limit": limit, "cursor": cursor, "after": after}, path={"id": id})

    async def get_undo_keeping(self) -> UndoKeeping:
        "For how long undo is kept, and how much all of it is"
        return await self._call("GET", "/v1/settings/undo")

    async def get_undo_space(self, id: str) -> UndoSpace:
        "What is kept for taking a task's changes back. Problems of its own: not-found, record-damaged"
        return await self._call("GET", "/v1/tasks/{id}/undo", path={"id": id})

    async def get_update(self) -> UpdateState:
        "How does the runtime stand against its channel?"
        return await self._call("GET", "/v1/update")

    async def get_web_search(self) -> WebSearch:
        "What searches the web in the place of tasks"
        return await self._call("GET", "/v1/settings/search")

    async def get_window_settings(self) -> WindowSettings:
        "How does the window behave?"
        return await self._call("GET", "/v1/settings/window")

    async def get_wizard(self) -> Wizard:
        "How far is the way to the first chore?"
        return await self._call("GET", "/v1/wizard")

    async def import_m_c_p_servers(self, body: MCPServerImport) -> list[MCPServer]:
        "Add the MCP servers of a file as other programs have it. Problems of its own: folder-refused, folder-silent, keychain, keys-locked"
        return await self._call("POST", "/v1/mcp-servers/import", body=body)

    async def install_add_on(self, name: str) -> UpdateState:
        "Get an add-on from the channel. Problems of its own: addon-unknown, update-invalid, update-off, update-settings"
        return await self._call("POST", "/v1/addons/{name}", path={"name": name})

    async def install_pack(self, body: FileRequest) -> PackInfo:
        "Verify and install a runtime pack. Problems of its own: accel-unavailable, addon-mismatch, input-missing, input-unreadable, pack-corrupt, pack-in-use, pack-invalid, update-not-booting, vm-failed"
        return await self._call("POST", "/v1/packs/install", body=body)

    async def interrupt(self, id: str) -> Task:
        "End what the agent does at the moment. Problems of its own: agent-failed, not-found, not-resumable, record-damaged"
        return await self._call("POST", "/v1/tasks/{id}/interrupt", path={"id": id})

    async def list_add_ons(self) -> list[AddOnInfo]:
        "Add-ons that are installed or on offer"
        return await self._call("GET", "/v1/addons")

    async def list_audit(self, *, task: Union[str, None] = None, client: Union[str, None] = None, request: Union[str, None] = None, event: Union[Literal["begin", "end", "decision", "folder", "traffic", "request", "recovered", "expired", "broken"], None] = None, about: Union[str, None] = None, since: Union[str, None] = None, before: Union[int, None] = None, limit: Union[int, None] = None) -> AuditPage:
        "What was executed and decided, and what left this computer; the latest first"
        return await self._call("GET", "/v1/audit", query={"task": task, "client": client, "request": request, "event": event, "about": about, "since": since, "before": before, "limit": limit})

    def all_caches(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> AsyncIterator[Cache]:
        "Which projects have a cache, and how large is it?, page by page"
        return self._pages("GET", "/v1/caches", query={"limit": limit, "cursor": cursor})

    async def list_caches(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> list[Cache]:
        "Which projects have a cache, and how large is it?"
        return await self._call("GET", "/v1/caches", query={"limit": limit, "cursor": cursor})

    def all_changes(self, id: str, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> AsyncIterator[Change]:
        "What a task changed in the folders. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running, page by page"
        return self._pages("GET", "/v1/tasks/{id}/changes", query={"limit": limit, "cursor": cursor}, path={"id": id})

    async def list_changes(self, id: str, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> list[Change]:
        "What a task changed in the folders. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running"
        return await self._call("GET", "/v1/tasks/{id}/changes", query={"limit": limit, "cursor": cursor}, path={"id": id})

    async def list_chores(self) -> list[ChoreInfo]:
        "Ready-made chores"
        return await self._call("GET", "/v1/chores")

    def all_exceptions(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> AsyncIterator[RuleException]:
        "Which exceptions do your rules have?, page by page"
        return self._pages("GET", "/v1/policy/exceptions", query={"limit": limit, "cursor": cursor})

    async def list_exceptions(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> list[RuleException]:
        "Which exceptions do your rules have?"
        return await self._call("GET", "/v1/policy/exceptions", query={"limit": limit, "cursor": cursor})

    async def list_files(self, id: str, body: ListRequest) -> TaskFileList:
        "What is in a directory of a task?. Problems of its own: file-kind, file-missing, file-outside, input-online, not-at-work, not-found, pack-corrupt, rule-denied, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed"
        return await self._call("POST", "/v1/tasks/{id}/files/list", body=body, path={"id": id})

    def all_folder_choices(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> AsyncIterator[FolderChoice]:
        "What may an AI do with which folders?, page by page"
        return self._pages("GET", "/v1/folders", query={"limit": limit, "cursor": cursor})

    async def list_folder_choices(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> list[FolderChoice]:
        "What may an AI do with which folders?"
        return await self._call("GET", "/v1/folders", query={"limit": limit, "cursor": cursor})

    async def list_keys(self) -> list[KeyInfo]:
        "Providers of models, and whether there is a key. Problems of its own: keychain, keys-locked"
        return await self._call("GET", "/v1/keys")

    async def list_licences(self) -> Licences:
        "What the program and its runtime are made of"
        return await self._call("GET", "/v1/licences")

    async def list_logs(self) -> Logs:
        "The logs of machines, the newest first"
        return await self._call("GET", "/v1/logs")

    def all_m_c_p_servers(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> AsyncIterator[MCPServer]:
        "The MCP servers that an AI may use, and which of their tools, page by page"
        return self._pages("GET", "/v1/mcp-servers", query={"limit": limit, "cursor": cursor})

    async def list_m_c_p_servers(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> list[MCPServer]:
        "The MCP servers that an AI may use, and which of their tools"
        return await self._call("GET", "/v1/mcp-servers", query={"limit": limit, "cursor": cursor})

    async def list_models(self) -> Models:
        "What can do an AI task. Problems of its own: keys-locked, model-failed"
        return await self._call("GET", "/v1/models")

    async def list_network_presets(self) -> list[NetworkPreset]:
        "Groups of hosts, and which are allowed everywhere"
        return await self._call("GET", "/v1/network/presets")

    async def list_network_rules(self) -> NetworkRules:
        "What tasks may reach"
        return await self._call("GET", "/v1/network/rules")

    async def list_packs(self) -> list[PackInfo]:
        "Installed runtime packs"
        return await self._call("GET", "/v1/packs")

    async def list_programs(self) -> list[Program]:
        "AI programs that can work on a task, and whose models each can use. Problems of its own: keys-locked, model-failed, update-settings"
        return await self._call("GET", "/v1/programs")

    def all_proposals(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> AsyncIterator[Proposal]:
        "What was refused to AIs, and which change of your rules would allow it?, page by page"
        return self._pages("GET", "/v1/policy/proposals", query={"limit": limit, "cursor": cursor})

    async def list_proposals(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> list[Proposal]:
        "What was refused to AIs, and which change of your rules would allow it?"
        return await self._call("GET", "/v1/policy/proposals", query={"limit": limit, "cursor": cursor})

    def all_questions(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None, task: Union[str, None] = None) -> AsyncIterator[Question]:
        "What waits for a person, the riskiest first, page by page"
        return self._pages("GET", "/v1/questions", query={"limit": limit, "cursor": cursor, "task": task})

    async def list_questions(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None, task: Union[str, None] = None) -> list[Question]:
        "What waits for a person, the riskiest first"
        return await self._call("GET", "/v1/questions", query={"limit": limit, "cursor": cursor, "task": task})

    def all_remotes(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> AsyncIterator[Remote]:
        "Which other computers are there for tasks?, page by page"
        return self._pages("GET", "/v1/remotes", query={"limit": limit, "cursor": cursor})

    async def list_remotes(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> list[Remote]:
        "Which other computers are there for tasks?"
        return await self._call("GET", "/v1/remotes", query={"limit": limit, "cursor": cursor})

    def all_rules(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> AsyncIterator[Rule]:
        "What was decided for longer than once, page by page"
        return self._pages("GET", "/v1/rules", query={"limit": limit, "cursor": cursor})

    async def list_rules(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> list[Rule]:
        "What was decided for longer than once"
        return await self._call("GET", "/v1/rules", query={"limit": limit, "cursor": cursor})

    async def list_runtimes(self) -> list[RuntimeStatus]:
        "Which kinds of places for tasks are there, and do they work here?"
        return await self._call("GET", "/v1/runtimes")

    def all_saved_chores(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> AsyncIterator[SavedChore]:
        "Chores with parameters and folders, to be done again, page by page"
        return self._pages("GET", "/v1/saved", query={"limit": limit, "cursor": cursor})

    async def list_saved_chores(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> list[SavedChore]:
        "Chores with parameters and folders, to be done again"
        return await self._call("GET", "/v1/saved", query={"limit": limit, "cursor": cursor})

    async def list_service_presets(self) -> list[Preset]:
        "Services that many people use"
        return await self._call("GET", "/v1/service-presets")

    def all_services(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> AsyncIterator[Service]:
        "The services that tasks can use with a secret. Problems of its own: keychain, keys-locked, page by page"
        return self._pages("GET", "/v1/services", query={"limit": limit, "cursor": cursor})

    async def list_services(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> list[Service]:
        "The services that tasks can use with a secret. Problems of its own: keychain, keys-locked"
        return await self._call("GET", "/v1/services", query={"limit": limit, "cursor": cursor})

    def all_sessions(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None, task: Union[str, None] = None) -> AsyncIterator[Session]:
        "Sessions, the oldest first, page by page"
        return self._pages("GET", "/v1/sessions", query={"limit": limit, "cursor": cursor, "task": task})

    async def list_sessions(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None, task: Union[str, None] = None) -> list[Session]:
        "Sessions, the oldest first"
        return await self._call("GET", "/v1/sessions", query={"limit": limit, "cursor": cursor, "task": task})

    def all_tasks(self, *, q: Union[str, None] = None, state: Union[list[TaskState], None] = None, kind: Union[list[TaskKind], None] = None, folder: Union[str, None] = None, since: Union[str, None] = None, before: Union[str, None] = None, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> AsyncIterator[Task]:
        "Tasks, newest first, page by page"
        return self._pages("GET", "/v1/tasks", query={"q": q, "state": state, "kind": kind, "folder": folder, "since": since, "before": before, "limit": limit, "cursor": cursor})

    async def list_tasks(self, *, q: Union[str, None] = None, state: Union[list[TaskState], None] = None, kind: Union[list[TaskKind], None] = None, folder: Union[str, None] = None, since: Union[str, None] = None, before: Union[str, None] = None, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> list[Task]:
        "Tasks, newest first"
        return await self._call("GET", "/v1/tasks", query={"q": q, "state": state, "kind": kind, "folder": folder, "since": since, "before": before, "limit": limit, "cursor": cursor})

    def all_tokens(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> AsyncIterator[Token]:
        "The tokens of other programs, without their secrets, page by page"
        return self._pages("GET", "/v1/tokens", query={"limit": limit, "cursor": cursor})

    async def list_tokens(self, *, limit: Union[int, None] = None, cursor: Union[str, None] = None) -> list[Token]:
        "The tokens of other programs, without their secrets"
        return await self._call("GET", "/v1/tokens", query={"limit": limit, "cursor": cursor})

    async def list_tools(self) -> list[ToolDescription]:
        "The operations on files"
        return await self._call("GET", "/v1/tools")

    async def login_m_c_p_server(self, name: str, body: MCPLoginRequest) -> MCPLogin:
        "Sign in to a remote MCP server. Problems of its own: keychain, keys-locked, mcp-server, not-found, rule-denied, timeout"
        return await self._call("POST", "/v1/mcp-servers/{name}/login", body=body, path={"name": name})

    async def logout_m_c_p_server(self, name: str) -> Logout:
        "Break off a sign-in to an MCP server, or forget the last one. Problems of its own: keychain, keys-locked, not-found"
        return await self._call("DELETE", "/v1/mcp-servers/{name}/login", path={"name": name})

    async def look_at_dropped(self, body: DroppedRequest) -> list[DroppedFolder]:
        "Which folders would a task get for what was dropped on the window?"
        return await self._call("POST", "/v1/dropped", body=body)

    async def make_samples(self, body: Union[SamplesRequest, None] = None) -> SamplesFolder:
        "Make a folder with pictures to try a chore on"
        return await self._call("POST", "/v1/samples", body=body)

    async def mcp_server_login(self, name: str) -> MCPLogin:
        "How does the sign-in to an MCP server stand?. Problems of its own: not-found"
        return await self._call("GET", "/v1/mcp-servers/{name}/login", path={"name": name})

    async def mend(self, body: MendRequest) -> Mended:
        "Have the system ask for an administrator, and run what the last report says of a fix. Problems of its own: not-mended"
        return await self._call("POST", "/v1/status/mend", body=body)

    async def move_storage(self, body: MoveRequest) -> StorageMove:
        "Move the data of piwork to another folder or disk. Problems of its own: move-refused"
        return await self._call("POST", "/v1/storage/move", body=body)

    async def narrow_rule(self, rule: str, body: RuleScope) -> Rule:
        "Have a decision hold for less. Problems of its own: not-found, record-damaged"
        return await self._call("PUT", "/v1/rules/{rule}/scope", body=body, path={"rule": rule})

    async def pause_update(self) -> UpdateState:
        "Stop the download and keep what arrived"
        return await self._call("POST", "/v1/update/pause")

    async def prepare_machines(self) -> Machines:
        "Make ready, now, what lets machines be there at once. Problems of its own: accel-unavailable, boot-failed, key-revoked, no-instant, no-room, not-checked, pack-corrupt, pack-missing, pack-too-new"
        return await self._call("POST", "/v1/machines/prepare")

    async def preview_changes(self, id: str, body: PreviewRequest) -> Preview:
        "List what an undo, redo, apply or discard would do, with what goes along. Problems of its own: folder-refused, folder-silent, not-found, record-damaged, task-running, undo-waits"
        return await self._call("POST", "/v1/tasks/{id}/changes/preview", body=body, path={"id": id})

    async def put_service(self, name: str, body: Definition) -> Service:
        "Add a service, or change one. Problems of its own: keychain, keys-locked"
        return await self._call("PUT", "/v1/services/{name}", body=body, path={"name": name})

    async def read_file(self, id: str, body: ReadRequest) -> TaskFileContent:
        "Read a file of a task. Problems of its own: file-kind, file-missing, file-outside, input-online, not-at-work, not-found, pack-corrupt, rule-denied, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed"
        return await self._call("POST", "/v1/tasks/{id}/files/read", body=body, path={"id": id})

    async def read_session(self, session: str, *, client: str, from_: Union[int, None] = None, seen: Union[int, None] = None, wait_ms: Union[int, None] = None) -> Output:
        "Read the output of a session where a WebSocket cannot pass. Problems of its own: not-found, session-busy"
        return await self._call("GET", "/v1/sessions/{session}/output", query={"client": client, "from": from_, "seen": seen, "waitMs": wait_ms}, path={"session": session})

    async def redo_task(self, id: str, body: RedoRequest) -> RedoReport:
        "Bring back what was taken back. Problems of its own: folder-silent, list-changed, not-found, record-damaged, rule-denied, task-running, undo-waits"
        return await self._call("POST", "/v1/tasks/{id}/redo", body=body, path={"id": id})

    async def remote_usage(self, name: str) -> RemoteUsage:
        "How much does piwork have on another computer?. Problems of its own: vm-failed"
        return await self._call("GET", "/v1/remotes/{name}/usage", path={"name": name})

    async def remove_add_on(self, name: str) -> None:
        "Delete an add-on. Problems of its own: addon-unknown, pack-in-use"
        return await self._call("DELETE", "/v1/addons/{name}", path={"name": name})

    async def remove_exception(self, exception: str) -> None:
        "Take an exception back. Problems of its own: exception-changed, policy-changed, policy-fault"
        return await self._call("DELETE", "/v1/policy/exceptions/{exception}", path={"exception": exception})

    async def remove_folder(self, id: str, folder: str) -> Task:
        "Take a folder from a task that runs. Problems of its own: folders-fixed, not-found, record-damaged"
        return await self._call("DELETE", "/v1/tasks/{id}/folders/{folder}", path={"id": id, "folder": folder})

    async def remove_key(self, provider: str) -> None:
        "Forget a key. Problems of its own: key-invalid, keychain, keys-locked, not-found"
        return await self._call("DELETE", "/v1/keys/{provider}", path={"provider": provider})

    async def remove_m_c_p_server(self, name: str) -> None:
        "Remove an MCP server, and what is kept for it. Problems of its own: keychain, keys-locked, not-found"
        return await self._call("DELETE", "/v1/mcp-servers/{name}", path={"name": name})

    async def remove_pack(self, version: str) -> None:
        "Delete a runtime that is not in use. Problems of its own: not-found, pack-in-use"
        return await self._call("DELETE", "/v1/packs/{version}", path={"version": version})

    async def remove_remote(self, name: str) -> None:
        "Forget another computer"
        return await self._call("DELETE", "/v1/remotes/{name}", path={"name": name})

    async def remove_rule(self, rule: str) -> None:
        "Take back what was decided. Problems of its own: not-found"
        return await self._call("DELETE", "/v1/rules/{rule}", path={"rule": rule})

    async def remove_saved_chore(self, id: str) -> None:
        "Forget a saved chore. Problems of its own: not-found"
        return await self._call("DELETE", "/v1/saved/{id}", path={"id": id})

    async def remove_service(self, name: str) -> None:
        "Remove a service and its secret. Problems of its own: keychain, keys-locked, unknown-service"
        return await self._call("DELETE", "/v1/services/{name}", path={"name": name})

    async def rename_task(self, id: str, body: RenameRequest) -> Task:
        "Give a task a title; an empty one brings the made one back. Problems of its own: not-found, record-damaged"
        return await self._call("PATCH", "/v1/tasks/{id}", body=body, path={"id": id})

    async def repair_pack(self, body: Union[RepairRequest, None] = None) -> PackInfo:
        "Bring the runtime in use back to what was signed. Problems of its own: accel-unavailable, addon-mismatch, download-failed, download-invalid, input-missing, input-unreadable, key-revoked, not-checked, not-found, pack-busy, pack-corrupt, pack-in-use, pack-invalid, pack-missing, pack-too-new, update-invalid, update-not-booting, update-not-offered, update-off, update-offline, update-settings, vm-failed"
        return await self._call("POST", "/v1/packs/repair", body=body)

    async def resize_session(self, session: str, body: TerminalSize) -> Session:
        "Change the size of a session's terminal. Problems of its own: not-found, session-unfit"
        return await self._call("POST", "/v1/sessions/{session}/resize", body=body, path={"session": session})

    async def resume_task(self, id: str, *, detached: Union[bool, None] = None) -> Task:
        "Go on with a task that was interrupted, stopped or failed. Problems of its own: folder-refused, folder-silent, machine-settings, not-found, not-resumable, record-damaged, task-running, token-folder, unknown-chore"
        return await self._call("POST", "/v1/tasks/{id}/resume", query={"detached": detached}, path={"id": id})

    async def revoke_token(self, token: str) -> None:
        "Revoke a token. Problems of its own: not-found, token-unwritten"
        return await self._call("DELETE", "/v1/tokens/{token}", path={"token": token})

    async def rollback_pack(self) -> PackInfo:
        "Use the previous runtime again. Problems of its own: key-revoked, no-previous, pack-invalid, pack-too-new"
        return await self._call("POST", "/v1/packs/rollback")

    async def run_in_session(self, session: str, body: RunRequest) -> RunResult:
        "Have a shell do a command, and wait for its end. Problems of its own: not-found, runtime-unfit, session-busy, session-over, session-unfit"
        return await self._call("POST", "/v1/sessions/{session}/run", body=body, path={"session": session})

    async def save_chore(self, body: SaveChoreRequest) -> SavedChore:
        "Save a chore to do it again. Problems of its own: not-found, unknown-chore"
        return await self._call("POST", "/v1/saved", body=body)

    async def say(self, id: str, body: SayRequest) -> Task:
        "Give an AI task a message. Problems of its own: folder-refused, folder-silent, machine-settings, not-found, not-resumable, record-damaged, task-running, token-folder"
        return await self._call("POST", "/v1/tasks/{id}/messages", body=body, path={"id": id})

    async def say_of_model(self, body: ModelWord) -> Models:
        "Say what a model of a service of one's own can do. Problems of its own: keys-locked, model-failed, no-model, unknown-model"
        return await self._call("PUT", "/v1/models/said", body=body)

    async def set_at_login(self, body: AtLoginChoice) -> AtLogin:
        "Have the system start the process at login, or not. Problems of its own: at-login, at-login-elsewhere, no-process"
        return await self._call("PUT", "/v1/settings/at-login", body=body)

    async def set_audit_keeping(self, body: AuditSettings) -> AuditSettings:
        "Choose for how long they are kept"
        return await self._call("POST", "/v1/settings/audit", body=body)

    async def set_key(self, provider: str, body: KeyRequest) -> KeyInfo:
        "Keep a key in the keychain of this computer. Problems of its own: key-invalid, keychain, keys-locked"
        return await self._call("PUT", "/v1/keys/{provider}", body=body, path={"provider": provider})

    async def set_key_store(self, body: KeyStoreChoice) -> KeyStore:
        "Choose where keys are kept, and move them there. Problems of its own: keychain, keys-locked, passphrase"
        return await self._call("PUT", "/v1/settings/keys", body=body)

    async def set_m_c_p_server_reach(self, name: str, body: MCPServerReach) -> MCPServer:
        "Change what an MCP server may connect to. Problems of its own: not-found, unknown-service"
        return await self._call("PUT", "/v1/mcp-servers/{name}/reach", body=body, path={"name": name})

    async def set_machines(self, body: MachineSettings) -> Machines:
        "Choose how much of this computer the machines of tasks get. Problems of its own: machine-settings"
        return await self._call("POST", "/v1/settings/machines", body=body)

    async def set_model(self, body: ModelChoice) -> Models:
        "Which model is taken when none is named. Problems of its own: keys-locked, model-failed, unknown-model"
        return await self._call("PUT", "/v1/models/default", body=body)

    async def set_network_preset(self, name: str, body: PresetChoice) -> NetworkPreset:
        "Allow a group of hosts everywhere, or not any more. Problems of its own: not-found"
        return await self._call("PUT", "/v1/network/presets/{name}", body=body, path={"name": name})

    async def set_policy(self, body: PolicyText) -> Policy:
        "Replace your file of rules. Problems of its own: policy-changed, policy-fault"
        return await self._call("PUT", "/v1/policy", body=body)

    async def set_rule_end(self, rule: str, body: RuleEnd) -> Rule:
        "Say when a decision ends. Problems of its own: not-found"
        return await self._call("PUT", "/v1/rules/{rule}/end", body=body, path={"rule": rule})

    async def set_runtimes(self, body: RuntimeSettings) -> RuntimeSettings:
        "Choose which kinds of places are preferred, and what is said to weaker ones. Problems of its own: not-found"
        return await self._call("POST", "/v1/settings/runtimes", body=body)

    async def set_service_secret(self, name: str, body: SecretRequest) -> Service:
        "Keep the secret of a service in the keychain of this computer. Problems of its own: key-invalid, keychain, keys-locked, unknown-service"
        return await self._call("PUT", "/v1/services/{name}/secret", body=body, path={"name": name})

    async def set_slow_mode(self, body: SlowMode) -> StatusReport:
        "Work without acceleration, by choice"
        return await self._call("POST", "/v1/settings/slow-mode", body=body)

    async def set_task_model(self, id: str, body: TaskModelRequest) -> Task:
        "Change the model of an AI task, or how long it thinks. Problems of its own: agent-failed, agent-model, keys-locked, model-failed, no-model, not-found, not-resumable, record-damaged, task-running, unknown-model"
        return await self._call("PUT", "/v1/tasks/{id}/model", body=body, path={"id": id})

    async def set_telemetry(self, body: Settings) -> Settings:
        "Choose where traces and metrics are sent, or nowhere"
        return await self._call("PUT", "/v1/settings/telemetry", body=body)

    async def set_undo_keeping(self, body: UndoSettings) -> UndoKeeping:
        "Choose for how long undo is kept"
        return await self._call("POST", "/v1/settings/undo", body=body)

    async def set_updates(self, body: UpdateSettings) -> UpdateState:
        "Choose whether, where and how updates are looked for. Problems of its own: update-settings"
        return await self._call("POST", "/v1/settings/updates", body=body)

    async def set_web_search(self, body: WebSearch) -> WebSearch:
        "Choose what searches the web in the place of tasks"
        return await self._call("PUT", "/v1/settings/search", body=body)

    async def set_window_settings(self, body: WindowSettings) -> WindowSettings:
        "Choose how the window behaves"
        return await self._call("PUT", "/v1/settings/window", body=body)

    async def signal_session(self, session: str, body: SignalRequest) -> Session:
        "Send a signal to the programs of a session. Problems of its own: not-found, session-over"
        return await self._call("POST", "/v1/sessions/{session}/signal", body=body, path={"session": session})

    async def start_again(self, id: str, body: Union[AgainRequest, None] = None) -> Task:
        "Start a new task that asks for the same. Problems of its own: agent-model, folder-refused, folder-silent, keys-locked, machine-settings, model-failed, no-model, not-found, not-repeatable, record-damaged, token-folder, unknown-chore, unknown-model, unknown-service, unsupported"
        return await self._call("POST", "/v1/tasks/{id}/again", body=body, path={"id": id})

    async def start_task(self, body: StartRequest) -> Task:
        "Record a task and start it. Problems of its own: agent-model, folder-overlap, folder-refused, folder-silent, keys-locked, machine-settings, model-failed, no-model, token-folder, unknown-chore, unknown-model, unknown-service, unsupported"
        return await self._call("POST", "/v1/tasks", body=body)

    async def start_update(self, body: Union[UpdateRequest, None] = None) -> UpdateState:
        "Download, install, try and use what is new, or go on after a pause. Problems of its own: addon-unknown, update-invalid, update-off, update-settings"
        return await self._call("POST", "/v1/update/start", body=body)

    async def stat_file(self, id: str, body: StatRequest) -> TaskFile:
        "What is there at a path, and which digest has a file?. Problems of its own: file-kind, file-missing, file-outside, input-online, not-at-work, not-found, pack-corrupt, rule-denied, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed"
        return await self._call("POST", "/v1/tasks/{id}/files/stat", body=body, path={"id": id})

    def stream_agent_events(self, id: str) -> AsyncIterator[Any]:
        "The agent's own events, untouched, as they come. Problems of its own: not-found"
        return self._stream("GET", "/v1/tasks/{id}/agent", path={"id": id}, endless=True)

    def stream_events(self, *, after: Union[int, None] = None, task: Union[str, None] = None, kind: Union[list[str], None] = None, wait: Union[bool, None] = None, hold: Union[bool, None] = None) -> AsyncIterator[Event]:
        "What happens, as it happens. Problems of its own: not-found"
        return self._stream("GET", "/v1/events", query={"after": after, "task": task, "kind": kind, "wait": wait, "hold": hold})

    async def take_back(self, id: str, message: str) -> Task:
        "Take back a message that was not heard yet. Problems of its own: agent-failed, message-heard, not-found, not-resumable, record-damaged, task-running"
        return await self._call("DELETE", "/v1/tasks/{id}/messages/{message}", path={"id": id, "message": message})

    async def test_key(self, provider: str) -> KeyTest:
        "Ask the provider whether it takes the key. Problems of its own: keys-locked"
        return await self._call("POST", "/v1/keys/{provider}/test", path={"provider": provider})

    async def test_runtime(self, kind: str) -> RuntimeStatus:
        "Have a kind of place do a small task, now. Problems of its own: runtime-unfit"
        return await self._call("POST", "/v1/runtimes/{kind}/test", path={"kind": kind})

    async def test_service(self, name: str) -> list[HostTest]:
        "Ask the hosts of a service whether they take the secret. Problems of its own: keychain, keys-locked, service-secret, timeout, unknown-service"
        return await self._call("POST", "/v1/services/{name}/test", path={"name": name})

    async def undo_task(self, id: str, body: UndoRequest) -> UndoReport:
        "Take changes back. Problems of its own: folder-refused, folder-silent, list-changed, not-found, record-damaged, rule-denied, task-running, undo-waits"
        return await self._call("POST", "/v1/tasks/{id}/undo", body=body, path={"id": id})

    async def unlock_keys(self, body: Passphrase) -> KeyStore:
        "Open the file of keys until the program ends. Problems of its own: keychain, passphrase"
        return await self._call("POST", "/v1/settings/keys/unlock", body=body)

    async def verify_audit(self) -> AuditReport:
        "Does the chain of the audit log hold?"
        return await self._call("GET", "/v1/audit/verify")

    async def verify_pack(self, body: FileRequest) -> PackInfo:
        "Is every byte of this file covered by a trusted signature?. Problems of its own: input-missing, input-unreadable, pack-invalid"
        return await self._call("POST", "/v1/packs/verify", body=body)

    async def visit(self, id: str, body: VisitRequest) -> PageResult:
        "Visit the web with a browser, in a task. Problems of its own: addon-missing, file-changed, file-kind, file-missing, file-outside, file-too-large, input-online, network-off, not-at-work, not-found, pack-corrupt, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed, web-unreachable"
        return await self._call("POST", "/v1/tasks/{id}/visit", body=body, path={"id": id})

    def watch_files(self, id: str, *, path: str, depth: Union[int, None] = None, seconds: Union[int, None] = None, limit: Union[int, None] = None, requires: Union[list[str], None] = None) -> AsyncIterator[Any]:
        "Hear what changes in a directory of a task. Problems of its own: file-kind, file-missing, file-outside, input-online, not-at-work, not-found, pack-corrupt, rule-denied, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed"
        return self._stream("GET", "/v1/tasks/{id}/files/watch", query={"path": path, "depth": depth, "seconds": seconds, "limit": limit, "requires": requires}, path={"id": id}, endless=True)

    async def write_diagnostics(self, body: DiagnosticsRequest) -> DiagnosticsFile:
        "Write what was shown, byte for byte, into a zip file. Problems of its own: changed-since, output-exists"
        return await self._call("POST", "/v1/diagnostics", body=body)

    async def write_file(self, id: str, body: WriteRequest) -> TaskFile:
        "Write a file of a task. Problems of its own: file-changed, file-kind, file-missing, file-outside, file-too-large, input-online, not-at-work, not-found, pack-corrupt, rule-denied, runtime-unfit, share-failed, start-failed, tool-failed, unsupported, vm-failed"
        return await self._call("POST", "/v1/tasks/{id}/files/write", body=body, path={"id": id})

    async def write_session(self, session: str, body: InputRequest) -> Session:
        "Type into a session where a WebSocket cannot pass. Problems of its own: not-found, session-busy, session-over"
        return await self._call("POST", "/v1/sessions/{session}/input", body=body, path={"session": session})
