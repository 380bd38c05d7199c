internal import Sketch

/// The slices of one width that windows consist of: those of the longest window, the current one, and some ahead of
/// now, because records may be a little early.
///
/// Slices are aligned to multiples of their width. Records enter a ring of narrow slices. When a slice is over
/// (sealed), it is merged once, as a whole, into the coarser rings. So a wide slice merges a few narrow slices, and not
/// every batch of records. Late records for a sealed slice are merged into the coarser rings at once.
///
/// So the current slice of a window is in parts. The sealed part is in its own ring, and the rest is in the finer
/// rings.
final class SliceRing {
    let sliceNanoseconds: Int64
    /// The number of the slice that contains now.
    private(set) var current: Int64
    /// The number of slices before it that are stored.
    private let wholeSlices: Int64
    private let slicesAhead: Int64
    // Sums and extremes are separate from the counts, because most reads of a slice need only these.
    private let slices: UnsafeMutablePointer<CompactSketch>
    private let tallies: UnsafeMutablePointer<Tally>
    /// A bit for each slice that is not empty.
    private let occupied: UnsafeMutablePointer<UInt64>
    private let slotCount: Int
    private var occupiedCount = 0
    /// The windows of these slices, and the rings that these slices are merged into.
    private let sums: [RollingSum]
    private var coarser: [SliceRing] = []
    // The cascade owns all rings.
    unowned(unsafe) let finer: SliceRing?

    /// - Parameters:
    ///   - sums: The windows of slices of this width; at least one.
    ///   - finer: A ring whose width divides this one's, and whose slices are merged into this one; nil if records
    ///     enter here.
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

    /// - Parameter number: The number of a slice from `oldest` to `newest`.
    private func slot(_ number: Int64) -> Int {
        let slot = Int(number % Int64(slotCount))
        return slot < 0 ? slot + slotCount : slot
    }

    /// Returns the counts of a slice.
    func counts(_ slot: Int) -> UnsafeMutablePointer<CompactSketch> { slices + slot }

    /// Returns the sum and the extremes of a slice.
    func tally(_ slot: Int) -> Tally { tallies[slot] }

    /// Adds to the sum and the extremes of a slice; the caller adds to its counts.
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

    /// Calls `body` with the slots of the slices that are not empty.
    ///
    /// - Parameter numbers: From `oldest` to `newest`.
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

    /// Whether all slices are empty.
    var isEmpty: Bool { occupiedCount == 0 }

    /// Adds listed records, slice by slice. Records that are in no window any more are ignored.
    func add(_ records: ListedRecords, _ range: Range<Int>) {
        let times = records.times
        var first = range.lowerBound
        // The first record of the present run of records that belong to slices that are over.
        var over = first
        while first < range.upperBound {
            let number = times[first].intervalNumber(width: sliceNanoseconds)
            let begin = number * sliceNanoseconds
            var end = first + 1
            while end < range.upperBound, times[end] >= begin, times[end] - begin < sliceNanoseconds { end += 1 }
            add(records, first..<end, toSlice: number)
            if number >= current {
                handOn(records, over..<first)
                over = end
            }
            first = end
        }
        handOn(records, over..<range.upperBound)
    }

    private func add(_ records: ListedRecords, _ range: Range<Int>, toSlice number: Int64) {
        guard (oldest...newest).contains(number) else { return }
        let slot = slot(number)
        slices[slot].add(records, range)
        merge(records.tally(range), slot: slot)
        guard number < current else { return }
        for sum in sums { sum.addLate(records, range, number: number, current: current) }
    }

    private func handOn(_ records: ListedRecords, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        for ring in coarser { ring.add(records, range) }
    }

    /// Adds records whose times belong to one slice. Records that are in no window any more are ignored.
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

    /// Advances to a later time, after the finer rings. Slices that are over are merged into the coarser rings, and
    /// slices of no window are emptied.
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
            // The slice is not sealed in the coarser ring: that ring's slice ends with this one or later.
            let wide = ring.slot(time.intervalNumber(width: ring.sliceNanoseconds))
            ring.slices[wide].merge(slices[from])
            ring.merge(tallies[from], slot: wide)
        }
    }

    /// Calls `body` with the parts of the current slice.
    ///
    /// - Parameter known: Nil, or the next finer ring, whose own parts are left out.
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

    /// Memory in use in bytes, without the allocator's overhead.
    var allocatedBytes: Int {
        let fixed = slotCount * (MemoryLayout<CompactSketch>.stride + MemoryLayout<Tally>.stride)
        return (0..<slotCount).reduce(sums.reduce(fixed) { $0 + $1.allocatedBytes }) { $0 + slices[$1].allocatedBytes }
    }
}
