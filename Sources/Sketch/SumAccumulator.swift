/// A sum that is exact if possible.
///
/// Whole numbers of a unit (clock ticks, nanoseconds, bytes) are summed as integers, with the value of the unit in each
/// clock epoch, and converted when the sum is read. Other values are summed with Neumaier's compensation (A. Neumaier,
/// "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", 1974), in the branch-free form of Knuth's
/// two-sum. In both cases a sum of millions of values has a relative error of some 1e-16. A sum beyond the greatest
/// finite double becomes infinite and stays so; infinities of both signs add up to NaN.
package struct SumAccumulator: Sendable, Equatable {
    private var units: Int64 = 0
    /// The value of a unit in the unit of the sum.
    package private(set) var valuePerUnit: Double
    private var rounded: Double = 0
    private var compensation: Double = 0

    package init(valuePerUnit: Double = 1) {
        self.valuePerUnit = valuePerUnit
    }

    /// Adds a whole number of units `weight` times.
    package mutating func add(units added: Int64, weight: UInt32) {
        if let sum = adding(units: added, weight: weight) {
            units = sum
        } else {
            // Only numbers that no clock yields overflow. They lose their exactness, not their magnitude.
            foldUnits()
            add(Double(added) * valuePerUnit, weight: weight)
        }
    }

    /// Returns the new integer sum; nil if it overflows.
    @inline(__always)
    func adding(units added: Int64, weight: UInt32) -> Int64? {
        let (product, overflowed) = added.multipliedReportingOverflow(by: Int64(weight))
        let (sum, carried) = units.addingReportingOverflow(product)
        return overflowed || carried ? nil : sum
    }

    @inline(__always)
    mutating func replaceUnits(_ sum: Int64) { units = sum }

    /// Adds a value `weight` times.
    @inline(__always)
    package mutating func add(_ value: Double, weight: UInt32 = 1) {
        let added = value * Double(weight)
        let sum = rounded + added
        guard sum.isFinite else { return overflow(sum) }
        let part = sum - rounded
        compensation += (rounded - (sum - part)) + (added - part)
        rounded = sum
    }

    @inline(never)
    private mutating func overflow(_ sum: Double) { (rounded, compensation) = (sum, 0) }

    /// Changes the value of a unit from here on.
    package mutating func beginEpoch(valuePerUnit: Double) {
        guard valuePerUnit != self.valuePerUnit else { return }
        foldUnits()
        self.valuePerUnit = valuePerUnit
    }

    private mutating func foldUnits() {
        add(Double(units) * valuePerUnit)
        units = 0
    }

    /// Adds another sum. Units stay integers as long as both sums have the same value of a unit.
    package mutating func merge(_ other: SumAccumulator) {
        if other.units != 0 {
            beginEpoch(valuePerUnit: other.valuePerUnit)
            add(units: other.units, weight: 1)
        }
        add(other.rounded)
        add(other.compensation)
    }

    /// The parts of the sum, as a checkpoint stores them.
    package struct Parts: Sendable, Equatable {
        /// A whole number of units.
        package var units: Int64
        /// The value of a unit, finite and above zero.
        package var valuePerUnit: Double
        /// The sum of the other values; the compensation of its rounding is finite.
        package var rounded: Double
        package var compensation: Double

        package init(units: Int64, valuePerUnit: Double, rounded: Double, compensation: Double) {
            self.units = units
            self.valuePerUnit = valuePerUnit
            self.rounded = rounded
            self.compensation = compensation
        }
    }

    package var parts: Parts {
        Parts(units: units, valuePerUnit: valuePerUnit, rounded: rounded, compensation: compensation)
    }

    package init(_ parts: Parts) {
        units = parts.units
        valuePerUnit = parts.valuePerUnit
        rounded = parts.rounded
        compensation = parts.compensation
    }

    /// The sum.
    package var value: Double {
        var copy = self
        copy.foldUnits()
        return copy.rounded + copy.compensation
    }
}
