internal import Sketch

/// The slices of one width that windows are made of: those that the longest of them shows, the one that is filling, and those
/// that lie ahead of now, for records may be a little early.
///
/// Slices are aligned to multiples of their width. Records come in at a ring of narrow slices, and a slice goes on to the
/// coarser rings once, as a whole, when it is over (sealed): a wide slice takes in a few narrow ones and not each of the
/// batches that these came in. What comes late, for a slice that is sealed, goes on to the coarser rings at once.
///
/// So the filling slice of a window lies in parts: what is sealed of it in its own ring, the rest in the finer ones.
final class SliceRing {
    let sliceNanoseconds: Int64
    /// The slice that holds now.
    private(set) var current: Int64
    /// How many slices before it are kept.
    private let wholeSlices: Int64
    private let slicesAhead: Int64
    private let slices: UnsafeMutablePointer<Slice>
    /// The windows that show these slices, and the rings that these go on to.
    private let sums: [RollingSum]
    private var coarser: [SliceRing] = []
    // The cascade owns all rings.
    private unowned(unsafe) let finer: SliceRing?

    struct Slice: ~Copyable {
        var counts = CompactSketch()
        var tally = Tally()

        var isEmpty: Bool { tally.isEmpty }
    }

    /// - Parameters:
    ///   - sums: the windows made of slices of this width; one at least.
    ///   - finer: a ring whose width divides this one's, whose slices come in here; nil where records do.
    init(sums: [RollingSum], finer: SliceRing?, futureToleranceNanoseconds: Int64, now: Int64) {
        self.sums = sums
        self.finer = finer
        sliceNanoseconds = sums[0].span.sliceNanoseconds
        current = now.intervalNumber(width: sliceNanoseconds)
        wholeSlices = sums.reduce(0) { max($0, $1.wholeSlices) }
        slicesAhead = (futureToleranceNanoseconds - 1) / sliceNanoseconds + 1
        let capacity = Int(wholeSlices + 1 + slicesAhead)
        slices = .allocate(capacity: capacity)
        for slot in 0..<capacity { (slices + slot).initialize(to: Slice()) }
        finer?.coarser.append(self)
    }

    deinit {
        slices.deinitialize(count: Int(capacity))
        slices.deallocate()
    }

    private var capacity: Int64 { wholeSlices + 1 + slicesAhead }
    private var oldest: Int64 { current - wholeSlices }
    private var newest: Int64 { current + slicesAhead }

    /// - Parameter number: of a slice from `oldest` to `newest`.
    func slice(_ number: Int64) -> UnsafeMutablePointer<Slice> {
        let slot = number % capacity
        return slices + Int(slot < 0 ? slot + capacity : slot)
    }

    /// Calls `body` with those slices that hold something.
    ///
    /// - Parameter numbers: from `oldest` to `newest`.
    @inline(__always)
    func forEach(_ numbers: Range<Int64>, _ body: (UnsafeMutablePointer<Slice>) -> Void) {
        guard !numbers.isEmpty else { return }
        // A division for each of sixty slices would take longer than what is done with them.
        var slice = slice(numbers.lowerBound)
        let end = slices + Int(capacity)
        for _ in 0..<numbers.count {
            if !slice.pointee.isEmpty { body(slice) }
            slice += 1
            if slice == end { slice = slices }
        }
    }

    /// Where the oldest slice begins.
    var startNanoseconds: Int64 { oldest * sliceNanoseconds }

    /// Adds records whose times lie in one slice; those that no window reaches are left out.
    func add(_ sketch: borrowing ExponentialSketch, _ buckets: OccupiedBuckets, _ tally: Tally, at time: Int64) {
        let number = time.intervalNumber(width: sliceNanoseconds)
        guard number <= newest else { return }
        if number >= oldest {
            let slice = slice(number)
            slice.pointee.counts.merge(sketch, buckets)
            slice.pointee.tally.merge(tally)
        }
        guard number < current else { return }
        for sum in sums { sum.addLate(sketch, buckets, number: number, current: current) }
        for ring in coarser { ring.add(sketch, buckets, tally, at: time) }
    }

    /// Moves to a later now, after the finer rings: slices that are over go on, those that no window shows any more go.
    func advance(to now: Int64) {
        guard now - current * sliceNanoseconds >= sliceNanoseconds else { return }
        let next = now.intervalNumber(width: sliceNanoseconds)
        if !coarser.isEmpty {
            for number in current..<min(next, newest + 1) where !slice(number).pointee.isEmpty { handOn(number) }
        }
        for sum in sums { sum.drop(from: self, next: next) }
        forEach(oldest..<min(next - wholeSlices, newest + 1)) { $0.pointee = Slice() }
        current = next
    }

    private func handOn(_ number: Int64) {
        let (slice, time) = (slice(number), number * sliceNanoseconds)
        for ring in coarser {
            // It is not sealed there: the coarser ring's slice ends with this one or later.
            let wide = ring.slice(time.intervalNumber(width: ring.sliceNanoseconds))
            wide.pointee.counts.merge(slice.pointee.counts)
            wide.pointee.tally.merge(slice.pointee.tally)
        }
    }

    /// Calls `body` with the parts of the slice that is filling.
    func forEachFilling(_ body: (UnsafeMutablePointer<Slice>) -> Void) {
        forEach(current..<current + 1, body)
        let end = (current + 1) * sliceNanoseconds
        var next = finer
        while let ring = next {
            ring.forEach(ring.current..<min(end / ring.sliceNanoseconds, ring.newest + 1), body)
            next = ring.finer
        }
    }

    /// Memory in use, in bytes, without the allocator's own.
    var allocatedBytes: Int {
        (0..<Int(capacity)).reduce(sums.reduce(0) { $0 + $1.allocatedBytes }) {
            $0 + MemoryLayout<Slice>.stride + slices[$1].counts.allocatedBytes
        }
    }
}
