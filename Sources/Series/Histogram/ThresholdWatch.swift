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
    /// The largest whole number of the units of `beginEpoch` within the threshold.
    var units: Int64
    let counts: UnsafeMutablePointer<EventCounts>

    init(_ threshold: Double, _ total: ThresholdTotal) {
        self.threshold = threshold
        nanoseconds = IntervalSketch.units(within: threshold, 1e-9)
        units = 0
        counts = total.counts
    }

    @inline(__always)
    func count(_ isGood: Bool, _ weight: UInt64) {
        if isGood { counts.pointee.good &+= weight } else { counts.pointee.bad &+= weight }
    }
}

/// Records the values of a histogram with thresholds, and counts them on either side of each threshold.
///
/// A record is counted when it is inserted, by its own value and not by its bucket. So a value at the threshold is good
/// and the next larger one is bad. Whole numbers of ticks or nanoseconds are compared as integers.
///
/// The type is a structure behind a plain pointer, so that a drain loop spends nothing on reference counts. It is valid
/// until the bot's thresholds change, and is used on the series' thread only. Cost: a comparison and an addition for
/// each threshold.
package struct ThresholdRecorder: ~Copyable {
    package let records: SketchRecorder
    /// The number of the clock epoch that the units belong to; the caller chooses it.
    package private(set) var epoch = -1
    private let limits: UnsafeMutableBufferPointer<ThresholdLimit>

    fileprivate init(_ records: SketchRecorder, _ limits: [ThresholdLimit]) {
        self.records = records
        self.limits = .allocate(capacity: limits.count)
        _ = self.limits.initialize(from: limits)
    }

    deinit { limits.deallocate() }

    /// Sets the value of a unit from here on, in the metric's unit: seconds for a tick.
    package mutating func beginEpoch(_ epoch: Int, valuePerUnit: Double) {
        self.epoch = epoch
        for index in limits.indices {
            limits[index].units = IntervalSketch.units(within: limits[index].threshold, valuePerUnit)
        }
    }

    package func count(units: Int64, weight: UInt32) {
        for index in limits.indices { limits[index].count(units <= limits[index].units, UInt64(max(weight, 1))) }
    }

    package func count(nanoseconds: Int64, weight: UInt32) {
        for index in limits.indices {
            limits[index].count(nanoseconds <= limits[index].nanoseconds, UInt64(max(weight, 1)))
        }
    }

    package func count(value: Double, weight: UInt32) {
        for index in limits.indices { limits[index].count(value <= limits[index].threshold, UInt64(max(weight, 1))) }
    }
}

/// Owns a `ThresholdRecorder` and its counts.
package final class ThresholdWatch {
    package let recorder: UnsafeMutablePointer<ThresholdRecorder>
    // The limits point to these.
    private let totals: [ThresholdTotal]

    init(_ records: SketchRecorder, _ rules: [(threshold: Double, total: ThresholdTotal)]) {
        totals = rules.map(\.total)
        recorder = .allocate(capacity: 1)
        recorder.initialize(to: ThresholdRecorder(records, rules.map { ThresholdLimit($0.threshold, $0.total) }))
    }

    deinit {
        recorder.deinitialize(count: 1)
        recorder.deallocate()
    }
}
