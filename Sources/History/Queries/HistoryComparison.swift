package import Series
internal import Sketch

/// Compares two times, or two values of a label, for each histogram of a history.
package struct HistoryComparison: Sendable {
    package var rows: [Row]

    package struct Row: Sendable {
        package var bot: String
        package var name: String
        package var labels: [Label]
        package var unit: MetricUnit
        package var before: Side
        package var after: Side
        /// For each of ``HistoryComparison/quantiles``; nil if one side has no value.
        package var differences: [QuantileDifference?]

        /// The amount that the change saved, in the metric's unit: the decrease of the mean times the number of values
        /// after it. Nil if one side has no value.
        package var saved: Double? {
            guard let before = before.mean, let after = after.mean else { return nil }
            return (before - after) * Double(self.after.count)
        }
    }

    package struct Side: Sendable {
        /// The number of values, each counted with its weight.
        package var count: UInt64
        /// The number of records behind the values, on which the intervals rest. Nil if some were stored by an earlier
        /// version, which did not store their weights.
        package var records: UInt64?
        package var sum: Double
        /// Records that the bot's rings lost in that time.
        package var lost: UInt64

        package var mean: Double? { count > 0 ? sum / Double(count) : nil }
    }

    package static let quantiles = [0.5, 0.99, 0.999]

    /// The minutes and series of one side.
    package struct Choice: Sendable {
        package var minutes: Range<Int64>
        /// A label that the series must have; it is then ignored when series are paired.
        package var label: Label?

        package init(minutes: Range<Int64>, label: Label? = nil) {
            self.minutes = minutes
            self.label = label
        }
    }
}

extension HistoryReader {
    /// Compares the histograms of two choices, pair by pair.
    ///
    /// - Parameters:
    ///   - metric: the one metric to compare; nil is every histogram.
    ///   - bot: nil is any.
    ///   - labels: the labels that a series must have.
    package func compare(
        _ before: HistoryComparison.Choice, _ after: HistoryComparison.Choice, metric: String?, bot: String?,
        labels: [Label], progress: (Int, Int) -> Void = { _, _ in }
    ) throws(HistoryFailure) -> HistoryComparison {
        forgetWhatWasRead()
        let all = try series()
        let histograms = all.filter { series in
            let key = series.key
            // The collector's own histogram is compared only by name.
            return key.kind == .histogram && (metric.map { $0 == key.name } ?? !key.bot.isEmpty)
                && (bot == nil || bot == key.bot)
                && labels.allSatisfy { key.has($0) }
        }
        let hidden = Set([before.label?.name, after.label?.name].compactMap(\.self))
        let pairs = Dictionary(grouping: histograms) { PairKey($0.key, without: hidden) }
        var rows: [HistoryComparison.Row] = []
        for (index, (key, series)) in pairs.sorted(by: { $0.key < $1.key }).enumerated() {
            progress(index, pairs.count)
            let (a, b) = (try merged(series, before), try merged(series, after))
            guard a.sketch.count + b.sketch.count > 0 else { continue }
            rows.append(
                HistoryComparison.Row(
                    bot: key.bot, name: key.name, labels: key.labels, unit: series[0].key.unit,
                    before: try side(a, before, key.bot, all), after: try side(b, after, key.bot, all),
                    differences: HistoryComparison.quantiles.map { quantile in
                        guard let a = OrderStatistics.interval(quantile, of: a),
                            let b = OrderStatistics.interval(quantile, of: b)
                        else { return nil }
                        return QuantileDifference(before: a, after: b)
                    }))
        }
        return HistoryComparison(rows: rows)
    }

    /// Returns the values of a label, by when they were last seen: after a return to an older version, that one is last. Of
    /// those seen in the same minute, the newer one is last.
    package func values(ofLabel name: String, bot: String?) throws(HistoryFailure) -> [String] {
        var last: [ByteText: (minute: Int64, id: Int64)] = [:]
        let chosen = try series().filter { (bot == nil || bot == $0.key.bot) && $0.key.label(name) != nil }
        let times = try times(of: chosen)
        for series in chosen {
            guard let value = series.key.label(name) else { continue }
            let found = (minute: times[series.id]?.upperBound ?? series.seen, id: series.id)
            let key = ByteText(value)
            if let known = last[key], known > found { continue }
            last[key] = found
        }
        return last.sorted { $0.value < $1.value }.map(\.key.text)
    }

    private func merged(
        _ series: [StoredSeries], _ choice: HistoryComparison.Choice
    ) throws(HistoryFailure) -> MergedMinutes {
        let merged = MergedMinutes(keepsSquares: true)
        let chosen = series.filter { series in choice.label.map { series.key.has($0) } ?? true }
        try forEachPart(of: chosen.map(\.id), in: choice.minutes) { merged.add($1) }
        return merged
    }

    private func side(
        _ merged: MergedMinutes, _ choice: HistoryComparison.Choice, _ bot: String, _ all: [StoredSeries]
    ) throws(HistoryFailure) -> HistoryComparison.Side {
        var lost = 0.0
        let losses = all.filter { $0.key.bot == bot && $0.key.name == BuiltInSeries.lostName }
        try forEachPart(of: losses.map(\.id), in: choice.minutes) { _, value in
            if case .counter(let more) = value { lost += more }
        }
        return HistoryComparison.Side(
            count: merged.sketch.count, records: merged.weights.records(ofCount: merged.sketch.count), sum: merged.sum,
            lost: lost >= 0x1p64 ? .max : UInt64(max(0, lost)))
    }
}

/// The part of their identity that two compared series share: everything but the labels that are compared.
private struct PairKey: Hashable, Comparable {
    let bot: String
    let name: String
    let labels: [Label]

    init(_ key: HistorySeriesKey, without hidden: Set<String>) {
        bot = key.bot
        name = key.name
        labels = key.labels.filter { !hidden.contains($0.name) }
    }

    static func < (a: PairKey, b: PairKey) -> Bool {
        (a.bot, a.name) != (b.bot, b.name)
            ? (a.bot, a.name) < (b.bot, b.name) : a.labels.lexicographicallyPrecedes(b.labels)
    }
}
