public import CRingside

/// A distribution of values. Each value is one record, from which the collector computes percentiles.
///
/// Copyable, not `Sendable`: it belongs to the ring's one producer. Inert once its ring is detached. A `trace` ties the
/// records of one order together across instruments and lanes; 0 means no trace.
@frozen
public struct Histogram: Instrument {
    @usableFromInline let producer: UnsafeMutablePointer<ringside_producer>
    @usableFromInline let id: UInt32

    init(producer: UnsafeMutablePointer<ringside_producer>, id: UInt32) {
        self.producer = producer
        self.id = id
    }

    /// Records a value in the metric's unit, without a time. The collector takes the time at which it reads the record,
    /// at most some 100 ms later. 2.3 ns.
    @inlinable @inline(__always)
    public func record(_ value: Double, trace: UInt64 = 0) {
        producer.exclusively { ringside_value($0, id, value, trace) }
    }

    /// Records a whole number of any type. A number beyond 2^53 becomes the nearest double.
    @inlinable @inline(__always) @_disfavoredOverload
    public func record(_ value: some BinaryInteger, trace: UInt64 = 0) { record(Double(value), trace: trace) }

    /// A histogram without a ring, for a registration that failed: every call does nothing.
    public static var disabled: Histogram { Histogram(producer: ringside_inert(), id: 0) }

    /// Records a value with its time, from ``Telemetry/now()``. 2.3 ns, without the clock read.
    @inlinable @inline(__always)
    public func record(_ value: Double, at time: Instant, trace: UInt64 = 0) {
        producer.exclusively { ringside_value_at($0, id, value, time.ticks, trace) }
    }
}

@available(
    *, unavailable, message: "an instrument belongs to its ring's one producer; attach a lane for another thread"
)
extension Histogram: Sendable {}
