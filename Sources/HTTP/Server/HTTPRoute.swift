package import Drain
package import Exposition
package import Series

/// One path that answers GET and HEAD, or POST alone.
package struct HTTPRoute: Sendable {
    enum Handler: Sendable {
        case immediate(@Sendable () -> HTTPResponse)
        case immediateWithHost(@Sendable (_ host: String?) -> HTTPResponse)
        case snapshot(SnapshotResponder)
        case pooled(HTTPWorkerPool, HTTPAnswerer)
        case events(EventFeed)
        /// A file. Clients that do not prefer its type get the other answer, if there is one.
        case file(HTTPFile, other: (@Sendable () -> HTTPResponse)?)
    }

    package let path: String
    let handler: Handler
    /// The methods that it accepts.
    var methods: Set<String> = ["GET", "HEAD"]

    package var answersGET: Bool { methods.contains("GET") }

    /// Makes a path that answers at once, on the server's thread, where nothing may block.
    package static func immediate(
        _ path: String, _ respond: @escaping @Sendable () -> HTTPResponse
    ) -> HTTPRoute {
        HTTPRoute(path: path, handler: .immediate(respond))
    }

    /// Makes a path that answers at once, and whose answer depends on the host name of the request; nil if it has none.
    package static func immediateWithHost(
        _ path: String, _ respond: @escaping @Sendable (_ host: String?) -> HTTPResponse
    ) -> HTTPRoute {
        HTTPRoute(path: path, handler: .immediateWithHost(respond))
    }

    /// Makes a path whose answer is a file.
    ///
    /// - Parameter other: Answers a client that does not prefer the file's type to JSON; nil if all get the file.
    package static func file(
        _ path: String, _ file: HTTPFile, other: (@Sendable () -> HTTPResponse)? = nil
    ) -> HTTPRoute {
        HTTPRoute(path: path, handler: .file(file, other: other))
    }

    /// Makes a path whose answer is a stream of events without an end.
    package static func events(_ path: String, _ feed: EventFeed) -> HTTPRoute {
        HTTPRoute(path: path, handler: .events(feed))
    }

    /// Makes a path that has an effect, by POST. A body is accepted and ignored.
    package static func post(_ path: String, _ act: @escaping @Sendable () -> HTTPResponse) -> HTTPRoute {
        HTTPRoute(path: path, handler: .immediate(act), methods: ["POST"])
    }

    /// Makes a path whose answer takes a while, depends on the URL's arguments, and may be long. It is made on the pool's
    /// threads, which may block, piece by piece as the client reads it.
    package static func streamed(
        _ path: String, _ workers: HTTPWorkerPool, _ answerer: @escaping HTTPAnswerer
    ) -> HTTPRoute {
        HTTPRoute(path: path, handler: .pooled(workers, answerer))
    }

    /// Makes a path that has an effect, by POST, and whose answer takes a while. It is made on the pool's threads, which
    /// may block.
    package static func blockingPost(
        _ path: String, _ workers: HTTPWorkerPool, _ act: @escaping HTTPWorkerPool.Responder
    ) -> HTTPRoute {
        HTTPRoute(
            path: path, handler: .pooled(workers) { arguments, _ in .whole(act(arguments)) }, methods: ["POST"])
    }

    /// Makes a path that answers with a snapshot made after the request came, compressed if the client accepts that.
    ///
    /// - Parameters:
    ///   - refusal: Called first. If it returns a response, that is the answer, and no snapshot is requested.
    ///   - failure: The answer if no snapshot came in time.
    ///   - render: Writes the answer. Called on the rendering thread, once per snapshot, however many clients get it.
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

    /// Makes a path that answers with a snapshot, and that also takes URL arguments.
    ///
    /// - Parameters:
    ///   - plain: Answers a request without arguments at once; nil if that needs a snapshot too.
    ///   - answer: Makes the answer from a snapshot. Called for each request with arguments.
    package static func snapshot(
        _ path: String, plain: (@Sendable () -> HTTPResponse)? = nil,
        failure: @escaping @Sendable () -> HTTPResponse = { .noSnapshot },
        answer: @escaping @Sendable (Snapshot, _ arguments: [(name: String, value: String)]) -> HTTPResponse
    ) -> HTTPRoute {
        let responder = SnapshotResponder(
            isNegotiated: false, refusal: { nil }, failure: failure, plain: plain,
            answer: { published, arguments in answer(published.snapshot, arguments) },
            render: { published, _ in answer(published.snapshot, []) })
        return HTTPRoute(path: path, handler: .snapshot(responder))
    }

    /// Makes a path that answers with a snapshot in the format that the client chooses by its Accept header.
    ///
    /// - Parameter render: Called once per snapshot and format.
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
