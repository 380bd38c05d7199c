package import Series

extension BotSeries {
    /// Every series as a checkpoint keeps it whole, with the name that it is kept under.
    package func checkpointStates() -> [(key: String, state: SeriesState)] {
        takeUpdates(number: 1, all: true).compactMap { kept in
            if case .whole(let state) = kept.update { (kept.key, state) } else { nil }
        }
    }
}
