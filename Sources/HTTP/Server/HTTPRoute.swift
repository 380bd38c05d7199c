package import Drain
package import Exposition
package import Series

/// What a path answers, as bytes.
package struct HTTPResponse: Sendable {
    package var status: UInt32
    package var contentType: String
    package var body: [UInt8]
    /// Headers beside Content-Type, Content-Length and Cache-Control, which every response has.
    package var headers: [(name: String, value: String)] = []

    package init(status: UInt32 = 200, contentType: String, body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    /// A text for a person; the line end is added here.
    package static func text(_ text: String, status: UInt32 = 200) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "text/plain; charset=utf-8", body: Array((text + "\n").utf8))
    }
}

/// One path that answers GET and HEAD, or POST alone.
package struct HTTPRoute: Sendable {
    enum Handler: Sendable {
        case immediate(@Sendable () -> HTTPResponse)
        case addressed(@Sendable (_ host: String?) -> HTTPResponse)
        case snapshot(SnapshotResponder)
        case question(HTTPQuestionDesk, HTTPAnswerer)
    }

    package let path: String
    let handler: Handler
    /// The methods it answers.
    var methods: Set<String> = ["GET", "HEAD"]

    /// A path whose answer is there at once: it is made on the server's thread, where nothing may block.
    package static func immediate(
        _ path: String, _ respond: @escaping @Sendable () -> HTTPResponse
    ) -> HTTPRoute {
        HTTPRoute(path: path, handler: .immediate(respond))
    }

    /// The same for an answer that depends on the name by which the client reached the server; nil where it said none.
    package static func addressed(
        _ path: String, _ respond: @escaping @Sendable (_ host: String?) -> HTTPResponse
    ) -> HTTPRoute {
        HTTPRoute(path: path, handler: .addressed(respond))
    }

    /// A path that does something each time it is asked to, by POST; a body is taken and not read.
    package static func post(_ path: String, _ act: @escaping @Sendable () -> HTTPResponse) -> HTTPRoute {
        HTTPRoute(path: path, handler: .immediate(act), methods: ["POST"])
    }

    /// A path whose answer takes a while, and depends on the URL's arguments: it is made on the desk's threads, where one may
    /// wait.
    package static func question(
        _ path: String, _ desk: HTTPQuestionDesk, _ respond: @escaping HTTPQuestionDesk.Responder
    ) -> HTTPRoute {
        .answered(path, desk) { arguments, _ in .whole(respond(arguments)) }
    }

    /// The same for an answer that may be long: it is made piece by piece, as the client reads it.
    package static func answered(
        _ path: String, _ desk: HTTPQuestionDesk, _ answerer: @escaping HTTPAnswerer
    ) -> HTTPRoute {
        HTTPRoute(path: path, handler: .question(desk, answerer))
    }

    /// The same for a path that does something each time it is asked to, by POST.
    package static func task(
        _ path: String, _ desk: HTTPQuestionDesk, _ act: @escaping HTTPQuestionDesk.Responder
    ) -> HTTPRoute {
        HTTPRoute(
            path: path, handler: .question(desk) { arguments, _ in .whole(act(arguments)) }, methods: ["POST"])
    }

    /// A path that shows a snapshot made after the request came, compressed where the client wants that.
    ///
    /// - Parameters:
    ///   - refusal: Asked first: a response here is the answer, and no snapshot is wanted.
    ///   - failure: The answer where none came in time.
    ///   - render: The answer; called once for each snapshot, however many clients get it, on the server's rendering thread.
    package static func snapshot(
        _ path: String, refusal: @escaping @Sendable () -> HTTPResponse? = { nil },
        failure: @escaping @Sendable () -> HTTPResponse = { .noSnapshot },
        render: @escaping @Sendable (Snapshot) -> HTTPResponse
    ) -> HTTPRoute {
        let responder = SnapshotResponder(isNegotiated: false, refusal: refusal, failure: failure) { published, _ in
            render(published.snapshot)
        }
        return HTTPRoute(path: path, handler: .snapshot(responder))
    }

    /// The same for a path whose form the client chooses by its Accept header.
    ///
    /// - Parameter render: Called once for each snapshot and form.
    package static func exposition(
        _ path: String, refusal: @escaping @Sendable () -> HTTPResponse? = { nil },
        failure: @escaping @Sendable () -> HTTPResponse = { .noSnapshot },
        render: @escaping @Sendable (SnapshotExchange.Published, ExpositionFormat) -> HTTPResponse
    ) -> HTTPRoute {
        let responder = SnapshotResponder(
            isNegotiated: true, refusal: refusal, failure: failure, render: render)
        return HTTPRoute(path: path, handler: .snapshot(responder))
    }
}

extension HTTPResponse {
    package static var noSnapshot: HTTPResponse {
        text("the collector made no snapshot in time: its drain agent is late; try again, and see its log", status: 503)
    }
}
