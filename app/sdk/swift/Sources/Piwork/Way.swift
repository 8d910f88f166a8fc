import Foundation

/// An answer that is no success, or none. `code` is what programs go by; "" where nothing answered.
public struct PiworkError: LocalizedError, CustomStringConvertible, Sendable {
  public let description: String
  public let status: Int
  public let problem: Piwork.Problem?

  public var code: String { problem?.code ?? "" }
  public var errorDescription: String? { description }

  init(_ description: String, status: Int = 0, problem: Piwork.Problem? = nil) {
    self.description = description
    self.status = status
    self.problem = problem
  }
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
  var event = false

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
    let said = sentences(problem?.title, problem?.detail)
    throw PiworkError(said.isEmpty ? "HTTP \(status)" : said, status: status, problem: problem)
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
