/// The losses of one lane's rings: gaps on the time axis, and the number of records lost in each.
///
/// A gap affects every window that may have contained one of its records. It begins at the last time that is surely
/// before it, and ends when the reader saw the loss, by the reader's clock. The times of the records around it prove
/// nothing. All windows end now, so only the end of a gap decides. Gaps are stored by the finest slice of their end.
/// This is exact, because all windows begin at the beginning of such a slice. Gaps that end before every window are
/// removed, and gaps that end far ahead of now are stored as one. So memory is bounded by the longest window, for any
/// losses in any order.
///
/// Thread rule: one thread at a time. Cost: some 30 ns a gap, and one pass over the slices with gaps for each query.
package struct LossLog: Sendable {
    private let options: SeriesOptions
    /// The number of records lost, by the finest slice that contains the gap's end.
    private var gaps: [Int64: UInt64] = [:]
    /// The slices that are stored: from the oldest of a window to some ahead of now.
    private var kept: ClosedRange<Int64>
    /// The records lost in gaps that end after these slices; nil if there are none.
    private var lostAhead: UInt64?

    private static let slicesAhead: Int64 = 64

    /// - Parameter now: The time in nanoseconds; until it is known, every gap is stored.
    package init(options: SeriesOptions, now: Int64? = nil) {
        self.options = options
        kept = Int64.min...Int64.max
        if let now { kept = reachable(now: now) }
    }

    /// Records a loss between two times. A loss of zero records means that the lane was not watched, or that emission
    /// was disabled.
    ///
    /// - Parameters:
    ///   - lost: The number of records.
    ///   - from: A time that is surely before the gap, in nanoseconds.
    ///   - to: A time that is surely after it. A gap that ends ahead of now ends now at the next call of `settle`.
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

    /// Removes gaps that no window can show any more, and moves ends that are ahead of `now` to `now`. Other programs
    /// choose the times, and a gap in the far future would be shown forever.
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

    /// The number of slices with gaps.
    var sliceCount: Int { gaps.count }

    /// Returns the completeness of each window that ends at `now`, in the order of the configuration.
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
    /// Returns the beginning of the window that ends at `now`: its complete slices are before the current one.
    func startNanoseconds(at now: Int64) -> Int64 {
        now.intervalNumber(width: sliceNanoseconds) * sliceNanoseconds - lengthNanoseconds
    }
}

extension [WindowCompleteness] {
    /// The same windows, all of them incomplete.
    var incomplete: [WindowCompleteness] {
        map { WindowCompleteness(window: $0.window, lost: $0.lost, isComplete: false) }
    }

    /// Returns the windows of several rings as one. Losses are added, and a window is complete if it is complete in all
    /// rings.
    func combined(with other: [WindowCompleteness]) -> [WindowCompleteness] {
        zip(self, other).map {
            WindowCompleteness(
                window: $0.window, lost: $0.lost &+ $1.lost, isComplete: $0.isComplete && $1.isComplete,
                isWhole: $0.isWhole && $1.isWhole)
        }
    }
}
