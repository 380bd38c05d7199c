internal import Series
internal import Sketch

extension HistoryLedger {
    /// One series of a snapshot: the total of a counter or histogram, a gauge's last minute.
    struct Reading {
        var key: HistorySeriesKey
        var help: String
        var value: MinuteValue
        /// A counter's total, exactly.
        var counted: ExactTotal?
        /// What of a counter's total was counted while the collector watched; nil where all of it was.
        var watchedIncrease: Double?

        var isTotal: Bool { if case .gauge = value { false } else { true } }
    }

    func readings(of bot: BotSnapshot) -> [Reading] {
        bot.metrics.map { reading($0, of: bot) } + noted(bot)
    }

    private func reading(_ metric: MetricSnapshot, of bot: BotSnapshot) -> Reading {
        var key = HistorySeriesKey(
            bot: bot.name, botLabels: bot.labels, name: metric.name, labels: metric.labels, kind: .gauge,
            unit: metric.unit)
        var watched: Double?
        var counted: ExactTotal?
        let value: MinuteValue
        switch metric.reading {
        case .counter(let counter):
            key.kind = .counter
            watched = counter.watchedIncrease
            counted = ExactTotal(counter.value)
            value = .counter(counter.value.double)
        case .upDownCounter(let counter):
            key.kind = .upDownCounter
            let now = counter.value.double
            value = .gauge(GaugeMinute(minimum: now, maximum: now, last: now))
        case .gauge(let gauge):
            key.lane = gauge.lane
            value = .gauge(GaugeMinute(gauge))
        case .histogram(let histogram):
            key.kind = .histogram
            value = .histogram(HistogramMinute(total: histogram))
        }
        return Reading(key: key, help: metric.help, value: value, counted: counted, watchedIncrease: watched)
    }

    private func noted(_ bot: BotSnapshot) -> [Reading] {
        var lost: [LossReason: UInt64] = [:]
        for ring in bot.rings { for (reason, count) in ring.lost { lost[reason, default: 0] &+= count } }
        var readings = lost.filter { $0.value > 0 }.map {
            Reading(
                key: NotedSeries.lost(bot: bot.name, reason: $0.key), help: "Records that are in no total.",
                value: .counter(Double($0.value)))
        }
        if bot.isUp, bot.windows.minute.map({ !$0.isWhole }) ?? false {
            readings.append(
                Reading(
                    key: NotedSeries.incomplete(bot: bot.name),
                    help: "Whether the bot's windows lacked something at the minute's end.",
                    value: .gauge(GaugeMinute(minimum: 1, maximum: 1, last: 1))))
        }
        return readings
    }
}

extension [WindowCompleteness] {
    /// The window of a minute; nil where none is configured.
    var minute: WindowCompleteness? { first { $0.window.lengthNanoseconds == 60_000_000_000 } }
}

extension GaugeMinute {
    init(_ gauge: GaugeSnapshot) {
        let window = gauge.windows.first { $0.window.lengthNanoseconds == 60_000_000_000 }
        let value = gauge.value.double
        self.init(minimum: window?.minimum ?? value, maximum: window?.maximum ?? value, last: value)
    }
}

extension HistogramMinute {
    /// The totals of a histogram, with the extremes of its last minute.
    init(total histogram: HistogramSnapshot) {
        let window = histogram.windows.first { $0.window.lengthNanoseconds == 60_000_000_000 }
        let extremes = window?.summary.extremes ?? histogram.total.extremes
        self.init(
            calls: histogram.calls, failed: histogram.failed, sum: histogram.total.finiteSum,
            minimum: extremes?.minimum ?? .infinity, maximum: extremes?.maximum ?? -.infinity,
            sketch: histogram.sketch, weights: histogram.weights)
    }

    /// The extremes of a part of these values. Extremes cannot be subtracted: they are those of the window of a minute where
    /// these lie in the part's outermost buckets, and else the middles of those buckets, which are off by 0.271 % at most.
    func extremes(of part: SketchSnapshot) -> (minimum: Double, maximum: Double) {
        guard let lowest = part.lowest, let highest = part.highest else { return (.infinity, -.infinity) }
        return (
            lowest.holds(minimum) ? minimum : lowest.middle, highest.holds(maximum) ? maximum : highest.middle
        )
    }
}

/// A bucket with its sign; zero has the index nil.
private struct SignedBucket {
    var index: Int?
    var isNegative = false

    func holds(_ value: Double) -> Bool {
        guard !value.isNaN else { return false }
        guard let index else { return value == 0 }
        return value != 0 && (value < 0) == isNegative
            && BucketPlace.isSame(BucketIndexer.shared.index(of: value.magnitude), index)
    }

    var middle: Double {
        let magnitude = index.map { BucketPlace.midpoint(ofBucket: $0) } ?? 0
        return isNegative ? -magnitude : magnitude
    }
}

extension SketchSnapshot {
    fileprivate var lowest: SignedBucket? {
        if let bucket = negative.last { return SignedBucket(index: Int(bucket.index), isNegative: true) }
        if zeroCount > 0 { return SignedBucket() }
        return positive.first.map { SignedBucket(index: Int($0.index)) }
    }

    fileprivate var highest: SignedBucket? {
        if let bucket = positive.last { return SignedBucket(index: Int(bucket.index)) }
        if zeroCount > 0 { return SignedBucket() }
        return negative.first.map { SignedBucket(index: Int($0.index), isNegative: true) }
    }
}
