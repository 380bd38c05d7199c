internal import JSON
package import Series

/// The body of `/latest`: the whole snapshot for programs.
///
/// Every key is always present, and null without a record. Durations are in seconds, and `time` is in Unix seconds. A
/// number that JSON cannot express is null, with a text beside it: `"value":null,"value_text":"+Inf"`.
package enum LatestJSON {
    package static let contentType = "application/json"

    /// - Parameter quantiles: The configured quantiles. Their keys are present even if a histogram has no value yet.
    package static func render(_ snapshot: Snapshot, quantiles: [Double] = [0.5, 0.95, 0.99, 0.999]) -> [UInt8] {
        document(snapshot, quantiles: quantiles).bytes
    }

    /// Renders the body, and records the places of its parts.
    package static func document(
        _ snapshot: Snapshot, quantiles: [Double] = [0.5, 0.95, 0.99, 0.999]
    ) -> LatestDocument {
        let quantiles = quantiles.map { QuantileKey(quantile: $0, name: key(ofQuantile: $0)) }
        var json = JSONWriter(capacity: 64 * 1024)
        var members: [LatestDocument.Part] = []
        var bots: [LatestDocument.Bot] = []
        json.object { json in
            json.part("time", &members) { $0.seconds(nanoseconds: snapshot.unixNanoseconds) }
            json.part("collector", &members) { $0.collector(snapshot.collector) }
            json.part("unread_rings", &members) { $0.skipped(snapshot.collector.skippedRings) }
            json.key("bots")
            json.array { json in bots = snapshot.bots.map { json.bot($0, quantiles) } }
            json.part("slo", &members) { json in
                json.array { for objective in snapshot.objectives { $0.objective(objective) } }
            }
            json.part("alerts", &members) { json in
                json.array { for alert in snapshot.alerts where alert.state != .inactive { $0.alert(alert) } }
            }
            json.part("silences", &members) { json in
                json.array { for silence in snapshot.silences { $0.silence(silence) } }
            }
            json.part("waiting", &members) { json in
                json.array { for rule in snapshot.waiting { $0.waiting(rule) } }
            }
        }
        return LatestDocument(bytes: json.bytes, members: members, bots: bots)
    }

    /// Returns the key of a quantile: its digits after the point, at least two: `p50`, `p999`; `p0` and `p100` at the
    /// ends.
    package static func key(ofQuantile quantile: Double) -> String { LevelStatistic.name(ofQuantile: quantile) }
}

private struct QuantileKey {
    let quantile: Double
    let name: String
}

extension JSONWriter {
    /// Writes the collector's statistics of itself. `worst` is since it began; `worst_recent` and `record_cost` are of
    /// the last minute.
    fileprivate mutating func collector(_ collector: CollectorSnapshot) {
        object {
            $0.key("version")
            $0.string(collector.version)
            $0.number("uptime", collector.uptimeSeconds)
            $0.key("drain_cycle")
            $0.object {
                $0.key("count")
                $0.integer(collector.drainCycle.count)
                for quantile in collector.drainCycle.quantiles {
                    $0.number(LatestJSON.key(ofQuantile: quantile.quantile), quantile.value)
                }
                $0.number("worst", collector.drainCycle.extremes?.maximum)
                $0.number("worst_recent", collector.worstRecentCycle)
            }
            $0.number("record_cost", collector.recordCost)
            $0.clock(collector.clock)
        }
    }

    private mutating func unsigned(_ value: UInt64?) {
        if let value { integer(value) } else { null() }
    }

    /// Writes a member, and records the place of its value.
    fileprivate mutating func part(
        _ name: String, _ parts: inout [LatestDocument.Part], _ body: (inout JSONWriter) -> Void
    ) {
        key(name)
        parts.append(LatestDocument.Part(key: name, place: place(body)))
    }

