import Foundation

/// How a stream is opened again: so often without an event in between, after so many seconds, and each time twice as
/// many. One that says nothing for `silence` seconds broke.
enum Again {
  static let tries = 5
  static let pause = 0.2
  static let silence = 90.0
  static let longStood = 30.0  // seconds without an event, and yet no failure
}

/// A stream of events. After a break it goes on behind the last event that came. Events without a number that came
/// meanwhile are missing then; the parts of output are counted. One that is endless goes on where the server ends it,
/// too, until an event says that it is over.
final class Feed: @unchecked Sendable {
  private let piwork: Piwork
  private let path: String
  private let endless: Bool
  private let lock = NSLock()
  private var lines: Lines?
  private var begun = false
  private var last = ""  // what Last-Event-ID says
  private var tries = 0  // to open it again, without an event in between
  private var since = Date()  // it stands
  private var over = false

  init(_ piwork: Piwork, _ path: String, endless: Bool) { (self.piwork, self.path, self.endless) = (piwork, path, endless) }

  /// Opens it: what happens from then on is in it.
  func begin() async throws {
    let open = try await piwork.stream(path, after: lock.withLock { last })
    lock.withLock { (lines, begun, since) = (open, true, Date()) }
  }

  /// Lets go of it.
  func end() { lock.withLock { (lines, over) = (nil, true) } }

  /// The next event; nil at the end.
  func next<Event: Decodable>(_ type: Event.Type = Event.self) async throws -> Event? {
    while !lock.withLock({ over }) {
      do {
        if lock.withLock({ lines == nil }) { try await begin() }
        if let event: Event = try await following() { return event }
        end()
      } catch let error as PiworkError {
        let pause = lock.withLock { () -> Double? in
          if lines != nil, Date().timeIntervalSince(since) > Again.longStood { tries = 0 }
          lines = nil
          over = over || !begun || !error.passes || tries == Again.tries
          defer { tries += 1 }
          return over ? nil : Again.pause * pow(2, Double(tries))
        }
        guard let pause else { throw error }
        try await piwork.rest(max(pause, error.wait))
      }
    }
    return nil
  }

  private func following<Event: Decodable>() async throws -> Event? {
    guard var from = lock.withLock({ lines?.makeAsyncIterator() }) else { return nil }
    while let said = try await from.next() {
      guard let name = said.event else { continue }
      if name.hasSuffix(".over") { return nil }
      let event: Event = try said.value()
      let known = event as? Piwork.Event
      let number = said.number ?? known?.seq ?? 0  // an older program says none
      let begins = name == "file.change" && ["ready", "lost"].contains((event as? JSON)?["what"]?.string ?? "")  // as each watch does
      lock.withLock {
        if known?.kind == "reset" {
          last = "0"  // the numbers were another controller's, or are too old
        } else if number > 0 {
          last = String(number)
        }
        if !begins { tries = 0 }
      }
      return event
    }
    try _Concurrency.Task.checkCancellation()
    if endless { throw PiworkError.broken("the stream ended early") }
    return nil
  }
}
