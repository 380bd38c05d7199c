/// Where a sketch keeps the count of a bucket.
///
/// Magnitudes from 2^-64 to 2^64 (5.4e-20 to 1.8e19) are counted in the buckets of scale 7. Those beyond are counted by octave, one
/// bucket from each power of two to the next: there a quantile is off by up to a third of itself. The limit does not depend on what
/// a sketch has seen, so that merging stays commutative and subtracting exact, and no values, whatever they are, take more than
/// some 18,400 places of either sign.
///
/// Outside, in copies and exports, a bucket has its index of scale 7 always. An octave has that of its last bucket.
package enum BucketPlace {
    private static let fineOctaves = 64
    private static let lastFine = fineOctaves << BucketIndexer.scale
    /// The place of what lies beyond the last finite octave.
    private static let overflow = lastFine + (1025 - fineOctaves)

    /// Every place that a count of a finite or infinite value may have.
    static let all = place(ofOctave: -1074)...overflow

    /// Whether values of this bucket are counted by octave.
    package static func isCoarse(bucket index: Int) -> Bool { index > lastFine || index <= -lastFine }

    /// The place of the bucket with this index of scale 7.
    @inline(__always)
    static func place(ofBucket index: Int) -> Int {
        isCoarse(bucket: index) ? place(ofOctave: octave(ofBucket: index)) : index
    }

    /// Whether values of two buckets, by their indices of scale 7, are counted in one place.
    package static func isSame(_ one: Int, _ other: Int) -> Bool { place(ofBucket: one) == place(ofBucket: other) }

    /// The index of scale 7 of what is counted at a place.
    @inline(__always)
    static func bucket(atPlace place: Int) -> Int {
        guard isCoarse(bucket: place) else { return place }
        return place == overflow ? BucketIndexer.overflowIndex : octave(atPlace: place) << BucketIndexer.scale
    }

    /// The place of the octave (2^(exponent-1), 2^exponent]; nil where its buckets have a place each.
    static func coarsePlace(ofOctave exponent: Int) -> Int? {
        exponent > fineOctaves || exponent <= -fineOctaves ? place(ofOctave: exponent) : nil
    }

    private static func place(ofOctave exponent: Int) -> Int {
        exponent > 0 ? lastFine + exponent - fineOctaves : -lastFine + exponent + fineOctaves
    }

    /// Whether values of this bucket are counted by octave, though they are finite.
    static func isCountedByOctave(bucket index: Int) -> Bool {
        isCoarse(bucket: index) && index <= BucketIndexer.highestIndex
    }

    /// The offsets of places that hold octaves of finite values, among so many from `base` on.
    static func coarseOffsets(base: Int, length: Int) -> [Int] {
        let below = 0..<Swift.max(0, Swift.min(length, -lastFine - base + 1))
        let start = Swift.max(below.upperBound, lastFine + 1 - base)
        return Array(below) + Array(start..<Swift.max(start, Swift.min(length, overflow - base)))
    }

    /// The power of two that is the upper edge of the octave at, or around, a place.
    static func octave(atPlace place: Int) -> Int {
        if place > lastFine { return fineOctaves + place - lastFine }
        return place <= -lastFine ? place + lastFine - fineOctaves : octave(ofBucket: place)
    }

    private static func octave(ofBucket index: Int) -> Int {
        (index + BucketIndexer.bucketsPerOctave - 1) >> BucketIndexer.scale
    }

    /// The harmonic midpoint of a bucket, or of its octave where values are counted by octave.
    package static func midpoint(ofBucket index: Int) -> Double {
        guard isCoarse(bucket: index) else { return BucketEdges.midpoint(ofBucket: index) }
        if index > BucketIndexer.highestIndex { return .infinity }
        return Double(sign: .plus, exponent: octave(ofBucket: index) - 1, significand: 4 / 3)
    }

    /// Whether a positive double with these bits is a normal one from 2^-64 on and below 2^64.
    @inline(__always)
    static func isFine(normalBits bits: UInt64) -> Bool { (bits >> 52) &- (1023 - 64) < 128 }
}
