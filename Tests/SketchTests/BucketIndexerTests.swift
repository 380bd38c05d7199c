import TestSupport
import Testing

@testable import Sketch

@Suite struct BucketIndexerTests {
    let indexer = BucketIndexer.shared

    @Test("A power of two is the upper edge of its bucket, down to the smallest subnormal")
    func powersOfTwo() {
        for exponent in -1074...1023 {
            let power = Double(sign: .plus, exponent: exponent, significand: 1)
            #expect(indexer.index(of: power) == exponent * 128)
            #expect(indexer.index(of: power.nextUp) > exponent * 128)
        }
    }

    @Test("Each edge inside an octave falls between the same two doubles as the real number 2^(j/128) does")
    func edgesAreExact() {
        for step in 1..<128 {
            let below = greatestMantissa(inBucket: step)
            // below <= 2^(j/128) < below + 1 in units of 2^-52, raised to the 128th power.
            #expect(BigNatural(below).power128() <= BigNatural.powerOfTwo(52 * 128 + step))
            #expect(BigNatural.powerOfTwo(52 * 128 + step) < BigNatural(below + 1).power128())
        }
    }

    /// Returns the mantissa of the greatest double of [1, 2) in a bucket, with 2^52 added.
    private func greatestMantissa(inBucket bucket: Int) -> UInt64 {
        var (low, high) = (UInt64(1) << 52, UInt64(1) << 53)
        while high - low > 1 {
            let middle = (low + high) / 2
            if indexer.index(of: Double(middle) * 0x1p-52) <= bucket { low = middle } else { high = middle }
        }
        return low
    }

    @Test("The same edges hold in every octave, the subnormal ones included")
    func octavesAreAlike() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            let value = random.anyPositive()
            let inFirstOctave = indexer.index(of: value.significand)
            #expect(indexer.index(of: value) == inFirstOctave + 128 * Int(value.exponent))
        }
        for _ in 0..<20_000 {
            let subnormal = Double(bitPattern: UInt64.random(in: 1..<1 << 52, using: &random))
            let expected = indexer.index(of: subnormal.significand) + 128 * Int(subnormal.exponent)
            #expect(indexer.index(of: subnormal) == expected)
        }
    }

    @Test("No value is further from its bucket's midpoint than 0.271 %")
    func midpointError() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<20_000 {
            let value = random.anyPositive()
            let midpoint = BucketEdges.midpoint(ofBucket: indexer.index(of: value))
            #expect(midpoint.isFinite && abs(midpoint - value) <= 0.00271 * value)
        }
    }

    @Test("The lowest and the highest index belong to the smallest and the greatest double")
    func range() {
        #expect(indexer.index(of: .leastNonzeroMagnitude) == BucketIndexer.lowestIndex)
        #expect(indexer.index(of: .greatestFiniteMagnitude) == BucketIndexer.highestIndex)
        #expect(BucketEdges.upperEdge(ofBucket: BucketIndexer.highestIndex) == .infinity)
        #expect(BucketEdges.upperEdge(ofBucket: -256) == 0.25)
    }
}

/// Just enough of arbitrary precision to raise a 53-bit number to the 128th power.
private struct BigNatural: Comparable {
    // Least significant first, without leading zeros.
    private var limbs: [UInt32]

    init(_ value: UInt64) { limbs = [UInt32(truncatingIfNeeded: value), UInt32(value >> 32)] }

    static func powerOfTwo(_ exponent: Int) -> BigNatural {
        var power = BigNatural(0)
        power.limbs = Array(repeating: 0, count: exponent / 32) + [1 << UInt32(exponent % 32)]
        return power
    }

    func power128() -> BigNatural { (0..<7).reduce(self) { power, _ in power.squared() } }

    private func squared() -> BigNatural {
        var product = BigNatural(0)
        product.limbs = Array(repeating: 0, count: 2 * limbs.count)
        for (place, limb) in limbs.enumerated() {
            var carry: UInt64 = 0
            for (other, factor) in limbs.enumerated() {
                let sum = UInt64(limb) * UInt64(factor) + UInt64(product.limbs[place + other]) + carry
                product.limbs[place + other] = UInt32(truncatingIfNeeded: sum)
                carry = sum >> 32
            }
            product.limbs[place + limbs.count] = UInt32(carry)
        }
        while product.limbs.last == 0 { product.limbs.removeLast() }
        return product
    }

    static func < (a: BigNatural, b: BigNatural) -> Bool {
        if a.limbs.count != b.limbs.count { return a.limbs.count < b.limbs.count }
        return a.limbs.reversed().lexicographicallyPrecedes(b.limbs.reversed())
    }
}
