import CMicroHTTPD
internal import Drain
import Synchronization

/// Finds the answer to each request. All its work runs on the server's thread, and none of it blocks. A request that
/// needs a snapshot is suspended until the exchange has one and the rendering thread has written the answer.
final class HTTPDispatcher: Sendable {
    private let routes: [String: HTTPRoute]
    private let exchange: SnapshotExchange
    private let gate: RequestAdmission
    private let renderer: RenderThread
    private let notFound: HTTPResponse
    private let methodNotAllowed: HTTPResponse
    private let postOnly: HTTPResponse

    init(routes: [HTTPRoute], exchange: SnapshotExchange, renderer: RenderThread, gate: RequestAdmission) {
        self.gate = gate
        self.routes = Dictionary(routes.map { ($0.path, $0) }) { first, _ in first }
        self.exchange = exchange
        self.renderer = renderer
        let paths = routes.map(\.path).joined(separator: "\n  ")
        notFound = .text("there is no such path; the paths are:\n  \(paths)", status: 404)
        var refusal = HTTPResponse.text("this path accepts only GET and HEAD", status: 405)
        refusal.headers = [("Allow", "GET, HEAD")]
        methodNotAllowed = refusal
        refusal = HTTPResponse.text("this path accepts only POST", status: 405)
        refusal.headers = [("Allow", "POST")]
        postOnly = refusal
    }

    /// Returns a request with the verdict on its headers.
    func receive(_ head: HTTPRequestHead, _ connection: OpaquePointer) -> HTTPRequest {
        let route = routes[head.path]
        let verdict = gate.judge(
            head, client: ringside_http_descriptor(connection), headerBytes: ringside_http_header_size(connection),
            changesState: route?.methods.contains("POST") ?? !["GET", "HEAD"].contains(head.method))
        if case .refused(let response) = verdict { return HTTPRequest(head, verdict: .refused(response)) }
        // Only admitted clients learn which paths exist, and by which method.
        let mayBeTold = if case .admitted = verdict { true } else { false }
        guard let misfit = misfit(head, route) else { return HTTPRequest(head, verdict: verdict) }
        return HTTPRequest(head, verdict: mayBeTold ? .refused(misfit) : verdict, refusal: misfit)
    }

    /// Returns the refusal of a request for its path, method or body; nil if these are right.
    private func misfit(_ head: HTTPRequestHead, _ route: HTTPRoute?) -> HTTPResponse? {
        guard let route else { return notFound }
        guard route.methods.contains(head.method) else {
            return route.methods.contains("POST") ? postOnly : methodNotAllowed
        }
        if head.method != "POST", head.body != .none { return .noBody }
        switch head.body {
        case .none: return nil
        case .malformed: return .text("the request's Content-Length and Transfer-Encoding are invalid", status: 400)
        case .chunked: return .text("a body needs a Content-Length", status: 411)
        case .bytes(let count):
            return count <= Self.bodyLimit
                ? nil : .text("the body may have at most \(Self.bodyLimit) bytes", status: 413)
        }
    }

    /// The most bytes of a body. Nothing reads it.
    private static let bodyLimit: UInt64 = 1024

    /// Returns the answer to a complete request; nil while it is being made and the connection is suspended. Called
    /// again when the connection resumes.
    func answer(_ connection: OpaquePointer, _ request: HTTPRequest) -> HTTPReply? {
        switch request.admission {
        case .admitted: break
        case .refused(let response): return HTTPReply(response)
        case .asked(let question):
            ask(question, connection, request)
            return nil
        }
        if let refusal = request.refusal { return HTTPReply(refusal) }
        guard let route = routes[request.head.path] else { return HTTPReply(notFound) }
        switch route.handler {
        case .immediate(let respond): return HTTPReply(respond())
        case .immediateWithHost(let respond): return HTTPReply(respond(request.head.authority?.host))
        case .snapshot(let responder): return answer(connection, request, responder)
        case .pooled(let workers, let answerer): return work(workers, connection, request, answerer)
        case .events(let feed): return stream(feed, connection, request)
        case .file(let file, let other):
            let preferences = RequestPreferences(of: connection)
            guard let other, !file.isPreferred(by: preferences) else {
                return file.reply(to: preferences, isChosen: other != nil)
            }
            var response = other()
            response.headers.append(("Vary", "Accept"))
            return HTTPReply(response)
        }
    }

    private func ask(_ question: RequestAdmission.PasswordQuestion, _ connection: OpaquePointer, _ request: HTTPRequest)
    {
        MHD_suspend_connection(connection)
        let suspended = SuspendedConnection(connection)
        gate.ask(question) { refusal in
            request.settle(refusal.map { .refused($0) } ?? .admitted)
            suspended.resume()
        }
    }

    private func answer(
        _ connection: OpaquePointer, _ request: HTTPRequest, _ responder: SnapshotResponder
    ) -> HTTPReply? {
        switch request.answer {
        case .settled(let reply): return reply ?? HTTPReply(responder.failure())
        case .wanted: break
        }
        if let refusal = responder.refusal() { return HTTPReply(refusal) }
        let arguments = responder.takesArguments ? HTTPArguments(of: connection).values : []
        if arguments.isEmpty, let plain = responder.plain { return HTTPReply(plain()) }
        let preferences = RequestPreferences(of: connection)
        let representation = responder.representation(for: preferences)
        let deadline = preferences.deadline(arrived: request.arrived)
        MHD_suspend_connection(connection)
        let suspended = SuspendedConnection(connection)
        exchange.request(since: request.arrived, until: deadline) { [renderer] published in
            guard let published else {
                request.settle(nil)
                return suspended.resume()
            }
            renderer.submit {
                request.settle(
                    arguments.isEmpty
                        ? responder.reply(to: published, as: representation, by: deadline ?? .max)
                        : responder.reply(to: published, asked: arguments))
                suspended.resume()
            }
        }
        return nil
    }

