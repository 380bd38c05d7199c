import CMicroHTTPD
import Synchronization

/// Finds the answer to each request. All its work is done on libmicrohttpd's one thread, and none of it blocks: a request
/// that needs a snapshot is suspended until the exchange has one.
final class HTTPDispatcher: Sendable {
    private let routes: [String: HTTPRoute]
    private let exchange: SnapshotExchange
    private let notFound: HTTPReply
    private let methodNotAllowed: HTTPReply
    private let postOnly: HTTPReply

    init(routes: [HTTPRoute], exchange: SnapshotExchange) {
        self.routes = Dictionary(routes.map { ($0.path, $0) }) { first, _ in first }
        self.exchange = exchange
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
        guard let route = routes[path] else { return notFound.queue(on: connection) }
        switch route.handler {
        case .immediate(let respond): return HTTPReply(respond()).queue(on: connection)
        case .snapshot(let responder): return answer(connection, request, responder)
        case .question(let desk, let responder): return ask(desk, connection, request, responder)
        }
    }

    private func answer(
        _ connection: OpaquePointer, _ request: HTTPRequest, _ responder: SnapshotResponder
    ) -> MHD_Result {
        switch request.answer {
        case .arrived(let published?): return responder.reply(to: published).queue(on: connection)
        case .arrived(nil): return HTTPReply(responder.failure()).queue(on: connection)
        case .wanted: break
        }
        if let refusal = responder.refusal() { return HTTPReply(refusal).queue(on: connection) }
        MHD_suspend_connection(connection)
        let suspended = SuspendedConnection(connection)
        exchange.request(since: request.arrived) { published in
            request.settle(published)
            suspended.resume()
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
        case arrived(SnapshotExchange.Published?)
    }

    /// When its headers were complete.
    let arrived = SnapshotExchange.now()
    private let state = Mutex(Answer.wanted)
    private let madeResponse = Mutex<HTTPResponse?>(nil)

    /// Made on another thread.
    var response: HTTPResponse? { madeResponse.withLock { $0 } }

    func settle(_ response: HTTPResponse) { madeResponse.withLock { $0 = response } }

    var answer: Answer { state.withLock { $0 } }

    func settle(_ published: SnapshotExchange.Published?) {
        state.withLock { $0 = .arrived(published) }
    }
}

/// A connection that libmicrohttpd has laid aside.
///
/// `@unchecked Sendable`: libmicrohttpd keeps a suspended connection until it is resumed, which happens once, and
/// MHD_resume_connection may be called from any thread.
private struct SuspendedConnection: @unchecked Sendable {
    private let connection: OpaquePointer

    init(_ connection: OpaquePointer) {
        self.connection = connection
    }

    func resume() {
        MHD_resume_connection(connection)
    }
}
