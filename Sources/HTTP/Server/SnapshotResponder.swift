internal import Drain
internal import Exposition
import Synchronization

/// The format and coding of an answer.
struct HTTPRepresentation: Hashable, Sendable {
    /// Text, for a path with only one format.
    var format = ExpositionFormat.text
    var coding = ContentCoding.identity
}

/// Answers with snapshots, and caches the answers from the last snapshot. Each representation is written and compressed
/// once per snapshot, however many clients get it.
final class SnapshotResponder: Sendable {
    typealias Arguments = [(name: String, value: String)]
    typealias Answer = @Sendable (SnapshotExchange.Published, Arguments) -> HTTPResponse
    typealias Render = @Sendable (SnapshotExchange.Published, ExpositionFormat) -> HTTPResponse

    let refusal: @Sendable () -> HTTPResponse?
    let failure: @Sendable () -> HTTPResponse
    /// Answers a request without arguments at once; nil if that needs a snapshot.
    let plain: (@Sendable () -> HTTPResponse)?
    private let isNegotiated: Bool
    /// Answers a request with arguments; nil if the path takes none.
    private let answer: Answer?
    private let render: Render
    private let kept = Mutex(Kept())

    private struct Kept {
        var number: UInt64?
        var replies: [HTTPRepresentation: HTTPReply] = [:]
        /// How long each representation last took to make, in nanoseconds.
        var costs: [HTTPRepresentation: Int64] = [:]
    }

    /// - Parameters:
    ///   - isNegotiated: Whether the client chooses the format.
    ///   - refusal: Called first. If it returns a response, that is the answer, and no snapshot is requested.
    ///   - failure: The answer if no snapshot came in time.
    ///   - plain: Answers a request without arguments at once.
    ///   - answer: Answers a request with arguments.
    ///   - render: Writes an answer. It may take any time.
    init(
        isNegotiated: Bool, refusal: @escaping @Sendable () -> HTTPResponse?,
        failure: @escaping @Sendable () -> HTTPResponse, plain: (@Sendable () -> HTTPResponse)? = nil,
        answer: Answer? = nil, render: @escaping Render
    ) {
        self.plain = plain
        self.answer = answer
        self.isNegotiated = isNegotiated
        self.refusal = refusal
        self.failure = failure
        self.render = render
    }

    /// Returns the representation for a client with these preferences.
    func representation(for preferences: RequestPreferences) -> HTTPRepresentation {
        HTTPRepresentation(
            format: isNegotiated ? ExpositionFormat(accept: preferences.accept) : .text,
            coding: ContentCoding(acceptEncoding: preferences.acceptEncoding))
    }

    /// Whether arguments of the URL change the answer.
    var takesArguments: Bool { answer != nil }

    /// Returns the answer to a request with arguments, which is not cached. May be called on any thread.
    func reply(to published: SnapshotExchange.Published, asked arguments: Arguments) -> HTTPReply? {
        answer.map { HTTPReply($0(published, arguments)) }
    }

    /// Returns the answer, from the cache or newly made. Call it on one thread at a time.
    ///
    /// - Parameter deadline: The time at which it must be ready, on the exchange's clock.
    /// - Returns: Nil if it would be, or was, ready too late.
    func reply(
        to published: SnapshotExchange.Published, as representation: HTTPRepresentation, by deadline: Int64
    ) -> HTTPReply? {
        let begun = SnapshotExchange.now()
        let (known, cost) = kept.withLock { kept in
            if kept.number != published.number { (kept.number, kept.replies) = (published.number, [:]) }
            return (kept.replies[representation], kept.costs[representation] ?? 0)
        }
        if let known { return known }
        // If the client would have given up by then, it gets a failure at once. The next request measures the cost
        // again.
        guard begun + cost <= deadline else {
            kept.withLock { $0.costs[representation] = nil }
            return nil
        }
        let reply = make(published, representation)
        let end = SnapshotExchange.now()
        kept.withLock { kept in
            kept.replies[representation] = reply
            kept.costs[representation] = end - begun
        }
        return end <= deadline ? reply : nil
    }

    private func make(_ published: SnapshotExchange.Published, _ representation: HTTPRepresentation) -> HTTPReply {
        let plain = HTTPRepresentation(format: representation.format)
        let known = kept.withLock { $0.replies[plain] }
        let reply = known ?? HTTPReply(written(published, representation.format))
        guard representation.coding == .gzip, reply.body.count >= Self.smallestCompressed,
            let compressed = Gzip.compress(reply.body, level: Self.compressionLevel)
        else { return reply }
        kept.withLock { $0.replies[plain] = reply }
        var content = reply.head
        content.body = compressed
        content.headers.append(("Content-Encoding", "gzip"))
        return HTTPReply(content)
    }

    private func written(_ published: SnapshotExchange.Published, _ format: ExpositionFormat) -> HTTPResponse {
        var content = render(published, format)
        content.headers.append(("Vary", isNegotiated ? "Accept, Accept-Encoding" : "Accept-Encoding"))
        return content
    }

    /// A page of 2.5 MB took 8 ms and shrank to a tenth; level 6 took 17 ms for a fifth less.
    private static let compressionLevel: Int32 = 1

    /// In bytes. A smaller answer fits into one packet anyway.
    private static let smallestCompressed = 1024
}
