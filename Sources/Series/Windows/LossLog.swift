/// What is missing from the windows of one lane's rings: gaps on the time axis, and how many records each swallowed.
///
/// A gap touches every window that one of its records may have been in: from the last time that is surely before it to the
/// one at which the reader saw that they were lost, by the reader's clock, for what the records around it say proves nothing.
/// All windows end at now, so what decides is where the gap ends. Gaps are kept by the finest slice of their end, which tells
/// windows apart exactly, for all windows begin where such a slice does. What ends before every window is not kept, and what
/// ends far ahead of now is kept as one gap: so memory is bounded by the longest window, whatever is lost and in whatever
/// order, and a gap that no window can see any more is forgotten.
///
/// Thread rule: one thread at a time. Cost: some 30 nanoseconds a gap, and one pass over the slices with gaps a question.
package struct LossLog: Sendable {
    private let options: SeriesOptions
    /// By the finest slice that holds the gap's end, how many records were lost.
    private var gaps: [Int64: UInt64] = [:]
    /// The slices that are kept: from the oldest that a window shows to some that lie ahead.
    private var kept: ClosedRange<Int64>
    /// What was lost in gaps that end beyond these slices; nil where there is none.
    private var lostAhead: UInt64?

    private static let slicesAhead: Int64 = 64

    /// - Parameter now: the time, in nanoseconds; until it is said every end is kept.
    package init(options: SeriesOptions, now: Int64? = nil) {
        self.options = options
        kept = Int64.min...Int64.max
        if let now { kept = reachable(now: now) }
    }

    /// Notes records lost between two times; with none lost, that the lane was not watched or was told not to emit.
    ///
    /// - Parameters:
    ///   - lost: how many.
    ///   - from: a time that is surely before the gap, in nanoseconds.
    ///   - to: one that is surely after it. What lies ahead of now ends now, once `settle` says when that is.
    package mutating func add(lost: UInt64, from: Int64, to: Int64) {
        let slice = slice(of: max(from, to))
        if slice > kept.upperBound {
            lostAhead = (lostAhead ?? 0) &+ lost
        } else if slice >= kept.lowerBound {
            gaps[slice, default: 0] &+= lost
        }
    }

    private func slice(of time: Int64) -> Int64 { time.intervalNumber(width: options.finestSliceNanoseconds) }

    private func reachable(now: Int64) -> ClosedRange<Int64> {
        let current = slice(of: now)
        let oldest = options.windows.map { slice(of: $0.startNanoseconds(at: now)) }.min() ?? current
        return min(oldest, current)...current + Self.slicesAhead
    }

    /// Lets go of what no window reaches any more, and ends at `now` what says that it ends later: times are foreign,
    /// and a gap in the far future would be seen for ever.
    package mutating func settle(now: Int64) {
        kept = reachable(now: now)
        let current = slice(of: now)
        let (oldest, latest) = (kept.lowerBound, current)
        if let lostAhead { gaps[latest, default: 0] &+= lostAhead }
        lostAhead = nil
        guard gaps.keys.contains(where: { $0 < oldest || $0 > latest }) else { return }
        var settled: [Int64: UInt64] = [:]
        for (slice, lost) in gaps where slice >= oldest { settled[min(slice, latest), default: 0] &+= lost }
        gaps = settled
    }

    /// Slices that have gaps.
    var sliceCount: Int { gaps.count }

    /// What is missing from each window that ends at `now`, in the order of the configuration.
    package func completeness(now: Int64) -> [WindowCompleteness] {
        options.windows.map { window in
            let reach = slice(of: window.startNanoseconds(at: now))
            var (lost, isComplete) = (lostAhead ?? 0, lostAhead == nil)
            for gap in gaps where gap.key >= reach {
                lost &+= gap.value
                isComplete = false
            }
            return WindowCompleteness(window: window, lost: lost, isComplete: isComplete)
        }
    }
}

extension WindowSpan {
    /// Where the window that ends at `now` begins: its whole slices lie before the one that is filling.
    func startNanoseconds(at now: Int64) -> Int64 {
        now.intervalNumber(width: sliceNanoseconds) * sliceNanoseconds - lengthNanoseconds
    }
}

extension [WindowCompleteness] {
    /// The same, where something is missing from all of them.
    var incomplete: [WindowCompleteness] {
        map { WindowCompleteness(window: $0.window, lost: $0.lost, isComplete: false) }
    }

    /// The windows of several rings as one: lost in any, complete in all.
    func combined(with other: [WindowCompleteness]) -> [WindowCompleteness] {
        zip(self, other).map {
            WindowCompleteness(
                window: $0.window, lost: $0.lost &+ $1.lost, isComplete: $0.isComplete && $1.isComplete,
                isWhole: $0.isWhole && $1.isWhole)
        }
    }
}
