/// Values counted on either side of a threshold, each as often as its weight says.
package struct EventCounts: Hashable, Sendable {
    package var good: UInt64
    package var bad: UInt64

    package init(good: UInt64 = 0, bad: UInt64 = 0) {
        self.good = good
        self.bad = bad
    }

    package var total: UInt64 { good &+ bad }

    package static func &+ (a: EventCounts, b: EventCounts) -> EventCounts {
        EventCounts(good: a.good &+ b.good, bad: a.bad &+ b.bad)
    }

    package static func &- (a: EventCounts, b: EventCounts) -> EventCounts {
        EventCounts(good: a.good &- b.good, bad: a.bad &- b.bad)
    }
}

/// A threshold that the values of some histograms of a bot are held to.
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

/// The counts of one rule over all lanes of a bot.
final class ThresholdTotal {
    let counts: UnsafeMutablePointer<EventCounts>

    init() {
        counts = .allocate(capacity: 1)
        counts.initialize(to: EventCounts())
    }

    deinit { counts.deallocate() }
}

/// Counts the values of one histogram in one lane on either side of each threshold that it is held to.
///
/// A record is counted where it is inserted, by its own value and not by a bucket's, so that a value at the threshold is good
/// and the next larger one is bad. Whole numbers of ticks or nanoseconds are compared as such.
///
/// Thread rule: the series' thread alone. Cost: a comparison and an addition for each threshold.
package final class ThresholdWatch {
    private struct Limit {
        let threshold: Double
        let nanoseconds: Int64
        /// In the units of `beginEpoch`.
        var units: Int64
        let counts: UnsafeMutablePointer<EventCounts>
    }

    private var limits: [Limit]
    // The totals own what the limits point to.
    private let totals: [ThresholdTotal]
    /// Which reading of the clock the units are of; the caller's number.
    package private(set) var epoch = -1

    init(_ rules: [(threshold: Double, total: ThresholdTotal)]) {
        totals = rules.map(\.total)
        limits = rules.map {
            Limit(
                threshold: $0.threshold, nanoseconds: Self.limit($0.threshold, valuePerUnit: 1e-9), units: 0,
                counts: $0.total.counts)
        }
    }

    /// Says what a unit is worth from here on, in the metric's unit: seconds for a tick.
    package func beginEpoch(_ epoch: Int, valuePerUnit: Double) {
        self.epoch = epoch
        for place in limits.indices {
            limits[place].units = Self.limit(limits[place].threshold, valuePerUnit: valuePerUnit)
        }
    }

    /// The largest whole number of units within the threshold. A threshold such as 0.05 s is no exact double, and neither is
    /// the worth of a unit: what is a part in 10^15 beyond it is that rounding.
    private static func limit(_ threshold: Double, valuePerUnit: Double) -> Int64 {
        let units = (threshold / valuePerUnit * (1 + (threshold < 0 ? -1e-15 : 1e-15))).rounded(.down)
        return units >= 9.2e18 ? .max : units <= -9.2e18 ? .min : Int64(units)
    }

    package func count(units: Int64, weight: UInt32) {
        for limit in limits { Self.count(units <= limit.units, weight, in: limit.counts) }
    }

    package func count(nanoseconds: Int64, weight: UInt32) {
        for limit in limits { Self.count(nanoseconds <= limit.nanoseconds, weight, in: limit.counts) }
    }

    package func count(value: Double, weight: UInt32) {
        for limit in limits { Self.count(value <= limit.threshold, weight, in: limit.counts) }
    }

    private static func count(_ isGood: Bool, _ weight: UInt32, in counts: UnsafeMutablePointer<EventCounts>) {
        let weight = UInt64(max(weight, 1))
        if isGood { counts.pointee.good &+= weight } else { counts.pointee.bad &+= weight }
    }
}

extension BotSeries {
    /// Holds the bot's histograms to these thresholds from here on; the counts of one that was there before go on.
    ///
    /// Feeds that were opened before are to be asked anew for their ``LaneInstrument/watch``.
    package func hold(to rules: [ThresholdRule]) {
        var next: [ThresholdRule: ThresholdTotal] = [:]
        for rule in rules { next[rule] = thresholds[rule] ?? ThresholdTotal() }
        thresholds = next
        for lane in lanes { lane.renewWatches() }
    }

    /// What was counted for a rule; nil where the bot has no histogram that it is for.
    package func counts(of rule: ThresholdRule) -> EventCounts? {
        guard let total = thresholds[rule],
            summed.contains(where: { rule.applies(to: $0.key) && $0.value.kind == .histogram })
        else { return nil }
        return total.counts.pointee
    }

    /// What counts the values of one histogram in one lane; nil where no rule is for it.
    func watch(for key: SeriesKey) -> ThresholdWatch? {
        let rules = thresholds.filter { $0.key.applies(to: key) }
        return rules.isEmpty ? nil : ThresholdWatch(rules.map { ($0.key.threshold, $0.value) })
    }
}
