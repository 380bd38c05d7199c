/// Limits on the clients of the HTTP server, for each and for all together.
package struct WebLimits: Equatable, Sendable {
    /// The most connections at one time; 1 to 10,000. If there is no room, an idle or slow one is ended, or new ones
    /// wait.
    package var connections = 512
    /// The most idle or slow connections of one address, or of one 64-bit network over IPv6; 1 to 10,000.
    package var connectionsPerAddress = 256
    /// The most listeners of `/events` at one time, at most half of the connections; 1 to 1,000. More are answered with
    /// 503.
    package var eventStreams = 16
    /// The most bytes of a request's headers; 1,024 to 65,536. Longer ones are answered with 431.
    package var headerBytes = 16384
    /// How long a new connection may take for the headers of its first request, and any request for its body after the
    /// headers; 100 ms to 1 min.
    package var requestNanoseconds: Int64 = 5_000_000_000
    /// How long a connection may be idle between two requests; 1 s to 1 h.
    package var keepAliveNanoseconds: Int64 = 60_000_000_000
    /// How long a client may take to read an answer; 1 s to 1 h.
    package var answerNanoseconds: Int64 = 60_000_000_000
    /// The average requests per second of one address. `burst` is the number that may come at once. More are answered
    /// with 429.
    package var requestsPerSecond = 1000.0
    package var burst = 2000.0

    package init() {}
}

extension WebLimits {
    init(_ section: Section) {
        self.init()
        connections = section.whole("connections", 1...10_000) ?? connections
        connectionsPerAddress = section.whole("connections_per_address", 1...10_000) ?? connectionsPerAddress
        eventStreams = section.whole("event_streams", 1...1000) ?? eventStreams
        headerBytes = section.whole("header_bytes", 1024...65_536) ?? headerBytes
        requestNanoseconds =
            section.duration("request_timeout", DurationText.Bounds(from: "100ms", to: "1m")) ?? requestNanoseconds
        keepAliveNanoseconds =
            section.duration("keep_alive", DurationText.Bounds(from: "1s", to: "1h")) ?? keepAliveNanoseconds
        answerNanoseconds =
            section.duration("answer_timeout", DurationText.Bounds(from: "1s", to: "1h")) ?? answerNanoseconds
        requestsPerSecond =
            section.number("requests_per_second", expected: "a number above 0, and 1000000 at most") {
                $0 > 0 && $0 <= 1e6
            }
            ?? requestsPerSecond
        burst = section.whole("burst", 1...1_000_000).map(Double.init) ?? max(burst, requestsPerSecond)
    }
}
