import CMicroHTTPD

/// The preferences for the answer in a request's headers.
struct RequestPreferences: Sendable {
    /// All Accept headers, joined; "" if there is none.
    private(set) var accept = ""
    /// All Accept-Encoding headers, joined.
    private(set) var acceptEncoding = ""
    /// All If-None-Match headers, joined.
    private(set) var ifNoneMatch = ""
    /// The scraper's timeout, counted from the beginning of its request; nil if it sends none.
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
        case "if-none-match": ifNoneMatch += ifNoneMatch.isEmpty ? value : ", \(value)"
        case "x-prometheus-scrape-timeout-seconds": timeoutNanoseconds = Self.nanoseconds(value)
        default: break
        }
    }

    /// Returns a duration in nanoseconds; nil if the text is not a duration.
    static func nanoseconds(_ seconds: String) -> Int64? {
        guard let seconds = Double(seconds), seconds > 0, seconds.isFinite else { return nil }
        return Int64(min(seconds, longestTimeoutSeconds) * 1e9)
    }

    /// A longer timeout counts as this one.
    private static let longestTimeoutSeconds = 60.0

    /// Returns the time by which the answer must be ready for a scraper whose request came at `arrived`; nil if it
    /// sends no timeout. A fifth of its timeout, at most half a second, is left for the network.
    func deadline(arrived: Int64) -> Int64? {
        timeoutNanoseconds.map { arrived + $0 - min($0 / 5, 500_000_000) }
    }
}

/// Takes a header. Called for each one (`MHD_KeyValueIterator`).
private func takeHeader(
    context: UnsafeMutableRawPointer?, kind: MHD_ValueKind, name: UnsafePointer<CChar>?, value: UnsafePointer<CChar>?
) -> MHD_Result {
    guard let preferences = context?.assumingMemoryBound(to: RequestPreferences.self), let name, let value else {
        return .YES
    }
    preferences.pointee.take(String(cString: name), String(cString: value))
    return .YES
}
