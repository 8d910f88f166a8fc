// Made from the table of operations by `go run ./scripts/lib/sdk`. Do not edit.

import Foundation

extension Piwork {
  /// The version of the API that this is made from.
  public static let apiVersion = "1.13.0"

  public struct AI: Codable, Hashable, Sendable {
    public var budget: Int?
    public var dir: String?
    public var model: String
    public var pending: [Pending]?
    public var program: String?
    public var resumes: Int?
    public var servers: Bool?
    public var thinking: String?
    public var usage: Usage
  }

  public struct AIPart: Codable, Hashable, Sendable {
    public var only: Bool?
    public var results: [String]
    public var review: Bool?
  }

  public struct About: TaggedRecord {
    /// version of the document
    public var api: String
    public var arch: String
    /// a build for developers
    public var developer: Bool
    /// of the listener that the request came through; 429 above them
    public var limits: ListenerLimits?
    public var name: String
    /// path of the document
    public var oas: String
    public var os: String
    /// the runtime in use; absent where none is
    public var pack: PackTools?
    public var version: String
    /// native dialogs are there
    public var window: Bool
    public var etag = ETag()

    enum CodingKeys: CodingKey { case api, arch, developer, limits, name, oas, os, pack, version, window }
  }

  public struct AccelState: Codable, Hashable, Sendable {
    public var bootMs: Int?
    public var chosenBy: String?
    public var kind: String
    public var native: String
    public var proven: Bool
    public var slowMode: Bool
    public var slowMs: Int?
  }

  public struct Acceptance: Codable, Hashable, Sendable {
    /// for how long the exception holds; always: until you take it back. Without it as the proposal says (careful): in its task where that runs, else for an hour
    public var holds: Holds?

    public init(holds: Holds? = nil) {
      self.holds = holds
    }

    public struct Holds: OpenEnum {
      public static let task = Self(rawValue: "task")
      public static let hour = Self(rawValue: "hour")
      public static let day = Self(rawValue: "day")
      public static let week = Self(rawValue: "week")
      public static let always = Self(rawValue: "always")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct AddOnInfo: Codable, Hashable, Sendable {
    public var bytes: Int?
    /// of one that is usable: where it lies, with the texts of its licences
    public var dir: String?
    public var download: Int?
    public var installed: Bool
    public var name: String
    public var problem: Problem?
    /// of one that is usable: the programs in it
    public var tools: [PackTool]?
    public var usable: Bool
    public var version: String?
  }

  public struct AgainRequest: Codable, Hashable, Sendable {
    public var accept: Bool?
    public var detached: Bool?
    public var id: String?
    /// kind of place in which the new task works; empty for where the other one was asked to
    public var runtime: String?

    public init(accept: Bool? = nil, detached: Bool? = nil, id: String? = nil, runtime: String? = nil) {
      self.accept = accept
      self.detached = detached
      self.id = id
      self.runtime = runtime
    }
  }

