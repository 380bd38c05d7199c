/// The places at which a sketch stores the counts of its buckets.
///
/// Magnitudes from 2^-64 to 2^64 (5.4e-20 to 1.8e19) are counted in the buckets of scale 7. Magnitudes beyond are
/// counted by octave, in one bucket from each power of two to the next. A quantile there has an error of up to a third
/// of its value. The limits do not depend on the values in a sketch, so that merging stays commutative and subtracting
/// exact. Values of one sign never need more than some 18,400 places.
///
/// In copies and exports, every bucket has its index of scale 7. An octave has the index of its last bucket.
package enum BucketLayout {
    private static let fineOctaves = 64
    private static let lastFine = fineOctaves << BucketIndexer.scale
    /// The place of infinite magnitudes, after the last finite octave.
    private static let overflow = lastFine + (1025 - fineOctaves)

    /// All places, including those of infinite values.
    static let all = place(ofOctave: -1074)...overflow

    /// Returns whether values of this bucket are counted by octave.
    package static func isCoarse(bucket index: Int) -> Bool { index > lastFine || index <= -lastFine }

    /// Returns the place of a bucket, given its index of scale 7.
    @inline(__always)
    static func place(ofBucket index: Int) -> Int {
        isCoarse(bucket: index) ? place(ofOctave: octave(ofBucket: index)) : index
    }

    /// Returns whether values of two buckets are counted in one place, given the buckets' indices of scale 7.
    package static func isSame(_ one: Int, _ other: Int) -> Bool { place(ofBucket: one) == place(ofBucket: other) }

    /// Returns the index of scale 7 of the bucket at a place.
    @inline(__always)
    static func bucket(atPlace place: Int) -> Int {
        guard isCoarse(bucket: place) else { return place }
        return place == overflow ? BucketIndexer.overflowIndex : octave(atPlace: place) << BucketIndexer.scale
    }

    /// Returns the place of the octave (2^(exponent-1), 2^exponent]; nil if each of its buckets has a place.
    static func coarsePlace(ofOctave exponent: Int) -> Int? {
        exponent > fineOctaves || exponent <= -fineOctaves ? place(ofOctave: exponent) : nil
    }

    private static func place(ofOctave exponent: Int) -> Int {
        exponent > 0 ? lastFine + exponent - fineOctaves : -lastFine + exponent + fineOctaves
    }

    /// Returns whether the values of this bucket are finite and counted by octave.
    static func isCountedByOctave(bucket index: Int) -> Bool {
        isCoarse(bucket: index) && index <= BucketIndexer.highestIndex
    }

    /// Returns whether one of `length` places from `base` on is the place of an octave.
    @inline(__always)
    static func mayBeCoarse(base: Int, length: Int) -> Bool { base <= -lastFine || base + length > lastFine + 1 }

    /// Returns the offsets of places that hold octaves of finite values, among `length` places from `base` on.
    static func coarseOffsets(base: Int, length: Int) -> [Int] {
        let below = 0..<Swift.max(0, Swift.min(length, -lastFine - base + 1))
        let start = Swift.max(below.upperBound, lastFine + 1 - base)
        return Array(below) + Array(start..<Swift.max(start, Swift.min(length, overflow - base)))
    }

    /// Returns the exponent of the upper edge of the octave at a place, or around it.
    static func octave(atPlace place: Int) -> Int {
        if place > lastFine { return fineOctaves + place - lastFine }
        return place <= -lastFine ? place + lastFine - fineOctaves : octave(ofBucket: place)
    }

    private static func octave(ofBucket index: Int) -> Int {
        (index + BucketIndexer.bucketsPerOctave - 1) >> BucketIndexer.scale
    }

    /// Returns the harmonic midpoint of a bucket, or of its octave if its values are counted by octave.
    package static func midpoint(ofBucket index: Int) -> Double {
        guard isCoarse(bucket: index) else { return BucketEdges.midpoint(ofBucket: index) }
        if index > BucketIndexer.highestIndex { return .infinity }
        return Double(sign: .plus, exponent: octave(ofBucket: index) - 1, significand: 4 / 3)
    }

    /// Returns whether these are the bits of a normal positive double from 2^-64 on and below 2^64.
    @inline(__always)
    static func isFine(normalBits bits: UInt64) -> Bool { (bits >> 52) &- (1023 - 64) < 128 }
}
