/// A column that grows in the file, and starts again from 0 where its source was restarted.
struct SourceTotal<Value: Comparable & AdditiveArithmetic & Sendable>: Equatable, Sendable {
    /// What the column was in the row before; 0 before the first, so that all that the source counted is taken.
    var last = Value.zero

    /// What was added since the row before. A fall is a restart: the value counts from 0 then, as Prometheus' `increase` has it.
    mutating func advance(to value: Value) -> (increase: Value, isRestart: Bool) {
        defer { last = value }
        return value < last ? (value, true) : (value - last, false)
    }
}
