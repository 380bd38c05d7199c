/// All series of one bot. Counters and histograms are summed over its lanes; gauges are separate for each lane.
///
/// Thread rule: one thread at a time, for the lanes and their instruments too.
package final class BotSeries {
    package let name: String
    package let options: SeriesOptions
    /// The constant labels of the bot's newest life.
    package var labels: [Label] = []
    private(set) package var lanes: [LaneSeries] = []
    private(set) var summed: [SeriesKey: SummedSeries] = [:]
    private var order = SortedSeries()
    private var names = SeriesNames()
    let filling = CurrentSliceMerge()
    let clock: WindowClock
    let sampler: CounterSampler
    /// Series whose totals changed since the last checkpoint.
    let changes = SeriesChanges()
    /// The index of the next histogram that may release the memory of its windows.
    private var nextReleased = 0
    /// The keys of series that were superseded.
    var dropped: [String] = []
    /// Whether levels of some series changed since a checkpoint last found none left.
    private var mayHaveChangedLevels = false
    /// The thresholds of the bot's histograms.
    var thresholds: [ThresholdRule: ThresholdTotal] = [:]
    /// Whether the bot has a histogram for a rule, by rule, as of a generation.
    var applicable: (generation: UInt64, rules: [ThresholdRule: Bool]) = (0, [:])
    /// Returns the configured edges of the classic buckets of a histogram; nil if there are none.
    var chosenEdges: (_ name: String, _ labels: [Label]) -> [Double]? = { _, _ in nil }
    /// Collects records that are older than the windows; nil if there is no history. Must be set before the first
    /// series is added.
    package var late: LateMinutes?
    /// The earliest time from which totals of new series count, in seconds since the Unix epoch: an earlier collector
    /// may have shown higher totals than are known.
    package var leastCreatedUnixSeconds: Double = 0
    private let budget: SeriesBudget?
    /// The time of the bot's windows.
    private(set) package var now: Int64
    /// The number of the next new series; see ``SeriesHead/ordinal``.
    private var nextOrdinal: UInt64 = 0
    /// Changes whenever a series is added or removed.
    private(set) package var generation: UInt64 = 0

    /// - Parameter budget: The limit that all bots' series share; nil sets none.
    package init(name: String, options: SeriesOptions, now: Int64, budget: SeriesBudget? = nil) {
        self.budget = budget
        self.name = name
        self.options = options
        self.now = now
        clock = WindowClock(options: options, now: now)
        sampler = CounterSampler(options: options)
    }

    deinit {
        budget?.giveBack(summed.count)
        sampler.removeAll()
    }

    /// Whether the limit of series is reached, so that metrics are refused.
    package var isFull: Bool { budget?.isFull(holding: summed.count) ?? false }

    /// The number of its series.
    package var seriesCount: Int { summed.count }

    /// The keys of all series in a checkpoint.
    package var checkpointKeys: [String] { summed.map { $0.value.checkpointKey($0.key) } }

    /// All series by name and labels.
    var ordered: [(key: SeriesKey, series: SummedSeries)] { order.all }

    /// The names and labels of all histograms, sorted.
    var histogramKeys: [SeriesKey] { order.histogramKeys }

    /// Releases memory of some histograms. Each histogram has its turn once a minute.
    ///
    /// - Parameter slices: The finest slices that have passed since the last call.
    private func releaseIdleWindows(slices: Int64) {
        let histograms = order.histograms
        guard !histograms.isEmpty else { return }
        let turns = Int(min(slices, Int64(Self.turnsOfARelease)))
        for _ in 0..<min(histograms.count, turns * (histograms.count / Self.turnsOfARelease + 1)) {
            nextReleased = nextReleased + 1 < histograms.count ? nextReleased + 1 : 0
            histograms[nextReleased].releaseIdleWindows()
        }
    }

    private static let turnsOfARelease = 600

    /// Returns the lane of a name. The first call makes it.
    package func lane(_ name: String) -> LaneSeries {
        if let lane = lanes.first(where: { $0.name == name }) { return lane }
        let lane = LaneSeries(name: name, bot: self)
        lanes.append(lane)
        lanes.sort { $0.name < $1.name }
        return lane
    }

    package var isUp: Bool { lanes.contains { $0.isUp } }

    /// Advances to a time, before records of that time are inserted. Cost: nothing until the next slice begins.
    package func advance(to now: Int64) {
        let width = options.finestSliceNanoseconds
        let slices = now.intervalNumber(width: width) - self.now.intervalNumber(width: width)
        guard slices > 0 else { return }
        self.now = now
        clock.advance(to: now)
        clock.forgetAhead()
        for lane in lanes { lane.settle(now: now) }
        releaseIdleWindows(slices: slices)
    }

    /// Adds the sums of the lanes' samples to the counters' histories. Cost: nothing for a counter that has not moved.
    ///
    /// - Parameter now: A time after all cells were read.
    package func sampleCounters(now: Int64) {
        self.now = max(self.now, now)
        sampler.sample(now: now)
    }

    /// Returns the series for a metric of one lane. Returns nil if another lane that is registered now has the name
    /// with another kind or unit, or if the limit of series is reached. A series that an earlier life left under
    /// another kind or unit is superseded.
    ///
    /// - Parameter createdUnixSeconds: The time from which the totals of a new series count.
    func series(for metric: MetricDescriptor, createdUnixSeconds: Double) -> SummedSeries? {
        let rivals = names.rivals(of: metric) { [summed] key in
            guard let rival = summed[key], rival.kind != metric.kind || rival.unit != metric.unit else { return false }
            return rival.isRegistered
        }
        guard let rivals else { return nil }
        for key in rivals {
            guard let rival = summed.removeValue(forKey: key) else { continue }
            dropped.append(rival.checkpointKey(key))
            rival.isSuperseded = true
            order.remove(rival)
            budget?.giveBack(1)
            generation &+= 1
        }
        if !rivals.isEmpty { names.removeRivals(of: metric) }
        let key = SeriesKey(name: metric.name, labels: metric.labels)
        if let series = summed[key] { return series }
        guard budget?.take(for: name, holding: summed.count) ?? true else { return nil }
        let series = SummedSeries(
            metric, options: options, now: now,
            createdUnixSeconds: max(createdUnixSeconds, leastCreatedUnixSeconds), clock: clock, filling: filling,
            sampler: sampler)
        series.histogram?.choose(edgeChoice(for: key, unit: metric.unit))
        series.histogram?.late = late?.entrance(bot: name, metric)
        enter(series, under: key, ordinal: nextOrdinal)
        return series
    }

    /// Adds a series from before a restart, whatever the limit is.
    func restored(_ series: SummedSeries, under key: SeriesKey, ordinal: UInt64) {
        if summed[key] == nil { budget?.takeAnyway() }
        enter(series, under: key, ordinal: ordinal)
    }

    /// Adds a series under the number that it had before a restart, or the next one.
    func enter(_ series: SummedSeries, under key: SeriesKey, ordinal: UInt64) {
        series.ordinal = ordinal
        nextOrdinal = max(nextOrdinal, ordinal &+ 1)
        summed[key] = series
        series.noteChanges(in: changes)
        names.insert(key, kind: series.kind, unit: series.unit)
        order.insert(series, under: key)
        generation &+= 1
    }

    /// Advances to a time, before series are read.
    ///
    /// - Returns: The completeness of the windows of each lane.
    func settle(now: Int64) -> [ObjectIdentifier: [WindowCompleteness]] {
        self.now = max(self.now, now)
        clock.advance(to: self.now)
        return laneCompleteness(now: self.now)
    }
}

