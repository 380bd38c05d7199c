/// A sketch in the buckets of Prometheus' native histograms. These are the sketch's buckets, with neighbours merged for
/// a coarser schema. The counts are the same as if the values had been inserted at that schema.
///
/// Bucket i of schema s covers (2^((i-1)/2^s), 2^(i/2^s)]. Buckets of negative values are its mirror image. OTLP's
/// exponential histograms have the same buckets with numbers that are lower by one: (2^(i/2^s), 2^((i+1)/2^s)].
package struct NativeBuckets: Sendable, Equatable {
    /// An octave has 2^schema buckets.
    package let schema: Int
    /// Buckets with a count above zero, ascending by index.
    package let positive: [SketchSnapshot.Bucket]
    /// The same over magnitudes of negative values.
    package let negative: [SketchSnapshot.Bucket]
    /// The number of values that are exactly zero: the zero bucket's threshold is 0.
    package let zeroCount: UInt64

    /// The schemas that Prometheus accepts. At the coarsest one, all doubles of one sign have 132 buckets.
    package static let schemas = -4...8

    /// - Parameters:
    ///   - schema: The finest schema wanted, within ``schemas``. The sketch's own scale is the finest possible.
    ///   - limit: The greatest number of buckets; default none. The coarsest schema is used even if it exceeds the
    ///     limit.
    ///
    /// Cost: one pass over the sketch's buckets. If a limit requires a coarser schema, one more pass. For `occupied`,
    /// also one pass over the occupied buckets for each schema that exceeds the limit.
    package init(_ sketch: SketchSnapshot, schema: Int, limit: Limit = .none) {
        precondition(Self.schemas.contains(schema))
        let scale = min(schema, sketch.scale)
        let shift = Int32(clamping: sketch.scale - scale)
        let (positive, negative) = (
            sketch.positiveCounts.merged(shift: shift), sketch.negativeCounts.merged(shift: shift)
        )
        var coarser = 0
        while scale - coarser > Self.schemas.lowerBound, !limit.holds(positive, negative, shift: Int32(coarser)) {
            coarser += 1
        }
        self.schema = scale - coarser
        self.positive = coarser == 0 ? positive : positive.merged(shift: Int32(coarser))
        self.negative = coarser == 0 ? negative : negative.merged(shift: Int32(coarser))
        zeroCount = sketch.zeroCount
    }

    /// The number of buckets that a histogram may have before a coarser schema is used.
    package enum Limit: Hashable, Sendable {
        case none
        /// A number of buckets with a count above zero, both signs together. Client libraries define their limit so.
        case occupied(Int)
        /// A number of buckets of one sign from the first to the last with a count above zero. OTLP sends all of these,
        /// and limits their number.
        case spanned(Int)

        /// Returns whether the limit is kept once 2^`shift` neighbours are one bucket.
        fileprivate func holds(
            _ positive: [SketchSnapshot.Bucket], _ negative: [SketchSnapshot.Bucket], shift: Int32
        ) -> Bool {
            switch self {
            case .none: true
            case .occupied(let limit): positive.mergedCount(shift: shift) + negative.mergedCount(shift: shift) <= limit
            case .spanned(let limit):
                positive.spannedCount(shift: shift) <= limit && negative.spannedCount(shift: shift) <= limit
            }
        }
    }

    /// Returns these buckets with a zero bucket that includes all magnitudes up to 2^`exponent`.
    ///
    /// - Parameter exponent: A multiple of 16, so that the threshold is an edge at every schema.
    package func withZeroBucket(upToPower exponent: Int) -> NativeBuckets {
        precondition(exponent % 16 == 0)
        let last = schema >= 0 ? exponent << schema : exponent >> -schema
        func isFar(_ bucket: SketchSnapshot.Bucket) -> Bool { Int(bucket.index) > last }
        // The buckets are ascending, so the first is nearest to zero.
        guard !(positive.first.map(isFar) ?? true && negative.first.map(isFar) ?? true) else { return self }
        let near = (positive + negative).filter { !isFar($0) }
        return NativeBuckets(
            schema: schema, positive: positive.filter(isFar), negative: negative.filter(isFar),
            zeroCount: near.reduce(zeroCount) { $0 &+ $1.count })
    }

    private init(
        schema: Int, positive: [SketchSnapshot.Bucket], negative: [SketchSnapshot.Bucket], zeroCount: UInt64
    ) {
        self.schema = schema
        self.positive = positive
        self.negative = negative
        self.zeroCount = zeroCount
    }

    /// The number of values.
    package var count: UInt64 {
        (positive + negative).reduce(zeroCount) { $0 &+ $1.count }
    }
}

extension [SketchSnapshot.Bucket] {
    /// The number of buckets from the first to the last, empty ones included.
    package var spannedCount: Int { spannedCount(shift: 0) }

    /// Returns the same number once 2^`shift` neighbours are one bucket.
    fileprivate func spannedCount(shift: Int32) -> Int {
        guard let first, let last else { return 0 }
        return Int((last.index - 1) >> shift) - Int((first.index - 1) >> shift) + 1
    }

    /// Returns the number of occupied buckets once 2^`shift` neighbours are one bucket.
    fileprivate func mergedCount(shift: Int32) -> Int {
        if shift == 0 { return count }
        guard let first else { return 0 }
        var (merged, last) = (1, (first.index - 1) >> shift)
        for bucket in self where (bucket.index - 1) >> shift != last {
            merged += 1
            last = (bucket.index - 1) >> shift
        }
        return merged
    }

    /// Returns the buckets with 2^`shift` neighbours merged into one.
    fileprivate func merged(shift: Int32) -> [SketchSnapshot.Bucket] { CountsCopy.listed(self).merged(shift: shift) }
}
