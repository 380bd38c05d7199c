package import Sketch

/// Where the records of one histogram in one lane go in: the hot end of a series.
///
/// Records are gathered in a sketch of their own for as long as their times stay in one finest slice (100 ms), and only
/// then merged into the totals and the windows; so a record costs an index, a count, a sum and two comparisons.
/// A feed is a bare pointer, so that an array of feeds can be walked without reference counts: it is valid as long as
/// the `HistogramSeries` that opened it, and is used on that series' thread.
package struct SeriesFeed {
    package let state: UnsafeMutablePointer<FeedState>

    init(_ state: UnsafeMutablePointer<FeedState>) { self.state = state }

    /// Counts a value that is a whole number of units, such as clock ticks; what a unit is worth is said by
    /// `beginEpoch`.
    ///
    /// - Parameters:
    ///   - units: any number.
    ///   - timeNanoseconds: when it happened, on the series' clock.
    ///   - weight: how often it counts; 0 is taken as 1.
    ///   - failed: whether it counts as failed too.
    @inlinable
    package func insert(units: Int64, timeNanoseconds: Int64, weight: UInt32 = 1, failed: Bool = false) {
        let weight = Swift.max(weight, 1)
        let value = Double(units) * state.pointee.tally.sum.valuePerUnit
        state.pointee.open(timeNanoseconds)
        state.pointee.count(value, weight: weight, failed: failed)
        state.pointee.tally.sum.add(units: units, weight: weight)
    }

    /// Counts a value in the metric's unit; an infinite one as the greatest finite double.
    ///
    /// - Returns: false for a NaN, which is not counted.
    @inlinable @discardableResult
    package func insert(
        value: Double, timeNanoseconds: Int64, weight: UInt32 = 1, failed: Bool = false
    ) -> Bool {
        if value.isNaN { return false }
        let weight = Swift.max(weight, 1)
        state.pointee.open(timeNanoseconds)
        state.pointee.count(value, weight: weight, failed: failed)
        state.pointee.tally.sum.add(value.clampedToFinite, weight: weight)
        return true
    }

    /// Says what a unit is worth from here on, in the metric's unit: seconds for a tick. Until then it is worth 1.
    ///
    /// - Parameter valuePerUnit: finite and above zero.
    package func beginEpoch(valuePerUnit: Double) {
        precondition(valuePerUnit > 0 && valuePerUnit.isFinite)
        state.pointee.tally.sum.beginEpoch(valuePerUnit: valuePerUnit)
    }

    /// Records that are in the totals but in no window, because they are older than the longest window.
    package var lateRecords: UInt64 { state.pointee.lateRecords }
    /// Records that are in the totals but in no window, because their time lies too far ahead of now.
    package var futureRecords: UInt64 { state.pointee.futureRecords }
}

/// Where a record's time puts it.
package enum RecordPlace: Equatable {
    /// In the finest slice that begins at `start`, up to and including `last`.
    case slice(start: Int64, last: Int64)
    case late
    case future
}

/// What a feed points to.
package struct FeedState: ~Copyable {
    // A time is accepted as it comes while `time - acceptedStart < acceptedLength`, in one unsigned comparison.
    package var acceptedStart: Int64 = 0
    package var acceptedLength: UInt64 = 0
    package var sketch = ExponentialSketch()
    package var tally = Tally()
    package var failed: UInt64 = 0
    /// The slice that the pending records belong to; nil when they belong to none.
    var sliceStart: Int64?
    var lateRecords: UInt64 = 0
    var futureRecords: UInt64 = 0
    // The series owns this state and outlives it.
    unowned(unsafe) let series: HistogramSeries

    init(series: HistogramSeries) { self.series = series }

    @inlinable @inline(__always)
    package mutating func open(_ time: Int64) {
        if UInt64(bitPattern: time &- acceptedStart) >= acceptedLength { turn(to: time) }
    }

    @inlinable @inline(__always)
    package mutating func count(_ value: Double, weight: UInt32, failed: Bool) {
        sketch.insert(value, weight: weight)
        tally.widen(by: value.clampedToFinite)
        if failed { self.failed &+= UInt64(weight) }
    }

    /// Makes the pending records those of the slice of `time`.
    ///
    /// Records outside the windows come through here one by one: what is too early stops being so as now moves on.
    @inline(never)
    package mutating func turn(to time: Int64) {
        switch series.place(of: time) {
        case .slice(let start, let last):
            if sliceStart != start { flush(andTurnTo: start) }
            (acceptedStart, acceptedLength) = (start, UInt64(last - start) + 1)
        case .late:
            if sliceStart != nil { flush(andTurnTo: nil) }
            lateRecords &+= 1
            acceptedLength = 0
        case .future:
            if sliceStart != nil { flush(andTurnTo: nil) }
            futureRecords &+= 1
            acceptedLength = 0
        }
    }

    /// Hands the pending records to the series.
    mutating func flush(andTurnTo start: Int64?) {
        if !sketch.isEmpty {
            series.take(sketch, tally, failed: failed, sliceStart: sliceStart)
            sketch.removeAll()
            tally = Tally(valuePerUnit: tally.sum.valuePerUnit)
            failed = 0
        }
        sliceStart = start
        acceptedLength = 0
    }
}
