# Made from the table of operations by `go run ./scripts/lib/sdk`. Do not edit.
# ruff: noqa
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypeAlias

class AI(TypedDict):
    budget: NotRequired[int]
    dir: NotRequired[str]
    model: str
    pending: NotRequired[list[Pending]]
    program: NotRequired[str]
    resumes: NotRequired[int]
    servers: NotRequired[bool]
    thinking: NotRequired[str]
    usage: Usage

class AIPart(TypedDict):
    only: NotRequired[bool]
    results: list[str]
    review: NotRequired[bool]

class About(TypedDict):
    api: str
    arch: str
    developer: bool
    limits: NotRequired[ListenerLimits]
    name: Literal["piwork"]
    oas: str
    os: str
    pack: NotRequired[PackTools]
    version: str
    window: bool

class AccelState(TypedDict):
    bootMs: NotRequired[int]
    chosenBy: NotRequired[str]
    kind: str
    native: str
    proven: bool
    slowMode: bool
    slowMs: NotRequired[int]

class Acceptance(TypedDict):
    holds: NotRequired[Literal["task", "hour", "day", "week", "always"]]

class AddOnInfo(TypedDict):
    bytes: NotRequired[int]
    dir: NotRequired[str]
    download: NotRequired[int]
    installed: bool
    name: str
    problem: NotRequired[Problem]
    tools: NotRequired[list[PackTool]]
    usable: bool
    version: NotRequired[str]

class AgainRequest(TypedDict):
    accept: NotRequired[bool]
    detached: NotRequired[bool]
    id: NotRequired[str]
    runtime: NotRequired[str]

Allowance: TypeAlias = "Literal[\"ask\", \"always\", \"never\"]"

class AnswerOption(TypedDict):
    answer: Literal["allow", "deny"]
    label: str
    rest: NotRequired[bool]
    scope: NotRequired[Literal["once", "task", "folder", "always"]]

class AnswerRequest(TypedDict):
    answer: Literal["allow", "deny"]
    choice: NotRequired[int]
    rest: NotRequired[bool]
    scope: NotRequired[Literal["once", "task", "folder", "always"]]
    seen: NotRequired[int]
    text: NotRequired[str]
    unattended: NotRequired[bool]

class ApplyData(TypedDict):
    applied: list[str]
    by: NotRequired[str]
    conflicts: list[str]
    discarded: list[str]

