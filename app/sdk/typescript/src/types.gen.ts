// Made from the table of operations by `go run ./scripts/lib/sdk`. Do not edit.

export interface AI {
  budget?: number;
  dir?: string;
  model: string;
  pending?: Pending[];
  program?: string;
  resumes?: number;
  servers?: boolean;
  thinking?: string;
  usage: Usage;
}

export interface AIPart {
  only?: boolean;
  results: string[];
  review?: boolean;
}

export interface About {
  /** version of the document */
  api: string;
  arch: string;
  /** a build for developers */
  developer: boolean;
  /** of the listener that the request came through; 429 above them */
  limits?: ListenerLimits;
  name: "piwork";
  /** path of the document */
  oas: string;
  os: string;
  /** the runtime in use; absent where none is */
  pack?: PackTools;
  version: string;
  /** native dialogs are there */
  window: boolean;
}

export interface AccelState {
  bootMs?: number;
  chosenBy?: string;
  kind: string;
  native: string;
  proven: boolean;
  slowMode: boolean;
  slowMs?: number;
}

export interface Acceptance {
  /** for how long the exception holds; always: until you take it back. Without it as the proposal says (careful): in its task where that runs, else for an hour */
  holds?: "task" | "hour" | "day" | "week" | "always";
}

export interface AddOnInfo {
  bytes?: number;
  /** of one that is usable: where it lies, with the texts of its licences */
  dir?: string;
  download?: number;
  installed: boolean;
  name: string;
  problem?: Problem;
  /** of one that is usable: the programs in it */
  tools?: PackTool[];
  usable: boolean;
  version?: string;
}

export interface AgainRequest {
  accept?: boolean;
  detached?: boolean;
  id?: string;
  /** kind of place in which the new task works; empty for where the other one was asked to */
  runtime?: string;
}

export type Allowance = "ask" | "always" | "never";

export interface AnswerOption {
  answer: "allow" | "deny";
  label: string;
  /** refuses everything else that the task asks, too */
  rest?: boolean;
  /** how far it reaches; as is usual for the question where it is not said */
  scope?: "once" | "task" | "folder" | "always";
}

export interface AnswerRequest {
  answer: "allow" | "deny";
  choice?: number;
  rest?: boolean;
  scope?: "once" | "task" | "folder" | "always";
  seen?: number;
  text?: string;
  unattended?: boolean;
}

export interface ApplyData {
  applied: string[];
  by?: string;
  conflicts: string[];
  discarded: string[];
}

