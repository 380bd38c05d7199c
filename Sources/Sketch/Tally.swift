/// The statistics of a set of values that cannot be subtracted: the extremes, and the sum of the finite values. The
/// sketch beside it has the number of infinite values.
package struct Tally: Sendable, Equatable {
    /// The smallest value; infinity if there is no value.
    package private(set) var minimum = Double.infinity
    /// The greatest value; minus infinity if there is no value.
    package private(set) var maximum = -Double.infinity
    package internal(set) var sum: SumAccumulator

    package init(valuePerUnit: Double = 1) {
        sum = SumAccumulator(valuePerUnit: valuePerUnit)
    }

    /// Makes a tally from a checkpoint.
    package init(minimum: Double, maximum: Double, sum: SumAccumulator.Parts) {
        self.minimum = minimum
        self.maximum = maximum
        self.sum = SumAccumulator(sum)
    }

    /// Whether there is no value.
    package var isEmpty: Bool { minimum > maximum }

    /// Returns whether a value is within the extremes; false for a NaN.
    @inline(__always)
    func spans(_ value: Double) -> Bool { value >= minimum && value <= maximum }

    /// Widens the extremes by a value, and leaves the sum as it is.
    package mutating func widen(by value: Double) {
        minimum = Swift.min(minimum, value)
        maximum = Swift.max(maximum, value)
    }

    /// Widens the extremes by a value, and adds it to the sum if it is finite.
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
