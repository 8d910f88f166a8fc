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
    private let lock = NSLock()
    private var events: Lines?  // nil when the last one was heard

    init(_ piwork: Piwork, _ id: String, _ events: Lines) { (self.piwork, self.id, self.events) = (piwork, id, events) }

    public struct AsyncIterator: AsyncIteratorProtocol {
      let task: StartedTask

      public mutating func next() async throws -> Event? { try await task.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(task: self) }

    private func next() async throws -> Event? {
      guard var from = lock.withLock({ events?.makeAsyncIterator() }) else { return nil }
      while let said = try await from.next() {
        guard said.event, case let event = try said.value(Event.self), event.task == id else { continue }
        if case .state(let state) = event, state.data.state.isFinal { lock.withLock { events = nil } }
        return event
      }
      try _Concurrency.Task.checkCancellation()
      throw PiworkError("the events of the task ended before it did")
    }

    /// The record of the task, once it is over.
    public func wait() async throws -> Task {
      for try await _ in self {}
      return try await piwork.getTask(id)
    }

    /// What its program says until it is over, errors included.
    public func output() async throws -> Data {
      var said = Data()
      for try await event in self {
        if case .output(let output) = event { said.append(output.data.data) }
      }
      return said
    }

    public func changes() async throws -> [Change] { try await piwork.listChanges(id) }

    public func undo() async throws -> UndoReport { try await piwork.undoTask(id, UndoRequest()) }

    public func cancel() async throws -> Task { try await piwork.cancelTask(id) }
  }
}