extension BotSeries {
    /// Returns the bot's series at `now` for exports, by name, labels and lane.
    ///
    /// - Parameter names: The names wanted; nil is all.
    package func metrics(now: Int64, named names: Set<String>? = nil) -> [MetricSnapshot] {
        let completeness = settle(now: now)
        if let names, names.isEmpty { return [] }
        var metrics: [MetricSnapshot] = []
        let wanted = names.map { order.named($0) } ?? ordered
        metrics.reserveCapacity(wanted.count)
        for (key, series) in wanted {
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

    /// Returns the completeness of each window over all lanes.
    package func completeness(now: Int64) -> [WindowCompleteness] {
        let now = max(self.now, now)
        let nothing = options.windows.map { WindowCompleteness(window: $0, lost: 0, isComplete: true) }
        return lanes.reduce(nothing) { $0.combined(with: $1.fullCompleteness(now: now)) }
    }
}

extension BotSeries {
    /// Reads the levels of some series. Each series has its turn once a minute, in a second of its own.
    ///
    /// Cost: nothing for the other series. For each series that is read, some 2 us a statistic, and the cost of one
    /// window for a histogram with records.
    ///
    /// - Parameters:
    ///   - seconds: The seconds that have passed since the last call, on the clock of `now`; at most 60.
    ///   - unixSeconds: The wall clock, which gives the time of day.
    /// - Returns: The levels that left their usual range or came back.
    package func readLevels(seconds: Range<Int64>, now: Int64, unixSeconds: Int64) -> [LevelSnapshot] {
        let all = ordered
        guard !all.isEmpty else { return [] }
        let now = max(self.now, now)
        let window = options.levelWindow
        var completeness: [ObjectIdentifier: [WindowCompleteness]]?
        var changes: [LevelSnapshot] = []
        for second in seconds {
            for index in stride(from: Int(((second % 60) + 60) % 60), to: all.count, by: 60) {
                let known = completeness ?? laneCompleteness(now: now)
                completeness = known
                let (key, series) = all[index]
                let changed = series.readLevels(known, window: window, now: now, unixSeconds: unixSeconds)
                if series.hasChangedLevels { mayHaveChangedLevels = true }
                guard !changed.isEmpty else { continue }
                changes += series.levelSnapshots(key, now: now).filter { level in
                    changed.contains { $0.statistic == level.statistic && $0.lane == level.lane }
                }
            }
        }
        return changes
    }

    /// Returns the state of all levels, under the names that the series are shown under.
    ///
    /// - Parameter shown: The group that each series is shown in; nil if all series are shown as they are. Series in no
    ///   group, or in a group with others, have no levels.
    package func levels(as shown: [SeriesKey: SeriesPlan.Group]?) -> [LevelSnapshot] {
        ordered.flatMap { key, series -> [LevelSnapshot] in
            let levels = series.levelSnapshots(key, now: now)
            guard let shown, !levels.isEmpty else { return levels }
            guard let group = shown[key], group.members.count == 1 else { return [] }
            return levels.map {
                $0.shown(
                    name: group.key.name, labels: group.key.labels, group.conversion,
                    countsValues: series.kind == .histogram)
            }
        }
    }

    /// Returns the states of levels that changed since the last call, for a checkpoint.
    ///
    /// - Parameters:
    ///   - all: Whether unchanged levels are included.
    ///   - limit: The greatest number of series.
    /// - Returns: The levels of each series, with the key of the series.
    package func takeLevelChanges(all: Bool, limit: Int) -> [(key: String, levels: [LevelState])] {
        guard all || mayHaveChangedLevels else { return [] }
        var changes: [(key: String, levels: [LevelState])] = []
        for (key, series) in ordered {
            guard changes.count < limit else { return changes }
            if let levels = series.takeLevelStates(all: all) { changes.append((series.checkpointKey(key), levels)) }
        }
        mayHaveChangedLevels = false
        return changes
    }

    /// Restores levels from before a restart, by the key of their series. Levels of series that do not exist are
    /// ignored.
    package func restore(levels: [String: [LevelState]]) {
        guard !levels.isEmpty else { return }
        for (key, series) in ordered {
            if let states = levels[series.checkpointKey(key)] { series.restore(levels: states) }
        }
    }

    /// Memory of all levels in bytes.
    package var levelBytes: Int { ordered.reduce(0) { $0 + $1.series.levelBytes } }
}
