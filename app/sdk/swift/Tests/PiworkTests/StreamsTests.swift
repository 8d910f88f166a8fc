// Streams that break, as ../../../sdktest has them. The same stands in ../../../python/test_streams.py, in
// ../../../typescript/streams.test.ts and in ../../../piwork/streams_test.go.
// PIWORK_TEST_STREAMS is the address of the server that plays them.
import XCTest

@testable import Piwork

final class StreamsTests: XCTestCase {
  private struct Row: Decodable, Sendable {
    let name, stream, program, language, output, code, error: String
    let heard: [Int]
    let asked: [String]
    let status: Int
  }

  private struct Played: Sendable {
    var heard: [Int] = []
    var output = ""
    var error: (any Error)?
  }

  private let address = ProcessInfo.processInfo.environment["PIWORK_TEST_STREAMS"] ?? ""

  private func get<T: Decodable>(_ path: String, _ token: String = "") async throws -> T {
    let way = HTTP(address, token)
    for try await said in try way.lines("GET", path, nil, [:]) {
      await way.close()
      return try said.value()
    }
    throw PiworkError("no answer")
  }

  private static func play(_ row: Row, _ piwork: Piwork) async -> Played {
    var played = Played()
    do {
      switch row.stream {
      case "output":
        let output = try await piwork.run(["x"]) { $0.detached = true }.output()
        played.output = String(decoding: output, as: UTF8.self)
      case "request":
        _ = try await piwork.getTask("none")
      case "agent":
        for try await event in piwork.streamAgentEvents("x") {
          if case .int(let seq)? = event["seq"] { played.heard.append(seq) }
        }
      case "watch":
        for try await _ in piwork.watchFiles("x", path: "/x") { played.heard.append(played.heard.count + 1) }
      default:
        for try await event in piwork.streamEvents() { played.heard.append(event.seq) }
      }
    } catch {
      played.error = error
    }
    await piwork.close()
    return played
  }

  func testStreamsGoOn() async throws {
    let rows: [Row] = try await get("/table")
    XCTAssertFalse(rows.isEmpty)
    let address = address
    let tokens = rows.indices.map { "\($0).\(newID())" }
    let clients = try rows.indices.map { i in
      let row = rows[i]
      return try row.program.isEmpty ? Piwork(url: address, token: tokens[i], language: row.language) : Piwork(program: row.program, language: row.language)
    }
    let played = await withTaskGroup(of: (Int, Played).self) { group in  // at once: they wait before they try again
      for (i, row) in rows.enumerated() {
        let piwork = clients[i]
        group.addTask { (i, await Self.play(row, piwork)) }
      }
      return await group.reduce(into: [Int: Played]()) { $0[$1.0] = $1.1 }
    }
    for (i, row) in rows.enumerated() {
      let one = try XCTUnwrap(played[i])
      let why = "\(row.name): \(String(describing: one.error))"
      XCTAssertEqual(one.heard, row.heard, why)
      XCTAssertEqual(one.output, row.output, why)
      if row.program.isEmpty {
        let asked: [String] = try await get("/asked", tokens[i])
        XCTAssertEqual(asked, row.asked, why)
      }
      if row.status == 0 && row.error.isEmpty {
        XCTAssertNil(one.error, why)
        continue
      }
      let error = try XCTUnwrap(one.error as? PiworkError, why)
      XCTAssertEqual(error.status, row.status, why)
      XCTAssertEqual(error.code, row.code, why)
      XCTAssert(row.error.isEmpty || error.description.contains(row.error), why)
    }
  }

  /// One that its client closes is not opened again, whether it stands or waits.
  func testClosed() async throws {
    for (row, events) in [("0", 2), ("stands", 1)] {
      let token = "\(row).\(newID())"
      let piwork = Piwork(url: address, token: token)
      var iterator = piwork.streamEvents().makeAsyncIterator()
      for _ in 0..<events { _ = try await iterator.next() }
      async let closed: Void = piwork.close()
      do {
        _ = try await iterator.next()
        XCTFail("\(row): an event")
      } catch {
        XCTAssertEqual("\(error)", "piwork was closed", row)
      }
      await closed
      let asked: [String] = try await get("/asked", token)
      XCTAssertEqual(asked, [""], row)
    }
  }

  /// A stream that says nothing for long broke; all else may be silent.
  func testSilence() async throws {
    for (accept, breaks) in [("text/event-stream", true), ("*/*", false)] {
      let way = HTTP(address, "stands.\(newID())", silence: 1)
      let began = Date()
      let lines = try way.lines("GET", "/v1/events", nil, ["Accept": accept])
      let closes = _Concurrency.Task {
        try await _Concurrency.Task.sleep(nanoseconds: 4_000_000_000)
        await way.close()
      }
      do {
        for try await _ in lines {}
        XCTFail("\(accept): it has an end")
      } catch {
        XCTAssertEqual((error as? PiworkError)?.brokeOff, true, accept)
        XCTAssertEqual(Date().timeIntervalSince(began) < 3, breaks, accept)
      }
      if breaks {
        closes.cancel()
        await way.close()
      }
    }
  }

  func testRests() async throws {
    let rests = Rests()
    try await rests.rest(0)
    let waits = _Concurrency.Task { try await rests.rest(3600) }
    rests.close()
    for rest in [waits, _Concurrency.Task { try await rests.rest(3600) }] {
      do {
        try await rest.value
        XCTFail("an hour has passed")
      } catch {
        XCTAssertEqual("\(error)", "piwork was closed")
      }
    }
  }

  func testEventReader() throws {
    for (text, want) in [
      ("data: a\n\n", ["message a"]), (": hi\n\nid: 1\ndata: a\n\n", ["message a"]), ("data:a\r\n\r\n", ["message a"]),
      ("event: x.over\ndata: {}\n\ndata: b\n\n", ["x.over {}", "message b"]), ("data: a\ndata: b\n\n", ["message a\nb"]),
      ("data: a\n\ndata: b\n", ["message a"]), ("event: x\n\n", []), ("data: a\n\ndata: b", ["message a"]), ("", []),
    ] {
      var splitter = LineSplitter(), reader = EventReader()
      var got: [String] = []
      for byte in Array(text.utf8) {
        for line in try splitter.lines(Data([byte])) {
          guard let said = try reader.event(line) else { continue }
          got.append("\(said.event ?? "") \(String(decoding: try said.bytes(), as: UTF8.self))")
        }
      }
      XCTAssertEqual(got, want, text)
    }
  }
}
