extension BotSeries {
    /// How often `readLevels` is to be called: each call then reads values that the one before did not.
    package static var levelIntervalNanoseconds: Int64 { SeriesLevels.intervalNanoseconds }

    /// Reads the levels of all histograms that a life that runs now has registered.
    ///
    /// Cost: some 15 us a histogram.
    package func readLevels(now: Int64) -> [LevelChange] {
        guard let place = options.levelWindow else { return [] }
        let completeness = settle(now: now)
        return ordered.flatMap { key, series in
            series.readLevels(window: place, completeness, now: self.now).map { level, window in
                LevelChange(
                    metric: key.name, labels: key.labels, level: level, summary: window.summary, rate: window.rate)
            }
        }
    }
}