    private func work(
        _ workers: HTTPWorkerPool, _ connection: OpaquePointer, _ request: HTTPRequest,
        _ answerer: @escaping HTTPAnswerer
    ) -> HTTPReply? {
        if let stream = request.stream {
            switch stream.takeBeginning() {
            case .whole(let response): return HTTPReply(response)
            case .pieces(let head): return HTTPReply(head, stream, on: connection)
            // The connection was resumed without an answer, and nothing else will resume it.
            case nil: return .closing
            }
        }
        let arguments = HTTPArguments(of: connection)
        let stream = HTTPAnswerStream(workers: workers, descriptor: ringside_http_descriptor(connection))
        request.settle(stream)
        MHD_suspend_connection(connection)
        let suspended = SuspendedConnection(connection)
        stream.begin(arguments.values, answerer) { suspended.resume() }
        return nil
    }

    private func stream(_ feed: EventFeed, _ connection: OpaquePointer, _ request: HTTPRequest) -> HTTPReply {
        if let refusal = feed.refusal() { return HTTPReply(refusal) }
        let head = HTTPResponse(contentType: "text/event-stream", body: [])
        if request.head.method == "HEAD" { return HTTPReply(head) }
        let (limit, client) = (gate.streamLimit, ringside_http_descriptor(connection))
        let listener = feed.open(lastEventID: request.head.lastEventID, limit: limit) { [gate] in
            gate.noteProgress(client)
        }
        guard let listener else { return HTTPReply(feed.isClosed ? .shuttingDown : .tooManyListeners(limit)) }
        return HTTPReply(head, listener, on: connection)
    }

    /// Answers the questions of all pools and ends all streams, since no connection may be suspended when the server
    /// stops.
    func closePools() {
        gate.close()
        for route in routes.values {
            switch route.handler {
            case .pooled(let workers, _): workers.shutDown()
            case .events(let feed): feed.close()
            case .immediate, .immediateWithHost, .snapshot, .file: break
            }
        }
    }
}

extension HTTPResponse {
    fileprivate static var shuttingDown: HTTPResponse { text("the collector is shutting down", status: 503) }

    fileprivate static func tooManyListeners(_ limit: Int) -> HTTPResponse {
        text(
            """
            \(limit) clients listen to this stream, which is the limit; close a page, or raise limits.event_streams of \
            --web.config.file
            """, status: 503)
    }

    fileprivate static var noBody: HTTPResponse { text("a request with this method must have no body", status: 400) }
}

/// The decoded arguments of a request's URL, in order.
private final class HTTPArguments {
    private(set) var values: [(name: String, value: String)] = []

    init(of connection: OpaquePointer) {
        ringside_http_each_argument(
            connection,
            { context, _, name, value in
                let arguments = Unmanaged<HTTPArguments>.fromOpaque(context!).takeUnretainedValue()
                arguments.values.append(
                    (name.map { String(cString: $0) } ?? "", value.map { String(cString: $0) } ?? ""))
                return .YES
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}

/// One request between its headers and its answer.
final class HTTPRequest: Sendable {
    enum Answer: Sendable {
        case wanted
        /// Nil if there was no answer in time.
        case settled(HTTPReply?)
    }

    let head: HTTPRequestHead
    /// The refusal that answers the request once it is admitted; nil if its path answers.
    let refusal: HTTPResponse?
    /// The time at which its headers were complete.
    let arrived = SnapshotExchange.now()
    private let state = Mutex(Answer.wanted)
    private let judged: Mutex<RequestAdmission.Verdict>
    private let answerStream = Mutex<HTTPAnswerStream?>(nil)

    /// - Parameters:
    ///   - verdict: The verdict on its headers.
    ///   - refusal: Any other reason to refuse it.
    init(_ head: HTTPRequestHead, verdict: RequestAdmission.Verdict, refusal: HTTPResponse? = nil) {
        self.head = head
        self.refusal = refusal
        judged = Mutex(verdict)
    }

    /// The verdict of admission.
    var admission: RequestAdmission.Verdict { judged.withLock { $0 } }

    func settle(_ verdict: RequestAdmission.Verdict) { judged.withLock { $0 = verdict } }

    /// The answer that is sent before the body has come; nil if there is no body, or it is accepted.
    var refusalOfBody: HTTPResponse? {
        guard head.body != .none else { return nil }
        if case .refused(let response) = admission { return response }
        return refusal
    }

    /// The answer to a question, which other threads make; nil before the question is asked.
    var stream: HTTPAnswerStream? { answerStream.withLock { $0 } }

    func settle(_ stream: HTTPAnswerStream) { answerStream.withLock { $0 = stream } }

    var answer: Answer { state.withLock { $0 } }

    func settle(_ reply: HTTPReply?) {
        state.withLock { $0 = .settled(reply) }
    }
}
