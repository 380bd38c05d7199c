internal import Configuration
internal import Platform

/// One connection of the server: its current step, and the time at which the step began.
struct HTTPConnection {
    enum Step {
        /// libmicrohttpd has not started to process it.
        case accepted
        /// Receiving the TLS handshake or the headers of the first request.
        case first
        /// Receiving the headers of a later request, or waiting for them.
        case next
        /// Receiving the body of a request.
        case body
        /// Making the answer. The client waits for the server.
        case making
        /// Sending the answer. The client reads it.
        case sending
        /// Sending a stream without an end. The step begins anew whenever the client takes some of it.
        case streaming
    }

    let address: HTTPClientAddress
    private(set) var step = Step.accepted
    private(set) var since: MonotonicTime
    /// Whether it was shut down and libmicrohttpd has not noticed yet.
    var isShut = false
    private var requestTokens = Self.requestBurst
    private var lastRequest: MonotonicTime

    /// The allowance of a connection: the number of requests that it may send at once. It regains one each second.
    private static let requestBurst = 8.0
    /// How long a client may read an answer before it counts as slow.
    private static let slowNanoseconds: Int64 = 250_000_000
    /// How long the client of a stream may take nothing before it counts as gone.
    private static let goneNanoseconds: Int64 = 10_000_000_000
    /// How long a new connection, or a connection that sends a body, cannot be ended to make room. It is enough for a
    /// TLS handshake and a request, however many others arrive.
    private static let graceNanoseconds: Int64 = 500_000_000

    init(address: HTTPClientAddress, now: MonotonicTime) {
        self.address = address
        (since, lastRequest) = (now, now)
    }

    mutating func move(to step: Step, now: MonotonicTime) { (self.step, since) = (step, now) }

    /// Counts a request against the connection's allowance, which is more than a scraper or a person needs.
    ///
    /// - Returns: The share of the allowance that was left, 0 to 1; 0 if it was used up.
    mutating func takeRequest(now: MonotonicTime) -> Double {
        requestTokens = min(Self.requestBurst, requestTokens + Double(now - lastRequest) * 1e-9)
        lastRequest = now
        guard requestTokens >= 1 else { return 0 }
        defer { requestTokens -= 1 }
        return requestTokens / Self.requestBurst
    }

    /// Whether the client is reading its answer.
    var isReader: Bool { step == .sending }

    /// The time from which it may be ended to make room for another; nil while the client waits for the server.
    var givesWayFrom: MonotonicTime? {
        switch step {
        case .first, .body: since + Self.graceNanoseconds
        case .next: since
        case .sending: since + Self.slowNanoseconds
        case .streaming: since + Self.goneNanoseconds
        case .accepted, .making: nil
        }
    }

    func mayGiveWay(now: MonotonicTime) -> Bool { !isShut && givesWayFrom.map { $0 <= now } ?? false }

    /// Returns the time at which its current step times out.
    func deadline(_ limits: WebLimits) -> MonotonicTime {
        switch step {
        case .accepted, .first, .body: since + limits.requestNanoseconds
        case .next: since + limits.keepAliveNanoseconds
        case .making, .sending, .streaming: since + limits.answerNanoseconds
        }
    }
}
