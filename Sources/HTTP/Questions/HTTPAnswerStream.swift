internal import CMicroHTTPD
internal import Drain
internal import Glibc
internal import Platform
internal import Synchronization

/// One answer to a client that may read slowly, or leave.
///
/// It is made on the pool's threads, and only while its connection is suspended. Then the descriptor surely belongs to
/// that connection, and shows whether the client is still there. The next piece is made only when the client has taken
/// the one before, so memory is bounded by ``firstBytes`` and one piece, whatever the request. An answer of up to
/// ``firstBytes`` is sent whole.
///
/// Unchecked: `next` is used by the one running job of the stream. If none runs, the first caller of `drop()` and
/// `displace()` releases it.
final class HTTPAnswerStream: StreamedBodySource, @unchecked Sendable {
    /// The first part of an answer, sent when the connection resumes.
    enum Beginning {
        case whole(HTTPResponse)
        /// The head; the body is read with ``read(into:count:from:)``.
        case pieces(HTTPResponse)
    }

    private struct State {
        var beginning: Beginning?
        var bytes: ArraySlice<UInt8> = []
        var isEnded = false
        /// The reason why it was abandoned; nil if it was not.
        var failure: HTTPQuestionCounts.Outcome?
        var isWorking = false
        /// Whether libmicrohttpd no longer reads it.
        var isDropped = false
        var idleSince: MonotonicTime?
        var isCounted = false
        var isReleased = false

        /// Returns whether the caller must release `next`: true once, and only while no job of the stream runs.
        mutating func releases() -> Bool {
            guard !isWorking, !isReleased else { return false }
            isReleased = true
            return true
        }
    }

    private let workers: HTTPWorkerPool
    private let descriptor: Int32
    private let begun = SnapshotExchange.now()
    private let state = Mutex(State())
    private var next: (() throws -> [UInt8]?)?
    private let lastLook = Mutex<(time: MonotonicTime, isThere: Bool)>((0, true))

    /// The size up to which an answer is sent whole, with its length.
    private static let firstBytes = 128 << 10
    /// The size of a piece of a longer answer.
    private static let laterBytes = 64 << 10
    /// How long an answer may take, including the client's reading.
    private static let limitNanoseconds: Int64 = 60_000_000_000
    private static let lookNanoseconds: Int64 = 20_000_000

    /// - Parameter descriptor: of the client's socket, -1 if unknown.
    init(workers: HTTPWorkerPool, descriptor: Int32) {
        self.workers = workers
        self.descriptor = descriptor
    }

    /// Returns the first part, once; nil before it is ready.
    func takeBeginning() -> Beginning? {
        state.withLock { state in
            defer { state.beginning = nil }
            return state.beginning
        }
    }

    /// The time since which the client has taken none of the bytes that are ready; nil while more are being made.
    var idleSince: MonotonicTime? { state.withLock { $0.isWorking ? nil : $0.idleSince } }

    /// Makes the first part. Called once, while the connection is suspended.
    ///
    /// - Parameter done: called once, when the first part is ready.
    func begin(
        _ arguments: [(name: String, value: String)], _ answerer: @escaping HTTPAnswerer,
        done: @escaping @Sendable () -> Void
    ) {
        state.withLock { $0.isWorking = true }
        workers.submit { [self] in
            makeBeginning(arguments, answerer)
            finishWork()
            done()
        } refusal: { [self] response in
            state.withLock { $0.failure = workers.isClosed ? .left : .refused }
            settle(.whole(response))
            finishWork()
            done()
        }
    }

    private func makeBeginning(_ arguments: [(name: String, value: String)], _ answerer: HTTPAnswerer) {
        guard isWanted else { return settle(.whole(refusal())) }
        switch answerer(arguments, { [self] in isWanted }) {
        case .whole(let response): settle(.whole(isWanted ? response : refusal()))
        case .pieces(let head, let next):
            self.next = next
            fill(upTo: Self.firstBytes)
            let (isEnded, failure) = state.withLock { ($0.isEnded, $0.failure) }
            if failure != nil {
                settle(.whole(refusal()))
            } else if isEnded {
                var whole = head
                whole.body = state.withLock { state in
                    defer { state.bytes = [] }
                    return Array(state.bytes)
                }
                settle(.whole(whole))
            } else if workers.admit(self, now: SnapshotExchange.now()) {
                settle(.pieces(head))
            } else {
                state.withLock { $0.failure = .refused }
                settle(.whole(refusal()))
            }
        }
    }

    private func settle(_ beginning: Beginning) {
        state.withLock { state in
            state.beginning = beginning
            guard case .whole = beginning else { return }
            state.bytes = []
            state.isEnded = true
        }
        if case .whole = beginning {
            next = nil
            count()
        }
    }

