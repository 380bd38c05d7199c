/// The times that were watched. They distinguish a window in which nothing happened from a window that nobody watched.
///
/// Memory: at most 64 spans. Beyond that the oldest span counts as unwatched, so a window may seem less watched than it
/// was.
package struct WatchLog: Equatable, Sendable {
    /// A stretch of time without a gap, in seconds of the rules' clock.
    package struct Span: Equatable, Sendable {
        package var begin: Int64
        package var end: Int64

        package init(begin: Int64, end: Int64) {
            self.begin = begin
            self.end = end
        }
    }

    /// Ascending, without overlaps.
    package private(set) var spans: [Span] = []
    private var isGoingOn = false

    private static let limit = 64
    /// The length up to which a gap counts as watched, because records that were written in it waited in the ring.
    private static let longestWatchedGapSeconds: Int64 = 10

    package init() {}

    /// Restores stored spans; nil if they are not ascending, or are more than 64.
    package init?(spans: [Span]) {
        let ends = spans.flatMap { [$0.begin, $0.end] }
        guard spans.count <= Self.limit, zip(ends, ends.dropFirst()).allSatisfy({ $0 <= $1 }) else { return nil }
        self.spans = spans
    }

    /// Makes a log in which the time from the first event to the last was watched. An earlier collector stored nothing
    /// else.
    init(of buckets: EventBuckets) {
        let widths = ObjectiveWindow.Resolution.allCases.map(\.rawValue)
        let firsts = zip(buckets.levels, widths).compactMap { level, width in
            level.first.map { ($0.number + 1) * width }
        }
        let lasts = zip(buckets.levels, widths).compactMap { level, width in level.last.map { $0.number * width } }
        if let begin = firsts.min(), let end = lasts.max(), begin < end { spans = [Span(begin: begin, end: end)] }
    }

    /// The log with its last span ended, because the next note comes from another collector.
    var ended: WatchLog {
        var log = self
        log.isGoingOn = false
        return log
    }

    /// Records that it is watched now. The time since the last note was watched too if that note came since the start,
    /// or not long ago.
    mutating func note(nowSeconds now: Int64) {
        if let last = spans.last, isGoingOn || now - last.end <= Self.longestWatchedGapSeconds {
            spans[spans.count - 1].end = max(last.end, now)
        } else {
            spans.append(Span(begin: now, end: now))
        }
        isGoingOn = true
        let oldest = now - ObjectiveWindow.month.lengthSeconds
        spans.removeAll { $0.end < oldest }
        spans.removeFirst(max(0, spans.count - Self.limit))
    }

    /// Returns the watched share of the window that ends now.
    func share(of window: ObjectiveWindow, nowSeconds now: Int64) -> Double {
        let begin = now - window.lengthSeconds
        let watched = spans.reduce(0) { $0 + max(0, min($1.end, now) - max($1.begin, begin)) }
        return Double(watched) / Double(window.lengthSeconds)
    }
}
