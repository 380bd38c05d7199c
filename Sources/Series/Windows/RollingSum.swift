internal import Sketch

/// One sliding window of one histogram: its last N whole slices and the one that is filling.
///
/// Counts are integers, so the whole slices are kept as their exact sum, and a query scans one sketch. Slices are added when
/// the window is asked for and subtracted when they fall out: a window that nobody looks at costs nothing, one that is
/// looked at ten times as often as it slides no more than the scans.
final class RollingSum {
    let span: WindowSpan
    let wholeSlices: Int64
    private var sum = ExponentialSketch(keepsNegativePowers: false)
    /// The first slice that is not in the sum.
    private var next = Int64.min

    init(span: WindowSpan) {
        self.span = span
        wholeSlices = span.lengthNanoseconds / span.sliceNanoseconds
    }

    /// Adds records of a whole slice, where that is in the sum already.
    func addLate(
        _ sketch: borrowing ExponentialSketch, _ buckets: OccupiedBuckets, number: Int64, current: Int64
    ) {
        if number < next, number >= current - wholeSlices { sum.merge(sketch, buckets) }
    }

    /// Subtracts the slices that fall out when `next` becomes the ring's current one; to be called while it still has them.
    func drop(from ring: SliceRing, next current: Int64) {
        let oldest = ring.current - wholeSlices
        guard next > oldest else { return }
        ring.forEach(oldest..<max(oldest, min(current - wholeSlices, next))) {
            ring.counts($0).pointee.subtract(from: &sum)
        }
        if sum.isEmpty { sum.removeAll() }
    }

    /// Cost: one scan of the sketch and one pass over the slices, and what came since it was last asked for.
    ///
    /// - Parameter filling: holds the parts of the ring's filling slice.
    func summary(of ring: SliceRing, _ filling: FillingSlices, quantiles: [Double]) -> HistogramSummary {
        withContent(of: ring, filling) { HistogramSummary($0, with: $1, $2, quantiles: quantiles) }
    }

    /// Lends all that the window shows: its whole slices, those that are filling, and the tally of both.
    func withContent<Result>(
        of ring: SliceRing, _ filling: FillingSlices,
        _ body: (_ whole: borrowing ExponentialSketch, _ filling: borrowing ExponentialSketch, Tally) -> Result
    ) -> Result {
        let oldest = ring.current - wholeSlices
        ring.forEach(max(oldest, next)..<ring.current) { ring.counts($0).pointee.add(to: &sum) }
        next = ring.current
        var tally = filling.tally
        ring.forEach(oldest..<ring.current) { tally.merge(ring.tally($0)) }
        return body(sum, filling.sketch.pointee, tally)
    }

    /// Memory in use, in bytes, without the allocator's own.
    var allocatedBytes: Int { sum.allocatedBytes }
}
