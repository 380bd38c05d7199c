/// How values are distributed: a base-2 exponential histogram at scale 7 (128 buckets an octave).
///
/// - Values: every double but NaN. Negative values have buckets of their own, mirrored; zero (of either sign) is
///   counted; infinite values have a bucket beyond the last finite one.
/// - Counts: 64-bit integers. So merging is commutative and associative, subtracting is its exact inverse, and a window
///   may be kept as the sum of its slices.
/// - Error: no quantile is off by more than 0.271 % where magnitudes lie between 2^-64 and 2^64 (5.4e-20 and 1.8e19). Beyond,
///   values are counted by octave (``BucketPlace``), and `coarseCount` says how many were.
/// - Memory: 2 bytes a bucket over the range in use (a factor of ten between the smallest and the greatest value costs
///   850 bytes), 10 where a bucket holds 65,536 or more; for either sign 37 KB at most, or 184 KB.
/// - Extremes and the sum cannot be subtracted, so they are kept beside a sketch by whoever needs them.
///
/// The type is a noncopyable struct so that an insertion through a pointer or a local variable costs no reference
/// count, no uniqueness check and no exclusivity check. Thread rule: none of its own; one owner at a time.
package struct ExponentialSketch: ~Copyable {
    let indexer: BucketIndexer
    /// Values inserted, each as often as its weight says.
    package internal(set) var count: UInt64 = 0
    var positive = DenseCounts()
    var negative = DenseCounts()
    package internal(set) var zeroCount: UInt64 = 0
    /// By exponent, how many values were exactly -2^k. Mirrored buckets hold -2^k together with what lies just above
    /// it, and a classic bucket with the upper edge -2^k must hold the one without the other.
    var negativePowers = DenseCounts()
    let keepsNegativePowers: Bool

    /// - Parameter keepsNegativePowers: whether `octaves()` will be asked for; without it, classic buckets with
    ///   negative edges cannot be read from this sketch.
    package init(keepsNegativePowers: Bool = true) {
        indexer = .shared
        self.keepsNegativePowers = keepsNegativePowers
    }

    deinit {
        var (a, b, c) = (positive, negative, negativePowers)
        a.deallocate()
        b.deallocate()
        c.deallocate()
    }

    /// Counts a value `weight` times.
    ///
    /// Cost: some 2 ns for a positive value whose bucket lies in the range in use.
    /// - Returns: false for a NaN, which is not counted.
    @inline(__always) @discardableResult
    package mutating func insert(_ value: Double, weight: UInt32 = 1) -> Bool {
        let bits = value.bitPattern
        // One comparison tells the positive doubles of the usual octaves from all others.
        guard BucketPlace.isFine(normalBits: bits) else { return insertUnusual(value, weight: UInt64(weight)) }
        positive.add(UInt64(weight), at: indexer.index(normalBits: bits))
        count &+= UInt64(weight)
        return true
    }

    /// Inserts what takes no more than raising one 16-bit count; else returns false and changes nothing.
    @inline(__always)
    mutating func insertQuickly(_ value: Double, weight: UInt32) -> Bool {
        let bits = value.bitPattern
        guard BucketPlace.isFine(normalBits: bits), weight &- 1 < 0xFFFF,
            positive.addQuickly(weight, at: indexer.index(normalBits: bits))
        else { return false }
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
        let index = BucketPlace.place(ofBucket: indexer.index(of: magnitude))
        guard value < 0 else { return positive.add(weight, at: index) }
        negative.add(weight, at: index)
        if keepsNegativePowers && magnitude.isFinite && magnitude.significand == 1 {
            negativePowers.add(weight, at: Int(magnitude.exponent))
        }
    }

    /// Values that are counted by octave, for they are smaller or greater than what has fine buckets.
    package var coarseCount: UInt64 {
        positive.coarseCount &+ negative.coarseCount &- infinities.positive &- infinities.negative
    }

    /// Whether nothing was inserted, or all that was has been subtracted again.
    package var isEmpty: Bool { count == 0 }

    /// Values that were infinite.
    package var infinities: Infinities {
        let place = BucketPlace.place(ofBucket: BucketIndexer.overflowIndex)
        return Infinities(positive: positive[place], negative: negative[place])
    }

    /// Memory of the counts, in bytes, without the allocator's own.
    package var allocatedBytes: Int {
        positive.allocatedBytes + negative.allocatedBytes + negativePowers.allocatedBytes
    }

    /// Forgets everything; memory is kept for the next values unless it is large.
    package mutating func removeAll() {
        positive.removeAll()
        negative.removeAll()
        negativePowers.removeAll()
        (count, zeroCount) = (0, 0)
    }

    /// An immutable copy, for exports.
    package func snapshot() -> SketchSnapshot {
        SketchSnapshot(
            scale: BucketIndexer.scale, positive: positive.copy(), negative: negative.copy(), zeroCount: zeroCount)
    }
}
