import Glibc

/// SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014): a test's course
/// follows from its seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func number<T: FixedWidthInteger>(_ range: ClosedRange<T>) -> T { T.random(in: range, using: &self) }

    mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    mutating func normal() -> Double {
        sqrt(-2 * log(1 - Double.random(in: 0..<1, using: &self)))
            * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
    }
}

let millisecond: Int64 = 1_000_000
let second: Int64 = 1_000_000_000

func isClose(_ a: Double, _ b: Double, within relative: Double = 1e-9) -> Bool {
    a == b || abs(a - b) <= relative * max(abs(a), abs(b))
}
