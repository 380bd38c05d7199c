/// The state of one destination of the collector: its queue, and the results of requests.
package struct ExportStatus: Equatable, Sendable {
    package var name: String
    /// Whether the last request was accepted, or there was none yet.
    package var isOK = true
    package var queuedEntries: UInt64 = 0
    package var queuedBytes: UInt64 = 0
    /// The number of accepted requests, since the collector began.
    package var sent: UInt64 = 0
    /// The number of failed attempts, by reason, since the collector began.
    package var failed: [String: UInt64] = zeros(
        "transport", "timeout", "throttled", "unavailable", "rejected", "partial", "secret")
    /// The number of dropped entries, by reason, since the collector began.
    package var dropped: [String: UInt64] = zeros("age", "full", "rejected", "storage")
    /// The number of attempts beyond an entry's first.
    package var retries: UInt64 = 0
    /// The time of the last accepted request, in nanoseconds since the Unix epoch.
    package var lastSuccessUnixNanoseconds: Int64?

    package init(name: String) { self.name = name }

    /// Returns a count of zero for each reason. Every count is present from the beginning, so that the first event is
    /// an increase.
    private static func zeros(_ reasons: String...) -> [String: UInt64] {
        Dictionary(uniqueKeysWithValues: reasons.map { ($0, 0) })
    }
}
