package import Series

/// A snapshot in InfluxDB's line protocol (docs.influxdata.com, "Line protocol reference"), which VictoriaMetrics
/// accepts too.
///
/// A measurement is a metric's name. Its tags are `bot`, `lane`, the metric's labels, the bot's labels, and those of
/// the export. Fields, by kind:
/// - counter: `value`, `rate` (per second, over the last whole second); up-down counter: `value`
/// - gauge: `value`, `max` (since the bot's life began)
/// - histogram: `count`, `sum`, `min`, `max`, `p50`… since the ring began, `calls`, `failed` and `abandoned`. Each
///   window with records is a measurement of its own, named as on /metrics (`x_window_seconds`), with the tag `window`
///   and the fields `count`, `rate`, `lost`, `complete`, `sum`, `min`, `max`, `p50`…
///
/// The collector's own metrics have the field `value`, or for a summary `count`, `sum`, `min`, `max`, `p50`… A number
/// that does not exist has no field, and a line without fields is left out. There is no NaN, no infinity and no empty
/// tag: an infinite gauge has no point while it is infinite. Integers end in `i`. An integer beyond 2^63 - 1 becomes
/// the nearest float, because InfluxDB 1.x has no greater integers. A database that stores the field as integers
/// refuses that point until its next shard begins. Metrics with a name or labels that are invalid on /metrics are left
/// out here too. A control character in a tag, such as a line end, becomes a blank, and backslashes at its end are
/// removed, because the protocol can express neither.
package enum LineProtocol {
    package static let contentType = "text/plain; charset=utf-8"

    /// - Parameters:
    ///   - labels: Tags of every line. A series' own label of the same name takes precedence.
    ///   - process: The collector's own process; nil omits `process_*`.
    ///   - sendsCollector: Whether to send the collector's statistics of itself and of the rings too.
    ///   - batchLines: The greatest number of lines in one batch.
    /// - Returns: Batches of whole lines; none if there is nothing to send.
    package static func batches(
        _ snapshot: Snapshot, labels: [Label], process: ProcessStatistics?, sendsCollector: Bool = true,
        batchLines: Int = 5000
    ) -> [[UInt8]] {
        var writer = LineWriter(
            labels: labels, unixNanoseconds: snapshot.unixNanoseconds, batchLines: batchLines)
        for bot in snapshot.bots {
            for metric in bot.metrics { writer.add(metric, of: bot) }
        }
        if sendsCollector {
            var builder = FamilyBuilder()
            builder.addCollector(snapshot, process: process)
            for family in builder.table.families { writer.add(family) }
        }
        return writer.finished
    }
}

extension LineWriter {
    fileprivate mutating func add(_ metric: MetricSnapshot, of bot: BotSnapshot) {
        let labels = exportedLabels(bot: bot.name, lane: metric.lane, metric: metric.labels, constant: bot.labels)
        guard MetricName.isValid(metric.name), labels.allSatisfy({ MetricName.isValidLabel($0.name) }) else { return }
        line(metric.name, labels) { fields in
            switch metric.reading {
            case .counter(let counter):
                fields.add("value", counter.value)
                fields.add("rate", counter.rate)
            case .upDownCounter(let counter): fields.add("value", counter.value)
            case .gauge(let gauge):
                fields.add("value", gauge.value)
                fields.add("max", gauge.highest)
            case .histogram(let histogram):
                fields.add(histogram.total)
                fields.add("calls", .unsigned(histogram.calls))
                fields.add("failed", .unsigned(histogram.failed))
                fields.add("abandoned", .unsigned(histogram.abandoned))
            }
        }
        guard case .histogram(let histogram) = metric.reading else { return }
        let name = MetricName.insert("window", into: metric.name, unit: metric.unit)
        for window in histogram.windows where window.summary.count > 0 {
            line(name, labels + [Label("window", window.window.name)]) { fields in
                fields.add(window.summary)
                fields.add("rate", window.rate)
                fields.add("lost", .unsigned(window.lost))
                fields.add("complete", window.isComplete)
            }
        }
    }

    fileprivate mutating func add(_ family: MetricFamily) {
        for series in family.series {
            line(family.name, series.labels) { fields in
                switch series.value {
                case .number(let number): fields.add("value", number)
                case .histogram(let histogram): fields.add(histogram.total)
                case .quantiles(let quantiles, let total):
                    if let total { fields.add(total) } else { fields.add(quantiles) }
                }
            }
        }
    }
}

extension LineFields {
    fileprivate mutating func add(_ summary: HistogramSummary) {
        add("count", .unsigned(summary.count))
        add("sum", summary.sum)
        add("min", summary.extremes?.minimum)
        add("max", summary.extremes?.maximum)
        add(summary.quantiles)
    }

    /// Adds a field for each quantile. The name of 0.999 is `p999`, as in `/latest`.
    fileprivate mutating func add(_ quantiles: [QuantileValue]) {
        for quantile in quantiles { add(LatestJSON.key(ofQuantile: quantile.quantile), quantile.value) }
    }
}
