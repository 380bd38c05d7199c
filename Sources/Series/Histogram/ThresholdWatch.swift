package import Sketch

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

/// One threshold of one histogram in one lane.
struct ThresholdLimit {
    let threshold: Double
    /// The largest whole number of nanoseconds within the threshold.
    let nanoseconds: Int64
    /// The same in the units of `beginEpoch`.
    var units: Int64
    let counts: UnsafeMutablePointer<EventCounts>

    init(_ threshold: Double, _ total: ThresholdTotal) {
        self.threshold = threshold
        nanoseconds = Self.limit(threshold, valuePerUnit: 1e-9)
        units = 0
        counts = total.counts
    }

    /// A threshold such as 0.05 s is no exact double, and neither is the worth of a unit: what is a part in 10^15 beyond the
    /// threshold is that rounding.
    static func limit(_ threshold: Double, valuePerUnit: Double) -> Int64 {
        let units = (threshold / valuePerUnit * (1 + (threshold < 0 ? -1e-15 : 1e-15))).rounded(.down)
        return units >= 9.2e18 ? .max : units <= -9.2e18 ? .min : Int64(units)
    }

    @inline(__always)
    func count(_ isGood: Bool, _ weight: UInt64) {
        if isGood { counts.pointee.good &+= weight } else { counts.pointee.bad &+= weight }
    }
}

/// Where the records of a histogram go that is held to thresholds, or has edges that somebody chose: its feed, the counts on
/// either side of each threshold, and those between the edges.
///
/// A record is counted where it is inserted, by its own value and not by a bucket's, so that a value at the threshold is good
/// and the next larger one is bad. Whole numbers of ticks or nanoseconds are compared as such.
///
/// A structure behind a bare pointer, so that a drain loop pays no reference counts: it lasts until the bot is held to other
/// thresholds, and is used on the series' thread alone. Cost: a comparison and an addition for each threshold, and a search
/// among the edges.
package struct WatchedFeed: ~Copyable {
    package let records: SketchFeed
    /// Which reading of the clock the units are of; the caller's number.
    package private(set) var epoch = -1
    private let limits: UnsafeMutableBufferPointer<ThresholdLimit>
    private let ladder: EdgeLadder

    fileprivate init(_ records: SketchFeed, _ limits: [ThresholdLimit], _ edges: EdgeCounts?) {
        self.records = records
        ladder = EdgeLadder(edges)
        self.limits = .allocate(capacity: limits.count)
        _ = self.limits.initialize(from: limits)
    }

    deinit { limits.deallocate() }

    /// Says what a unit is worth from here on, in the metric's unit: seconds for a tick.
    package mutating func beginEpoch(_ epoch: Int, valuePerUnit: Double) {
        self.epoch = epoch
        for place in limits.indices {
            limits[place].units = ThresholdLimit.limit(limits[place].threshold, valuePerUnit: valuePerUnit)
        }
        ladder.beginEpoch(valuePerUnit: valuePerUnit)
    }

    package func count(units: Int64, weight: UInt32) {
        for place in limits.indices { limits[place].count(units <= limits[place].units, UInt64(max(weight, 1))) }
        ladder.count(units: units, weight: UInt64(max(weight, 1)))
    }

    package func count(nanoseconds: Int64, weight: UInt32) {
        for place in limits.indices {
            limits[place].count(nanoseconds <= limits[place].nanoseconds, UInt64(max(weight, 1)))
        }
        ladder.count(nanoseconds: nanoseconds, weight: UInt64(max(weight, 1)))
    }

    package func count(value: Double, weight: UInt32) {
        for place in limits.indices { limits[place].count(value <= limits[place].threshold, UInt64(max(weight, 1))) }
        ladder.count(value: value, weight: UInt64(max(weight, 1)))
    }
}

/// Owns a `WatchedFeed`, and the counts that it counts into.
package final class ThresholdWatch {
    package let feed: UnsafeMutablePointer<WatchedFeed>
    // The limits point into these, and the ladder into this.
    private let totals: [ThresholdTotal]
    private let edges: EdgeCounts?

    init(_ records: SketchFeed, _ rules: [(threshold: Double, total: ThresholdTotal)], _ edges: EdgeCounts?) {
        totals = rules.map(\.total)
        self.edges = edges
        feed = .allocate(capacity: 1)
        feed.initialize(to: WatchedFeed(records, rules.map { ThresholdLimit($0.threshold, $0.total) }, edges))
    }

    deinit {
        feed.deinitialize(count: 1)
        feed.deallocate()
    }
}

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
