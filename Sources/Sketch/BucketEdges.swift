/// The edges of the buckets of scale 7, computed with integers so that every table built on them is exact.
package enum BucketEdges {
    /// 2^(j/128) for j = 0...127 as multiples of 2^-126. The error is some units of 2^-120, too small to change a
    /// 52-bit mantissa.
    private static let powers: [UInt128] = {
        var roots: [UInt128] = [2 * one]
        for _ in 0..<BucketIndexer.scale { roots.append(squareRoot(roots[roots.count - 1])) }
        return (0..<BucketIndexer.bucketsPerOctave).map { step in
            (0..<BucketIndexer.scale).reduce(one) { product, bit in
                step >> bit & 1 == 1 ? multiply(product, roots[BucketIndexer.scale - bit]) : product
            }
        }
    }()

    private static let one: UInt128 = 1 << 126

    private static func multiply(_ a: UInt128, _ b: UInt128) -> UInt128 {
        let product = a.multipliedFullWidth(by: b)
        return product.high << 2 | product.low >> 126
    }

    /// Returns the integer part of the root, by Newton's iteration from above, which decreases until it arrives there.
    private static func squareRoot(_ value: UInt128) -> UInt128 {
        var root = 2 * one
        while true {
            let quotient = root.dividingFullWidth((high: value >> 2, low: value << 126)).quotient
            let next = (root + quotient) >> 1
            if next >= root { return root }
            root = next
        }
    }

    /// The greatest 52-bit mantissa that is not above an edge, for each edge of an octave.
    static let mantissas = powers.map { UInt64(truncatingIfNeeded: ($0 - one) >> 74) }

    private static let significands = powers.map { Double($0) * 0x1p-126 }

    /// Returns the upper edge of a bucket, 2^(index/128), rounded to the nearest double; infinity for the last bucket.
    package static func upperEdge(ofBucket index: Int) -> Double {
        Double(sign: .plus, exponent: index >> BucketIndexer.scale, significand: significands[index & 127])
    }

    // The midpoint 2lu/(l+u) is l times this factor. The product l·u would overflow in the last octaves.
    private static let midpointOverLowerEdge = 2 / (1 + 1 / significands[1])

    /// Returns the harmonic midpoint 2lu/(l+u) of a bucket. No value of the bucket differs from it by more than 0.2708
    /// % of itself.
    ///
    /// Buckets below some 1e-305 are narrower than the distance of two doubles. Rounding adds to the error there.
    package static func midpoint(ofBucket index: Int) -> Double {
        upperEdge(ofBucket: index - 1) * midpointOverLowerEdge
    }
}
