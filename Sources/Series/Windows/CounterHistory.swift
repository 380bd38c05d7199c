/// The increases of a counter in time, as the collector saw them at its drains.
///
/// A window's increase is counted from the last drain before the window's first slice. So it covers at least the
/// window's length once the counter was watched for so long. Its rate is computed over the time from that drain to the
/// last one.
///
/// Increases of integers are stored as integers and converted last, so that a counter beyond 2^53 has correct rates. A
/// counter that becomes infinite has an infinite increase in the windows that include that moment, and NaN in later
/// ones.
///
/// Thread rule: one thread at a time. Memory: some 3 KB with the standard windows.
struct CounterHistory: Sendable {
    /// The last total.
    private var total = ExactTotal(whole: 0, real: 0)
    private var cumulative = Cumulative()
    /// The windows of the configuration. A window of one second follows if none of them is that.
    private var tracks: [Track]
    private let windowCount: Int
    /// The track that the rate is read from.
    private let secondPlace: Int

    // One second by tenths. "The last whole second" is the last ten complete tenths and the current one.
    private static let second = WindowSpan(
        name: "rate", lengthNanoseconds: 1_000_000_000, sliceNanoseconds: 100_000_000)

    /// - Parameter watchedSince: The time from which increases are seen, in nanoseconds.
    init(options: SeriesOptions, watchedSince: Int64) {
        windowCount = options.windows.count
        secondPlace = options.windows.firstIndex { $0.hasSlices(of: Self.second) } ?? windowCount
        let spans = options.windows + (secondPlace == windowCount ? [Self.second] : [])
        tracks = spans.map { Track(span: $0, start: watchedSince) }
    }

    /// The increase since the watch began.
    var cumulativeIncrease: Double { cumulative.double }

    /// Adds counts from before the watch began to the total, because they are no increase.
    mutating func rebase(by amount: ExactTotal) { total = total + amount }

    /// Records the total at a drain. An up-down counter's total may decrease.
    ///
    /// - Parameter now: The time of the drain, in nanoseconds. A time before the last one is replaced by the last one.
    mutating func sample(_ total: ExactTotal, now: Int64) {
        cumulative.grow(by: total - self.total)
        self.total = total
        for index in tracks.indices { tracks[index].note(cumulative, now: now) }
    }

    /// Increase per second over the last whole second; nil until a whole second has been watched, and if it is NaN.
    var rate: Double? {
        let second = tracks[secondPlace]
        guard second.coveredNanoseconds >= Self.second.lengthNanoseconds else { return nil }
        let rate = second.window.rate
        return rate.isNaN ? nil : rate
    }

    /// The windows as of the last drain, in the order of the configuration.
    var windowSnapshots: [CounterWindow] { tracks.prefix(windowCount).map(\.window) }
}

extension WindowSpan {
    /// Returns whether it has the same slices, whatever its name is.
    fileprivate func hasSlices(of other: WindowSpan) -> Bool {
        lengthNanoseconds == other.lengthNanoseconds && sliceNanoseconds == other.sliceNanoseconds
    }
}

extension CounterHistory {
    private struct Cumulative: Sendable {
        private var whole: Int128 = 0
        private var real = 0.0

        mutating func grow(by increase: ExactTotal) {
            whole &+= increase.whole
            // If the total is infinite before and after, the increase in between is unknown.
            if !increase.real.isNaN { real += increase.real }
        }

        func increase(since earlier: Cumulative) -> Double {
            Double(whole &- earlier.whole) + (real - earlier.real)
        }

        var double: Double { Double(whole) + real }
    }

    private struct Mark: Sendable {
        var time: Int64
        var cumulative: Cumulative
    }

    /// The marks of one window: the last mark of each of its slices, and the last one before them.
    private struct Track: Sendable {
        let span: WindowSpan
        private var marks: [Mark]
        /// The end of the slice of the last mark.
        private var sliceEnd = Int64.min

        init(span: WindowSpan, start: Int64) {
            self.span = span
            marks = [Mark(time: start, cumulative: Cumulative())]
        }

        mutating func note(_ cumulative: Cumulative, now: Int64) {
            let time = max(now, marks[marks.count - 1].time)
            let mark = Mark(time: time, cumulative: cumulative)
            // The first mark is the base until a later one can be the base.
            if time < sliceEnd {
                marks[marks.count - 1] = mark
                return
            }
            marks.append(mark)
            sliceEnd = (time.intervalNumber(width: span.sliceNanoseconds) + 1) * span.sliceNanoseconds
            let start = span.startNanoseconds(at: time)
            while marks.count > 2 && marks[1].time <= start { marks.removeFirst() }
        }

        var coveredNanoseconds: Int64 { marks[marks.count - 1].time - marks[0].time }

        var window: CounterWindow {
            let increase = marks[marks.count - 1].cumulative.increase(since: marks[0].cumulative)
            let covered = coveredNanoseconds
            return CounterWindow(
                window: span, increase: increase, rate: covered > 0 ? increase / seconds(covered) : 0)
        }
    }
}
