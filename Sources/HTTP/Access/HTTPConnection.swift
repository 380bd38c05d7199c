internal import Configuration
internal import Platform

/// One connection of the server: what happens next on it, and since when that is waited for.
struct HTTPConnection {
    enum Step {
        /// libmicrohttpd has not begun with it.
        case accepted
        /// The headers of its first request come, or what TLS needs before them.
        case first
        /// Those of another one come.
        case next
        /// The body of a request comes.
        case body
        /// The answer is made: the client waits for the server.
        case making
        /// The client reads the answer.
        case sending
    }

    let address: HTTPClientAddress
    private(set) var step = Step.accepted
    private(set) var since: MonotonicTime
    /// Whether it was shut down, and waits for libmicrohttpd to see it.
    var isShut = false
    private var requestTokens = Self.requestBurst
    private var lastRequest: MonotonicTime

    /// Requests that a connection may send at once, and one in each second, without being held to ask much.
    private static let requestBurst = 8.0
    /// How long an answer may be read before its reader counts as slow.
    private static let slowNanoseconds: Int64 = 250_000_000
    /// How long a newcomer, or who sends a body, is let be: enough for a handshake of TLS and a request, however many others come.
    private static let graceNanoseconds: Int64 = 500_000_000

    init(address: HTTPClientAddress, now: MonotonicTime) {
        self.address = address
        (since, lastRequest) = (now, now)
    }

    mutating func move(to step: Step, now: MonotonicTime) { (self.step, since) = (step, now) }

    /// Counts a request.
    ///
    /// - Returns: Whether the connection asks no more than a scraper or a person does.
    mutating func takeRequest(now: MonotonicTime) -> Bool {
        requestTokens = min(Self.requestBurst, requestTokens + Double(now - lastRequest) * 1e-9)
        lastRequest = now
        guard requestTokens >= 1 else { return false }
        requestTokens -= 1
        return true
    }

    /// Whether the client is reading its answer.
    var isReader: Bool { step == .sending }

    /// From when on it may be ended to make room for another; nil while the client waits for the server.
    var givesWayFrom: MonotonicTime? {
        switch step {
        case .first, .body: since + Self.graceNanoseconds
        case .next: since
        case .sending: since + Self.slowNanoseconds
        case .accepted, .making: nil
        }
    }

    func mayGiveWay(now: MonotonicTime) -> Bool { !isShut && givesWayFrom.map { $0 <= now } ?? false }

    /// When its time is up.
    func deadline(_ limits: WebLimits) -> MonotonicTime {
        switch step {
        case .accepted, .first, .body: since + limits.requestNanoseconds
        case .next: since + limits.keepAliveNanoseconds
        case .making, .sending: since + limits.answerNanoseconds
        }
    }
}
