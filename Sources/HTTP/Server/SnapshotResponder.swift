internal import Drain
internal import Exposition
import Synchronization

/// One form of an answer.
struct HTTPRepresentation: Hashable, Sendable {
    /// Of a path that has one form alone, text.
    var format = ExpositionFormat.text
    var coding = ContentCoding.identity
}

/// Answers with snapshots, and keeps what was made of the last one: each form is written once a snapshot, and compressed
/// once, however many clients get it.
final class SnapshotResponder: Sendable {
    typealias Render = @Sendable (SnapshotExchange.Published, ExpositionFormat) -> HTTPResponse

    let refusal: @Sendable () -> HTTPResponse?
    let failure: @Sendable () -> HTTPResponse
    private let isNegotiated: Bool
    private let render: Render
    private let kept = Mutex(Kept())

    private struct Kept {
        var number: UInt64?
        var replies: [HTTPRepresentation: HTTPReply] = [:]
        /// How long each form took to make when it was made last, in nanoseconds.
        var costs: [HTTPRepresentation: Int64] = [:]
    }

    /// - Parameters:
    ///   - isNegotiated: Whether a client chooses the form.
    ///   - refusal: Asked first: a response here is the answer, and no snapshot is wanted.
    ///   - failure: The answer where none came in time.
    ///   - render: Writes an answer, in whatever time it takes.
    init(
        isNegotiated: Bool, refusal: @escaping @Sendable () -> HTTPResponse?,
        failure: @escaping @Sendable () -> HTTPResponse, render: @escaping Render
    ) {
        self.isNegotiated = isNegotiated
        self.refusal = refusal
        self.failure = failure
        self.render = render
    }

    /// What a client with these wishes gets.
    func representation(for wishes: RequestPreferences) -> HTTPRepresentation {
        HTTPRepresentation(
            format: isNegotiated ? ExpositionFormat(accept: wishes.accept) : .text,
            coding: ContentCoding(acceptEncoding: wishes.acceptEncoding))
    }

    /// The answer, made now or before. To be called on one thread at a time.
    ///
    /// - Parameter deadline: When it must be there, on the exchange's clock.
    /// - Returns: Nil where it would come, or came, too late.
    func reply(
        to published: SnapshotExchange.Published, as representation: HTTPRepresentation, by deadline: Int64
    ) -> HTTPReply? {
        let begun = SnapshotExchange.now()
        let (known, cost) = kept.withLock { kept in
            if kept.number != published.number { (kept.number, kept.replies) = (published.number, [:]) }
            return (kept.replies[representation], kept.costs[representation] ?? 0)
        }
        if let known { return known }
        // Who would have given up by then is told at once; the next one finds out whether it still takes so long.
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

    /// A page of 2.5 MB took 8 ms and came to a tenth; level 6 took 17 ms for a fifth less.
    private static let compressionLevel: Int32 = 1

    /// In bytes; less fits into one packet anyway.
    private static let smallestCompressed = 1024
}
