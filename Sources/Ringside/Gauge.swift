public import CRingside

/// A value that is set. Unset until the first ``set(_:)`` of a life; its highest value of the life is kept beside it.
///
/// Copyable, not `Sendable`: it belongs to the ring's one producer. Inert once its ring is detached.
@frozen
public struct Gauge: Instrument {
    /// What a set leaves behind.
    public enum Recording: Sendable {
        /// The value alone: what it was between two looks of the collector, some 100 ms apart, shows in its highest only.
        case lastValue
        /// Also a record with its time, so that every spike shows in the windows.
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

    /// Sets the gauge. 1-2 ns and no record; 13 ns and one record with ``Recording/everyChange``. A NaN is not a value and
    /// changes nothing.
    @inlinable @inline(__always)
    public func set(_ value: Double) {
        producer.exclusively {
            if writesRecords { ringside_gauge_change($0, id, value) } else { ringside_gauge_set($0, id, value) }
        }
    }
}

@available(
    *, unavailable, message: "an instrument belongs to its ring's one producer; attach a lane for another thread"
)
extension Gauge: Sendable {}
