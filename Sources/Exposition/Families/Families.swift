internal import JSON
package import Series

/// A snapshot in the form of Prometheus: families of series with unique names, whatever the bots call their metrics.
///
/// The collector's own names come first, then the names that bots registered, in the order of the bots, then the names
/// derived from them (`…_calls_total`). A series whose name is already taken is in `leftOut` instead.
package struct Families: Sendable {
    package let all: [MetricFamily]
    package let leftOut: [LeftOutSeries]
    /// The difference between Unix time and the series' clock, which dates exemplars.
    let clockOffsetNanoseconds: Int64

    /// - Parameters:
    ///   - process: Nil omits `process_*`.
    ///   - showsCollector: Whether to show the collector's own families. Their names are reserved in both cases.
    package init(_ snapshot: Snapshot, process: ProcessStatistics?, showsCollector: Bool = true) {
        var builder = FamilyBuilder()
        builder.addCollector(snapshot, process: process)
        let collectorCount = builder.table.families.count
        builder.addBots(snapshot.bots)
        builder.addLeftOut(bots: snapshot.bots)
        all = builder.table.families.dropFirst(showsCollector ? 0 : collectorCount).filter { !$0.series.isEmpty }
        leftOut = builder.leftOut
        clockOffsetNanoseconds = snapshot.clockOffsetNanoseconds
    }
}

struct FamilyBuilder {
    var table = FamilyTable()
    var leftOut: [LeftOutSeries] = []
    /// Families before this index belong to an earlier stage (the collector's own, then the registered ones). A series
    /// of a later stage may not join them, even if the kinds agree.
    private var stageStart = 0
    /// The label sets that the current bot has taken in each family. Those of other bots differ in `bot`.
    private var taken: [Int: LabelSets] = [:]
    /// The families derived from a registered one, by its index.
    private var companions: [Int: HistogramCompanions] = [:]

    /// Adds the series of the bots. Claims all registered names before any derived one, so that a bot's `x_max` is
    /// never lost to its gauge `x`.
    mutating func addBots(_ bots: [BotSnapshot]) {
        stageStart = table.families.count
        var accepted: [(bot: Int, metric: Int, family: Int, labels: Int)] = []
        accepted.reserveCapacity(bots.reduce(0) { $0 + $1.metrics.count })
        var labelSets = bots.map(BotLabels.init)
        for (bot, owner) in bots.enumerated() {
            taken.removeAll(keepingCapacity: true)
            leftOut += owner.unconvertedSeries.map { LeftOutSeries(bot: owner.name, $0) }
            for (place, metric) in owner.metrics.enumerated() {
                let labels = labelSets[bot].place(of: metric)
                switch add(metric, labelSets[bot][labels]) {
                case .success(let family): accepted.append((bot, place, family, labels))
                case .failure(let reason):
                    leftOut.append(LeftOutSeries(bot: owner.name, metric, reason: reason))
                }
            }
        }
        stageStart = table.families.count
        for (bot, metric, family, labels) in accepted {
            for name in addDerived(bots[bot].metrics[metric], of: family, &labelSets[bot], labels) {
                leftOut.append(
                    LeftOutSeries(bot: bots[bot].name, bots[bot].metrics[metric], name: name, reason: .nameTaken))
            }
        }
    }

    private mutating func add(
        _ metric: MetricSnapshot, _ labels: ExportedLabels
    ) -> Result<Int, LeftOutSeries.Reason> {
        guard labels.areValid, MetricName.isValid(metric.name) else {
            return .failure(.invalidName)
        }
        guard let index = family(metric.name, metric.kind, help: metric.help, unit: metric.unit) else {
            return .failure(.nameTaken)
        }
        guard taken[index, default: LabelSets()].insert(labels) else { return .failure(.duplicate) }
        table.add(
            metric.value, labels, to: index, createdUnixSeconds: metric.createdUnixSeconds,
            isUpDownCounter: metric.isUpDownCounter)
        return .success(index)
    }

    /// - Returns: The derived names that were already taken.
    private mutating func addDerived(
        _ metric: MetricSnapshot, of registered: Int, _ labels: inout BotLabels, _ place: Int
    ) -> [String] {
        switch metric.reading {
        case .counter, .upDownCounter:
            return []
        case .gauge(let gauge):
            let name = metric.name + "_max"
            let help = "Highest \(metric.name) since the bot's life began."
            // OpenMetrics 1.0 declares a unit only if it is the suffix of the name.
            return add(name, .gauge, help, .number(gauge.highest), labels[place]) ? [] : [name]
        case .histogram(let histogram):
            return addCalls(of: metric, registered, histogram, labels[place])
                + addWindows(of: metric, registered, histogram, &labels, place)
        }
    }

