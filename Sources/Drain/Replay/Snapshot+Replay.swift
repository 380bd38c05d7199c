internal import Series
internal import Sketch

extension BotSnapshot {
    /// Returns the snapshot without values that need a collector that watched the ring and its cells live: increases of
    /// counters, ranges of gauges, and times between reads.
    var withoutWatchedCells: BotSnapshot {
        var bot = self
        for index in bot.rings.indices { bot.rings[index].longestReadGap = nil }
        for index in bot.metrics.indices {
            switch bot.metrics[index].reading {
            case .counter(let counter): bot.metrics[index].reading = .counter(counter.withoutHistory)
            case .upDownCounter(let counter): bot.metrics[index].reading = .upDownCounter(counter.withoutHistory)
            case .gauge, .histogram: break
            }
        }
        return bot
    }
}

extension CounterSnapshot {
    fileprivate var withoutHistory: CounterSnapshot { CounterSnapshot(value: value, rate: nil, windows: []) }
}

extension CollectorSnapshot {
    /// Makes the empty statistics of a replay.
    static func ofReplay(version: String) -> CollectorSnapshot {
        let cycles = Distribution()
        return CollectorSnapshot(
            version: version, uptimeSeconds: 0, drainCycle: cycles.summary(quantiles: []),
            drainCycleSketch: cycles.sketch.snapshot())
    }
}
