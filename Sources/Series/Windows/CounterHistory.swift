/// The increases of a counter in time, as the collector saw them at its samples.
///
/// A window's increase is counted from the last sample before the window's first slice. So it covers at least the
/// window's length once the counter was watched for so long. Its rate is computed over the time from that sample to the
/// last one.
///
/// Increases of integers are stored as integers and converted last, so that a counter beyond 2^53 has correct rates. A
/// counter that becomes infinite has an infinite increase in the windows that include that moment, and NaN in later
/// ones.
///
/// Thread rule: one thread at a time. Cost: nothing for a sample that finds the total unchanged. Memory: some 150 bytes for a
/// counter that has never moved. With the standard windows 0.4 KB more for integers that increase by less than 2^31 a
/// slice, and up to 4 KB for all other numbers.
final class CounterHistory {
    /// The last total.
    private var total = ExactTotal(whole: 0, real: 0)
    private var cumulative = CumulativeIncrease()
    /// The time from which increases are seen, in nanoseconds.
    private let watchedSince: Int64
    /// The time of the last sample that found another total; nil before the first one.
    private var lastMoved: Int64?
    private var increases = Increases.none
    let times: SampleTimes

    private enum Increases {
        case none
        case whole(WholeIncreases)
        case exact(ExactIncreases)
    }

    /// - Parameters:
    ///   - times: The samples of all counters of the bot.
    ///   - watchedSince: The time from which increases are seen, in nanoseconds.
    init(times: SampleTimes, watchedSince: Int64) {
        self.times = times
        self.watchedSince = watchedSince
    }

    /// The increase since the watch began.
    var cumulativeIncrease: Double { cumulative.double }

    /// Adds counts from before the watch began to the total, because they are no increase.
    func rebase(by amount: ExactTotal) { total = total + amount }

    /// Records the total at the last sample. An up-down counter's total may decrease.
    func note(_ total: ExactTotal) {
        let before = cumulative
        cumulative.grow(by: total - self.total)
        self.total = total
        guard cumulative != before else { return }
        note(since: before)
        lastMoved = times.last
    }

    private func note(since before: CumulativeIncrease) {
        if let step = cumulative.wholeIncrease(since: before), let whole = wholeIncreases(),
            whole.add(step, times, lastMoved: lastMoved)
        {
            return
        }
        var exact = exactIncreases(at: before)
        increases = .none  // So that they are changed in place.
        exact.note(cumulative, times)
        increases = .exact(exact)
    }

    /// Returns the increases as whole numbers; nil if they are no longer stored so.
    private func wholeIncreases() -> WholeIncreases? {
        switch increases {
        case .none:
            let whole = WholeIncreases(times)
            increases = .whole(whole)
            return whole
        case .whole(let whole): return whole
        case .exact: return nil
        }
    }

    /// Returns the increases as numbers of any kind. `sum` is their sum.
    private func exactIncreases(at sum: CumulativeIncrease) -> ExactIncreases {
        switch increases {
        case .none: ExactIncreases(times)
        case .whole(let whole): ExactIncreases(whole, times, lastMoved: lastMoved, sum: sum)
        case .exact(let exact): exact
        }
    }

    private func increase(_ index: Int) -> Double {
        guard let lastMoved else { return 0 }
        switch increases {
        case .none: return 0
        case .whole(let whole): return Double(whole.sum(times.tracks[index], lastMoved: lastMoved))
        case .exact(let exact): return cumulative.increase(since: exact.base(of: index, times.tracks[index]))
        }
    }

    /// The time that a window covers: from the sample before it, or the beginning of the watch, to the last sample.
    private func coveredNanoseconds(_ index: Int) -> Int64 {
        let base = max(watchedSince, times.tracks[index].firstTime)
        return times.last > base ? times.last - base : 0
    }

    private func window(_ index: Int) -> CounterWindow {
        let (increase, covered) = (increase(index), coveredNanoseconds(index))
        return CounterWindow(
            window: times.tracks[index].span, increase: increase, rate: covered > 0 ? increase / seconds(covered) : 0)
    }

    /// Increase per second over the last whole second; nil until a whole second has been watched, and if it is NaN.
    var rate: Double? {
        guard coveredNanoseconds(times.secondIndex) >= SampleTimes.second.lengthNanoseconds else { return nil }
        let rate = window(times.secondIndex).rate
        return rate.isNaN ? nil : rate
    }

    /// The windows as of the last sample, in the order of the configuration.
    var windowSnapshots: [CounterWindow] { isStill ? times.stillWindows : (0..<times.windowCount).map(window) }

    /// Whether it did not move in any window.
    private var isStill: Bool {
        guard let lastMoved else { return true }
        return lastMoved <= times.start && cumulative.double.isFinite
    }
}

/// A sum of increases.
struct CumulativeIncrease: Equatable {
    private var whole: Int128 = 0
    private var real = 0.0

    mutating func grow(by increase: ExactTotal) {
        whole &+= increase.whole
        // If the total is infinite before and after, the increase in between is unknown.
        if !increase.real.isNaN { real += increase.real }
    }

    func increase(since earlier: CumulativeIncrease) -> Double {
        Double(whole &- earlier.whole) + (real - earlier.real)
    }

    /// Returns the increase since an earlier sum if it is a whole number.
    func wholeIncrease(since earlier: CumulativeIncrease) -> Int128? {
        real == 0 && earlier.real == 0 ? whole &- earlier.whole : nil
    }

    /// Returns the sum before an increase.
    func before(_ increase: Int64) -> CumulativeIncrease {
        var sum = self
        sum.whole &-= Int128(increase)
        return sum
    }

    var double: Double { Double(whole) + real }
}