    private mutating func addCalls(
        of metric: MetricSnapshot, _ registered: Int, _ histogram: HistogramSnapshot, _ labels: ExportedLabels
    ) -> [String] {
        let families = counts(of: metric.name, registered)
        var missing: [String] = []
        for (family, count, word, created) in [
            (families.calls, histogram.calls, "calls", metric.cellsCreatedUnixSeconds),
            (families.abandoned, histogram.abandoned, "abandoned", metric.cellsCreatedUnixSeconds),
            (families.failed, histogram.failed, "failed", metric.createdUnixSeconds),
        ] {
            if let family {
                table.add(.number(.unsigned(count)), labels, to: family, createdUnixSeconds: created)
            } else {
                missing.append("\(metric.name)_\(word)_total")
            }
        }
        return missing
    }

    /// Returns the families of a histogram's counts, and claims them with its first series.
    private mutating func counts(of name: String, _ registered: Int) -> HistogramCompanions {
        if let known = companions[registered] { return known }
        let families = HistogramCompanions(
            calls: family(
                "\(name)_calls_total", .counter, help: "Calls of \(name), those lost or sampled out included.",
                unit: .none),
            abandoned: family(
                "\(name)_abandoned_total", .counter, help: "Spans of \(name) dropped without an end; in no bucket.",
                unit: .none),
            failed: family(
                "\(name)_failed_total", .counter, help: "Spans of \(name) that failed; in the buckets too.", unit: .none
            )
        )
        companions[registered] = families
        return families
    }

    private mutating func addWindows(
        of metric: MetricSnapshot, _ registered: Int, _ histogram: HistogramSnapshot, _ labels: inout BotLabels,
        _ place: Int
    ) -> [String] {
        for window in histogram.windows where window.summary.count > 0 {
            guard let family = windows(of: metric, registered) else { return [metric.windowName] }
            let value = ExportedSeries.Value.quantiles(window.summary.quantiles, total: nil)
            table.add(value, labels.labels(at: place, window: window.window.name), to: family)
        }
        return []
    }

    /// Returns the family of a histogram's windows, and claims it when the first window has a record; nil if another
    /// family has the name.
    private mutating func windows(of metric: MetricSnapshot, _ registered: Int) -> Int? {
        if let known = companions[registered]?.windows { return known }
        let family = family(
            metric.windowName, .summary, help: "Quantiles of \(metric.name) over a sliding window.", unit: metric.unit)
        companions[registered]?.windows = .some(family)
        return family
    }

    /// Adds a series to a family.
    ///
    /// - Returns: False if the name belongs to another family.
    @discardableResult
    mutating func add(
        _ name: String, _ kind: MetricFamily.Kind, _ help: String, _ value: ExportedSeries.Value,
        _ labels: ExportedLabels, unit: MetricUnit = .none
    ) -> Bool {
        guard let index = family(name, kind, help: help, unit: unit) else { return false }
        table.add(value, labels, to: index)
        return true
    }

    private mutating func family(
        _ name: String, _ kind: MetricFamily.Kind, help: @autoclosure () -> String, unit: MetricUnit
    ) -> Int? {
        table.family(name, kind, help: help(), unit: unit).flatMap { $0 >= stageStart ? $0 : nil }
    }
}

/// The families derived from a histogram's family; nil if another family has the name.
private struct HistogramCompanions {
    var calls: Int?
    var abandoned: Int?
    var failed: Int?
    /// Nil until it is claimed.
    var windows: Int??
}

/// Unique sets of labels. Most families have one series for each bot, and then nothing is hashed.
private struct LabelSets {
    private var first: ExportedLabels?
    private var all: Set<[Label]> = []

    /// Adds a set of labels.
    ///
    /// - Returns: False if it is known already, in any order of the labels.
    mutating func insert(_ labels: ExportedLabels) -> Bool {
        guard let first else {
            first = labels
            return true
        }
        if all.isEmpty { all.insert(first.all.sorted()) }
        return all.insert(labels.all.sorted()).inserted
    }
}

extension MetricSnapshot {
    /// "" for values summed over lanes.
    var lane: String {
        if case .gauge(let gauge) = reading { gauge.lane } else { "" }
    }

    /// The name of the family of its sliding windows.
    fileprivate var windowName: String { MetricName.insert("window", into: name, unit: unit) }

    fileprivate var kind: MetricFamily.Kind {
        switch reading {
        case .counter: .counter
        case .upDownCounter, .gauge: .gauge
        case .histogram: .histogram
        }
    }

    fileprivate var isUpDownCounter: Bool {
        if case .upDownCounter = reading { true } else { false }
    }

    fileprivate var value: ExportedSeries.Value {
        switch reading {
        case .counter(let counter), .upDownCounter(let counter): .number(counter.value)
        case .gauge(let gauge): .number(gauge.value)
        case .histogram(let histogram): .histogram(histogram)
        }
    }
}
