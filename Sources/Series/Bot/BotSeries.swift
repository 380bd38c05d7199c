/// All series of one bot: the counters and histograms of its lanes summed, the gauges of each lane apart.
///
/// Thread rule: one thread at a time, the lanes and their instruments included.
package final class BotSeries {
    package let name: String
    package let options: SeriesOptions
    /// The constant labels of the bot's newest life.
    package var labels: [Label] = []
    private(set) package var lanes: [LaneSeries] = []
    private(set) var summed: [SeriesKey: SummedSeries] = [:]
    private var order = SeriesOrder()
    private var names = SeriesNames()
    let filling = FillingSlices()
    /// Series that gave way, by the names that they are kept under.
    var dropped: [String] = []
    /// What the bot's histograms are held to.
    var thresholds: [ThresholdRule: ThresholdTotal] = [:]
    /// The edges that somebody chose for the classic buckets of a histogram; nil where nobody did.
    var chosenEdges: (_ name: String, _ labels: [Label]) -> [Double]? = { _, _ in nil }
    /// Where records are noted that are older than the windows; nil where nobody keeps minutes. To be set before any series
    /// comes.
    package var late: LateMinutes?
    /// Totals of new series count from then on at the earliest, in seconds since the Unix epoch: an earlier collector may have
    /// shown more of them than is known.
    package var leastCreatedUnixSeconds: Double = 0
    private let budget: SeriesBudget?
    /// What time it is to the bot's windows.
    private(set) package var now: Int64
    /// What the next new series is numbered; see ``SeriesHead/ordinal``.
    private var nextOrdinal: UInt64 = 0
    /// Another one whenever a series came or went.
    private(set) package var generation: UInt64 = 0

    /// - Parameter budget: What all bots' series share; nil sets no bound.
    package init(name: String, options: SeriesOptions, now: Int64, budget: SeriesBudget? = nil) {
        self.budget = budget
        self.name = name
        self.options = options
        self.now = now
    }

    deinit { budget?.giveBack(summed.count) }

    /// Whether a metric that is refused is so for want of room.
    package var isFull: Bool { budget.map { $0.count >= $0.limit } ?? false }

    /// The names of all series, as they are kept under.
    package var keptNames: [String] { summed.map { $0.value.keptName($0.key) } }

    /// All series by name and labels.
    var ordered: [(key: SeriesKey, series: SummedSeries)] { order.all }

    /// The names and labels of all histograms, sorted.
    var histogramKeys: [SeriesKey] { order.histogramKeys }

    func advanceHistograms(to now: Int64) {
        for histogram in order.histograms { histogram.advance(to: now) }
    }

    /// The lane of that name, made when it is met for the first time.
    package func lane(_ name: String) -> LaneSeries {
        if let lane = lanes.first(where: { $0.name == name }) { return lane }
        let lane = LaneSeries(name: name, bot: self)
        lanes.append(lane)
        lanes.sort { $0.name < $1.name }
        return lane
    }

    package var isUp: Bool { lanes.contains { $0.isUp } }

    /// Says what time it is, before records of that time are inserted. Cost: nothing until the next slice begins.
    package func advance(to now: Int64) {
        let width = options.finestSliceNanoseconds
        guard now.intervalNumber(width: width) > self.now.intervalNumber(width: width) else { return }
        self.now = now
        advanceHistograms(to: now)
        for lane in lanes { lane.settle(now: now) }
    }

    /// Takes the sums of what the lanes have sampled into the counters' histories.
    ///
    /// - Parameter now: a time after all cells were read.
    package func sampleCounters(now: Int64) {
        self.now = max(self.now, now)
        for counter in order.counters { counter.sampleCounter(now: now) }
    }

    /// The series for a metric of one lane, or nil where another lane that is registered now has its name with another
    /// kind or unit, or there is no room. What an earlier life left there under another kind gives way.
    ///
    /// - Parameter createdUnixSeconds: since when the totals count, where the series is new.
    func series(for metric: MetricDescriptor, createdUnixSeconds: Double) -> SummedSeries? {
        let rivals = names.rivals(of: metric) { [summed] key in
            guard let rival = summed[key], rival.kind != metric.kind || rival.unit != metric.unit else { return false }
            return rival.isRegistered
        }
        guard let rivals else { return nil }
        for key in rivals {
            guard let rival = summed.removeValue(forKey: key) else { continue }
            dropped.append(rival.keptName(key))
            rival.hasGivenWay = true
            order.remove(rival)
            budget?.giveBack(1)
            generation &+= 1
        }
        if !rivals.isEmpty { names.removeRivals(of: metric) }
        let key = SeriesKey(name: metric.name, labels: metric.labels)
        if let series = summed[key] { return series }
        guard budget?.take(for: name) ?? true else { return nil }
        let series = SummedSeries(
            metric, options: options, now: now,
            createdUnixSeconds: max(createdUnixSeconds, leastCreatedUnixSeconds), filling: filling)
        series.histogram?.choose(edgeChoice(for: key))
        series.histogram?.late = late?.entrance(bot: name, metric)
        enter(series, under: key, ordinal: nextOrdinal)
        return series
    }

    /// Makes a series of before a restart one of the bot's: it has a place whatever the limit is.
    func restored(_ series: SummedSeries, under key: SeriesKey, ordinal: UInt64) {
        if summed[key] == nil { budget?.takeAnyway() }
        enter(series, under: key, ordinal: ordinal)
    }

    /// Makes it one of the bot's, under the number that it had before a restart or the next one.
    func enter(_ series: SummedSeries, under key: SeriesKey, ordinal: UInt64) {
        series.ordinal = ordinal
        nextOrdinal = max(nextOrdinal, ordinal &+ 1)
        summed[key] = series
        names.insert(key, kind: series.kind, unit: series.unit)
        order.insert(series, under: key)
        generation &+= 1
    }

    /// Says what time it is, before series are read.
    ///
    /// - Returns: what is missing from the windows of each lane.
    func settle(now: Int64) -> [ObjectIdentifier: [WindowCompleteness]] {
        self.now = max(self.now, now)
        advanceHistograms(to: self.now)
        return laneCompleteness(now: self.now)
    }
}

