internal import Sketch

/// One sliding window of one histogram: its last N whole slices and the one that is filling.
///
/// Slices are aligned to multiples of their width. Counts are integers, so the window's sketch is kept as the exact
/// rolling sum of its slices: a slice is added when it begins to count and subtracted when it falls out, and a query
/// scans one sketch. Slices that lie ahead of now (records may be a little early) wait outside the sum for their time.
final class RollingWindow {
    let span: WindowSpan
    /// The slice that holds now.
    private var current: Int64
    private let wholeSlices: Int64
    private let slicesAhead: Int64
    private let slices: UnsafeMutablePointer<Slice>
    private var sum = ExponentialSketch(keepsNegativePowers: false)

    private struct Slice: ~Copyable {
        var counts = CompactSketch()
        var tally = Tally()
    }

    init(span: WindowSpan, futureToleranceNanoseconds: Int64, now: Int64) {
        self.span = span
        current = now.intervalNumber(width: span.sliceNanoseconds)
        wholeSlices = span.lengthNanoseconds / span.sliceNanoseconds
        slicesAhead = (futureToleranceNanoseconds - 1) / span.sliceNanoseconds + 1
        let capacity = Int(wholeSlices + 1 + slicesAhead)
        slices = .allocate(capacity: capacity)
        for slot in 0..<capacity { (slices + slot).initialize(to: Slice()) }
    }

    deinit {
        slices.deinitialize(count: Int(capacity))
        slices.deallocate()
    }

    private var capacity: Int64 { wholeSlices + 1 + slicesAhead }

    private func slice(_ number: Int64) -> UnsafeMutablePointer<Slice> {
        let slot = number % capacity
        return slices + Int(slot < 0 ? slot + capacity : slot)
    }

    private var oldest: Int64 { current - wholeSlices }

    /// Where the window begins.
    var startNanoseconds: Int64 { oldest * span.sliceNanoseconds }

    /// Adds records whose times lie in one slice; those that the window does not reach are left out.
    func add(_ sketch: borrowing ExponentialSketch, _ buckets: OccupiedBuckets, _ tally: Tally, at time: Int64) {
        let number = time.intervalNumber(width: span.sliceNanoseconds)
        guard (oldest...current + slicesAhead).contains(number) else { return }
        let slice = slice(number)
        slice.pointee.counts.merge(sketch, buckets)
        slice.pointee.tally.merge(tally)
        if number <= current { sum.merge(sketch, buckets) }
    }

    /// Moves the window to a later now: slices that fall out are subtracted, those whose time has come are added.
    func advance(to now: Int64) {
        let next = now.intervalNumber(width: span.sliceNanoseconds)
        guard next > current else { return }
        let (oldEnd, newStart) = (current + slicesAhead, next - wholeSlices)
        for number in oldest..<max(oldest, min(newStart, oldEnd + 1)) { drop(number) }
        for number in max(current + 1, newStart)..<max(current + 1, newStart, min(next, oldEnd) + 1) {
            slice(number).pointee.counts.add(to: &sum)
        }
        current = next
        if sum.isEmpty { sum.removeAll() }
    }

    private func drop(_ number: Int64) {
        let slice = slice(number)
        guard !slice.pointee.tally.isEmpty else { return }
        if number <= current { slice.pointee.counts.subtract(from: &sum) }
        slice.pointee = Slice()
    }

    /// Cost: one scan of the sketch and one pass over the slices' tallies.
    func summary(quantiles: [Double]) -> HistogramSummary {
        var tally = Tally()
        for number in oldest...current { tally.merge(slice(number).pointee.tally) }
        return HistogramSummary(sum, tally, quantiles: quantiles)
    }

    /// Values that the window shows, each as often as its weight says.
    var count: UInt64 { sum.count }

    /// Adds all that the window shows to a sketch and a tally.
    func add(to sketch: inout ExponentialSketch, _ tally: inout Tally) {
        sketch.merge(sum)
        for number in oldest...current { tally.merge(slice(number).pointee.tally) }
    }

    /// Memory in use, in bytes, without the allocator's own.
    var allocatedBytes: Int {
        (0..<Int(capacity)).reduce(sum.allocatedBytes) {
            $0 + MemoryLayout<Slice>.stride + slices[$1].counts.allocatedBytes
        }
    }
}
