/// The edges of the buckets of scale 7, computed with integers so that every table built on them is exact.
package enum BucketEdges {
    /// 2^(j/128) for j = 0...127 as multiples of 2^-126; the error is some units of 2^-120, far below what decides a
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

    /// Newton's iteration from above, which falls until it has the integer part of the root.
    private static func squareRoot(_ value: UInt128) -> UInt128 {
        var root = 2 * one
        while true {
            let quotient = root.dividingFullWidth((high: value >> 2, low: value << 126)).quotient
            let next = (root + quotient) >> 1
            if next >= root { return root }
            root = next
        }
    }

    /// For each edge of an octave the greatest 52-bit mantissa that is not above it.
    static let mantissas = powers.map { UInt64(truncatingIfNeeded: ($0 - one) >> 74) }

    private static let significands = powers.map { Double($0) * 0x1p-126 }

    /// The upper edge of a bucket, 2^(index/128), rounded to the nearest double; infinity for the last bucket.
    package static func upperEdge(ofBucket index: Int) -> Double {
        Double(sign: .plus, exponent: index >> BucketIndexer.scale, significand: significands[index & 127])
    }

    // 2lu/(l+u) is l times this; the product of the edges would overflow in the last octaves.
    private static let midpointOverLowerEdge = 2 / (1 + 1 / significands[1])

    /// The harmonic midpoint 2lu/(l+u) of a bucket: no value of the bucket is further from it than 0.2708 % of itself.
    ///
    /// Where the buckets lie closer than the doubles do (below some 1e-305), rounding to a double comes on top.
    package static func midpoint(ofBucket index: Int) -> Double {
        upperEdge(ofBucket: index - 1) * midpointOverLowerEdge
    }
}
