/// The last time at which something was disabled. All windows end now, so this one time shows the windows that lack
/// something.
struct DisabledTime: Sendable {
    /// Nil if it was never disabled.
    private(set) var latest: Int64?

    /// Returns whether something is disabled now. The control words are read ten times a second, so a time of a second
    /// ago or more means that it is enabled again.
    func isOngoing(now: Int64) -> Bool { latest.map { now - $0 < 1_000_000_000 } ?? false }

    mutating func note(at now: Int64) { latest = now }

    /// Returns the completeness of the windows, in the order of the configuration. The amount that is missing is
    /// unknown and counts as zero lost.
    func completeness(_ options: SeriesOptions, now: Int64) -> [WindowCompleteness] {
        options.windows.map { window in
            let isInside = latest.map { $0 >= window.startNanoseconds(at: now) } ?? false
            return WindowCompleteness(window: window, lost: 0, isComplete: !isInside)
        }
    }
}
