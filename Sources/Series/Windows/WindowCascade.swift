internal import Sketch

/// All sliding windows of one histogram, the wide slices built from the narrow ones.
///
/// Windows whose slices have one width share a ring of them. Each ring is fed by the coarsest one whose width divides its
/// own (with the standard windows 100 ms, 500 ms and 1 s each by the one before), by records where there is none.
///
/// Thread rule: one thread at a time.
final class WindowCascade {
    private let windows: [Window]
    /// Each after those that are finer.
    private let rings: [SliceRing]
    /// Those that records go into.
    private let entrances: [SliceRing]

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
        self.rings = rings
        self.entrances = entrances
        windows = sums.map { sum in
            Window(sum: sum, ring: rings.first { $0.sliceNanoseconds == sum.span.sliceNanoseconds }!)
        }
    }

    /// Where the window that reaches back furthest begins.
    var startNanoseconds: Int64 { rings.reduce(Int64.max) { min($0, $1.startNanoseconds) } }

    /// Adds records whose times lie in one slice of the finest width.
    func add(_ sketch: borrowing ExponentialSketch, _ buckets: OccupiedBuckets, _ tally: Tally, at time: Int64) {
        for ring in entrances { ring.add(sketch, buckets, tally, at: time) }
    }

    /// Moves all windows to a later now.
    func advance(to now: Int64) {
        for ring in rings { ring.advance(to: now) }
    }

    /// What a window holds, and where it begins.
    ///
    /// - Parameters:
    ///   - place: in the order of the configuration.
    ///   - filling: is emptied by the caller when the look at this histogram's windows is over.
    func summary(
        at place: Int, _ filling: FillingSlices, quantiles: [Double]
    ) -> (summary: HistogramSummary, startNanoseconds: Int64) {
        let window = windows[place]
        filling.gather(window.ring)
        return (
            window.sum.summary(of: window.ring, filling, quantiles: quantiles),
            (window.ring.current - window.sum.wholeSlices) * window.ring.sliceNanoseconds
        )
    }

    /// Adds what a window holds to a sketch and a tally.
    ///
    /// - Parameter filling: is emptied by the caller when the look at this histogram's windows is over.
    /// - Returns: how many values it holds, and where it begins.
    func add(
        _ place: Int, _ filling: FillingSlices, to sketch: inout ExponentialSketch, _ tally: inout Tally
    ) -> (count: UInt64, startNanoseconds: Int64) {
        let window = windows[place]
        filling.gather(window.ring)
        let count = window.sum.withContent(of: window.ring, filling) {
            sketch.merge($0)
            sketch.merge($1)
            tally.merge($2)
            return $0.count &+ $1.count
        }
        return (count, (window.ring.current - window.sum.wholeSlices) * window.ring.sliceNanoseconds)
    }

    /// Memory of the counts and slices, in bytes, without the allocator's own.
    var allocatedBytes: Int { rings.reduce(0) { $0 + $1.allocatedBytes } }
}
