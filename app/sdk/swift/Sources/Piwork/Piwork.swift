import Foundation

/// piwork, for programs: the operations of the API, and a few that make a first program short.
///
///     let piwork = Piwork()
///     let task = try await piwork.run(["sort", "-o", "/folders/Lists/sorted.txt", "/folders/Lists/names.txt"], folders: ["/home/me/Lists": .rw])
///     for try await event in task { print(event.kind, event.data) }
///     print(try await task.changes(), try await task.undo())
///     await piwork.close()
///
/// Without a url it starts `program serve --stdio`, which starts piwork in the background where it does not run.
/// With a url and a token (`piwork token create`) it uses HTTP; paths are then those of piwork's computer, and
/// passed on as they are.
public final class Piwork: Sendable {
  private let way: any Way
  private let here: Bool
  private let headers: [String: String]  // of each request
  private let rests: Rests

  private init(_ way: any Way, here: Bool, headers: [String: String] = [:], rests: Rests = Rests()) {
    (self.way, self.here, self.headers, self.rests) = (way, here, headers, rests)
  }

  public convenience init(program: String = "piwork", environment: [String: String]? = nil) {
    self.init(Pipes(program, environment), here: true)
  }

  public convenience init(url: String, token: String) { self.init(HTTP(url, token), here: false) }

  /// `language` is that of problems, plans and questions, such as "de", or several: "de-AT, en;q=0.5".
  public convenience init(program: String = "piwork", environment: [String: String]? = nil, language: String) throws {
    let headers = try inLanguage(language)
    self.init(Pipes(program, environment), here: true, headers: headers)
  }

  /// `language` is that of problems, plans and questions, such as "de", or several: "de-AT, en;q=0.5".
  public convenience init(url: String, token: String, language: String) throws {
    let headers = try inLanguage(language)
    self.init(HTTP(url, token), here: false, headers: headers)
  }

  /// The same, for changes of a record that are done only while it still is what was read: else nothing is, and the
  /// error has the code "changed". The record is what an operation on it alone answered, such as getTask.
  public func whileStill(_ record: some TaggedRecord) throws -> Piwork {
    guard let tag = record.etag.value else { throw PiworkError("the record was not answered by itself: it has no ETag") }
    var headers = headers
    headers["If-Match"] = tag
    return Piwork(way, here: here, headers: headers, rests: rests)
  }

  /// Ends what it holds: tasks that are not detached end, too.
  public func close() async {
    rests.close()
    await way.close()
  }

  /// Waits, as long as it is open.
  func rest(_ seconds: Double) async throws { try await rests.rest(seconds) }

  /// Starts a program. `folders` are modes by path; `change` may say more of the request.
  public func run(_ argv: [String], folders: [String: FolderMode] = [:], _ change: (inout StartRequest) -> Void = { _ in }) async throws -> StartedTask {
    let named = folders.sorted { $0.key < $1.key }.map { FolderRequest(path: path($0.key), mode: $0.value) }
    var request = StartRequest(folders: named, kind: .exec, argv: argv)
    change(&request)
    return try await start(request)
  }

  /// Starts a task of any kind, which ends with this client unless it is detached.
  public func start(_ request: StartRequest) async throws -> StartedTask {
    var request = request
    let id = request.id ?? newID()
    request.id = id
    let query: KeyValuePairs<String, (any Sendable)?> = ["task": id, "hold": request.detached != true, "wait": true]
    let events = Feed(self, requestPath("/v1/events", query: query), endless: true)
    try await events.begin()  // before there is anything to hear
    _ = try await startTask(request)
    return StartedTask(self, id, events)
  }

  /// Does an operation on files, such as "image.convert"; `listTools` says which there are.
  public func tool(_ name: String, _ files: [String], out: String? = nil, params: [String: JSON] = [:]) async throws -> JSON {
    var body: [String: JSON] = ["in": .array(files.map { .string(path($0)) }), "params": .object(params)]
    if let out { body["out"] = .string(path(out)) }
    return try await answer("POST", "/v1/tools/{name}", path: ["name": name], body: body).value()
  }

  /// A path of this computer in full.
  func path(_ path: String) -> String {
    let path = here ? NSString(string: path).expandingTildeInPath : path
    return here && !path.hasPrefix("/") ? URL(fileURLWithPath: path).standardizedFileURL.path : path
  }

