/// Bounds that no client of the HTTP server passes, and not all of them together.
package struct WebLimits: Equatable, Sendable {
    /// Connections at one time; 1 to 10,000. Where there is no room, one that is idle or read slowly goes, or new ones wait.
    package var connections = 512
    /// Those of one address, or one network of 64 bits over IPv6, that are idle or read slowly.
    package var connectionsPerAddress = 256
    /// The headers of a request, in bytes; 1,024 to 65,536. More is answered with 431.
    package var headerBytes = 16384
    /// How long a new connection may take until its first request's headers have come, and any request until its body has
    /// come after them; 100 ms to 1 min.
    package var requestNanoseconds: Int64 = 5_000_000_000
    /// How long a connection may be silent between two requests; 1 s to 1 h.
    package var keepAliveNanoseconds: Int64 = 60_000_000_000
    /// How long an answer may take until the client has read it; 1 s to 1 h.
    package var answerNanoseconds: Int64 = 60_000_000_000
    /// Requests a second of one address, over time, and how many may come at once; more is answered with 429.
    package var requestsPerSecond = 1000.0
    package var burst = 2000.0

    package init() {}
}

extension WebLimits {
    init(_ section: Section) {
        self.init()
        connections = section.whole("connections", 1...10_000) ?? connections
        connectionsPerAddress = section.whole("connections_per_address", 1...10_000) ?? connectionsPerAddress
        headerBytes = section.whole("header_bytes", 1024...65_536) ?? headerBytes
        requestNanoseconds = section.time("request_timeout", 100_000_000...60_000_000_000) ?? requestNanoseconds
        keepAliveNanoseconds =
            section.time("keep_alive", 1_000_000_000...3_600_000_000_000) ?? keepAliveNanoseconds
        answerNanoseconds = section.time("answer_timeout", 1_000_000_000...3_600_000_000_000) ?? answerNanoseconds
        requestsPerSecond =
            section.number("requests_per_second", expected: "a number above 0") { $0 > 0 && $0 <= 1e6 }
            ?? requestsPerSecond
        burst = section.whole("burst", 1...1_000_000).map(Double.init) ?? max(burst, requestsPerSecond)
        section.finish()
    }
}

extension Section {
    fileprivate func whole(_ key: String, _ range: ClosedRange<Int>) -> Int? {
        number(key, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)") {
            $0 == $0.rounded() && (Double(range.lowerBound)...Double(range.upperBound)).contains($0)
        }.map { Int($0) }
    }

    fileprivate func time(_ key: String, _ range: ClosedRange<Int64>) -> Int64? {
        func text(_ nanoseconds: Int64) -> String {
            nanoseconds < 1_000_000_000 ? "\(nanoseconds / 1_000_000)ms" : "\(nanoseconds / 1_000_000_000)s"
        }
        return duration(key, expected: "a time from \"\(text(range.lowerBound))\" to \"\(text(range.upperBound))\"") {
            range.contains($0)
        }
    }
}
