/// How fast a counter grows: its increases as the collector saw them at its drains.
///
/// A window's increase is counted from the last drain before the window's first slice begins, so it never covers less than the
/// window's length once the counter was watched for so long; its rate goes by the time from that drain to the last one.
///
/// Increases of integers are kept as integers and converted last, so that a counter beyond 2^53 has the same rates as any. One
/// that became infinite has an infinite increase in the windows that saw it become so, and in later ones none that is a number.
///
/// Thread rule: one thread at a time. Memory: some 3 KB with the standard windows.
struct CounterHistory: Sendable {
    /// The last total.
    private var total = ExactTotal(whole: 0, real: 0)
    private var cumulative = Cumulative()
    /// Those of the configuration, and last a second where none of them is that.
    private var tracks: [Track]
    private let windowCount: Int
    /// The track that the rate is read from.
    private let secondPlace: Int

    // A second by tenths: "the last whole second" is the last ten whole tenths and the one that is filling.
    private static let second = WindowSpan(
        name: "rate", lengthNanoseconds: 1_000_000_000, sliceNanoseconds: 100_000_000)

    /// - Parameter watchedSince: from when on increases are seen, in nanoseconds.
    init(options: SeriesOptions, watchedSince: Int64) {
        windowCount = options.windows.count
        secondPlace = options.windows.firstIndex { $0.hasSlices(of: Self.second) } ?? windowCount
        let spans = options.windows + (secondPlace == windowCount ? [Self.second] : [])
        tracks = spans.map { Track(span: $0, start: watchedSince) }
    }

    /// Since the watch began.
    var cumulativeIncrease: Double { cumulative.double }

    /// Adds to the total what had been counted before the watch began: it is no increase.
    mutating func rebase(by amount: ExactTotal) { total = total + amount }

    /// Notes the total (an up-down counter's may fall) at a drain.
    ///
    /// - Parameter now: the time of the drain, in nanoseconds; a time before the last one is taken as that.
    mutating func sample(_ total: ExactTotal, now: Int64) {
        cumulative.grow(by: total - self.total)
        self.total = total
        for place in tracks.indices { tracks[place].note(cumulative, now: now) }
    }

    /// Increase per second over the last whole second; nil before a whole second has been watched, and where it is no number.
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
    /// Whether it shows the same slices, whatever it is called.
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
            // Infinite before and after: what came between is unknown.
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

    /// What one window needs: the last mark of each of its slices, and the last one before them.
    private struct Track: Sendable {
        let span: WindowSpan
        private var marks: [Mark]
        /// Where the slice of the last mark ends.
        private var sliceEnd = Int64.min

        init(span: WindowSpan, start: Int64) {
            self.span = span
            marks = [Mark(time: start, cumulative: Cumulative())]
        }

        mutating func note(_ cumulative: Cumulative, now: Int64) {
            let time = max(now, marks[marks.count - 1].time)
            let mark = Mark(time: time, cumulative: cumulative)
            // The first mark is the base until a later one can be.
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
