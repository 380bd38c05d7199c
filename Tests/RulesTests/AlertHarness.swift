import Rules
import Series
import Sketch
import Testing

/// Bots whose series a test sets. The alerts are evaluated once a second.
struct AlertHarness {
    var evaluator = AlertEvaluator()
    var now: Int64 = 1_000
    var metrics: [MetricSnapshot] = []
    var rings = [ring()]
    var name = "alpha"
    var windows: [WindowCompleteness] = []
    var isUp = true
    /// Whether the bot is among the evaluated ones.
    var isThere = true
    var process: BotProcessSnapshot?

    init(_ definitions: [AlertDefinition]) { evaluator.use(definitions) }

    /// Lets a number of seconds pass, and returns the changes.
    @discardableResult
    mutating func pass(_ seconds: Int64 = 1) -> [AlertSnapshot] {
        var changes: [AlertSnapshot] = []
        for _ in 0..<seconds {
            now += 1
            let bot = BotSnapshot(
                name: name, isUp: isUp, labels: [], rings: rings, metrics: metrics, windows: windows, process: process)
            changes += evaluator.evaluate(
                isThere ? [bot] : [], nowNanoseconds: now * 1_000_000_000, unixNanoseconds: now * 1_000_000_000)
        }
        return changes
    }

    var states: [AlertSnapshot.State] { evaluator.snapshots.map(\.state) }

    mutating func set(_ metrics: MetricSnapshot...) { self.metrics = metrics }
}

/// Returns a lane that is up and active.
func ring(
    _ lane: String = "", presence: LanePresence = .up, activityAge: Double? = 0, usualPause: Double? = nil,
    lost: [LossReason: UInt64] = [:], age: Double = 0
) -> RingSnapshot {
    var ring = RingSnapshot(
        lane: lane, isUp: presence == .up, pid: 1, position: 9, drained: 9, backlog: 0, lost: lost, late: 0, future: 0,
        lastRecordAge: age)
    (ring.presence, ring.activityAge, ring.usualPause) = (presence, activityAge, usualPause)
    return ring
}

func gauge(_ name: String, _ value: Double, labels: [Label] = [], lane: String = "") -> MetricSnapshot {
    MetricSnapshot(
        name: name, help: "", unit: .none, labels: labels,
        reading: .gauge(GaugeSnapshot(lane: lane, value: .real(value), highest: .real(value), windows: [])))
}

func counter(_ name: String, _ value: UInt64, watched: Double? = nil, labels: [Label] = []) -> MetricSnapshot {
    let counter = CounterSnapshot(
        value: .unsigned(value), rate: nil, windows: [], watchedIncrease: watched ?? Double(value))
    return MetricSnapshot(name: name, help: "", unit: .none, labels: labels, reading: .counter(counter))
}

/// Returns a histogram with one window. It has no window without a quantile, like that of a bot that is down.
func histogram(_ name: String, quantile: Double = 0.99, p99: Double?, count: UInt64 = 100) -> MetricSnapshot {
    let summary = HistogramSummary(
        count: count, sum: 1, extremes: nil, quantiles: p99.map { [QuantileValue(quantile: quantile, value: $0)] } ?? []
    )
    let histogram = HistogramSnapshot(
        calls: count, abandoned: 0, failed: 0, total: summary,
        sketch: SketchSnapshot(scale: 7, positive: [], negative: [], zeroCount: 0), classicBuckets: [],
        windows: p99 == nil
            ? [] : [HistogramWindow(window: .standard[2], summary: summary, rate: 1, lost: 0, isComplete: true)]
    )
    return MetricSnapshot(name: name, help: "", unit: .seconds, labels: [], reading: .histogram(histogram))
}

/// Returns a ready-made alert, by default one that ends as soon as its condition does.
func standard(_ name: String, resolveSeconds: Int64 = 0) throws -> AlertDefinition {
    var definition = try #require(AlertDefinition.standard.first { $0.name == name })
    definition.resolveSeconds = resolveSeconds
    return definition
}