    private func refusal() -> HTTPResponse {
        switch state.withLock(\.failure) {
        case .refused?:
            .text(
                "too many long answers are being read; try again, or ask for less: a longer step or fewer series",
                status: 503)
        case .late?:
            .text(
                "the answer takes longer than \(Self.limitNanoseconds / 1_000_000_000) s: choose a shorter range, or name a bot or a label",
                status: 503)
        case .failed?: .text("the data cannot be read: see the collector's log", status: 503)
        default: .text("the answer was abandoned: the client left, or the collector is shutting down", status: 503)
        }
    }

    /// Makes more of the body, until there are enough bytes, it has ended, or it is abandoned.
    private func fill(upTo limit: Int) {
        while let next {
            let enough = state.withLock { $0.bytes.count >= limit || $0.failure != nil }
            if enough { break }
            do {
                guard isWanted else { return fail() }
                guard let piece = try next() else {
                    state.withLock { $0.isEnded = true }
                    self.next = nil
                    return
                }
                state.withLock { state in
                    if state.bytes.isEmpty { state.bytes = piece[...] } else { state.bytes += piece }
                }
            } catch {
                return fail()
            }
        }
    }

    private func fail() {
        state.withLock { state in
            if state.failure == nil { state.failure = .failed }
            state.bytes = []
        }
        next = nil
    }

    /// Whether the client still waits for the answer. It is checked every 20 ms. Call it while the connection is
    /// suspended.
    private var isWanted: Bool {
        let now = SnapshotExchange.now()
        return lastLook.withLock { look in
            guard look.isThere, now - look.time >= Self.lookNanoseconds else { return look.isThere }
            let outcome: HTTPQuestionCounts.Outcome? =
                now - begun > Self.limitNanoseconds ? .late : workers.isClosed || hasClientLeft ? .left : nil
            look = (now, outcome == nil)
            if let outcome { state.withLock { $0.failure = $0.failure ?? outcome } }
            return outcome == nil
        }
    }

    /// Whether the client has closed its side, or the server has shut the connection down.
    private var hasClientLeft: Bool {
        descriptor >= 0 && ringside_peer_has_left(descriptor) != 0
    }

    // MARK: The server's thread

    func read(into buffer: UnsafeMutableRawPointer, count: Int, from connection: OpaquePointer) -> Int {
        enum Step {
            case bytes(Int)
            case ended
            case failed
            case makeMore
        }
        let isClosed = workers.isClosed
        let step = state.withLock { state -> Step in
            if state.failure != nil || isClosed { return .failed }
            if !state.bytes.isEmpty {
                let taken = state.bytes.prefix(count)
                taken.withUnsafeBytes { buffer.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
                state.bytes.removeFirst(taken.count)
                state.idleSince = SnapshotExchange.now()
                return .bytes(taken.count)
            }
            if state.isEnded { return .ended }
            state.isWorking = true
            return .makeMore
        }
        switch step {
        case .bytes(let count): return count
        case .ended: return ringside_http_end_of_stream
        case .failed: return ringside_http_end_with_error
        case .makeMore:
            MHD_suspend_connection(connection)
            makeMore(SuspendedConnection(connection))
            return 0
        }
    }

    private func makeMore(_ suspended: SuspendedConnection) {
        workers.resubmit { [self] in
            fill(upTo: Self.laterBytes)
            finishWork()
            suspended.resume()
        } giveUp: { [self] in
            fail()
            finishWork()
            suspended.resume()
        }
    }

    private func finishWork() {
        let releases = state.withLock { state in
            state.isWorking = false
            state.idleSince = SnapshotExchange.now()
            return state.isDropped && state.releases()
        }
        if releases { next = nil }
    }

    /// Releases the answer's resources, after the client has all of it or has left.
    func drop() {
        workers.release(self)
        let releases = state.withLock { state in
            state.isDropped = true
            if !state.isEnded || !state.bytes.isEmpty { state.failure = state.failure ?? .left }
            state.bytes = []
            return state.releases()
        }
        if releases { next = nil }
        count()
    }

    /// Abandons the answer to make room for another.
    func displace() {
        let releases = state.withLock { state in
            state.failure = state.failure ?? .displaced
            state.bytes = []
            return state.releases()
        }
        if releases { next = nil }
    }

    /// Counts the outcome, once.
    private func count() {
        let outcome = state.withLock { state -> HTTPQuestionCounts.Outcome? in
            guard !state.isCounted else { return nil }
            state.isCounted = true
            return state.failure ?? .answered
        }
        if let outcome { workers.counts.note(outcome) }
    }
}
