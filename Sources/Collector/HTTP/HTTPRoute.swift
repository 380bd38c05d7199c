import CMicroHTTPD
package import Series
import Synchronization

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
        case snapshot(SnapshotResponder)
        case question(HTTPQuestionDesk, HTTPQuestionDesk.Responder)
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

    /// A path that does something each time it is asked to, by POST; a body is taken and not read.
    package static func post(_ path: String, _ act: @escaping @Sendable () -> HTTPResponse) -> HTTPRoute {
        HTTPRoute(path: path, handler: .immediate(act), methods: ["POST"])
    }

    /// A path whose answer takes a while, and depends on the URL's arguments: it is made on the desk's thread, where one may wait.
    package static func question(
        _ path: String, _ desk: HTTPQuestionDesk, _ respond: @escaping HTTPQuestionDesk.Responder
    ) -> HTTPRoute {
        HTTPRoute(path: path, handler: .question(desk, respond))
    }

    /// A path that shows a snapshot made after the request came.
    ///
    /// - Parameters:
    ///   - refusal: Asked first: a response here is the answer, and no snapshot is wanted.
    ///   - failure: The answer where no snapshot came in time.
    ///   - render: The answer; called once for each snapshot, however many clients get it.
    package static func snapshot(
        _ path: String, refusal: @escaping @Sendable () -> HTTPResponse? = { nil },
        failure: @escaping @Sendable () -> HTTPResponse = { .noSnapshot },
        render: @escaping @Sendable (Snapshot) -> HTTPResponse
    ) -> HTTPRoute {
        HTTPRoute(
            path: path, handler: .snapshot(SnapshotResponder(refusal: refusal, failure: failure, render: render)))
    }
}

extension HTTPResponse {
    package static var noSnapshot: HTTPResponse {
        text("the collector made no snapshot in time: its drain agent is late; try again, and see its log", status: 503)
    }
}

/// Answers with snapshots, and keeps what was made of the last one.
final class SnapshotResponder: Sendable {
    let refusal: @Sendable () -> HTTPResponse?
    let failure: @Sendable () -> HTTPResponse
    private let render: @Sendable (Snapshot) -> HTTPResponse
    private let rendered = Mutex<(number: UInt64, reply: HTTPReply)?>(nil)

    init(
        refusal: @escaping @Sendable () -> HTTPResponse?, failure: @escaping @Sendable () -> HTTPResponse,
        render: @escaping @Sendable (Snapshot) -> HTTPResponse
    ) {
        self.refusal = refusal
        self.failure = failure
        self.render = render
    }

    func reply(to published: SnapshotExchange.Published) -> HTTPReply {
        rendered.withLock { rendered in
            if let rendered, rendered.number == published.number { return rendered.reply }
            let reply = HTTPReply(render(published.snapshot))
            rendered = (published.number, reply)
            return reply
        }
    }
}

/// A response in libmicrohttpd's own form, which may be sent to any number of clients.
///
/// `@unchecked Sendable`: it is not changed after `init`, and libmicrohttpd counts its users under a lock of its own.
final class HTTPReply: @unchecked Sendable {
    private let status: UInt32
    private let response: OpaquePointer?

    init(_ content: HTTPResponse) {
        status = content.status
        response = content.body.withUnsafeBytes {
            MHD_create_response_from_buffer(
                $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let response else { return }
        MHD_add_response_header(response, "Content-Type", content.contentType)
        // A proxy's copy would be older than the request.
        MHD_add_response_header(response, "Cache-Control", "no-store")
        for header in content.headers { MHD_add_response_header(response, header.name, header.value) }
    }

    deinit {
        if let response { MHD_destroy_response(response) }
    }

    /// Hands the response to a connection; MHD_NO closes it, where there was no memory for one.
    func queue(on connection: OpaquePointer) -> MHD_Result {
        guard let response else { return .NO }
        return MHD_queue_response(connection, status, response)
    }
}
