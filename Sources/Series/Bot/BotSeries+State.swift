/// What a checkpoint takes from a bot's series, and gives back after a restart.
extension BotSeries {
    /// The series whose totals changed since this was last asked, as they are now.
    ///
    /// - Parameter all: whether those are given too that did not change.
    /// - Returns: each with the name that it is kept under, which is its own among the bot's.
    package func takeChanges(all: Bool) -> [(key: String, state: SeriesState)] {
        summed.compactMap { key, series in
            guard series.takeIsChanged() || all else { return nil }
            return (series.keptName(key), series.state(name: key.name, labels: key.labels))
        }
    }

    /// The names of series that gave way to others since this was last asked.
    package func takeDropped() -> [String] {
        defer { dropped = [] }
        let kept = Set(summed.map { ByteText($0.value.keptName($0.key)) })
        return dropped.filter { !kept.contains(ByteText($0)) }
    }

    /// Takes up a series of before a restart. Its lanes are down, and its windows empty, until rings are read.
    ///
    /// - Precondition: the content of its histogram is valid.
    package func restore(_ state: SeriesState) {
        let key = SeriesKey(name: state.metric.name, labels: state.metric.labels)
        let series = SummedSeries(
            state.metric, options: options, now: now, createdUnixSeconds: state.createdUnixSeconds,
            cellsCreatedUnixSeconds: state.cellsCreatedUnixSeconds, filling: filling)
        if let histogram = state.histogram { series.histogram?.restore(histogram) }
        series.histogram?.late = late?.entrance(bot: name, state.metric)
        restored(series, under: key, ordinal: state.ordinal)
        for part in state.parts { lane(part.lane).restore(part, of: series, key) }
        _ = series.takeIsChanged()
    }
}
