internal import Glibc

/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014). A seed gives the
/// same numbers on every machine, which the system's generator does not promise.
struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Makes a separate generator for each of several bots of one seed. Neighbours share no stretch of numbers.
    init(seed: UInt64, stream: Int) {
        var root = SeededRandom(seed: seed ^ (UInt64(truncatingIfNeeded: stream) &* 0xD1B5_4A32_D192_ED03))
        state = root.next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from the uniform distribution in [0, 1), with all 53 bits of the significand.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns a whole number from 0 to `bound` - 1, by Lemire's multiplication without its rejection step. The bias is
    /// below bound / 2^64.
    mutating func below(_ bound: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(bound)).high) }

    /// Returns a number from the exponential distribution with the given mean: a waiting time of a Poisson process.
    mutating func exponential(mean: Double) -> Double { -mean * log(1 - unit()) }

    /// Returns a number with mean 0 and variance 1, from a sum of four uniform ones. It is near enough to normal for a
    /// drift.
    mutating func roughlyNormal() -> Double { (unit() + unit() + unit() + unit() - 2) * 1.732_050_8 }
}
