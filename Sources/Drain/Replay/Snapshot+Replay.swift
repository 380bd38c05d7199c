internal import Series
internal import Sketch

extension BotSnapshot {
    /// Without what only somebody knows who looked at the cells and the ring while they were written: how counters grew,
    /// between which values gauges lay, how long the ring was left alone.
    var withoutWatchedCells: BotSnapshot {
        var bot = self
        for place in bot.rings.indices { bot.rings[place].longestReadGap = nil }
        for place in bot.metrics.indices {
            switch bot.metrics[place].reading {
            case .counter(let counter): bot.metrics[place].reading = .counter(counter.withoutHistory)
            case .upDownCounter(let counter): bot.metrics[place].reading = .upDownCounter(counter.withoutHistory)
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
    /// A replay has nothing to say of itself.
    static func ofReplay(version: String) -> CollectorSnapshot {
        let cycles = Distribution()
        return CollectorSnapshot(
            version: version, uptimeSeconds: 0, drainCycle: cycles.summary(quantiles: []),
            drainCycleSketch: cycles.sketch.snapshot())
    }
}
