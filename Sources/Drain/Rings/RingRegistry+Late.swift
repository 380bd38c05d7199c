internal import Series

extension RingRegistry {
    /// What records did that are older than the windows, under the names that their series are shown under.
    func lateBatches() -> [LateBatch] {
        guard let batches = late?.handOut(), !batches.isEmpty else { return [] }
        let keys = bots.mapValues(\.shownKeys)
        return batches.map { batch in
            LateBatch(
                number: batch.number,
                series: batch.series.compactMap { series in
                    guard case .some(.some(let shown)) = keys[series.bot] else { return series }
                    let own = SeriesKey(name: series.metric.name, labels: series.metric.labels)
                    guard let key = shown[own] else { return nil }
                    var series = series
                    (series.metric.name, series.metric.labels) = (key.name, key.labels)
                    return series
                })
        }
    }
}
