/// A sum that stays exact where it can.
///
/// Values that are whole numbers of a unit (clock ticks, nanoseconds, bytes) are summed as integers, each clock epoch
/// with the value of its unit, and converted when the sum is read. Other values are summed with Neumaier's compensation
/// (A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", 1974), in the branch-free
/// form of Knuth's two-sum. Either way a sum of millions agrees with the true one to some units of 1e-16. One beyond the
/// greatest finite double is infinite and stays so; two of either sign together are not a number.
package struct SumAccumulator: Sendable, Equatable {
    private var units: Int64 = 0
    /// What a unit is worth in the unit of the sum.
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
            // Only numbers that no clock makes get here; they lose their exactness, not their size.
            foldUnits()
            add(Double(added) * valuePerUnit, weight: weight)
        }
    }

    /// What the integer sum would be; nil when it overflows.
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

    /// Changes what a unit is worth from here on.
    package mutating func beginEpoch(valuePerUnit: Double) {
        guard valuePerUnit != self.valuePerUnit else { return }
        foldUnits()
        self.valuePerUnit = valuePerUnit
    }

    private mutating func foldUnits() {
        add(Double(units) * valuePerUnit)
        units = 0
    }

    /// Adds another sum. Units stay integers as long as the sums agree on what a unit is worth.
    package mutating func merge(_ other: SumAccumulator) {
        if other.units != 0 {
            beginEpoch(valuePerUnit: other.valuePerUnit)
            add(units: other.units, weight: 1)
        }
        add(other.rounded)
        add(other.compensation)
    }

    /// What the sum is made of, to be kept across restarts.
    package struct Parts: Sendable, Equatable {
        /// A whole number of units,
        package var units: Int64
        /// each worth this: finite and above zero;
        package var valuePerUnit: Double
        /// and what was no whole number, with the compensation of its rounding, which is finite.
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
