import Foundation

extension Piwork.TaskState {
  /// A task in this state is over.
  public var isFinal: Bool { [.done, .failed, .cancelled].contains(self) }
}

extension Piwork {
  /// A task that was started here. Iterating over it gives its events until it is over; what is not heard by one
  /// iteration is heard by the next. They are one after the other: two at once would take events from each other.
  public final class StartedTask: AsyncSequence, @unchecked Sendable {
    public typealias Element = Event

    public let id: String
    private let piwork: Piwork
    private let events: Feed
    private let lock = NSLock()
    private var over = false  // the last one was heard
    private var part = 0  // of the output, that was heard last
    private var lost = false  // a part of it did not come

    init(_ piwork: Piwork, _ id: String, _ events: Feed) { (self.piwork, self.id, self.events) = (piwork, id, events) }

    public struct AsyncIterator: AsyncIteratorProtocol {
      let task: StartedTask

      public mutating func next() async throws -> Event? { try await task.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(task: self) }

    private func next() async throws -> Event? {
      while !lock.withLock({ over }) {
        guard let event: Event = try await events.next() else { throw PiworkError("the events of the task ended before it did") }
        if event.task != id { continue }
        lock.withLock { heard(event) }
        if lock.withLock({ over }) { events.end() }
        return event
      }
      return nil
    }

    private func heard(_ event: Event) {
      switch event {
      case .output(let output):
        guard let said = output.data.part, said > 0 else { return }
        lost = lost || said != part + 1
        part = said
      case .state(let state): over = state.data.state.isFinal
      default: break
      }
    }

    /// The record of the task, once it is over.
    public func wait() async throws -> Task {
      for try await _ in self {}
      return try await piwork.getTask(id)
    }

    /// What its program says until it is over, errors included. Where a part of that was lost with a connection, it is
    /// an error.
    public func output() async throws -> Data {
      var said = Data()
      for try await event in self {
        if case .output(let output) = event { said.append(output.data.data) }
      }
      if lock.withLock({ lost }) { throw PiworkError("some of the output was lost while the connection was broken") }
      return said
    }

    public func changes() async throws -> [Change] { try await piwork.listChanges(id) }

    public func undo() async throws -> UndoReport { try await piwork.undoTask(id, UndoRequest()) }

    public func cancel() async throws -> Task { try await piwork.cancelTask(id) }
  }
}
