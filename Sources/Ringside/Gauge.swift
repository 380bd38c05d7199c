public import CRingside

/// A value that is set. Unset until the first ``set(_:)`` of a life; its highest value of the life is kept beside it.
///
/// Copyable, not `Sendable`: it belongs to the ring's one producer. Inert once its ring is detached.
@frozen
public struct Gauge {
    @usableFromInline let producer: UnsafeMutablePointer<ringside_producer>
    @usableFromInline let id: UInt32

    init(producer: UnsafeMutablePointer<ringside_producer>, id: UInt32) {
        self.producer = producer
        self.id = id
    }

    /// Sets the gauge. 1-2 ns; writes no record. A NaN is not a value and changes nothing.
    @inlinable @inline(__always)
    public func set(_ value: Double) {
        ringside_gauge_set(producer, id, value)
    }
}

@available(*, unavailable, message: "an instrument belongs to its ring's one producer; attach a lane for another thread")
extension Gauge: Sendable {}
