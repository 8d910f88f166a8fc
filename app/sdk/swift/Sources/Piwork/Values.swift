import Foundation

/// An enumeration that may get more values: one that is not known here is kept as it is.
/// The name `none_` stands for "none", since `.none` of an optional is nil.
public protocol OpenEnum: RawRepresentable, Codable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible where RawValue == String {
  init(rawValue: String)
}

extension OpenEnum {
  public init(stringLiteral value: String) { self.init(rawValue: value) }
  public var description: String { rawValue }
}

/// The ETag of a record that was read by itself. It is no part of what the record says: two with other tags are
/// equal when they say the same.
public struct ETag: Hashable, Sendable {
  let value: String?

  init(_ value: String? = nil) { self.value = value }

  public static func == (_: ETag, _: ETag) -> Bool { true }
  public func hash(into _: inout Hasher) {}
}

/// A record that knows its ETag: see `Piwork.whileStill`.
public protocol TaggedRecord: Codable, Hashable, Sendable {
  var etag: ETag { get set }
}

/// What the API gives no type: any JSON.
public enum JSON: Codable, Hashable, Sendable {
  case null
  case bool(Bool)
  case int(Int)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  public init(from decoder: any Decoder) throws {
    let one = try decoder.singleValueContainer()
    if one.decodeNil() {
      self = .null
    } else if let value = try? one.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? one.decode(Int.self) {
      self = .int(value)
    } else if let value = try? one.decode(Double.self) {
      self = .number(value)
    } else if let value = try? one.decode(String.self) {
      self = .string(value)
    } else if let value = try? one.decode([JSON].self) {
      self = .array(value)
    } else {
      self = .object(try one.decode([String: JSON].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var one = encoder.singleValueContainer()
    switch self {
    case .null: try one.encodeNil()
    case .bool(let value): try one.encode(value)
    case .int(let value): try one.encode(value)
    case .number(let value): try one.encode(value)
    case .string(let value): try one.encode(value)
    case .array(let value): try one.encode(value)
    case .object(let value): try one.encode(value)
    }
  }

  /// A member of an object.
  public subscript(name: String) -> JSON? {
    if case .object(let members) = self { return members[name] }
    return nil
  }

  public var string: String? {
    if case .string(let value) = self { return value }
    return nil
  }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int) { self = .int(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(Dictionary(elements) { $1 }) }
}

/// A time as RFC 3339 has it. The fraction has up to nine digits, which ISO8601DateFormatter does not take.
func time(_ text: String) -> Date? {
  guard let dot = text.firstIndex(of: ".") else { return ISO8601DateFormatter().date(from: text) }
  let digits = text[dot...].dropFirst().prefix { ("0"..."9").contains($0) }
  let whole = String(text[..<dot]) + text[digits.endIndex...]
  guard !digits.isEmpty, let whole = ISO8601DateFormatter().date(from: whole), let fraction = Double("0.\(digits)") else { return nil }
  return whole.addingTimeInterval(fraction)
}

func text(_ time: Date) -> String {
  let formatter = ISO8601DateFormatter()
  formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
  return formatter.string(from: time)
}

func decode<T: Decodable>(_ type: T.Type, _ data: Data) throws -> T {
  let decoder = JSONDecoder()
  decoder.dateDecodingStrategy = .custom { decoder in
    let said = try decoder.singleValueContainer().decode(String.self)
    guard let value = time(said) else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "\(said) is no time"))
    }
    return value
  }
  do {
    return try decoder.decode(type, from: data)
  } catch {
    throw PiworkError("the answer of piwork is not what its API says: \(error)")
  }
}

func encode(_ value: some Encodable) throws -> Data {
  let encoder = JSONEncoder()
  encoder.dateEncodingStrategy = .custom { time, encoder in
    var one = encoder.singleValueContainer()
    try one.encode(text(time))
  }
  return try encoder.encode(value)
}

/// A UUIDv7 (RFC 9562, section 5.7).
func newID() -> String {
  var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
  let milliseconds = UInt64(Date().timeIntervalSince1970 * 1000)
  for i in 0..<6 { bytes[i] = UInt8(truncatingIfNeeded: milliseconds >> (8 * (5 - i))) }
  bytes[6] = bytes[6] & 0x0f | 0x70
  bytes[8] = bytes[8] & 0x3f | 0x80
  let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
  return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { hex[$0].joined() }.joined(separator: "-")
}

/// The path of a request. Values are escaped: a slash in one begins no other path.
func requestPath(_ at: String, path: [String: String] = [:], query: KeyValuePairs<String, (any Sendable)?> = [:]) -> String {
  var made = at
  for (name, value) in path { made = made.replacingOccurrences(of: "{\(name)}", with: escaped(value)) }
  let given = query.compactMap { name, value in value.map { "\(name)=\(escaped(queryText($0)))" } }
  return given.isEmpty ? made : made + "?" + given.joined(separator: "&")
}

private func queryText(_ value: Any) -> String {
  switch value {
  case let value as Date: return text(value)
  case let values as [Any]: return values.map(queryText).joined(separator: ",")
  default: return "\(value)"
  }
}

private let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

private func escaped(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "" }
