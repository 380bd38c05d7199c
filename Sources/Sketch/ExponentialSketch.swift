/// The distribution of values as a base-2 exponential histogram at scale 7 (128 buckets an octave).
///
/// - Values: every double but NaN. Negative values have buckets of their own, mirrored. Zeros of either sign are
///   counted. Infinite values have a bucket after the last finite one.
/// - Counts: 64-bit integers. So merging is commutative and associative, subtracting is its exact inverse, and a window
///   can be stored as the sum of its slices.
/// - Error: a quantile is off by at most 0.271 % if magnitudes are between 2^-64 and 2^64 (5.4e-20 and 1.8e19). Values
///   beyond are counted by octave (``BucketLayout``); `coarseCount` is their number.
/// - Memory: 2 bytes for each bucket of the range in use (850 bytes for a factor of ten between the smallest and the
///   greatest value), or 10 bytes if a bucket has a count of 65,536 or more. At most 37 KB, or 184 KB, for each sign.
/// - Extremes and the sum cannot be subtracted. The owner of a sketch stores them beside it (``Tally``).
///
/// The type is a noncopyable struct, so that an insertion through a pointer or a local variable costs no reference
/// count, no uniqueness check and no exclusivity check. Thread rule: one owner at a time.
package struct ExponentialSketch: ~Copyable {
    let indexer: BucketIndexer
    /// The number of values inserted, each multiplied by its weight.
    package internal(set) var count: UInt64 = 0
    var positive = DenseCounts()
    var negative = DenseCounts()
    package internal(set) var zeroCount: UInt64 = 0

    package init() { indexer = .shared }

    deinit {
        var (a, b) = (positive, negative)
        a.deallocate()
        b.deallocate()
    }

    /// Counts a value `weight` times.
    ///
    /// Cost: some 2 ns for a positive value whose bucket is in the range in use.
    /// - Returns: False for a NaN, which is not counted.
    @inline(__always) @discardableResult
    package mutating func insert(_ value: Double, weight: UInt32 = 1) -> Bool {
        let bits = value.bitPattern
        // One comparison distinguishes the positive doubles of the usual octaves from all others.
        guard BucketLayout.isFine(normalBits: bits) else { return insertUnusual(value, weight: UInt64(weight)) }
        positive.add(UInt64(weight), at: indexer.index(normalBits: bits))
        count &+= UInt64(weight)
        return true
    }

    /// Inserts a value if this only raises one 16-bit count, of a bucket that no edge cuts. Otherwise returns false and
    /// changes nothing.
    @inline(__always)
    mutating func insertQuickly(_ value: Double, weight: UInt32, cuts: UnsafePointer<UInt64>) -> Bool {
        let bits = value.bitPattern
        guard BucketLayout.isFine(normalBits: bits), weight &- 1 < 0xFFFF else { return false }
        let index = indexer.index(normalBits: bits)
        guard !EdgeCuts.isCut(index, cuts), positive.addQuickly(weight, at: index) else { return false }
        count &+= UInt64(weight)
        return true
    }

    @inline(never)
    private mutating func insertUnusual(_ value: Double, weight: UInt64) -> Bool {
        if value.isNaN { return false }
        count &+= weight
        if value == 0 {
            zeroCount &+= weight
        } else {
            insertSigned(value, weight: weight)
        }
        return true
    }

    private mutating func insertSigned(_ value: Double, weight: UInt64) {
        let magnitude = value.magnitude
        let index = BucketLayout.place(ofBucket: indexer.index(of: magnitude))
        if value < 0 { negative.add(weight, at: index) } else { positive.add(weight, at: index) }
    }

    /// The number of finite values that are counted by octave, because they are too small or too great for the fine
    /// buckets.
    package var coarseCount: UInt64 { positive.coarseCount &+ negative.coarseCount }

    /// Whether no value was inserted, or all were subtracted again.
    package var isEmpty: Bool { count == 0 }

    /// The numbers of infinite values.
    package var infinities: Infinities {
        let place = BucketLayout.place(ofBucket: BucketIndexer.overflowIndex)
        return Infinities(positive: positive[place], negative: negative[place])
    }

    /// Memory of the counts in bytes, without the allocator's overhead.
    package var allocatedBytes: Int {
        positive.allocatedBytes + negative.allocatedBytes
    }

    /// Removes all values. Keeps the memory for the next values unless it is large.
    package mutating func removeAll() {
        positive.removeAll()
        negative.removeAll()
        (count, zeroCount) = (0, 0)
    }

    /// Returns an immutable copy, for exports.
    package func snapshot() -> SketchSnapshot {
        SketchSnapshot(
            scale: BucketIndexer.scale, positive: positive.copy(), negative: negative.copy(), zeroCount: zeroCount)
    }
}
