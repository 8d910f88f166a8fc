// What each SDK can do, against a real piwork. The same stands in ../../../python/test_piwork.py, in
// ../../../typescript/piwork.test.ts and in ../../../sdk_vm_test.go.
// PIWORK_BIN is the program; with PIWORK_URL and PIWORK_TOKEN it is HTTP.
import XCTest

@testable import Piwork

final class PiworkTests: XCTestCase {
  private let given = ProcessInfo.processInfo.environment
  private lazy var piwork = open()
  private lazy var folder = given["PIWORK_TEST_FOLDER"] ?? temporary()
  private lazy var inside = "/folders/" + URL(fileURLWithPath: folder).lastPathComponent

  private func open() -> Piwork {
    if let url = given["PIWORK_URL"] { return Piwork(url: url, token: given["PIWORK_TOKEN"] ?? "") }
    return Piwork(program: given["PIWORK_BIN"] ?? "")
  }

  private func temporary() -> String {
    let made = URL(fileURLWithPath: given["PIWORK_TEST_DIR"] ?? "").appendingPathComponent("swift" + newID())
    XCTAssertNoThrow(try FileManager.default.createDirectory(at: made, withIntermediateDirectories: false))
    return made.path
  }

  private func here(_ request: inout Piwork.StartRequest) { request.runtime = given["PIWORK_TEST_RUNTIME"] }

