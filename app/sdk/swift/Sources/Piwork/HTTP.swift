import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The type of answers that are streams.
let eventStream = "text/event-stream"

/// HTTP, or HTTPS, with a token (`piwork token create`).
final class HTTP: NSObject, Way, URLSessionDataDelegate, @unchecked Sendable {
  private static let patience = 8 * 24 * 3600.0  // seconds
  private let url: String
  private let token: String
  private let silence: Double  // of streams
  private let lock = NSLock()
  private var session: URLSession?
  private var closed = false
  private var atWork: [Int: Answer] = [:]

  /// An answer that comes in pieces.
  private struct Answer {
    let to: Lines.Continuation
    var said = Said()
    var json = false
    var data = Data()
    var lines = LineSplitter()
    var events = EventReader()
  }

  init(_ url: String, _ token: String, silence: Double = Again.silence) {
    self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
    self.token = token
    self.silence = silence
  }

  /// Nothing is kept, and streams are in the way of nothing. What is no stream is silent for as long as it works.
  private func open() -> URLSession {
    let how = URLSessionConfiguration.ephemeral
    how.urlCache = nil
    how.httpCookieStorage = nil
    how.httpMaximumConnectionsPerHost = 1000  // as many as piwork takes
    how.timeoutIntervalForRequest = HTTP.patience
    let made = URLSession(configuration: how, delegate: self, delegateQueue: nil)
    session = made
    return made
  }

  func lines(_ method: String, _ path: String, _ body: (any Encodable & Sendable)?, _ headers: [String: String]) throws -> Lines {
    guard let address = URL(string: url + path) else { throw PiworkError("\(url) is no address") }
    var request = URLRequest(url: address)
    request.httpMethod = method
    request.timeoutInterval = headers["Accept"] == eventStream ? silence : HTTP.patience
    request.setValue("en", forHTTPHeaderField: "Accept-Language")  // by itself a session names those of the system
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    request.setValue("Bearer " + token, forHTTPHeaderField: "Authorization")
    if let body {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = try encode(body)
    }
    let (lines, continuation) = Lines.makeStream()
    let task = try lock.withLock {
      if closed { throw PiworkError("piwork was closed") }
      let task = (session ?? open()).dataTask(with: request)
      atWork[task.taskIdentifier] = Answer(to: continuation)
      return task
    }
    continuation.onTermination = { why in
      if case .cancelled = why { task.cancel() }
    }
    task.resume()
    return lines
  }

  func close() async {
    let open = lock.withLock {
      closed = true
      return session
    }
    open?.invalidateAndCancel()
  }

  // The token is for this address: nothing is followed to another.
  func urlSession(
    _: URLSession, task _: URLSessionTask, willPerformHTTPRedirection _: HTTPURLResponse, newRequest _: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    change(dataTask) { answer in
      guard let response = response as? HTTPURLResponse else { return }
      answer.said.status = response.statusCode
      for name in ["Retry-After", "Link", "Etag"] { answer.said.headers[name] = response.value(forHTTPHeaderField: name) }
      let kind = (response.value(forHTTPHeaderField: "Content-Type") ?? "").prefix { $0 != ";" }
      answer.json = kind == "application/json" || kind.hasSuffix("+json")
      answer.said.stream = kind == eventStream
      if answer.said.stream { answer.to.yield(answer.said) }
    }
    completionHandler(.allow)
  }

  func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    change(dataTask) { answer in
      do {
        if answer.said.stream {
          for line in try answer.lines.lines(data) {
            if let event = try answer.events.event(line) { answer.to.yield(event) }
          }
          return
        }
        answer.data.append(data)
        if answer.data.count > maxAnswer { throw PiworkError("the answer has more than \(maxAnswer) bytes: ask for a part of it") }
      } catch {
        answer.to.finish(throwing: error)
        dataTask.cancel()
      }
    }
  }

  func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard var answer = lock.withLock({ atWork.removeValue(forKey: task.taskIdentifier) }) else { return }
    if let error {
      answer.to.finish(throwing: PiworkError.broken(error.localizedDescription))
      return
    }
    if !answer.said.stream {
      if !answer.data.isEmpty { answer.said.body = answer.json ? .json(answer.data) : .bytes(answer.data) }
      answer.to.yield(answer.said)
    }
    answer.to.finish()
  }

  private func change(_ task: URLSessionTask, _ how: (inout Answer) -> Void) {
    lock.withLock {
      guard var answer = atWork.removeValue(forKey: task.taskIdentifier) else { return }
      how(&answer)
      atWork[task.taskIdentifier] = answer
    }
  }
}
