internal import JSON
package import Series

/// What `/latest` answers: the whole snapshot for a program to read.
///
/// Every key is there at any time, null where there is no record; durations are seconds, and `time` is Unix seconds. A number
/// that JSON has none for is null, and has a text beside it: `"value":null,"value_text":"+Inf"`.
package enum LatestJSON {
    package static let contentType = "application/json"

    /// - Parameter quantiles: Those configured: their keys are there when a histogram has no value yet.
    package static func render(_ snapshot: Snapshot, quantiles: [Double] = [0.5, 0.95, 0.99, 0.999]) -> [UInt8] {
        let quantiles = quantiles.map { QuantileKey(quantile: $0, name: key(ofQuantile: $0)) }
        var json = JSONWriter(capacity: 64 * 1024)
        json.object {
            $0.key("time")
            $0.seconds(nanoseconds: snapshot.unixNanoseconds)
            $0.key("collector")
            $0.collector(snapshot.collector)
            $0.key("bots")
            $0.array { for bot in snapshot.bots { $0.bot(bot, quantiles) } }
            $0.key("slo")
            $0.array { for objective in snapshot.objectives { $0.objective(objective) } }
            $0.key("alerts")
            $0.array { for alert in snapshot.alerts where alert.state != .inactive { $0.alert(alert) } }
        }
        return json.bytes
    }

    /// The key of a quantile: its digits after the point, two at least: `p50`, `p999`; `p0` and `p100` at the ends.
    package static func key(ofQuantile quantile: Double) -> String {
        if quantile <= 0 { return "p0" }
        if quantile >= 1 { return "p100" }
        // Shortest digits; below 1e-4 `description` has an exponent, and such quantiles are named by their percentage.
        let text = quantile.description
        guard text.hasPrefix("0.") else { return "p\((quantile * 100).description)" }
        let digits = text.dropFirst(2)
        return "p" + digits + (digits.count < 2 ? "0" : "")
    }
}

private struct QuantileKey {
    let quantile: Double
    let name: String
}

extension JSONWriter {
    /// The collector's account of itself; `worst` is since it began, `worst_recent` and `record_cost` are of the last minute.
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

    fileprivate mutating func bot(_ bot: BotSnapshot, _ quantiles: [QuantileKey]) {
        object {
            $0.key("bot")
            $0.string(bot.name)
            $0.key("up")
            $0.bool(bot.isUp)
            $0.key("labels")
            $0.labels(bot.labels)
            $0.key("rings")
            $0.array { for ring in bot.rings { $0.ring(ring) } }
            $0.key("metrics")
            $0.array { for metric in bot.metrics { $0.metric(metric, of: bot, quantiles) } }
        }
    }

    private mutating func ring(_ ring: RingSnapshot) {
        object {
            $0.key("lane")
            $0.string(ring.lane)
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
            $0.number("emit_overhead_ratio", ring.emitOverheadRatio)
            $0.number("longest_read_gap", ring.longestReadGap)
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

    /// A name that a damaged ring gave twice is written once.
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

    /// Values that are counted by powers of two, where there are any: quantiles among them are off by up to a third.
    private mutating func coarse(_ values: UInt64) {
        guard values > 0 else { return }
        key("coarse")
        integer(values)
    }

    /// A window of a bot that is down has nothing to say: its keys are there, with null.
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
