public import CRingside

/// A total of fractional amounts, such as commissions in dollars.
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

    /// A counter without a ring, for a registration that failed: every call does nothing.
    public static var disabled: FractionalCounter { FractionalCounter(producer: ringside_inert(), id: 0) }
}

@available(
    *, unavailable, message: "an instrument belongs to its ring's one producer; attach a lane for another thread"
)
extension FractionalCounter: Sendable {}
