package import Sketch

/// Where a record's time puts it.
enum RecordPlace: Equatable {
    /// In the finest slice that begins at `start`, with all times up to and including `last`.
    case slice(start: Int64, last: Int64)
    case late
    case future
}

/// Where records go beside the totals.
enum RecordDestination: Equatable {
    case totalsAlone
    /// The windows, at the finest slice that begins here.
    case slice(Int64)
    /// A minute since the Unix epoch that is in no window.
    case lateMinute(Int64)
}

/// The entrance of one lane to a `HistogramSeries`.
///
/// Records are gathered for as long as their times stay in one finest slice (100 ms), and only then merged into the
/// totals and the windows. This is the cold half, which decides what slice that is; `records` is the hot one, which a
/// drain loop holds.
package final class SeriesFeed: IntervalKeeper {
    /// Records that are in the totals but in no window, because they are older than the longest window.
    package private(set) var lateRecords: UInt64 = 0
    /// Records that are in the totals but in no window, because their time lies too far ahead of now.
    package private(set) var futureRecords: UInt64 = 0
    /// The times of those.
    private(set) var ahead: FutureLog
    private let pending: UnsafeMutablePointer<IntervalSketch>
    /// Where the pending records belong.
    private var destination = RecordDestination.totalsAlone
    // The series owns its feeds.
    private unowned let series: HistogramSeries

    init(series: HistogramSeries) {
        self.series = series
        ahead = FutureLog(sliceNanoseconds: series.options.finestSliceNanoseconds)
        pending = .allocate(capacity: 1)
        pending.initialize(to: IntervalSketch(keeper: self))
    }

    deinit {
        pending.deinitialize(count: 1)
        pending.deallocate()
    }

    /// Where records are inserted. It lasts as long as the series.
    package var records: SketchFeed { SketchFeed(pending) }

    /// Makes the pending records those of the slice of `timeNanoseconds`.
    ///
    /// Records outside the windows come through here one by one: what is too early stops being so as now moves on.
    package func turn(_ sketch: inout IntervalSketch, to timeNanoseconds: Int64) {
        switch series.place(of: timeNanoseconds) {
        case .slice(let start, let last):
            move(&sketch, to: .slice(start))
            sketch.open(from: start, through: last)
        case .late:
            move(&sketch, to: series.late?.minute(of: timeNanoseconds).map { .lateMinute($0) } ?? .totalsAlone)
            lateRecords &+= 1
        case .future:
            move(&sketch, to: .totalsAlone)
            futureRecords &+= 1
            ahead.add(timeNanoseconds)
        }
    }

    /// Forgets times that no window reaches any more.
    func forgetFuture(before time: Int64) { ahead.forget(before: time) }

    /// Goes on from what was counted before a restart.
    func restore(late: UInt64, future: UInt64) { (lateRecords, futureRecords) = (late, future) }

    private func move(_ sketch: inout IntervalSketch, to next: RecordDestination) {
        if next != destination { handOver(&sketch) }
        destination = next
        sketch.close()
    }

    private func handOver(_ sketch: inout IntervalSketch) {
        guard !sketch.sketch.isEmpty else { return }
        series.take(sketch, for: destination)
        sketch.removeAll()
    }

    /// Hands the pending records to the series.
    func flush() {
        handOver(&pending.pointee)
        destination = .totalsAlone
        pending.pointee.close()
    }

    /// Memory in use, in bytes, without the allocator's own.
    var allocatedBytes: Int { MemoryLayout<IntervalSketch>.stride + pending.pointee.sketch.allocatedBytes }
}
