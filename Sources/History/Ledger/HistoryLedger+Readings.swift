internal import Exposition
internal import Series
internal import Sketch

extension HistoryLedger {
    /// One series of a snapshot: the total of a counter or histogram, or a gauge's last minute.
    struct Reading {
        var key: HistorySeriesKey
        var help: String
        var value: MinuteValue
        /// A counter's exact total.
        var counted: Number?
        /// The part of a counter's total that was counted while the collector watched; nil if all of it was.
        var watchedIncrease: Double?

        /// How a total is counted that is seen for the first time.
        var past = Past.usual

        enum Past {
            /// The total began when its bot became known.
            case usual
            /// The total began with this run of the collector, whatever the history holds of earlier runs.
            case none
            /// The total may be much older. It is counted from here on.
            case unknown
        }

        var isTotal: Bool { if case .gauge = value { false } else { true } }
    }

    func readings(of bot: BotSnapshot, _ objectives: [ObjectiveSnapshot]) -> [Reading] {
        bot.metrics.map { reading($0, of: bot) } + noted(bot) + account(of: bot) + compliance(objectives)
    }

    /// Returns the collector's readings of itself.
    static func readings(of collector: CollectorSnapshot, process: ProcessStatistics?) -> [Reading] {
        var readings: [Reading] = []
        if collector.drainCycle.count > 0 {
            let extremes = collector.drainCycle.extremes
            let cycle = HistogramMinute(
                calls: collector.drainCycle.count, failed: 0, sum: collector.drainCycle.sum,
                minimum: extremes?.minimum ?? .infinity,
                maximum: collector.worstRecentCycle ?? extremes?.maximum ?? -.infinity,
                sketch: collector.drainCycleSketch)
            readings.append(
                Reading(
                    key: BuiltInSeries.drainCycle, help: "Time that a drain of all rings took.",
                    value: .histogram(cycle),
                    past: .none))
        }
        if let process {
            readings.append(
                Reading(
                    key: BuiltInSeries.ownMemory, help: "Resident memory.",
                    value: .gauge(GaugeMinute(Double(process.residentBytes)))))
        }
        return readings
    }

    /// Returns the collector's and the system's figures about the bot: records, processor time and memory.
    private func account(of bot: BotSnapshot) -> [Reading] {
        var readings: [Reading] = []
        let drained = bot.rings.reduce(UInt64(0)) { $0 &+ $1.drained }
        if drained > 0 {
            readings.append(
                Reading(
                    key: BuiltInSeries.records(bot: bot.name), help: "Records drained from the bot's rings.",
                    value: .counter(Double(drained)), counted: .unsigned(drained), past: .unknown))
        }
        guard let process = bot.process else { return readings }
        if let totals = process.totals {
            readings.append(
                Reading(
                    key: BuiltInSeries.processorTime(bot: bot.name),
                    help: "Processor time of the bot's processes, user and system.",
                    value: .counter(totals.cpuSeconds), watchedIncrease: 0, past: .unknown))
        }
        if process.processes > 0 {
            readings.append(
                Reading(
                    key: BuiltInSeries.memory(bot: bot.name), help: "Resident memory of the bot's processes.",
                    value: .gauge(GaugeMinute(Double(process.residentBytes)))))
        }
        return readings
    }

    /// Returns compliance over a window of an hour. That of other windows follows from the stored events.
    private func compliance(_ objectives: [ObjectiveSnapshot]) -> [Reading] {
        objectives.compactMap { objective in
            guard let window = objective.windows.first(where: { $0.name == BuiltInSeries.complianceWindow }),
                let compliance = window.compliance
            else { return nil }
            return Reading(
                key: BuiltInSeries.compliance(bot: objective.bot, objective: objective.objective),
                help: "Good events of all in the window.", value: .gauge(GaugeMinute(compliance)))
        }
    }

    private func reading(_ metric: MetricSnapshot, of bot: BotSnapshot) -> Reading {
        var key = HistorySeriesKey(
            bot: bot.name, botLabels: bot.labels, name: metric.name, labels: metric.labels, kind: .gauge,
            unit: metric.unit)
        var watched: Double?
        var counted: Number?
        let value: MinuteValue
        switch metric.reading {
        case .counter(let counter):
            key.kind = .counter
            watched = counter.watchedIncrease
            counted = counter.value
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
                key: BuiltInSeries.lost(bot: bot.name, reason: $0.key), help: "Records that are in no total.",
                value: .counter(Double($0.value)))
        }
        if bot.isUp, bot.windows.minute.map({ !$0.isWhole }) ?? false {
            readings.append(
                Reading(
                    key: BuiltInSeries.incomplete(bot: bot.name),
                    help: "Whether the bot's windows lacked something at the minute's end.",
                    value: .gauge(GaugeMinute(minimum: 1, maximum: 1, last: 1))))
        }
        return readings
    }
}

extension [WindowCompleteness] {
    /// The window of one minute; nil if none is configured.
    var minute: WindowCompleteness? { first { $0.window.lengthNanoseconds == 60_000_000_000 } }
}

extension GaugeMinute {
    /// Makes a minute of a value that is read once.
    fileprivate init(_ value: Double) { self.init(minimum: value, maximum: value, last: value) }

    init(_ gauge: GaugeSnapshot) {
        let window = gauge.windows.first { $0.window.lengthNanoseconds == 60_000_000_000 }
        let value = gauge.value.double
        self.init(minimum: window?.minimum ?? value, maximum: window?.maximum ?? value, last: value)
    }
}

extension HistogramMinute {
    /// Makes the totals of a histogram, with the extremes of its last minute.
    init(total histogram: HistogramSnapshot) {
        let window = histogram.windows.first { $0.window.lengthNanoseconds == 60_000_000_000 }
        let extremes = window?.summary.extremes ?? histogram.total.extremes
        self.init(
            calls: histogram.calls, failed: histogram.failed, sum: histogram.total.finiteSum,
            minimum: extremes?.minimum ?? .infinity, maximum: extremes?.maximum ?? -.infinity,
            sketch: histogram.sketch, weights: histogram.weights)
    }

    /// Returns the extremes of a part of these values. Extremes cannot be subtracted. If the extremes of the one-minute
    /// window lie in the part's outermost buckets, they are the result. Otherwise the result is the middles of those
    /// buckets, which are off by at most 0.271 %.
    func extremes(of part: SketchSnapshot) -> (minimum: Double, maximum: Double) {
        guard let lowest = part.lowest, let highest = part.highest else { return (.infinity, -.infinity) }
        return (
            lowest.holds(minimum) ? minimum : lowest.middle, highest.holds(maximum) ? maximum : highest.middle
        )
    }
}

/// A bucket with its sign; the zero bucket has a nil index.
private struct SignedBucket {
    var index: Int?
    var isNegative = false

    func holds(_ value: Double) -> Bool {
        guard !value.isNaN else { return false }
        guard let index else { return value == 0 }
        return value != 0 && (value < 0) == isNegative
            && BucketLayout.isSame(BucketIndexer.shared.index(of: value.magnitude), index)
    }

    var middle: Double {
        let magnitude = index.map { BucketLayout.midpoint(ofBucket: $0) } ?? 0
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
