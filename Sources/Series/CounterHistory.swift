/// The totals of one counter at the slice boundaries of every window, from which increases and rates are read.
///
/// What was counted before the watch began is no increase. Some 700 bytes with the standard windows.
struct CounterHistory {
    private var windows: [SliceRing<Double>]
    private var latest = 0.0
    private let watchedSince: Int64
    private var now: Int64
    /// The total at the start of this second, and of the one before.
    private var second: (number: Int64, start: Double, previousStart: Double?)

    private static let secondNanoseconds: Int64 = 1_000_000_000

    init(options: SeriesOptions, now: Int64) {
        windows = options.windows.map { SliceRing(span: $0, now: now, filledWith: 0) }
        watchedSince = now
        self.now = now
        second = (now.intervalNumber(width: Self.secondNanoseconds), 0, nil)
    }

    /// Adds what had been counted before the watch began, in this lane or another: it is in the total and in no increase.
    mutating func rebase(by amount: Double) {
        latest += amount
        second.start += amount
        second.previousStart? += amount
        for index in windows.indices { windows[index].update { $0 += amount } }
    }

    /// Takes note of the total at `now`. Slices begun since the last sample begin with the last total.
    mutating func sample(_ total: Double, now: Int64) {
        advance(to: now)
        latest = total
    }

    private mutating func advance(to time: Int64) {
        let now = max(time, self.now)
        self.now = now
        for index in windows.indices { windows[index].advance(to: now, filling: latest) }
        let number = now.intervalNumber(width: Self.secondNanoseconds)
        guard number > second.number else { return }
        let wasWatched = watchedSince <= (number - 1) * Self.secondNanoseconds
        let previousStart = number == second.number + 1 ? second.start : latest
        second = (number, latest, wasWatched ? previousStart : nil)
    }

    /// Increase per second over the last whole second; nil before one was watched from its beginning.
    var rate: Double? { second.previousStart.map { second.start - $0 } }

    /// Increase and rate in each window; the rate goes by the time that the window really covers.
    var increases: [CounterWindow] {
        windows.map { window in
            let increase = latest - window[window.oldest]
            let covered = now - max(window.startNanoseconds, watchedSince)
            return CounterWindow(
                window: window.span, increase: increase, rate: covered > 0 ? increase / seconds(covered) : 0)
        }
    }
}
