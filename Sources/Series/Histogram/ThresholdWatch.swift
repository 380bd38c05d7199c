package import Sketch

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
