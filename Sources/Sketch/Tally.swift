/// What of a set of values cannot be subtracted again: the extremes, and the sum of those that are finite. A sketch beside it
/// knows how many are not.
package struct Tally: Sendable, Equatable {
    /// Infinity while there is no value.
    package private(set) var minimum = Double.infinity
    /// Minus infinity while there is no value.
    package private(set) var maximum = -Double.infinity
    package internal(set) var sum: SumAccumulator

    package init(valuePerUnit: Double = 1) {
        sum = SumAccumulator(valuePerUnit: valuePerUnit)
    }

    /// A tally that was kept across a restart.
    package init(minimum: Double, maximum: Double, sum: SumAccumulator.Parts) {
        self.minimum = minimum
        self.maximum = maximum
        self.sum = SumAccumulator(sum)
    }

    /// Whether no value was taken in.
    package var isEmpty: Bool { minimum > maximum }

    /// Whether a value is no new extreme; false for a NaN.
    @inline(__always)
    func spans(_ value: Double) -> Bool { value >= minimum && value <= maximum }

    /// Takes a value into the extremes, not into the sum.
    package mutating func widen(by value: Double) {
        minimum = Swift.min(minimum, value)
        maximum = Swift.max(maximum, value)
    }

    /// Takes a value into the extremes and, where it is finite, into the sum.
    package mutating func add(_ value: Double, weight: UInt32) {
        widen(by: value)
        if value.isFinite { sum.add(value, weight: weight) }
    }

    /// Adds the sum and the extremes of other values.
    package mutating func merge(_ other: Tally) {
        minimum = Swift.min(minimum, other.minimum)
        maximum = Swift.max(maximum, other.maximum)
        sum.merge(other.sum)
    }
}