    fileprivate mutating func bot(_ bot: BotSnapshot, _ quantiles: [QuantileKey]) -> LatestDocument.Bot {
        var parts: [LatestDocument.Part] = []
        var eachMetric: [Range<Int>] = []
        var metrics = 0..<0
        object { json in
            json.key("bot")
            json.string(bot.name)
            json.part("up", &parts) { $0.bool(bot.isUp) }
            json.part("state", &parts) { $0.string(bot.condition.rawValue) }
            json.part("process", &parts) { $0.process(bot.process) }
            json.part("labels", &parts) { $0.labels(bot.labels) }
            json.part("rings", &parts) { json in json.array { for ring in bot.rings { $0.ring(ring) } } }
            json.key("metrics")
            metrics = json.place { json in
                json.array { json in
                    eachMetric.reserveCapacity(bot.metrics.count)
                    for metric in bot.metrics {
                        eachMetric.append(json.place { $0.metric(metric, of: bot, quantiles) })
                    }
                }
            }
            json.part("levels", &parts) { json in json.array { for level in bot.levels { $0.level(level) } } }
        }
        return LatestDocument.Bot(name: bot.name, parts: parts, metrics: metrics, eachMetric: eachMetric)
    }

    /// Writes the system's statistics of the bot's processes; null if they were not read yet. A bot that is down has no
    /// memory.
    private mutating func process(_ process: BotProcessSnapshot?) {
        guard let process else { return null() }
        object {
            $0.key("count")
            $0.integer(process.processes)
            $0.number("cpu_seconds", process.totals?.cpuSeconds)
            $0.key("resident_memory")
            if process.processes > 0 { $0.integer(process.residentBytes) } else { $0.null() }
        }
    }

    private mutating func ring(_ ring: RingSnapshot) {
        object {
            $0.key("lane")
            $0.string(ring.lane)
            $0.key("up")
            $0.bool(ring.isUp)
            $0.key("state")
            $0.string(ring.presence.rawValue)
            $0.number("last_record_age", ring.lastRecordAge)
            $0.number("last_activity_age", ring.activityAge)
            $0.key("pid")
            $0.integer(ring.pid)
            $0.key("position")
            $0.integer(ring.position)
            $0.key("drained")
            $0.integer(ring.drained)
            $0.key("backlog")
            $0.integer(ring.backlog)
            $0.key("backlog_max")
            $0.unsigned(ring.backlogMaximum)
            $0.number("lag", ring.lag)
            $0.number("lag_worst", ring.worstRecentLag)
            $0.number("emit_overhead_records_ratio", ring.recordOverheadRatio)
            $0.number("emit_overhead_counters_ratio", ring.counterOverheadRatio)
            $0.number("longest_read_gap", ring.longestReadGap)
            $0.key("disabled")
            $0.bool(ring.hasDisabledMetrics)
            $0.key("refused_metrics")
            if let refused = ring.refusedMetrics { $0.integer(refused) } else { $0.null() }
            $0.key("conflicting_metrics")
            $0.array { for name in ring.conflictingMetrics { $0.string(name) } }
            $0.key("lost")
            $0.object {
                for reason in LossReason.allCases {
                    $0.key(reason.rawValue)
                    $0.integer(ring.lost[reason] ?? 0)
                }
            }
        }
    }

    /// Writes a statistic compared with its usual range. `readings` of `readings_needed` readings of the last hour are
    /// known.
    private mutating func level(_ level: LevelSnapshot) {
        object {
            $0.key("metric")
            $0.string(level.metric)
            $0.key("labels")
            $0.labels(level.labels)
            $0.key("lane")
            $0.string(level.lane)
            $0.key("statistic")
            $0.string(level.statistic.name)
            $0.key("unit")
            $0.string(level.unit.rawValue)
            $0.key("state")
            $0.string(level.state.rawValue)
            $0.key("since")
            $0.integer(level.sinceUnixSeconds)
            $0.number("value", level.value)
            $0.number("usual", level.usual?.level)
            $0.number("usual_low", level.usual?.low)
            $0.number("usual_high", level.usual?.high)
            $0.key("basis")
            if let basis = level.usual?.basis { $0.string(basis.rawValue) } else { $0.null() }
            $0.key("days")
            $0.integer(Int64(level.usual?.days ?? 0))
            $0.key("readings")
            $0.integer(Int64(level.readings))
            $0.key("readings_needed")
            $0.integer(Int64(level.neededReadings))
        }
    }

