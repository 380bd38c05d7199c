/// When something was last seen disabled. All windows end at now, so that this one time tells which of them lack something.
struct DisabledIntervals: Sendable {
    private var last: Int64?

    /// Whether it ever was.
    var isKnown: Bool { last != nil }

    mutating func note(at now: Int64) { last = now }

    /// In the order of the configuration; how much is missing nobody knows, and it counts as nothing lost.
    func completeness(_ options: SeriesOptions, now: Int64) -> [WindowCompleteness] {
        options.windows.map { window in
            let isInside = last.map { $0 >= window.startNanoseconds(at: now) } ?? false
            return WindowCompleteness(window: window, lost: 0, isComplete: !isInside)
        }
    }
}
