internal import Sketch

extension BotSeries {
    /// Counts the bot's histograms against these thresholds from here on. The counts of a threshold that was there
    /// before continue. Each threshold is an edge of the classic buckets of its histograms.
    ///
    /// A ``LaneMetric/watch`` that was read before is invalid after this call and must be read again.
    ///
    /// - Parameter chosen: Returns the edges that are configured for a histogram, in addition to the thresholds; nil
    ///   for the standard edges.
    package func hold(
        to rules: [ThresholdRule],
        edges chosen: @escaping (_ name: String, _ labels: [Label]) -> [Double]? = { _, _ in nil }
    ) {
        var next: [ThresholdRule: ThresholdTotal] = [:]
        for rule in rules { next[rule] = thresholds[rule] ?? ThresholdTotal() }
        thresholds = next
        chosenEdges = chosen
        for (key, series) in summed { series.histogram?.choose(edgeChoice(for: key, unit: series.unit)) }
        for lane in lanes { lane.renewWatches() }
    }

    /// Returns the counts of a rule; nil if the bot has no histogram for it.
    package func counts(of rule: ThresholdRule) -> EventCounts? {
        guard let total = thresholds[rule], applies(rule) else { return nil }
        return total.counts.pointee
    }

    /// Returns whether the bot has a histogram for a rule. Cost: one pass over the histograms if a series was added or
    /// removed since the last call.
    private func applies(_ rule: ThresholdRule) -> Bool {
        if applicable.generation != generation { applicable = (generation, [:]) }
        if let known = applicable.rules[rule] { return known }
        let applies = histogramKeys.contains { rule.applies(to: $0) }
        applicable.rules[rule] = applies
        return applies
    }

    /// Returns the counter of the values of one histogram in one lane against its thresholds; nil if no rule applies.
    func watch(for key: SeriesKey, _ recorder: SeriesRecorder) -> ThresholdWatch? {
        let rules = thresholds.filter { $0.key.applies(to: key) }
        guard !rules.isEmpty else { return nil }
        return ThresholdWatch(recorder.records, rules.map { ($0.key.threshold, $0.value) })
    }

    /// Returns the edges that the classic buckets of a histogram are to have.
    func edgeChoice(for key: SeriesKey, unit: MetricUnit) -> ClassicBucketEdges {
        let chosen = chosenEdges(key.name, key.labels)
        let own = thresholds.keys.filter { $0.applies(to: key) }.map(\.threshold)
        return ClassicBucketEdges(chosen: chosen, thresholds: own, unit: unit)
    }
}
