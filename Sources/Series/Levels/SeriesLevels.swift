/// The levels of one series: the quantiles and the rate of a histogram, the rate of a counter, the value of a gauge.
///
/// A level begins with the first reading of enough values, so that a series with few events costs nothing. A quantile
/// needs 10 values a minute beyond it, and a rate needs 20 values a minute.
///
/// Memory: that of an ``UnusualLevel`` for each statistic that has begun.
struct SeriesLevels: Sendable {
    private struct Entry: Sendable {
        var statistic: LevelStatistic
        var lane: String
        var level: UnusualLevel
    }

    private var entries: [Entry] = []
    /// The total at the last reading of the rate; nil if the increase since then is unknown.
    private var base: (total: Double, now: Int64)?
    /// Whether its state for a checkpoint changed: at the end of a half hour, and when a level changes its state.
    private(set) var isChanged = false
    private var checkpointedHalfHour: Int64 = .min

    /// Readings are about a minute apart. An increase over another time is not used.
    private static let leastInterval: Int64 = 45_000_000_000
    private static let greatestInterval: Int64 = 90_000_000_000

    /// Returns the number of values that a minute must have for one of its quantiles to be read.
    static func fewestValues(of quantile: Double) -> UInt64 {
        let tail = max(min(quantile, 1 - quantile), 1e-6)
        // The quotient of 10 and 0.01 is not exactly 1000.
        return UInt64((10 / tail - 1e-6).rounded(.up))
    }

    /// Returns the increase since the last call.
    ///
    /// - Returns: Nil if the increase is unknown, or if the last call was not about a minute ago.
    mutating func increase(to total: Double, now: Int64, isKnown: Bool) -> (increase: Double, seconds: Double)? {
        defer { base = isKnown ? (total, now) : nil }
        guard isKnown, let base, (Self.leastInterval...Self.greatestInterval).contains(now - base.now) else {
            return nil
        }
        return (total - base.total, seconds(now - base.now))
    }

    /// Discards the last total, because the increase since the last call is unknown.
    mutating func forgetBase() { base = nil }

    mutating func read(
        _ statistic: LevelStatistic, lane: String = "", _ value: Double, isWorthBeginning: Bool, now: Int64,
        unixSeconds: Int64
    ) -> LevelChange? {
        var index = entries.firstIndex { $0.statistic == statistic && $0.lane == lane }
        if index == nil, isWorthBeginning {
            entries.append(Entry(statistic: statistic, lane: lane, level: UnusualLevel(statistic.figure)))
            index = entries.count - 1
        }
        guard let index else { return nil }
        let before = entries[index].level.state
        let hasChanged = entries[index].level.read(value, now: now, unixSeconds: unixSeconds)
        let halfHour = DayProfile.halfHour(at: unixSeconds)
        if hasChanged || halfHour != checkpointedHalfHour { (isChanged, checkpointedHalfHour) = (true, halfHour) }
        let after = entries[index].level.state
        guard hasChanged, [before, after].contains(where: { $0 == .high || $0 == .low }) else { return nil }
        return LevelChange(statistic: statistic, lane: lane)
    }

    /// Returns the state of each level.
    func snapshots(
        metric: String, labels: [Label], unit: MetricUnit, now: Int64, isShown: (_ lane: String) -> Bool
    ) -> [LevelSnapshot] {
        entries.compactMap { entry in
            guard isShown(entry.lane) else { return nil }
            let level = entry.level
            func value(_ position: Double) -> Double { entry.statistic.shown(level.figure.value(at: position)) }
            let usual = level.range.map { range in
                let days: Int
                if case .timeOfDay(let known) = range.basis { days = known } else { days = 0 }
                return LevelSnapshot.UsualRange(
                    low: value(range.low), level: value(range.level), high: value(range.high),
                    basis: range.basis == .recent ? .recent : .timeOfDay, days: days)
            }
            return LevelSnapshot(
                metric: metric, labels: labels, lane: entry.lane, unit: unit, statistic: entry.statistic,
                state: level.isFresh(now: now) ? level.state.shown : .noData,
                sinceUnixSeconds: level.isFresh(now: now) ? level.sinceUnixSeconds : level.lastUnixSeconds,
                value: entry.statistic.shown(level.value), usual: usual, readings: level.readings,
                neededReadings: UnusualLevel.learningReadings)
        }
    }

    /// The states for a checkpoint.
    var states: [LevelState] { entries.map { $0.level.checkpointState($0.statistic, lane: $0.lane) } }

    mutating func noteKept() { isChanged = false }

    /// Restores stored states, and ignores those that are invalid.
    init(restoring states: [LevelState] = []) {
        for state in states {
            guard let level = UnusualLevel(state.statistic.figure, state),
                !entries.contains(where: { $0.statistic == state.statistic && $0.lane == state.lane })
            else { continue }
            entries.append(Entry(statistic: state.statistic, lane: state.lane, level: level))
        }
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Memory in bytes, without the allocator's overhead.
    var allocatedBytes: Int { entries.reduce(0) { $0 + $1.level.allocatedBytes } }
}

extension LevelStatistic {
    var figure: LevelFigure {
        switch self {
        case .quantile: .quantile
        case .rate: .rate
        case .value: .gauge
        }
    }

    /// Returns a figure as exports show it: rates are read by the minute and shown by the second.
    fileprivate func shown(_ value: Double) -> Double { self == .rate ? value / 60 : value }
}

extension UnusualLevel.State {
    fileprivate var shown: LevelSnapshot.State {
        switch self {
        case .learning: .learning
        case .usual: .usual
        case .high: .high
        case .low: .low
        }
    }
}

/// A statistic that left its usual range, or came back.
struct LevelChange: Sendable {
    var statistic: LevelStatistic
    var lane: String
}

extension SeriesOptions {
    /// The index of the window that the quantiles of levels are read from: the longest one of at most a minute. Nil if
    /// there is none.
    var levelWindow: Int? {
        windows.indices.filter { windows[$0].lengthNanoseconds <= 60_000_000_000 }
            .max { windows[$0].lengthNanoseconds < windows[$1].lengthNanoseconds }
    }
}
