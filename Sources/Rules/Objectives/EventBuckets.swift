package import Series

/// Good and bad events by the time at which they were counted: by the second for five minutes, by the minute for six
/// hours, by the hour for thirty days. Times without events take no memory. At most 1,400 buckets of 24 bytes are
/// stored.
package struct EventBuckets: Equatable, Sendable {
    /// Events of one bucket of time.
    package struct Bucket: Equatable, Sendable {
        /// The time since the Unix epoch, in units of the level's width.
        package var number: Int64
        package var counts: EventCounts

        package init(number: Int64, counts: EventCounts) {
            self.number = number
            self.counts = counts
        }
    }

    /// By the second, by the minute and by the hour; each ascending.
    package private(set) var levels = ObjectiveWindow.Resolution.allCases.map { _ in [Bucket]() }

    package init() {}

    /// Restores stored buckets.
    ///
    /// - Returns: Nil if there are not three levels, or one is not ascending.
    package init?(levels: [[Bucket]]) {
        let areAscending = levels.allSatisfy { level in
            zip(level, level.dropFirst()).allSatisfy { $0.number < $1.number }
        }
        guard levels.count == self.levels.count, areAscending else { return nil }
        self.levels = levels
    }

    /// Counts events that came now. Buckets with later times, such as buckets stored under a clock that was ahead, are
    /// merged with these events as of now. So they leave every window in time.
    package mutating func add(_ counts: EventCounts, nowSeconds: Int64) {
        for (level, resolution) in ObjectiveWindow.Resolution.allCases.enumerated() {
            Self.add(counts, nowSeconds / resolution.rawValue, to: &levels[level])
            let oldest = (nowSeconds - resolution.reachSeconds) / resolution.rawValue
            levels[level].removeFirst(levels[level].firstIndex { $0.number >= oldest } ?? levels[level].count)
        }
    }

    private static func add(_ counts: EventCounts, _ number: Int64, to level: inout [Bucket]) {
        var counts = counts
        while let last = level.last, last.number >= number {
            counts = counts &+ last.counts
            level.removeLast()
        }
        if counts.total > 0 { level.append(Bucket(number: number, counts: counts)) }
    }

    /// Returns the events of the window that ends now.
    package func sum(over window: ObjectiveWindow, nowSeconds: Int64) -> EventCounts {
        let resolution = window.resolution
        let first = (nowSeconds - window.lengthSeconds) / resolution.rawValue
        let level = levels[ObjectiveWindow.Resolution.allCases.firstIndex(of: resolution)!]
        return level.reversed().prefix { $0.number >= first }.reduce(EventCounts()) { $0 &+ $1.counts }
    }
}
