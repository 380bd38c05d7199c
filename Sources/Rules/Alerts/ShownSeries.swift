package import Series

/// The collector's own series on /metrics, and its account of bots, for alerts.
package struct ShownSeries: Sendable {
    private struct Key: Hashable {
        var name: String
        var bot: String
    }

    private var series: [Key: [AlertSeries]] = [:]

    package init() {}

    /// The name of the bot that represents the collector. No bot has an empty name.
    static let collector = AlertDefinition.collectorName

    /// Returns whether a name is one that no bot may register.
    package static func owns(_ name: String) -> Bool { name.hasPrefix("ringside_") || name.hasPrefix("process_") }

    /// Adds a series.
    ///
    /// - Parameter labels: The labels, with the bot's name if the series belongs to a bot.
    package mutating func add(_ name: String, labels: [Label], _ value: Number) {
        let bot = labels.first { $0.name == "bot" }?.value ?? Self.collector
        var one = AlertSeries(value)
        one.labels = labels.filter { $0.name != "bot" }
        series[Key(name: name, bot: bot), default: []].append(one)
    }

    func callAsFunction(_ name: String, bot: String) -> [AlertSeries] { series[Key(name: name, bot: bot)] ?? [] }
}

extension BotSnapshot {
    /// The bot that represents the collector among the bots that alerts read.
    package static let collector: BotSnapshot = {
        var ring = RingSnapshot(
            lane: "", isUp: true, pid: 0, position: 0, drained: 0, backlog: 0, lost: [:], late: 0, future: 0,
            lastRecordAge: nil)
        ring.activityAge = 0
        return BotSnapshot(
            name: ShownSeries.collector, isUp: true, labels: [], rings: [ring], metrics: [], windows: [])
    }()

    /// Returns the series of a name: those of the collector's account, of a registered metric, or derived from a
    /// metric.
    ///
    /// - Parameter derivations: The metrics that the name may be derived from; nil if they were not found yet.
    func series(
        of name: String, labels: [Label], _ shown: ShownSeries, _ derivations: [DerivedSeries.Derivation]? = nil
    ) -> [AlertSeries] {
        let all = allSeries(of: name, isLabelled: !labels.isEmpty, shown, derivations)
        return labels.isEmpty ? all : all.filter { $0.labels.contains(all: labels) }
    }

    /// Returns the series of a name, whatever labels they have.
    ///
    /// - Parameter isLabelled: Whether a rule asks for labels. The account of a bot has one number where `/metrics` has
    ///   one for each lane and reason.
    func allSeries(
        of name: String, isLabelled: Bool, _ shown: ShownSeries, _ derivations: [DerivedSeries.Derivation]? = nil
    ) -> [AlertSeries] {
        if self.name != ShownSeries.collector, let account = BotAccountSeries.named(name),
            !isLabelled || account.hasLabels
        {
            return account.read(self)
        } else if self.name == ShownSeries.collector, AlertDefinition.ofCollector.contains(name) {
            return metrics.filter { $0.name == name }.map { AlertSeries($0) }
        } else if ShownSeries.owns(name) {
            return shown(name, bot: self.name)
        } else {
            let registered = metrics.filter { $0.name == name }
            return registered.isEmpty ? derived(name, derivations) : registered.map { AlertSeries($0) }
        }
    }

    private func derived(_ name: String, _ derivations: [DerivedSeries.Derivation]?) -> [AlertSeries] {
        guard !metrics.isEmpty else { return [] }
        for (series, base) in derivations ?? DerivedSeries.all(named: name) {
            let found = metrics.filter { $0.name == base }.flatMap { series.read($0) }
            if !found.isEmpty { return found }
        }
        return []
    }
}

/// The series that /metrics shows beside a registered metric.
package enum DerivedSeries: String, CaseIterable, Sendable {
    case calls = "_calls_total"
    case abandoned = "_abandoned_total"
    case failed = "_failed_total"
    case count = "_count"
    case sum = "_sum"
    case highest = "_max"
    /// Inserted before the unit.
    case window = "_window"

    /// A reading of a name as a derived series, with the registered name that it would be derived from.
    package typealias Derivation = (series: DerivedSeries, base: String)

    /// Returns every reading of a name as a derived series.
    package static func all(named name: String) -> [Derivation] {
        allCases.flatMap { series -> [Derivation] in
            guard series == .window else {
                return name.hasSuffix(series.rawValue) ? [(series, String(name.dropLast(series.rawValue.count)))] : []
            }
            let words = name.split(separator: "_", omittingEmptySubsequences: false)
            return words.indices.dropFirst().filter { words[$0] == "window" }.map { place in
                (series, (words[..<place] + words[(place + 1)...]).joined(separator: "_"))
            }
        }
    }

    /// Returns the facts of a series that is derived from a metric; nil if there is no such metric.
    ///
    /// - Parameter metric: Returns the facts of a metric by its name.
    package static func facts(named name: String, of metric: (String) -> SeriesFacts?) -> SeriesFacts? {
        for (series, base) in all(named: name) {
            if let facts = metric(base).flatMap({ series.facts($0) }) { return facts }
        }
        return nil
    }

    /// Returns the facts of the derived series; nil if the metric has no such series.
    package func facts(_ base: SeriesFacts) -> SeriesFacts? {
        switch self {
        case .highest: base.kind == .gauge ? base : nil
        case .calls, .abandoned, .failed, .count: base.kind == .histogram ? SeriesFacts(.counter) : nil
        case .sum: base.kind == .histogram ? SeriesFacts(base.range.lowerBound >= 0 ? .counter : .upDownCounter) : nil
        case .window: base.kind == .histogram ? SeriesFacts(.gauge, range: base.range) : nil
        }
    }

    fileprivate func read(_ metric: MetricSnapshot) -> [AlertSeries] {
        func total(_ number: Number, mayFall: Bool = false) -> [AlertSeries] {
            var series = AlertSeries(number)
            (series.labels, series.mayFall) = (metric.labels, mayFall)
            return [series]
        }
        switch (metric.reading, self) {
        case (.gauge(let gauge), .highest):
            return [AlertSeries(labels: metric.labels, lane: gauge.lane, value: gauge.highest.double)]
        case (.histogram(let histogram), .calls): return total(.unsigned(histogram.calls))
        case (.histogram(let histogram), .abandoned): return total(.unsigned(histogram.abandoned))
        case (.histogram(let histogram), .failed): return total(.unsigned(histogram.failed))
        case (.histogram(let histogram), .count): return total(.unsigned(histogram.total.count))
        case (.histogram(let histogram), .sum): return total(.real(histogram.total.sum), mayFall: true)
        case (.histogram(let histogram), .window):
            return histogram.windows.flatMap { window in
                window.summary.quantiles.map { quantile in
                    let more = [Label("window", window.window.name), Label("quantile", "\(quantile.quantile)")]
                    return AlertSeries(labels: metric.labels + more, value: quantile.value)
                }
            }
        default: return []
        }
    }
}
