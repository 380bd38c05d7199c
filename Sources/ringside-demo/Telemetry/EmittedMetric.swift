/// The values emitted into one metric during the run, in exported units, for `--report` and `--exact`.
struct EmittedMetric: Sendable {
    enum Value: Sendable {
        case counter(UInt64)
        case fractionalCounter(Double)
        case upDownCounter(Int64)
        case gauge(Double)
        case histogram(EmittedHistogram)
    }

    let name: String
    let labels: [(name: String, value: String)]
    let value: Value
}

/// The conversion of a histogram's raw values into values of the exported unit.
enum HistogramEncoding: Sendable {
    case ticks, nanoseconds, real
}

/// A histogram's count and sum, and its raw values if they were kept.
struct EmittedHistogram: Sendable {
    let count: UInt64
    /// In the exported unit.
    let sum: Double
    let rawValues: [UInt64]
    let encoding: HistogramEncoding
    /// The size of one raw unit in the exported unit.
    let unitsPerRaw: Double

    init(_ note: HistogramNote, _ encoding: HistogramEncoding, ticksPerSecond: Double) {
        self.encoding = encoding
        unitsPerRaw = encoding == .ticks ? 1 / ticksPerSecond : 1e-9
        count = note.count
        sum = encoding == .real ? note.realSum : Double(note.integerSum) * unitsPerRaw
        rawValues = note.values
    }
}

/// The values emitted into one ring during the run.
struct EmittedRing: Sendable {
    let bot: String
    /// "" if there is none.
    let lane: String
    let metrics: [EmittedMetric]

    /// The number of records written, which is the number of calls of the histograms. The other kinds write none.
    var records: UInt64 {
        metrics.reduce(0) { total, metric in
            if case .histogram(let histogram) = metric.value { total + histogram.count } else { total }
        }
    }
}
