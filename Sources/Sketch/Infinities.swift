/// How many of a set of values are infinite.
package struct Infinities: Equatable, Sendable {
    package var positive: UInt64
    package var negative: UInt64

    package init(positive: UInt64, negative: UInt64) {
        (self.positive, self.negative) = (positive, negative)
    }

    package static func + (a: Infinities, b: Infinities) -> Infinities {
        Infinities(positive: a.positive &+ b.positive, negative: a.negative &+ b.negative)
    }

    /// The sum of all values, as IEEE 754 has it: infinite where one is, and not a number where two of either sign are.
    ///
    /// - Parameter finite: the sum of those that are finite.
    package func sum(with finite: Double) -> Double {
        switch (positive > 0, negative > 0) {
        case (false, false): finite
        case (true, false): finite == -.infinity ? .nan : .infinity
        case (false, true): finite == .infinity ? .nan : -.infinity
        case (true, true): .nan
        }
    }
}
