import Foundation

/// An answer that is no success, or none. `code` is what programs go by; "" where nothing answered.
public struct PiworkError: LocalizedError, CustomStringConvertible, Sendable {
  public let description: String
  public let status: Int
  public let problem: Piwork.Problem?
  public internal(set) var wait = 0.0  // seconds that the controller asks to wait

  let brokeOff: Bool  // no answer, or one that broke off

  public var code: String { problem?.code ?? "" }
  public var errorDescription: String? { description }

  init(_ description: String, status: Int = 0, problem: Piwork.Problem? = nil, broken: Bool = false) {
    self.description = description
    self.status = status
    self.problem = problem
    brokeOff = broken
  }

  /// No answer, or one that broke off.
  static func broken(_ why: String) -> PiworkError { PiworkError("piwork does not answer: \(why)", broken: true) }

  /// It is worth another try.
  var passes: Bool { brokeOff || status >= 500 }
}

/// The sentences of a problem.
func sentences(_ title: String?, _ detail: String?) -> String {
  let title = title ?? "", detail = detail ?? ""
  if title.isEmpty || detail.isEmpty { return title + detail }
  return title + (title.hasSuffix(".") || title.hasSuffix("!") || title.hasSuffix("?") ? " " : ". ") + detail
}

/// What is said to a request, as `piwork serve --stdio` says it: one, or those of a stream.
struct Said: Sendable {
  enum Body {
    case none
    case json(Data)
    case member(Data)  // body, of an object of JSON
    case bytes(Data)
  }

  var status = 0
  var headers: [String: String] = [:]
  var body = Body.none
  var stream = false
  var event: String?  // its name
  var number: Int?  // of the event, which Last-Event-ID names

  /// The seconds that it asks to wait before the next request, 0 where it does not.
  var wait: Double {
    guard let wait = headers["Retry-After"].flatMap(Double.init), wait.isFinite else { return 0 }
    return min(max(wait, 0), longestWait)
  }

  func value<T: Decodable>(_ type: T.Type = T.self) throws -> T {
    let value = try content(type)
    guard let tag = headers["Etag"], var record = value as? any TaggedRecord else { return value }
    record.etag = ETag(tag)
    return record as? T ?? value
  }

  private func content<T: Decodable>(_ type: T.Type) throws -> T {
    switch body {
    case .json(let data): return try decode(type, data)
    case .member(let data): return try decode(Member<T>.self, data).body
    case .none, .bytes: throw PiworkError("the answer of piwork is no JSON", status: status)
    }
  }

  /// The bytes of an answer; those of JSON may be spaced in another way than they were.
  func bytes() throws -> Data {
    switch body {
    case .none: return Data()
    case .json(let data), .bytes(let data): return data
    case .member: return try encode(value(JSON.self))
    }
  }

  /// Throws the problem that an answer is.
  func checked() throws -> Said {
    if status < 400 { return self }
    let problem = try? value(Piwork.Problem.self)
    var said = sentences(problem?.title, problem?.detail)
    if let problem, problem.code == "bad-request", let wrong = problem.details, !wrong.isEmpty { said += " (\(wrong))" }
    var error = PiworkError(said.isEmpty ? "HTTP \(status)" : said, status: status, problem: problem)
    error.wait = wait
    throw error
  }
}

private struct Member<T: Decodable>: Decodable { var body: T }

typealias Lines = AsyncThrowingStream<Said, any Error>

/// A way to the controller.
protocol Way: Sendable {
  /// What is said to a request. To let go of it, or to end its iteration's task, ends the request.
  func lines(_ method: String, _ path: String, _ body: (any Encodable & Sendable)?, _ headers: [String: String]) throws -> Lines
  func close() async
}

/// Seconds that a controller is believed.
let longestWait = 60.0

/// Waits that end when their owner is closed.
final class Rests: @unchecked Sendable {
  private let lock = NSLock()
  private var closed = false
  private var last = 0
  private var waiting: [Int: Task<Void, any Error>] = [:]

  func rest(_ seconds: Double) async throws {
    let sleep = Task { try await Task.sleep(nanoseconds: UInt64(seconds * 1e9)) }
    let id = lock.withLock { () -> Int in
      if closed { sleep.cancel() }
      last += 1
      waiting[last] = sleep
      return last
    }
    defer { lock.withLock { waiting[id] = nil } }
    do {
      try await withTaskCancellationHandler {
        try await sleep.value
      } onCancel: {
        sleep.cancel()
      }
    } catch {
      try Task.checkCancellation()
      throw PiworkError("piwork was closed")
    }
  }

  func close() {
    lock.withLock {
      closed = true
      for one in waiting.values { one.cancel() }
    }
  }
}

/// Bytes of an answer, or of an event, that are taken.
let maxAnswer = 128 << 20

/// Lines of text that come in pieces.
struct LineSplitter {
  private let limit: Int
  private var rest = Data()

  init(limit: Int = maxAnswer) { self.limit = limit }

  /// The lines that a piece ends.
  mutating func lines(_ piece: Data) throws -> [Data] {
    rest.append(piece)
    if !piece.contains(UInt8(ascii: "\n")) {
      if rest.count > limit { throw PiworkError("an answer of piwork has more than \(limit) bytes") }
      return []
    }
    var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    rest = Data(lines.popLast() ?? Data())
    return lines.map { Data($0) }
  }
}

/// Server-sent events of lines (WHATWG HTML, section 9.2.6). One that is cut off is none.
struct EventReader {
  private var name = ""
  private var number = 0
  private var data = Data()

  /// The event that a line ends.
  mutating func event(_ line: Data) throws -> Said? {
    let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    if line.isEmpty {
      defer { (name, number, data) = ("", 0, Data()) }
      return data.isEmpty ? nil : Said(body: .json(data.dropLast()), event: name.isEmpty ? "message" : name, number: number)
    }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "event": name = String(decoding: value, as: UTF8.self)
    case "id": number = Int(String(decoding: value, as: UTF8.self)) ?? 0
    case "data": data += value + [UInt8(ascii: "\n")]
    default: break
    }
    if data.count > maxAnswer { throw PiworkError("an event of piwork has more than \(maxAnswer) bytes") }
    return nil
  }
}
