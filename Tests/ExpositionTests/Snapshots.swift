import Series
import Sketch

/// Steele, Lea and Flood's splitmix64: small, seeded, and the same on every run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

let emptySketch = SketchSnapshot(scale: 7, positive: [], negative: [], zeroCount: 0)
let emptySummary = HistogramSummary(count: 0, sum: 0, extremes: nil, quantiles: [])

func summary(count: UInt64, sum: Double, minimum: Double = 1, maximum: Double = 3) -> HistogramSummary {
    let values = [0.5, 0.95, 0.99, 0.999].map { QuantileValue(quantile: $0, value: minimum + $0 * (maximum - minimum)) }
    return HistogramSummary(
        count: count, sum: sum, extremes: .init(minimum: minimum, maximum: maximum), quantiles: values)
}

func counter(_ name: String, _ value: Number, labels: [Label] = [], help: String = "A counter.") -> MetricSnapshot {
    let windows = WindowSpan.standard.map { CounterWindow(window: $0, increase: 2, rate: 0.5) }
    return MetricSnapshot(
        name: name, help: help, unit: .none, labels: labels,
        reading: .counter(CounterSnapshot(value: value, rate: nil, windows: windows)))
}

func gauge(
    _ name: String, _ value: Number, highest: Number? = nil, unit: MetricUnit = .none, lane: String = "",
    labels: [Label] = []
) -> MetricSnapshot {
    let windows = WindowSpan.standard.map { GaugeWindow(window: $0, minimum: -1, maximum: 2, last: 1) }
    return MetricSnapshot(
        name: name, help: "A gauge.", unit: unit, labels: labels,
        reading: .gauge(GaugeSnapshot(lane: lane, value: value, highest: highest ?? value, windows: windows)))
}

func histogram(
    _ name: String, unit: MetricUnit = .seconds, labels: [Label] = [], total: HistogramSummary = emptySummary,
    buckets: [(Double, UInt64)] = [], hasNegatives: Bool = false, windows: [HistogramSummary] = [],
    sketch: SketchSnapshot? = nil, exemplars: [ExemplarSnapshot] = []
) -> MetricSnapshot {
    let negative = hasNegatives ? [SketchSnapshot.Bucket(index: 3, count: 1)] : []
    let spans = zip(WindowSpan.standard, windows).map {
        HistogramWindow(window: $0, summary: $1, rate: 2.5, lost: 7, isComplete: false)
    }
    return MetricSnapshot(
        name: name, help: "A histogram.", unit: unit, labels: labels,
        reading: .histogram(
            HistogramSnapshot(
                calls: total.count + 1, abandoned: 2, failed: 3, total: total,
                sketch: sketch ?? SketchSnapshot(scale: 7, positive: [], negative: negative, zeroCount: 0),
                classicBuckets: buckets.map { ClassicBucket(upperBound: $0, cumulativeCount: $1) },
                exemplars: exemplars, windows: spans)))
}

func ring(_ lane: String = "", age: Double? = 0.25, lost: [LossReason: UInt64] = [:]) -> RingSnapshot {
    RingSnapshot(
        lane: lane, isUp: true, pid: 42, position: 100, drained: 80, backlog: 15, lost: lost, late: 4, future: 6,
        lastRecordAge: age, refusedMetrics: 3)
}

func bot(
    _ name: String, _ metrics: [MetricSnapshot] = [], isUp: Bool = true, labels: [Label] = [],
    rings: [RingSnapshot] = [ring()]
) -> BotSnapshot {
    let windows = WindowSpan.standard.map { WindowCompleteness(window: $0, lost: 0, isComplete: $0.name != "1m") }
    return BotSnapshot(name: name, isUp: isUp, labels: labels, rings: rings, metrics: metrics, windows: windows)
}

func snapshot(_ bots: [BotSnapshot], unixNanoseconds: Int64 = 1_700_000_000_000_000_000) -> Snapshot {
    var collector = CollectorSnapshot(
        version: "1.2.3", uptimeSeconds: 12.5, drainCycle: summary(count: 9, sum: 0.5), drainCycleSketch: emptySketch)
    collector.clock = ClockSnapshot(
        source: "tsc", driftRatio: -2.5e-7, steps: 2, lastStepSeconds: -0.5, suspends: 1, suspendedSeconds: 60,
        tickJumps: 3)
    return Snapshot(unixNanoseconds: unixNanoseconds, bots: bots, collector: collector)
}

/// Returns bots whose names, labels and values are chosen to collide, to need escapes, and to be invalid names.
func hostileSnapshot(seed: UInt64) -> Snapshot {
    var random = SplitMix(state: seed)
    let texts = ["", "a", "\"", "\\", "\n", "x\\\"\ny", "é", "日本", "{}", ",", "a=\"b\"", "\u{0}", "\r", "+Inf"]
    let names = [
        "x", "x_total", "x_count", "x_sum", "x_max", "x_seconds", "x_window_seconds", "x_seconds_calls_total",
        "ringside_up", "process_open_fds", "1x", "x y", "", "é", "x_bucket", "x_seconds_bucket",
    ]
    let labelNames = ["bot", "lane", "le", "quantile", "window", "exported_bot", "venue", "side", "reason", "1", "a b"]
    func labels() -> [Label] {
        let count = Int.random(in: 0...3, using: &random)
        return (0..<count).map { _ in
            Label(labelNames.randomElement(using: &random)!, texts.randomElement(using: &random)!)
        }.sorted()
    }
    func number() -> Number {
        [
            .unsigned(.random(in: 0...(.max), using: &random)), .signed(.random(in: .min...(.max), using: &random)),
            .real(Double(bitPattern: random.next())), .real(.nan), .real(.infinity), .real(-0.0),
            .real(.leastNonzeroMagnitude),
        ]
        .randomElement(using: &random)!
    }
    func metric() -> MetricSnapshot {
        let name = names.randomElement(using: &random)!
        switch Int.random(in: 0...3, using: &random) {
        case 0: return counter(name, number(), labels: labels(), help: texts.randomElement(using: &random)!)
        case 1: return gauge(name, number(), unit: MetricUnit.allCases.randomElement(using: &random)!, labels: labels())
        case 2:
            var metric = counter(name, number(), labels: labels())
            if case .counter(let value) = metric.reading { metric.reading = .upDownCounter(value) }
            return metric
        default:
            return histogram(
                name, unit: .seconds, labels: labels(), total: summary(count: 9, sum: 0.1),
                buckets: [(1.1920928955078125e-07, 0), (0.5, 4), (8, 9)], hasNegatives: Bool.random(using: &random),
                windows: [summary(count: 2, sum: 1), emptySummary, summary(count: 3, sum: 1)])
        }
    }
    return snapshot(
        (0..<3).map { index in
            bot("bot\(index)", (0..<12).map { _ in metric() }, labels: labels(), rings: [ring(), ring("md", age: nil)])
        })
}
