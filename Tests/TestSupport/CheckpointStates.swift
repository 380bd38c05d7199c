package import Series

extension BotSeries {
    /// Returns every series as a checkpoint stores it whole, with the name that it is stored under.
    package func checkpointStates() -> [(key: String, state: SeriesState)] {
        takeUpdates(number: 1, all: true).compactMap { kept in
            if case .whole(let state) = kept.update { (kept.key, state) } else { nil }
        }
    }
}
