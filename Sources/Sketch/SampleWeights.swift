/// What the weights of values say of how many records stand behind them: a value of weight 10 counts as ten and was recorded
/// once, so that ten of them say no more of a distribution than ten values do.
///
/// All of it is kept as what exceeds a weight of one, so that values that are not sampled cost nothing.
package struct SampleWeights: Equatable, Sendable {
    /// The sum of weight - 1.
    package var unrecorded: UInt64
    /// The sum of weight² - weight.
    package var squaredExcess: Double
    /// Of the sum of weights, what belongs to values of which it is not known how they were weighted: those that an earlier
    /// version kept.
    package var unknown: UInt64

    package init(unrecorded: UInt64 = 0, squaredExcess: Double = 0, unknown: UInt64 = 0) {
        self.unrecorded = unrecorded
        self.squaredExcess = squaredExcess
        self.unknown = unknown
    }

    package static let none = SampleWeights()

    /// Takes in a value's weight, which is above zero.
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

    /// What came since an earlier state; what fell, as after a loss of the state, is taken as nothing.
    package func subtracting(_ earlier: SampleWeights) -> SampleWeights {
        SampleWeights(
            unrecorded: unrecorded >= earlier.unrecorded ? unrecorded - earlier.unrecorded : 0,
            squaredExcess: max(0, squaredExcess - earlier.squaredExcess),
            unknown: unknown >= earlier.unknown ? unknown - earlier.unknown : 0)
    }

    /// The records behind values of which each counts as often as its weight says; nil where that is not known of all.
    package func records(ofCount count: UInt64) -> UInt64? {
        unknown > 0 ? nil : count >= unrecorded ? count - unrecorded : 0
    }

    /// Whether numbers from a file can be weights.
    package var isValid: Bool { squaredExcess.isFinite && squaredExcess >= 0 }
}