  public struct Allowance: OpenEnum {
    public static let ask = Self(rawValue: "ask")
    public static let always = Self(rawValue: "always")
    public static let never = Self(rawValue: "never")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct AnswerOption: Codable, Hashable, Sendable {
    public var answer: Answer
    public var label: String
    /// refuses everything else that the task asks, too
    public var rest: Bool?
    /// how far it reaches; as is usual for the question where it is not said
    public var scope: Scope?

    public struct Answer: OpenEnum {
      public static let allow = Self(rawValue: "allow")
      public static let deny = Self(rawValue: "deny")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct Scope: OpenEnum {
      public static let once = Self(rawValue: "once")
      public static let task = Self(rawValue: "task")
      public static let folder = Self(rawValue: "folder")
      public static let always = Self(rawValue: "always")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct AnswerRequest: Codable, Hashable, Sendable {
    public var answer: Answer
    public var choice: Int?
    public var rest: Bool?
    public var scope: Scope?
    public var seen: Int?
    public var text: String?
    public var unattended: Bool?

    public init(answer: Answer, choice: Int? = nil, rest: Bool? = nil, scope: Scope? = nil, seen: Int? = nil, text: String? = nil, unattended: Bool? = nil) {
      self.answer = answer
      self.choice = choice
      self.rest = rest
      self.scope = scope
      self.seen = seen
      self.text = text
      self.unattended = unattended
    }

    public struct Answer: OpenEnum {
      public static let allow = Self(rawValue: "allow")
      public static let deny = Self(rawValue: "deny")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct Scope: OpenEnum {
      public static let once = Self(rawValue: "once")
      public static let task = Self(rawValue: "task")
      public static let folder = Self(rawValue: "folder")
      public static let always = Self(rawValue: "always")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct ApplyData: Codable, Hashable, Sendable {
    public var applied: [String]
    public var by: String?
    public var conflicts: [String]
    public var discarded: [String]
  }

  public struct ApplyEvent: Codable, Hashable, Sendable {
    public var data: ApplyData
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct ApplyReport: Codable, Hashable, Sendable {
    public var applied: [Change]
    public var beside: [String: String]?
    public var conflicts: [UndoConflict]
    public var discarded: [Change]
  }

  public struct ApplyRequest: Codable, Hashable, Sendable {
    public var digest: String?
    public var discard: Bool?
    public var ids: [String]?
    public var onConflict: Resolution?
    public var resolve: [String: Resolution]?

    public init(digest: String? = nil, discard: Bool? = nil, ids: [String]? = nil, onConflict: Resolution? = nil, resolve: [String: Resolution]? = nil) {
      self.digest = digest
      self.discard = discard
      self.ids = ids
      self.onConflict = onConflict
      self.resolve = resolve
    }
  }

  public struct Asked: Codable, Hashable, Sendable {
    public var cache: String?
    public var cacheOf: [String]?
    public var cpus: Int?
    public var cwd: String?
    public var images: [String]?
    public var limits: Limits?
    public var lost: String?
    public var memoryMb: Int?
    public var planOnly: Bool?
    public var prompt: String?
    public var requiresRuntime: Requirement?
    public var runtime: String?
  }

  public struct AtLogin: TaggedRecord {
    public var on: Bool
    /// false: this system has no such service that piwork knows, or the data of this process is where the one it starts would not look
    public var possible: Bool
    public var etag = ETag()

    enum CodingKeys: CodingKey { case on, possible }
  }

  public struct AtLoginChoice: Codable, Hashable, Sendable {
    public var on: Bool

    public init(on: Bool) {
      self.on = on
    }
  }

  public struct AuditFolder: Codable, Hashable, Sendable {
    public var mode: String
    public var path: String
  }

  public struct AuditPage: TaggedRecord {
    public var badLine: Int?
    public var before: Int?
    public var records: [AuditRecord]
    public var etag = ETag()

    enum CodingKeys: CodingKey { case badLine, before, records }
  }

  public struct AuditRecord: Codable, Hashable, Sendable {
    public var accel: String?
    public var action: String?
    public var answer: String?
    public var args: String?
    public var by: String?
    public var bytesIn: Int?
    public var bytesOut: Int?
    public var claimedProgram: String?
    public var client: String?
    public var content: String?
    public var domain: String?
    public var door: String?
    public var dropped: Int?
    public var ended: String?
    public var envNames: [String]?
    public var event: String
    public var exec: String?
    public var exit: Int?
    public var folder: String?
    public var folders: [AuditFolder]?
    public var host: String?
    public var hosts: [String]?
    public var `in`: [String]?
    public var inputs: Int?
    public var isolation: String?
    public var method: String?
    public var mode: String?
    public var n: Int
    public var network: String?
    public var op: String?
    public var out: String?
    public var pack: String?
    public var path: String?
    public var port: Int?
    public var prev: String
    public var problem: String?
    public var program: String?
    public var purpose: String?
    public var question: String?
    public var reason: String?
    public var request: String?
    public var rule: String?
    public var runtime: String?
    public var scope: String?
    public var service: String?
    public var status: Int?
    public var task: String?
    public var time: Date
    public var times: Int?
    public var topic: String?
    public var v: Int
    public var wallMs: Int?
  }

  public struct AuditReport: TaggedRecord {
    public var badLine: Int?
    public var first: Int?
    public var key: String?
    public var ok: Bool
    public var reason: String?
    public var records: Int
    public var etag = ETag()

    enum CodingKeys: CodingKey { case badLine, first, key, ok, reason, records }
  }

  public struct AuditSettings: TaggedRecord {
    public var days: Int
    public var etag = ETag()

    enum CodingKeys: CodingKey { case days }

    public init(days: Int) {
      self.days = days
    }
  }

  public struct BundleInfo: Codable, Hashable, Sendable {
    public var bytes: Int
    public var file: String
    public var packs: [PackInfo]
    public var sha256: String
  }

  public struct BundleRequest: Codable, Hashable, Sendable {
    public var addOns: [String]?
    public var app: String?
    /// absolute path of the file to write, which must not be there and ends with .tar; in a folder it gets the usual name
    public var out: String

    public init(out: String, addOns: [String]? = nil, app: String? = nil) {
      self.addOns = addOns
      self.app = app
      self.out = out
    }
  }

  public struct Cache: Codable, Hashable, Sendable {
    public var bytes: Int
    public var canBack: Bool
    public var id: String
    public var inUse: Bool
    public var limitMb: Int
    public var project: Project
    public var used: Date
  }

  public struct Change: Codable, Hashable, Sendable {
    public var after: FileState?
    public var before: FileState?
    public var effect: ChangeEffect
    public var folder: String?
    public var from: String?
    public var id: String
    public var kind: String?
    public var path: String
    public var staged: Bool?
    public var undone: Date?
  }

  public struct ChangeEffect: OpenEnum {
    public static let create = Self(rawValue: "create")
    public static let change = Self(rawValue: "change")
    public static let move = Self(rawValue: "move")
    public static let delete = Self(rawValue: "delete")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct ChangeFact: Codable, Hashable, Sendable {
    public var after: String?
    public var before: String?
    public var code: FactCode
  }

  public struct Check: Codable, Hashable, Sendable {
    public var code: String
    public var params: [String: JSON]?
    public var said: String?
    public var state: CheckState
    public var tookMs: Int
  }

  public struct CheckEvent: Codable, Hashable, Sendable {
    public var data: Check
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct CheckState: OpenEnum {
    public static let passed = Self(rawValue: "passed")
    public static let failed = Self(rawValue: "failed")
    public static let unknown = Self(rawValue: "unknown")
    public static let skipped = Self(rawValue: "skipped")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct Choice: Codable, Hashable, Sendable {
    public var label: String
  }

  public struct ChoreInfo: Codable, Hashable, Sendable {
    public var about: String?
    public var ai: AIPart?
    public var effects: [PlanEffect]
    public var name: String
    public var needs: [String]
    public var params: [ChoreParam]
    public var run: String?
    public var title: String?
    public var unit: [String: String]?
  }

  public struct ChoreParam: Codable, Hashable, Sendable {
    public var choices: [String]?
    public var `default`: JSON
    public var max: Int?
    public var min: Int?
    public var name: String
    public var type: String
    public var words: ParamWords?
  }

  public struct Chosen: TaggedRecord {
    public var model: String
    public var store: Store
    public var etag = ETag()

    enum CodingKeys: CodingKey { case model, store }

    public struct Store: OpenEnum {
      public static let keychain = Self(rawValue: "keychain")
      public static let file = Self(rawValue: "file")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct CleanRequest: Codable, Hashable, Sendable {
    /// the person knows that changes of tasks that are over cannot be taken back afterwards
    public var loseUndo: Bool?
    public var what: [StorageKind]

    public init(what: [StorageKind], loseUndo: Bool? = nil) {
      self.loseUndo = loseUndo
      self.what = what
    }
  }

  public struct Cleaned: Codable, Hashable, Sendable {
    public var freed: Int
    /// ids of tasks whose undo data stays: an undo or redo of them waits for its folder (forgetUndo with abandonUndo)
    public var waiting: [String]?
  }

  public struct Cluster: Codable, Hashable, Sendable {
    /// what Pods are made of, with a shell
    public var image: String
    /// where Pods are made; none is the one of the context
    public var namespace: String?
    /// the label by which piwork knows its own Pods there
    public var owner: String?

    public init(image: String, namespace: String? = nil, owner: String? = nil) {
      self.image = image
      self.namespace = namespace
      self.owner = owner
    }
  }

  public struct Command: Codable, Hashable, Sendable {
    public var begun: Date
    public var failed: Bool?
    /// traceparent of who started it
    public var parent: String?
    /// traceparent of the requests that it made
    public var span: String

    public init(begun: Date, span: String, failed: Bool? = nil, parent: String? = nil) {
      self.begun = begun
      self.failed = failed
      self.parent = parent
      self.span = span
    }
  }

  public struct ComparedSide: Codable, Hashable, Sendable {
    public var encoding: TextEncoding?
    public var height: Int?
    public var missing: String?
    public var show: Bool?
    public var size: Int
    public var type: String?
    public var width: Int?
  }

  public struct Comparison: TaggedRecord {
    public var after: ComparedSide?
    public var before: ComparedSide?
    public var change: Change
    public var facts: [ChangeFact]
    public var kind: ComparisonKind
    public var table: TableDiff?
    public var text: TextDiff?
    public var etag = ETag()

    enum CodingKeys: CodingKey { case after, before, change, facts, kind, table, text }
  }

  public struct ComparisonKind: OpenEnum {
    public static let text = Self(rawValue: "text")
    public static let table = Self(rawValue: "table")
    public static let image = Self(rawValue: "image")
    public static let other = Self(rawValue: "other")
    public static let none_ = Self(rawValue: "none")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct Computer: Codable, Hashable, Sendable {
    public var cpus: Int
    public var freeMb: Int
    public var memoryMb: Int
  }

  public struct Decision: Codable, Hashable, Sendable {
    public var answer: String
    public var by: String
    public var choice: Int?
    public var client: String?
    public var id: String
    public var rule: String?
    public var scope: String
    public var text: String?
    public var time: Date
  }

  public struct DecisionEvent: Codable, Hashable, Sendable {
    public var data: Decision
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct Definition: Codable, Hashable, Sendable {
    public var hosts: [Host]?
    /// code of a preset, in place of hosts
    public var preset: String?

    public init(hosts: [Host]? = nil, preset: String? = nil) {
      self.hosts = hosts
      self.preset = preset
    }
  }

  public struct DeltaData: Codable, Hashable, Sendable {
    public var id: String
    public var part: Int?
    public var text: String?
    public var thinking: String?
  }

  public struct DeltaEvent: Codable, Hashable, Sendable {
    public var data: DeltaData
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct Diagnostics: TaggedRecord {
    public var files: [DiagnosticsText]
    /// of this preview; the next one replaces it
    public var id: String
    public var etag = ETag()

    enum CodingKeys: CodingKey { case files, id }
  }

  public struct DiagnosticsFile: Codable, Hashable, Sendable {
    public var bytes: Int
    public var path: String
  }

  public struct DiagnosticsRequest: Codable, Hashable, Sendable {
    /// of the preview that the person saw: without it what is gathered now is written
    public var id: String?
    /// absolute, ends with .zip
    public var path: String
    /// replace a file that is there
    public var replace: Bool?

    public init(path: String, id: String? = nil, replace: Bool? = nil) {
      self.id = id
      self.path = path
      self.replace = replace
    }
  }

  public struct DiagnosticsText: Codable, Hashable, Sendable {
    public var bytes: Int
    public var name: String
    public var text: String
  }

  public struct DiffOp: OpenEnum {
    public static let same = Self(rawValue: "same")
    public static let added = Self(rawValue: "added")
    public static let removed = Self(rawValue: "removed")
    public static let changed = Self(rawValue: "changed")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct DroppedFolder: Codable, Hashable, Sendable {
    public var file: String?
    public var files: Int
    public var name: String
    public var path: String
    public var problem: Problem?
  }

  public struct DroppedRequest: Codable, Hashable, Sendable {
    /// absolute
    public var paths: [String]

    public init(paths: [String]) {
      self.paths = paths
    }
  }

  public struct EndRequest: Codable, Hashable, Sendable {
    /// tasks at work are cancelled, and an undo, redo or apply stops; without it the answer is 409 while there are any
    public var cancel: Bool?

    public init(cancel: Bool? = nil) {
      self.cancel = cancel
    }
  }

  public struct Ending: Codable, Hashable, Sendable {
    public var cpuMs: Int
    public var ended: Date
    public var exitCode: Int
    public var peakKb: Int?
    public var signal: Int?
    public var wallMs: Int
  }

  public struct Engine: Codable, Hashable, Sendable {
    /// it cannot be shown folders: tasks work on copies of them, and what they change is brought back
    public var copies: Bool
    /// Podman or Docker
    public var name: String
    /// its containers can have no network
    public var offline: Bool?
    /// it runs without administrator rights: a fault in it gives nobody these
    public var rootless: Bool
    /// it can hold a task to an amount of memory and of processors
    public var sizes: Bool
    /// where it listens
    public var socket: String
    public var text: String?
    public var version: String
  }

  /// What happened. Kinds that are not listed may be added: ignore them.
  public enum Event: Codable, Hashable, Sendable {
    case state(StateEvent)
    case step(StepEvent)
    case plan(PlanEvent)
    case progress(ProgressEvent)
    case output(OutputEvent)
    case problem(ProblemEvent)
    case result(ResultEvent)
    case question(QuestionEvent)
    case decision(DecisionEvent)
    case undo(UndoEvent)
    case redo(RedoEvent)
    case apply(ApplyEvent)
    case folder(FolderEvent)
    case message(MessageEvent)
    case delta(DeltaEvent)
    case tool(ToolEvent)
    case usage(UsageEvent)
    case notice(NoticeEvent)
    case queue(QueueEvent)
    case pack(PackEvent)
    case update(UpdateEvent)
    case machines(MachinesEvent)
    case status(StatusEvent)
    case check(CheckEvent)
    case reset(ResetEvent)
    case settings(SettingsEvent)
    case gone(GoneEvent)
    case window(WindowEvent)
    case other(OtherEvent)

    public init(from decoder: any Decoder) throws {
      let open = try OtherEvent(from: decoder)
      switch open.kind {
      case "state": self = .state(try StateEvent(from: decoder))
      case "step": self = .step(try StepEvent(from: decoder))
      case "plan": self = .plan(try PlanEvent(from: decoder))
      case "progress": self = .progress(try ProgressEvent(from: decoder))
      case "output": self = .output(try OutputEvent(from: decoder))
      case "problem": self = .problem(try ProblemEvent(from: decoder))
      case "result": self = .result(try ResultEvent(from: decoder))
      case "question": self = .question(try QuestionEvent(from: decoder))
      case "decision": self = .decision(try DecisionEvent(from: decoder))
      case "undo": self = .undo(try UndoEvent(from: decoder))
      case "redo": self = .redo(try RedoEvent(from: decoder))
      case "apply": self = .apply(try ApplyEvent(from: decoder))
      case "folder": self = .folder(try FolderEvent(from: decoder))
      case "message": self = .message(try MessageEvent(from: decoder))
      case "delta": self = .delta(try DeltaEvent(from: decoder))
      case "tool": self = .tool(try ToolEvent(from: decoder))
      case "usage": self = .usage(try UsageEvent(from: decoder))
      case "notice": self = .notice(try NoticeEvent(from: decoder))
      case "queue": self = .queue(try QueueEvent(from: decoder))
      case "pack": self = .pack(try PackEvent(from: decoder))
      case "update": self = .update(try UpdateEvent(from: decoder))
      case "machines": self = .machines(try MachinesEvent(from: decoder))
      case "status": self = .status(try StatusEvent(from: decoder))
      case "check": self = .check(try CheckEvent(from: decoder))
      case "reset": self = .reset(try ResetEvent(from: decoder))
      case "settings": self = .settings(try SettingsEvent(from: decoder))
      case "gone": self = .gone(try GoneEvent(from: decoder))
      case "window": self = .window(try WindowEvent(from: decoder))
      default: self = .other(open)
      }
    }

    public func encode(to encoder: any Encoder) throws { try record.encode(to: encoder) }

    /// What all of them have.
    var record: any EventRecord {
      switch self {
      case .state(let one): return one
      case .step(let one): return one
      case .plan(let one): return one
      case .progress(let one): return one
      case .output(let one): return one
      case .problem(let one): return one
      case .result(let one): return one
      case .question(let one): return one
      case .decision(let one): return one
      case .undo(let one): return one
      case .redo(let one): return one
      case .apply(let one): return one
      case .folder(let one): return one
      case .message(let one): return one
      case .delta(let one): return one
      case .tool(let one): return one
      case .usage(let one): return one
      case .notice(let one): return one
      case .queue(let one): return one
      case .pack(let one): return one
      case .update(let one): return one
      case .machines(let one): return one
      case .status(let one): return one
      case .check(let one): return one
      case .reset(let one): return one
      case .settings(let one): return one
      case .gone(let one): return one
      case .window(let one): return one
      case .other(let one): return one
      }
    }

    public var data: any Codable & Sendable { record.data }
    public var kind: String { record.kind }
    /// the event in one line, where there is one
    public var said: String? { record.said }
    /// 0 for volatile events
    public var seq: Int { record.seq }
    /// id, empty for what belongs to no task
    public var task: String { record.task }
    public var time: Date { record.time }
    /// version of the record, 1
    public var v: Int { record.v }
  }

  /// One of a kind that is not known here.
  public struct OtherEvent: Codable, Hashable, Sendable {
    public var data: JSON
    public var kind: String
    public var said: String?
    public var seq: Int
    public var task: String
    public var time: Date
    public var v: Int
  }
}

protocol EventRecord: Codable, Hashable, Sendable {
  associatedtype DataOfEvent: Codable, Sendable
  var data: DataOfEvent { get }
  var kind: String { get }
  var said: String? { get }
  var seq: Int { get }
  var task: String { get }
  var time: Date { get }
  var v: Int { get }
}

extension Piwork.StateEvent: EventRecord {}
extension Piwork.StepEvent: EventRecord {}
extension Piwork.PlanEvent: EventRecord {}
extension Piwork.ProgressEvent: EventRecord {}
extension Piwork.OutputEvent: EventRecord {}
extension Piwork.ProblemEvent: EventRecord {}
extension Piwork.ResultEvent: EventRecord {}
extension Piwork.QuestionEvent: EventRecord {}
extension Piwork.DecisionEvent: EventRecord {}
extension Piwork.UndoEvent: EventRecord {}
extension Piwork.RedoEvent: EventRecord {}
extension Piwork.ApplyEvent: EventRecord {}
extension Piwork.FolderEvent: EventRecord {}
extension Piwork.MessageEvent: EventRecord {}
extension Piwork.DeltaEvent: EventRecord {}
extension Piwork.ToolEvent: EventRecord {}
extension Piwork.UsageEvent: EventRecord {}
extension Piwork.NoticeEvent: EventRecord {}
extension Piwork.QueueEvent: EventRecord {}
extension Piwork.PackEvent: EventRecord {}
extension Piwork.UpdateEvent: EventRecord {}
extension Piwork.MachinesEvent: EventRecord {}
extension Piwork.StatusEvent: EventRecord {}
extension Piwork.CheckEvent: EventRecord {}
extension Piwork.ResetEvent: EventRecord {}
extension Piwork.SettingsEvent: EventRecord {}
extension Piwork.GoneEvent: EventRecord {}
extension Piwork.WindowEvent: EventRecord {}
extension Piwork.OtherEvent: EventRecord {}

extension Piwork {

  public struct ExplainRequest: Codable, Hashable, Sendable {
    /// what piwork would ask about more than the action: many, bytes, startup, git, hidden, programs, web; or what is done with changes of a task: undo, redo, apply
    public var about: String?
    public var action: Action
    /// the AI program that works in it
    public var agent: String?
    /// name of the token of the program that asks; without it you do
    public var client: String?
    /// where it takes effect
    public var domain: String?
    /// by which the request came, as its program says; rules can forbid and ask by it, and never allow
    public var door: Door?
    /// of a command
    public var effects: [String]?
    public var files: Int?
    /// connect: a name or an address
    public var host: String?
    /// how well that keeps apart
    public var isolation: Isolation?
    /// useKey: the provider that it is for, or service/ and the name of a service
    public var key: String?
    /// of the task; exec where it is not said
    public var kind: TaskKind?
    /// network of the task; off where it is not said
    public var network: Network?
    /// read, write and delete: a file or a folder of this computer
    public var path: String?
    /// connect; 443 where it is not said
    public var port: Int?
    /// run: a program, a chore or an operation
    public var program: String?
    /// how careful to be; none where it is not said
    public var risk: Risk?
    /// run: what that is; a program where it is not said
    public var runKind: RunKind?
    /// kind of place where the task works, and of startRuntime; vm where it is not said
    public var runtime: String?
    /// bytes
    public var size: Int?
    public var task: String?
    /// rules in the place of your file; without it the file
    public var text: String?
    /// now where it is not said
    public var time: Date?

    public init(action: Action, about: String? = nil, agent: String? = nil, client: String? = nil, domain: String? = nil, door: Door? = nil, effects: [String]? = nil, files: Int? = nil, host: String? = nil, isolation: Isolation? = nil, key: String? = nil, kind: TaskKind? = nil, network: Network? = nil, path: String? = nil, port: Int? = nil, program: String? = nil, risk: Risk? = nil, runKind: RunKind? = nil, runtime: String? = nil, size: Int? = nil, task: String? = nil, text: String? = nil, time: Date? = nil) {
      self.about = about
      self.action = action
      self.agent = agent
      self.client = client
      self.domain = domain
      self.door = door
      self.effects = effects
      self.files = files
      self.host = host
      self.isolation = isolation
      self.key = key
      self.kind = kind
      self.network = network
      self.path = path
      self.port = port
      self.program = program
      self.risk = risk
      self.runKind = runKind
      self.runtime = runtime
      self.size = size
      self.task = task
      self.text = text
      self.time = time
    }

    public struct Action: OpenEnum {
      public static let read = Self(rawValue: "read")
      public static let write = Self(rawValue: "write")
      public static let delete = Self(rawValue: "delete")
      public static let connect = Self(rawValue: "connect")
      public static let run = Self(rawValue: "run")
      public static let useKey = Self(rawValue: "useKey")
      public static let startRuntime = Self(rawValue: "startRuntime")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct Door: OpenEnum {
      public static let window = Self(rawValue: "window")
      public static let cli = Self(rawValue: "cli")
      public static let mcp = Self(rawValue: "mcp")
      public static let acp = Self(rawValue: "acp")
      public static let stdio = Self(rawValue: "stdio")
      public static let http = Self(rawValue: "http")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct Risk: OpenEnum {
      public static let none_ = Self(rawValue: "none")
      public static let low = Self(rawValue: "low")
      public static let high = Self(rawValue: "high")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct RunKind: OpenEnum {
      public static let program = Self(rawValue: "program")
      public static let session = Self(rawValue: "session")
      public static let command = Self(rawValue: "command")
      public static let server = Self(rawValue: "server")
      public static let chore = Self(rawValue: "chore")
      public static let tool = Self(rawValue: "tool")
      public static let ai = Self(rawValue: "ai")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct Explanation: Codable, Hashable, Sendable {
    public var effect: Effect
    /// of a file of rules, for which everything is refused
    public var fault: RuleFault?
    public var layer: Layer?
    /// all rules that are about it
    public var matches: [RuleMatch]
    /// id of the rule that decided; none where no rule is about it, or a file has a fault
    public var rule: String?
    public var said: String?

    public struct Effect: OpenEnum {
      public static let allow = Self(rawValue: "allow")
      public static let ask = Self(rawValue: "ask")
      public static let deny = Self(rawValue: "deny")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct Layer: OpenEnum {
      public static let managed = Self(rawValue: "managed")
      public static let yours = Self(rawValue: "yours")
      public static let `default` = Self(rawValue: "default")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct FactCode: OpenEnum {
    public static let moved = Self(rawValue: "moved")
    public static let mode = Self(rawValue: "mode")
    public static let time = Self(rawValue: "time")
    public static let target = Self(rawValue: "target")
    public static let attributes = Self(rawValue: "attributes")
    public static let encoding = Self(rawValue: "encoding")
    public static let lineEnds = Self(rawValue: "line-ends")
    public static let sameContent = Self(rawValue: "same-content")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct FetchRequest: Codable, Hashable, Sendable {
    /// file that it goes to, in a folder of the task or in /work; without it the content comes with the answer
    public var into: String?
    /// bytes at most: without it 64 MiB, and 1 MiB of what comes with the answer
    public var limit: Int?
    /// what the place where the task works has to be: elsewhere nothing is done
    public var requiresRuntime: Requirement?
    /// http or https
    public var url: String

    public init(url: String, into: String? = nil, limit: Int? = nil, requiresRuntime: Requirement? = nil) {
      self.into = into
      self.limit = limit
      self.requiresRuntime = requiresRuntime
      self.url = url
    }
  }

  public struct Fetched: Codable, Hashable, Sendable {
    /// the content, where it goes to no file
    public var data: Data?
    /// where it was written; with a status of 400 or more nothing is
    public var file: TaskFile?
    public var sha256: String
    /// bytes
    public var size: Int
    /// of HTTP
    public var status: Int
    /// media type, as the server says it
    public var type: String?
    /// where it came from in the end
    public var url: String
  }

  public struct FileRequest: Codable, Hashable, Sendable {
    /// absolute path on this computer
    public var file: String

    public init(file: String) {
      self.file = file
    }
  }

  public struct FileState: Codable, Hashable, Sendable {
    public var attributes: String?
    public var mode: Int
    public var mtime: Date
    public var sha256: String?
    public var size: Int
    public var target: String?
  }

  public struct Fix: Codable, Hashable, Sendable {
    public var code: String
    public var command: String?
    public var kind: FixKind
    public var lead: String?
    public var runs: String?
    public var steps: [String]?
    public var title: String?
  }

  public struct FixKind: OpenEnum {
    public static let action = Self(rawValue: "action")
    public static let link = Self(rawValue: "link")
    public static let command = Self(rawValue: "command")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct Folder: Codable, Hashable, Sendable {
    public var id: String
    public var mode: FolderMode
    public var name: String
    public var path: String
    public var removed: Date?
  }

  public struct FolderChoice: Codable, Hashable, Sendable {
    public var mode: FolderMode
    public var path: String
  }

  public struct FolderData: Codable, Hashable, Sendable {
    public var by: String
    public var folder: Folder
  }

  public struct FolderEvent: Codable, Hashable, Sendable {
    public var data: FolderData
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct FolderMode: OpenEnum {
    public static let ro = Self(rawValue: "ro")
    public static let rw = Self(rawValue: "rw")
    public static let review = Self(rawValue: "review")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct FolderRequest: Codable, Hashable, Sendable {
    /// refuse the folder if there is a link in its path
    public var exact: Bool?
    public var mode: FolderMode?
    public var path: String

    public init(path: String, exact: Bool? = nil, mode: FolderMode? = nil) {
      self.exact = exact
      self.mode = mode
      self.path = path
    }
  }

  public struct GoneEvent: Codable, Hashable, Sendable {
    public var data: Nothing
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct Health: TaggedRecord {
    public var status: String
    public var uptimeMs: Int
    public var etag = ETag()

    enum CodingKeys: CodingKey { case status, uptimeMs }
  }

  public struct HealthPage: TaggedRecord {
    public var audit: AuditReport?
    public var machines: Machines?
    public var problems: [Problem]
    public var status: StatusReport?
    public var storage: Storage?
    public var update: UpdateState?
    public var uptimeMs: Int
    public var version: String
    public var etag = ETag()

    enum CodingKeys: CodingKey { case audit, machines, problems, status, storage, update, uptimeMs, version }
  }

  public struct Host: Codable, Hashable, Sendable {
    /// its name, with a port where it is not 443
    public var host: String
    /// where the secret goes; without it the host gets none
    public var put: Put?
    /// about requests: allow or refuse, methods or *, a path with * and **. The first that is about a request counts; without one it is refused
    public var rules: [String]
    /// path that testService asks for
    public var test: String?

    public init(host: String, rules: [String], put: Put? = nil, test: String? = nil) {
      self.host = host
      self.put = put
      self.rules = rules
      self.test = test
    }
  }

  public struct HostTest: Codable, Hashable, Sendable {
    /// why there is no answer
    public var detail: String?
    public var host: String
    /// it takes the secret, or needs none
    public var ok: Bool
    public var path: String
    /// of its answer; absent where it gave none
    public var status: Int?
  }

  public struct ImageRequest: Codable, Hashable, Sendable {
    public var data: Data
    public var name: String

    public init(data: Data, name: String) {
      self.data = data
      self.name = name
    }
  }

  public struct InputRequest: Codable, Hashable, Sendable {
    /// as it reads
    public var client: String
    /// at most 64 KiB; none asks for the lease alone
    public var data: Data?
    /// also when another client writes, which goes on reading
    public var take: Bool?

    public init(client: String, data: Data? = nil, take: Bool? = nil) {
      self.client = client
      self.data = data
      self.take = take
    }
  }

  public struct Instant: Codable, Hashable, Sendable {
    public var bytes: Int?
    public var mode: InstantMode?
    public var problem: Problem?
    public var reason: InstantReason?
    public var said: String?
    public var state: InstantState
  }

  public struct InstantMode: OpenEnum {
    public static let template = Self(rawValue: "template")
    public static let spare = Self(rawValue: "spare")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct InstantReason: OpenEnum {
    public static let setup = Self(rawValue: "setup")
    public static let tasks = Self(rawValue: "tasks")
    public static let soon = Self(rawValue: "soon")
    public static let unused = Self(rawValue: "unused")
    public static let memory = Self(rawValue: "memory")
    public static let disk = Self(rawValue: "disk")
    public static let battery = Self(rawValue: "battery")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct InstantState: OpenEnum {
    public static let off = Self(rawValue: "off")
    public static let pending = Self(rawValue: "pending")
    public static let making = Self(rawValue: "making")
    public static let ready = Self(rawValue: "ready")
    public static let failed = Self(rawValue: "failed")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct Isolation: OpenEnum {
    public static let hardware = Self(rawValue: "hardware")
    public static let emulated = Self(rawValue: "emulated")
    public static let namespace = Self(rawValue: "namespace")
    public static let none_ = Self(rawValue: "none")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct KeyInfo: Codable, Hashable, Sendable {
    public var baseUrl: String?
    public var canLogin: Bool?
    public var ending: String?
    public var expires: Date?
    public var has: Bool
    public var kind: String?
    public var local: Bool?
    public var name: String
    public var noKey: Bool?
    public var place: String?
    public var `protocol`: String?
    public var provider: String
  }

  public struct KeyRequest: Codable, Hashable, Sendable {
    public var baseUrl: String?
    public var key: String?
    public var name: String?
    public var `protocol`: ProtocolValue?

    public init(baseUrl: String? = nil, key: String? = nil, name: String? = nil, `protocol`: ProtocolValue? = nil) {
      self.baseUrl = baseUrl
      self.key = key
      self.name = name
      self.`protocol` = `protocol`
    }

    public struct ProtocolValue: OpenEnum {
      public static let anthropic = Self(rawValue: "anthropic")
      public static let openai = Self(rawValue: "openai")
      public static let google = Self(rawValue: "google")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct KeyStore: TaggedRecord {
    public var keychain: Bool
    public var locked: Bool
    public var store: Store
    public var etag = ETag()

    enum CodingKeys: CodingKey { case keychain, locked, store }

    public struct Store: OpenEnum {
      public static let keychain = Self(rawValue: "keychain")
      public static let file = Self(rawValue: "file")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct KeyStoreChoice: Codable, Hashable, Sendable {
    public var passphrase: String?
    public var store: Store

    public init(store: Store, passphrase: String? = nil) {
      self.passphrase = passphrase
      self.store = store
    }

    public struct Store: OpenEnum {
      public static let keychain = Self(rawValue: "keychain")
      public static let file = Self(rawValue: "file")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct KeyTest: Codable, Hashable, Sendable {
    public var detail: String?
    public var models: Int?
    public var ok: Bool
    public var reason: String?
    /// the reason, in the language asked for
    public var said: String?
  }

  public struct Licence: Codable, Hashable, Sendable {
    /// of the runtime: where the text lies on this computer
    public var file: String?
    /// names of SPDX where they are known; the text decides
    public var licence: String
    public var name: String
    /// what it is part of
    public var of: Of
    /// of the runtime: where the list of sources lies on this computer
    public var source: String?
    /// of the program and the window
    public var text: String?
    public var version: String?

    public struct Of: OpenEnum {
      public static let program = Self(rawValue: "program")
      public static let window = Self(rawValue: "window")
      public static let runtime = Self(rawValue: "runtime")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct Licences: TaggedRecord {
    public var items: [Licence]
    public var etag = ETag()

    enum CodingKeys: CodingKey { case items }
  }

  public struct LimitSupport: Codable, Hashable, Sendable {
    public var cpu: Bool
    public var disk: Bool
    public var memory: Bool
    public var output: Bool
    /// their number is bounded, without a limit of the task's own
    public var processes: Bool
    /// how much memory and how many processors all programs of a task have together can be chosen
    public var size: Bool
    public var wall: Bool
  }

  public struct Limits: Codable, Hashable, Sendable {
    /// processor time of the whole process tree, ms
    public var cpuMs: Int?
    /// what the whole process tree reads and writes in all, from and to files and pipes, bytes
    public var ioBytes: Int?
    /// of the whole process tree, MiB
    public var memoryMb: Int?
    /// stdout and stderr of a program together, bytes
    public var outputBytes: Int?
    /// wall clock, ms
    public var wallMs: Int?

    public init(cpuMs: Int? = nil, ioBytes: Int? = nil, memoryMb: Int? = nil, outputBytes: Int? = nil, wallMs: Int? = nil) {
      self.cpuMs = cpuMs
      self.ioBytes = ioBytes
      self.memoryMb = memoryMb
      self.outputBytes = outputBytes
      self.wallMs = wallMs
    }
  }

  public struct ListRequest: Codable, Hashable, Sendable {
    /// how many directories below it are listed too
    public var depth: Int?
    /// no more entries than so many; without it 1000
    public var limit: Int?
    /// as the task sees it, such as /folders/Letters/a.txt or /work/out
    public var path: String
    /// what the place where the task works has to be: elsewhere nothing is done
    public var requiresRuntime: Requirement?

    public init(path: String, depth: Int? = nil, limit: Int? = nil, requiresRuntime: Requirement? = nil) {
      self.depth = depth
      self.limit = limit
      self.path = path
      self.requiresRuntime = requiresRuntime
    }
  }

  public struct ListenerLimits: Codable, Hashable, Sendable {
    /// bytes of the body of a request, where the operation does not take more; 413 above it
    public var body: Int
    /// requests that may come at once before that counts
    public var burst: Int
    /// that may be open at once; one program can have no more than it leaves to others, by its process, its token or, before it sent one over a network, its address
    public var connections: Int
    /// requests in a second of one program; on loopback HTTP without a token of all together
    public var rate: Double
    /// of events, and programs attached to, that may be open at once; likewise
    public var streams: Int
  }

  public struct LogInfo: Codable, Hashable, Sendable {
    public var bytes: Int
    public var changed: Date
    public var name: String
    public var task: String?
  }

  public struct Login: Codable, Hashable, Sendable {
    public var expires: Date
    public var id: String
    public var needs: Needs
    public var terms: Bool?
    public var url: String
    public var userCode: String?

    public struct Needs: OpenEnum {
      public static let code = Self(rawValue: "code")
      public static let nothing = Self(rawValue: "nothing")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct LoginCode: Codable, Hashable, Sendable {
    public var code: String

    public init(code: String) {
      self.code = code
    }
  }

  public struct LoginRequest: Codable, Hashable, Sendable {
    public var device: Bool?
    public var domain: String?

    public init(device: Bool? = nil, domain: String? = nil) {
      self.device = device
      self.domain = domain
    }
  }

  public struct LoginState: TaggedRecord {
    public var problem: Problem?
    public var state: State
    public var step: String?
    public var etag = ETag()

    enum CodingKeys: CodingKey { case problem, state, step }

    public struct State: OpenEnum {
      public static let waiting = Self(rawValue: "waiting")
      public static let done = Self(rawValue: "done")
      public static let failed = Self(rawValue: "failed")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct Logout: Codable, Hashable, Sendable {
    /// the service was told, and takes no more what it had given out
    public var revoked: Bool?
    /// done: one that was under way is broken off, and the one before it still holds
    public var state: State

    public struct State: OpenEnum {
      public static let none_ = Self(rawValue: "none")
      public static let done = Self(rawValue: "done")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct Logs: TaggedRecord {
    public var logs: [LogInfo]
    public var etag = ETag()

    enum CodingKeys: CodingKey { case logs }
  }

  public struct MCPLogin: TaggedRecord {
    /// what the person opens in a browser on this computer
    public var address: String?
    public var problem: Problem?
    public var state: State
    public var etag = ETag()

    enum CodingKeys: CodingKey { case address, problem, state }

    public struct State: OpenEnum {
      public static let none_ = Self(rawValue: "none")
      public static let waiting = Self(rawValue: "waiting")
      public static let done = Self(rawValue: "done")
      public static let failed = Self(rawValue: "failed")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct MCPLoginRequest: Codable, Hashable, Sendable {
    /// hosts besides the server's own that the person agrees to, such as that where one signs in
    public var confirm: [String]?

    public init(confirm: [String]? = nil) {
      self.confirm = confirm
    }
  }

  public struct MCPServer: Codable, Hashable, Sendable {
    public var args: [String]?
    public var checked: Date?
    /// as what piwork is known where one signs in, when the person has registered it there; its secret, if any, is kept where keys are
    public var client: String?
    /// its program, as it is called where it runs
    public var command: String?
    /// names of the variables that it is given; their values are kept where keys are
    public var env: [String]?
    /// folders of this computer that it sees, read-only, such as that of its program
    public var folders: [String]?
    /// names of the headers that it is sent; their values are kept where keys are
    public var headers: [String]?
    /// what it may connect to, written as rules of the network are; without any it has no network. Of a remote one, the hosts besides its own that the person agreed to
    public var hosts: [String]?
    /// of this entry: a server that is added again has another
    public var id: String
    /// what it is called here, and how the names of its tools begin
    public var name: String
    /// services of the person that it uses: their secrets are put into its requests on this computer, and it never has them
    public var services: [String]?
    /// one signed in to it
    public var signedIn: Bool?
    /// as they were when it was checked last
    public var tools: [MCPTool]?
    /// how often what it may connect to was changed
    public var turn: Int?
    /// a remote server: where it is reached, by this computer and not by a task
    public var url: String?
  }

  public struct MCPServerAddition: Codable, Hashable, Sendable {
    /// paths in one of its folders become those that it sees
    public var args: [String]?
    /// of a remote server whose service takes only programs that it knows: as what the person registered piwork there, with http://127.0.0.1/mcp as the address to come back to
    public var client: String?
    /// what the service gave out with client, if it did; it is kept where keys are
    public var clientSecret: String?
    /// its program: node, python3, or a path where it runs
    public var command: String?
    /// its variables; the values are kept where keys are
    public var env: [String: String]?
    /// folders of this computer that it sees, read-only
    public var folders: [String]?
    /// what it is sent with each request; the values are kept where keys are
    public var headers: [String: String]?
    /// what it may connect to; without any it has no network
    public var hosts: [String]?
    /// small letters, digits and -
    public var name: String
    /// services of the person: their secrets are put into its requests on this computer, and it never has them
    public var services: [String]?
    /// in place of a program: a remote server, reached with https
    public var url: String?

    public init(name: String, args: [String]? = nil, client: String? = nil, clientSecret: String? = nil, command: String? = nil, env: [String: String]? = nil, folders: [String]? = nil, headers: [String: String]? = nil, hosts: [String]? = nil, services: [String]? = nil, url: String? = nil) {
      self.args = args
      self.client = client
      self.clientSecret = clientSecret
      self.command = command
      self.env = env
      self.folders = folders
      self.headers = headers
      self.hosts = hosts
      self.name = name
      self.services = services
      self.url = url
    }
  }

  public struct MCPServerImport: Codable, Hashable, Sendable {
    /// JSON with mcpServers
    public var config: String
    /// folders that each program among them sees, read-only
    public var folders: [String]?
    /// what each program among them may connect to; without any it has no network
    public var hosts: [String]?

    public init(config: String, folders: [String]? = nil, hosts: [String]? = nil) {
      self.config = config
      self.folders = folders
      self.hosts = hosts
    }
  }

  public struct MCPServerReach: Codable, Hashable, Sendable {
    /// written as rules of the network are; without any, and without services, it has no network
    public var hosts: [String]
    /// services of the person: their secrets are put into its requests on this computer, and it never has them
    public var services: [String]?

    public init(hosts: [String], services: [String]? = nil) {
      self.hosts = hosts
      self.services = services
    }
  }

  public struct MCPTool: Codable, Hashable, Sendable {
    /// the server's own words
    public var description: String?
    /// of its name, description and schema
    public var hash: String
    /// as the server has it
    public var name: String
    /// as an AI has it
    public var offered: String?
    /// why it is unfit
    public var reason: Reason?
    /// what it takes
    public var schema: [String: JSON]?
    public var state: MCPToolState

    public struct Reason: OpenEnum {
      public static let name = Self(rawValue: "name")
      public static let schema = Self(rawValue: "schema")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct MCPToolChoice: Codable, Hashable, Sendable {
    public var allow: Bool
    /// of the tool that is allowed, as it was shown
    public var hash: String?
    /// its name, as the server has it
    public var tool: String

    public init(allow: Bool, tool: String, hash: String? = nil) {
      self.allow = allow
      self.hash = hash
      self.tool = tool
    }
  }

  public struct MCPToolState: OpenEnum {
    public static let off = Self(rawValue: "off")
    public static let on = Self(rawValue: "on")
    public static let changed = Self(rawValue: "changed")
    public static let unfit = Self(rawValue: "unfit")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct MachineSettings: Codable, Hashable, Sendable {
    public var atOnce: Int
    public var cacheMb: Int?
    public var cpus: Int
    public var instant: Bool
    public var memoryMb: Int
    public var share: ShareValue?
    public var totalMb: Int

    public init(atOnce: Int, cpus: Int, instant: Bool, memoryMb: Int, totalMb: Int, cacheMb: Int? = nil, share: ShareValue? = nil) {
      self.atOnce = atOnce
      self.cacheMb = cacheMb
      self.cpus = cpus
      self.instant = instant
      self.memoryMb = memoryMb
      self.share = share
      self.totalMb = totalMb
    }

    public struct ShareValue: OpenEnum {
      public static let auto = Self(rawValue: "auto")
      public static let _9p = Self(rawValue: "9p")
      public static let virtiofs = Self(rawValue: "virtiofs")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct MachineSize: Codable, Hashable, Sendable {
    public var cpus: Int
    public var memoryMb: Int
  }

  public struct Machines: TaggedRecord {
    public var atOnce: Int
    public var host: Computer
    public var instant: Instant
    public var queued: Int
    public var running: Int
    public var settings: MachineSettings
    public var share: Share
    public var size: MachineSize
    public var totalMb: Int
    public var etag = ETag()

    enum CodingKeys: CodingKey { case atOnce, host, instant, queued, running, settings, share, size, totalMb }
  }

  public struct MachinesEvent: Codable, Hashable, Sendable {
    public var data: Machines
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct Makes: Codable, Hashable, Sendable {
    public var bytes: Int
    public var files: Int
    public var times: Int?
  }

  public struct MendRequest: Codable, Hashable, Sendable {
    /// code of a fix that the last report says can be run
    public var fix: String

    public init(fix: String) {
      self.fix = fix
    }
  }

  public struct Mended: Codable, Hashable, Sendable {
    public var declined: Bool
    public var report: StatusReport
  }

  public struct MessageData: Codable, Hashable, Sendable {
    public var how: String?
    public var id: String
    public var images: [String]?
    public var model: String?
    public var pending: String?
    public var raw: Int?
    public var role: String
    public var text: String
    public var thinking: String?
  }

  public struct MessageEvent: Codable, Hashable, Sendable {
    public var data: MessageData
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct ModelChoice: Codable, Hashable, Sendable {
    public var model: String

    public init(model: String) {
      self.model = model
    }
  }

  public struct ModelInfo: Codable, Hashable, Sendable {
    public var context: Int?
    public var id: String
    public var images: Bool?
    public var inputPrice: Int?
    public var local: Bool?
    public var name: String
    public var outputPrice: Int?
    public var own: Bool?
    public var provider: String
    public var said: ModelSaid?
    public var thinks: Bool?
  }

  public struct ModelSaid: Codable, Hashable, Sendable {
    public var context: Int?
    public var images: Bool?
    public var thinks: Bool?
  }

  public struct ModelWord: Codable, Hashable, Sendable {
    public var context: Int?
    public var images: Bool?
    public var model: String
    public var thinks: Bool?

    public init(model: String, context: Int? = nil, images: Bool? = nil, thinks: Bool? = nil) {
      self.context = context
      self.images = images
      self.model = model
      self.thinks = thinks
    }
  }

  public struct Models: TaggedRecord {
    public var chosen: Bool
    public var `default`: String
    public var list: [ModelInfo]
    public var etag = ETag()

    enum CodingKeys: CodingKey { case chosen, `default`, list }
  }

  public struct MovePhase: OpenEnum {
    public static let none_ = Self(rawValue: "none")
    public static let planned = Self(rawValue: "planned")
    public static let copying = Self(rawValue: "copying")
    public static let done = Self(rawValue: "done")
    public static let failed = Self(rawValue: "failed")
    public static let cancelled = Self(rawValue: "cancelled")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct MoveRequest: Codable, Hashable, Sendable {
    /// absolute; a folder piwork is made in it
    public var dir: String
    /// only say what would be moved, and whether it can
    public var dryRun: Bool?

    public init(dir: String, dryRun: Bool? = nil) {
      self.dir = dir
      self.dryRun = dryRun
    }
  }

  public struct Network: OpenEnum {
    public static let off = Self(rawValue: "off")
    public static let restricted = Self(rawValue: "restricted")
    public static let on = Self(rawValue: "on")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct NetworkPreset: Codable, Hashable, Sendable {
    public var code: String
    public var `default`: Bool
    public var hosts: [String]
    public var on: Bool
    public var title: String?
  }

  public struct NetworkRuleRequest: Codable, Hashable, Sendable {
    public var answer: Answer
    public var host: String?
    public var preset: String?
    public var task: String?

    public init(answer: Answer, host: String? = nil, preset: String? = nil, task: String? = nil) {
      self.answer = answer
      self.host = host
      self.preset = preset
      self.task = task
    }

    public struct Answer: OpenEnum {
      public static let allow = Self(rawValue: "allow")
      public static let deny = Self(rawValue: "deny")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct NetworkRules: TaggedRecord {
    public var presets: [NetworkPreset]
    public var rules: [Rule]
    public var etag = ETag()

    enum CodingKeys: CodingKey { case presets, rules }
  }

  public struct NewToken: Codable, Hashable, Sendable {
    public var created: Date
    public var expires: Date
    public var folders: [FolderRequest]
    public var id: String
    public var name: String
    /// of pages of the web that may use it, in a browser
    public var origins: [String]?
    public var scopes: [Scope]
    public var secret: String
    public var used: Date?

    public struct Scope: OpenEnum {
      public static let read = Self(rawValue: "read")
      public static let tasks = Self(rawValue: "tasks")
      public static let tools = Self(rawValue: "tools")
      public static let ai = Self(rawValue: "ai")
      public static let decide = Self(rawValue: "decide")
      public static let manage = Self(rawValue: "manage")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public typealias Nothing = [String: JSON]

  public struct NoticeClaim: Codable, Hashable, Sendable {
    /// its number (seq)
    public var event: Int

    public init(event: Int) {
      self.event = event
    }
  }

  public struct NoticeClaimed: Codable, Hashable, Sendable {
    /// false: another window told of it, or was in front
    public var first: Bool
  }

  public struct NoticeData: Codable, Hashable, Sendable {
    public var code: String
    /// of model: model, or thinking; with wanted, the level that was chosen and that the model does not have; of place: runtime, reason, rule, problem and cause of the machine, and engine, version and rootless of what runs it
    public var params: [String: JSON]?
    public var raw: Int?
    public var text: String?
  }

  public struct NoticeEvent: Codable, Hashable, Sendable {
    public var data: NoticeData
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct Output: TaggedRecord {
    /// offset of the first byte; beyond the one that was asked for when that is not kept any more
    public var at: Int
    /// at most 256 KiB; on a terminal all of it, on pipes output and errors as they came
    public var data: Data
    public var session: Session
    /// grows when another client writes, and when the size of the terminal changes
    public var turn: Int
    /// the client has the lease to write
    public var writes: Bool
    public var etag = ETag()

    enum CodingKeys: CodingKey { case at, data, session, turn, writes }
  }

  public struct OutputData: Codable, Hashable, Sendable {
    public var data: Data
    public var part: Int?
    public var stream: String
  }

  public struct OutputEvent: Codable, Hashable, Sendable {
    public var data: OutputData
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct PackData: Codable, Hashable, Sendable {
    public var done: Int
    public var total: Int
  }

  public struct PackEvent: Codable, Hashable, Sendable {
    public var data: PackData
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct PackInfo: Codable, Hashable, Sendable {
    public var arch: String
    public var built: Date
    public var bytes: Int
    public var candidate: Bool?
    public var checksum: String?
    public var current: Bool
    public var developer: Bool
    public var dir: String?
    public var failed: Bool?
    public var files: Int
    public var flavour: String?
    public var guestArch: String
    public var inUse: Bool?
    public var installed: Bool
    public var kind: PackKind?
    public var name: String
    public var os: String
    public var previous: Bool?
    public var problem: Problem?
    public var signedBy: String
    public var tools: [PackTool]?
    public var version: String
    public var withdrawn: Bool?
  }

  public struct PackKind: OpenEnum {
    public static let runtime = Self(rawValue: "runtime")
    public static let addon = Self(rawValue: "addon")
    public static let bundle = Self(rawValue: "bundle")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct PackState: Codable, Hashable, Sendable {
    public var developer: Bool
    public var dir: String?
    public var flavour: String?
    public var installed: Bool
    public var missing: [String]?
    public var verified: Bool
    public var version: String?
  }

  public struct PackTool: Codable, Hashable, Sendable {
    public var name: String
    public var operations: [String]?
    public var version: String
  }

  public struct PackTools: Codable, Hashable, Sendable {
    /// SHA-256 of the signed manifest, which covers every file
    public var checksum: String
    /// programs of the pack and of its add-ons, their versions and what they are used for
    public var tools: [PackTool]
    public var version: String
  }

  public struct PageDone: Codable, Hashable, Sendable {
    /// there is more text, or the page did not stop loading
    public var cut: Bool?
    /// why an optional step could not be done: missing, failed, too-large or unreachable
    public var failed: String?
    /// that was made
    public var file: TaskFile?
    /// that was read
    public var text: String?
  }

  public struct PageResult: Codable, Hashable, Sendable {
    public var steps: [PageDone]
    public var title: String
    /// where the page is from in the end
    public var url: String
  }

  public struct PageStep: Codable, Hashable, Sendable {
    public var `do`: Do
    /// file of screenshot (PNG) and pdf, in a folder of the task or in /work
    public var into: String?
    /// the visit goes on where it can't be done
    public var optional: Bool?
    /// CSS selector of click and type, and of text, which is of the whole page without it
    public var selector: String?
    /// of type
    public var text: String?
    /// of open: http or https
    public var url: String?

    public init(`do`: Do, into: String? = nil, optional: Bool? = nil, selector: String? = nil, text: String? = nil, url: String? = nil) {
      self.`do` = `do`
      self.into = into
      self.optional = optional
      self.selector = selector
      self.text = text
      self.url = url
    }

    public struct Do: OpenEnum {
      public static let open = Self(rawValue: "open")
      public static let click = Self(rawValue: "click")
      public static let type = Self(rawValue: "type")
      public static let text = Self(rawValue: "text")
      public static let screenshot = Self(rawValue: "screenshot")
      public static let pdf = Self(rawValue: "pdf")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct ParamWords: Codable, Hashable, Sendable {
    public var choices: [String: String]?
    public var hint: String?
    public var label: String
  }

  public struct Passphrase: Codable, Hashable, Sendable {
    public var passphrase: String

    public init(passphrase: String) {
      self.passphrase = passphrase
    }
  }

  public struct PassphraseChange: Codable, Hashable, Sendable {
    public var new: String
    public var passphrase: String

    public init(new: String, passphrase: String) {
      self.new = new
      self.passphrase = passphrase
    }
  }

  public struct Pending: Codable, Hashable, Sendable {
    public var how: String
    public var id: String
    public var images: [String]?
    public var text: String
  }

  public struct PiworkValue: Codable, Hashable, Sendable {
    /// its path there
    public var program: String
    public var version: String
  }

  public struct Plan: TaggedRecord {
    public var chore: String
    public var limits: Limits?
    public var needs: [String]
    public var online: PlanOnline?
    public var operations: [PlanOperation]
    public var params: [String: JSON]
    public var run: String?
    public var skipped: [Problem]?
    public var summary: String?
    public var title: String?
    public var v: Int
    public var etag = ETag()

    enum CodingKeys: CodingKey { case chore, limits, needs, online, operations, params, run, skipped, summary, title, v }
  }

  public struct PlanEffect: OpenEnum {
    public static let create = Self(rawValue: "create")
    public static let move = Self(rawValue: "move")
    public static let change = Self(rawValue: "change")
    public static let delete = Self(rawValue: "delete")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct PlanEvent: Codable, Hashable, Sendable {
    public var data: Plan
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct PlanInput: Codable, Hashable, Sendable {
    public var mtime: String?
    public var path: String
    public var sha256: String?
    public var size: Int?
  }

  public struct PlanKept: Codable, Hashable, Sendable {
    public var mtime: String
    public var path: String
    public var size: Int
  }

  public struct PlanOnline: Codable, Hashable, Sendable {
    public var bytes: Int
    public var files: Int
    public var note: String?
  }

  public struct PlanOperation: Codable, Hashable, Sendable {
    public var effect: PlanEffect
    public var `in`: [PlanInput]
    public var kept: PlanKept?
    public var makes: Makes?
    public var op: String
    public var out: String
    public var sheet: String?
  }

  public struct Policy: TaggedRecord {
    public var files: [RuleFile]
    /// in the order in which they are asked: managed, yours, default
    public var rules: [WrittenRule]
    /// of your file, as it is
    public var text: String
    public var etag = ETag()

    enum CodingKeys: CodingKey { case files, rules, text }
  }

  public struct PolicyCheck: Codable, Hashable, Sendable {
    public var fault: RuleFault?
    public var rules: [WrittenRule]
  }

  public struct PolicyText: Codable, Hashable, Sendable {
    /// the text that it replaces; when the file has another one, nothing is written
    public var before: String?
    public var text: String

    public init(text: String, before: String? = nil) {
      self.before = before
      self.text = text
    }
  }

  public struct Preset: Codable, Hashable, Sendable {
    public var code: String
    public var hosts: [Host]
  }

  public struct PresetChoice: Codable, Hashable, Sendable {
    public var on: Bool

    public init(on: Bool) {
      self.on = on
    }
  }

  public struct Preview: Codable, Hashable, Sendable {
    public var changes: [Change]
    public var digest: String
  }

  public struct PreviewRequest: Codable, Hashable, Sendable {
    public var how: How
    public var ids: [String]?
    public var resolve: [String: Resolution]?

    public init(how: How, ids: [String]? = nil, resolve: [String: Resolution]? = nil) {
      self.how = how
      self.ids = ids
      self.resolve = resolve
    }

    public struct How: OpenEnum {
      public static let undo = Self(rawValue: "undo")
      public static let redo = Self(rawValue: "redo")
      public static let apply = Self(rawValue: "apply")
      public static let discard = Self(rawValue: "discard")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct Problem: Codable, Hashable, Sendable {
    public var cause: String
    public var code: String
    public var detail: String?
    public var details: String?
    public var fix: [Fix]
    public var params: [String: JSON]?
    public var reason: String?
    public var restart: String?
    public var severity: Severity
    public var then: String?
    public var title: String?
  }

  public struct ProblemEvent: Codable, Hashable, Sendable {
    public var data: Problem
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct ProcessStatus: TaggedRecord {
    /// tcg is the slow mode, by its environment
    public var accel: String?
    /// started by whoever needed it, or at login
    public var background: Bool
    /// when its file was written; another time on disk is another piwork
    public var built: Date
    /// requests and streams of others that are open
    public var clients: Int
    /// of the variables that it was started with: a program with others starts another one when this has nothing to do
    public var env: String
    /// those of them that end with whoever waits for them
    public var held: [String]
    /// seconds without use after which it ends by itself; none: never
    public var idleEnd: Int?
    /// it serves the pages of the window, too
    public var pages: Bool
    public var pid: Int
    /// path of its file
    public var program: String
    public var since: Date
    /// of piwork
    public var version: String
    /// those of them that are streams of windows (header X-Piwork-Client: window)
    public var windows: Int
    /// tasks that are not over
    public var working: Int
    public var etag = ETag()

    enum CodingKeys: CodingKey { case accel, background, built, clients, env, held, idleEnd, pages, pid, program, since, version, windows, working }
  }

  public struct Program: Codable, Hashable, Sendable {
    /// that has it; absent where the runtime itself does
    public var addOn: String?
    /// a task can be started with it
    public var installed: Bool
    /// as a task asks for it (program)
    public var name: String
    /// that there are keys for and whose models it can use
    public var providers: [String]
    /// how long a model thinks can be chosen
    public var thinks: Bool
    /// as its makers write it
    public var title: String
  }

  public struct ProgressData: Codable, Hashable, Sendable {
    public var bytes: Int?
    public var done: Int
    public var eta: Int?
    public var item: String?
    public var total: Int
    public var totalBytes: Int?
  }

  public struct ProgressEvent: Codable, Hashable, Sendable {
    public var data: ProgressData
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct Project: Codable, Hashable, Sendable {
    public var folders: [String]?
    public var name: String?
  }

  public struct Proposal: Codable, Hashable, Sendable {
    /// what was refused
    public var about: Refused
    /// for how long it would hold where nobody says it
    public var careful: Careful?
    /// this rule as it would be
    public var cedar: String
    public var created: Date
    public var id: String
    /// id of your rule that gets an exception
    public var rule: String
    /// what it would allow beyond today
    public var said: String?
    /// that was refused
    public var task: String
    /// what is said to it then
    public var then: Then
    /// this rule as it is
    public var was: String
    /// it is about everything in a folder
    public var whole: Bool?

    public struct Careful: OpenEnum {
      public static let task = Self(rawValue: "task")
      public static let hour = Self(rawValue: "hour")
      public static let day = Self(rawValue: "day")
      public static let week = Self(rawValue: "week")
      public static let always = Self(rawValue: "always")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct Then: OpenEnum {
      public static let allow = Self(rawValue: "allow")
      public static let ask = Self(rawValue: "ask")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct Put: Codable, Hashable, Sendable {
    /// field of requests; Authorization without one
    public var header: String?
    /// what the field is, with {secret} in it
    public var template: String?
    /// name of a basic authentication, whose password is the secret
    public var user: String?

    public init(header: String? = nil, template: String? = nil, user: String? = nil) {
      self.header = header
      self.template = template
      self.user = user
    }
  }

  public struct Question: Codable, Hashable, Sendable {
    public var answers: [AnswerOption]?
    public var caution: String?
    public var choices: [Choice]?
    public var detail: String?
    public var expires: Date?
    public var id: String
    public var input: Bool?
    public var items: [String]
    public var kind: QuestionKind
    public var more: String?
    public var notes: [String]?
    public var quotes: [String]?
    /// how careful to be with a yes; where it is not said, as with high
    public var risk: Risk?
    /// the rule that has it asked: managed, yours or default, and its id
    public var rule: String?
    /// how far a yes may reach, the nearest first
    public var scopes: [Scope]?
    public var task: String
    public var text: QuestionText
    public var title: String?

    public struct Risk: OpenEnum {
      public static let none_ = Self(rawValue: "none")
      public static let low = Self(rawValue: "low")
      public static let high = Self(rawValue: "high")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct Scope: OpenEnum {
      public static let once = Self(rawValue: "once")
      public static let task = Self(rawValue: "task")
      public static let folder = Self(rawValue: "folder")
      public static let always = Self(rawValue: "always")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct QuestionEvent: Codable, Hashable, Sendable {
    public var data: Question
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct QuestionKind: OpenEnum {
    public static let delete = Self(rawValue: "delete")
    public static let overwrite = Self(rawValue: "overwrite")
    public static let massChange = Self(rawValue: "mass-change")
    public static let network = Self(rawValue: "network")
    public static let command = Self(rawValue: "command")
    public static let apply = Self(rawValue: "apply")
    public static let undoSpace = Self(rawValue: "undo-space")
    public static let unpack = Self(rawValue: "unpack")
    public static let runtime = Self(rawValue: "runtime")
    public static let folder = Self(rawValue: "folder")
    public static let server = Self(rawValue: "server")
    public static let rule = Self(rawValue: "rule")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct QuestionText: Codable, Hashable, Sendable {
    public var code: String
    public var params: [String: JSON]?
  }

  public struct QueueData: Codable, Hashable, Sendable {
    public var followUp: [String]
    public var steering: [String]
  }

  public struct QueueEvent: Codable, Hashable, Sendable {
    public var data: QueueData
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct ReadRequest: Codable, Hashable, Sendable {
    /// no more bytes than so many; without it 1 MiB
    public var length: Int?
    /// of the first byte
    public var offset: Int?
    /// as the task sees it, such as /folders/Letters/a.txt or /work/out
    public var path: String
    /// what the place where the task works has to be: elsewhere nothing is done
    public var requiresRuntime: Requirement?

    public init(path: String, length: Int? = nil, offset: Int? = nil, requiresRuntime: Requirement? = nil) {
      self.length = length
      self.offset = offset
      self.path = path
      self.requiresRuntime = requiresRuntime
    }
  }

  public struct RedoData: Codable, Hashable, Sendable {
    public var by: String?
    public var conflicts: [String]
    public var redone: [String]
  }

  public struct RedoEvent: Codable, Hashable, Sendable {
    public var data: RedoData
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct RedoReport: Codable, Hashable, Sendable {
    public var conflicts: [UndoConflict]
    public var redone: [Change]
  }

  public struct RedoRequest: Codable, Hashable, Sendable {
    public var digest: String?
    public var ids: [String]?

    public init(digest: String? = nil, ids: [String]? = nil) {
      self.digest = digest
      self.ids = ids
    }
  }

  public struct Refused: Codable, Hashable, Sendable {
    /// what piwork would ask about more than the action: many, bytes, startup, git, hidden, programs, web; or what is done with changes of a task: undo, redo, apply
    public var about: String?
    public var action: Action
    /// the AI program that works in it
    public var agent: String?
    /// name of the token of the program that asks; without it you do
    public var client: String?
    /// where it takes effect
    public var domain: String?
    /// by which the request came, as its program says; rules can forbid and ask by it, and never allow
    public var door: Door?
    /// of a command
    public var effects: [String]?
    public var files: Int?
    /// connect: a name or an address
    public var host: String?
    /// how well that keeps apart
    public var isolation: Isolation?
    /// useKey: the provider that it is for, or service/ and the name of a service
    public var key: String?
    /// of the task; exec where it is not said
    public var kind: TaskKind?
    /// network of the task; off where it is not said
    public var network: Network?
    /// read, write and delete: a file or a folder of this computer
    public var path: String?
    /// connect; 443 where it is not said
    public var port: Int?
    /// run: a program, a chore or an operation
    public var program: String?
    /// how careful to be; none where it is not said
    public var risk: Risk?
    /// run: what that is; a program where it is not said
    public var runKind: RunKind?
    /// kind of place where the task works, and of startRuntime; vm where it is not said
    public var runtime: String?
    /// bytes
    public var size: Int?
    public var task: String?
    /// now where it is not said
    public var time: Date?

    public struct Action: OpenEnum {
      public static let read = Self(rawValue: "read")
      public static let write = Self(rawValue: "write")
      public static let delete = Self(rawValue: "delete")
      public static let connect = Self(rawValue: "connect")
      public static let run = Self(rawValue: "run")
      public static let useKey = Self(rawValue: "useKey")
      public static let startRuntime = Self(rawValue: "startRuntime")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct Door: OpenEnum {
      public static let window = Self(rawValue: "window")
      public static let cli = Self(rawValue: "cli")
      public static let mcp = Self(rawValue: "mcp")
      public static let acp = Self(rawValue: "acp")
      public static let stdio = Self(rawValue: "stdio")
      public static let http = Self(rawValue: "http")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct Risk: OpenEnum {
      public static let none_ = Self(rawValue: "none")
      public static let low = Self(rawValue: "low")
      public static let high = Self(rawValue: "high")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct RunKind: OpenEnum {
      public static let program = Self(rawValue: "program")
      public static let session = Self(rawValue: "session")
      public static let command = Self(rawValue: "command")
      public static let server = Self(rawValue: "server")
      public static let chore = Self(rawValue: "chore")
      public static let tool = Self(rawValue: "tool")
      public static let ai = Self(rawValue: "ai")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct Remote: Codable, Hashable, Sendable {
    /// [user@]host[:port], or a name of the person's SSH configuration
    public var address: String
    /// it is a cluster, and the address a context of the person's kubeconfig
    public var cluster: Cluster?
    /// keys that a person confirmed, by address, as SSH writes them
    public var hostKeys: [String: String]?
    /// what it is called here
    public var name: String
    /// where piwork lies there, from / or ~/, for who works with that one (piwork --on); none is one of the usual places
    public var program: String?
  }

  public struct RemoteAddition: Codable, Hashable, Sendable {
    /// [user@]host[:port], or a name of the person's SSH configuration; of a cluster, a context of their kubeconfig
    public var address: String
    /// it is a cluster
    public var cluster: Cluster?
    /// fingerprints of keys (SHA256:…) that a person confirms
    public var confirm: [String]?
    /// what it is to be called here: small letters, digits and -
    public var name: String
    /// where piwork lies there, from / or ~/; none is one of the usual places
    public var program: String?

    public init(address: String, name: String, cluster: Cluster? = nil, confirm: [String]? = nil, program: String? = nil) {
      self.address = address
      self.cluster = cluster
      self.confirm = confirm
      self.name = name
      self.program = program
    }
  }

  public struct RemoteUsage: TaggedRecord {
    /// of its disk; cleanRemote frees them. A cluster keeps nothing between tasks
    public var bytes: Int
    /// the piwork that is installed there (piwork --on); none was found without it
    public var piwork: PiworkValue?
    /// how many tasks work there, also of other computers
    public var places: Int
    /// when one began or ended there last; without it, never
    public var used: Date?
    public var etag = ETag()

    enum CodingKeys: CodingKey { case bytes, piwork, places, used }
  }

  public struct RenameRequest: Codable, Hashable, Sendable {
    public var title: String

    public init(title: String) {
      self.title = title
    }
  }

  public struct RepairRequest: Codable, Hashable, Sendable {
    /// absolute path of a pack or a bundle; without it a bundle beside the program, or the channel
    public var file: String?

    public init(file: String? = nil) {
      self.file = file
    }
  }

  public struct Request: Codable, Hashable, Sendable {
    /// a program; none is a shell
    public var argv: [String]?
    /// no variables but these, and PATH
    public var clean: Bool?
    /// in the workroom; where programs of the task start without
    public var cwd: String?
    /// variables beside those of the workroom
    public var env: [String: String]?
    /// ends it when nothing is written, typed or run for so long, ms
    public var idleMs: Int?
    /// of its output that is kept, KiB; 0 is 1024
    public var keepKb: Int?
    /// of the whole session
    public var limits: Limits?
    /// what the place where the task works has to be: elsewhere nothing is started
    public var requiresRuntime: Requirement?
    /// variables whose values are written down nowhere
    public var secrets: [String: String]?
    /// it runs on a terminal of this size; else on pipes
    public var terminal: TerminalSize?

    public init(argv: [String]? = nil, clean: Bool? = nil, cwd: String? = nil, env: [String: String]? = nil, idleMs: Int? = nil, keepKb: Int? = nil, limits: Limits? = nil, requiresRuntime: Requirement? = nil, secrets: [String: String]? = nil, terminal: TerminalSize? = nil) {
      self.argv = argv
      self.clean = clean
      self.cwd = cwd
      self.env = env
      self.idleMs = idleMs
      self.keepKb = keepKb
      self.limits = limits
      self.requiresRuntime = requiresRuntime
      self.secrets = secrets
      self.terminal = terminal
    }
  }

  public struct Requirement: Codable, Hashable, Sendable {
    /// how well it has to keep programs apart
    public var atLeast: Isolation?
    /// what it has to be able to do
    public var can: [Can]?
    /// the only kinds of places that will do, such as vm and container; remote and kubernetes are each of theirs
    public var kinds: [String]?

    public init(atLeast: Isolation? = nil, can: [Can]? = nil, kinds: [String]? = nil) {
      self.atLeast = atLeast
      self.can = can
      self.kinds = kinds
    }

    public struct Can: OpenEnum {
      public static let tools = Self(rawValue: "tools")
      public static let readOnly = Self(rawValue: "read-only")
      public static let limits = Self(rawValue: "limits")
      public static let noNetwork = Self(rawValue: "no-network")
      public static let restrictedNetwork = Self(rawValue: "restricted-network")
      public static let gpu = Self(rawValue: "gpu")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct ResetEvent: Codable, Hashable, Sendable {
    public var data: Nothing
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct Resolution: OpenEnum {
    public static let keep = Self(rawValue: "keep")
    public static let restore = Self(rawValue: "restore")
    public static let both = Self(rawValue: "both")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct Result: Codable, Hashable, Sendable {
    public var folder: String?
    public var path: String
    public var sha256: String?
    public var size: Int
  }

  public struct ResultEvent: Codable, Hashable, Sendable {
    public var data: Result
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct Rule: TaggedRecord {
    public var answer: String
    public var beforehand: Bool?
    /// the program with a token that decided this; without it a person did
    public var client: String?
    public var created: Date
    public var expires: Date?
    public var folder: String?
    public var id: String
    public var name: String?
    /// to what it can be narrowed, besides to a task
    public var narrows: Narrows?
    public var said: String?
    public var task: String?
    public var topic: String
    public var etag = ETag()

    enum CodingKeys: CodingKey { case answer, beforehand, client, created, expires, folder, id, name, narrows, said, task, topic }

    public struct Narrows: OpenEnum {
      public static let folder = Self(rawValue: "folder")
      public static let host = Self(rawValue: "host")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct RuleEnd: Codable, Hashable, Sendable {
    /// never where it is not said
    public var expires: Date?

    public init(expires: Date? = nil) {
      self.expires = expires
    }
  }

  public struct RuleException: Codable, Hashable, Sendable {
    /// the exception as it is written
    public var cedar: String
    /// it was written or changed by hand, and is taken back by hand, in the file
    public var edited: Bool?
    /// it holds no more; it goes from the file within seconds, unless it was changed by hand
    public var ended: Bool?
    public var id: String
    /// id of your rule that has it
    public var rule: String
    public var said: String?
    /// it holds from then on
    public var since: Date?
    /// it holds in this task only
    public var task: String?
    /// it holds before then; without it until you take it back
    public var until: Date?
  }

  public struct RuleFault: Codable, Hashable, Sendable {
    /// what it is: syntax, schema, rule, size, owner, unreadable
    public var code: String
    public var column: Int?
    public var layer: Layer
    public var line: Int?
    /// evidence, in English
    public var message: String
    public var path: String?
    /// what is wrong, and what to do
    public var said: String?

    public struct Layer: OpenEnum {
      public static let managed = Self(rawValue: "managed")
      public static let yours = Self(rawValue: "yours")
      public static let `default` = Self(rawValue: "default")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct RuleFile: Codable, Hashable, Sendable {
    public var fault: RuleFault?
    public var layer: Layer
    public var path: String
    /// the file exists
    public var there: Bool

    public struct Layer: OpenEnum {
      public static let managed = Self(rawValue: "managed")
      public static let yours = Self(rawValue: "yours")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct RuleMatch: Codable, Hashable, Sendable {
    public var effect: Effect
    /// why it could not be evaluated; it counts all the same, unless it allows
    public var failed: String?
    public var layer: Layer
    public var rule: String

    public struct Effect: OpenEnum {
      public static let allow = Self(rawValue: "allow")
      public static let ask = Self(rawValue: "ask")
      public static let deny = Self(rawValue: "deny")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct Layer: OpenEnum {
      public static let managed = Self(rawValue: "managed")
      public static let yours = Self(rawValue: "yours")
      public static let `default` = Self(rawValue: "default")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct RuleScope: Codable, Hashable, Sendable {
    /// only in this folder of this computer; of decisions about changes of files
    public var folder: String?
    /// only this address; of decisions about several
    public var host: String?
    /// only in this task, and while it runs
    public var task: String?

    public init(folder: String? = nil, host: String? = nil, task: String? = nil) {
      self.folder = folder
      self.host = host
      self.task = task
    }
  }

  public struct RunRequest: Codable, Hashable, Sendable {
    /// as a shell has it; it may have several lines
    public var command: String
    /// what the place of the session has to be: elsewhere nothing is done
    public var requiresRuntime: Requirement?
    /// after which it is interrupted, and then ended with its session, ms
    public var timeoutMs: Int?

    public init(command: String, requiresRuntime: Requirement? = nil, timeoutMs: Int? = nil) {
      self.command = command
      self.requiresRuntime = requiresRuntime
      self.timeoutMs = timeoutMs
    }
  }

  public struct RunResult: Codable, Hashable, Sendable {
    /// of all programs whose end it waited for
    public var cpuMs: Int
    /// why it did not end by itself; the session may be over, too
    public var ended: String?
    public var exitCode: Int
    /// memory, KiB: the most that all of the session had at once meanwhile; 0 is unknown, as in a place that does not measure it, or where earlier commands had more
    public var peakKb: Int?
    /// that ended it, as its shell says: the exit code is 128 and this
    public var signal: Int?
    /// likewise
    public var stderr: Data
    public var stderrFile: String?
    public var stderrSize: Int
    /// at most 1 MiB of it
    public var stdout: Data
    /// result of the task that has all of a longer output, up to 256 MiB
    public var stdoutFile: String?
    /// bytes in all
    public var stdoutSize: Int
    /// a file has only the first 256 MiB, and says so in its last line; or a longer output has none: such files of a task have 4 GiB together, or it could not be written
    public var truncated: Bool?
    public var wallMs: Int
  }

  public struct RuntimeChoice: Codable, Hashable, Sendable {
    public var ask: Bool
    public var kind: String
    public var verdicts: [RuntimeVerdict]
  }

  public struct RuntimeNeed: Codable, Hashable, Sendable {
    /// it needs an add-on of the runtime
    public var addOns: Bool?
    /// how well it has to be kept apart
    public var atLeast: Isolation?
    /// it uses the cache of a project
    public var cache: Bool?
    /// it may change files in them
    public var changes: Bool?
    /// it works on folders of the person
    public var folders: Bool?
    /// it computes on a graphics card
    public var gpu: Bool?
    /// it has limits of memory, of processor time or of what it reads and writes
    public var limits: Bool?
    /// the only kind that will do; without it any
    public var named: String?
    /// off where it is not said
    public var network: Network?
    /// what it needs of its place besides
    public var requiresRuntime: Requirement?
    /// a size of its machine was chosen
    public var size: Bool?
    /// its machine is to work without acceleration, by choice
    public var slow: Bool?
    /// kind of task
    public var work: TaskKind?

    public init(addOns: Bool? = nil, atLeast: Isolation? = nil, cache: Bool? = nil, changes: Bool? = nil, folders: Bool? = nil, gpu: Bool? = nil, limits: Bool? = nil, named: String? = nil, network: Network? = nil, requiresRuntime: Requirement? = nil, size: Bool? = nil, slow: Bool? = nil, work: TaskKind? = nil) {
      self.addOns = addOns
      self.atLeast = atLeast
      self.cache = cache
      self.changes = changes
      self.folders = folders
      self.gpu = gpu
      self.limits = limits
      self.named = named
      self.network = network
      self.requiresRuntime = requiresRuntime
      self.size = size
      self.slow = slow
      self.work = work
    }
  }

  public struct RuntimeReason: OpenEnum {
    public static let named = Self(rawValue: "named")
    public static let preferred = Self(rawValue: "preferred")
    public static let strongest = Self(rawValue: "strongest")
    public static let allowed = Self(rawValue: "allowed")
    public static let permitted = Self(rawValue: "permitted")
    public static let ask = Self(rawValue: "ask")
    public static let another = Self(rawValue: "another")
    public static let work = Self(rawValue: "work")
    public static let network = Self(rawValue: "network")
    public static let folders = Self(rawValue: "folders")
    public static let addOns = Self(rawValue: "add-ons")
    public static let limits = Self(rawValue: "limits")
    public static let cache = Self(rawValue: "cache")
    public static let isolation = Self(rawValue: "isolation")
    public static let required = Self(rawValue: "required")
    public static let files = Self(rawValue: "files")
    public static let rule = Self(rawValue: "rule")
    public static let gpu = Self(rawValue: "gpu")
    public static let away = Self(rawValue: "away")
    public static let off = Self(rawValue: "off")
    public static let unnamed = Self(rawValue: "unnamed")
    public static let problem = Self(rawValue: "problem")
    public static let weaker = Self(rawValue: "weaker")
    public static let after = Self(rawValue: "after")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct RuntimeSettings: TaggedRecord {
    /// the only kinds in which tasks may change files of the person; without any, all
    public var files: [String]?
    /// kinds that are taken before the others, the first one first
    public var prefer: [String]?
    /// kinds that are preferred or always allowed only while what runs them has no administrator rights: as when that was said. A change that leaves a kind out here says it anew
    public var rootless: [String]?
    /// what is said to kinds that keep a task less apart than a virtual machine
    public var weaker: [String: Allowance]?
    public var etag = ETag()

    enum CodingKeys: CodingKey { case files, prefer, rootless, weaker }

    public init(files: [String]? = nil, prefer: [String]? = nil, rootless: [String]? = nil, weaker: [String: Allowance]? = nil) {
      self.files = files
      self.prefer = prefer
      self.rootless = rootless
      self.weaker = weaker
    }
  }

  public struct RuntimeStatus: Codable, Hashable, Sendable {
    /// what is said to a task that would work here because nothing stronger does
    public var allowance: Allowance
    /// it is used only when it is named, preferred or always allowed
    public var byName: Bool?
    public var domain: String
    /// what runs it, where that is a program of this computer that was found
    public var engine: Engine?
    /// it can be given folders whose changes can be taken back
    public var folders: Bool
    public var isolation: Isolation
    public var kind: String
    public var limits: LimitSupport
    public var networks: [String]
    /// its place among those that are preferred, from 1
    public var preferred: Int?
    /// why it does not
    public var problem: Problem?
    public var text: String?
    public var title: String?
    /// kinds of tasks that it can do
    public var work: [TaskKind]
    /// a small task was done in it
    public var works: Bool
  }

  public struct RuntimeVerdict: Codable, Hashable, Sendable {
    /// what runs the kind that is taken, where that is a program of this computer
    public var engine: Engine?
    public var kind: String
    /// of required: the first of requiresRuntime that the place is not, or does not have
    public var lacks: String?
    public var problem: Problem?
    public var reason: RuntimeReason
    public var rule: String?
    public var taken: Bool
    public var text: String?
  }

  public struct SamplesFolder: Codable, Hashable, Sendable {
    public var files: Int
    public var path: String
  }

  public struct SamplesRequest: Codable, Hashable, Sendable {
    /// of the names: en or de; any other is English
    public var language: String?

    public init(language: String? = nil) {
      self.language = language
    }
  }

  public struct SaveChoreRequest: Codable, Hashable, Sendable {
    public var chore: String?
    public var folders: [FolderRequest]?
    public var name: String
    public var params: [String: JSON]?
    /// kind of place that alone will do; without it the best one
    public var runtime: String?
    /// id of a task whose chore, parameters, folders and choice of a place are saved
    public var task: String?

    public init(name: String, chore: String? = nil, folders: [FolderRequest]? = nil, params: [String: JSON]? = nil, runtime: String? = nil, task: String? = nil) {
      self.chore = chore
      self.folders = folders
      self.name = name
      self.params = params
      self.runtime = runtime
      self.task = task
    }
  }

  public struct SavedChore: Codable, Hashable, Sendable {
    public var chore: String
    public var created: Date
    public var folders: [FolderRequest]
    public var id: String
    public var name: String
    public var params: [String: JSON]
    /// kind of place that alone will do; without it the best one
    public var runtime: String?
    public var `where`: String?
  }

  public struct SayRequest: Codable, Hashable, Sendable {
    public var detached: Bool?
    public var how: How?
    public var images: [ImageRequest]?
    public var text: String

    public init(text: String, detached: Bool? = nil, how: How? = nil, images: [ImageRequest]? = nil) {
      self.detached = detached
      self.how = how
      self.images = images
      self.text = text
    }

    public struct How: OpenEnum {
      public static let steer = Self(rawValue: "steer")
      public static let followUp = Self(rawValue: "followUp")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct SecretRequest: Codable, Hashable, Sendable {
    public var secret: String

    public init(secret: String) {
      self.secret = secret
    }
  }

  public struct Service: TaggedRecord {
    /// last four characters of the secret
    public var ending: String?
    public var hosts: [Host]
    /// what it is called: small letters, digits and -
    public var name: String
    /// none: nothing is put in; missing: it has to be given; set: it is in the keychain
    public var secret: Secret
    public var etag = ETag()

    enum CodingKeys: CodingKey { case ending, hosts, name, secret }

    public struct Secret: OpenEnum {
      public static let none_ = Self(rawValue: "none")
      public static let missing = Self(rawValue: "missing")
      public static let set = Self(rawValue: "set")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct Session: TaggedRecord {
    public var argv: [String]?
    public var created: Date
    public var ending: Ending?
    public var id: String
    public var kept: Int
    public var output: Int
    public var problem: Problem?
    public var readers: Int
    public var reason: String?
    public var shell: Bool
    public var size: TerminalSize?
    public var state: String
    public var task: String
    public var terminal: Bool
    public var writer: Bool
    public var etag = ETag()

    enum CodingKeys: CodingKey { case argv, created, ending, id, kept, output, problem, readers, reason, shell, size, state, task, terminal, writer }
  }

  public struct Settings: TaggedRecord {
    /// address of a collector that speaks OTLP over HTTP, such as http://127.0.0.1:4318, to which traces and metrics are sent; empty: nothing is sent
    public var endpoint: String
    public var etag = ETag()

    enum CodingKeys: CodingKey { case endpoint }

    public init(endpoint: String) {
      self.endpoint = endpoint
    }
  }

  public struct SettingsEvent: Codable, Hashable, Sendable {
    public var data: Nothing
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct Severity: OpenEnum {
    public static let blocking = Self(rawValue: "blocking")
    public static let error = Self(rawValue: "error")
    public static let warning = Self(rawValue: "warning")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct Share: Codable, Hashable, Sendable {
    public var detail: String?
    public var kind: Kind
    public var reason: String?
    public var said: String?

    public struct Kind: OpenEnum {
      public static let _9p = Self(rawValue: "9p")
      public static let virtiofs = Self(rawValue: "virtiofs")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct SignalRequest: Codable, Hashable, Sendable {
    public var signal: Signal

    public init(signal: Signal) {
      self.signal = signal
    }

    public struct Signal: OpenEnum {
      public static let hup = Self(rawValue: "HUP")
      public static let int = Self(rawValue: "INT")
      public static let quit = Self(rawValue: "QUIT")
      public static let kill = Self(rawValue: "KILL")
      public static let usr1 = Self(rawValue: "USR1")
      public static let usr2 = Self(rawValue: "USR2")
      public static let term = Self(rawValue: "TERM")
      public static let cont = Self(rawValue: "CONT")
      public static let stop = Self(rawValue: "STOP")
      public static let winch = Self(rawValue: "WINCH")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct SlowMode: TaggedRecord {
    public var on: Bool
    public var etag = ETag()

    enum CodingKeys: CodingKey { case on }

    public init(on: Bool) {
      self.on = on
    }
  }

  public struct StartRequest: Codable, Hashable, Sendable {
    public var accel: String?
    public var accept: Bool?
    public var agent: Bool?
    public var argv: [String]?
    public var attached: Bool?
    public var budget: Int?
    /// exec and ai, in a machine: name of the project whose cache it uses, or a dot for the one of its set of folders; what it leaves there is used by later tasks of the same project, and only by them
    public var cache: String?
    public var chore: String?
    public var client: String?
    public var cpus: Int?
    public var cwd: String?
    public var detached: Bool?
    public var door: String?
    public var env: [String: String]?
    public var folders: [FolderRequest]
    public var id: String?
    public var images: [ImageRequest]?
    public var interactive: Bool?
    public var kind: TaskKind
    public var limits: Limits?
    public var memoryMb: Int?
    public var model: String?
    public var network: Network?
    public var open: Bool?
    public var params: [String: JSON]?
    public var planOnly: Bool?
    public var presets: [String]?
    public var program: String?
    public var prompt: String?
    /// what its place has to be; one that is not is not used
    public var requiresRuntime: Requirement?
    public var runtime: String?
    public var services: [String]?
    public var stdin: Data?
    public var terminal: TerminalSize?
    public var thinking: Thinking?
    public var title: String?
    public var tool: ToolParams?

    public init(folders: [FolderRequest], kind: TaskKind, accel: String? = nil, accept: Bool? = nil, agent: Bool? = nil, argv: [String]? = nil, attached: Bool? = nil, budget: Int? = nil, cache: String? = nil, chore: String? = nil, client: String? = nil, cpus: Int? = nil, cwd: String? = nil, detached: Bool? = nil, door: String? = nil, env: [String: String]? = nil, id: String? = nil, images: [ImageRequest]? = nil, interactive: Bool? = nil, limits: Limits? = nil, memoryMb: Int? = nil, model: String? = nil, network: Network? = nil, open: Bool? = nil, params: [String: JSON]? = nil, planOnly: Bool? = nil, presets: [String]? = nil, program: String? = nil, prompt: String? = nil, requiresRuntime: Requirement? = nil, runtime: String? = nil, services: [String]? = nil, stdin: Data? = nil, terminal: TerminalSize? = nil, thinking: Thinking? = nil, title: String? = nil, tool: ToolParams? = nil) {
      self.accel = accel
      self.accept = accept
      self.agent = agent
      self.argv = argv
      self.attached = attached
      self.budget = budget
      self.cache = cache
      self.chore = chore
      self.client = client
      self.cpus = cpus
      self.cwd = cwd
      self.detached = detached
      self.door = door
      self.env = env
      self.folders = folders
      self.id = id
      self.images = images
      self.interactive = interactive
      self.kind = kind
      self.limits = limits
      self.memoryMb = memoryMb
      self.model = model
      self.network = network
      self.open = open
      self.params = params
      self.planOnly = planOnly
      self.presets = presets
      self.program = program
      self.prompt = prompt
      self.requiresRuntime = requiresRuntime
      self.runtime = runtime
      self.services = services
      self.stdin = stdin
      self.terminal = terminal
      self.thinking = thinking
      self.title = title
      self.tool = tool
    }

    public struct Thinking: OpenEnum {
      public static let off = Self(rawValue: "off")
      public static let minimal = Self(rawValue: "minimal")
      public static let low = Self(rawValue: "low")
      public static let medium = Self(rawValue: "medium")
      public static let high = Self(rawValue: "high")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct StatRequest: Codable, Hashable, Sendable {
    /// as the task sees it, such as /folders/Letters/a.txt or /work/out
    public var path: String
    /// what the place where the task works has to be: elsewhere nothing is done
    public var requiresRuntime: Requirement?

    public init(path: String, requiresRuntime: Requirement? = nil) {
      self.path = path
      self.requiresRuntime = requiresRuntime
    }
  }

  public struct StateData: Codable, Hashable, Sendable {
    public var error: Problem?
    public var state: TaskState
  }

  public struct StateEvent: Codable, Hashable, Sendable {
    public var data: StateData
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct StatusEvent: Codable, Hashable, Sendable {
    public var data: StatusReport
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct StatusReport: TaggedRecord {
    public var accel: AccelState
    public var arch: String
    public var checks: [Check]
    public var os: String
    public var pack: PackState
    public var problems: [Problem]
    public var ready: Bool
    public var time: Date
    public var version: String
    public var etag = ETag()

    enum CodingKeys: CodingKey { case accel, arch, checks, os, pack, problems, ready, time, version }
  }

  public struct StepData: Codable, Hashable, Sendable {
    public var step: String
  }

  public struct StepEvent: Codable, Hashable, Sendable {
    public var data: StepData
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct Storage: TaggedRecord {
    public var freeBytes: Int
    public var items: [StorageItem]
    public var etag = ETag()

    enum CodingKeys: CodingKey { case freeBytes, items }
  }

  public struct StorageItem: Codable, Hashable, Sendable {
    public var bytes: Int
    public var cleanable: Bool
    public var frees: Int
    public var losesUndo: Bool?
    public var path: String
    public var said: String?
    /// the program that keeps it does not answer: it may take more
    public var silent: Bool?
    public var what: StorageKind
  }

  public struct StorageKind: OpenEnum {
    public static let runtime = Self(rawValue: "runtime")
    public static let addons = Self(rawValue: "addons")
    public static let templates = Self(rawValue: "templates")
    public static let caches = Self(rawValue: "caches")
    public static let trees = Self(rawValue: "trees")
    public static let images = Self(rawValue: "images")
    public static let environments = Self(rawValue: "environments")
    public static let downloads = Self(rawValue: "downloads")
    public static let tasks = Self(rawValue: "tasks")
    public static let journals = Self(rawValue: "journals")
    public static let logs = Self(rawValue: "logs")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct StorageMove: TaggedRecord {
    public var bytes: Int
    public var done: Int
    public var files: Int
    public var fixedBy: String?
    public var freeBytes: Int
    public var from: String
    public var needBytes: Int
    public var phase: MovePhase
    public var problem: Problem?
    public var to: String?
    public var etag = ETag()

    enum CodingKeys: CodingKey { case bytes, done, files, fixedBy, freeBytes, from, needBytes, phase, problem, to }
  }

  public struct TableCell: Codable, Hashable, Sendable {
    public var op: DiffOp
    public var text: String
    public var was: String?
  }

  public struct TableDiff: Codable, Hashable, Sendable {
    public var added: Int
    public var changed: Int
    public var columns: Int
    public var cut: Bool?
    public var removed: Int
    public var rows: [TableRow]
  }

  public struct TableRow: Codable, Hashable, Sendable {
    public var after: Int?
    public var before: Int?
    public var cells: [TableCell]
    public var gap: Int?
    public var op: DiffOp
  }

  public struct Task: TaggedRecord {
    public var accel: String?
    public var agent: Bool?
    public var ai: AI?
    public var argv: [String]?
    public var asked: Asked?
    public var called: String?
    public var chore: String?
    public var client: String?
    public var cpuMs: Int?
    public var created: Date
    public var door: String?
    public var ended: Date?
    public var error: Problem?
    public var exitCode: Int?
    public var folders: [Folder]
    public var id: String
    public var info: [JSON]?
    public var kind: TaskKind
    public var loosened: [String]?
    public var network: Network
    public var pack: String
    public var params: [String: JSON]?
    public var peakKb: Int?
    public var presets: [String]?
    public var problems: [Problem]?
    public var results: [Result]?
    public var runtime: String
    public var services: [String]?
    public var stands: String?
    public var started: Date?
    public var state: TaskState
    public var title: String
    public var titled: Bool?
    public var v: Int
    public var versions: [String: String]?
    public var `where`: String?
    public var etag = ETag()

    enum CodingKeys: CodingKey { case accel, agent, ai, argv, asked, called, chore, client, cpuMs, created, door, ended, error, exitCode, folders, id, info, kind, loosened, network, pack, params, peakKb, presets, problems, results, runtime, services, stands, started, state, title, titled, v, versions, `where` }
  }

  public struct TaskFile: Codable, Hashable, Sendable {
    public var kind: Kind
    /// permissions, as chmod has them
    public var mode: Int
    public var modified: Date
    /// as the task sees it
    public var path: String
    /// of a file's content, in hex; of files up to 1 GiB that were read or written, or that stat was asked about
    public var sha256: String?
    /// bytes; 0 of what is no file
    public var size: Int
    /// of a link
    public var target: String?

    public struct Kind: OpenEnum {
      public static let file = Self(rawValue: "file")
      public static let directory = Self(rawValue: "directory")
      public static let link = Self(rawValue: "link")
      public static let other = Self(rawValue: "other")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct TaskFileContent: Codable, Hashable, Sendable {
    /// from the offset on; fewer bytes than were asked for where the file ends
    public var data: Data
    public var kind: Kind
    /// permissions, as chmod has them
    public var mode: Int
    public var modified: Date
    /// as the task sees it
    public var path: String
    /// of a file's content, in hex; of files up to 1 GiB that were read or written, or that stat was asked about
    public var sha256: String?
    /// bytes; 0 of what is no file
    public var size: Int
    /// of a link
    public var target: String?

    public struct Kind: OpenEnum {
      public static let file = Self(rawValue: "file")
      public static let directory = Self(rawValue: "directory")
      public static let link = Self(rawValue: "link")
      public static let other = Self(rawValue: "other")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct TaskFileList: Codable, Hashable, Sendable {
    public var entries: [TaskFile]
    /// there are more than were asked for
    public var more: Bool
    /// files that are left out, since their names are no text
    public var unnamed: Int
  }

  public struct TaskKind: OpenEnum {
    public static let chore = Self(rawValue: "chore")
    public static let ai = Self(rawValue: "ai")
    public static let exec = Self(rawValue: "exec")
    public static let tool = Self(rawValue: "tool")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct TaskModelRequest: Codable, Hashable, Sendable {
    public var model: String?
    public var thinking: Thinking?

    public init(model: String? = nil, thinking: Thinking? = nil) {
      self.model = model
      self.thinking = thinking
    }

    public struct Thinking: OpenEnum {
      public static let off = Self(rawValue: "off")
      public static let minimal = Self(rawValue: "minimal")
      public static let low = Self(rawValue: "low")
      public static let medium = Self(rawValue: "medium")
      public static let high = Self(rawValue: "high")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct TaskRequest: Codable, Hashable, Sendable {
    public var allowed: Bool
    /// how often
    public var count: Int
    public var host: String
    public var last: Date
    public var method: String
    /// without the query
    public var path: String
    /// why it was refused, or has no answer
    public var reason: Reason?
    public var received: Int
    /// the reason, in the language asked for
    public var said: String?
    /// bytes of bodies
    public var sent: Int
    public var service: String
    /// of the answer
    public var status: Int?

    public struct Reason: OpenEnum {
      public static let rule = Self(rawValue: "rule")
      public static let noRule = Self(rawValue: "no-rule")
      public static let host = Self(rawValue: "host")
      public static let method = Self(rawValue: "method")
      public static let path = Self(rawValue: "path")
      public static let upgrade = Self(rawValue: "upgrade")
      public static let header = Self(rawValue: "header")
      public static let busy = Self(rawValue: "busy")
      public static let gone = Self(rawValue: "gone")
      public static let unreachable = Self(rawValue: "unreachable")
      public static let certificate = Self(rawValue: "certificate")
      public static let encoded = Self(rawValue: "encoded")
      public static let `protocol` = Self(rawValue: "protocol")
      public static let cut = Self(rawValue: "cut")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct TaskRequests: TaggedRecord {
    public var list: [TaskRequest]
    /// how many others there were: only the first 500 kinds are listed
    public var more: Int?
    public var etag = ETag()

    enum CodingKeys: CodingKey { case list, more }
  }

  public struct TaskState: OpenEnum {
    public static let queued = Self(rawValue: "queued")
    public static let preparing = Self(rawValue: "preparing")
    public static let running = Self(rawValue: "running")
    public static let waiting = Self(rawValue: "waiting")
    public static let done = Self(rawValue: "done")
    public static let failed = Self(rawValue: "failed")
    public static let cancelled = Self(rawValue: "cancelled")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct TerminalSize: Codable, Hashable, Sendable {
    public var columns: Int
    public var rows: Int

    public init(columns: Int, rows: Int) {
      self.columns = columns
      self.rows = rows
    }
  }

  public struct TextDiff: Codable, Hashable, Sendable {
    public var added: Int
    public var cut: Bool?
    public var hunks: [TextHunk]
    public var part: TextPart?
    public var removed: Int
  }

  public struct TextEncoding: OpenEnum {
    public static let utf8 = Self(rawValue: "utf-8")
    public static let utf8Bom = Self(rawValue: "utf-8-bom")
    public static let utf16le = Self(rawValue: "utf-16le")
    public static let utf16be = Self(rawValue: "utf-16be")
    public static let latin1 = Self(rawValue: "latin-1")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct TextHunk: Codable, Hashable, Sendable {
    public var after: Int
    public var afterLines: Int
    public var before: Int
    public var beforeLines: Int
    public var lines: [TextLine]
  }

  public struct TextLine: Codable, Hashable, Sendable {
    public var cut: Bool?
    public var op: DiffOp
    public var open: Bool?
    public var start: Bool?
    public var text: String
  }

  public struct TextPart: Codable, Hashable, Sendable {
    public var bytes: Int
    public var from: Int
  }

  public struct Token: TaggedRecord {
    public var created: Date
    public var expires: Date
    public var folders: [FolderRequest]
    public var id: String
    public var name: String
    /// of pages of the web that may use it, in a browser
    public var origins: [String]?
    public var scopes: [Scope]
    public var used: Date?
    public var etag = ETag()

    enum CodingKeys: CodingKey { case created, expires, folders, id, name, origins, scopes, used }

    public struct Scope: OpenEnum {
      public static let read = Self(rawValue: "read")
      public static let tasks = Self(rawValue: "tasks")
      public static let tools = Self(rawValue: "tools")
      public static let ai = Self(rawValue: "ai")
      public static let decide = Self(rawValue: "decide")
      public static let manage = Self(rawValue: "manage")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct TokenRequest: Codable, Hashable, Sendable {
    /// for how long; 90 without it
    public var days: Int?
    /// that its tasks may have, each as a whole; without a mode it can be read only
    public var folders: [FolderRequest]?
    /// of the program that will have it; tasks of it carry the name
    public var name: String
    /// of pages of the web that may use it in a browser, such as https://app.example; not with decide or manage
    public var origins: [String]?
    /// what it is for
    public var scopes: [Scope]

    public init(name: String, scopes: [Scope], days: Int? = nil, folders: [FolderRequest]? = nil, origins: [String]? = nil) {
      self.days = days
      self.folders = folders
      self.name = name
      self.origins = origins
      self.scopes = scopes
    }

    public struct Scope: OpenEnum {
      public static let read = Self(rawValue: "read")
      public static let tasks = Self(rawValue: "tasks")
      public static let tools = Self(rawValue: "tools")
      public static let ai = Self(rawValue: "ai")
      public static let decide = Self(rawValue: "decide")
      public static let manage = Self(rawValue: "manage")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct ToolBounds: Codable, Hashable, Sendable {
    /// MiB a second, from and to each disk
    public var diskMbPerSecond: Int
    /// of the largest file that is written
    public var file: ToolBytesBound
    /// MiB of everything together; the machine may have less
    public var memoryMb: Int
    /// processes and threads at a time
    public var processes: Int
    /// that may be busy at a time
    public var processors: Int
    /// of one run of one program
    public var program: ToolTimeBound
    /// of the whole operation
    public var wall: ToolTimeBound
  }

  public struct ToolBytesBound: Codable, Hashable, Sendable {
    /// MiB
    public var mb: Int
    /// so many times all inputs
    public var times: Int
  }

  public struct ToolData: Codable, Hashable, Sendable {
    public var diff: String?
    public var id: String
    public var name: String
    public var output: String?
    public var raw: Int?
    public var state: String
    public var target: String?
    public var verb: String
    public var wallMs: Int?
  }

  public struct ToolDescription: Codable, Hashable, Sendable {
    public var about: String?
    public var accepts: [String]
    public var addOns: [String]
    public var bounds: ToolBounds
    public var changes: Bool
    public var folders: Bool
    public var licences: [String]
    public var maxIn: Int
    public var minIn: Int
    public var name: String
    public var out: ToolOutput
    public var params: [String: JSON]
    public var programs: [String]
    public var random: Bool
    public var title: String?
    public var words: [String: ParamWords]?
  }

  public struct ToolEvent: Codable, Hashable, Sendable {
    public var data: ToolData
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct ToolOutput: OpenEnum {
    public static let none_ = Self(rawValue: "none")
    public static let file = Self(rawValue: "file")
    public static let folder = Self(rawValue: "folder")
    public static let each = Self(rawValue: "each")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct ToolParams: Codable, Hashable, Sendable {
    public var id: String
    public var `in`: [String]
    public var limits: Limits?
    public var op: String
    public var out: String?
    public var params: [String: JSON]?
    public var request: String?

    public init(id: String, `in`: [String], op: String, limits: Limits? = nil, out: String? = nil, params: [String: JSON]? = nil, request: String? = nil) {
      self.id = id
      self.`in` = `in`
      self.limits = limits
      self.op = op
      self.out = out
      self.params = params
      self.request = request
    }
  }

  public struct ToolTimeBound: Codable, Hashable, Sendable {
    /// seconds for each input
    public var perInput: Int
    /// seconds for each MiB of all inputs
    public var perMb: Int
    public var seconds: Int
  }

  public struct UndoConflict: Codable, Hashable, Sendable {
    public var change: Change
    public var detail: String?
    public var reason: String
    public var said: String?
  }

  public struct UndoData: Codable, Hashable, Sendable {
    public var by: String?
    public var conflicts: [String]
    public var undone: [String]
  }

  public struct UndoEvent: Codable, Hashable, Sendable {
    public var data: UndoData
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct UndoKeeping: TaggedRecord {
    public var bytes: Int
    public var settings: UndoSettings
    public var tasks: Int
    public var etag = ETag()

    enum CodingKeys: CodingKey { case bytes, settings, tasks }
  }

  public struct UndoReport: Codable, Hashable, Sendable {
    public var beside: [String: String]?
    public var conflicts: [UndoConflict]
    public var kept: [Change]?
    public var undone: [Change]
  }

  public struct UndoRequest: Codable, Hashable, Sendable {
    public var digest: String?
    public var ids: [String]?
    public var onConflict: Resolution?
    public var resolve: [String: Resolution]?

    public init(digest: String? = nil, ids: [String]? = nil, onConflict: Resolution? = nil, resolve: [String: Resolution]? = nil) {
      self.digest = digest
      self.ids = ids
      self.onConflict = onConflict
      self.resolve = resolve
    }
  }

  public struct UndoSettings: Codable, Hashable, Sendable {
    public var days: Int
    public var spaceMb: Int?
    public var writeMb: Int?

    public init(days: Int, spaceMb: Int? = nil, writeMb: Int? = nil) {
      self.days = days
      self.spaceMb = spaceMb
      self.writeMb = writeMb
    }
  }

  public struct UndoSpace: TaggedRecord {
    public var bytes: Int
    public var expires: Date?
    public var forgotten: Bool?
    /// an undo or redo is at work, or was cut off and waits for its folder: nothing is given up by itself
    public var unfinished: Bool?
    public var etag = ETag()

    enum CodingKeys: CodingKey { case bytes, expires, forgotten, unfinished }
  }

  public struct UpdateEvent: Codable, Hashable, Sendable {
    public var data: UpdateState
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct UpdatePhase: OpenEnum {
    public static let off = Self(rawValue: "off")
    public static let idle = Self(rawValue: "idle")
    public static let checking = Self(rawValue: "checking")
    public static let available = Self(rawValue: "available")
    public static let downloading = Self(rawValue: "downloading")
    public static let paused = Self(rawValue: "paused")
    public static let installing = Self(rawValue: "installing")
    public static let trying = Self(rawValue: "trying")
    public static let upToDate = Self(rawValue: "up-to-date")
    public static let failed = Self(rawValue: "failed")
    public static let offline = Self(rawValue: "offline")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct UpdateRequest: Codable, Hashable, Sendable {
    public var addOns: [String]?
    public var version: String?

    public init(addOns: [String]? = nil, version: String? = nil) {
      self.addOns = addOns
      self.version = version
    }
  }

  public struct UpdateSettings: Codable, Hashable, Sendable {
    public var auto: Bool
    public var caFile: String?
    public var proxy: String?
    public var urls: [String]

    public init(auto: Bool, urls: [String], caFile: String? = nil, proxy: String? = nil) {
      self.auto = auto
      self.caFile = caFile
      self.proxy = proxy
      self.urls = urls
    }
  }

  public struct UpdateState: TaggedRecord {
    public var channel: String
    public var checked: Date?
    public var current: String
    public var done: Int
    public var eta: Int
    public var notes: String?
    public var phase: UpdatePhase
    public var problem: Problem?
    public var rate: Int
    public var reused: Int
    public var said: String?
    public var settings: UpdateSettings
    public var total: Int
    public var version: String?
    public var what: String
    public var etag = ETag()

    enum CodingKeys: CodingKey { case channel, checked, current, done, eta, notes, phase, problem, rate, reused, said, settings, total, version, what }
  }

  public struct Usage: Codable, Hashable, Sendable {
    public var cacheRead: Int?
    public var cacheWrite: Int?
    public var cost: Int?
    public var input: Int
    public var output: Int
    public var requests: Int
    public var unknown: Bool?
  }

  public struct UsageEvent: Codable, Hashable, Sendable {
    public var data: Usage
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct VisitRequest: Codable, Hashable, Sendable {
    /// what the place where the task works has to be: elsewhere nothing is done
    public var requiresRuntime: Requirement?
    /// how long a page may load, each time, once its host answers; without it 90. What came until then is used
    public var seconds: Int?
    /// what is done, the first an open
    public var steps: [PageStep]

    public init(steps: [PageStep], requiresRuntime: Requirement? = nil, seconds: Int? = nil) {
      self.requiresRuntime = requiresRuntime
      self.seconds = seconds
      self.steps = steps
    }
  }

  public struct WebSearch: TaggedRecord {
    public var kind: Kind
    public var url: String?
    public var etag = ETag()

    enum CodingKeys: CodingKey { case kind, url }

    public init(kind: Kind, url: String? = nil) {
      self.kind = kind
      self.url = url
    }

    public struct Kind: OpenEnum {
      public static let none_ = Self(rawValue: "none")
      public static let searxng = Self(rawValue: "searxng")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct WindowEvent: Codable, Hashable, Sendable {
    public var data: WindowEventData
    public var kind: String
    /// the event in one line, where there is one
    public var said: String?
    /// 0 for volatile events
    public var seq: Int
    /// id, empty for what belongs to no task
    public var task: String
    public var time: Date
    /// version of the record, 1
    public var v: Int
  }

  public struct WindowEventData: Codable, Hashable, Sendable {
    /// name of its form
    public var chore: String?
    /// absolute paths of folders and files
    public var paths: [String]?
    /// close-asked: tasks at work
    public var running: Int?
    /// id
    public var task: String?
    public var what: What

    public struct What: OpenEnum {
      public static let closeAsked = Self(rawValue: "close-asked")
      public static let open = Self(rawValue: "open")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct WindowSettings: TaggedRecord {
    /// what closing the window does while tasks are at work
    public var close: Close
    public var language: Language?
    /// how much moves
    public var motion: Motion?
    /// the system shows questions and tasks that are over
    public var notify: Bool
    /// shortcuts of one character alone
    public var signs: Signs?
    public var theme: Theme?
    public var etag = ETag()

    enum CodingKeys: CodingKey { case close, language, motion, notify, signs, theme }

    public init(close: Close, notify: Bool, language: Language? = nil, motion: Motion? = nil, signs: Signs? = nil, theme: Theme? = nil) {
      self.close = close
      self.language = language
      self.motion = motion
      self.notify = notify
      self.signs = signs
      self.theme = theme
    }

    public struct Close: OpenEnum {
      public static let ask = Self(rawValue: "ask")
      public static let background = Self(rawValue: "background")
      public static let stop = Self(rawValue: "stop")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct Language: OpenEnum {
      public static let system = Self(rawValue: "system")
      public static let en = Self(rawValue: "en")
      public static let de = Self(rawValue: "de")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct Motion: OpenEnum {
      public static let system = Self(rawValue: "system")
      public static let less = Self(rawValue: "less")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct Signs: OpenEnum {
      public static let on = Self(rawValue: "on")
      public static let off = Self(rawValue: "off")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct Theme: OpenEnum {
      public static let system = Self(rawValue: "system")
      public static let light = Self(rawValue: "light")
      public static let dark = Self(rawValue: "dark")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }

  public struct Wizard: TaggedRecord {
    public var again: Bool?
    public var done: Bool
    /// the kind of place in which tasks work because there can be no workroom
    public var instead: String?
    public var steps: [WizardStep]
    public var etag = ETag()

    enum CodingKeys: CodingKey { case again, done, instead, steps }
  }

  public struct WizardAct: OpenEnum {
    public static let done = Self(rawValue: "done")
    public static let skip = Self(rawValue: "skip")
    public static let reset = Self(rawValue: "reset")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct WizardRequest: Codable, Hashable, Sendable {
    public var act: WizardAct

    public init(act: WizardAct) {
      self.act = act
    }
  }

  public struct WizardStep: Codable, Hashable, Sendable {
    public var acts: [WizardAct]
    public var admin: Bool?
    public var command: String?
    public var id: WizardStepId
    public var problems: [Int]
    public var state: WizardStepState
  }

  public struct WizardStepId: OpenEnum {
    public static let welcome = Self(rawValue: "welcome")
    public static let check = Self(rawValue: "check")
    public static let runtime = Self(rawValue: "runtime")
    public static let first = Self(rawValue: "first")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct WizardStepState: OpenEnum {
    public static let open = Self(rawValue: "open")
    public static let now = Self(rawValue: "now")
    public static let done = Self(rawValue: "done")
    public static let skipped = Self(rawValue: "skipped")
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct WriteRequest: Codable, Hashable, Sendable {
    /// the whole content, at most 16 MiB
    public var data: Data
    /// SHA-256 in hex that the file has to have, or absent where there must be none; without it whatever is there is replaced
    public var expect: String?
    /// directories on the way are made
    public var parents: Bool?
    /// as the task sees it, such as /folders/Letters/a.txt or /work/out
    public var path: String
    /// what the place where the task works has to be: elsewhere nothing is done
    public var requiresRuntime: Requirement?

    public init(data: Data, path: String, expect: String? = nil, parents: Bool? = nil, requiresRuntime: Requirement? = nil) {
      self.data = data
      self.expect = expect
      self.parents = parents
      self.path = path
      self.requiresRuntime = requiresRuntime
    }
  }

  public struct WrittenRule: Codable, Hashable, Sendable {
    /// the rule as it is written
    public var cedar: String
    /// why it may not do what it seems to, in English; nothing with one can be written anew
    public var doubt: String?
    public var effect: Effect
    /// other layers can only be stricter
    public var hard: Bool?
    public var id: String
    public var layer: Layer
    public var line: Int
    /// what the file says about it
    public var note: String?
    /// the rule in words
    public var said: String?

    public struct Effect: OpenEnum {
      public static let allow = Self(rawValue: "allow")
      public static let ask = Self(rawValue: "ask")
      public static let deny = Self(rawValue: "deny")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct Layer: OpenEnum {
      public static let managed = Self(rawValue: "managed")
      public static let yours = Self(rawValue: "yours")
      public static let `default` = Self(rawValue: "default")
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }
  }
}
