package import Series

/// What one objective of one bot has counted, as it is kept across a restart of the collector.
package struct ObjectiveState: Equatable, Sendable {
    package var objective: String
    package var bot: String
    /// Of the definition that it was counted by: counts of another are none of it.
    package var signature: String
    package var counted: EventCounts
    package var buckets: EventBuckets

    package init(objective: String, bot: String, signature: String, counted: EventCounts, buckets: EventBuckets) {
        self.objective = objective
        self.bot = bot
        self.signature = signature
        self.counted = counted
        self.buckets = buckets
    }
}

extension ObjectiveDefinition {
    /// All that tells it from another, for people to read.
    package var signature: String {
        let what =
            switch measure {
            case .availability: "availability"
            case .threshold(let rule):
                "\(rule.instrument){\(rule.labels.sorted().map { "\($0.name)=\($0.value.debugDescription)" }.joined(separator: ","))} "
                    + "<= \(rule.threshold)"
            }
        let windows = windows.map { "\($0.name)=\($0.lengthSeconds)" }.joined(separator: ",")
        return "\(bot) \(what) target \(target) windows \(windows) events \(minimumEvents)"
    }
}
