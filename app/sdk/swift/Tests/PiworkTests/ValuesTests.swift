// What a server may say, and what goes to it: without one.
import XCTest

@testable import Piwork

final class ValuesTests: XCTestCase {
  func testTimes() throws {
    XCTAssertEqual(time("1970-01-01T00:00:01Z")?.timeIntervalSince1970, 1)
    XCTAssertEqual(try XCTUnwrap(time("1970-01-01T02:00:01.123456789+02:00")).timeIntervalSince1970, 1.123456789, accuracy: 1e-6)
    XCTAssertEqual(text(Date(timeIntervalSince1970: 1.5)), "1970-01-01T00:00:01.500Z")
    for wrong in ["", ".", "yesterday", "1970-01-01", "1970-01-01T00:00:01.Z"] { XCTAssertNil(time(wrong), wrong) }
  }

  func testValuesThatAreNotKnown() throws {
    XCTAssertEqual(try decode([Piwork.TaskState].self, Data(#"["done","dreaming"]"#.utf8)), [.done, Piwork.TaskState(rawValue: "dreaming")])
    let said = #"{"v":1,"seq":9007199254740993,"time":"2026-01-02T03:04:05Z","task":"t","kind":"dream","data":{"of":[1,2.5,null,"x"]},"more":1}"#
    let event = try decode(Piwork.Event.self, Data(said.utf8))
    guard case .other(let other) = event else { return XCTFail("\(event)") }
    XCTAssertEqual(other.data, ["of": [1, 2.5, nil, "x"]])
    XCTAssertEqual(event.seq, 9_007_199_254_740_993)
    XCTAssertEqual(event.kind, "dream")
  }

  func testEvents() throws {
    let said = #"{"v":1,"seq":0,"time":"2026-01-02T03:04:05.678901Z","task":"t","kind":"output","data":{"stream":"stdout","data":"aGk="}}"#
    let event = try decode(Piwork.Event.self, Data(said.utf8))
    guard case .output(let output) = event else { return XCTFail("\(event)") }
    XCTAssertEqual(output.data.data, Data("hi".utf8))
    XCTAssertEqual(try decode(Piwork.Event.self, encode(event)).kind, "output")
  }

  func testRequests() throws {
    XCTAssertEqual(
      requestPath("/v1/a/{id}/{b}", path: ["id": "../x?y", "b": "ü%"], query: ["none": nil as Int?, "yes": true, "n": 7, "of": ["done", "a,b&c"] as [Piwork.TaskState], "to": "a b+c"]),
      "/v1/a/..%2Fx%3Fy/%C3%BC%25?yes=true&n=7&of=done%2Ca%2Cb%26c&to=a%20b%2Bc")
    let body = try decode(JSON.self, encode(Piwork.StartRequest(folders: [], kind: .exec, stdin: Data([0, 255]))))
    XCTAssertEqual(body, ["folders": [], "kind": "exec", "stdin": "AP8="])
    let id = newID()
    XCTAssertNotNil(id.range(of: "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$", options: .regularExpression), id)
  }

  func testLanguages() throws {
    for wrong in ["de\n", "de\r\nX-Y: z", "de_DE", "dé", String(repeating: "de", count: 51)] {
      XCTAssertThrowsError(try Piwork(language: wrong), wrong) { XCTAssert("\($0)".contains("is not a language"), "\($0)") }
      XCTAssertThrowsError(try Piwork(url: "http://127.0.0.1", token: "", language: wrong), wrong) { XCTAssert($0 is PiworkError, "\($0)") }
    }
    XCTAssertEqual(try inLanguage("de-AT, en;q=0.5, *;q=0.1"), ["Accept-Language": "de-AT, en;q=0.5, *;q=0.1"])
    XCTAssertEqual(try inLanguage(""), [:])
  }

  func testNextPage() {
    XCTAssertEqual(nextPage(#"</v1/tasks?cursor=a>; rel="next""#), "/v1/tasks?cursor=a")
    for other in [nil, "", #"<https://evil.example/v1/x>; rel="next""#, #"</v1/tasks>; rel="prev""#] { XCTAssertNil(nextPage(other)) }
  }

  func testWrongAnswers() {
    for (body, type) in [(Said.Body.none, "none"), (.bytes(Data([1])), "bytes"), (.json(Data("{".utf8)), "cut"), (.json(Data("{}".utf8)), "empty")] {
      XCTAssertThrowsError(try Said(status: 200, body: body).value(Piwork.Task.self), type) { XCTAssert($0 is PiworkError, "\($0)") }
    }
    XCTAssertThrowsError(try Said(status: 502, body: .bytes(Data("<html>".utf8))).checked()) { XCTAssertEqual("\($0)", "HTTP 502") }
  }

  func testLines() throws {
    var splitter = LineSplitter(limit: 8)
    XCTAssertEqual(try splitter.lines(Data("a".utf8)), [])
    XCTAssertEqual(try splitter.lines(Data("b\n\nc".utf8)), [Data("ab".utf8), Data()])
    XCTAssertEqual(try splitter.lines(Data("\n".utf8)), [Data("c".utf8)])
    XCTAssertThrowsError(try splitter.lines(Data(count: 9)))
  }
}
