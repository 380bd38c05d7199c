internal import Sketch

/// One sliding window of one histogram: its last N complete slices and the current one.
///
/// If its slices contain much, their exact sum is stored (counts are integers), and a query scans one sketch. Slices
/// are added to the sum when the window is read, and subtracted when they leave the window. So a window that is never
/// read costs nothing, and a window that is read ten times a slice costs little more than the scans. If its slices
/// contain little, they are added up for each query, and the window takes no memory of its own.
final class RollingSum {
    let span: WindowSpan
    let wholeSlices: Int64
    private var sum = ExponentialSketch()
    /// The first slice that is not in the sum.
    private var next = Int64.min
    /// Whether the sum of the complete slices is stored.
    private var isKept = false

    /// The greatest number of entries in slices that are added up for each query; see ``CompactSketch/entryCount``.
    private static let fewEntries = 2048

    init(span: WindowSpan) {
        self.span = span
        wholeSlices = span.lengthNanoseconds / span.sliceNanoseconds
    }

    /// Adds records of a complete slice if the slice is in the sum already.
    func addLate(
        _ sketch: borrowing ExponentialSketch, _ buckets: OccupiedBuckets, number: Int64, current: Int64
    ) {
        if number < next, number >= current - wholeSlices { sum.merge(sketch, buckets) }
    }

    /// Adds listed records of a complete slice if the slice is in the sum already.
    func addLate(_ records: ListedRecords, _ range: Range<Int>, number: Int64, current: Int64) {
        if number < next, number >= current - wholeSlices { sum.insert(records, range) }
    }

    /// Subtracts the slices that leave the window when `next` becomes the ring's current one. Must be called while the
    /// ring still has them.
    func drop(from ring: SliceRing, next current: Int64) {
        let oldest = ring.current - wholeSlices
        guard next > oldest else { return }
        ring.forEach(oldest..<max(oldest, min(current - wholeSlices, next))) {
            ring.counts($0).pointee.subtract(from: &sum)
        }
        guard sum.isEmpty else { return }
        sum = ExponentialSketch()
        (isKept, next) = (false, .min)
    }

    /// Returns the summary of the window. Cost: one scan of the sketch, one pass over the slices, and the additions
    /// since the last call.
    ///
    /// - Parameter filling: Merges the parts of the ring's current slice.
    func summary(of ring: SliceRing, _ filling: CurrentSliceMerge, quantiles: [Double]) -> HistogramSummary {
        withContent(of: ring, filling) { HistogramSummary($0, with: $1, $2, quantiles: quantiles) }
    }

    /// Calls `body` with the content of the window: its complete slices, the current ones, and the tally of both.
    func withContent<Result>(
        of ring: SliceRing, _ filling: CurrentSliceMerge,
        _ body: (_ whole: borrowing ExponentialSketch, _ filling: borrowing ExponentialSketch, Tally) -> Result
    ) -> Result {
        let oldest = ring.current - wholeSlices
        var tally = filling.tally
        var entries = 0
        ring.forEach(oldest..<ring.current) {
            tally.merge(ring.tally($0))
            if !isKept { entries += ring.counts($0).pointee.entryCount }
        }
        guard isKept || entries > Self.fewEntries else {
            let whole = filling.whole
            ring.forEach(oldest..<ring.current) { ring.counts($0).pointee.add(to: &whole.pointee) }
            defer { whole.pointee.removeAll() }
            return body(whole.pointee, filling.sketch.pointee, tally)
        }
        isKept = true
        ring.forEach(max(oldest, next)..<ring.current) { ring.counts($0).pointee.add(to: &sum) }
        next = ring.current
        return body(sum, filling.sketch.pointee, tally)
    }

    /// Memory in use in bytes, without the allocator's overhead.
    var allocatedBytes: Int { sum.allocatedBytes }
}
