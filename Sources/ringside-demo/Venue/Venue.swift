internal import Glibc
internal import Synchronization

/// The simulated venue of one bot: a thread of its own behind a local socket, so that the time from an order to its
/// acknowledgement is a real round trip through the kernel and another thread.
///
/// It serves one connection at a time, and cancels the orders of a connection when it ends. The faults `api-down`,
/// `rate-limit` and `slow-venue` are its own: it really closes its sockets, refuses orders, and makes the bot wait.
final class Venue: Sendable {
    /// The delay before each answer to an order or a cancellation while the fault `slow-venue` holds.
    static let slowAnswerNanoseconds: Int64 = 10_000_000
    /// The shortest time between two accepted orders while the fault `rate-limit` holds.
    static let limitedOrderNanoseconds: Int64 = 100_000_000
    /// The longest wait before it checks the faults and `stop()` again.
    fileprivate static let patienceMilliseconds: Int32 = 20

    let address: LocalAddress
    private let isStopping = Atomic(false)

    private init(address: LocalAddress) { self.address = address }

    /// Starts a venue on a thread of its own.
    static func start(named name: String, faults: FaultSchedule) throws(SocketError) -> RunningVenue {
        let (listener, address) = try listenLocally()
        let venue = Venue(address: address)
        let thread = NamedThread(name) {
            var server = VenueServer(venue, listener: listener, faults: faults)
            server.serve()
        }
        return RunningVenue(venue: venue, thread: thread)
    }

    fileprivate func stop() { isStopping.store(true, ordering: .relaxed) }

    fileprivate var isStopped: Bool { isStopping.load(ordering: .relaxed) }
}

/// A venue that serves until it is stopped.
struct RunningVenue: ~Copyable {
    fileprivate let venue: Venue
    fileprivate let thread: NamedThread

    var address: LocalAddress { venue.address }

    /// Ends the venue's thread and waits for it: at once if its connection has been closed, within 20 ms otherwise.
    consuming func stop() {
        venue.stop()
        thread.join()
    }
}

/// The state of the venue's thread.
private struct VenueServer: ~Copyable {
    private let venue: Venue
    private let faults: FaultSchedule
    private var engine = MatchingEngine()
    private var listener: Int32
    private var connection: Int32 = -1
    private var input = FrameReader(frameByteCount: VenueRequest.byteCount)
    private var answers: [VenueResponse] = []
    private var output: [UInt8] = []
    private var nextOrderNanoseconds: Int64 = 0

    init(_ venue: Venue, listener: Int32, faults: FaultSchedule) {
        self.venue = venue
        self.listener = listener
        self.faults = faults
    }

    deinit {
        if connection >= 0 { close(connection) }
        if listener >= 0 { close(listener) }
    }

    mutating func serve() {
        while !venue.isStopped {
            if faults.isActive(.apiDown, at: monotonicNanoseconds()) {
                hangUp()
                closeListener()
                sleepNanoseconds(2_000_000)
            } else if listener < 0 {
                reopen()
            } else {
                serveOnce()
            }
        }
    }

    private mutating func serveOnce() {
        var waiting = pollfd(fd: connection >= 0 ? connection : listener, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, Venue.patienceMilliseconds) > 0 else { return }
        guard connection >= 0 else {
            connection = accept(listener, nil, nil)
            return
        }
        if !input.fill(from: connection) || !answerRequests() { hangUp() }
    }

    /// Answers the requests that have arrived.
    ///
    /// - Returns: False if the connection is gone.
    private mutating func answerRequests() -> Bool {
        let isSlow = faults.isActive(.slowVenue, at: monotonicNanoseconds())
        while let request = input.next(VenueRequest.decode) {
            if request.kind == .newOrder && isTooFast() {
                answers.append(VenueResponse(kind: .rejected, reason: .rateLimit, orderID: request.orderID))
            } else {
                engine.handle(request, &answers)
            }
            if isSlow && request.kind != .marketTrade {
                sleepNanoseconds(Venue.slowAnswerNanoseconds)
                guard sendAnswers() else { return false }
            }
        }
        return sendAnswers()
    }

    private mutating func isTooFast() -> Bool {
        let now = monotonicNanoseconds()
        guard faults.isActive(.rateLimit, at: now) else { return false }
        guard now >= nextOrderNanoseconds else { return true }
        nextOrderNanoseconds = now + Venue.limitedOrderNanoseconds
        return false
    }

    private mutating func sendAnswers() -> Bool {
        for answer in answers { answer.encode(to: &output) }
        answers.removeAll(keepingCapacity: true)
        defer { output.removeAll(keepingCapacity: true) }
        var sent = 0
        while sent < output.count {
            let count = output.withUnsafeBytes {
                send(connection, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    private mutating func hangUp() {
        guard connection >= 0 else { return }
        close(connection)
        connection = -1
        input.removeAll()
        answers.removeAll()
        engine.cancelAll()
    }

    private mutating func closeListener() {
        guard listener >= 0 else { return }
        close(listener)
        listener = -1
    }

    /// Opens the listening socket again. The address stays the venue's own. If the kernel has given it to another
    /// socket meanwhile, the next turn tries again.
    private mutating func reopen() {
        if let (descriptor, _) = try? listenLocally(at: venue.address) {
            listener = descriptor
        } else {
            sleepNanoseconds(2_000_000)
        }
    }
}