    /// Writes labels. A label name that a damaged ring has twice is written once.
    package mutating func labels(_ labels: [Label]) {
        object {
            for (index, label) in labels.enumerated() where index == 0 || labels[index - 1].name != label.name {
                $0.key(label.name)
                $0.string(label.value)
            }
        }
    }

    private mutating func metric(_ metric: MetricSnapshot, of bot: BotSnapshot, _ quantiles: [QuantileKey]) {
        object {
            $0.key("name")
            $0.string(metric.name)
            $0.key("kind")
            $0.string(metric.reading.kindName)
            $0.key("unit")
            $0.string(metric.unit.rawValue)
            $0.key("labels")
            $0.labels(metric.labels)
            switch metric.reading {
            case .counter(let counter), .upDownCounter(let counter): $0.counter(counter, bot.windows)
            case .gauge(let gauge): $0.gauge(gauge, bot.windows)
            case .histogram(let histogram): $0.histogram(histogram, bot.windows, quantiles)
            }
        }
    }

    private mutating func counter(_ counter: CounterSnapshot, _ windows: [WindowCompleteness]) {
        number("value", counter.value)
        number("rate", counter.rate)
        eachWindow(windows) { json, span in
            let window = counter.windows.first { $0.window == span }
            json.number("increase", window?.increase)
            json.number("rate", window?.rate)
            json.complete(window?.isComplete)
        }
    }

    private mutating func gauge(_ gauge: GaugeSnapshot, _ windows: [WindowCompleteness]) {
        number("value", gauge.value)
        key("lane")
        string(gauge.lane)
        number("max", gauge.highest)
        eachWindow(windows) { json, span in
            let window = gauge.windows.first { $0.window == span }
            json.number("min", window?.minimum)
            json.number("max", window?.maximum)
            json.number("last", window?.last)
            json.complete(window?.isComplete)
        }
    }

    private mutating func complete(_ isComplete: Bool?) {
        key("complete")
        if let isComplete { bool(isComplete) } else { null() }
    }

    private mutating func histogram(
        _ histogram: HistogramSnapshot, _ windows: [WindowCompleteness], _ quantiles: [QuantileKey]
    ) {
        key("calls")
        integer(histogram.calls)
        key("count")
        integer(histogram.total.count)
        number("sum", histogram.total.sum)
        coarse(histogram.sketch.coarseCount)
        distribution(histogram.total, quantiles)
        eachWindow(windows) { json, span in
            json.histogramWindow(histogram.windows.first { $0.window == span }, quantiles)
        }
    }

    /// Writes the number of values that are counted by powers of two, if there are any. Quantiles among them are off by
    /// up to a third.
    private mutating func coarse(_ values: UInt64) {
        guard values > 0 else { return }
        key("coarse")
        integer(values)
    }

    /// Writes a window of a histogram. A window of a bot that is down has no values; its keys are present, with null.
    private mutating func histogramWindow(_ window: HistogramWindow?, _ quantiles: [QuantileKey]) {
        key("count")
        if let window { integer(window.summary.count) } else { null() }
        number("rate", window?.rate)
        key("lost")
        if let window { integer(window.lost) } else { null() }
        complete(window?.isComplete)
        distribution(window?.summary, quantiles)
    }

    private mutating func distribution(_ summary: HistogramSummary?, _ quantiles: [QuantileKey]) {
        number("min", summary?.extremes?.minimum)
        number("max", summary?.extremes?.maximum)
        for quantile in quantiles {
            number(quantile.name, summary?.quantiles.first { $0.quantile == quantile.quantile }?.value)
        }
    }

    private mutating func eachWindow(
        _ windows: [WindowCompleteness], _ body: (inout JSONWriter, WindowSpan) -> Void
    ) {
        key("windows")
        object { json in
            for window in windows {
                json.key(window.window.name)
                json.object { body(&$0, window.window) }
            }
        }
    }
}

extension MetricSnapshot.Reading {
    fileprivate var kindName: String {
        switch self {
        case .counter: "counter"
        case .upDownCounter: "up_down_counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }
}
