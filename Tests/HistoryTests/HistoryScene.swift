import Glibc
import Series
import Sketch
import TestSupport

@testable import History

extension SeededGenerator {
    /// Returns a number from the uniform distribution in (0, 1].
    mutating func unit() -> Double { Double(next() >> 11 + 1) * 0x1p-53 }

    mutating func normal() -> Double { sqrt(-2 * log(unit())) * cos(2 * .pi * unit()) }
}

/// A bot's histogram and counter as a collector would show them, with the truth of each minute.
struct Scene {
    static let start: Int64 = 1_700_000_040
    var random: SeededGenerator
    var unixNanoseconds = Scene.start * 1_000_000_000
    var botLabels: [Label] = []
    private var total = Grown()
    private var counter = 0.0
    private var lost: UInt64 = 0
    private var window = Grown()
    /// The values of each minute, by its number.
    private(set) var truth: [Int64: [Double]] = [:]
    private(set) var increases: [Int64: Double] = [:]

    static let metric = "order_seconds"
    static var key: HistorySeriesKey {
        HistorySeriesKey(bot: "alpha", name: metric, kind: .histogram, unit: .seconds)
    }

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Values and their sum and extremes.
    struct Grown {
        var values: [Double] = []

        func summary() -> HistogramSummary {
            HistogramSummary(
                count: UInt64(values.count), sum: values.reduce(0, +),
                extremes: values.min().map { .init(minimum: $0, maximum: values.max()!) }, quantiles: [])
        }

        var sketch: SketchSnapshot {
            var sketch = ExponentialSketch()
            for value in values { sketch.insert(value) }
            return sketch.snapshot()
        }
    }

    /// Adds the bot's activity until the minute's end, and returns the snapshot at that time.
    ///
    /// - Parameter late: Values of another time, which are only in the totals.
    mutating func minute(values count: Int, lost: UInt64 = 0, late: [Double] = []) -> Snapshot {
        let minute = unixNanoseconds / 60_000_000_000
        window.values = (0..<count).map { _ in 20e-6 * exp(0.8 * random.normal()) }
        truth[minute, default: []] += window.values
        total.values += window.values + late
        counter += Double(count)
        increases[minute, default: 0] += Double(count)
        self.lost += lost
        unixNanoseconds += 60_000_000_000
        return snapshot
    }

    var snapshot: Snapshot {
        let span = WindowSpan.standard[2]
        let histogram = HistogramSnapshot(
            calls: UInt64(total.values.count), abandoned: 0, failed: 0, total: total.summary(), sketch: total.sketch,
            classicBuckets: [],
            windows: [
                HistogramWindow(window: span, summary: window.summary(), rate: 0, lost: 0, isComplete: true)
            ])
        let metrics = [
            MetricSnapshot(
                name: Self.metric, help: "Orders.", unit: .seconds, labels: [], reading: .histogram(histogram)),
            MetricSnapshot(
                name: "orders_total", help: "Orders.", unit: .none, labels: [Label("side", "buy")],
                reading: .counter(
                    CounterSnapshot(value: .unsigned(UInt64(counter)), rate: nil, windows: [], watchedIncrease: counter)
                )),
            MetricSnapshot(
                name: "queue", help: "Waiting.", unit: .none, labels: [],
                reading: .gauge(
                    GaugeSnapshot(
                        lane: "md", value: .real(counter / 2), highest: .real(counter),
                        windows: [GaugeWindow(window: span, minimum: 1, maximum: counter, last: counter / 2)]))),
        ]
        let ring = RingSnapshot(
            lane: "", isUp: true, pid: 1, position: 0, drained: 0, backlog: 0, lost: [.lapped: lost], late: 0,
            future: 0, lastRecordAge: 0)
        let bot = BotSnapshot(
            name: "alpha", isUp: true, labels: botLabels, rings: [ring], metrics: metrics,
            windows: [WindowCompleteness(window: span, lost: 0, isComplete: true)])
        let nothing = HistogramSummary(count: 0, sum: 0, extremes: nil, quantiles: [])
        let empty = SketchSnapshot(scale: 7, positive: [], negative: [], zeroCount: 0)
        return Snapshot(
            unixNanoseconds: unixNanoseconds, bots: [bot],
            collector: CollectorSnapshot(version: "1", uptimeSeconds: 1, drainCycle: nothing, drainCycleSketch: empty))
    }

    /// Returns all values of some minutes.
    func values(_ minutes: Range<Int64>) -> [Double] { minutes.flatMap { truth[$0] ?? [] } }
}

/// Writes the additions of a snapshot, as the recorder does.
struct Writer {
    let store: HistoryStore
    var ledger: HistoryLedger

    init(
        _ path: String, _ start: HistoryLedger.Start = .bothAreNew,
        at unixNanoseconds: Int64 = Scene.start * 1_000_000_000
    )
        throws
    {
        store = try HistoryStore(path: path)
        ledger = HistoryLedger(
            totals: try store.totals(), start: start, begin: HistoryMoment(unixNanoseconds: unixNanoseconds))
    }

    mutating func write(_ snapshot: Snapshot) throws {
        guard let increase = ledger.increase(to: snapshot) else { return }
        try store.write(increase.entries)
        ledger.accept(increase)
    }
}

func point(
    _ path: String, _ minutes: Range<Int64>, metric: String = Scene.metric, step: Int64? = nil,
    labels: [Label] = []
) throws -> [HistoryPoint] {
    let query = HistoryQuery(
        metric: metric, labels: labels, minutes: minutes, stepMinutes: step ?? Int64(minutes.count), isMerged: true)
    return try HistoryReader(path: path).answer(query).series.first?.points ?? []
}

extension HistoryPoint {
    var histogram: HistogramPoint? {
        if case .histogram(let histogram) = reading { return histogram }
        return nil
    }

    var increase: Double? {
        if case .counter(let increase) = reading { return increase }
        return nil
    }

    var gauge: GaugeMinute? {
        if case .gauge(let gauge) = reading { return gauge }
        return nil
    }
}

/// Returns the ceil(q·n)-th smallest value.
func exactQuantile(_ values: [Double], _ quantile: Double) -> Double {
    let sorted = values.sorted()
    return sorted[max(1, Int((quantile * Double(sorted.count)).rounded(.up))) - 1]
}
