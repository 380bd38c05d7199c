/// A record with a trace id, shown as the example of its bucket.
package struct ExemplarSnapshot: Sendable, Equatable {
    /// In the metric's unit; may be infinite.
    package var value: Double
    /// Not 0.
    package var traceID: TraceID
    /// The time on the series' clock. ``Snapshot/clockOffsetNanoseconds`` converts it to Unix time.
    package var timeNanoseconds: Int64

    package init(value: Double, traceID: TraceID, timeNanoseconds: Int64) {
        self.value = value
        self.traceID = traceID
        self.timeNanoseconds = timeNanoseconds
    }
}
