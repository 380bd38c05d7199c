/// Whoever an `IntervalSketch` asks when a time lies outside its interval.
package protocol IntervalKeeper: AnyObject {
    /// Takes out what the sketch has gathered, where need be, and opens it for `timeNanoseconds`.
    func turn(_ sketch: inout IntervalSketch, to timeNanoseconds: Int64)
}

/// Values whose times lie in one interval: what a record is counted in first.
///
/// This is the hot end of a series. What a record touches lies side by side, and the way of the many is a leaf: it
/// calls nothing and stores nothing before it knows that nothing out of the ordinary is to be done (another interval,
/// a bucket out of range, a count that carries, a new extreme, a sum that overflows). Everything else goes the slow way.
package struct IntervalSketch: ~Copyable {
    // A time is in the interval while `time - start < length`, one unsigned comparison.
    private var start: Int64 = 0
    private var length: UInt64 = 0
    package private(set) var tally = Tally()
    package private(set) var sketch = ExponentialSketch()
    /// Values that failed, each as often as its weight says.
    package private(set) var failed: UInt64 = 0
    /// How the values were weighted.
    package private(set) var weights = SampleWeights()
    // The keeper owns this value and outlives it.
    private unowned(unsafe) let keeper: any IntervalKeeper

    /// - Parameter keeper: is not retained and must outlive this value.
    package init(keeper: any IntervalKeeper) { self.keeper = keeper }

    /// Accepts times from `first` to `last` from here on, without asking.
    package mutating func open(from first: Int64, through last: Int64) {
        (start, length) = (first, UInt64(last - first) + 1)
    }

    /// Accepts no time without asking.
    package mutating func close() { length = 0 }

    /// Forgets the values; what a unit is worth stays.
    package mutating func removeAll() {
        sketch.removeAll()
        tally = Tally(valuePerUnit: tally.sum.valuePerUnit)
        failed = 0
        weights = SampleWeights()
    }

    private func accepts(_ time: Int64) -> Bool { UInt64(bitPattern: time &- start) < length }

    @inline(__always)
    fileprivate mutating func insert(units: Int64, time: Int64, weight: UInt32, failed: Bool) {
        let value = Double(units) * tally.sum.valuePerUnit
        guard accepts(time), tally.spans(value), let sum = tally.sum.adding(units: units, weight: weight),
            sketch.insertQuickly(value, weight: weight)
        else { return insertSlowly(units: units, time: time, weight: weight, failed: failed) }
        tally.sum.replaceUnits(sum)
        weights.add(weight)
        if failed { self.failed &+= UInt64(weight) }
    }

    @inline(never)
    private mutating func insertSlowly(units: Int64, time: Int64, weight: UInt32, failed: Bool) {
        let weight = Swift.max(weight, 1)
        count(Double(units) * tally.sum.valuePerUnit, time, weight, failed)
        tally.sum.add(units: units, weight: weight)
    }

    @inline(__always)
    fileprivate mutating func insert(value: Double, time: Int64, weight: UInt32, failed: Bool) -> Bool {
        guard accepts(time), tally.spans(value), sketch.insertQuickly(value, weight: weight) else {
            return insertSlowly(value: value, time: time, weight: weight, failed: failed)
        }
        tally.sum.add(value, weight: weight)
        weights.add(weight)
        if failed { self.failed &+= UInt64(weight) }
        return true
    }

    @inline(never)
    private mutating func insertSlowly(value: Double, time: Int64, weight: UInt32, failed: Bool) -> Bool {
        if value.isNaN { return false }
        let weight = Swift.max(weight, 1)
        count(value, time, weight, failed)
        if value.isFinite { tally.sum.add(value, weight: weight) }
        return true
    }

    private mutating func count(_ value: Double, _ time: Int64, _ weight: UInt32, _ failed: Bool) {
        if !accepts(time) { keeper.turn(&self, to: time) }
        sketch.insert(value, weight: weight)
        tally.widen(by: value)
        weights.add(weight)
        if failed { self.failed &+= UInt64(weight) }
    }

    fileprivate mutating func beginEpoch(valuePerUnit: Double) {
        tally.sum.beginEpoch(valuePerUnit: valuePerUnit)
    }
}

/// Where the records of one histogram in one lane go in.
///
/// A feed is a bare pointer, so that an array of feeds can be walked without reference counts: it is valid as long as
/// the series that opened it, and is used on that series' thread alone.
package struct SketchFeed {
    private let records: UnsafeMutablePointer<IntervalSketch>

    /// - Parameter records: initialised, and outlives the feed.
    package init(_ records: UnsafeMutablePointer<IntervalSketch>) { self.records = records }

    /// Counts a value that is a whole number of units, such as clock ticks; `beginEpoch` says what a unit is worth.
    ///
    /// - Parameters:
    ///   - units: any number.
    ///   - timeNanoseconds: when it happened, on the series' clock; any number.
    ///   - weight: how often it counts; 0 is taken as 1.
    ///   - failed: whether it counts as failed too.
    package func insert(units: Int64, timeNanoseconds: Int64, weight: UInt32 = 1, failed: Bool = false) {
        records.pointee.insert(units: units, time: timeNanoseconds, weight: weight, failed: failed)
    }

    /// Counts a value in the metric's unit, which may be infinite.
    ///
    /// - Returns: false for a NaN, which is not counted.
    @discardableResult
    package func insert(
        value: Double, timeNanoseconds: Int64, weight: UInt32 = 1, failed: Bool = false
    ) -> Bool {
        records.pointee.insert(value: value, time: timeNanoseconds, weight: weight, failed: failed)
    }

    /// Says what a unit is worth from here on, in the metric's unit: seconds for a tick. Until then it is worth 1.
    ///
    /// - Parameter valuePerUnit: between 1e-30 and 1e30.
    package func beginEpoch(valuePerUnit: Double) {
        precondition((1e-30...1e30).contains(valuePerUnit))
        records.pointee.beginEpoch(valuePerUnit: valuePerUnit)
    }
}
