/// The usual levels of one histogram's p99 and rate, each read from one whole window after another.
///
/// A window with fewer than 200 values says nothing about a p99; for the rate it counts only where the usual level is 200
/// values or more, so that a feed that falls silent shows. A window that lacks something is passed over.
struct SeriesLevels: Sendable {
    private var p99 = UnusualLevel()
    private var rate = UnusualLevel()

    static let fewestValues: UInt64 = 200
    static let intervalNanoseconds: Int64 = 5_000_000_000

    /// Reads a window that has nothing in common with the one before.
    ///
    /// - Returns: the statistics whose state has changed.
    mutating func read(_ window: HistogramWindow) -> [LevelSnapshot] {
        guard window.isComplete else { return [] }
        let before = snapshots
        let isBusy = window.summary.count >= Self.fewestValues
        if isBusy, let value = window.summary.quantiles.first(where: { $0.quantile == 0.99 })?.value {
            p99.read(value)
        }
        let fewest = Double(Self.fewestValues) / seconds(window.window.lengthNanoseconds)
        if isBusy || (rate.usualLevel ?? 0) >= fewest {
            // One value less than none is as near to silence as a logarithm comes.
            rate.read(max(window.rate, 1 / seconds(window.window.lengthNanoseconds)))
        }
        return snapshots.filter { now in
            now.state != before.first { $0.statistic == now.statistic }?.state ?? .usual
        }
    }

    /// Those that have been read for long enough to be judged.
    var snapshots: [LevelSnapshot] {
        [(LevelStatistic.p99, p99), (.rate, rate)].compactMap { statistic, level in
            guard let usual = level.usualLevel, let state = level.state.shown else { return nil }
            return LevelSnapshot(statistic: statistic, state: state, usualLevel: usual)
        }
    }
}

extension UnusualLevel.State {
    /// Nil while warming up.
    fileprivate var shown: LevelSnapshot.State? {
        switch self {
        case .warmingUp: nil
        case .usual: .usual
        case .high: .high
        case .low: .low
        }
    }
}

/// A statistic that left its usual level, or came back.
package struct LevelChange: Sendable {
    package var metric: String
    package var labels: [Label]
    package var level: LevelSnapshot
    /// What was read last.
    package var summary: HistogramSummary
    /// Values a second in the window that was read last.
    package var rate: Double
}

extension SeriesOptions {
    /// Which window levels are read from: the longest that no two readings share.
    var levelWindow: Int? {
        windows.indices.filter { windows[$0].lengthNanoseconds <= SeriesLevels.intervalNanoseconds }
            .max { windows[$0].lengthNanoseconds < windows[$1].lengthNanoseconds }
    }
}
