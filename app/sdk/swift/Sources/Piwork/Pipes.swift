import Foundation

private let gone = "`piwork serve --stdio` has ended, and with it its requests and streams. Make a new Piwork()"

/// `piwork serve --stdio`, and lines of JSON. One thread reads and one writes, since both wait; `lock` is held
/// for what follows it, and never while one of them does.
final class Pipes: Way, @unchecked Sendable {
  private let program: String
  private let environment: [String: String]
  private let lock = NSLock()
  private var running: Running?
  private var waiting: [Int: Lines.Continuation] = [:]
  private var last = 0
  private var ended = ""  // why it has
  private var closing: [CheckedContinuation<Void, Never>] = []

  private struct Running {
    let process: Process
    let writer: Writer
    let output: Pipe
  }

  init(_ program: String, _ environment: [String: String]?) {
    self.program = program
    self.environment = environment ?? ProcessInfo.processInfo.environment
  }

  private struct Request: Encodable {
    let id: Int, method: String, path: String
    let headers: [String: String]
    let body: (any Encodable & Sendable)?

    enum CodingKeys: CodingKey { case id, method, path, headers, body }

    func encode(to encoder: any Encoder) throws {
      var all = encoder.container(keyedBy: CodingKeys.self)
      try all.encode(id, forKey: .id)
      try all.encode(method, forKey: .method)
      try all.encode(path, forKey: .path)
      if !headers.isEmpty { try all.encode(headers, forKey: .headers) }
      if let body { try all.encode(body, forKey: .body) }
    }
  }

  private struct Cancel: Encodable {
    let id: Int
    var cancel = true
  }

  /// A line without its body, which is read by who knows its type.
  private struct Line: Decodable {
    var id: Int
    var status: Int?
    var headers: [String: String]?
    var data: Data?
    var stream, end: Bool?
    var event, error: String?
    var number: Int?
  }

  func lines(_ method: String, _ path: String, _ body: (any Encodable & Sendable)?, _ headers: [String: String]) throws -> Lines {
    try lock.withLock {
      if !ended.isEmpty { throw PiworkError(ended) }
      let to = try running ?? launch()
      last += 1
      let id = last
      let line = try encode(Request(id: id, method: method, path: path, headers: headers, body: body))
      let (lines, continuation) = Lines.makeStream()
      waiting[id] = continuation
      continuation.onTermination = { [weak self] why in
        if case .cancelled = why { self?.cancel(id) }
      }
      to.writer.write(line)
      return lines
    }
  }

  private func cancel(_ id: Int) {
    lock.withLock {
      guard waiting.removeValue(forKey: id) != nil, let line = try? encode(Cancel(id: id)) else { return }
      running?.writer.write(line)
    }
  }

  private func launch() throws -> Running {
    let process = Process(), input = Pipe(), output = Pipe()
    process.executableURL = try found()
    process.arguments = ["serve", "--stdio"]
    process.environment = environment
    process.standardInput = input
    process.standardOutput = output
    do {
      try process.run()
    } catch {
      throw cannotStart(error.localizedDescription)
    }
    let made = Running(process: process, writer: Writer(input.fileHandleForWriting), output: output)
    running = made
    Thread.detachNewThread { [self] in
      let why = readAll(made.output.fileHandleForReading)
      made.writer.end()
      awaitEnd(process)
      over(why)
    }
    return made
  }

  /// Waits until a program has ended. On Linux Process also waits for what that left in the background, which is
  /// the controller: this program would not end before it.
  private func awaitEnd(_ process: Process) {
    #if os(Linux)
      while waitpid(process.processIdentifier, nil, 0) < 0 && errno == EINTR {}
    #else
      process.waitUntilExit()
    #endif
  }

  /// The program: a path, or a name that the PATH has.
  private func found() throws -> URL {
    if program.contains("/") { return URL(fileURLWithPath: program) }
    for directory in (environment["PATH"] ?? "").split(separator: ":") {
      let file = URL(fileURLWithPath: String(directory)).appendingPathComponent(program)
      if FileManager.default.isExecutableFile(atPath: file.path) { return file }
    }
    throw cannotStart("it is not in the PATH")
  }

  private func cannotStart(_ why: String) -> PiworkError {
    PiworkError("cannot start \(program): \(why). Name the program: Piwork(program: …)")
  }

  /// Reads lines to their end, and says why that is.
  private func readAll(_ from: FileHandle) -> String {
    var splitter = LineSplitter()
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(from.fileDescriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return gone }
      do {
        for line in try splitter.lines(Data(buffer[..<count])) { try hear(line) }
      } catch {
        return "\(error)"
      }
    }
  }

  private func hear(_ text: Data) throws {
    let line = try decode(Line.self, text)
    let open = line.stream == true || line.event != nil
    guard let to = lock.withLock({ open ? waiting[line.id] : waiting.removeValue(forKey: line.id) }) else { return }
    if let error = line.error {
      to.finish(throwing: line.status.map { PiworkError(error, status: $0) } ?? .broken(error))
    } else if line.end == true {
      to.finish()
    } else {
      let body = line.data.map { Said.Body.bytes($0) } ?? .member(text)
      to.yield(Said(status: line.status ?? 0, headers: line.headers ?? [:], body: body, stream: line.stream == true, event: line.event, number: line.number))
      if !open { to.finish() }
    }
  }

  private func over(_ why: String) {
    let (all, closers) = lock.withLock {
      ended = why
      defer { (waiting, closing) = ([:], []) }
      return (waiting.values, closing)
    }
    for one in all { one.finish(throwing: PiworkError(why)) }
    for one in closers { one.resume() }
  }

  func close() async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      let writer = lock.withLock { () -> Writer? in
        guard ended.isEmpty, let running else {
          ended = ended.isEmpty ? "piwork was closed" : ended
          return nil
        }
        closing.append(done)
        return running.writer
      }
      if let writer { writer.end() } else { done.resume() }
    }
  }
}

/// Writes lines in their order, in a thread of its own: there the end of the reader is an error (EPIPE) and
/// no signal, which would end the program.
private final class Writer: @unchecked Sendable {
  private let file: FileHandle
  private let changed = NSCondition()
  private var lines: [Data] = []
  private var ending = false

  init(_ file: FileHandle) {
    self.file = file
    Thread.detachNewThread { [self] in
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      while let line = next(), send(line) {}
      try? file.close()
    }
  }

  func write(_ line: Data) { change { lines.append(line + [UInt8(ascii: "\n")]) } }

  /// Closes the file, after what was written.
  func end() { change { ending = true } }

  private func change(_ how: () -> Void) {
    changed.lock()
    how()
    changed.signal()
    changed.unlock()
  }

  private func next() -> Data? {
    changed.lock()
    defer { changed.unlock() }
    while lines.isEmpty && !ending { changed.wait() }
    return lines.isEmpty ? nil : lines.removeFirst()
  }

  private func send(_ line: Data) -> Bool {
    line.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Foundation.write(file.fileDescriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0 && errno != EINTR { return false }
        rest = rest.dropFirst(max(0, count))
      }
      return true
    }
  }
}
