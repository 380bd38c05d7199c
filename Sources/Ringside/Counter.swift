public import CRingside

/// A total that only grows. Exact whatever becomes of the ring's records: its cell lies in the segment.
///
/// Copyable, not `Sendable`: it belongs to the ring's one producer. Inert once its ring is detached.
@frozen
public struct Counter: Instrument {
    @usableFromInline let producer: UnsafeMutablePointer<ringside_producer>
    @usableFromInline let id: UInt32

    init(producer: UnsafeMutablePointer<ringside_producer>, id: UInt32) {
        self.producer = producer
        self.id = id
    }

    /// Adds `amount` (default 1). 1-2 ns; writes no record. Wraps past 2^64.
    @inlinable @inline(__always)
    public func increment(by amount: UInt64 = 1) {
        producer.exclusively { ringside_counter_add($0, id, amount) }
    }
}

@available(
    *, unavailable, message: "an instrument belongs to its ring's one producer; attach a lane for another thread"
)
extension Counter: Sendable {}

/// A total of amounts that are no whole numbers, such as commissions in dollars.
///
/// Copyable, not `Sendable`: it belongs to the ring's one producer. Inert once its ring is detached.
@frozen
public struct FractionalCounter: Instrument {
    @usableFromInline let producer: UnsafeMutablePointer<ringside_producer>
    @usableFromInline let id: UInt32

    init(producer: UnsafeMutablePointer<ringside_producer>, id: UInt32) {
        self.producer = producer
        self.id = id
    }

    /// Adds `amount`, in the metric's unit. 2 ns; writes no record. A negative amount, and a NaN, change nothing: a counter
    /// does not fall. An amount below the total's last bit (a part in 2^53) is lost, as in any sum of doubles.
    @inlinable @inline(__always)
    public func increment(by amount: Double) {
        producer.exclusively { ringside_counter_add_fraction($0, id, amount) }
    }
}

@available(
    *, unavailable, message: "an instrument belongs to its ring's one producer; attach a lane for another thread"
)
extension FractionalCounter: Sendable {}

/// A count that rises and falls. Starts each life at 0; its highest value of the life is kept beside it.
///
/// Copyable, not `Sendable`: it belongs to the ring's one producer. Inert once its ring is detached.
@frozen
public struct UpDownCounter: Instrument {
    @usableFromInline let producer: UnsafeMutablePointer<ringside_producer>
    @usableFromInline let id: UInt32

    init(producer: UnsafeMutablePointer<ringside_producer>, id: UInt32) {
        self.producer = producer
        self.id = id
    }

    /// Adds `amount`, which may be negative. 1-2 ns; writes no record. Wraps past 2^63.
    @inlinable @inline(__always)
    public func add(_ amount: Int64) {
        producer.exclusively { ringside_up_down_add($0, id, amount) }
    }
}

@available(
    *, unavailable, message: "an instrument belongs to its ring's one producer; attach a lane for another thread"
)
extension UpDownCounter: Sendable {}
