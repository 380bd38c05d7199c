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
    // Sums and extremes apart from the counts: most looks at a slice are for these alone.
    private let slices: UnsafeMutablePointer<CompactSketch>
    private let tallies: UnsafeMutablePointer<Tally>
    /// A bit for each slice that holds something.
    private let occupied: UnsafeMutablePointer<UInt64>
    private let slotCount: Int
    private var occupiedCount = 0
    /// The windows that show these slices, and the rings that these go on to.
    private let sums: [RollingSum]
    private var coarser: [SliceRing] = []
    // The cascade owns all rings.
    unowned(unsafe) let finer: SliceRing?

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
        slotCount = Int(wholeSlices + 1 + slicesAhead)
        slices = .allocate(capacity: slotCount)
        for slot in 0..<slotCount { (slices + slot).initialize(to: CompactSketch()) }
        tallies = .allocate(capacity: slotCount)
        tallies.initialize(repeating: Tally(), count: slotCount)
        occupied = .allocate(capacity: Self.words(slotCount))
        occupied.initialize(repeating: 0, count: Self.words(slotCount))
        finer?.coarser.append(self)
    }

    deinit {
        slices.deinitialize(count: slotCount)
        slices.deallocate()
        tallies.deallocate()
        occupied.deallocate()
    }

    private static func words(_ slots: Int) -> Int { (slots + 63) >> 6 }

    private var oldest: Int64 { current - wholeSlices }
    private var newest: Int64 { current + slicesAhead }

    /// - Parameter number: of a slice from `oldest` to `newest`.
    private func slot(_ number: Int64) -> Int {
        let slot = Int(number % Int64(slotCount))
        return slot < 0 ? slot + slotCount : slot
    }

    /// What a slice counts.
    func counts(_ slot: Int) -> UnsafeMutablePointer<CompactSketch> { slices + slot }

    /// Its sum and extremes.
    func tally(_ slot: Int) -> Tally { tallies[slot] }

    /// Adds to the sum and extremes of a slice, whose counts are added to as well.
    private func merge(_ tally: Tally, slot: Int) {
        tallies[slot].merge(tally)
        let bit: UInt64 = 1 << UInt64(slot & 63)
        if occupied[slot >> 6] & bit == 0 {
            occupied[slot >> 6] |= bit
            occupiedCount += 1
        }
    }

    private func empty(slot: Int) {
        slices[slot] = CompactSketch()
        tallies[slot] = Tally()
        occupied[slot >> 6] &= ~(1 << UInt64(slot & 63))
        occupiedCount -= 1
    }

    /// Calls `body` with the places of those slices that hold something.
    ///
    /// - Parameter numbers: from `oldest` to `newest`.
    @inline(__always)
    func forEach(_ numbers: Range<Int64>, _ body: (_ slot: Int) -> Void) {
        guard occupiedCount > 0, !numbers.isEmpty else { return }
        let first = slot(numbers.lowerBound)
        let end = first + numbers.count
        forEach(slots: first..<min(end, slotCount), body)
        if end > slotCount { forEach(slots: 0..<end - slotCount, body) }
    }

    @inline(__always)
    private func forEach(slots: Range<Int>, _ body: (_ slot: Int) -> Void) {
        var slot = slots.lowerBound
        while slot < slots.upperBound {
            let word = occupied[slot >> 6] >> UInt64(slot & 63)
            if word == 0 {
                slot = (slot | 63) + 1
                continue
            }
            slot += word.trailingZeroBitCount
            if slot < slots.upperBound { body(slot) }
            slot += 1
        }
    }

    /// Where the oldest slice begins.
    var startNanoseconds: Int64 { oldest * sliceNanoseconds }

    /// Adds records whose times lie in one slice; those that no window reaches are left out.
    func add(_ sketch: borrowing ExponentialSketch, _ buckets: OccupiedBuckets, _ tally: Tally, at time: Int64) {
        let number = time.intervalNumber(width: sliceNanoseconds)
        guard number <= newest else { return }
        if number >= oldest {
            let slot = slot(number)
            slices[slot].merge(sketch, buckets)
            merge(tally, slot: slot)
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
            for number in current..<min(next, newest + 1) { handOn(number) }
        }
        for sum in sums { sum.drop(from: self, next: next) }
        forEach(oldest..<min(next - wholeSlices, newest + 1)) { empty(slot: $0) }
        current = next
    }

    private func handOn(_ number: Int64) {
        let (from, time) = (slot(number), number * sliceNanoseconds)
        guard !tallies[from].isEmpty else { return }
        for ring in coarser {
            // It is not sealed there: the coarser ring's slice ends with this one or later.
            let wide = ring.slot(time.intervalNumber(width: ring.sliceNanoseconds))
            ring.slices[wide].merge(slices[from])
            ring.merge(tallies[from], slot: wide)
        }
    }

    /// Calls `body` with the parts of the slice that is filling.
    ///
    /// - Parameter known: Nil, or the next finer ring: the parts of its own filling slice are left out.
    func forEachFilling(beside known: SliceRing?, _ body: (_ ring: SliceRing, _ slot: Int) -> Void) {
        forEach(current..<current + 1) { body(self, $0) }
        let end = (current + 1) * sliceNanoseconds
        let start = known.map { ($0.current + 1) * $0.sliceNanoseconds }
        var next = finer
        while let ring = next {
            let first = start.map { $0 / ring.sliceNanoseconds } ?? ring.current
            ring.forEach(first..<max(first, min(end / ring.sliceNanoseconds, ring.newest + 1))) { body(ring, $0) }
            next = ring.finer
        }
    }

    /// Memory in use, in bytes, without the allocator's own.
    var allocatedBytes: Int {
        let fixed = slotCount * (MemoryLayout<CompactSketch>.stride + MemoryLayout<Tally>.stride)
        return (0..<slotCount).reduce(sums.reduce(fixed) { $0 + $1.allocatedBytes }) { $0 + slices[$1].allocatedBytes }
    }
}
