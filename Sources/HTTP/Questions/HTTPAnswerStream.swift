internal import CMicroHTTPD
internal import Drain
internal import Glibc
internal import Platform
internal import Synchronization

/// One answer on its way to a client that may read slowly, or leave.
///
/// It is made on a desk's threads, and only while its connection is suspended: then the descriptor is surely its own, and can
/// be asked whether the client is still there. What is made is kept until the client has taken it, and no more is made before
/// that: memory is bounded by ``firstBytes`` and one piece, whatever was asked for. An answer that is no longer than that goes
/// out whole.
///
/// Unchecked: `next` is touched by the one job of the stream that runs, or under the lock where none does.
final class HTTPAnswerStream: @unchecked Sendable {
    /// What can be sent when the connection goes on.
    enum Beginning {
        case whole(HTTPResponse)
        /// The head; the body is read with ``read(into:count:from:)``.
        case pieces(HTTPResponse)
    }

    private struct State {
        var beginning: Beginning?
        var bytes: ArraySlice<UInt8> = []
        var isEnded = false
        /// Why it was given up; nil where it was not.
        var failure: HTTPQuestionCounts.Outcome?
        var isWorking = false
        /// Nobody reads it any more.
        var isDropped = false
        var idleSince: MonotonicTime?
        var isCounted = false
    }

    private let desk: HTTPQuestionDesk
    private let descriptor: Int32
    private let begun = SnapshotExchange.now()
    private let state = Mutex(State())
    private var next: (() throws -> [UInt8]?)?
    private let lastLook = Mutex<(time: MonotonicTime, isThere: Bool)>((0, true))

    /// An answer of up to so many bytes goes out whole, with its length.
    private static let firstBytes = 128 << 10
    /// Of a longer one so much is made at a time.
    private static let laterBytes = 64 << 10
    /// How long an answer may take, with all that its client takes to read it.
    private static let limitNanoseconds: Int64 = 60_000_000_000
    private static let lookNanoseconds: Int64 = 20_000_000

    /// - Parameter descriptor: of the client's socket, -1 where it is not known.
    init(desk: HTTPQuestionDesk, descriptor: Int32) {
        self.desk = desk
        self.descriptor = descriptor
    }

    /// What can be sent, which is handed over once; nil before it is there.
    func takeBeginning() -> Beginning? {
        state.withLock { state in
            defer { state.beginning = nil }
            return state.beginning
        }
    }

    /// Since when its client has taken nothing of what is there; nil where it is being made.
    var idleSince: MonotonicTime? { state.withLock { $0.isWorking ? nil : $0.idleSince } }

    /// Makes the beginning. Called once, while the connection is suspended.
    ///
    /// - Parameter done: called once, when the beginning is there.
    func begin(
        _ arguments: [(name: String, value: String)], _ answerer: @escaping HTTPAnswerer,
        done: @escaping @Sendable () -> Void
    ) {
        state.withLock { $0.isWorking = true }
        desk.take { [self] in
            makeBeginning(arguments, answerer)
            finishWork()
            done()
        } refusal: { [self] response in
            state.withLock { $0.failure = desk.isClosed ? .left : .refused }
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
            } else if desk.open(self, now: SnapshotExchange.now()) {
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
                "the answer would take longer than \(Self.limitNanoseconds / 1_000_000_000) s: choose a shorter range, or name a bot or a label",
                status: 503)
        case .failed?: .text("what was asked for cannot be read: see the collector's log", status: 503)
        default: .text("the answer was given up: the client left, or the collector ends", status: 503)
        }
    }

    /// Makes more of the body, until there is enough, it has ended, or it is given up.
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

    /// Whether anyone waits for it: looked up every 20 ms. To be called while the connection is suspended.
    private var isWanted: Bool {
        let now = SnapshotExchange.now()
        return lastLook.withLock { look in
            guard look.isThere, now - look.time >= Self.lookNanoseconds else { return look.isThere }
            let outcome: HTTPQuestionCounts.Outcome? =
                now - begun > Self.limitNanoseconds ? .late : desk.isClosed || hasClientLeft ? .left : nil
            look = (now, outcome == nil)
            if let outcome { state.withLock { $0.failure = $0.failure ?? outcome } }
            return outcome == nil
        }
    }

    /// A client that closes its side, or is shut down here, does not wait any more.
    private var hasClientLeft: Bool {
        descriptor >= 0 && ringside_peer_has_left(descriptor) != 0
    }

    // MARK: The server's thread

    /// What libmicrohttpd is told: how many bytes there are, that it is suspended until there are some, or that it has ended.
    func read(into buffer: UnsafeMutableRawPointer, count: Int, from connection: OpaquePointer) -> Int {
        enum Step {
            case bytes(Int)
            case ended
            case failed
            case makeMore
        }
        let isClosed = desk.isClosed
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
        desk.goOn { [self] in
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
        let isOver = state.withLock { state in
            state.isWorking = false
            state.idleSince = SnapshotExchange.now()
            return state.isDropped
        }
        if isOver { next = nil }
    }

    /// The client has all of it, or has gone: what it kept open is closed.
    func drop() {
        desk.close(self)
        let isIdle = state.withLock { state in
            state.isDropped = true
            if !state.isEnded || !state.bytes.isEmpty { state.failure = state.failure ?? .left }
            state.bytes = []
            return !state.isWorking
        }
        if isIdle { next = nil }
        count()
    }

    /// Another answer has its place.
    func displace() {
        let isIdle = state.withLock { state in
            state.failure = state.failure ?? .displaced
            state.bytes = []
            return !state.isWorking
        }
        if isIdle { next = nil }
    }

    /// Counts how it ended, once.
    private func count() {
        let outcome = state.withLock { state -> HTTPQuestionCounts.Outcome? in
            guard !state.isCounted else { return nil }
            state.isCounted = true
            return state.failure ?? .answered
        }
        if let outcome { desk.counts.note(outcome) }
    }
}

/// Hands a stream's body to libmicrohttpd.
enum HTTPStreamedBody {
    private static let blockBytes = 64 << 10

    /// Nil where there is no memory for one.
    static func makeResponse(_ stream: HTTPAnswerStream, on connection: OpaquePointer) -> OpaquePointer? {
        let reading = HTTPStreamReading(stream: stream, connection: connection)
        let context = Unmanaged.passRetained(reading).toOpaque()
        let response = MHD_create_response_from_callback(UInt64.max, blockBytes, readStream, context, dropStream)
        if response == nil { dropStream(context: context) }
        return response
    }
}

/// What the callbacks of a body are given. It is used on libmicrohttpd's thread alone.
private final class HTTPStreamReading {
    let stream: HTTPAnswerStream
    let connection: OpaquePointer

    init(stream: HTTPAnswerStream, connection: OpaquePointer) {
        self.stream = stream
        self.connection = connection
    }
}

/// `MHD_ContentReaderCallback`
private func readStream(
    context: UnsafeMutableRawPointer?, position: UInt64, buffer: UnsafeMutablePointer<CChar>?, count: Int
) -> Int {
    guard let context, let buffer, count > 0 else { return ringside_http_end_with_error }
    let reading = Unmanaged<HTTPStreamReading>.fromOpaque(context).takeUnretainedValue()
    return reading.stream.read(into: buffer, count: count, from: reading.connection)
}

/// `MHD_ContentReaderFreeCallback`
private func dropStream(context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<HTTPStreamReading>.fromOpaque(context).takeRetainedValue().stream.drop()
}
