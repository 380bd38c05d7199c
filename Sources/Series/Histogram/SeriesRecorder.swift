package import Sketch

/// The place of a record by its time.
enum RecordPlace: Equatable {
    /// In the finest slice that begins at `start`, with all times up to and including `last`.
    case slice(start: Int64, last: Int64)
    case late
    case future
}

/// The destination of records, in addition to the totals.
enum RecordDestination: Equatable {
    case totalsAlone
    /// The windows, in the finest slice that begins at this time.
    case slice(Int64)
    /// A minute since the Unix epoch that is in no window.
    case lateMinute(Int64)
}

/// The numbers of records of one lane, over all its histograms, that are in the totals but in no window. Thread rule:
/// that of the series.
final class MisdatedCounts {
    fileprivate(set) var late: UInt64 = 0
    fileprivate(set) var future: UInt64 = 0
}

/// Records the values of one lane into a `HistogramSeries`.
///
/// Records are listed, or counted as long as their times stay in one finest slice (100 ms), and then merged into the
/// totals and the windows. This class decides when to merge; `records` is the hot path, which a drain loop uses.
package final class SeriesRecorder: IntervalSketchDelegate, FutureRecordHolder {
    /// The number of records that are in the totals but in no window, because they are older than the longest window.
    package private(set) var lateRecords: UInt64 = 0
    /// The number of records that are in the totals but in no window, because their time is too far ahead of now.
    package private(set) var futureRecords: UInt64 = 0
    /// The same counts over all histograms of the lane.
    var account: MisdatedCounts? {
        willSet {
            account?.late &-= lateRecords
            account?.future &-= futureRecords
            newValue?.late &+= lateRecords
            newValue?.future &+= futureRecords
        }
    }
    /// The times of the records ahead of now.
    private(set) var ahead: FutureLog
    private let pending: UnsafeMutablePointer<IntervalSketch>
    /// The destination of the pending records.
    private var destination = RecordDestination.totalsAlone
    // The series owns its recorders.
    private unowned let series: HistogramSeries

    init(series: HistogramSeries) {
        self.series = series
        ahead = FutureLog(sliceNanoseconds: series.options.finestSliceNanoseconds)
        pending = .allocate(capacity: 1)
        pending.initialize(to: IntervalSketch(delegate: self, bounds: series.clock.bounds))
    }

    deinit {
        pending.deinitialize(count: 1)
        pending.deallocate()
    }

    /// The entry for records. It is valid as long as the series.
    package var records: SketchRecorder { SketchRecorder(pending) }

    /// Starts the slice of `timeNanoseconds`. The pending records are merged, and new ones belong to this slice.
    ///
    /// Records outside the windows take this path one by one, because a record that is too early becomes current as
    /// time moves on.
    package func turn(_ sketch: inout IntervalSketch, to timeNanoseconds: Int64) {
        series.noteRecords()
        switch series.place(of: timeNanoseconds) {
        case .slice(let start, let last):
            move(&sketch, to: .slice(start))
            sketch.open(from: start, through: last)
        case .late:
            move(&sketch, to: series.late?.minute(of: timeNanoseconds).map { .lateMinute($0) } ?? .totalsAlone)
            lateRecords &+= 1
            account?.late &+= 1
        case .future:
            move(&sketch, to: .totalsAlone)
            futureRecords &+= 1
            account?.future &+= 1
            if ahead.isEmpty { series.clock.note(ahead: self) }
            ahead.add(timeNanoseconds)
        }
    }

    package func processList(_ sketch: inout IntervalSketch) {
        sketch.takeListed { series.take($0) }
    }

    package func endInterval(_ sketch: inout IntervalSketch) {
        let isQuiet = sketch.sketch.count < IntervalSketch.fewestOfABusySlice
        move(&sketch, to: .totalsAlone)
        if isQuiet { sketch.becomeQuiet() }
    }

    package func noteRecords() { series.noteRecords() }

    /// The number of records that are not merged into the series yet.
    var pendingCount: UInt64 { UInt64(pending.pointee.listedCount) &+ pending.pointee.sketch.count }

    /// Frees the memory for further records.
    func release() {
        flush()
        pending.pointee.freeList()
        pending.pointee.becomeQuiet()
    }

    /// Removes times that no window can show any more.
    func forgetFuture(before time: Int64) { ahead.forget(before: time) }

    /// Continues with the counts from before a restart.
    func restore(late: UInt64, future: UInt64) {
        let account = account
        self.account = nil
        (lateRecords, futureRecords) = (late, future)
        self.account = account
    }

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

    /// Merges the pending records into the series.
    func flush() {
        processList(&pending.pointee)
        handOver(&pending.pointee)
        destination = .totalsAlone
        pending.pointee.close()
        pending.pointee.closeList()
    }

    /// Memory in use in bytes, without the allocator's overhead.
    var allocatedBytes: Int { MemoryLayout<IntervalSketch>.stride + pending.pointee.allocatedBytes }
}
