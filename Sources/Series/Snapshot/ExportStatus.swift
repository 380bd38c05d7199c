/// How one destination of the collector stands: what waits for it, and what became of what was sent.
package struct ExportStatus: Equatable, Sendable {
    package var name: String
    /// Whether the last request was taken, or none was made yet.
    package var isOK = true
    package var queuedEntries: UInt64 = 0
    package var queuedBytes: UInt64 = 0
    /// Requests that were taken, since the collector began.
    package var sent: UInt64 = 0
    /// Attempts that failed, by reason, since the collector began.
    package var failed: [String: UInt64] = zeros(
        "transport", "timeout", "throttled", "unavailable", "rejected", "partial", "secret")
    /// Entries that were given up, by reason, since the collector began.
    package var dropped: [String: UInt64] = zeros("age", "full", "rejected", "storage")
    /// Attempts beyond an entry's first.
    package var retries: UInt64 = 0
    /// Of the last request that was taken, in nanoseconds since the Unix epoch.
    package var lastSuccessUnixNanoseconds: Int64?

    package init(name: String) { self.name = name }

    /// What is counted is there from the beginning, so that the first of it is an increase.
    private static func zeros(_ reasons: String...) -> [String: UInt64] {
        Dictionary(uniqueKeysWithValues: reasons.map { ($0, 0) })
    }
}
