internal import Sketch

/// All sliding windows of one histogram. The wide slices are built from the narrow ones.
///
/// Windows with slices of the same width share a ring. Each ring gets its slices from the coarsest finer ring whose
/// width divides its own (with the standard windows 100 ms, 500 ms and 1 s, each from the previous one). A ring without
/// such a finer ring gets the records.
///
/// Thread rule: one thread at a time.
final class WindowCascade {
    private let windows: [Window]
    /// Finer rings first.
    private let rings: [SliceRing]
    /// The rings that records enter.
    private let entrances: [SliceRing]
    /// The time of the windows.
    private(set) var now: Int64
    private let finestSliceNanoseconds: Int64

    private struct Window {
        let sum: RollingSum
        let ring: SliceRing
    }

    init(options: SeriesOptions, now: Int64) {
        let sums = options.windows.map(RollingSum.init)
        var rings: [SliceRing] = []
        var entrances: [SliceRing] = []
        for width in Set(options.windows.map(\.sliceNanoseconds)).sorted() {
            let finer = rings.last { width % $0.sliceNanoseconds == 0 }
            let ring = SliceRing(
                sums: sums.filter { $0.span.sliceNanoseconds == width }, finer: finer,
                futureToleranceNanoseconds: options.futureToleranceNanoseconds, now: now)
            rings.append(ring)
            if finer == nil { entrances.append(ring) }
        }
        self.now = now
        finestSliceNanoseconds = options.finestSliceNanoseconds
        self.rings = rings
        self.entrances = entrances
        windows = sums.map { sum in
            Window(sum: sum, ring: rings.first { $0.sliceNanoseconds == sum.span.sliceNanoseconds }!)
        }
    }

    /// Whether all slices are empty.
    var isEmpty: Bool { rings.allSatisfy(\.isEmpty) }

    /// Adds records whose times belong to the windows.
    func add(_ records: ListedRecords) {
        for ring in entrances { ring.add(records, 0..<records.count) }
    }

    /// Adds records whose times belong to one slice of the finest width.
    func add(_ sketch: borrowing ExponentialSketch, _ buckets: OccupiedBuckets, _ tally: Tally, at time: Int64) {
        for ring in entrances { ring.add(sketch, buckets, tally, at: time) }
    }

    /// Advances all windows to a later time. Cost: nothing before the next finest slice begins.
    func advance(to now: Int64) {
        let width = finestSliceNanoseconds
        defer { self.now = max(now, self.now) }
        guard now > self.now, now.intervalNumber(width: width) != self.now.intervalNumber(width: width) else { return }
        for ring in rings { ring.advance(to: now) }
    }

    /// Returns the summary of a window, and its beginning.
    ///
    /// - Parameters:
    ///   - index: The index in the configuration.
    ///   - filling: The caller empties it when the read of this histogram's windows is over.
    func summary(
        at index: Int, _ filling: CurrentSliceMerge, quantiles: [Double]
    ) -> (summary: HistogramSummary, startNanoseconds: Int64) {
        let window = windows[index]
        filling.gather(window.ring)
        return (
            window.sum.summary(of: window.ring, filling, quantiles: quantiles),
            (window.ring.current - window.sum.wholeSlices) * window.ring.sliceNanoseconds
        )
    }

    /// Adds the content of a window to a sketch and a tally.
    ///
    /// - Parameter filling: The caller empties it when the read of this histogram's windows is over.
    /// - Returns: The number of values, and the beginning of the window.
    func add(
        _ index: Int, _ filling: CurrentSliceMerge, to sketch: inout ExponentialSketch, _ tally: inout Tally
    ) -> (count: UInt64, startNanoseconds: Int64) {
        let window = windows[index]
        filling.gather(window.ring)
        let count = window.sum.withContent(of: window.ring, filling) {
            sketch.merge($0)
            sketch.merge($1)
            tally.merge($2)
            return $0.count &+ $1.count
        }
        return (count, (window.ring.current - window.sum.wholeSlices) * window.ring.sliceNanoseconds)
    }

    /// Memory of the counts and slices in bytes, without the allocator's overhead.
    var allocatedBytes: Int { rings.reduce(0) { $0 + $1.allocatedBytes } }
}
