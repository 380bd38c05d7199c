/// A threshold for the values of some histograms of a bot.
package struct ThresholdRule: Hashable, Sendable {
    /// The registered name of the histograms.
    package var instrument: String
    /// Labels that they must have, with these values.
    package var labels: [Label]
    /// In the histogram's unit; a value at the threshold is good.
    package var threshold: Double

    package init(instrument: String, labels: [Label], threshold: Double) {
        self.instrument = instrument
        self.labels = labels
        self.threshold = threshold
    }

    func applies(to metric: SeriesKey) -> Bool {
        metric.name == instrument && labels.allSatisfy { metric.labels.contains($0) }
    }
}
