package import Series

/// A snapshot as Prometheus sees it: families of series, each name once, whatever the bots call their metrics.
///
/// The collector's own names come first, then those that bots registered, in the order of the bots, then those that are
/// derived from them (`…_calls_total`). A series that comes too late for its name is in `leftOut` instead.
package struct Families: Sendable {
    package let all: [MetricFamily]
    package let leftOut: [LeftOutSeries]
    /// When the snapshot was taken.
    let unixNanoseconds: Int64

    /// - Parameter process: Nil leaves `process_*` out.
    package init(_ snapshot: Snapshot, process: ProcessStatistics?) {
        var builder = FamilyBuilder()
        builder.addCollector(snapshot, process: process)
        builder.addBots(snapshot.bots)
        builder.addLeftOut(bots: snapshot.bots)
        all = builder.table.families.filter { !$0.series.isEmpty }
        leftOut = builder.leftOut
        unixNanoseconds = snapshot.unixNanoseconds
    }
}

struct FamilyBuilder {
    var table = FamilyTable()
    var leftOut: [LeftOutSeries] = []
    /// Families before this one are of an earlier stage (the collector's own, then the registered ones): a series of a
    /// later stage may not join them, even where the kinds agree.
    private var stageStart = 0
    /// Label sets taken in each family.
    private var taken: [Int: Set<[Label]>] = [:]

    /// Registered names are all claimed before a derived one is, so that `x_max` of a bot is never lost to a gauge `x`.
    mutating func addBots(_ bots: [BotSnapshot]) {
        stageStart = table.families.count
        var accepted: [(bot: String, metric: MetricSnapshot, labels: [Label])] = []
        for bot in bots {
            for metric in bot.metrics {
                let labels = exportedLabels(
                    bot: bot.name, lane: metric.lane, metric: metric.labels, constant: bot.labels)
                if let reason = add(metric, labels) {
                    leftOut.append(LeftOutSeries(bot: bot.name, name: metric.name, reason: reason))
                } else {
                    accepted.append((bot.name, metric, labels))
                }
            }
        }
        stageStart = table.families.count
        for (bot, metric, labels) in accepted {
            for name in addDerived(metric, labels) {
                leftOut.append(LeftOutSeries(bot: bot, name: name, reason: .nameTaken))
            }
        }
    }

    private mutating func add(_ metric: MetricSnapshot, _ labels: [Label]) -> LeftOutSeries.Reason? {
        guard MetricName.isValid(metric.name), labels.allSatisfy({ MetricName.isValidLabel($0.name) }) else {
            return .invalidName
        }
        guard let index = family(metric.name, metric.kind, help: metric.help, unit: metric.unit) else {
            return .nameTaken
        }
        guard taken[index, default: []].insert(labels.sorted()).inserted else { return .duplicate }
        table.add(metric.value, labels, to: index, createdUnixSeconds: metric.createdUnixSeconds)
        return nil
    }

    /// - Returns: The names that could not be had.
    private mutating func addDerived(_ metric: MetricSnapshot, _ labels: [Label]) -> [String] {
        switch metric.reading {
        case .counter, .upDownCounter:
            return []
        case .gauge(let gauge):
            let name = metric.name + "_max"
            let help = "Highest \(metric.name) since the bot's life began."
            // OpenMetrics 1.0: a unit is declared only where it is the suffix of the name.
            return add(name, .gauge, help, .number(gauge.highest), labels, unit: .none) ? [] : [name]
        case .histogram(let histogram):
            return addCalls(of: metric.name, histogram, labels) + addWindows(of: metric, histogram, labels)
        }
    }

    private mutating func addCalls(
        of name: String, _ histogram: HistogramSnapshot, _ labels: [Label]
    ) -> [String] {
        let counts = [
            ("\(name)_calls_total", histogram.calls, "Calls of \(name), those lost or sampled out included."),
            ("\(name)_abandoned_total", histogram.abandoned, "Spans of \(name) dropped without an end; in no bucket."),
            ("\(name)_failed_total", histogram.failed, "Spans of \(name) that failed; in the buckets too."),
        ]
        return counts.filter { !add($0.0, .counter, $0.2, .number(.unsigned($0.1)), labels) }.map(\.0)
    }

    private mutating func addWindows(
        of metric: MetricSnapshot, _ histogram: HistogramSnapshot, _ labels: [Label]
    ) -> [String] {
        let name = MetricName.insert("window", into: metric.name, unit: metric.unit)
        let help = "Quantiles of \(metric.name) over a sliding window."
        for window in histogram.windows where window.summary.count > 0 {
            let value = ExportedSeries.Value.quantiles(window.summary.quantiles, total: nil)
            let labels = labels + [Label("window", window.window.name)]
            guard add(name, .summary, help, value, labels, unit: metric.unit) else { return [name] }
        }
        return []
    }

    /// - Returns: False where the name is another family's.
    @discardableResult
    mutating func add(
        _ name: String, _ kind: MetricFamily.Kind, _ help: String, _ value: ExportedSeries.Value, _ labels: [Label],
        unit: MetricUnit = .none
    ) -> Bool {
        guard let index = family(name, kind, help: help, unit: unit) else { return false }
        table.add(value, labels, to: index)
        return true
    }

    private mutating func family(
        _ name: String, _ kind: MetricFamily.Kind, help: String, unit: MetricUnit
    ) -> Int? {
        table.family(name, kind, help: help, unit: unit).flatMap { $0 >= stageStart ? $0 : nil }
    }
}

extension MetricSnapshot {
    /// "" for what is summed over lanes.
    var lane: String {
        if case .gauge(let gauge) = reading { gauge.lane } else { "" }
    }

    fileprivate var kind: MetricFamily.Kind {
        switch reading {
        case .counter: .counter
        case .upDownCounter, .gauge: .gauge
        case .histogram: .histogram
        }
    }

    fileprivate var value: ExportedSeries.Value {
        switch reading {
        case .counter(let counter), .upDownCounter(let counter): .number(counter.value)
        case .gauge(let gauge): .number(gauge.value)
        case .histogram(let histogram): .histogram(histogram)
        }
    }
}