class ApplyEvent(TypedDict):
    data: ApplyData
    kind: Literal["apply"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class ApplyReport(TypedDict):
    applied: list[Change]
    beside: NotRequired[dict[str, str]]
    conflicts: list[UndoConflict]
    discarded: list[Change]

class ApplyRequest(TypedDict):
    digest: NotRequired[str]
    discard: NotRequired[bool]
    ids: NotRequired[list[str]]
    onConflict: NotRequired[Resolution]
    resolve: NotRequired[dict[str, Resolution]]

class Asked(TypedDict):
    cache: NotRequired[str]
    cacheOf: NotRequired[list[str]]
    cpus: NotRequired[int]
    cwd: NotRequired[str]
    images: NotRequired[list[str]]
    limits: NotRequired[Limits]
    lost: NotRequired[str]
    memoryMb: NotRequired[int]
    planOnly: NotRequired[bool]
    prompt: NotRequired[str]
    requiresRuntime: NotRequired[Requirement]
    runtime: NotRequired[str]

class AtLogin(TypedDict):
    on: bool
    possible: bool

class AtLoginChoice(TypedDict):
    on: bool

class AuditFolder(TypedDict):
    mode: str
    path: str

class AuditPage(TypedDict):
    badLine: NotRequired[int]
    before: NotRequired[int]
    records: list[AuditRecord]

AuditRecord = TypedDict("AuditRecord", {
    "accel": "NotRequired[str]",
    "action": "NotRequired[str]",
    "answer": "NotRequired[str]",
    "args": "NotRequired[str]",
    "by": "NotRequired[str]",
    "bytesIn": "NotRequired[int]",
    "bytesOut": "NotRequired[int]",
    "claimedProgram": "NotRequired[str]",
    "client": "NotRequired[str]",
    "content": "NotRequired[str]",
    "domain": "NotRequired[str]",
    "door": "NotRequired[str]",
    "dropped": "NotRequired[int]",
    "ended": "NotRequired[str]",
    "envNames": "NotRequired[list[str]]",
    "event": "str",
    "exec": "NotRequired[str]",
    "exit": "NotRequired[int]",
    "folder": "NotRequired[str]",
    "folders": "NotRequired[list[AuditFolder]]",
    "host": "NotRequired[str]",
    "hosts": "NotRequired[list[str]]",
    "in": "NotRequired[list[str]]",
    "inputs": "NotRequired[int]",
    "isolation": "NotRequired[str]",
    "method": "NotRequired[str]",
    "mode": "NotRequired[str]",
    "n": "int",
    "network": "NotRequired[str]",
    "op": "NotRequired[str]",
    "out": "NotRequired[str]",
    "pack": "NotRequired[str]",
    "path": "NotRequired[str]",
    "port": "NotRequired[int]",
    "prev": "str",
    "problem": "NotRequired[str]",
    "program": "NotRequired[str]",
    "purpose": "NotRequired[str]",
    "question": "NotRequired[str]",
    "reason": "NotRequired[str]",
    "request": "NotRequired[str]",
    "rule": "NotRequired[str]",
    "runtime": "NotRequired[str]",
    "scope": "NotRequired[str]",
    "service": "NotRequired[str]",
    "status": "NotRequired[int]",
    "task": "NotRequired[str]",
    "time": "str",
    "times": "NotRequired[int]",
    "topic": "NotRequired[str]",
    "v": "int",
    "wallMs": "NotRequired[int]",
})

class AuditReport(TypedDict):
    badLine: NotRequired[int]
    first: NotRequired[int]
    key: NotRequired[str]
    ok: bool
    reason: NotRequired[str]
    records: int

class AuditSettings(TypedDict):
    days: int

class BundleInfo(TypedDict):
    bytes: int
    file: str
    packs: list[PackInfo]
    sha256: str

class BundleRequest(TypedDict):
    addOns: NotRequired[list[str]]
    app: NotRequired[str]
    out: str

class Cache(TypedDict):
    bytes: int
    canBack: bool
    id: str
    inUse: bool
    limitMb: int
    project: Project
    used: str

Change = TypedDict("Change", {
    "after": "NotRequired[FileState]",
    "before": "NotRequired[FileState]",
    "effect": "ChangeEffect",
    "folder": "NotRequired[str]",
    "from": "NotRequired[str]",
    "id": "str",
    "kind": "NotRequired[str]",
    "path": "str",
    "staged": "NotRequired[bool]",
    "undone": "NotRequired[str]",
})

ChangeEffect: TypeAlias = "Literal[\"create\", \"change\", \"move\", \"delete\"]"

class ChangeFact(TypedDict):
    after: NotRequired[str]
    before: NotRequired[str]
    code: FactCode

class Check(TypedDict):
    code: str
    params: NotRequired[dict[str, Any]]
    said: NotRequired[str]
    state: CheckState
    tookMs: int

class CheckEvent(TypedDict):
    data: Check
    kind: Literal["check"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

CheckState: TypeAlias = "Literal[\"passed\", \"failed\", \"unknown\", \"skipped\"]"

class Choice(TypedDict):
    label: str

class ChoreInfo(TypedDict):
    about: NotRequired[str]
    ai: NotRequired[AIPart]
    effects: list[PlanEffect]
    name: str
    needs: list[str]
    params: list[ChoreParam]
    run: NotRequired[str]
    title: NotRequired[str]
    unit: NotRequired[dict[str, str]]

class ChoreParam(TypedDict):
    choices: NotRequired[list[str]]
    default: Any
    max: NotRequired[int]
    min: NotRequired[int]
    name: str
    type: str
    words: NotRequired[ParamWords]

class Chosen(TypedDict):
    model: str
    store: Literal["keychain", "file"]

class CleanRequest(TypedDict):
    loseUndo: NotRequired[bool]
    what: list[StorageKind]

class Cleaned(TypedDict):
    freed: int
    waiting: NotRequired[list[str]]

class Cluster(TypedDict):
    image: str
    namespace: NotRequired[str]
    owner: NotRequired[str]

class Command(TypedDict):
    begun: str
    failed: NotRequired[bool]
    parent: NotRequired[str]
    span: str

class ComparedSide(TypedDict):
    encoding: NotRequired[TextEncoding]
    height: NotRequired[int]
    missing: NotRequired[str]
    show: NotRequired[bool]
    size: int
    type: NotRequired[str]
    width: NotRequired[int]

class Comparison(TypedDict):
    after: NotRequired[ComparedSide]
    before: NotRequired[ComparedSide]
    change: Change
    facts: list[ChangeFact]
    kind: ComparisonKind
    table: NotRequired[TableDiff]
    text: NotRequired[TextDiff]

ComparisonKind: TypeAlias = "Literal[\"text\", \"table\", \"image\", \"other\", \"none\"]"

class Computer(TypedDict):
    cpus: int
    freeMb: int
    memoryMb: int

class Decision(TypedDict):
    answer: str
    by: str
    choice: NotRequired[int]
    client: NotRequired[str]
    id: str
    rule: NotRequired[str]
    scope: str
    text: NotRequired[str]
    time: str

class DecisionEvent(TypedDict):
    data: Decision
    kind: Literal["decision"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class Definition(TypedDict):
    hosts: NotRequired[list[Host]]
    preset: NotRequired[str]

class DeltaData(TypedDict):
    id: str
    part: NotRequired[int]
    text: NotRequired[str]
    thinking: NotRequired[str]

class DeltaEvent(TypedDict):
    data: DeltaData
    kind: Literal["delta"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class Diagnostics(TypedDict):
    files: list[DiagnosticsText]
    id: str

class DiagnosticsFile(TypedDict):
    bytes: int
    path: str

class DiagnosticsRequest(TypedDict):
    id: NotRequired[str]
    path: str
    replace: NotRequired[bool]

class DiagnosticsText(TypedDict):
    bytes: int
    name: str
    text: str

DiffOp: TypeAlias = "Literal[\"same\", \"added\", \"removed\", \"changed\"]"

class DroppedFolder(TypedDict):
    file: NotRequired[str]
    files: int
    name: str
    path: str
    problem: NotRequired[Problem]

class DroppedRequest(TypedDict):
    paths: list[str]

class EndRequest(TypedDict):
    cancel: NotRequired[bool]

class Ending(TypedDict):
    cpuMs: int
    ended: str
    exitCode: int
    peakKb: NotRequired[int]
    signal: NotRequired[int]
    wallMs: int

class Engine(TypedDict):
    copies: bool
    name: str
    offline: NotRequired[bool]
    rootless: bool
    sizes: bool
    socket: str
    text: NotRequired[str]
    version: str

Event: TypeAlias = "Union[StateEvent, StepEvent, PlanEvent, ProgressEvent, OutputEvent, ProblemEvent, ResultEvent, QuestionEvent, DecisionEvent, UndoEvent, RedoEvent, ApplyEvent, FolderEvent, MessageEvent, DeltaEvent, ToolEvent, UsageEvent, NoticeEvent, QueueEvent, PackEvent, UpdateEvent, MachinesEvent, StatusEvent, CheckEvent, ResetEvent, SettingsEvent, GoneEvent, WindowEvent]"

class ExplainRequest(TypedDict):
    about: NotRequired[str]
    action: Literal["read", "write", "delete", "connect", "run", "useKey", "startRuntime"]
    agent: NotRequired[str]
    client: NotRequired[str]
    domain: NotRequired[str]
    door: NotRequired[Literal["window", "cli", "mcp", "acp", "stdio", "http"]]
    effects: NotRequired[list[str]]
    files: NotRequired[int]
    host: NotRequired[str]
    isolation: NotRequired[Isolation]
    key: NotRequired[str]
    kind: NotRequired[TaskKind]
    network: NotRequired[Network]
    path: NotRequired[str]
    port: NotRequired[int]
    program: NotRequired[str]
    risk: NotRequired[Literal["none", "low", "high"]]
    runKind: NotRequired[Literal["program", "session", "command", "server", "chore", "tool", "ai"]]
    runtime: NotRequired[str]
    size: NotRequired[int]
    task: NotRequired[str]
    text: NotRequired[str]
    time: NotRequired[str]

class Explanation(TypedDict):
    effect: Literal["allow", "ask", "deny"]
    fault: NotRequired[RuleFault]
    layer: NotRequired[Literal["managed", "yours", "default"]]
    matches: list[RuleMatch]
    rule: NotRequired[str]
    said: NotRequired[str]

FactCode: TypeAlias = "Literal[\"moved\", \"mode\", \"time\", \"target\", \"attributes\", \"encoding\", \"line-ends\", \"same-content\"]"

class FetchRequest(TypedDict):
    into: NotRequired[str]
    limit: NotRequired[int]
    requiresRuntime: NotRequired[Requirement]
    url: str

class Fetched(TypedDict):
    data: NotRequired[str]
    file: NotRequired[TaskFile]
    sha256: str
    size: int
    status: int
    type: NotRequired[str]
    url: str

class FileRequest(TypedDict):
    file: str

class FileState(TypedDict):
    attributes: NotRequired[str]
    mode: int
    mtime: str
    sha256: NotRequired[str]
    size: int
    target: NotRequired[str]

class Fix(TypedDict):
    code: str
    command: NotRequired[str]
    kind: FixKind
    lead: NotRequired[str]
    runs: NotRequired[str]
    steps: NotRequired[list[str]]
    title: NotRequired[str]

FixKind: TypeAlias = "Literal[\"action\", \"link\", \"command\"]"

class Folder(TypedDict):
    id: str
    mode: FolderMode
    name: str
    path: str
    removed: NotRequired[str]

class FolderChoice(TypedDict):
    mode: FolderMode
    path: str

class FolderData(TypedDict):
    by: str
    folder: Folder

class FolderEvent(TypedDict):
    data: FolderData
    kind: Literal["folder"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

FolderMode: TypeAlias = "Literal[\"ro\", \"rw\", \"review\"]"

class FolderRequest(TypedDict):
    exact: NotRequired[bool]
    mode: NotRequired[FolderMode]
    path: str

class GoneEvent(TypedDict):
    data: Nothing
    kind: Literal["gone"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class Health(TypedDict):
    status: Literal["ok"]
    uptimeMs: int

class HealthPage(TypedDict):
    audit: NotRequired[AuditReport]
    machines: NotRequired[Machines]
    problems: list[Problem]
    status: NotRequired[StatusReport]
    storage: NotRequired[Storage]
    update: NotRequired[UpdateState]
    uptimeMs: int
    version: str

class Host(TypedDict):
    host: str
    put: NotRequired[Put]
    rules: list[str]
    test: NotRequired[str]

class HostTest(TypedDict):
    detail: NotRequired[str]
    host: str
    ok: bool
    path: str
    status: NotRequired[int]

class ImageRequest(TypedDict):
    data: str
    name: str

class InputRequest(TypedDict):
    client: str
    data: NotRequired[str]
    take: NotRequired[bool]

class Instant(TypedDict):
    bytes: NotRequired[int]
    mode: NotRequired[InstantMode]
    problem: NotRequired[Problem]
    reason: NotRequired[InstantReason]
    said: NotRequired[str]
    state: InstantState

InstantMode: TypeAlias = "Literal[\"template\", \"spare\"]"

InstantReason: TypeAlias = "Literal[\"setup\", \"tasks\", \"soon\", \"unused\", \"memory\", \"disk\", \"battery\"]"

InstantState: TypeAlias = "Literal[\"off\", \"pending\", \"making\", \"ready\", \"failed\"]"

Isolation: TypeAlias = "Literal[\"hardware\", \"emulated\", \"namespace\", \"none\"]"

class KeyInfo(TypedDict):
    baseUrl: NotRequired[str]
    canLogin: NotRequired[bool]
    ending: NotRequired[str]
    expires: NotRequired[str]
    has: bool
    kind: NotRequired[str]
    local: NotRequired[bool]
    name: str
    noKey: NotRequired[bool]
    place: NotRequired[str]
    protocol: NotRequired[str]
    provider: str

class KeyRequest(TypedDict):
    baseUrl: NotRequired[str]
    key: NotRequired[str]
    name: NotRequired[str]
    protocol: NotRequired[Literal["anthropic", "openai", "google"]]

class KeyStore(TypedDict):
    keychain: bool
    locked: bool
    store: Literal["keychain", "file"]

class KeyStoreChoice(TypedDict):
    passphrase: NotRequired[str]
    store: Literal["keychain", "file"]

class KeyTest(TypedDict):
    detail: NotRequired[str]
    models: NotRequired[int]
    ok: bool
    reason: NotRequired[str]
    said: NotRequired[str]

class Licence(TypedDict):
    file: NotRequired[str]
    licence: str
    name: str
    of: Literal["program", "window", "runtime"]
    source: NotRequired[str]
    text: NotRequired[str]
    version: NotRequired[str]

class Licences(TypedDict):
    items: list[Licence]

class LimitSupport(TypedDict):
    cpu: bool
    disk: bool
    memory: bool
    output: bool
    processes: bool
    size: bool
    wall: bool

class Limits(TypedDict):
    cpuMs: NotRequired[int]
    ioBytes: NotRequired[int]
    memoryMb: NotRequired[int]
    outputBytes: NotRequired[int]
    wallMs: NotRequired[int]

class ListRequest(TypedDict):
    depth: NotRequired[int]
    limit: NotRequired[int]
    path: str
    requiresRuntime: NotRequired[Requirement]

class ListenerLimits(TypedDict):
    body: int
    burst: int
    connections: int
    rate: float
    streams: int

class LogInfo(TypedDict):
    bytes: int
    changed: str
    name: str
    task: NotRequired[str]

class Login(TypedDict):
    expires: str
    id: str
    needs: Literal["code", "nothing"]
    terms: NotRequired[bool]
    url: str
    userCode: NotRequired[str]

class LoginCode(TypedDict):
    code: str

class LoginRequest(TypedDict):
    device: NotRequired[bool]
    domain: NotRequired[str]

class LoginState(TypedDict):
    problem: NotRequired[Problem]
    state: Literal["waiting", "done", "failed"]
    step: NotRequired[Literal["terms"]]

class Logout(TypedDict):
    revoked: NotRequired[bool]
    state: Literal["none", "done"]

class Logs(TypedDict):
    logs: list[LogInfo]

class MCPLogin(TypedDict):
    address: NotRequired[str]
    problem: NotRequired[Problem]
    state: Literal["none", "waiting", "done", "failed"]

class MCPLoginRequest(TypedDict):
    confirm: NotRequired[list[str]]

class MCPServer(TypedDict):
    args: NotRequired[list[str]]
    checked: NotRequired[str]
    client: NotRequired[str]
    command: NotRequired[str]
    env: NotRequired[list[str]]
    folders: NotRequired[list[str]]
    headers: NotRequired[list[str]]
    hosts: NotRequired[list[str]]
    id: str
    name: str
    services: NotRequired[list[str]]
    signedIn: NotRequired[bool]
    tools: NotRequired[list[MCPTool]]
    turn: NotRequired[int]
    url: NotRequired[str]

class MCPServerAddition(TypedDict):
    args: NotRequired[list[str]]
    client: NotRequired[str]
    clientSecret: NotRequired[str]
    command: NotRequired[str]
    env: NotRequired[dict[str, str]]
    folders: NotRequired[list[str]]
    headers: NotRequired[dict[str, str]]
    hosts: NotRequired[list[str]]
    name: str
    services: NotRequired[list[str]]
    url: NotRequired[str]

class MCPServerImport(TypedDict):
    config: str
    folders: NotRequired[list[str]]
    hosts: NotRequired[list[str]]

class MCPServerReach(TypedDict):
    hosts: list[str]
    services: NotRequired[list[str]]

class MCPTool(TypedDict):
    description: NotRequired[str]
    hash: str
    name: str
    offered: NotRequired[str]
    reason: NotRequired[Literal["name", "schema"]]
    schema: NotRequired[dict[str, Any]]
    state: MCPToolState

class MCPToolChoice(TypedDict):
    allow: bool
    hash: NotRequired[str]
    tool: str

MCPToolState: TypeAlias = "Literal[\"off\", \"on\", \"changed\", \"unfit\"]"

class MachineSettings(TypedDict):
    atOnce: int
    cacheMb: NotRequired[int]
    cpus: int
    instant: bool
    memoryMb: int
    share: NotRequired[Literal["auto", "9p", "virtiofs"]]
    totalMb: int

class MachineSize(TypedDict):
    cpus: int
    memoryMb: int

class Machines(TypedDict):
    atOnce: int
    host: Computer
    instant: Instant
    queued: int
    running: int
    settings: MachineSettings
    share: Share
    size: MachineSize
    totalMb: int

class MachinesEvent(TypedDict):
    data: Machines
    kind: Literal["machines"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class Makes(TypedDict):
    bytes: int
    files: int
    times: NotRequired[int]

class MendRequest(TypedDict):
    fix: str

class Mended(TypedDict):
    declined: bool
    report: StatusReport

class MessageData(TypedDict):
    how: NotRequired[str]
    id: str
    images: NotRequired[list[str]]
    model: NotRequired[str]
    pending: NotRequired[str]
    raw: NotRequired[int]
    role: str
    text: str
    thinking: NotRequired[str]

class MessageEvent(TypedDict):
    data: MessageData
    kind: Literal["message"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class ModelChoice(TypedDict):
    model: str

class ModelInfo(TypedDict):
    context: NotRequired[int]
    id: str
    images: NotRequired[bool]
    inputPrice: NotRequired[int]
    local: NotRequired[bool]
    name: str
    outputPrice: NotRequired[int]
    own: NotRequired[bool]
    provider: str
    said: NotRequired[ModelSaid]
    thinks: NotRequired[bool]

class ModelSaid(TypedDict):
    context: NotRequired[int]
    images: NotRequired[bool]
    thinks: NotRequired[bool]

class ModelWord(TypedDict):
    context: NotRequired[int]
    images: NotRequired[bool]
    model: str
    thinks: NotRequired[bool]

class Models(TypedDict):
    chosen: bool
    default: str
    list: list[ModelInfo]

MovePhase: TypeAlias = "Literal[\"none\", \"planned\", \"copying\", \"done\", \"failed\", \"cancelled\"]"

class MoveRequest(TypedDict):
    dir: str
    dryRun: NotRequired[bool]

Network: TypeAlias = "Literal[\"off\", \"restricted\", \"on\"]"

class NetworkPreset(TypedDict):
    code: str
    default: bool
    hosts: list[str]
    on: bool
    title: NotRequired[str]

class NetworkRuleRequest(TypedDict):
    answer: Literal["allow", "deny"]
    host: NotRequired[str]
    preset: NotRequired[str]
    task: NotRequired[str]

class NetworkRules(TypedDict):
    presets: list[NetworkPreset]
    rules: list[Rule]

class NewToken(TypedDict):
    created: str
    expires: str
    folders: list[FolderRequest]
    id: str
    name: str
    origins: NotRequired[list[str]]
    scopes: list[Literal["read", "tasks", "tools", "ai", "decide", "manage"]]
    secret: str
    used: NotRequired[str]

Nothing: TypeAlias = "dict[str, Any]"

class NoticeClaim(TypedDict):
    event: int

class NoticeClaimed(TypedDict):
    first: bool

class NoticeData(TypedDict):
    code: str
    params: NotRequired[dict[str, Any]]
    raw: NotRequired[int]
    text: NotRequired[str]

class NoticeEvent(TypedDict):
    data: NoticeData
    kind: Literal["notice"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class Output(TypedDict):
    at: int
    data: str
    session: Session
    turn: int
    writes: bool

class OutputData(TypedDict):
    data: str
    part: NotRequired[int]
    stream: str

class OutputEvent(TypedDict):
    data: OutputData
    kind: Literal["output"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class PackData(TypedDict):
    done: int
    total: int

class PackEvent(TypedDict):
    data: PackData
    kind: Literal["pack"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class PackInfo(TypedDict):
    arch: str
    built: str
    bytes: int
    candidate: NotRequired[bool]
    checksum: NotRequired[str]
    current: bool
    developer: bool
    dir: NotRequired[str]
    failed: NotRequired[bool]
    files: int
    flavour: NotRequired[str]
    guestArch: str
    inUse: NotRequired[bool]
    installed: bool
    kind: NotRequired[PackKind]
    name: str
    os: str
    previous: NotRequired[bool]
    problem: NotRequired[Problem]
    signedBy: str
    tools: NotRequired[list[PackTool]]
    version: str
    withdrawn: NotRequired[bool]

PackKind: TypeAlias = "Literal[\"runtime\", \"addon\", \"bundle\"]"

class PackState(TypedDict):
    developer: bool
    dir: NotRequired[str]
    flavour: NotRequired[str]
    installed: bool
    missing: NotRequired[list[str]]
    verified: bool
    version: NotRequired[str]

class PackTool(TypedDict):
    name: str
    operations: NotRequired[list[str]]
    version: str

class PackTools(TypedDict):
    checksum: str
    tools: list[PackTool]
    version: str

class PageDone(TypedDict):
    cut: NotRequired[bool]
    failed: NotRequired[str]
    file: NotRequired[TaskFile]
    text: NotRequired[str]

class PageResult(TypedDict):
    steps: list[PageDone]
    title: str
    url: str

class PageStep(TypedDict):
    do: Literal["open", "click", "type", "text", "screenshot", "pdf"]
    into: NotRequired[str]
    optional: NotRequired[bool]
    selector: NotRequired[str]
    text: NotRequired[str]
    url: NotRequired[str]

class ParamWords(TypedDict):
    choices: NotRequired[dict[str, str]]
    hint: NotRequired[str]
    label: str

class Passphrase(TypedDict):
    passphrase: str

class PassphraseChange(TypedDict):
    new: str
    passphrase: str

class Pending(TypedDict):
    how: str
    id: str
    images: NotRequired[list[str]]
    text: str

class Piwork(TypedDict):
    program: str
    version: str

class Plan(TypedDict):
    chore: str
    limits: NotRequired[Limits]
    needs: list[str]
    online: NotRequired[PlanOnline]
    operations: list[PlanOperation]
    params: dict[str, Any]
    run: NotRequired[str]
    skipped: NotRequired[list[Problem]]
    summary: NotRequired[str]
    title: NotRequired[str]
    v: int

PlanEffect: TypeAlias = "Literal[\"create\", \"move\", \"change\", \"delete\"]"

class PlanEvent(TypedDict):
    data: Plan
    kind: Literal["plan"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class PlanInput(TypedDict):
    mtime: NotRequired[str]
    path: str
    sha256: NotRequired[str]
    size: NotRequired[int]

class PlanKept(TypedDict):
    mtime: str
    path: str
    size: int

class PlanOnline(TypedDict):
    bytes: int
    files: int
    note: NotRequired[str]

PlanOperation = TypedDict("PlanOperation", {
    "effect": "PlanEffect",
    "in": "list[PlanInput]",
    "kept": "NotRequired[PlanKept]",
    "makes": "NotRequired[Makes]",
    "op": "str",
    "out": "str",
    "sheet": "NotRequired[str]",
})

class Policy(TypedDict):
    files: list[RuleFile]
    rules: list[WrittenRule]
    text: str

class PolicyCheck(TypedDict):
    fault: NotRequired[RuleFault]
    rules: list[WrittenRule]

class PolicyText(TypedDict):
    before: NotRequired[str]
    text: str

class Preset(TypedDict):
    code: str
    hosts: list[Host]

class PresetChoice(TypedDict):
    on: bool

class Preview(TypedDict):
    changes: list[Change]
    digest: str

class PreviewRequest(TypedDict):
    how: Literal["undo", "redo", "apply", "discard"]
    ids: NotRequired[list[str]]
    resolve: NotRequired[dict[str, Resolution]]

class Problem(TypedDict):
    cause: str
    code: str
    detail: NotRequired[str]
    details: NotRequired[str]
    fix: list[Fix]
    params: NotRequired[dict[str, Any]]
    reason: NotRequired[str]
    restart: NotRequired[str]
    severity: Severity
    then: NotRequired[str]
    title: NotRequired[str]

class ProblemEvent(TypedDict):
    data: Problem
    kind: Literal["problem"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class ProcessStatus(TypedDict):
    accel: NotRequired[str]
    background: bool
    built: str
    clients: int
    env: str
    held: list[str]
    idleEnd: NotRequired[int]
    pages: bool
    pid: int
    program: str
    since: str
    version: str
    windows: int
    working: int

class Program(TypedDict):
    addOn: NotRequired[str]
    installed: bool
    name: str
    providers: list[str]
    thinks: bool
    title: str

class ProgressData(TypedDict):
    bytes: NotRequired[int]
    done: int
    eta: NotRequired[int]
    item: NotRequired[str]
    total: int
    totalBytes: NotRequired[int]

class ProgressEvent(TypedDict):
    data: ProgressData
    kind: Literal["progress"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class Project(TypedDict):
    folders: NotRequired[list[str]]
    name: NotRequired[str]

class Proposal(TypedDict):
    about: Refused
    careful: NotRequired[Literal["task", "hour", "day", "week", "always"]]
    cedar: str
    created: str
    id: str
    rule: str
    said: NotRequired[str]
    task: str
    then: Literal["allow", "ask"]
    was: str
    whole: NotRequired[bool]

class Put(TypedDict):
    header: NotRequired[str]
    template: NotRequired[str]
    user: NotRequired[str]

class Question(TypedDict):
    answers: NotRequired[list[AnswerOption]]
    caution: NotRequired[str]
    choices: NotRequired[list[Choice]]
    detail: NotRequired[str]
    expires: NotRequired[str]
    id: str
    input: NotRequired[bool]
    items: list[str]
    kind: QuestionKind
    more: NotRequired[str]
    notes: NotRequired[list[str]]
    quotes: NotRequired[list[str]]
    risk: NotRequired[Literal["none", "low", "high"]]
    rule: NotRequired[str]
    scopes: NotRequired[list[Literal["once", "task", "folder", "always"]]]
    task: str
    text: QuestionText
    title: NotRequired[str]

class QuestionEvent(TypedDict):
    data: Question
    kind: Literal["question"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

QuestionKind: TypeAlias = "Literal[\"delete\", \"overwrite\", \"mass-change\", \"network\", \"command\", \"apply\", \"undo-space\", \"unpack\", \"runtime\", \"folder\", \"server\", \"rule\"]"

class QuestionText(TypedDict):
    code: str
    params: NotRequired[dict[str, Any]]

class QueueData(TypedDict):
    followUp: list[str]
    steering: list[str]

class QueueEvent(TypedDict):
    data: QueueData
    kind: Literal["queue"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class ReadRequest(TypedDict):
    length: NotRequired[int]
    offset: NotRequired[int]
    path: str
    requiresRuntime: NotRequired[Requirement]

class RedoData(TypedDict):
    by: NotRequired[str]
    conflicts: list[str]
    redone: list[str]

class RedoEvent(TypedDict):
    data: RedoData
    kind: Literal["redo"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class RedoReport(TypedDict):
    conflicts: list[UndoConflict]
    redone: list[Change]

class RedoRequest(TypedDict):
    digest: NotRequired[str]
    ids: NotRequired[list[str]]

class Refused(TypedDict):
    about: NotRequired[str]
    action: Literal["read", "write", "delete", "connect", "run", "useKey", "startRuntime"]
    agent: NotRequired[str]
    client: NotRequired[str]
    domain: NotRequired[str]
    door: NotRequired[Literal["window", "cli", "mcp", "acp", "stdio", "http"]]
    effects: NotRequired[list[str]]
    files: NotRequired[int]
    host: NotRequired[str]
    isolation: NotRequired[Isolation]
    key: NotRequired[str]
    kind: NotRequired[TaskKind]
    network: NotRequired[Network]
    path: NotRequired[str]
    port: NotRequired[int]
    program: NotRequired[str]
    risk: NotRequired[Literal["none", "low", "high"]]
    runKind: NotRequired[Literal["program", "session", "command", "server", "chore", "tool", "ai"]]
    runtime: NotRequired[str]
    size: NotRequired[int]
    task: NotRequired[str]
    time: NotRequired[str]

class Remote(TypedDict):
    address: str
    cluster: NotRequired[Cluster]
    hostKeys: NotRequired[dict[str, str]]
    name: str
    program: NotRequired[str]

class RemoteAddition(TypedDict):
    address: str
    cluster: NotRequired[Cluster]
    confirm: NotRequired[list[str]]
    name: str
    program: NotRequired[str]

class RemoteUsage(TypedDict):
    bytes: int
    piwork: NotRequired[Piwork]
    places: int
    used: NotRequired[str]

class RenameRequest(TypedDict):
    title: str

class RepairRequest(TypedDict):
    file: NotRequired[str]

class Request(TypedDict):
    argv: NotRequired[list[str]]
    clean: NotRequired[bool]
    cwd: NotRequired[str]
    env: NotRequired[dict[str, str]]
    idleMs: NotRequired[int]
    keepKb: NotRequired[int]
    limits: NotRequired[Limits]
    requiresRuntime: NotRequired[Requirement]
    secrets: NotRequired[dict[str, str]]
    terminal: NotRequired[TerminalSize]

class Requirement(TypedDict):
    atLeast: NotRequired[Isolation]
    can: NotRequired[list[Literal["tools", "read-only", "limits", "no-network", "restricted-network", "gpu"]]]
    kinds: NotRequired[list[str]]

class ResetEvent(TypedDict):
    data: Nothing
    kind: Literal["reset"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

Resolution: TypeAlias = "Literal[\"keep\", \"restore\", \"both\"]"

class Result(TypedDict):
    folder: NotRequired[str]
    path: str
    sha256: NotRequired[str]
    size: int

class ResultEvent(TypedDict):
    data: Result
    kind: Literal["result"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class Rule(TypedDict):
    answer: str
    beforehand: NotRequired[bool]
    client: NotRequired[str]
    created: str
    expires: NotRequired[str]
    folder: NotRequired[str]
    id: str
    name: NotRequired[str]
    narrows: NotRequired[Literal["folder", "host"]]
    said: NotRequired[str]
    task: NotRequired[str]
    topic: str

class RuleEnd(TypedDict):
    expires: NotRequired[str]

class RuleException(TypedDict):
    cedar: str
    edited: NotRequired[bool]
    ended: NotRequired[bool]
    id: str
    rule: str
    said: NotRequired[str]
    since: NotRequired[str]
    task: NotRequired[str]
    until: NotRequired[str]

class RuleFault(TypedDict):
    code: str
    column: NotRequired[int]
    layer: Literal["managed", "yours", "default"]
    line: NotRequired[int]
    message: str
    path: NotRequired[str]
    said: NotRequired[str]

class RuleFile(TypedDict):
    fault: NotRequired[RuleFault]
    layer: Literal["managed", "yours"]
    path: str
    there: bool

class RuleMatch(TypedDict):
    effect: Literal["allow", "ask", "deny"]
    failed: NotRequired[str]
    layer: Literal["managed", "yours", "default"]
    rule: str

class RuleScope(TypedDict):
    folder: NotRequired[str]
    host: NotRequired[str]
    task: NotRequired[str]

class RunRequest(TypedDict):
    command: str
    requiresRuntime: NotRequired[Requirement]
    timeoutMs: NotRequired[int]

class RunResult(TypedDict):
    cpuMs: int
    ended: NotRequired[str]
    exitCode: int
    peakKb: NotRequired[int]
    signal: NotRequired[int]
    stderr: str
    stderrFile: NotRequired[str]
    stderrSize: int
    stdout: str
    stdoutFile: NotRequired[str]
    stdoutSize: int
    truncated: NotRequired[bool]
    wallMs: int

class RuntimeChoice(TypedDict):
    ask: bool
    kind: str
    verdicts: list[RuntimeVerdict]

class RuntimeNeed(TypedDict):
    addOns: NotRequired[bool]
    atLeast: NotRequired[Isolation]
    cache: NotRequired[bool]
    changes: NotRequired[bool]
    folders: NotRequired[bool]
    gpu: NotRequired[bool]
    limits: NotRequired[bool]
    named: NotRequired[str]
    network: NotRequired[Network]
    requiresRuntime: NotRequired[Requirement]
    size: NotRequired[bool]
    slow: NotRequired[bool]
    work: NotRequired[TaskKind]

RuntimeReason: TypeAlias = "Literal[\"named\", \"preferred\", \"strongest\", \"allowed\", \"permitted\", \"ask\", \"another\", \"work\", \"network\", \"folders\", \"add-ons\", \"limits\", \"cache\", \"isolation\", \"required\", \"files\", \"rule\", \"gpu\", \"away\", \"off\", \"unnamed\", \"problem\", \"weaker\", \"after\"]"

class RuntimeSettings(TypedDict):
    files: NotRequired[list[str]]
    prefer: NotRequired[list[str]]
    rootless: NotRequired[list[str]]
    weaker: NotRequired[dict[str, Allowance]]

class RuntimeStatus(TypedDict):
    allowance: Allowance
    byName: NotRequired[bool]
    domain: str
    engine: NotRequired[Engine]
    folders: bool
    isolation: Isolation
    kind: str
    limits: LimitSupport
    networks: list[str]
    preferred: NotRequired[int]
    problem: NotRequired[Problem]
    text: NotRequired[str]
    title: NotRequired[str]
    work: list[TaskKind]
    works: bool

class RuntimeVerdict(TypedDict):
    engine: NotRequired[Engine]
    kind: str
    lacks: NotRequired[str]
    problem: NotRequired[Problem]
    reason: RuntimeReason
    rule: NotRequired[str]
    taken: bool
    text: NotRequired[str]

class SamplesFolder(TypedDict):
    files: int
    path: str

class SamplesRequest(TypedDict):
    language: NotRequired[str]

class SaveChoreRequest(TypedDict):
    chore: NotRequired[str]
    folders: NotRequired[list[FolderRequest]]
    name: str
    params: NotRequired[dict[str, Any]]
    runtime: NotRequired[str]
    task: NotRequired[str]

class SavedChore(TypedDict):
    chore: str
    created: str
    folders: list[FolderRequest]
    id: str
    name: str
    params: dict[str, Any]
    runtime: NotRequired[str]
    where: NotRequired[str]

class SayRequest(TypedDict):
    detached: NotRequired[bool]
    how: NotRequired[Literal["steer", "followUp"]]
    images: NotRequired[list[ImageRequest]]
    text: str

class SecretRequest(TypedDict):
    secret: str

class Service(TypedDict):
    ending: NotRequired[str]
    hosts: list[Host]
    name: str
    secret: Literal["none", "missing", "set"]

class Session(TypedDict):
    argv: NotRequired[list[str]]
    created: str
    ending: NotRequired[Ending]
    id: str
    kept: int
    output: int
    problem: NotRequired[Problem]
    readers: int
    reason: NotRequired[str]
    shell: bool
    size: NotRequired[TerminalSize]
    state: str
    task: str
    terminal: bool
    writer: bool

class Settings(TypedDict):
    endpoint: str

class SettingsEvent(TypedDict):
    data: Nothing
    kind: Literal["settings"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

Severity: TypeAlias = "Literal[\"blocking\", \"error\", \"warning\"]"

class Share(TypedDict):
    detail: NotRequired[str]
    kind: Literal["9p", "virtiofs"]
    reason: NotRequired[str]
    said: NotRequired[str]

class SignalRequest(TypedDict):
    signal: Literal["HUP", "INT", "QUIT", "KILL", "USR1", "USR2", "TERM", "CONT", "STOP", "WINCH"]

class SlowMode(TypedDict):
    on: bool

class StartRequest(TypedDict):
    accel: NotRequired[str]
    accept: NotRequired[bool]
    agent: NotRequired[bool]
    argv: NotRequired[list[str]]
    attached: NotRequired[bool]
    budget: NotRequired[int]
    cache: NotRequired[str]
    chore: NotRequired[str]
    client: NotRequired[str]
    cpus: NotRequired[int]
    cwd: NotRequired[str]
    detached: NotRequired[bool]
    door: NotRequired[str]
    env: NotRequired[dict[str, str]]
    folders: list[FolderRequest]
    id: NotRequired[str]
    images: NotRequired[list[ImageRequest]]
    interactive: NotRequired[bool]
    kind: TaskKind
    limits: NotRequired[Limits]
    memoryMb: NotRequired[int]
    model: NotRequired[str]
    network: NotRequired[Network]
    open: NotRequired[bool]
    params: NotRequired[dict[str, Any]]
    planOnly: NotRequired[bool]
    presets: NotRequired[list[str]]
    program: NotRequired[str]
    prompt: NotRequired[str]
    requiresRuntime: NotRequired[Requirement]
    runtime: NotRequired[str]
    services: NotRequired[list[str]]
    stdin: NotRequired[str]
    terminal: NotRequired[TerminalSize]
    thinking: NotRequired[Literal["off", "minimal", "low", "medium", "high"]]
    title: NotRequired[str]
    tool: NotRequired[ToolParams]

class StatRequest(TypedDict):
    path: str
    requiresRuntime: NotRequired[Requirement]

class StateData(TypedDict):
    error: NotRequired[Problem]
    state: TaskState

class StateEvent(TypedDict):
    data: StateData
    kind: Literal["state"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class StatusEvent(TypedDict):
    data: StatusReport
    kind: Literal["status"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class StatusReport(TypedDict):
    accel: AccelState
    arch: str
    checks: list[Check]
    os: str
    pack: PackState
    problems: list[Problem]
    ready: bool
    time: str
    version: str

class StepData(TypedDict):
    step: str

class StepEvent(TypedDict):
    data: StepData
    kind: Literal["step"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class Storage(TypedDict):
    freeBytes: int
    items: list[StorageItem]

class StorageItem(TypedDict):
    bytes: int
    cleanable: bool
    frees: int
    losesUndo: NotRequired[bool]
    path: str
    said: NotRequired[str]
    silent: NotRequired[bool]
    what: StorageKind

StorageKind: TypeAlias = "Literal[\"runtime\", \"addons\", \"templates\", \"caches\", \"trees\", \"images\", \"environments\", \"downloads\", \"tasks\", \"journals\", \"logs\"]"

StorageMove = TypedDict("StorageMove", {
    "bytes": "int",
    "done": "int",
    "files": "int",
    "fixedBy": "NotRequired[str]",
    "freeBytes": "int",
    "from": "str",
    "needBytes": "int",
    "phase": "MovePhase",
    "problem": "NotRequired[Problem]",
    "to": "NotRequired[str]",
})

class TableCell(TypedDict):
    op: DiffOp
    text: str
    was: NotRequired[str]

class TableDiff(TypedDict):
    added: int
    changed: int
    columns: int
    cut: NotRequired[bool]
    removed: int
    rows: list[TableRow]

class TableRow(TypedDict):
    after: NotRequired[int]
    before: NotRequired[int]
    cells: list[TableCell]
    gap: NotRequired[int]
    op: DiffOp

class Task(TypedDict):
    accel: NotRequired[str]
    agent: NotRequired[bool]
    ai: NotRequired[AI]
    argv: NotRequired[list[str]]
    asked: NotRequired[Asked]
    called: NotRequired[str]
    chore: NotRequired[str]
    client: NotRequired[str]
    cpuMs: NotRequired[int]
    created: str
    door: NotRequired[str]
    ended: NotRequired[str]
    error: NotRequired[Problem]
    exitCode: NotRequired[int]
    folders: list[Folder]
    id: str
    info: NotRequired[list[Any]]
    kind: TaskKind
    loosened: NotRequired[list[str]]
    network: Network
    pack: str
    params: NotRequired[dict[str, Any]]
    peakKb: NotRequired[int]
    presets: NotRequired[list[str]]
    problems: NotRequired[list[Problem]]
    results: NotRequired[list[Result]]
    runtime: str
    services: NotRequired[list[str]]
    stands: NotRequired[str]
    started: NotRequired[str]
    state: TaskState
    title: str
    titled: NotRequired[bool]
    v: int
    versions: NotRequired[dict[str, str]]
    where: NotRequired[str]

class TaskFile(TypedDict):
    kind: Literal["file", "directory", "link", "other"]
    mode: int
    modified: str
    path: str
    sha256: NotRequired[str]
    size: int
    target: NotRequired[str]

class TaskFileContent(TypedDict):
    data: str
    kind: Literal["file", "directory", "link", "other"]
    mode: int
    modified: str
    path: str
    sha256: NotRequired[str]
    size: int
    target: NotRequired[str]

class TaskFileList(TypedDict):
    entries: list[TaskFile]
    more: bool
    unnamed: int

TaskKind: TypeAlias = "Literal[\"chore\", \"ai\", \"exec\", \"tool\"]"

class TaskModelRequest(TypedDict):
    model: NotRequired[str]
    thinking: NotRequired[Literal["off", "minimal", "low", "medium", "high"]]

class TaskRequest(TypedDict):
    allowed: bool
    count: int
    host: str
    last: str
    method: str
    path: str
    reason: NotRequired[Literal["rule", "no-rule", "host", "method", "path", "upgrade", "header", "busy", "gone", "unreachable", "certificate", "encoded", "protocol", "cut"]]
    received: int
    said: NotRequired[str]
    sent: int
    service: str
    status: NotRequired[int]

class TaskRequests(TypedDict):
    list: list[TaskRequest]
    more: NotRequired[int]

TaskState: TypeAlias = "Literal[\"queued\", \"preparing\", \"running\", \"waiting\", \"done\", \"failed\", \"cancelled\"]"

class TerminalSize(TypedDict):
    columns: int
    rows: int

class TextDiff(TypedDict):
    added: int
    cut: NotRequired[bool]
    hunks: list[TextHunk]
    part: NotRequired[TextPart]
    removed: int

TextEncoding: TypeAlias = "Literal[\"utf-8\", \"utf-8-bom\", \"utf-16le\", \"utf-16be\", \"latin-1\"]"

class TextHunk(TypedDict):
    after: int
    afterLines: int
    before: int
    beforeLines: int
    lines: list[TextLine]

class TextLine(TypedDict):
    cut: NotRequired[bool]
    op: DiffOp
    open: NotRequired[bool]
    start: NotRequired[bool]
    text: str

TextPart = TypedDict("TextPart", {
    "bytes": "int",
    "from": "int",
})

class Token(TypedDict):
    created: str
    expires: str
    folders: list[FolderRequest]
    id: str
    name: str
    origins: NotRequired[list[str]]
    scopes: list[Literal["read", "tasks", "tools", "ai", "decide", "manage"]]
    used: NotRequired[str]

class TokenRequest(TypedDict):
    days: NotRequired[int]
    folders: NotRequired[list[FolderRequest]]
    name: str
    origins: NotRequired[list[str]]
    scopes: list[Literal["read", "tasks", "tools", "ai", "decide", "manage"]]

class ToolBounds(TypedDict):
    diskMbPerSecond: int
    file: ToolBytesBound
    memoryMb: int
    processes: int
    processors: int
    program: ToolTimeBound
    wall: ToolTimeBound

class ToolBytesBound(TypedDict):
    mb: int
    times: int

class ToolData(TypedDict):
    diff: NotRequired[str]
    id: str
    name: str
    output: NotRequired[str]
    raw: NotRequired[int]
    state: str
    target: NotRequired[str]
    verb: str
    wallMs: NotRequired[int]

class ToolDescription(TypedDict):
    about: NotRequired[str]
    accepts: list[str]
    addOns: list[str]
    bounds: ToolBounds
    changes: bool
    folders: bool
    licences: list[str]
    maxIn: int
    minIn: int
    name: str
    out: ToolOutput
    params: dict[str, Any]
    programs: list[str]
    random: bool
    title: NotRequired[str]
    words: NotRequired[dict[str, ParamWords]]

class ToolEvent(TypedDict):
    data: ToolData
    kind: Literal["tool"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

ToolOutput: TypeAlias = "Literal[\"none\", \"file\", \"folder\", \"each\"]"

ToolParams = TypedDict("ToolParams", {
    "id": "str",
    "in": "list[str]",
    "limits": "NotRequired[Limits]",
    "op": "str",
    "out": "NotRequired[str]",
    "params": "NotRequired[dict[str, Any]]",
    "request": "NotRequired[str]",
})

class ToolTimeBound(TypedDict):
    perInput: int
    perMb: int
    seconds: int

class UndoConflict(TypedDict):
    change: Change
    detail: NotRequired[str]
    reason: str
    said: NotRequired[str]

class UndoData(TypedDict):
    by: NotRequired[str]
    conflicts: list[str]
    undone: list[str]

class UndoEvent(TypedDict):
    data: UndoData
    kind: Literal["undo"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class UndoKeeping(TypedDict):
    bytes: int
    settings: UndoSettings
    tasks: int

class UndoReport(TypedDict):
    beside: NotRequired[dict[str, str]]
    conflicts: list[UndoConflict]
    kept: NotRequired[list[Change]]
    undone: list[Change]

class UndoRequest(TypedDict):
    digest: NotRequired[str]
    ids: NotRequired[list[str]]
    onConflict: NotRequired[Resolution]
    resolve: NotRequired[dict[str, Resolution]]

class UndoSettings(TypedDict):
    days: int
    spaceMb: NotRequired[int]
    writeMb: NotRequired[int]

class UndoSpace(TypedDict):
    bytes: int
    expires: NotRequired[str]
    forgotten: NotRequired[bool]
    unfinished: NotRequired[bool]

class UpdateEvent(TypedDict):
    data: UpdateState
    kind: Literal["update"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

UpdatePhase: TypeAlias = "Literal[\"off\", \"idle\", \"checking\", \"available\", \"downloading\", \"paused\", \"installing\", \"trying\", \"up-to-date\", \"failed\", \"offline\"]"

class UpdateRequest(TypedDict):
    addOns: NotRequired[list[str]]
    version: NotRequired[str]

class UpdateSettings(TypedDict):
    auto: bool
    caFile: NotRequired[str]
    proxy: NotRequired[str]
    urls: list[str]

class UpdateState(TypedDict):
    channel: str
    checked: NotRequired[str]
    current: str
    done: int
    eta: int
    notes: NotRequired[str]
    phase: UpdatePhase
    problem: NotRequired[Problem]
    rate: int
    reused: int
    said: NotRequired[str]
    settings: UpdateSettings
    total: int
    version: NotRequired[str]
    what: str

class Usage(TypedDict):
    cacheRead: NotRequired[int]
    cacheWrite: NotRequired[int]
    cost: NotRequired[int]
    input: int
    output: int
    requests: int
    unknown: NotRequired[bool]

class UsageEvent(TypedDict):
    data: Usage
    kind: Literal["usage"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class VisitRequest(TypedDict):
    requiresRuntime: NotRequired[Requirement]
    seconds: NotRequired[int]
    steps: list[PageStep]

class WebSearch(TypedDict):
    kind: Literal["none", "searxng"]
    url: NotRequired[str]

class WindowEvent(TypedDict):
    data: WindowEventData
    kind: Literal["window"]
    said: NotRequired[str]
    seq: int
    task: str
    time: str
    v: int

class WindowEventData(TypedDict):
    chore: NotRequired[str]
    paths: NotRequired[list[str]]
    running: NotRequired[int]
    task: NotRequired[str]
    what: Literal["close-asked", "open"]

class WindowSettings(TypedDict):
    close: Literal["ask", "background", "stop"]
    language: NotRequired[Literal["system", "en", "de"]]
    motion: NotRequired[Literal["system", "less"]]
    notify: bool
    signs: NotRequired[Literal["on", "off"]]
    theme: NotRequired[Literal["system", "light", "dark"]]

class Wizard(TypedDict):
    again: NotRequired[bool]
    done: bool
    instead: NotRequired[str]
    steps: list[WizardStep]

WizardAct: TypeAlias = "Literal[\"done\", \"skip\", \"reset\"]"

class WizardRequest(TypedDict):
    act: WizardAct

class WizardStep(TypedDict):
    acts: list[WizardAct]
    admin: NotRequired[bool]
    command: NotRequired[str]
    id: WizardStepId
    problems: list[int]
    state: WizardStepState

WizardStepId: TypeAlias = "Literal[\"welcome\", \"check\", \"runtime\", \"first\"]"

WizardStepState: TypeAlias = "Literal[\"open\", \"now\", \"done\", \"skipped\"]"

class WriteRequest(TypedDict):
    data: str
    expect: NotRequired[str]
    parents: NotRequired[bool]
    path: str
    requiresRuntime: NotRequired[Requirement]

class WrittenRule(TypedDict):
    cedar: str
    doubt: NotRequired[str]
    effect: Literal["allow", "ask", "deny"]
    hard: NotRequired[bool]
    id: str
    layer: Literal["managed", "yours", "default"]
    line: int
    note: NotRequired[str]
    said: NotRequired[str]