extension BotSeries {
    /// The bot's series at `now` as exports show them, by name, labels and lane.
    ///
    /// - Parameter names: Those wanted; nil is all.
    package func metrics(now: Int64, named names: Set<String>? = nil) -> [MetricSnapshot] {
        let completeness = settle(now: now)
        var metrics: [MetricSnapshot] = []
        metrics.reserveCapacity(names == nil ? ordered.count : 0)
        for (key, series) in ordered where names?.contains(key.name) ?? true {
            series.forEachReading(completeness, now: self.now) {
                metrics.append(
                    MetricSnapshot(
                        name: key.name, help: series.help, unit: series.unit, labels: key.labels,
                        createdUnixSeconds: series.kind == .gauge ? nil : series.createdUnixSeconds,
                        cellsCreatedUnixSeconds: series.kind == .gauge ? nil : series.cellsCreatedUnixSeconds,
                        reading: $0))
            }
        }
        return metrics
    }

    func laneCompleteness(now: Int64) -> [ObjectIdentifier: [WindowCompleteness]] {
        Dictionary(uniqueKeysWithValues: lanes.map { (ObjectIdentifier($0), $0.completeness(now: now)) })
    }

    /// What is known of each window over all lanes.
    package func completeness(now: Int64) -> [WindowCompleteness] {
        let now = max(self.now, now)
        let nothing = options.windows.map { WindowCompleteness(window: $0, lost: 0, isComplete: true) }
        return lanes.reduce(nothing) { $0.combined(with: $1.fullCompleteness(now: now)) }
    }
}