export interface ApplyEvent {
  data: ApplyData;
  kind: "apply";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface ApplyReport {
  applied: Change[];
  beside?: Record<string, string>;
  conflicts: UndoConflict[];
  discarded: Change[];
}

export interface ApplyRequest {
  digest?: string;
  discard?: boolean;
  ids?: string[];
  onConflict?: Resolution;
  resolve?: Record<string, Resolution>;
}

export interface Asked {
  cache?: string;
  cacheOf?: string[];
  cpus?: number;
  cwd?: string;
  images?: string[];
  limits?: Limits;
  lost?: string;
  memoryMb?: number;
  planOnly?: boolean;
  prompt?: string;
  requiresRuntime?: Requirement;
  runtime?: string;
}

export interface AtLogin {
  on: boolean;
  /** false: this system has no such service that piwork knows, or the data of this process is where the one it starts would not look */
  possible: boolean;
}

export interface AtLoginChoice {
  on: boolean;
}

export interface AuditFolder {
  mode: string;
  path: string;
}

export interface AuditPage {
  badLine?: number;
  before?: number;
  records: AuditRecord[];
}

export interface AuditRecord {
  accel?: string;
  action?: string;
  answer?: string;
  args?: string;
  by?: string;
  bytesIn?: number;
  bytesOut?: number;
  claimedProgram?: string;
  client?: string;
  content?: string;
  domain?: string;
  door?: string;
  dropped?: number;
  ended?: string;
  envNames?: string[];
  event: string;
  exec?: string;
  exit?: number;
  folder?: string;
  folders?: AuditFolder[];
  host?: string;
  hosts?: string[];
  in?: string[];
  inputs?: number;
  isolation?: string;
  method?: string;
  mode?: string;
  n: number;
  network?: string;
  op?: string;
  out?: string;
  pack?: string;
  path?: string;
  port?: number;
  prev: string;
  problem?: string;
  program?: string;
  purpose?: string;
  question?: string;
  reason?: string;
  request?: string;
  rule?: string;
  runtime?: string;
  scope?: string;
  service?: string;
  status?: number;
  task?: string;
  time: string;
  times?: number;
  topic?: string;
  v: number;
  wallMs?: number;
}

export interface AuditReport {
  badLine?: number;
  first?: number;
  key?: string;
  ok: boolean;
  reason?: string;
  records: number;
}

export interface AuditSettings {
  days: number;
}

export interface BundleInfo {
  bytes: number;
  file: string;
  packs: PackInfo[];
  sha256: string;
}

export interface BundleRequest {
  addOns?: string[];
  app?: string;
  /** absolute path of the file to write, which must not be there and ends with .tar; in a folder it gets the usual name */
  out: string;
}

export interface Cache {
  bytes: number;
  canBack: boolean;
  id: string;
  inUse: boolean;
  limitMb: number;
  project: Project;
  used: string;
}

export interface Change {
  after?: FileState;
  before?: FileState;
  effect: ChangeEffect;
  folder?: string;
  from?: string;
  id: string;
  kind?: string;
  path: string;
  staged?: boolean;
  undone?: string;
}

export type ChangeEffect = "create" | "change" | "move" | "delete";

export interface ChangeFact {
  after?: string;
  before?: string;
  code: FactCode;
}

export interface Check {
  code: string;
  params?: Record<string, unknown>;
  said?: string;
  state: CheckState;
  tookMs: number;
}

export interface CheckEvent {
  data: Check;
  kind: "check";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export type CheckState = "passed" | "failed" | "unknown" | "skipped";

export interface Choice {
  label: string;
}

export interface ChoreInfo {
  about?: string;
  ai?: AIPart;
  effects: PlanEffect[];
  name: string;
  needs: string[];
  params: ChoreParam[];
  run?: string;
  title?: string;
  unit?: Record<string, string>;
}

export interface ChoreParam {
  choices?: string[];
  default: unknown;
  max?: number;
  min?: number;
  name: string;
  type: string;
  words?: ParamWords;
}

export interface Chosen {
  model: string;
  store: "keychain" | "file";
}

export interface CleanRequest {
  /** the person knows that changes of tasks that are over cannot be taken back afterwards */
  loseUndo?: boolean;
  what: StorageKind[];
}

export interface Cleaned {
  freed: number;
  /** ids of tasks whose undo data stays: an undo or redo of them waits for its folder (forgetUndo with abandonUndo) */
  waiting?: string[];
}

export interface Cluster {
  /** what Pods are made of, with a shell */
  image: string;
  /** where Pods are made; none is the one of the context */
  namespace?: string;
  /** the label by which piwork knows its own Pods there */
  owner?: string;
}

export interface Command {
  begun: string;
  failed?: boolean;
  /** traceparent of who started it */
  parent?: string;
  /** traceparent of the requests that it made */
  span: string;
}

export interface ComparedSide {
  encoding?: TextEncoding;
  height?: number;
  missing?: string;
  show?: boolean;
  size: number;
  type?: string;
  width?: number;
}

export interface Comparison {
  after?: ComparedSide;
  before?: ComparedSide;
  change: Change;
  facts: ChangeFact[];
  kind: ComparisonKind;
  table?: TableDiff;
  text?: TextDiff;
}

export type ComparisonKind = "text" | "table" | "image" | "other" | "none";

export interface Computer {
  cpus: number;
  freeMb: number;
  memoryMb: number;
}

export interface Decision {
  answer: string;
  by: string;
  choice?: number;
  client?: string;
  id: string;
  rule?: string;
  scope: string;
  text?: string;
  time: string;
}

export interface DecisionEvent {
  data: Decision;
  kind: "decision";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface Definition {
  hosts?: Host[];
  /** code of a preset, in place of hosts */
  preset?: string;
}

export interface DeltaData {
  id: string;
  part?: number;
  text?: string;
  thinking?: string;
}

export interface DeltaEvent {
  data: DeltaData;
  kind: "delta";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface Diagnostics {
  files: DiagnosticsText[];
  /** of this preview; the next one replaces it */
  id: string;
}

export interface DiagnosticsFile {
  bytes: number;
  path: string;
}

export interface DiagnosticsRequest {
  /** of the preview that the person saw: without it what is gathered now is written */
  id?: string;
  /** absolute, ends with .zip */
  path: string;
  /** replace a file that is there */
  replace?: boolean;
}

export interface DiagnosticsText {
  bytes: number;
  name: string;
  text: string;
}

export type DiffOp = "same" | "added" | "removed" | "changed";

export interface DroppedFolder {
  file?: string;
  files: number;
  name: string;
  path: string;
  problem?: Problem;
}

export interface DroppedRequest {
  /** absolute */
  paths: string[];
}

export interface EndRequest {
  /** tasks at work are cancelled, and an undo, redo or apply stops; without it the answer is 409 while there are any */
  cancel?: boolean;
}

export interface Ending {
  cpuMs: number;
  ended: string;
  exitCode: number;
  peakKb?: number;
  signal?: number;
  wallMs: number;
}

export interface Engine {
  /** it cannot be shown folders: tasks work on copies of them, and what they change is brought back */
  copies: boolean;
  /** Podman or Docker */
  name: string;
  /** its containers can have no network */
  offline?: boolean;
  /** it runs without administrator rights: a fault in it gives nobody these */
  rootless: boolean;
  /** it can hold a task to an amount of memory and of processors */
  sizes: boolean;
  /** where it listens */
  socket: string;
  text?: string;
  version: string;
}

/** What happened. Kinds that are not listed may be added: ignore them. */
export type Event = StateEvent | StepEvent | PlanEvent | ProgressEvent | OutputEvent | ProblemEvent | ResultEvent | QuestionEvent | DecisionEvent | UndoEvent | RedoEvent | ApplyEvent | FolderEvent | MessageEvent | DeltaEvent | ToolEvent | UsageEvent | NoticeEvent | QueueEvent | PackEvent | UpdateEvent | MachinesEvent | StatusEvent | CheckEvent | ResetEvent | SettingsEvent | GoneEvent | WindowEvent;

export interface ExplainRequest {
  /** what piwork would ask about more than the action: many, bytes, startup, git, hidden, programs, web; or what is done with changes of a task: undo, redo, apply */
  about?: string;
  action: "read" | "write" | "delete" | "connect" | "run" | "useKey" | "startRuntime";
  /** the AI program that works in it */
  agent?: string;
  /** name of the token of the program that asks; without it you do */
  client?: string;
  /** where it takes effect */
  domain?: string;
  /** by which the request came, as its program says; rules can forbid and ask by it, and never allow */
  door?: "window" | "cli" | "mcp" | "acp" | "stdio" | "http";
  /** of a command */
  effects?: string[];
  files?: number;
  /** connect: a name or an address */
  host?: string;
  /** how well that keeps apart */
  isolation?: Isolation;
  /** useKey: the provider that it is for, or service/ and the name of a service */
  key?: string;
  /** of the task; exec where it is not said */
  kind?: TaskKind;
  /** network of the task; off where it is not said */
  network?: Network;
  /** read, write and delete: a file or a folder of this computer */
  path?: string;
  /** connect; 443 where it is not said */
  port?: number;
  /** run: a program, a chore or an operation */
  program?: string;
  /** how careful to be; none where it is not said */
  risk?: "none" | "low" | "high";
  /** run: what that is; a program where it is not said */
  runKind?: "program" | "session" | "command" | "server" | "chore" | "tool" | "ai";
  /** kind of place where the task works, and of startRuntime; vm where it is not said */
  runtime?: string;
  /** bytes */
  size?: number;
  task?: string;
  /** rules in the place of your file; without it the file */
  text?: string;
  /** now where it is not said */
  time?: string;
}

export interface Explanation {
  effect: "allow" | "ask" | "deny";
  /** of a file of rules, for which everything is refused */
  fault?: RuleFault;
  layer?: "managed" | "yours" | "default";
  /** all rules that are about it */
  matches: RuleMatch[];
  /** id of the rule that decided; none where no rule is about it, or a file has a fault */
  rule?: string;
  said?: string;
}

export type FactCode = "moved" | "mode" | "time" | "target" | "attributes" | "encoding" | "line-ends" | "same-content";

export interface FetchRequest {
  /** file that it goes to, in a folder of the task or in /work; without it the content comes with the answer */
  into?: string;
  /** bytes at most: without it 64 MiB, and 1 MiB of what comes with the answer */
  limit?: number;
  /** what the place where the task works has to be: elsewhere nothing is done */
  requiresRuntime?: Requirement;
  /** http or https */
  url: string;
}

export interface Fetched {
  /** the content, where it goes to no file */
  data?: string;
  /** where it was written; with a status of 400 or more nothing is */
  file?: TaskFile;
  sha256: string;
  /** bytes */
  size: number;
  /** of HTTP */
  status: number;
  /** media type, as the server says it */
  type?: string;
  /** where it came from in the end */
  url: string;
}

export interface FileRequest {
  /** absolute path on this computer */
  file: string;
}

export interface FileState {
  attributes?: string;
  mode: number;
  mtime: string;
  sha256?: string;
  size: number;
  target?: string;
}

export interface Fix {
  code: string;
  command?: string;
  kind: FixKind;
  lead?: string;
  runs?: string;
  steps?: string[];
  title?: string;
}

export type FixKind = "action" | "link" | "command";

export interface Folder {
  id: string;
  mode: FolderMode;
  name: string;
  path: string;
  removed?: string;
}

export interface FolderChoice {
  mode: FolderMode;
  path: string;
}

export interface FolderData {
  by: string;
  folder: Folder;
}

export interface FolderEvent {
  data: FolderData;
  kind: "folder";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export type FolderMode = "ro" | "rw" | "review";

export interface FolderRequest {
  /** refuse the folder if there is a link in its path */
  exact?: boolean;
  mode?: FolderMode;
  path: string;
}

export interface GoneEvent {
  data: Nothing;
  kind: "gone";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface Health {
  status: "ok";
  uptimeMs: number;
}

export interface HealthPage {
  audit?: AuditReport;
  machines?: Machines;
  problems: Problem[];
  status?: StatusReport;
  storage?: Storage;
  update?: UpdateState;
  uptimeMs: number;
  version: string;
}

export interface Host {
  /** its name, with a port where it is not 443 */
  host: string;
  /** where the secret goes; without it the host gets none */
  put?: Put;
  /** about requests: allow or refuse, methods or *, a path with * and **. The first that is about a request counts; without one it is refused */
  rules: string[];
  /** path that testService asks for */
  test?: string;
}

export interface HostTest {
  /** why there is no answer */
  detail?: string;
  host: string;
  /** it takes the secret, or needs none */
  ok: boolean;
  path: string;
  /** of its answer; absent where it gave none */
  status?: number;
}

export interface ImageRequest {
  data: string;
  name: string;
}

export interface InputRequest {
  /** as it reads */
  client: string;
  /** at most 64 KiB; none asks for the lease alone */
  data?: string;
  /** also when another client writes, which goes on reading */
  take?: boolean;
}

export interface Instant {
  bytes?: number;
  mode?: InstantMode;
  problem?: Problem;
  reason?: InstantReason;
  said?: string;
  state: InstantState;
}

export type InstantMode = "template" | "spare";

export type InstantReason = "setup" | "tasks" | "soon" | "unused" | "memory" | "disk" | "battery";

export type InstantState = "off" | "pending" | "making" | "ready" | "failed";

export type Isolation = "hardware" | "emulated" | "namespace" | "none";

export interface KeyInfo {
  baseUrl?: string;
  canLogin?: boolean;
  ending?: string;
  expires?: string;
  has: boolean;
  kind?: string;
  local?: boolean;
  name: string;
  noKey?: boolean;
  place?: string;
  protocol?: string;
  provider: string;
}

export interface KeyRequest {
  baseUrl?: string;
  key?: string;
  name?: string;
  protocol?: "anthropic" | "openai" | "google";
}

export interface KeyStore {
  keychain: boolean;
  locked: boolean;
  store: "keychain" | "file";
}

export interface KeyStoreChoice {
  passphrase?: string;
  store: "keychain" | "file";
}

export interface KeyTest {
  detail?: string;
  models?: number;
  ok: boolean;
  reason?: string;
  /** the reason, in the language asked for */
  said?: string;
}

export interface Licence {
  /** of the runtime: where the text lies on this computer */
  file?: string;
  /** names of SPDX where they are known; the text decides */
  licence: string;
  name: string;
  /** what it is part of */
  of: "program" | "window" | "runtime";
  /** of the runtime: where the list of sources lies on this computer */
  source?: string;
  /** of the program and the window */
  text?: string;
  version?: string;
}

export interface Licences {
  items: Licence[];
}

export interface LimitSupport {
  cpu: boolean;
  disk: boolean;
  memory: boolean;
  output: boolean;
  /** their number is bounded, without a limit of the task's own */
  processes: boolean;
  /** how much memory and how many processors all programs of a task have together can be chosen */
  size: boolean;
  wall: boolean;
}

export interface Limits {
  /** processor time of the whole process tree, ms */
  cpuMs?: number;
  /** what the whole process tree reads and writes in all, from and to files and pipes, bytes */
  ioBytes?: number;
  /** of the whole process tree, MiB */
  memoryMb?: number;
  /** stdout and stderr of a program together, bytes */
  outputBytes?: number;
  /** wall clock, ms */
  wallMs?: number;
}

export interface ListRequest {
  /** how many directories below it are listed too */
  depth?: number;
  /** no more entries than so many; without it 1000 */
  limit?: number;
  /** as the task sees it, such as /folders/Letters/a.txt or /work/out */
  path: string;
  /** what the place where the task works has to be: elsewhere nothing is done */
  requiresRuntime?: Requirement;
}

export interface ListenerLimits {
  /** bytes of the body of a request, where the operation does not take more; 413 above it */
  body: number;
  /** requests that may come at once before that counts */
  burst: number;
  /** that may be open at once; one program can have no more than it leaves to others, by its process, its token or, before it sent one over a network, its address */
  connections: number;
  /** requests in a second of one program; on loopback HTTP without a token of all together */
  rate: number;
  /** of events, and programs attached to, that may be open at once; likewise */
  streams: number;
}

export interface LogInfo {
  bytes: number;
  changed: string;
  name: string;
  task?: string;
}

export interface Login {
  expires: string;
  id: string;
  needs: "code" | "nothing";
  terms?: boolean;
  url: string;
  userCode?: string;
}

export interface LoginCode {
  code: string;
}

export interface LoginRequest {
  device?: boolean;
  domain?: string;
}

export interface LoginState {
  problem?: Problem;
  state: "waiting" | "done" | "failed";
  step?: "terms";
}

export interface Logout {
  /** the service was told, and takes no more what it had given out */
  revoked?: boolean;
  /** done: one that was under way is broken off, and the one before it still holds */
  state: "none" | "done";
}

export interface Logs {
  logs: LogInfo[];
}

export interface MCPLogin {
  /** what the person opens in a browser on this computer */
  address?: string;
  problem?: Problem;
  state: "none" | "waiting" | "done" | "failed";
}

export interface MCPLoginRequest {
  /** hosts besides the server's own that the person agrees to, such as that where one signs in */
  confirm?: string[];
}

export interface MCPServer {
  args?: string[];
  checked?: string;
  /** as what piwork is known where one signs in, when the person has registered it there; its secret, if any, is kept where keys are */
  client?: string;
  /** its program, as it is called where it runs */
  command?: string;
  /** names of the variables that it is given; their values are kept where keys are */
  env?: string[];
  /** folders of this computer that it sees, read-only, such as that of its program */
  folders?: string[];
  /** names of the headers that it is sent; their values are kept where keys are */
  headers?: string[];
  /** what it may connect to, written as rules of the network are; without any it has no network. Of a remote one, the hosts besides its own that the person agreed to */
  hosts?: string[];
  /** of this entry: a server that is added again has another */
  id: string;
  /** what it is called here, and how the names of its tools begin */
  name: string;
  /** services of the person that it uses: their secrets are put into its requests on this computer, and it never has them */
  services?: string[];
  /** one signed in to it */
  signedIn?: boolean;
  /** as they were when it was checked last */
  tools?: MCPTool[];
  /** how often what it may connect to was changed */
  turn?: number;
  /** a remote server: where it is reached, by this computer and not by a task */
  url?: string;
}

export interface MCPServerAddition {
  /** paths in one of its folders become those that it sees */
  args?: string[];
  /** of a remote server whose service takes only programs that it knows: as what the person registered piwork there, with http://127.0.0.1/mcp as the address to come back to */
  client?: string;
  /** what the service gave out with client, if it did; it is kept where keys are */
  clientSecret?: string;
  /** its program: node, python3, or a path where it runs */
  command?: string;
  /** its variables; the values are kept where keys are */
  env?: Record<string, string>;
  /** folders of this computer that it sees, read-only */
  folders?: string[];
  /** what it is sent with each request; the values are kept where keys are */
  headers?: Record<string, string>;
  /** what it may connect to; without any it has no network */
  hosts?: string[];
  /** small letters, digits and - */
  name: string;
  /** services of the person: their secrets are put into its requests on this computer, and it never has them */
  services?: string[];
  /** in place of a program: a remote server, reached with https */
  url?: string;
}

export interface MCPServerImport {
  /** JSON with mcpServers */
  config: string;
  /** folders that each program among them sees, read-only */
  folders?: string[];
  /** what each program among them may connect to; without any it has no network */
  hosts?: string[];
}

export interface MCPServerReach {
  /** written as rules of the network are; without any, and without services, it has no network */
  hosts: string[];
  /** services of the person: their secrets are put into its requests on this computer, and it never has them */
  services?: string[];
}

export interface MCPTool {
  /** the server's own words */
  description?: string;
  /** of its name, description and schema */
  hash: string;
  /** as the server has it */
  name: string;
  /** as an AI has it */
  offered?: string;
  /** why it is unfit */
  reason?: "name" | "schema";
  /** what it takes */
  schema?: Record<string, unknown>;
  state: MCPToolState;
}

export interface MCPToolChoice {
  allow: boolean;
  /** of the tool that is allowed, as it was shown */
  hash?: string;
  /** its name, as the server has it */
  tool: string;
}

export type MCPToolState = "off" | "on" | "changed" | "unfit";

export interface MachineSettings {
  atOnce: number;
  cacheMb?: number;
  cpus: number;
  instant: boolean;
  memoryMb: number;
  share?: "auto" | "9p" | "virtiofs";
  totalMb: number;
}

export interface MachineSize {
  cpus: number;
  memoryMb: number;
}

export interface Machines {
  atOnce: number;
  host: Computer;
  instant: Instant;
  queued: number;
  running: number;
  settings: MachineSettings;
  share: Share;
  size: MachineSize;
  totalMb: number;
}

export interface MachinesEvent {
  data: Machines;
  kind: "machines";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface Makes {
  bytes: number;
  files: number;
  times?: number;
}

export interface MendRequest {
  /** code of a fix that the last report says can be run */
  fix: string;
}

export interface Mended {
  declined: boolean;
  report: StatusReport;
}

export interface MessageData {
  how?: string;
  id: string;
  images?: string[];
  model?: string;
  pending?: string;
  raw?: number;
  role: string;
  text: string;
  thinking?: string;
}

export interface MessageEvent {
  data: MessageData;
  kind: "message";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface ModelChoice {
  model: string;
}

export interface ModelInfo {
  context?: number;
  id: string;
  images?: boolean;
  inputPrice?: number;
  local?: boolean;
  name: string;
  outputPrice?: number;
  own?: boolean;
  provider: string;
  said?: ModelSaid;
  thinks?: boolean;
}

export interface ModelSaid {
  context?: number;
  images?: boolean;
  thinks?: boolean;
}

export interface ModelWord {
  context?: number;
  images?: boolean;
  model: string;
  thinks?: boolean;
}

export interface Models {
  chosen: boolean;
  default: string;
  list: ModelInfo[];
}

export type MovePhase = "none" | "planned" | "copying" | "done" | "failed" | "cancelled";

export interface MoveRequest {
  /** absolute; a folder piwork is made in it */
  dir: string;
  /** only say what would be moved, and whether it can */
  dryRun?: boolean;
}

export type Network = "off" | "restricted" | "on";

export interface NetworkPreset {
  code: string;
  default: boolean;
  hosts: string[];
  on: boolean;
  title?: string;
}

export interface NetworkRuleRequest {
  answer: "allow" | "deny";
  host?: string;
  preset?: string;
  task?: string;
}

export interface NetworkRules {
  presets: NetworkPreset[];
  rules: Rule[];
}

export interface NewToken {
  created: string;
  expires: string;
  folders: FolderRequest[];
  id: string;
  name: string;
  /** of pages of the web that may use it, in a browser */
  origins?: string[];
  scopes: ("read" | "tasks" | "tools" | "ai" | "decide" | "manage")[];
  secret: string;
  used?: string;
}

export type Nothing = Record<string, unknown>;

export interface NoticeClaim {
  /** its number (seq) */
  event: number;
}

export interface NoticeClaimed {
  /** false: another window told of it, or was in front */
  first: boolean;
}

export interface NoticeData {
  code: string;
  /** of model: model, or thinking; with wanted, the level that was chosen and that the model does not have; of place: runtime, reason, rule, problem and cause of the machine, and engine, version and rootless of what runs it */
  params?: Record<string, unknown>;
  raw?: number;
  text?: string;
}

export interface NoticeEvent {
  data: NoticeData;
  kind: "notice";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface Output {
  /** offset of the first byte; beyond the one that was asked for when that is not kept any more */
  at: number;
  /** at most 256 KiB; on a terminal all of it, on pipes output and errors as they came */
  data: string;
  session: Session;
  /** grows when another client writes, and when the size of the terminal changes */
  turn: number;
  /** the client has the lease to write */
  writes: boolean;
}

export interface OutputData {
  data: string;
  part?: number;
  stream: string;
}

export interface OutputEvent {
  data: OutputData;
  kind: "output";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface PackData {
  done: number;
  total: number;
}

export interface PackEvent {
  data: PackData;
  kind: "pack";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface PackInfo {
  arch: string;
  built: string;
  bytes: number;
  candidate?: boolean;
  checksum?: string;
  current: boolean;
  developer: boolean;
  dir?: string;
  failed?: boolean;
  files: number;
  flavour?: string;
  guestArch: string;
  inUse?: boolean;
  installed: boolean;
  kind?: PackKind;
  name: string;
  os: string;
  previous?: boolean;
  problem?: Problem;
  signedBy: string;
  tools?: PackTool[];
  version: string;
  withdrawn?: boolean;
}

export type PackKind = "runtime" | "addon" | "bundle";

export interface PackState {
  developer: boolean;
  dir?: string;
  flavour?: string;
  installed: boolean;
  missing?: string[];
  verified: boolean;
  version?: string;
}

export interface PackTool {
  name: string;
  operations?: string[];
  version: string;
}

export interface PackTools {
  /** SHA-256 of the signed manifest, which covers every file */
  checksum: string;
  /** programs of the pack and of its add-ons, their versions and what they are used for */
  tools: PackTool[];
  version: string;
}

export interface PageDone {
  /** there is more text, or the page did not stop loading */
  cut?: boolean;
  /** why an optional step could not be done: missing, failed, too-large or unreachable */
  failed?: string;
  /** that was made */
  file?: TaskFile;
  /** that was read */
  text?: string;
}

export interface PageResult {
  steps: PageDone[];
  title: string;
  /** where the page is from in the end */
  url: string;
}

export interface PageStep {
  do: "open" | "click" | "type" | "text" | "screenshot" | "pdf";
  /** file of screenshot (PNG) and pdf, in a folder of the task or in /work */
  into?: string;
  /** the visit goes on where it can't be done */
  optional?: boolean;
  /** CSS selector of click and type, and of text, which is of the whole page without it */
  selector?: string;
  /** of type */
  text?: string;
  /** of open: http or https */
  url?: string;
}

export interface ParamWords {
  choices?: Record<string, string>;
  hint?: string;
  label: string;
}

export interface Passphrase {
  passphrase: string;
}

export interface PassphraseChange {
  new: string;
  passphrase: string;
}

export interface Pending {
  how: string;
  id: string;
  images?: string[];
  text: string;
}

export interface Piwork {
  /** its path there */
  program: string;
  version: string;
}

export interface Plan {
  chore: string;
  limits?: Limits;
  needs: string[];
  online?: PlanOnline;
  operations: PlanOperation[];
  params: Record<string, unknown>;
  run?: string;
  skipped?: Problem[];
  summary?: string;
  title?: string;
  v: number;
}

export type PlanEffect = "create" | "move" | "change" | "delete";

export interface PlanEvent {
  data: Plan;
  kind: "plan";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface PlanInput {
  mtime?: string;
  path: string;
  sha256?: string;
  size?: number;
}

export interface PlanKept {
  mtime: string;
  path: string;
  size: number;
}

export interface PlanOnline {
  bytes: number;
  files: number;
  note?: string;
}

export interface PlanOperation {
  effect: PlanEffect;
  in: PlanInput[];
  kept?: PlanKept;
  makes?: Makes;
  op: string;
  out: string;
  sheet?: string;
}

export interface Policy {
  files: RuleFile[];
  /** in the order in which they are asked: managed, yours, default */
  rules: WrittenRule[];
  /** of your file, as it is */
  text: string;
}

export interface PolicyCheck {
  fault?: RuleFault;
  rules: WrittenRule[];
}

export interface PolicyText {
  /** the text that it replaces; when the file has another one, nothing is written */
  before?: string;
  text: string;
}

export interface Preset {
  code: string;
  hosts: Host[];
}

export interface PresetChoice {
  on: boolean;
}

export interface Preview {
  changes: Change[];
  digest: string;
}

export interface PreviewRequest {
  how: "undo" | "redo" | "apply" | "discard";
  ids?: string[];
  resolve?: Record<string, Resolution>;
}

export interface Problem {
  cause: string;
  code: string;
  detail?: string;
  details?: string;
  fix: Fix[];
  params?: Record<string, unknown>;
  reason?: string;
  restart?: string;
  severity: Severity;
  then?: string;
  title?: string;
}

export interface ProblemEvent {
  data: Problem;
  kind: "problem";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface ProcessStatus {
  /** tcg is the slow mode, by its environment */
  accel?: string;
  /** started by whoever needed it, or at login */
  background: boolean;
  /** when its file was written; another time on disk is another piwork */
  built: string;
  /** requests and streams of others that are open */
  clients: number;
  /** of the variables that it was started with: a program with others starts another one when this has nothing to do */
  env: string;
  /** those of them that end with whoever waits for them */
  held: string[];
  /** seconds without use after which it ends by itself; none: never */
  idleEnd?: number;
  /** it serves the pages of the window, too */
  pages: boolean;
  pid: number;
  /** path of its file */
  program: string;
  since: string;
  /** of piwork */
  version: string;
  /** those of them that are streams of windows (header X-Piwork-Client: window) */
  windows: number;
  /** tasks that are not over */
  working: number;
}

export interface Program {
  /** that has it; absent where the runtime itself does */
  addOn?: string;
  /** a task can be started with it */
  installed: boolean;
  /** as a task asks for it (program) */
  name: string;
  /** that there are keys for and whose models it can use */
  providers: string[];
  /** how long a model thinks can be chosen */
  thinks: boolean;
  /** as its makers write it */
  title: string;
}

export interface ProgressData {
  bytes?: number;
  done: number;
  eta?: number;
  item?: string;
  total: number;
  totalBytes?: number;
}

export interface ProgressEvent {
  data: ProgressData;
  kind: "progress";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface Project {
  folders?: string[];
  name?: string;
}

export interface Proposal {
  /** what was refused */
  about: Refused;
  /** for how long it would hold where nobody says it */
  careful?: "task" | "hour" | "day" | "week" | "always";
  /** this rule as it would be */
  cedar: string;
  created: string;
  id: string;
  /** id of your rule that gets an exception */
  rule: string;
  /** what it would allow beyond today */
  said?: string;
  /** that was refused */
  task: string;
  /** what is said to it then */
  then: "allow" | "ask";
  /** this rule as it is */
  was: string;
  /** it is about everything in a folder */
  whole?: boolean;
}

export interface Put {
  /** field of requests; Authorization without one */
  header?: string;
  /** what the field is, with {secret} in it */
  template?: string;
  /** name of a basic authentication, whose password is the secret */
  user?: string;
}

export interface Question {
  answers?: AnswerOption[];
  caution?: string;
  choices?: Choice[];
  detail?: string;
  expires?: string;
  id: string;
  input?: boolean;
  items: string[];
  kind: QuestionKind;
  more?: string;
  notes?: string[];
  quotes?: string[];
  /** how careful to be with a yes; where it is not said, as with high */
  risk?: "none" | "low" | "high";
  /** the rule that has it asked: managed, yours or default, and its id */
  rule?: string;
  /** how far a yes may reach, the nearest first */
  scopes?: ("once" | "task" | "folder" | "always")[];
  task: string;
  text: QuestionText;
  title?: string;
}

export interface QuestionEvent {
  data: Question;
  kind: "question";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export type QuestionKind = "delete" | "overwrite" | "mass-change" | "network" | "command" | "apply" | "undo-space" | "unpack" | "runtime" | "folder" | "server" | "rule";

export interface QuestionText {
  code: string;
  params?: Record<string, unknown>;
}

export interface QueueData {
  followUp: string[];
  steering: string[];
}

export interface QueueEvent {
  data: QueueData;
  kind: "queue";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface ReadRequest {
  /** no more bytes than so many; without it 1 MiB */
  length?: number;
  /** of the first byte */
  offset?: number;
  /** as the task sees it, such as /folders/Letters/a.txt or /work/out */
  path: string;
  /** what the place where the task works has to be: elsewhere nothing is done */
  requiresRuntime?: Requirement;
}

export interface RedoData {
  by?: string;
  conflicts: string[];
  redone: string[];
}

export interface RedoEvent {
  data: RedoData;
  kind: "redo";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface RedoReport {
  conflicts: UndoConflict[];
  redone: Change[];
}

export interface RedoRequest {
  digest?: string;
  ids?: string[];
}

export interface Refused {
  /** what piwork would ask about more than the action: many, bytes, startup, git, hidden, programs, web; or what is done with changes of a task: undo, redo, apply */
  about?: string;
  action: "read" | "write" | "delete" | "connect" | "run" | "useKey" | "startRuntime";
  /** the AI program that works in it */
  agent?: string;
  /** name of the token of the program that asks; without it you do */
  client?: string;
  /** where it takes effect */
  domain?: string;
  /** by which the request came, as its program says; rules can forbid and ask by it, and never allow */
  door?: "window" | "cli" | "mcp" | "acp" | "stdio" | "http";
  /** of a command */
  effects?: string[];
  files?: number;
  /** connect: a name or an address */
  host?: string;
  /** how well that keeps apart */
  isolation?: Isolation;
  /** useKey: the provider that it is for, or service/ and the name of a service */
  key?: string;
  /** of the task; exec where it is not said */
  kind?: TaskKind;
  /** network of the task; off where it is not said */
  network?: Network;
  /** read, write and delete: a file or a folder of this computer */
  path?: string;
  /** connect; 443 where it is not said */
  port?: number;
  /** run: a program, a chore or an operation */
  program?: string;
  /** how careful to be; none where it is not said */
  risk?: "none" | "low" | "high";
  /** run: what that is; a program where it is not said */
  runKind?: "program" | "session" | "command" | "server" | "chore" | "tool" | "ai";
  /** kind of place where the task works, and of startRuntime; vm where it is not said */
  runtime?: string;
  /** bytes */
  size?: number;
  task?: string;
  /** now where it is not said */
  time?: string;
}

export interface Remote {
  /** [user@]host[:port], or a name of the person's SSH configuration */
  address: string;
  /** it is a cluster, and the address a context of the person's kubeconfig */
  cluster?: Cluster;
  /** keys that a person confirmed, by address, as SSH writes them */
  hostKeys?: Record<string, string>;
  /** what it is called here */
  name: string;
  /** where piwork lies there, from / or ~/, for who works with that one (piwork --on); none is one of the usual places */
  program?: string;
}

export interface RemoteAddition {
  /** [user@]host[:port], or a name of the person's SSH configuration; of a cluster, a context of their kubeconfig */
  address: string;
  /** it is a cluster */
  cluster?: Cluster;
  /** fingerprints of keys (SHA256:…) that a person confirms */
  confirm?: string[];
  /** what it is to be called here: small letters, digits and - */
  name: string;
  /** where piwork lies there, from / or ~/; none is one of the usual places */
  program?: string;
}

export interface RemoteUsage {
  /** of its disk; cleanRemote frees them. A cluster keeps nothing between tasks */
  bytes: number;
  /** the piwork that is installed there (piwork --on); none was found without it */
  piwork?: Piwork;
  /** how many tasks work there, also of other computers */
  places: number;
  /** when one began or ended there last; without it, never */
  used?: string;
}

export interface RenameRequest {
  title: string;
}

export interface RepairRequest {
  /** absolute path of a pack or a bundle; without it a bundle beside the program, or the channel */
  file?: string;
}

export interface Request {
  /** a program; none is a shell */
  argv?: string[];
  /** no variables but these, and PATH */
  clean?: boolean;
  /** in the workroom; where programs of the task start without */
  cwd?: string;
  /** variables beside those of the workroom */
  env?: Record<string, string>;
  /** ends it when nothing is written, typed or run for so long, ms */
  idleMs?: number;
  /** of its output that is kept, KiB; 0 is 1024 */
  keepKb?: number;
  /** of the whole session */
  limits?: Limits;
  /** what the place where the task works has to be: elsewhere nothing is started */
  requiresRuntime?: Requirement;
  /** variables whose values are written down nowhere */
  secrets?: Record<string, string>;
  /** it runs on a terminal of this size; else on pipes */
  terminal?: TerminalSize;
}

export interface Requirement {
  /** how well it has to keep programs apart */
  atLeast?: Isolation;
  /** what it has to be able to do */
  can?: ("tools" | "read-only" | "limits" | "no-network" | "restricted-network" | "gpu")[];
  /** the only kinds of places that will do, such as vm and container; remote and kubernetes are each of theirs */
  kinds?: string[];
}

export interface ResetEvent {
  data: Nothing;
  kind: "reset";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export type Resolution = "keep" | "restore" | "both";

export interface Result {
  folder?: string;
  path: string;
  sha256?: string;
  size: number;
}

export interface ResultEvent {
  data: Result;
  kind: "result";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface Rule {
  answer: string;
  beforehand?: boolean;
  /** the program with a token that decided this; without it a person did */
  client?: string;
  created: string;
  expires?: string;
  folder?: string;
  id: string;
  name?: string;
  /** to what it can be narrowed, besides to a task */
  narrows?: "folder" | "host";
  said?: string;
  task?: string;
  topic: string;
}

export interface RuleEnd {
  /** never where it is not said */
  expires?: string;
}

export interface RuleException {
  /** the exception as it is written */
  cedar: string;
  /** it was written or changed by hand, and is taken back by hand, in the file */
  edited?: boolean;
  /** it holds no more; it goes from the file within seconds, unless it was changed by hand */
  ended?: boolean;
  id: string;
  /** id of your rule that has it */
  rule: string;
  said?: string;
  /** it holds from then on */
  since?: string;
  /** it holds in this task only */
  task?: string;
  /** it holds before then; without it until you take it back */
  until?: string;
}

export interface RuleFault {
  /** what it is: syntax, schema, rule, size, owner, unreadable */
  code: string;
  column?: number;
  layer: "managed" | "yours" | "default";
  line?: number;
  /** evidence, in English */
  message: string;
  path?: string;
  /** what is wrong, and what to do */
  said?: string;
}

export interface RuleFile {
  fault?: RuleFault;
  layer: "managed" | "yours";
  path: string;
  /** the file exists */
  there: boolean;
}

export interface RuleMatch {
  effect: "allow" | "ask" | "deny";
  /** why it could not be evaluated; it counts all the same, unless it allows */
  failed?: string;
  layer: "managed" | "yours" | "default";
  rule: string;
}

export interface RuleScope {
  /** only in this folder of this computer; of decisions about changes of files */
  folder?: string;
  /** only this address; of decisions about several */
  host?: string;
  /** only in this task, and while it runs */
  task?: string;
}

export interface RunRequest {
  /** as a shell has it; it may have several lines */
  command: string;
  /** what the place of the session has to be: elsewhere nothing is done */
  requiresRuntime?: Requirement;
  /** after which it is interrupted, and then ended with its session, ms */
  timeoutMs?: number;
}

export interface RunResult {
  /** of all programs whose end it waited for */
  cpuMs: number;
  /** why it did not end by itself; the session may be over, too */
  ended?: string;
  exitCode: number;
  /** memory, KiB: the most that all of the session had at once meanwhile; 0 is unknown, as in a place that does not measure it, or where earlier commands had more */
  peakKb?: number;
  /** that ended it, as its shell says: the exit code is 128 and this */
  signal?: number;
  /** likewise */
  stderr: string;
  stderrFile?: string;
  stderrSize: number;
  /** at most 1 MiB of it */
  stdout: string;
  /** result of the task that has all of a longer output, up to 256 MiB */
  stdoutFile?: string;
  /** bytes in all */
  stdoutSize: number;
  /** a file has only the first 256 MiB, and says so in its last line; or a longer output has none: such files of a task have 4 GiB together, or it could not be written */
  truncated?: boolean;
  wallMs: number;
}

export interface RuntimeChoice {
  ask: boolean;
  kind: string;
  verdicts: RuntimeVerdict[];
}

export interface RuntimeNeed {
  /** it needs an add-on of the runtime */
  addOns?: boolean;
  /** how well it has to be kept apart */
  atLeast?: Isolation;
  /** it uses the cache of a project */
  cache?: boolean;
  /** it may change files in them */
  changes?: boolean;
  /** it works on folders of the person */
  folders?: boolean;
  /** it computes on a graphics card */
  gpu?: boolean;
  /** it has limits of memory, of processor time or of what it reads and writes */
  limits?: boolean;
  /** the only kind that will do; without it any */
  named?: string;
  /** off where it is not said */
  network?: Network;
  /** what it needs of its place besides */
  requiresRuntime?: Requirement;
  /** a size of its machine was chosen */
  size?: boolean;
  /** its machine is to work without acceleration, by choice */
  slow?: boolean;
  /** kind of task */
  work?: TaskKind;
}

export type RuntimeReason = "named" | "preferred" | "strongest" | "allowed" | "permitted" | "ask" | "another" | "work" | "network" | "folders" | "add-ons" | "limits" | "cache" | "isolation" | "required" | "files" | "rule" | "gpu" | "away" | "off" | "unnamed" | "problem" | "weaker" | "after";

export interface RuntimeSettings {
  /** the only kinds in which tasks may change files of the person; without any, all */
  files?: string[];
  /** kinds that are taken before the others, the first one first */
  prefer?: string[];
  /** kinds that are preferred or always allowed only while what runs them has no administrator rights: as when that was said. A change that leaves a kind out here says it anew */
  rootless?: string[];
  /** what is said to kinds that keep a task less apart than a virtual machine */
  weaker?: Record<string, Allowance>;
}

export interface RuntimeStatus {
  /** what is said to a task that would work here because nothing stronger does */
  allowance: Allowance;
  /** it is used only when it is named, preferred or always allowed */
  byName?: boolean;
  domain: string;
  /** what runs it, where that is a program of this computer that was found */
  engine?: Engine;
  /** it can be given folders whose changes can be taken back */
  folders: boolean;
  isolation: Isolation;
  kind: string;
  limits: LimitSupport;
  networks: string[];
  /** its place among those that are preferred, from 1 */
  preferred?: number;
  /** why it does not */
  problem?: Problem;
  text?: string;
  title?: string;
  /** kinds of tasks that it can do */
  work: TaskKind[];
  /** a small task was done in it */
  works: boolean;
}

export interface RuntimeVerdict {
  /** what runs the kind that is taken, where that is a program of this computer */
  engine?: Engine;
  kind: string;
  /** of required: the first of requiresRuntime that the place is not, or does not have */
  lacks?: string;
  problem?: Problem;
  reason: RuntimeReason;
  rule?: string;
  taken: boolean;
  text?: string;
}

export interface SamplesFolder {
  files: number;
  path: string;
}

export interface SamplesRequest {
  /** of the names: en or de; any other is English */
  language?: string;
}

export interface SaveChoreRequest {
  chore?: string;
  folders?: FolderRequest[];
  name: string;
  params?: Record<string, unknown>;
  /** kind of place that alone will do; without it the best one */
  runtime?: string;
  /** id of a task whose chore, parameters, folders and choice of a place are saved */
  task?: string;
}

export interface SavedChore {
  chore: string;
  created: string;
  folders: FolderRequest[];
  id: string;
  name: string;
  params: Record<string, unknown>;
  /** kind of place that alone will do; without it the best one */
  runtime?: string;
  where?: string;
}

export interface SayRequest {
  detached?: boolean;
  how?: "steer" | "followUp";
  images?: ImageRequest[];
  text: string;
}

export interface SecretRequest {
  secret: string;
}

export interface Service {
  /** last four characters of the secret */
  ending?: string;
  hosts: Host[];
  /** what it is called: small letters, digits and - */
  name: string;
  /** none: nothing is put in; missing: it has to be given; set: it is in the keychain */
  secret: "none" | "missing" | "set";
}

export interface Session {
  argv?: string[];
  created: string;
  ending?: Ending;
  id: string;
  kept: number;
  output: number;
  problem?: Problem;
  readers: number;
  reason?: string;
  shell: boolean;
  size?: TerminalSize;
  state: string;
  task: string;
  terminal: boolean;
  writer: boolean;
}

export interface Settings {
  /** address of a collector that speaks OTLP over HTTP, such as http://127.0.0.1:4318, to which traces and metrics are sent; empty: nothing is sent */
  endpoint: string;
}

export interface SettingsEvent {
  data: Nothing;
  kind: "settings";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export type Severity = "blocking" | "error" | "warning";

export interface Share {
  detail?: string;
  kind: "9p" | "virtiofs";
  reason?: string;
  said?: string;
}

export interface SignalRequest {
  signal: "HUP" | "INT" | "QUIT" | "KILL" | "USR1" | "USR2" | "TERM" | "CONT" | "STOP" | "WINCH";
}

export interface SlowMode {
  on: boolean;
}

export interface StartRequest {
  accel?: string;
  accept?: boolean;
  agent?: boolean;
  argv?: string[];
  attached?: boolean;
  budget?: number;
  /** exec and ai, in a machine: name of the project whose cache it uses, or a dot for the one of its set of folders; what it leaves there is used by later tasks of the same project, and only by them */
  cache?: string;
  chore?: string;
  client?: string;
  cpus?: number;
  cwd?: string;
  detached?: boolean;
  door?: string;
  env?: Record<string, string>;
  folders: FolderRequest[];
  id?: string;
  images?: ImageRequest[];
  interactive?: boolean;
  kind: TaskKind;
  limits?: Limits;
  memoryMb?: number;
  model?: string;
  network?: Network;
  open?: boolean;
  params?: Record<string, unknown>;
  planOnly?: boolean;
  presets?: string[];
  program?: string;
  prompt?: string;
  /** what its place has to be; one that is not is not used */
  requiresRuntime?: Requirement;
  runtime?: string;
  services?: string[];
  stdin?: string;
  terminal?: TerminalSize;
  thinking?: "off" | "minimal" | "low" | "medium" | "high";
  title?: string;
  tool?: ToolParams;
}

export interface StatRequest {
  /** as the task sees it, such as /folders/Letters/a.txt or /work/out */
  path: string;
  /** what the place where the task works has to be: elsewhere nothing is done */
  requiresRuntime?: Requirement;
}

export interface StateData {
  error?: Problem;
  state: TaskState;
}

export interface StateEvent {
  data: StateData;
  kind: "state";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface StatusEvent {
  data: StatusReport;
  kind: "status";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface StatusReport {
  accel: AccelState;
  arch: string;
  checks: Check[];
  os: string;
  pack: PackState;
  problems: Problem[];
  ready: boolean;
  time: string;
  version: string;
}

export interface StepData {
  step: string;
}

export interface StepEvent {
  data: StepData;
  kind: "step";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface Storage {
  freeBytes: number;
  items: StorageItem[];
}

export interface StorageItem {
  bytes: number;
  cleanable: boolean;
  frees: number;
  losesUndo?: boolean;
  path: string;
  said?: string;
  /** the program that keeps it does not answer: it may take more */
  silent?: boolean;
  what: StorageKind;
}

export type StorageKind = "runtime" | "addons" | "templates" | "caches" | "trees" | "images" | "environments" | "downloads" | "tasks" | "journals" | "logs";

export interface StorageMove {
  bytes: number;
  done: number;
  files: number;
  fixedBy?: string;
  freeBytes: number;
  from: string;
  needBytes: number;
  phase: MovePhase;
  problem?: Problem;
  to?: string;
}

export interface TableCell {
  op: DiffOp;
  text: string;
  was?: string;
}

export interface TableDiff {
  added: number;
  changed: number;
  columns: number;
  cut?: boolean;
  removed: number;
  rows: TableRow[];
}

export interface TableRow {
  after?: number;
  before?: number;
  cells: TableCell[];
  gap?: number;
  op: DiffOp;
}

export interface Task {
  accel?: string;
  agent?: boolean;
  ai?: AI;
  argv?: string[];
  asked?: Asked;
  called?: string;
  chore?: string;
  client?: string;
  cpuMs?: number;
  created: string;
  door?: string;
  ended?: string;
  error?: Problem;
  exitCode?: number;
  folders: Folder[];
  id: string;
  info?: unknown[];
  kind: TaskKind;
  loosened?: string[];
  network: Network;
  pack: string;
  params?: Record<string, unknown>;
  peakKb?: number;
  presets?: string[];
  problems?: Problem[];
  results?: Result[];
  runtime: string;
  services?: string[];
  stands?: string;
  started?: string;
  state: TaskState;
  title: string;
  titled?: boolean;
  v: number;
  versions?: Record<string, string>;
  where?: string;
}

export interface TaskFile {
  kind: "file" | "directory" | "link" | "other";
  /** permissions, as chmod has them */
  mode: number;
  modified: string;
  /** as the task sees it */
  path: string;
  /** of a file's content, in hex; of files up to 1 GiB that were read or written, or that stat was asked about */
  sha256?: string;
  /** bytes; 0 of what is no file */
  size: number;
  /** of a link */
  target?: string;
}

export interface TaskFileContent {
  /** from the offset on; fewer bytes than were asked for where the file ends */
  data: string;
  kind: "file" | "directory" | "link" | "other";
  /** permissions, as chmod has them */
  mode: number;
  modified: string;
  /** as the task sees it */
  path: string;
  /** of a file's content, in hex; of files up to 1 GiB that were read or written, or that stat was asked about */
  sha256?: string;
  /** bytes; 0 of what is no file */
  size: number;
  /** of a link */
  target?: string;
}

export interface TaskFileList {
  entries: TaskFile[];
  /** there are more than were asked for */
  more: boolean;
  /** files that are left out, since their names are no text */
  unnamed: number;
}

export type TaskKind = "chore" | "ai" | "exec" | "tool";

export interface TaskModelRequest {
  model?: string;
  thinking?: "off" | "minimal" | "low" | "medium" | "high";
}

export interface TaskRequest {
  allowed: boolean;
  /** how often */
  count: number;
  host: string;
  last: string;
  method: string;
  /** without the query */
  path: string;
  /** why it was refused, or has no answer */
  reason?: "rule" | "no-rule" | "host" | "method" | "path" | "upgrade" | "header" | "busy" | "gone" | "unreachable" | "certificate" | "encoded" | "protocol" | "cut";
  received: number;
  /** the reason, in the language asked for */
  said?: string;
  /** bytes of bodies */
  sent: number;
  service: string;
  /** of the answer */
  status?: number;
}

export interface TaskRequests {
  list: TaskRequest[];
  /** how many others there were: only the first 500 kinds are listed */
  more?: number;
}

export type TaskState = "queued" | "preparing" | "running" | "waiting" | "done" | "failed" | "cancelled";

export interface TerminalSize {
  columns: number;
  rows: number;
}

export interface TextDiff {
  added: number;
  cut?: boolean;
  hunks: TextHunk[];
  part?: TextPart;
  removed: number;
}

export type TextEncoding = "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be" | "latin-1";

export interface TextHunk {
  after: number;
  afterLines: number;
  before: number;
  beforeLines: number;
  lines: TextLine[];
}

export interface TextLine {
  cut?: boolean;
  op: DiffOp;
  open?: boolean;
  start?: boolean;
  text: string;
}

export interface TextPart {
  bytes: number;
  from: number;
}

export interface Token {
  created: string;
  expires: string;
  folders: FolderRequest[];
  id: string;
  name: string;
  /** of pages of the web that may use it, in a browser */
  origins?: string[];
  scopes: ("read" | "tasks" | "tools" | "ai" | "decide" | "manage")[];
  used?: string;
}

export interface TokenRequest {
  /** for how long; 90 without it */
  days?: number;
  /** that its tasks may have, each as a whole; without a mode it can be read only */
  folders?: FolderRequest[];
  /** of the program that will have it; tasks of it carry the name */
  name: string;
  /** of pages of the web that may use it in a browser, such as https://app.example; not with decide or manage */
  origins?: string[];
  /** what it is for */
  scopes: ("read" | "tasks" | "tools" | "ai" | "decide" | "manage")[];
}

export interface ToolBounds {
  /** MiB a second, from and to each disk */
  diskMbPerSecond: number;
  /** of the largest file that is written */
  file: ToolBytesBound;
  /** MiB of everything together; the machine may have less */
  memoryMb: number;
  /** processes and threads at a time */
  processes: number;
  /** that may be busy at a time */
  processors: number;
  /** of one run of one program */
  program: ToolTimeBound;
  /** of the whole operation */
  wall: ToolTimeBound;
}

export interface ToolBytesBound {
  /** MiB */
  mb: number;
  /** so many times all inputs */
  times: number;
}

export interface ToolData {
  diff?: string;
  id: string;
  name: string;
  output?: string;
  raw?: number;
  state: string;
  target?: string;
  verb: string;
  wallMs?: number;
}

export interface ToolDescription {
  about?: string;
  accepts: string[];
  addOns: string[];
  bounds: ToolBounds;
  changes: boolean;
  folders: boolean;
  licences: string[];
  maxIn: number;
  minIn: number;
  name: string;
  out: ToolOutput;
  params: Record<string, unknown>;
  programs: string[];
  random: boolean;
  title?: string;
  words?: Record<string, ParamWords>;
}

export interface ToolEvent {
  data: ToolData;
  kind: "tool";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export type ToolOutput = "none" | "file" | "folder" | "each";

export interface ToolParams {
  id: string;
  in: string[];
  limits?: Limits;
  op: string;
  out?: string;
  params?: Record<string, unknown>;
  request?: string;
}

export interface ToolTimeBound {
  /** seconds for each input */
  perInput: number;
  /** seconds for each MiB of all inputs */
  perMb: number;
  seconds: number;
}

export interface UndoConflict {
  change: Change;
  detail?: string;
  reason: string;
  said?: string;
}

export interface UndoData {
  by?: string;
  conflicts: string[];
  undone: string[];
}

export interface UndoEvent {
  data: UndoData;
  kind: "undo";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface UndoKeeping {
  bytes: number;
  settings: UndoSettings;
  tasks: number;
}

export interface UndoReport {
  beside?: Record<string, string>;
  conflicts: UndoConflict[];
  kept?: Change[];
  undone: Change[];
}

export interface UndoRequest {
  digest?: string;
  ids?: string[];
  onConflict?: Resolution;
  resolve?: Record<string, Resolution>;
}

export interface UndoSettings {
  days: number;
  spaceMb?: number;
  writeMb?: number;
}

export interface UndoSpace {
  bytes: number;
  expires?: string;
  forgotten?: boolean;
  /** an undo or redo is at work, or was cut off and waits for its folder: nothing is given up by itself */
  unfinished?: boolean;
}

export interface UpdateEvent {
  data: UpdateState;
  kind: "update";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export type UpdatePhase = "off" | "idle" | "checking" | "available" | "downloading" | "paused" | "installing" | "trying" | "up-to-date" | "failed" | "offline";

export interface UpdateRequest {
  addOns?: string[];
  version?: string;
}

export interface UpdateSettings {
  auto: boolean;
  caFile?: string;
  proxy?: string;
  urls: string[];
}

export interface UpdateState {
  channel: string;
  checked?: string;
  current: string;
  done: number;
  eta: number;
  notes?: string;
  phase: UpdatePhase;
  problem?: Problem;
  rate: number;
  reused: number;
  said?: string;
  settings: UpdateSettings;
  total: number;
  version?: string;
  what: string;
}

export interface Usage {
  cacheRead?: number;
  cacheWrite?: number;
  cost?: number;
  input: number;
  output: number;
  requests: number;
  unknown?: boolean;
}

export interface UsageEvent {
  data: Usage;
  kind: "usage";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface VisitRequest {
  /** what the place where the task works has to be: elsewhere nothing is done */
  requiresRuntime?: Requirement;
  /** how long a page may load, each time, once its host answers; without it 90. What came until then is used */
  seconds?: number;
  /** what is done, the first an open */
  steps: PageStep[];
}

export interface WebSearch {
  kind: "none" | "searxng";
  url?: string;
}

export interface WindowEvent {
  data: WindowEventData;
  kind: "window";
  /** the event in one line, where there is one */
  said?: string;
  /** 0 for volatile events */
  seq: number;
  /** id, empty for what belongs to no task */
  task: string;
  time: string;
  /** version of the record, 1 */
  v: number;
}

export interface WindowEventData {
  /** name of its form */
  chore?: string;
  /** absolute paths of folders and files */
  paths?: string[];
  /** close-asked: tasks at work */
  running?: number;
  /** id */
  task?: string;
  what: "close-asked" | "open";
}

export interface WindowSettings {
  /** what closing the window does while tasks are at work */
  close: "ask" | "background" | "stop";
  language?: "system" | "en" | "de";
  /** how much moves */
  motion?: "system" | "less";
  /** the system shows questions and tasks that are over */
  notify: boolean;
  /** shortcuts of one character alone */
  signs?: "on" | "off";
  theme?: "system" | "light" | "dark";
}

export interface Wizard {
  again?: boolean;
  done: boolean;
  /** the kind of place in which tasks work because there can be no workroom */
  instead?: string;
  steps: WizardStep[];
}

export type WizardAct = "done" | "skip" | "reset";

export interface WizardRequest {
  act: WizardAct;
}

export interface WizardStep {
  acts: WizardAct[];
  admin?: boolean;
  command?: string;
  id: WizardStepId;
  problems: number[];
  state: WizardStepState;
}

export type WizardStepId = "welcome" | "check" | "runtime" | "first";

export type WizardStepState = "open" | "now" | "done" | "skipped";

export interface WriteRequest {
  /** the whole content, at most 16 MiB */
  data: string;
  /** SHA-256 in hex that the file has to have, or absent where there must be none; without it whatever is there is replaced */
  expect?: string;
  /** directories on the way are made */
  parents?: boolean;
  /** as the task sees it, such as /folders/Letters/a.txt or /work/out */
  path: string;
  /** what the place where the task works has to be: elsewhere nothing is done */
  requiresRuntime?: Requirement;
}

export interface WrittenRule {
  /** the rule as it is written */
  cedar: string;
  /** why it may not do what it seems to, in English; nothing with one can be written anew */
  doubt?: string;
  effect: "allow" | "ask" | "deny";
  /** other layers can only be stricter */
  hard?: boolean;
  id: string;
  layer: "managed" | "yours" | "default";
  line: number;
  /** what the file says about it */
  note?: string;
  /** the rule in words */
  said?: string;
}
