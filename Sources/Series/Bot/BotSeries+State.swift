/// The part of a bot's series that a checkpoint stores and a restart restores.
extension BotSeries {
    /// Returns the updates of the series whose totals changed since the previous checkpoint.
    ///
    /// - Parameters:
    ///   - number: The checkpoint's number; one more than the previous one's.
    ///   - all: Whether every series is wanted as a whole.
    /// - Returns: Each update with the key that identifies its series among the bot's in a checkpoint.
    package func takeUpdates(number: UInt64, all: Bool) -> [(key: String, update: SeriesUpdate)] {
        let changed = changes.take()
        var updates: [(key: String, update: SeriesUpdate)] = []
        updates.reserveCapacity(all ? summed.count : changed.count)
        func add(_ series: SummedSeries, isWhole: Bool) {
            guard !series.isSuperseded else { return }
            updates.append((series.checkpointKey(series.key), series.takeUpdate(number: number, isWhole: isWhole)))
        }
        for series in all ? Array(summed.values) : changed where series.flushChanges() || all {
            add(series, isWhole: all)
        }
        for series in changes.takeExpiring(at: number) where !all && series.expires(at: number) {
            _ = series.flushChanges()
            add(series, isWhole: true)
        }
        return updates
    }

    /// Returns the keys of series that were superseded since the last call, and forgets them.
    package func takeDropped() -> [String] {
        guard !dropped.isEmpty else { return [] }
        defer { dropped = [] }
        let kept = Set(summed.map { ByteText($0.value.checkpointKey($0.key)) })
        return dropped.filter { !kept.contains(ByteText($0)) }
    }

    /// Restores a series from before a restart. Its lanes are down and its windows empty until rings are read.
    ///
    /// - Precondition: The content of its histogram is valid.
    package func restore(_ state: SeriesState) {
        let key = SeriesKey(name: state.metric.name, labels: state.metric.labels)
        let series = SummedSeries(
            state.metric, options: options, now: now, createdUnixSeconds: state.createdUnixSeconds,
            cellsCreatedUnixSeconds: state.cellsCreatedUnixSeconds, clock: clock, filling: filling, sampler: sampler)
        if let histogram = state.histogram { series.histogram?.restore(histogram, unit: state.metric.unit) }
        series.histogram?.late = late?.entrance(bot: name, state.metric)
        restored(series, under: key, ordinal: state.ordinal)
        for part in state.parts { lane(part.lane).restore(part, of: series, key) }
        _ = series.flushChanges()
    }
}