  func answer(
    _ method: String, _ at: String, path: [String: String] = [:], query: KeyValuePairs<String, (any Sendable)?> = [:],
    body: (any Encodable & Sendable)? = nil
  ) async throws -> Said {
    try await answer(method, requestPath(at, path: path, query: query), body)
  }

  private func answer(_ method: String, _ path: String, _ body: (any Encodable & Sendable)?) async throws -> Said {
    for tries in 1... {
      let said = try await first(way.lines(method, path, body, headers))
      guard said.status == 429, said.wait > 0, tries < 10 else { return try said.checked() }
      try await rest(said.wait)  // nothing was done: there was too much at once
    }
    throw PiworkError("piwork has ended")
  }

  private func first(_ lines: Lines) async throws -> Said {
    for try await said in lines { return said }
    try _Concurrency.Task.checkCancellation()
    throw PiworkError("piwork has ended")
  }

  /// Begins a stream of events behind one: what happens from then on is in it.
  func stream(_ path: String, after last: String) async throws -> Lines {
    var headers = headers
    headers["Accept"] = eventStream
    if !last.isEmpty { headers["Last-Event-ID"] = last }
    for tries in 1... {
      let lines = try way.lines("GET", path, nil, headers)
      let said = try await first(lines)
      if said.stream { return lines }
      guard said.status == 429, said.wait > 0, tries < 10 else {
        _ = try said.checked()
        break
      }
      try await rest(said.wait)  // there was too much at once
    }
    throw PiworkError("the answer is no stream of events")
  }

  /// A page of a list, and the path of the next.
  func page<Element: Decodable>(_ path: String) async throws -> ([Element], next: String?) {
    let said = try await answer("GET", path, nil)
    return (try said.value(), nextPage(said.headers["Link"]))
  }
}

/// The headers that ask for a language (RFC 9110, section 12.5.4).
func inLanguage(_ language: String) throws -> [String: String] {
  let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-*,;=. ".utf8)
  guard language.utf8.count <= 100, language.utf8.allSatisfy(allowed.contains) else {
    throw PiworkError("\(language.prefix(100).debugDescription) is not a language: write it as de, or as de-AT, en;q=0.5 (at most 100 characters)")
  }
  return language.isEmpty ? [:] : ["Accept-Language": language]
}

/// Where the page after a page of a list is, by the header Link of the answer (RFC 8288).
func nextPage(_ link: String?) -> String? {
  for one in (link ?? "").components(separatedBy: ",") where one.hasSuffix(">; rel=\"next\"") {
    if let begin = one.range(of: "</v1/"), let end = one.range(of: ">") { return String(one[begin.lowerBound..<end.lowerBound].dropFirst()) }
  }
  return nil
}

extension Piwork {
  /// The entries of a list; a page is asked for when the one before was used up.
  public struct Pages<Element: Decodable & Sendable>: AsyncSequence, Sendable {
    let piwork: Piwork, path: String

    init(_ piwork: Piwork, _ path: String) { (self.piwork, self.path) = (piwork, path) }

    public struct AsyncIterator: AsyncIteratorProtocol {
      let piwork: Piwork
      var following: String?
      var rest: ArraySlice<Element> = []

      public mutating func next() async throws -> Element? {
        while rest.isEmpty {
          guard let path = following else { return nil }
          let page: ([Element], next: String?) = try await piwork.page(path)
          (rest, following) = (page.0[...], page.next)
        }
        return rest.popFirst()
      }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(piwork: piwork, following: path) }
  }

  /// A stream of events, which begins when the first is asked for. After a break it goes on behind the last event
  /// that came.
  public struct EventStream<Element: Decodable & Sendable>: AsyncSequence, Sendable {
    let piwork: Piwork, path: String, endless: Bool

    init(_ piwork: Piwork, _ path: String, endless: Bool = false) { (self.piwork, self.path, self.endless) = (piwork, path, endless) }

    public struct AsyncIterator: AsyncIteratorProtocol {
      let feed: Feed

      public mutating func next() async throws -> Element? { try await feed.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(feed: Feed(piwork, path, endless: endless)) }
  }
}
