/// The unit in which the values of a series are shown, and the conversion to it.
package struct UnitConversion: Hashable, Sendable {
    /// The unit in which its bot registered it.
    package var own: MetricUnit
    /// The unit in which it is shown.
    package var unit: MetricUnit
    package var scale: UnitScale

    package init(own: MetricUnit, unit: MetricUnit, scale: UnitScale) {
        self.own = own
        self.unit = unit
        self.scale = scale
    }

    /// Returns a conversion that leaves values as they were registered.
    package static func none(_ unit: MetricUnit) -> UnitConversion {
        UnitConversion(own: unit, unit: unit, scale: .identity)
    }

    /// Returns the metric's help text with a note of the conversion.
    func help(_ text: String) -> String {
        guard !scale.isIdentity else { return text }
        let origin = own == .none ? "" : " from \(own.rawValue)"
        return (text.isEmpty ? "" : text + " ") + "Converted\(origin): \(scale)."
    }
}
