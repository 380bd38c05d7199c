/// A record that carried a trace id, shown for all of its bucket.
package struct ExemplarSnapshot: Sendable, Equatable {
    /// In the metric's unit; may be infinite.
    package var value: Double
    /// Not 0.
    package var traceID: UInt64
    /// When it happened, on the series' clock; ``Snapshot/clockOffsetNanoseconds`` makes it Unix time.
    package var timeNanoseconds: Int64

    package init(value: Double, traceID: UInt64, timeNanoseconds: Int64) {
        self.value = value
        self.traceID = traceID
        self.timeNanoseconds = timeNanoseconds
    }
}
