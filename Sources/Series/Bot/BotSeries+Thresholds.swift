internal import Sketch

extension BotSeries {
    /// Holds the bot's histograms to these thresholds from here on; the counts of one that was there before go on. Each
    /// threshold is an edge of the classic buckets of the histograms that it is for.
    ///
    /// What was read from a ``LaneInstrument/watch`` before is gone after this: whoever holds it reads it anew.
    ///
    /// - Parameter chosen: The edges that a histogram of a name and labels is to have beside those; nil leaves it the powers
    ///   of two.
    package func hold(
        to rules: [ThresholdRule],
        edges chosen: @escaping (_ name: String, _ labels: [Label]) -> [Double]? = { _, _ in nil }
    ) {
        var next: [ThresholdRule: ThresholdTotal] = [:]
        for rule in rules { next[rule] = thresholds[rule] ?? ThresholdTotal() }
        thresholds = next
        chosenEdges = chosen
        for (key, series) in summed { series.histogram?.choose(edgeChoice(for: key)) }
        for lane in lanes { lane.renewWatches() }
    }

    /// What was counted for a rule; nil where the bot has no histogram that it is for.
    package func counts(of rule: ThresholdRule) -> EventCounts? {
        guard let total = thresholds[rule],
            histogramKeys.contains(where: { rule.applies(to: $0) })
        else { return nil }
        return total.counts.pointee
    }

    /// What counts the values of one histogram in one lane; nil where no rule is for it.
    func watch(for key: SeriesKey, _ feed: SeriesFeed) -> ThresholdWatch? {
        let rules = thresholds.filter { $0.key.applies(to: key) }
        let edges = summed[key]?.histogram?.edgeCounts
        guard !rules.isEmpty || edges != nil else { return nil }
        return ThresholdWatch(feed.records, rules.map { ($0.key.threshold, $0.value) }, edges)
    }

    /// The edges that the classic buckets of a histogram are to have.
    func edgeChoice(for key: SeriesKey) -> EdgeChoice {
        let chosen = chosenEdges(key.name, key.labels)
        let own = thresholds.keys.filter { $0.applies(to: key) }.map(\.threshold)
        let edges = Set((chosen ?? []) + own).filter(\.isFinite).sorted()
        return EdgeChoice(edges: edges, areAll: chosen != nil)
    }
}
