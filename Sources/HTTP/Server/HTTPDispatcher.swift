import CMicroHTTPD
internal import Drain
import Synchronization

/// Finds the answer to each request. All its work is done on libmicrohttpd's one thread, and none of it blocks: a request
/// that needs a snapshot is suspended until the exchange has one and the rendering thread has written the answer.
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
        notFound = .text("nothing is served here; there are:\n  \(paths)", status: 404)
        var refusal = HTTPResponse.text("only GET and HEAD are understood here", status: 405)
        refusal.headers = [("Allow", "GET, HEAD")]
        methodNotAllowed = refusal
        refusal = HTTPResponse.text("only POST is understood here", status: 405)
        refusal.headers = [("Allow", "POST")]
        postOnly = refusal
    }

    /// Judges a request by its headers.
    func receive(_ head: HTTPRequestHead, _ connection: OpaquePointer) -> HTTPRequest {
        let route = routes[head.path]
        let verdict = gate.judge(
            head, client: ringside_http_descriptor(connection), headerBytes: ringside_http_header_size(connection),
            changesState: route?.methods.contains("POST") ?? !["GET", "HEAD"].contains(head.method))
        if case .refused(let response) = verdict { return HTTPRequest(head, verdict: .refused(response)) }
        // Whether a path is there, and by which method, is told to those who may ask.
        let mayBeTold = if case .admitted = verdict { true } else { false }
        guard let misfit = misfit(head, route) else { return HTTPRequest(head, verdict: verdict) }
        return HTTPRequest(head, verdict: mayBeTold ? .refused(misfit) : verdict, refusal: misfit)
    }

    /// What is wrong with a request for somebody who may ask; nil where nothing is.
    private func misfit(_ head: HTTPRequestHead, _ route: HTTPRoute?) -> HTTPResponse? {
        guard let route else { return notFound }
        guard route.methods.contains(head.method) else {
            return route.methods.contains("POST") ? postOnly : methodNotAllowed
        }
        if head.method != "POST", head.body != .none { return .noBody }
        switch head.body {
        case .none: return nil
        case .malformed: return .text("the request's Content-Length and Transfer-Encoding make no sense", status: 400)
        case .chunked: return .text("a body without Content-Length is not taken here", status: 411)
        case .bytes(let count):
            return count <= Self.bodyLimit
                ? nil : .text("a body of more than \(Self.bodyLimit) bytes is not taken here", status: 413)
        }
    }

    /// Bytes of a body, which nothing reads.
    private static let bodyLimit: UInt64 = 1024

    /// The answer to a request that has come whole; nil where it is made meanwhile, the connection being suspended. Called
    /// again when that is resumed.
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
        case .addressed(let respond): return HTTPReply(respond(request.head.authority?.host))
        case .snapshot(let responder): return answer(connection, request, responder)
        case .question(let desk, let responder): return ask(desk, connection, request, responder)
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
        let wishes = RequestPreferences(of: connection)
        let representation = responder.representation(for: wishes)
        let deadline = wishes.deadline(arrived: request.arrived)
        MHD_suspend_connection(connection)
        let suspended = SuspendedConnection(connection)
        exchange.request(since: request.arrived, until: deadline) { [renderer] published in
            guard let published else {
                request.settle(nil)
                return suspended.resume()
            }
            renderer.submit {
                request.settle(responder.reply(to: published, as: representation, by: deadline ?? .max))
                suspended.resume()
            }
        }
        return nil
    }

    private func ask(
        _ desk: HTTPQuestionDesk, _ connection: OpaquePointer, _ request: HTTPRequest,
        _ answerer: @escaping HTTPAnswerer
    ) -> HTTPReply? {
        if let stream = request.stream {
            switch stream.takeBeginning() {
            case .whole(let response): return HTTPReply(response)
            case .pieces(let head): return HTTPReply(head, stream, on: connection)
            // It was resumed for nothing, and is waited for again by nobody.
            case nil: return .closing
            }
        }
        let arguments = HTTPArguments(of: connection)
        let stream = HTTPAnswerStream(desk: desk, descriptor: ringside_http_descriptor(connection))
        request.settle(stream)
        MHD_suspend_connection(connection)
        let suspended = SuspendedConnection(connection)
        stream.begin(arguments.values, answerer) { suspended.resume() }
        return nil
    }

    /// Answers what waits at a desk: no connection may be suspended when the server stops.
    func closeDesks() {
        gate.close()
        for route in routes.values { if case .question(let desk, _) = route.handler { desk.close() } }
    }
}

extension HTTPResponse {
    fileprivate static var noBody: HTTPResponse { text("a request of this method has no body here", status: 400) }
}

/// The arguments of a request's URL, decoded, in their order.
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
        /// Nil where there was none in time.
        case settled(HTTPReply?)
    }

    let head: HTTPRequestHead
    /// What it is answered once it is let in; nil where its path answers.
    let refusal: HTTPResponse?
    /// When its headers were complete.
    let arrived = SnapshotExchange.now()
    private let state = Mutex(Answer.wanted)
    private let judged: Mutex<RequestAdmission.Verdict>
    private let answerStream = Mutex<HTTPAnswerStream?>(nil)

    /// - Parameters:
    ///   - verdict: What its headers came to.
    ///   - refusal: What is wrong with it besides.
    init(_ head: HTTPRequestHead, verdict: RequestAdmission.Verdict, refusal: HTTPResponse? = nil) {
        self.head = head
        self.refusal = refusal
        judged = Mutex(verdict)
    }

    /// Whether it was let in.
    var admission: RequestAdmission.Verdict { judged.withLock { $0 } }

    func settle(_ verdict: RequestAdmission.Verdict) { judged.withLock { $0 = verdict } }

    /// The answer that a request gets before its body has come; nil where it has none, or one that is taken.
    var refusalOfBody: HTTPResponse? {
        guard head.body != .none else { return nil }
        if case .refused(let response) = admission { return response }
        return refusal
    }

    /// The answer to a question, once it is asked; it is made on other threads.
    var stream: HTTPAnswerStream? { answerStream.withLock { $0 } }

    func settle(_ stream: HTTPAnswerStream) { answerStream.withLock { $0 = stream } }

    var answer: Answer { state.withLock { $0 } }

    func settle(_ reply: HTTPReply?) {
        state.withLock { $0 = .settled(reply) }
    }
}

/// A connection that libmicrohttpd has laid aside.
///
/// `@unchecked Sendable`: libmicrohttpd keeps a suspended connection until it is resumed, which happens once, and
/// MHD_resume_connection may be called from any thread.
struct SuspendedConnection: @unchecked Sendable {
    private let connection: OpaquePointer

    init(_ connection: OpaquePointer) {
        self.connection = connection
    }

    func resume() {
        MHD_resume_connection(connection)
    }
}
