internal import Series

/// A number that an alert compares, and the labels of the series that it was read from.
struct AlertReading {
    var value: Double
    var labels: [Label] = []
}

/// One series as an alert sees it.
struct AlertSeries {
    var labels: [Label] = []
    /// "" for what is summed over lanes.
    var lane = ""
    /// A gauge's value or a counter's total; nil for a histogram.
    var value: Double?
    /// A counter's total, or a histogram's count.
    var total = ExactTotal(.unsigned(0))
    /// Whether the total may fall, as an up-down counter's does.
    var mayFall = false
    /// What of the total came while the collector watched; 0 where that is not known.
    var watched: Double = 0
    var windows: [HistogramWindow] = []

    func value(dividedBy divisor: String?, of bot: BotSnapshot) -> AlertReading? {
        guard let value else { return nil }
        guard let divisor else { return AlertReading(value: value, labels: labels) }
        let other = bot.series(of: divisor, labels: []).first { $0.labels == labels && $0.lane == lane }?.value
        guard let other, other != 0, !(value / other).isNaN else { return nil }
        return AlertReading(value: value / other, labels: labels)
    }

    func quantile(_ quantile: Double, window: String, minimum: Double) -> AlertReading? {
        guard let summary = windows.first(where: { $0.window.name == window })?.summary,
            Double(summary.count) >= max(1, minimum),
            let value = summary.quantiles.first(where: { $0.quantile == quantile })?.value
        else { return nil }
        return AlertReading(value: value, labels: labels)
    }
}

extension BotSnapshot {
    /// The series of an instrument of the bot, or of the collector's account of it.
    func series(of instrument: String, labels: [Label]) -> [AlertSeries] {
        switch instrument {
        case AlertDefinition.lastRecordAge:
            // Of several lanes the one that wrote last: a bot with an idle lane is not silent.
            let age = rings.filter { $0.isUp && $0.showsActivity }.compactMap(\.lastRecordAge).min()
            return isUp ? age.map { [AlertSeries(value: $0)] } ?? [] : []
        case AlertDefinition.lostRecords:
            let lost = rings.reduce(UInt64(0)) { sum, ring in
                ring.lost.reduce(sum) { $1.key == .beforeAttach ? $0 : $0 &+ $1.value }
            }
            return [AlertSeries(value: Double(lost), total: ExactTotal(.unsigned(lost)))]
        case AlertDefinition.processorTime:
            return process?.totals.map { [AlertSeries(value: $0.cpuSeconds, total: ExactTotal(.real($0.cpuSeconds)))] }
                ?? []
        case AlertDefinition.residentMemory:
            guard let process, process.processes > 0 else { return [] }
            return [AlertSeries(value: Double(process.residentBytes))]
        default:
            return metrics.filter { $0.name == instrument && $0.labels.contains(all: labels) }.map { AlertSeries($0) }
        }
    }
}

extension AlertSeries {
    init(_ metric: MetricSnapshot) {
        labels = metric.labels
        switch metric.reading {
        case .counter(let counter), .upDownCounter(let counter):
            value = counter.value.double
            total = ExactTotal(counter.value)
            watched = counter.watchedIncrease
            if case .upDownCounter = metric.reading { mayFall = true }
        case .gauge(let gauge):
            lane = gauge.lane
            value = gauge.value.double
        case .histogram(let histogram):
            total = ExactTotal(.unsigned(histogram.total.count))
            windows = histogram.windows
        }
    }
}