  private func there() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder) }

  override func tearDown() async throws { await piwork.close() }

  func testFirstProgram() async throws {
    let task = try await piwork.run(["sh", "-c", "echo hi; sort -r > \(inside)/sorted.txt </dev/null"], folders: [folder: .rw], here)
    var kinds: [String] = []
    for try await event in task { kinds.append(event.kind) }
    XCTAssertEqual([kinds.first, kinds.last], ["state", "state"])
    XCTAssert(kinds.contains("output"))
    let record = try await task.wait()
    XCTAssertEqual(record.state, .done)
    let changes = try await task.changes()
    XCTAssertEqual(changes.map(\.path), ["sorted.txt"])
    XCTAssertEqual(changes.map(\.effect), [.create])
    XCTAssert(try there().contains("sorted.txt"))
    let report = try await task.undo()
    XCTAssertEqual(report.undone.count, 1)
    XCTAssertFalse(try there().contains("sorted.txt"))
  }

  func testOutputAndStatus() async throws {
    let task = try await piwork.run(["sh", "-c", "seq 20000; exit 3"], here)
    let said = try await task.output()
    XCTAssertEqual(said, Data((1...20000).map { "\($0)\n" }.joined().utf8))
    let record = try await task.wait()
    XCTAssertEqual(record.exitCode, 3)
  }

  func testRefused() async throws {
    try await refused("not-found", 404) { _ = try await self.piwork.getTask("none") }
    try await refused("bad-request", 400) { _ = try await self.piwork.start(.init(folders: [], kind: .exec, argv: [])) }
  }

  func testRefusedInGerman() async throws {
    let other: Piwork
    if let url = given["PIWORK_URL"] {
      other = try Piwork(url: url, token: given["PIWORK_TOKEN"] ?? "", language: "de")
    } else {
      other = try Piwork(program: given["PIWORK_BIN"] ?? "", language: "de")
    }
    do {
      _ = try await other.getTask("none")
      XCTFail("not refused")
    } catch let error as PiworkError {
      XCTAssert(error.description.contains("gibt es nicht"), error.description)
    }
    await other.close()
  }

  private func refused(_ code: String, _ status: Int, _ what: () async throws -> Void) async throws {
    do {
      try await what()
      XCTFail("not refused")
    } catch let error as PiworkError {
      XCTAssertEqual(error.code, code)
      XCTAssertEqual(error.status, status)
      XCTAssertEqual("\(error)".contains("(argv: "), code == "bad-request", "\(error)")
    }
  }

  func testProblemInSentences() throws {
    for (title, detail, text) in [("It failed", "Try again.", "It failed. Try again."), ("Which?", "Say it.", "Which? Say it."), ("Gone", "", "Gone"), ("", "", "HTTP 500")] {
      let problem = try encode(["title": title, "detail": detail, "code": "x", "severity": "error", "cause": ""] as [String: String])
      let body = Data(problem.dropLast() + Data(#","fix":[]}"#.utf8))
      XCTAssertThrowsError(try Said(status: 500, body: .json(body)).checked()) { XCTAssertEqual("\($0)", text) }
    }
  }

  func testNoProgram() async throws {
    let other = Piwork(program: "piwork-that-is-not-there")
    for _ in 0..<2 {
      do {
        _ = try await other.getTask("none")
        XCTFail("it was there")
      } catch let error as PiworkError {
        XCTAssert(error.description.hasPrefix("cannot start piwork-that-is-not-there: "), error.description)
        XCTAssert(error.description.contains("Piwork(program:"), error.description)
      }
    }
    await other.close()
  }

  func testPathsOfAnotherComputer() {
    XCTAssertEqual(Piwork(url: "https://piwork.example", token: "t").path("~/Lists"), "~/Lists")
    XCTAssertEqual(Piwork().path("~/Lists"), FileManager.default.homeDirectoryForCurrentUser.path + "/Lists")
  }

  func testCancel() async throws {
    let task = try await piwork.run(["sleep", "1000"], here)
    for try await event in task {
      if case .step(let step) = event, step.data.step == "run" { break }
    }
    _ = try await task.cancel()
    let record = try await piwork.getTask(task.id)
    XCTAssertEqual(record.state, .cancelled)
  }

  func testPages() async throws {
    var started: [Piwork.StartedTask] = []
    for _ in 0..<3 { started.append(try await piwork.run(["true"], here)) }
    for task in started { _ = try await task.wait() }
    let one = try await piwork.listTasks(limit: 1)
    XCTAssertEqual(one.count, 1)
    var seen: [String] = []
    for try await task in piwork.allTasks(limit: 2) { seen.append(task.id) }
    XCTAssertEqual(seen.count, Set(seen).count)
    XCTAssert(Set(started.map(\.id)).isSubset(of: seen))
  }

  func testWhileStill() async throws {
    let task = try await piwork.run(["true"], here)
    let seen = try await task.wait()
    let renamed = try await piwork.whileStill(seen).renameTask(task.id, .init(title: "a"))
    XCTAssertEqual(renamed.title, "a")
    try await refused("changed", 412) { _ = try await self.piwork.whileStill(seen).renameTask(task.id, .init(title: "b")) }
    let now = try await piwork.getTask(task.id)
    XCTAssertEqual(now.title, "a")
    let untold = try await piwork.listTasks(limit: 1)
    XCTAssertThrowsError(try piwork.whileStill(XCTUnwrap(untold.first))) { XCTAssert($0 is PiworkError) }
  }

  func testCloseEndsTasks() async throws {
    let other = open()
    let task = try await other.run(["sleep", "1000"], here)
    await other.close()
    var state = Piwork.TaskState.queued
    while !state.isFinal {
      state = try await piwork.getTask(task.id).state
      try await Task.sleep(nanoseconds: 50_000_000)
    }
    XCTAssertEqual(state, .cancelled)
  }

  func testAtOnce() async throws {
    let piwork = piwork, runtime = given["PIWORK_TEST_RUNTIME"]
    let said = try await withThrowingTaskGroup(of: (Int, Data).self) { group in
      for n in 0..<4 {
        group.addTask { (n, try await piwork.run(["echo", "\(n)"]) { $0.runtime = runtime }.output()) }
      }
      return try await group.reduce(into: [Int: Data]()) { $0[$1.0] = $1.1 }
    }
    XCTAssertEqual(said, [0: Data("0\n".utf8), 1: Data("1\n".utf8), 2: Data("2\n".utf8), 3: Data("3\n".utf8)])
  }
}
