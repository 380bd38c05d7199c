import Testing

@testable import Series

/// The required content of a histogram's windows, in the simplest form: every record in a list.
struct WindowModel {
    struct Record {
        var time: Int64
        var value: Double
        var weight: UInt64
        var failed: Bool
    }

    let options: SeriesOptions
    private(set) var now: Int64
    private(set) var all: [Record] = []
    private(set) var misdated: [String: [Int: UInt64]] = ["late": [:], "future": [:]]
    private var dated: [Record] = []
    private let watchedSince: Int64

    init(options: SeriesOptions, now: Int64) {
        self.options = options
        self.now = now
        watchedSince = now
    }

    mutating func advance(to now: Int64) { self.now = max(now, self.now) }

    private func floor(_ time: Int64, _ width: Int64) -> Int64 {
        let rest = time % width
        return time - (rest < 0 ? rest + width : rest)
    }

    private func start(_ window: WindowSpan) -> Int64 { floor(now, window.sliceNanoseconds) - window.lengthNanoseconds }

    mutating func insert(_ record: Record, lane: Int) {
        all.append(record)
        if record.time < options.windows.map(start).min()! {
            misdated["late"]![lane, default: 0] += 1
        } else if record.time > now + options.futureToleranceNanoseconds {
            misdated["future"]![lane, default: 0] += 1
        } else {
            dated.append(record)
        }
    }

    func check(_ series: HistogramSeries, _ comment: Comment) {
        check(series.totalSummary, all, comment)
        #expect(series.failed == all.filter(\.failed).reduce(0) { $0 + $1.weight }, comment)
        let known = options.windows.map { WindowCompleteness(window: $0, lost: 7, isComplete: false) }
        let windows = series.windowSnapshots(completeness: known)
        #expect(windows.map(\.window) == options.windows, comment)
        for window in windows { check(window, comment) }
    }

    private func check(_ window: HistogramWindow, _ comment: Comment) {
        let span = window.window
        let end = floor(now, span.sliceNanoseconds) + span.sliceNanoseconds
        let inside = dated.filter { $0.time >= start(span) && $0.time < end }
        check(window.summary, inside, "\(comment) window \(span.name)")
        #expect(window.lost == 7 && !window.isComplete)
        let earliest = dated.map { floor($0.time, options.finestSliceNanoseconds) }.min() ?? now
        let covered = now - max(start(span), min(watchedSince, earliest))
        let rate = covered > 0 ? Double(window.summary.count) / (Double(covered) / 1e9) : 0
        #expect(isClose(window.rate, rate), comment)
    }

    private func check(_ summary: HistogramSummary, _ records: [Record], _ comment: Comment) {
        let sorted = records.sorted { $0.value < $1.value }
        let count = records.reduce(0) { $0 + $1.weight }
        #expect(summary.count == count, comment)
        #expect(summary.extremes?.minimum == sorted.first?.value, comment)
        #expect(summary.extremes?.maximum == sorted.last?.value, comment)
        let magnitude = records.reduce(0) { $0 + abs($1.value) * Double($1.weight) }
        let sum = records.reduce(0) { $0 + $1.value * Double($1.weight) }
        #expect(abs(summary.sum - sum) <= 1e-12 * magnitude, comment)
        #expect(summary.quantiles.map(\.quantile) == (count == 0 ? [] : options.quantiles), comment)
        for found in summary.quantiles {
            let exact = exactQuantile(found.quantile, sorted, count)
            #expect(abs(found.value - exact) <= 0.00271 * abs(exact), "\(comment) q=\(found.quantile)")
        }
    }

    private func exactQuantile(_ quantile: Double, _ sorted: [Record], _ count: UInt64) -> Double {
        let rank = max((quantile * Double(count)).rounded(.up), 1)
        var cumulative: UInt64 = 0
        for record in sorted {
            cumulative += record.weight
            if Double(cumulative) >= rank { return record.value }
        }
        return .nan
    }
}
