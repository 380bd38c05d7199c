import Glibc
import TestSupport

extension SeededGenerator {
    mutating func number<T: FixedWidthInteger>(_ range: ClosedRange<T>) -> T { T.random(in: range, using: &self) }

    mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    mutating func normal() -> Double {
        let radius = sqrt(-2 * log(1 - Double.random(in: 0..<1, using: &self)))
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
    }
}

let millisecond: Int64 = 1_000_000
let second: Int64 = 1_000_000_000

func isClose(_ a: Double, _ b: Double, within relative: Double = 1e-9) -> Bool {
    a == b || abs(a - b) <= relative * max(abs(a), abs(b))
}
