/// A sketch in the buckets of Prometheus' native histograms: those of the sketch itself, merged by neighbours where they
/// are to be coarser, so that every count is what inserting the same values at that schema would have made it.
///
/// Bucket i of schema s covers (2^((i-1)/2^s), 2^(i/2^s)]; that of magnitudes of negative values is its mirror image.
/// OTLP's exponential histograms have the same buckets, and number each of them one less: (2^(i/2^s), 2^((i+1)/2^s)].
package struct NativeBuckets: Sendable, Equatable {
    /// Buckets an octave are 2^schema.
    package let schema: Int
    /// Buckets that hold a count, ascending by index.
    package let positive: [SketchSnapshot.Bucket]
    /// The same over magnitudes of negative values.
    package let negative: [SketchSnapshot.Bucket]
    /// Values that were exactly zero: the zero bucket's threshold is 0.
    package let zeroCount: UInt64

    /// The schemas that Prometheus takes. At the coarsest one the doubles have 132 buckets of either sign.
    package static let schemas = -4...8

    /// - Parameters:
    ///   - schema: The finest wanted, within ``schemas``; a sketch's own scale is as fine as it gets.
    ///   - limit: What has to hold before the schema is fine enough; default none. The coarsest schema is taken whether or
    ///     not it is within the limit.
    ///
    /// Cost: one pass over the sketch's buckets, and one more for each schema that is beyond the limit.
    package init(_ sketch: SketchSnapshot, schema: Int, limit: Limit = .none) {
        precondition(Self.schemas.contains(schema))
        var merged = sketch.downscaled(to: schema)
        while merged.scale > Self.schemas.lowerBound, !limit.holds(merged) {
            merged = merged.downscaled(to: merged.scale - 1)
        }
        self.schema = merged.scale
        (positive, negative, zeroCount) = (merged.positive, merged.negative, merged.zeroCount)
    }

    /// How many buckets a histogram may have before it goes to a coarser schema.
    package enum Limit: Hashable, Sendable {
        case none
        /// So many that hold a count, of both signs together: what a client library's cap means.
        case occupied(Int)
        /// So many of either sign from the first that holds a count to the last: what OTLP sends, and its cap means.
        case spanned(Int)

        fileprivate func holds(_ sketch: SketchSnapshot) -> Bool {
            switch self {
            case .none: true
            case .occupied(let limit): sketch.positive.count + sketch.negative.count <= limit
            case .spanned(let limit):
                sketch.positive.spannedCount <= limit && sketch.negative.spannedCount <= limit
            }
        }
    }

    /// The same with a zero bucket that takes all magnitudes up to 2^`exponent`.
    ///
    /// - Parameter exponent: a multiple of 16, so that the limit is an edge at every schema.
    package func withZeroBucket(upToPower exponent: Int) -> NativeBuckets {
        precondition(exponent % 16 == 0)
        let last = schema >= 0 ? exponent << schema : exponent >> -schema
        func isFar(_ bucket: SketchSnapshot.Bucket) -> Bool { Int(bucket.index) > last }
        // Ascending: what is nearest to zero is the first.
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

    /// All values counted.
    package var count: UInt64 {
        (positive + negative).reduce(zeroCount) { $0 &+ $1.count }
    }
}

extension [SketchSnapshot.Bucket] {
    /// Buckets from the first to the last, those between them that hold nothing included.
    package var spannedCount: Int {
        guard let first, let last else { return 0 }
        return Int(last.index) - Int(first.index) + 1
    }
}
