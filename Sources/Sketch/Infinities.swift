/// The number of infinite values of a set.
package struct Infinities: Equatable, Sendable {
    package var positive: UInt64
    package var negative: UInt64

    package init(positive: UInt64, negative: UInt64) {
        (self.positive, self.negative) = (positive, negative)
    }

    package static func + (a: Infinities, b: Infinities) -> Infinities {
        Infinities(positive: a.positive &+ b.positive, negative: a.negative &+ b.negative)
    }

    /// Returns the sum of all values by the rules of IEEE 754: infinite if one value is, NaN if there are infinities of
    /// both signs.
    ///
    /// - Parameter finite: The sum of the finite values.
    package func sum(with finite: Double) -> Double {
        switch (positive > 0, negative > 0) {
        case (false, false): finite
        case (true, false): finite == -.infinity ? .nan : .infinity
        case (false, true): finite == .infinity ? .nan : -.infinity
        case (true, true): .nan
        }
    }
}
