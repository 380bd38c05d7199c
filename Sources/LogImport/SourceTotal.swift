/// A column that grows in the file, and starts again from 0 if its source was restarted.
struct SourceTotal<Value: Comparable & AdditiveArithmetic & Sendable>: Equatable, Sendable {
    /// The column's value in the previous row; 0 before the first, so that everything that the source has counted is
    /// taken.
    var last = Value.zero

    /// Returns the increase since the previous row. A fall means a restart: the value then counts from 0, as in
    /// Prometheus' `increase`.
    mutating func advance(to value: Value) -> (increase: Value, isRestart: Bool) {
        defer { last = value }
        return value < last ? (value, true) : (value - last, false)
    }
}
