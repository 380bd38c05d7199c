public import CRingside

/// A value that is set. It is unset until the first ``set(_:)`` of a life. Its highest value of that life is kept
/// beside it.
///
/// Copyable, not `Sendable`: it belongs to the ring's one producer. Inert once its ring is detached.
@frozen
public struct Gauge: Instrument {
    /// What ``set(_:)`` writes.
    public enum Recording: Sendable {
        /// The value alone. The collector looks some 100 ms apart; a value set in between shows only in the highest
        /// value.
        case lastValue
        /// The value and a record with its time, so that every spike shows in the windows.
        case everyChange
    }

    @usableFromInline let producer: UnsafeMutablePointer<ringside_producer>
    @usableFromInline let id: UInt32
    @usableFromInline let writesRecords: Bool

    init(producer: UnsafeMutablePointer<ringside_producer>, id: UInt32, recording: Recording) {
        self.producer = producer
        self.id = id
        writesRecords = recording == .everyChange
    }

    /// Sets the gauge. Costs 1-2 ns and writes no record; with ``Recording/everyChange`` 13 ns and one record. A NaN is
    /// not a value and changes nothing.
    @inlinable @inline(__always)
    public func set(_ value: Double) {
        producer.exclusively {
            if writesRecords { ringside_gauge_change($0, id, value) } else { ringside_gauge_set($0, id, value) }
        }
    }

    /// Sets the gauge to a whole number of any type. A number beyond 2^53 becomes the nearest double.
    @inlinable @inline(__always) @_disfavoredOverload
    public func set(_ value: some BinaryInteger) { set(Double(value)) }

    /// A gauge without a ring, for a registration that failed: every call does nothing.
    public static var disabled: Gauge { Gauge(producer: ringside_inert(), id: 0, recording: .lastValue) }
}

@available(
    *, unavailable, message: "an instrument belongs to its ring's one producer; attach a lane for another thread"
)
extension Gauge: Sendable {}
