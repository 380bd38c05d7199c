/// The weights of values, which give the number of records that the values come from. A value of weight 10 counts as
/// ten but was recorded once, so it tells no more about a distribution than one value.
///
/// Each field is the excess over a weight of one, so that values that are not sampled cost nothing.
package struct SampleWeights: Equatable, Sendable {
    /// The sum of weight - 1.
    package var unrecorded: UInt64
    /// The sum of weight² - weight.
    package var squaredExcess: Double
    /// The part of the sum of weights whose values have unknown weights, because an earlier version stored them.
    package var unknown: UInt64

    package init(unrecorded: UInt64 = 0, squaredExcess: Double = 0, unknown: UInt64 = 0) {
        self.unrecorded = unrecorded
        self.squaredExcess = squaredExcess
        self.unknown = unknown
    }

    package static let none = SampleWeights()

    /// Adds a value's weight, which is above zero.
    @inline(__always)
    package mutating func add(_ weight: UInt32) { if weight != 1 { addMore(weight) } }

    @inline(never)
    private mutating func addMore(_ weight: UInt32) {
        unrecorded &+= UInt64(weight) - 1
        squaredExcess += Double(weight) * (Double(weight) - 1)
    }

    package mutating func merge(_ other: SampleWeights) {
        unrecorded &+= other.unrecorded
        squaredExcess += other.squaredExcess
        unknown &+= other.unknown
    }

    /// Returns the weights that were added since an earlier state. A field that decreased, as after a loss of the
    /// state, becomes zero.
    package func subtracting(_ earlier: SampleWeights) -> SampleWeights {
        SampleWeights(
            unrecorded: unrecorded >= earlier.unrecorded ? unrecorded - earlier.unrecorded : 0,
            squaredExcess: max(0, squaredExcess - earlier.squaredExcess),
            unknown: unknown >= earlier.unknown ? unknown - earlier.unknown : 0)
    }

    /// Returns the number of records of `count` weighted values; nil if some weights are unknown.
    package func records(ofCount count: UInt64) -> UInt64? {
        unknown > 0 ? nil : count >= unrecorded ? count - unrecorded : 0
    }

    /// Whether numbers from a file are possible weights.
    package var isValid: Bool { squaredExcess.isFinite && squaredExcess >= 0 }
}
