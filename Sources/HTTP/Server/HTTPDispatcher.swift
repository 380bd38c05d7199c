import CMicroHTTPD
internal import Drain
import Synchronization

/// Finds the answer to each request. All its work is done on libmicrohttpd's one thread, and none of it blocks: a request
/// that needs a snapshot is suspended until the exchange has one and the rendering thread has written the answer.
final class HTTPDispatcher: Sendable {
    private let routes: [String: HTTPRoute]
    private let exchange: SnapshotExchange
    private let gate: HTTPGate
    private let renderer: RenderThread
    private let notFound: HTTPReply
    private let methodNotAllowed: HTTPReply
    private let postOnly: HTTPReply

    init(routes: [HTTPRoute], exchange: SnapshotExchange, renderer: RenderThread, gate: HTTPGate) {
        self.gate = gate
        self.routes = Dictionary(routes.map { ($0.path, $0) }) { first, _ in first }
        self.exchange = exchange
        self.renderer = renderer
        let paths = routes.map(\.path).joined(separator: "\n  ")
        notFound = HTTPReply(.text("nothing is served here; there are:\n  \(paths)", status: 404))
        var refusal = HTTPResponse.text("only GET and HEAD are understood here", status: 405)
        refusal.headers = [("Allow", "GET, HEAD")]
        methodNotAllowed = HTTPReply(refusal)
        refusal = HTTPResponse.text("only POST is understood here", status: 405)
        refusal.headers = [("Allow", "POST")]
        postOnly = HTTPReply(refusal)
    }

    /// libmicrohttpd calls this once when a request's headers are complete, again for its body, and last when it has come
    /// whole or is resumed.
    func handle(
        _ connection: OpaquePointer, path: String, method: String, uploadSize: inout Int, request: HTTPRequest?,
        begin: (HTTPRequest) -> Void
    ) -> MHD_Result {
        // An answer before the request has come whole has libmicrohttpd close the connection after it: that is what a
        // method with an unwanted body deserves, and nobody else.
        let methods = routes[path]?.methods ?? ["GET", "HEAD"]
        guard methods.contains(method) else {
            return (routes[path] == nil ? notFound : methods.contains("POST") ? postOnly : methodNotAllowed)
                .queue(on: connection)
        }
        guard let request else {
            begin(HTTPRequest())
            return .YES
        }
        guard uploadSize == 0 else {
            uploadSize = 0
            return .YES
        }
        switch admission(of: request, connection, path) {
        case .admitted: break
        case .refused(let response): return HTTPReply(response).queue(on: connection)
        case .later: return .YES
        }
        guard let route = routes[path] else { return notFound.queue(on: connection) }
        switch route.handler {
        case .immediate(let respond): return HTTPReply(respond()).queue(on: connection)
        case .addressed(let respond):
            let header = MHD_lookup_connection_value(connection, .HEADER_KIND, "Host").map { String(cString: $0) }
            return HTTPReply(respond(host(ofHeader: header))).queue(on: connection)
        case .snapshot(let responder): return answer(connection, request, responder)
        case .question(let desk, let responder): return ask(desk, connection, request, responder)
        }
    }

    /// Asked anew when the connection is resumed; judged once.
    private func admission(of request: HTTPRequest, _ connection: OpaquePointer, _ path: String) -> HTTPGate.Verdict {
        switch request.admission {
        case .granted: return .admitted
        case .refused(let response): return .refused(response)
        case .wanted: break
        }
        let verdict = gate.judge(connection, path: path, request: request)
        if case .admitted = verdict { request.settle(.granted) }
        return verdict
    }

    private func answer(
        _ connection: OpaquePointer, _ request: HTTPRequest, _ responder: SnapshotResponder
    ) -> MHD_Result {
        switch request.answer {
        case .settled(let reply?): return reply.queue(on: connection)
        case .settled(nil): return HTTPReply(responder.failure()).queue(on: connection)
        case .wanted: break
        }
        if let refusal = responder.refusal() { return HTTPReply(refusal).queue(on: connection) }
        let wishes = HTTPWishes(of: connection)
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
        return .YES
    }

    private func ask(
        _ desk: HTTPQuestionDesk, _ connection: OpaquePointer, _ request: HTTPRequest,
        _ responder: @escaping HTTPQuestionDesk.Responder
    ) -> MHD_Result {
        if let response = request.response { return HTTPReply(response).queue(on: connection) }
        let arguments = HTTPArguments(of: connection)
        MHD_suspend_connection(connection)
        let suspended = SuspendedConnection(connection)
        desk.ask(arguments.values, responder) { response in
            request.settle(response)
            suspended.resume()
        }
        return .YES
    }

    /// Answers what waits at a desk: no connection may be suspended when the server stops.
    func closeDesks() {
        gate.close()
        for route in routes.values { if case .question(let desk, _) = route.handler { desk.close() } }
    }
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

    /// When its headers were complete.
    let arrived = SnapshotExchange.now()
    private let state = Mutex(Answer.wanted)
    private let judged = Mutex(HTTPAdmission.wanted)
    private let madeResponse = Mutex<HTTPResponse?>(nil)

    /// Whether it was let in.
    var admission: HTTPAdmission { judged.withLock { $0 } }

    func settle(_ admission: HTTPAdmission) { judged.withLock { $0 = admission } }

    /// Made on another thread.
    var response: HTTPResponse? { madeResponse.withLock { $0 } }

    func settle(_ response: HTTPResponse) { madeResponse.withLock { $0 = response } }

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
