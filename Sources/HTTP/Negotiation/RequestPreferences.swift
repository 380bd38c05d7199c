import CMicroHTTPD

/// What a request's headers say of the answer that it wants.
struct RequestPreferences: Sendable {
    /// All Accept headers, as one; "" where there is none.
    private(set) var accept = ""
    /// All Accept-Encoding headers, as one.
    private(set) var acceptEncoding = ""
    /// When the scraper gives up, counted from when it began to ask; nil where it does not say so.
    private(set) var timeoutNanoseconds: Int64?

    init() {}

    init(of connection: OpaquePointer) {
        withUnsafeMutablePointer(to: &self) {
            _ = MHD_get_connection_values(connection, .HEADER_KIND, takeHeader, $0)
        }
    }

    fileprivate mutating func take(_ name: String, _ value: String) {
        switch name.lowercased() {
        case "accept": accept += accept.isEmpty ? value : ", \(value)"
        case "accept-encoding": acceptEncoding += acceptEncoding.isEmpty ? value : ", \(value)"
        case "x-prometheus-scrape-timeout-seconds": timeoutNanoseconds = Self.nanoseconds(value)
        default: break
        }
    }

    /// Nil for what is no time.
    static func nanoseconds(_ seconds: String) -> Int64? {
        guard let seconds = Double(seconds), seconds > 0, seconds.isFinite else { return nil }
        return Int64(min(seconds, longestTimeoutSeconds) * 1e9)
    }

    /// Nobody keeps a connection for longer.
    private static let longestTimeoutSeconds = 60.0

    /// By when an answer must be there for a scraper that began to ask at `arrived`: a fifth of its time, half a second at
    /// most, is left for the way here and back. Nil where it does not say how long it waits.
    func deadline(arrived: Int64) -> Int64? {
        timeoutNanoseconds.map { arrived + $0 - min($0 / 5, 500_000_000) }
    }
}

/// Called for each header (`MHD_KeyValueIterator`).
private func takeHeader(
    context: UnsafeMutableRawPointer?, kind: MHD_ValueKind, name: UnsafePointer<CChar>?, value: UnsafePointer<CChar>?
) -> MHD_Result {
    guard let wishes = context?.assumingMemoryBound(to: RequestPreferences.self), let name, let value else {
        return .YES
    }
    wishes.pointee.take(String(cString: name), String(cString: value))
    return .YES
}
